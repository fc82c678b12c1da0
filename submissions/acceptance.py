"""Turning a checked bundle into a submission with its evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from django.contrib.auth.models import User

from evaluator import hints
from evaluator.agents.offer import Offer
from evaluator.agents.providers import is_scripted
from evaluator.models import AgentKind
from evaluator.services import InputFile, UnitInput, start_evaluation
from leaderboard.blobs import store_file
from leaderboard.comparability import comparability_key, conditions_of
from leaderboard.models import Configuration, EvaluationSnapshot, Provenance
from leaderboard.models.results import RUN_HERE, SCRIPTED
from submissions.archive import Member, place_of
from submissions.comparability import (
    IN_THE_KEY,
    compare_with_snapshot,
    differences,
)
from submissions.findings import Report
from submissions.formats.bundle import Bundle, UnitFiles
from submissions.manifest import Manifest, stated_by
from submissions.models import Submission, SubmissionEvent, Team
from submissions.notices import Kind, tell
from submissions.notices.preferences import remember_language
from submissions.sentences.records import RECEIVED, TICKED
from submissions.snapshot_facts import facts_of

Origin = Literal["page", "api", "command"]

_KINDS = {
    "first.patch": "submitted-patch",
    "final.patch": "submitted-patch",
    "build.log": "submitted-log",
    "trajectory.jsonl": "trajectory",
    "trajectory.json": "trajectory",
    "usage.json": "usage",
}


class CheckedUpload(NamedTuple):
    """A bundle that may be accepted; its files live as long as the check's context."""

    bundle: Bundle
    snapshot: EvaluationSnapshot
    archive_sha256: str
    archive_size_bytes: int
    trusted: bool
    is_sample: bool


class Entry(NamedTuple):
    """How an upload came and for whom; without ``team`` for its user alone.

    ``copy_of`` is the submission whose manifest it was begun from.
    """

    origin: Origin
    team: Team | None = None
    idempotency_key: str = ""
    copy_of: Submission | None = None


def store_units(bundle: Bundle) -> list[UnitInput]:
    """Put the files of every task run into the artifact storage, each content once."""
    stored: set[str] = set()
    for member in bundle.members:
        if place_of(member.name) is not None and member.sha256 not in stored:
            stored.add(member.sha256)
            with member.path.open("rb") as handle:
                store_file(handle)
    files_of: dict[tuple[int, str], list[InputFile]] = {}
    for member in bundle.members:
        place = place_of(member.name)
        if place is not None:
            files = files_of.setdefault((place.run, place.task), [])
            files.append(_input_file(member, place.file))
    return [
        _unit_input(unit, tuple(files_of[unit.run, unit.task])) for unit in bundle.units
    ]


def accept(
    user: User,
    upload: CheckedUpload,
    *,
    units: Sequence[UnitInput],
    report: Report,
    entry: Entry,
) -> Submission:
    """Write everything that an accepted upload needs; call inside a transaction."""
    manifest = upload.bundle.manifest
    snapshot = upload.snapshot
    configured = manifest.mode == "configuration"
    evaluation = start_evaluation(
        snapshot=snapshot,
        configuration=_configuration(manifest),
        provenance=Provenance.OFFICIAL,
        run_count=manifest.run_configuration.runs,
        trusted=upload.trusted,
        comparability_key=comparability_key_of(manifest, snapshot),
        agent=AgentKind.CONFIGURED if configured else AgentKind.REPLAY,
        units=units,
        inputs=inputs_of(manifest) if configured else None,
        differing_fields=compare_with_snapshot(manifest, facts_of(snapshot)),
    )
    if configured:
        evaluation.toolchain_facts |= {"agent": RUN_HERE}
        if is_scripted(manifest.model.identifier):
            evaluation.toolchain_facts |= {"model": SCRIPTED}
        evaluation.save(update_fields=["toolchain_facts"])
    if manifest.origin is not None:
        # Public with the result: another order of the runs would give another range.
        evaluation.toolchain_facts |= {
            "submitted_as": manifest.origin.format,
            "runs": manifest.origin.run_order,
        }
        evaluation.save(update_fields=["toolchain_facts"])
    submission = Submission.objects.create(
        user_id=user.pk,
        team=entry.team,
        idempotency_key=entry.idempotency_key,
        copy_of=entry.copy_of,
        snapshot=snapshot,
        evaluation=evaluation,
        manifest=manifest.model_dump(mode="json"),
        archive_sha256=upload.archive_sha256,
        archive_size_bytes=upload.archive_size_bytes,
        content_sha256=upload.bundle.content_sha256,
        report=report.as_dict(),
        trusted=upload.trusted,
    )
    SubmissionEvent.objects.create(
        submission=submission,
        actor_id=user.pk,
        to_state=submission.state,
        reason=RECEIVED(origin=entry.origin),
    )
    hints.call_after_commit("submissions.tasks.look_through_submissions")
    if report.warnings and not upload.is_sample:
        _record_tick(submission, user, report)
    if entry.origin == "page":
        remember_language(user)
    tell(Kind.ACCEPTED, submission, key="")
    return submission


