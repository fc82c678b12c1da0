"""Test data: every factory makes the simplest valid object.

``EvaluationSnapshotFactory(task_count=3)`` makes three tasks, one F-point each, their
sources taken in turn, and the denominators (``SnapshotScope``) that follow from them.
Adding a task or an F-point afterwards keeps the denominators right.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import factory
from django.contrib.auth import get_user_model
from django.db.models import Count
from factory.django import DjangoModelFactory

from leaderboard.models import (
    Artifact,
    Benchmark,
    CheckResult,
    Configuration,
    Evaluation,
    EvaluationSnapshot,
    FPoint,
    Kit,
    Provenance,
    Run,
    ScopeName,
    ScopeTotals,
    SnapshotScope,
    SnapshotStatus,
    Task,
    TaskResult,
    TaskSource,
    Visibility,
)
from leaderboard.totals import write_run_totals, write_summary
from submissions.models import IntegritySignal, Role, Severity, Submission, Team

PASSWORD = "correct horse battery"
SCORED_AT = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


def digest_of(text: object) -> str:
    return hashlib.sha256(str(text).encode()).hexdigest()


def set_scopes(snapshot: EvaluationSnapshot) -> None:
    """Write the denominators that follow from the tasks of ``snapshot``."""
    rows = (
        snapshot.tasks.order_by()
        .values_list("source")
        .annotate(tasks=Count("pk", distinct=True), f_points=Count("f_points"))
    )
    counts = {source: (tasks, f_points) for source, tasks, f_points in rows}
    if not counts:
        return
    counts[ScopeName.OVERALL] = (
        sum(tasks for tasks, _ in counts.values()),
        sum(f_points for _, f_points in counts.values()),
    )
    for scope, (tasks, f_points) in counts.items():
        SnapshotScope.objects.update_or_create(
            snapshot=snapshot,
            scope=scope,
            defaults={"task_count": tasks, "f_point_count": f_points},
        )


class UserFactory(DjangoModelFactory[Any]):
    """A user with the password ``PASSWORD``; ``is_staff=True`` makes a maintainer."""

    class Meta:
        model = get_user_model()
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"user-{n}")
    email = factory.LazyAttribute(lambda user: f"{user.username}@example.org")
    password = factory.django.Password(PASSWORD)


class BenchmarkFactory(DjangoModelFactory[Benchmark]):
    class Meta:
        model = Benchmark
        django_get_or_create = ["slug"]

    slug = "openharmony-bench"
    name = "OpenHarmony Bench"


class EvaluationSnapshotFactory(DjangoModelFactory[EvaluationSnapshot]):
    """An open snapshot with ``task_count`` tasks (1 unless told otherwise).

    ``scopes={"overall": (153, 242)}`` sets tasks and F-points of scopes outright, for a
    snapshot whose tasks are not held (``task_count=0``).
    """

    class Meta:
        model = EvaluationSnapshot
        skip_postgeneration_save = True

    benchmark = factory.SubFactory(BenchmarkFactory)
    version = factory.Sequence(lambda n: f"test-{n}.0")
    title = factory.LazyAttribute(lambda snapshot: f"Snapshot {snapshot.version}")
    status = SnapshotStatus.OPEN
    task_snapshot_date = date(2026, 11, 1)
    evaluation_scripts = factory.SelfAttribute("version")
    agent_name = "DevEco Code"
    agent_version = "0.1.0-1.3"
    sdk = "API 23"
    toolchain = "Simulated DevEco 6.1"
    device_profile = "Simulated phone"
    device_profile_simulated = True
    run_count = 3
    repair_limit = 5
    comparability_key = factory.LazyAttribute(
        lambda snapshot: digest_of(snapshot.version)
    )

    @factory.post_generation
    def task_count(
        self: EvaluationSnapshot, create: bool, extracted: int | None, **_: Any
    ) -> None:
        if create:
            sources = list(TaskSource)
            for place in range(1 if extracted is None else extracted):
                TaskFactory(
                    snapshot=self,
                    source=sources[place % len(sources)],
                    position=place,
                )

    @factory.post_generation
    def scopes(
        self: EvaluationSnapshot,
        create: bool,
        extracted: Mapping[str, tuple[int, int]] | None,
        **_: Any,
    ) -> None:
        for scope, (tasks, f_points) in (extracted or {}).items():
            SnapshotScope.objects.update_or_create(
                snapshot=self,
                scope=scope,
                defaults={"task_count": tasks, "f_point_count": f_points},
            )


class TaskFactory(DjangoModelFactory[Task]):
    """A task with ``f_point_count`` F-points (1) and ``kits``, a list of Kit names."""

    class Meta:
        model = Task
        skip_postgeneration_save = True

    snapshot = factory.SubFactory(EvaluationSnapshotFactory, task_count=0)
    slug = factory.Sequence(lambda n: f"task-{n}")
    source = TaskSource.NEW_FEATURE
    title = factory.LazyAttribute(lambda task: f"Title of {task.slug}")
    statement = "Add an entry to the list."
    difficulty = "easy"
    repository = "example/app"
    base_commit = "0" * 40
    base_digest = factory.LazyAttribute(lambda task: digest_of(task.slug))
    bundle_name = "com.example.app"

    @factory.post_generation
    def f_point_count(
        self: Task, create: bool, extracted: int | None, **_: Any
    ) -> None:
        if create:
            for place in range(1 if extracted is None else extracted):
                _add_f_point(self, place)
            set_scopes(self.snapshot)

    @factory.post_generation
    def kits(
        self: Task, create: bool, extracted: Sequence[str] | None, **_: Any
    ) -> None:
        for name in extracted or []:
            self.kits.add(KitFactory(name=name))


def _add_f_point(task: Task, place: int) -> FPoint:
    return FPoint.objects.create(
        task=task,
        f_point=f"FP-{place + 1}",
        scenario="The entry is shown",
        description="The list shows the entry.",
        case="entry_shown",
        method=f"test_step_{place + 1}",
        position=place,
    )


class KitFactory(DjangoModelFactory[Kit]):
    class Meta:
        model = Kit
        django_get_or_create = ["name"]

    name = "ArkUI"
    slug = factory.LazyAttribute(lambda kit: kit.name.lower().replace(" ", "-"))


class FPointFactory(DjangoModelFactory[FPoint]):
    """One F-point more; without ``task`` its task has no other."""

    class Meta:
        model = FPoint
        skip_postgeneration_save = True

    task = factory.SubFactory(TaskFactory, f_point_count=0)
    position = factory.LazyAttribute(lambda f_point: f_point.task.f_points.count())
    f_point = factory.LazyAttribute(lambda f_point: f"FP-{f_point.position + 1}")
    scenario = "The entry is shown"
    description = "The list shows the entry."
    case = "entry_shown"
    method = factory.LazyAttribute(lambda f_point: f"test_step_{f_point.position + 1}")

    @factory.post_generation
    def denominators(self: FPoint, create: bool, extracted: None, **_: Any) -> None:
        if create:
            set_scopes(self.task.snapshot)


class ConfigurationFactory(DjangoModelFactory[Configuration]):
    class Meta:
        model = Configuration

    model = factory.Sequence(lambda n: f"sample-model-{n}")
    provider = "Sample Lab"
    family = "Sample"
    agent_name = "DevEco Code"
    agent_version = "0.1.0-1.3"


class EvaluationFactory(DjangoModelFactory[Evaluation]):
    """A private official evaluation; ``public=True`` makes it scored and public."""

    class Meta:
        model = Evaluation

    class Params:
        public = factory.Trait(
            visibility=Visibility.PUBLIC, scored_at=SCORED_AT, published_at=SCORED_AT
        )

    snapshot = factory.SubFactory(EvaluationSnapshotFactory)
    configuration = factory.SubFactory(ConfigurationFactory)
    provenance = Provenance.OFFICIAL
    comparability_key = factory.SelfAttribute("snapshot.comparability_key")
    run_count = factory.SelfAttribute("snapshot.run_count")
    simulated = factory.SelfAttribute("snapshot.device_profile_simulated")


class RunFactory(DjangoModelFactory[Run]):
    """The next run of an evaluation."""

    class Meta:
        model = Run

    evaluation = factory.SubFactory(EvaluationFactory)
    number = factory.LazyAttribute(lambda run: run.evaluation.runs.count() + 1)


class TaskResultFactory(DjangoModelFactory[TaskResult]):
    """A completed task run of the run's first task that has no result yet.

    ``completed=False`` makes a task run that was built and failed every F-point.
    """

    class Meta:
        model = TaskResult

    run = factory.SubFactory(RunFactory)
    task = factory.LazyAttribute(
        lambda result: result.run.evaluation.snapshot.tasks.exclude(
            results__run=result.run
        ).first()
    )
    completed = True
    reason = factory.LazyAttribute(
        lambda result: "" if result.completed else "check_failed"
    )
    first_build_ok = True
    final_build_ok = True
    f_point_count = factory.LazyAttribute(lambda result: result.task.f_points.count())
    f_points_passed = factory.LazyAttribute(
        lambda result: result.f_point_count if result.completed else 0
    )


class CheckResultFactory(DjangoModelFactory[CheckResult]):
    class Meta:
        model = CheckResult

    result = factory.SubFactory(TaskResultFactory)
    f_point = factory.LazyAttribute(
        lambda check: check.result.task.f_points.exclude(
            results__result=check.result
        ).first()
    )
    passed = factory.SelfAttribute("result.completed")


class ArtifactFactory(DjangoModelFactory[Artifact]):
    """The record of a stored file; the bytes themselves are not written."""

    class Meta:
        model = Artifact

    run = factory.SubFactory(RunFactory)
    task = factory.LazyAttribute(
        lambda artifact: artifact.run.evaluation.snapshot.tasks.first()
    )
    name = factory.Sequence(lambda n: f"build-{n}.log")
    kind = "build-log"
    sha256 = factory.LazyAttribute(lambda artifact: digest_of(artifact.name))
    size_bytes = 10


class ScopeTotalsFactory(DjangoModelFactory[ScopeTotals]):
    """The stored totals over all runs of one scope, built from ``completed_by_run``."""

    class Meta:
        model = ScopeTotals

    evaluation = factory.SubFactory(EvaluationFactory, public=True)
    scope = ScopeName.OVERALL
    task_count = 10
    completed_by_run = factory.LazyAttribute(
        lambda totals: [1] * totals.evaluation.run_count
    )
    run_count = factory.LazyAttribute(lambda totals: len(totals.completed_by_run))
    completed_count = factory.LazyAttribute(lambda totals: sum(totals.completed_by_run))
    first_build_count = factory.SelfAttribute("completed_count")
    final_build_count = factory.SelfAttribute("completed_count")


def scored_evaluation(
    completed: Sequence[Sequence[int]], *, task_count: int, **result: Any
) -> Evaluation:
    """A public evaluation with a run for each item of ``completed``, and its totals.

    An item lists the places (from 0) of the tasks that its run completed; ``result``
    is given to every task result.
    """
    evaluation = EvaluationFactory(
        public=True,
        snapshot__task_count=task_count,
        snapshot__run_count=len(completed),
    )
    tasks = list(evaluation.snapshot.tasks.all())
    for number, places in enumerate(completed, start=1):
        run = RunFactory(evaluation=evaluation, number=number, finished_at=SCORED_AT)
        for place, task in enumerate(tasks):
            task_result = TaskResultFactory(
                run=run, task=task, completed=place in places, **result
            )
            for _ in range(task_result.f_point_count):
                CheckResultFactory(result=task_result)
        write_run_totals(run)
    write_summary(evaluation)
    return evaluation


class SubmissionFactory(DjangoModelFactory[Submission]):
    """A submission of ``user`` for an evaluation that is there already."""

    class Meta:
        model = Submission

    user = factory.SubFactory(UserFactory)
    evaluation = factory.SubFactory(EvaluationFactory)
    snapshot = factory.SelfAttribute("evaluation.snapshot")
    manifest = factory.LazyFunction(dict)
    archive_sha256 = factory.Sequence(lambda n: digest_of(f"archive {n}"))
    archive_size_bytes = 1


class IntegritySignalFactory(DjangoModelFactory[IntegritySignal]):
    """A signal about the first task of run 1 that nobody has judged."""

    class Meta:
        model = IntegritySignal

    submission = factory.SubFactory(SubmissionFactory)
    code = "git_history"
    severity = Severity.FLAG
    score = 0.8
    run_number = 1
    task = factory.LazyAttribute(
        lambda signal: signal.submission.snapshot.tasks.first()
    )
    file = "trajectory.jsonl"
    position = 3
    seen = factory.Sequence(lambda n: f"git log --all -{n}")
    fingerprint = factory.LazyAttribute(lambda signal: digest_of(signal.seen))


class TeamFactory(DjangoModelFactory[Team]):
    """``TeamFactory(owner=user, members=[...])`` makes the memberships with it."""

    class Meta:
        model = Team
        skip_postgeneration_save = True

    name = factory.Sequence(lambda n: f"Team {n}")
    slug = factory.Sequence(lambda n: f"team-{n}")

    @factory.post_generation
    def owner(self: Team, create: bool, extracted: Any, **_: Any) -> None:
        if create and extracted is not None:
            self.memberships.create(user=extracted, role=Role.OWNER)

    @factory.post_generation
    def members(self: Team, create: bool, extracted: Any, **_: Any) -> None:
        for each in extracted or ():
            self.memberships.create(user=each)
