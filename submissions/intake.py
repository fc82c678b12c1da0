"""From an uploaded file to a submission: check everything, then keep all or nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q

from evaluator.capability import sandbox_isolates
from evaluator.models import Worker
from evaluator.offers import known_offers
from leaderboard.models import EvaluationSnapshot, SnapshotStatus
from submissions.acceptance import (
    CheckedUpload,
    Entry,
    Origin,
    accept,
    offer_of,
    store_units,
)
from submissions.accounts import quota
from submissions.archive import ArchiveLimits
from submissions.findings import Code, Finding, Report
from submissions.formats.bundle import Bundle
from submissions.models import Submission, SubmissionState, Team
from submissions.notices import tell_refusal
from submissions.offers import offer_findings
from submissions.samples import is_sample
from submissions.snapshot_facts import listed_facts, open_versions
from submissions.validation import validate


@dataclass(frozen=True, slots=True)
class Receipt:
    """The answer to an upload: the submission, or None and the reasons.

    ``awaits_tick`` says that only warnings speak against it, which nobody accepted yet.
    """

    submission: Submission | None
    report: Report
    awaits_tick: bool = False

    @property
    def sound_so_far(self) -> bool:
        """Whether the same upload may be accepted later, and so should be kept."""
        return self.over_quota or self.awaits_tick

    @property
    def over_quota(self) -> bool:
        """Whether the bundle is sound and only the quota speaks against it."""
        codes = {each.code for each in self.report.errors}
        return bool(codes) and codes <= {Code.QUOTA_MONTH, Code.QUOTA_RUNNING}


def check(user: User, archive: Path) -> Report:
    """Say what ``receive`` would say, and store nothing."""
    with _checked(user, archive) as (_, report):
        return report


def receive(
    user: User,
    archive: Path,
    *,
    origin: Origin,
    team: Team | None = None,
    idempotency_key: str = "",
    copy_of: Submission | None = None,
    tick: bool | str = False,
) -> Receipt:
    """Check an upload and, when nothing is wrong with it, start its evaluation.

    Submission, evaluation and all k x N jobs come in one transaction, or none of them.
    Warnings stop it until ``tick`` accepts them: True for any, or the digest of those
    that were read; samples of this project are taken with theirs. That ``user`` belongs
    to ``team`` is checked by the caller.
    """
    entry = Entry(origin, team, idempotency_key, copy_of)
    receipt = _receive(user, archive, entry=entry, tick=tick)
    if receipt.submission is None and not receipt.awaits_tick:
        tell_refusal(user, team, receipt.report.errors)
    return receipt


def _receive(user: User, archive: Path, *, entry: Entry, tick: bool | str) -> Receipt:
    team = entry.team
    with _checked(user, archive) as (upload, report):
        if upload is None:
            return Receipt(None, report)
        early = _quota_findings(user, team, upload)
        if early:
            return _refusal(report, *early)
        if not upload.is_sample and not report.is_ticked(tick):
            return Receipt(None, report, awaits_tick=True)
        units = store_units(upload.bundle)
        try:
            with transaction.atomic():
                if not _still_open(upload.snapshot):
                    return _refusal(report, _closed(upload.snapshot))
                # Counted again behind a lock: others may have submitted meanwhile.
                quota.lock(user, team)
                late = _quota_findings(user, team, upload)
                if late:
                    return _refusal(report, *late)
                submission = accept(
                    user,
                    upload,
                    units=units,
                    report=report,
                    entry=entry,
                )
        except IntegrityError:
            # The same came twice at once: a constraint let one of them pass.
            same = with_idempotency_key(user, entry.idempotency_key)
            if same is not None and same.archive_sha256 == upload.archive_sha256:
                return Receipt(same, report)
            twin = _twin(user, upload)
            if twin is None:
                raise
            return _refusal(report, _duplicate(twin))
    return Receipt(submission, report)


def with_idempotency_key(user: User, key: str) -> Submission | None:
    """What ``user`` has submitted under ``key`` before."""
    if not key:
        return None
    return (
        Submission.objects.visible_to(user)
        .filter(user=user.pk, idempotency_key=key)
        .first()
    )


def file_digest(archive: Path) -> str:
    with archive.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _quota_findings(
    user: User, team: Team | None, upload: CheckedUpload
) -> list[Finding]:
    # Each user can hand in a sample once: the same files again are a double.
    return [] if upload.is_sample else quota.refusals(user, team)


@contextmanager
def _checked(
    user: User, archive: Path
) -> Iterator[tuple[CheckedUpload | None, Report]]:
    settings.WORK_DIR.mkdir(parents=True, exist_ok=True)
    limits = ArchiveLimits(upload_bytes=settings.UPLOAD_LIMIT_BYTES)
    with TemporaryDirectory(prefix="upload-", dir=settings.WORK_DIR) as folder:
        bundle, report = validate(
            archive,
            spool=Path(folder, "spool"),
            snapshot_for=listed_facts,
            known_versions=open_versions(),
            limits=limits,
        )
        if bundle is None:
            yield None, report
            return
        upload = _upload(user, archive, bundle)
        findings = list(_installation_findings(user, upload))
        if findings:
            yield None, Report((*report.findings, *findings))
            return
        yield upload, report


def _upload(user: User, archive: Path, bundle: Bundle) -> CheckedUpload:
    manifest = bundle.manifest
    sample = is_sample(bundle.content_sha256)
    return CheckedUpload(
        bundle=bundle,
        snapshot=EvaluationSnapshot.objects.select_related("benchmark").get(
            benchmark__slug=manifest.benchmark, version=manifest.benchmark_version
        ),
        archive_sha256=file_digest(archive),
        archive_size_bytes=archive.stat().st_size,
        trusted=bool(getattr(user, "is_staff", False)) or sample,
        is_sample=sample,
    )


def _installation_findings(user: User, upload: CheckedUpload) -> Iterator[Finding]:
    """What speaks against a sound bundle here and now."""
    twin = _twin(user, upload)
    if twin is not None:
        yield _duplicate(twin)
    if not upload.trusted and not takes_untrusted():
        yield Finding(
            Code.SANDBOX_MISSING,
            "this installation",
            "no working sandbox, so no code from outside is run here; the bundle "
            "itself has no fault",
            "Ask the operator to set one up (manage.py doctor says what is missing), "
            "or a maintainer to submit the bundle. The samples of this project are "
            "taken from everybody.",
        )
    if upload.bundle.manifest.mode == "configuration":
        yield from offer_findings(
            offer_of(upload.bundle.manifest), known_offers(), snapshot=upload.snapshot
        )


def takes_untrusted() -> bool:
    """Whether this process, or a worker that is known, may run code from outside."""
    return sandbox_isolates() or Worker.objects.isolating().exists()


def _twin(user: User, upload: CheckedUpload) -> Submission | None:
    """The same files, though packed anew: other dates in an archive are no change."""
    same = Q(archive_sha256=upload.archive_sha256) | Q(
        content_sha256=upload.bundle.content_sha256
    )
    return (
        Submission.objects.filter(same, user=user.pk, snapshot=upload.snapshot)
        .exclude(state=SubmissionState.CANCELLED)
        .first()
    )


def _duplicate(twin: Submission) -> Finding:
    return Finding(
        Code.DUPLICATE,
        "the archive",
        f"the very files that you submitted as {twin.uuid}",
        f"Follow that submission at {settings.PUBLIC_URL}{twin.get_absolute_url()}; "
        "to have it evaluated again, use Re-run there, or cancel it before you send it "
        "anew.",
    )


def _still_open(snapshot: EvaluationSnapshot) -> bool:
    """Whether the snapshot takes submissions; locked until the transaction ends."""
    return (
        EvaluationSnapshot.objects.select_for_update()
        .filter(pk=snapshot.pk, status=SnapshotStatus.OPEN)
        .exists()
    )


def _closed(snapshot: EvaluationSnapshot) -> Finding:
    return Finding(
        Code.SNAPSHOT_CLOSED,
        "manifest.json: benchmark_version",
        f"{snapshot.version}, which was closed while the upload was checked",
        f"Name a snapshot that takes submissions: {', '.join(open_versions())}.",
    )


def _refusal(report: Report, *findings: Finding) -> Receipt:
    return Receipt(None, Report((*report.findings, *findings)))