def _record_tick(submission: Submission, user: User, report: Report) -> None:
    """Keep who accepted which warnings, and when."""
    counts = Counter(each.code.value for each in report.warnings)
    kinds = ", ".join(f"{code} ({count})" for code, count in counts.items())
    SubmissionEvent.objects.create(
        submission=submission,
        actor_id=user.pk,
        from_state=submission.state,
        to_state=submission.state,
        reason=TICKED(kinds=kinds),
    )


def _input_file(member: Member, name: str) -> InputFile:
    return InputFile(
        name=f"submitted/{name}",
        kind=_KINDS[name],
        sha256=member.sha256,
        size_bytes=member.size_bytes,
    )


def _unit_input(unit: UnitFiles, files: tuple[InputFile, ...]) -> UnitInput:
    return UnitInput(
        run=unit.run,
        task_slug=unit.task,
        first_patch=unit.first_patch.sha256 if unit.first_patch else None,
        final_patch=unit.final_patch.sha256,
        files=files,
        total_tokens=unit.usage.total_tokens,
        agent_milliseconds=unit.usage.agent_ms,
        repair_rounds=unit.usage.repair_rounds,
    )


def inputs_of(manifest: Manifest) -> dict[str, Any]:
    """What every job of a configuration is given."""
    return {
        "offer": str(offer_of(manifest)),
        "run_parameters": manifest.run_parameters.model_dump(),
        "repair_limit": manifest.run_configuration.repair_limit,
    }


def offer_of(manifest: Manifest) -> Offer:
    """The agent with its model that a manifest asks for."""
    return Offer(
        manifest.agent.name,
        manifest.agent.version,
        manifest.model.provider,
        manifest.model.identifier,
    )


def _configuration(manifest: Manifest) -> Configuration:
    """The configuration that was measured; equal ones share a row."""
    fields = {
        "model": manifest.model.identifier,
        "provider": manifest.model.provider,
        "family": manifest.model.family or "",
        "agent_name": manifest.agent.name,
        "agent_version": manifest.agent.version,
        "run_parameters": manifest.run_parameters.model_dump(),
    }
    # Not get_or_create: published rows may be there twice, and either will do.
    found = Configuration.objects.filter(**fields).order_by("pk").first()
    return found or Configuration.objects.create(**fields)


def comparability_key_of(manifest: Manifest, snapshot: EvaluationSnapshot) -> str:
    """The key of what was really run; the snapshot's own where nothing differs."""
    found = differences(stated_by(manifest), facts_of(snapshot))
    if not found:
        return snapshot.comparability_key
    conditions = conditions_of(snapshot)
    return comparability_key(
        replace(
            conditions,
            agent_name=manifest.agent.name if conditions.agent_name else "",
            agent_version=manifest.agent.version if conditions.agent_version else "",
            sdk=manifest.sdk,
            toolchain=manifest.toolchain,
            device_profile=manifest.device_profile,
            run_count=manifest.run_configuration.runs,
            repair_limit=manifest.run_configuration.repair_limit,
        ),
        [
            f"{each.field}: {each.submitted}"
            for each in found
            if each.field not in IN_THE_KEY
        ],
    )
