from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from submissions.archive import ArchiveError, ArchiveLimits, pack_folder
from submissions.findings import Finding, Report
from submissions.models import Team
from submissions.services import Receipt, receive


class Command(BaseCommand):
    help = "Submit a bundle (zip, tar.gz or folder) for a user, as an upload would."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("bundle", type=Path, help="archive or folder")
        parser.add_argument("--user", required=True, help="name of the submitting user")
        parser.add_argument(
            "--team", help="slug of a team of the user that is to own the submission"
        )
        parser.add_argument(
            "--accept-warnings",
            action="store_true",
            help="submit although the check has warnings, which were read",
        )

    def handle(
        self,
        *args: Any,
        bundle: Path,
        user: str,
        team: str | None,
        accept_warnings: bool,
        **options: Any,
    ) -> None:
        submitter = _user(user)
        owner = _team(submitter, team) if team is not None else None
        try:
            receipt = _receive(submitter, bundle, team=owner, tick=accept_warnings)
        except ArchiveError as error:
            receipt = Receipt(None, Report(error.findings))
        for finding in receipt.report.findings:
            self.stderr.write(_line(finding))
        if receipt.awaits_tick:
            raise CommandError(
                "Not submitted: read the warnings above; to submit all the same, add "
                "--accept-warnings. Nothing was stored."
            )
        if receipt.submission is None:
            count = len(receipt.report.errors)
            raise CommandError(
                f"Not submitted: {count} {'error' if count == 1 else 'errors'}. "
                "Nothing was stored."
            )
        version = receipt.submission.snapshot.version
        self.stdout.write(f"Submitted to {version}: {receipt.submission.uuid}")


def _user(name: str) -> User:
    found = get_user_model().objects.filter(username=name).first()
    if found is None:
        names = get_user_model().objects.order_by("username")
        known = ", ".join(names.values_list("username", flat=True)[:20])
        raise CommandError(f"No user {name!r}. Known: {known or 'none'}.")
    return found


def _team(user: User, slug: str) -> Team:
    teams = Team.objects.of(user)
    found = teams.filter(slug=slug).first()
    if found is None:
        known = ", ".join(teams.values_list("slug", flat=True)[:20])
        raise CommandError(
            f"{user} belongs to no team {slug!r}. Their teams: {known or 'none'}."
        )
    return found


def _receive(user: User, bundle: Path, *, team: Team | None, tick: bool) -> Receipt:
    if not bundle.exists():
        raise CommandError(f"{bundle} does not exist. Give an archive or a folder.")
    if not bundle.is_dir():
        return receive(user, bundle, origin="command", team=team, tick=tick)
    settings.WORK_DIR.mkdir(parents=True, exist_ok=True)
    limits = ArchiveLimits(upload_bytes=settings.UPLOAD_LIMIT_BYTES)
    with TemporaryDirectory(prefix="pack-", dir=settings.WORK_DIR) as folder:
        archive = pack_folder(bundle, Path(folder, "bundle.zip"), limits=limits)
        return receive(user, archive, origin="command", team=team, tick=tick)


def _line(finding: Finding) -> str:
    return (
        f"{finding.severity}: {finding.where}: {finding.saw}. {finding.fix} "
        f"[{finding.code.value}]"
    )
