"""Old submissions on another snapshot: rows of their own beside the old ones."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.exceptions import PermissionDenied
from django.core.management import CommandError, call_command
from django.urls import reverse

from evaluator import evidence
from evaluator.agents.offer import Offer
from evaluator.models import AgentKind, Job
from leaderboard.models import AuditEvent, Evaluation, ScopeTotals, SnapshotStatus
from submissions import followups, intake, reevaluation, services
from submissions.models import Submission
from submissions.reevaluation import reevaluate
from submissions.services import NotPossibleError
from tests.factories import EvaluationSnapshotFactory, TaskFactory
from tests.submissions.bundles import files_for, manifest_for, zipped
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db
REASON = "a check was too strict"


@pytest.fixture
def ended(submission) -> Submission:
    fail_all(submission)
    return submission


def successor(snapshot, **changes):
    """A snapshot with the same inputs, by default with other scripts only."""
    found = EvaluationSnapshotFactory(
        **{
            "benchmark": snapshot.benchmark,
            "task_count": 0,
            "run_count": snapshot.run_count,
            "script_digest": "5" * 64,
            "package_path": "snapshots/x",
            **changes,
        }
    )
    for task in snapshot.tasks.all():
        TaskFactory(
            snapshot=found,
            slug=task.slug,
            source=task.source,
            statement=task.statement,
            base_digest=task.base_digest,
            bundle_name=task.bundle_name,
            build_paths=task.build_paths,
        )
    return found


def test_the_same_patches_are_evaluated_beside_the_old_row(ended, maintainer):
    before = (
        list(Job.objects.filter(evaluation=ended.evaluation).values()),
        list(ScopeTotals.objects.filter(evaluation=ended.evaluation).values()),
        Evaluation.objects.filter(pk=ended.evaluation_id).values().get(),
    )
    target = successor(ended.snapshot)

    again = reevaluate(ended, target, by=maintainer, reason=REASON)

    assert before == (
        list(Job.objects.filter(evaluation=ended.evaluation).values()),
        list(ScopeTotals.objects.filter(evaluation=ended.evaluation).values()),
        Evaluation.objects.filter(pk=ended.evaluation_id).values().get(),
    )
    assert (again.snapshot, again.user, again.free) == (target, ended.user, True)
    assert again.rerun_of == ended
    assert again.evaluation.rerun_of == ended.evaluation
    assert again.evaluation.snapshot == target
    assert again.evaluation.comparability_key == target.comparability_key
    assert again.evaluation.comparable
    assert again.manifest["benchmark_version"] == target.version

    def inputs(of):
        rows = Job.objects.filter(evaluation=of.evaluation)
        return {(row.run.number, row.task.slug): row.inputs for row in rows}

    assert inputs(again) == inputs(ended)


def test_other_conditions_of_the_new_snapshot_are_named(ended, maintainer):
    target = successor(ended.snapshot, sdk="API 24")

    again = reevaluate(ended, target, by=maintainer, reason=REASON)

    assert again.evaluation.differing_fields == ["sdk"]
    assert again.evaluation.comparability_key != target.comparability_key
    assert not again.evaluation.comparable


def test_it_is_on_record_for_both(ended, maintainer):
    target = successor(ended.snapshot)
    again = reevaluate(ended, target, by=maintainer, reason=REASON)

    for each in (ended, again):
        event = AuditEvent.objects.about(each.evaluation).public().first()
        assert (event.act, event.actor, event.reason) == (
            "re-evaluate",
            maintainer,
            REASON,
        )


def test_a_re_run_of_it_stays_on_its_snapshot(ended, maintainer):
    target = successor(ended.snapshot)
    again = reevaluate(ended, target, by=maintainer, reason=REASON)
    fail_all(again)

    third = followups.rerun(again, by=maintainer, reason="a worker was ill")

    assert third.snapshot == target
    assert third.evaluation.comparability_key == target.comparability_key
    assert [each.pk for each in followups.family_of(third)] == [
        each.pk for each in (ended, again, third)
    ]


def test_tasks_that_the_snapshot_gave_up_are_left_out(ended, maintainer):
    target = successor(ended.snapshot)
    target.tasks.first().delete()

    again = reevaluate(ended, target, by=maintainer, reason=REASON)

    assert Job.objects.filter(evaluation=again.evaluation).count() == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"statement": "Do something else."}, "statement or base project"),
        ({"base_digest": "9" * 64}, "statement or base project"),
        ({"slug": "new-task"}, "statement or base project"),
    ],
)
def test_other_inputs_are_refused_by_name(ended, maintainer, change, message):
    target = successor(ended.snapshot)
    task = target.tasks.first()
    for name, value in change.items():
        setattr(task, name, value)
    task.save()

    with pytest.raises(NotPossibleError, match=message) as refused:
        reevaluate(ended, target, by=maintainer, reason=REASON)

    assert task.slug in str(refused.value)
    assert Submission.objects.count() == 1


def test_what_makes_no_sense_is_refused_with_a_sentence(ended, maintainer, user):
    target = successor(ended.snapshot)
    with pytest.raises(PermissionDenied):
        reevaluate(ended, target, by=user, reason=REASON)
    with pytest.raises(NotPossibleError, match="reason"):
        reevaluate(ended, target, by=maintainer, reason=" ")
    with pytest.raises(NotPossibleError, match="already"):
        reevaluate(ended, ended.snapshot, by=maintainer, reason=REASON)
    more = successor(ended.snapshot, run_count=5)
    with pytest.raises(NotPossibleError, match="5 runs"):
        reevaluate(ended, more, by=maintainer, reason=REASON)
    for status in (SnapshotStatus.DRAFT, SnapshotStatus.ADMISSION):
        closed = successor(ended.snapshot, status=status)
        with pytest.raises(NotPossibleError, match="not opened yet"):
            reevaluate(ended, closed, by=maintainer, reason=REASON)
    reevaluate(ended, target, by=maintainer, reason=REASON)
    with pytest.raises(NotPossibleError, match="already"):
        reevaluate(ended, target, by=maintainer, reason=REASON)


def test_the_history_of_the_configuration_shows_them_side_by_side(
    ended, maintainer, client
):
    target = successor(ended.snapshot)
    again = reevaluate(ended, target, by=maintainer, reason=REASON)
    fail_all(again)
    page = reverse("configuration", args=[ended.evaluation.configuration_id])
    services.publish(ended, by=maintainer)
    assert "more than once" not in client.get(page).content.decode()

    services.publish(again, by=maintainer)

    html = client.get(page).content.decode()
    shown = html.partition("The same submission, evaluated more than once")[2]
    assert "not the agent's work" in shown
    assert "Evaluation scripts" in shown
    for each in (ended, again):
        assert each.evaluation.get_absolute_url() in html
        shown = client.get(each.evaluation.get_absolute_url()).content.decode()
        assert "both stay on record" in shown
        table = client.get(each.snapshot.get_absolute_url()).content.decode()
        assert each.evaluation.get_absolute_url() in table


def test_what_another_evaluator_says_stands_beside_what_the_first_said(
    ended, maintainer, client, monkeypatch
):
    monkeypatch.setattr(evidence, "__version__", "9.1")
    again = followups.rerun(ended, by=maintainer, reason="a new evaluator")
    fail_all(again)
    again.evaluation.refresh_from_db()
    assert again.evaluation.evaluator_version == "9.1"
    assert ended.evaluation.evaluator_version not in {"", "9.1"}
    for job in again.evaluation.jobs.all():
        assert evidence.faults(job) == []

    for each in (ended, again):
        services.publish(each, by=maintainer)

    page = reverse("configuration", args=[ended.evaluation.configuration_id])
    shown = client.get(page).content.decode().partition("evaluated more than once")[2]
    assert "Evaluator version" in shown
    for each in (ended, again):
        assert each.evaluation.get_absolute_url() in shown


@pytest.fixture
def offers(monkeypatch) -> list[Offer]:
    """What workers offer; a test may change it."""
    known = [Offer("OpenCode", "1.18.33", "Sample Lab", "sample-1")]
    for module in (intake, reevaluation):
        monkeypatch.setattr(module, "known_offers", lambda: list(known))
    return known


@pytest.fixture
def configured(user, snapshot, offers, tmp_path) -> Submission:
    """The ended evaluation of a configuration, whose agent ran here."""
    manifest = manifest_for(snapshot, mode="configuration")
    manifest["agent"] = {"name": offers[0].agent, "version": offers[0].version}
    manifest["model"] = {"identifier": "sample-1", "provider": "Sample Lab"}
    path = tmp_path / "configuration.zip"
    named = files_for(snapshot, manifest=manifest)["manifest.json"]
    path.write_bytes(zipped({"manifest.json": named}))
    found = services.receive(user, path, origin="page", tick=True).submission
    fail_all(found)
    return found


def test_the_agent_of_a_configuration_works_anew_on_whatever_there_is(
    configured, maintainer, client
):
    target = successor(configured.snapshot)
    target.tasks.update(statement="Do something else.")

    again = reevaluate(configured, target, by=maintainer, reason=REASON)

    def work(of):
        rows = Job.objects.filter(evaluation=of.evaluation)
        return [(row.agent, row.inputs) for row in rows]

    assert work(again) == work(configured)
    assert {agent for agent, _ in work(again)} == {AgentKind.CONFIGURED}
    assert again.evaluation.snapshot == target
    assert again.evaluation.run_here
    fail_all(again)
    for each in (configured, again):
        services.publish(each, by=maintainer)
    page = reverse("configuration", args=[again.evaluation.configuration_id])
    assert "The agent worked anew each time." in client.get(page).content.decode()


def test_an_agent_that_nobody_offers_any_more_is_refused(
    configured, maintainer, offers
):
    offers[:] = [offers[0]._replace(version="2.0")]
    with pytest.raises(NotPossibleError, match=r"OpenCode 1\.18\.33.*OpenCode 2\.0"):
        reevaluate(
            configured, successor(configured.snapshot), by=maintainer, reason=REASON
        )

    assert Submission.objects.count() == 1


def test_maintainers_do_it_on_the_review_page(ended, maintainer, client):
    target = successor(ended.snapshot)
    client.force_login(maintainer)
    page = client.get(reverse("review", args=[ended.pk])).content.decode()
    assert "Evaluate on another snapshot" in page

    answer = client.post(
        reverse("review-reevaluate", args=[ended.pk]),
        {"snapshot": target.version, "reason": REASON},
        follow=True,
    )

    again = ended.reruns.get()
    assert str(again.pk) in answer.content.decode()
    assert again.snapshot == target


def test_the_command_does_many_and_names_each_refusal(ended, maintainer):
    target = successor(ended.snapshot)
    nobody = "00000000-0000-4000-8000-000000000000"
    words = ["reevaluate", target.version, str(ended.pk), nobody]
    said = StringIO()

    with pytest.raises(CommandError, match="no such submission"):
        call_command(
            *words, "--reason", REASON, "--user", maintainer.username, stdout=said
        )

    assert f"queued on {target} as {ended.reruns.get().pk}" in said.getvalue()
