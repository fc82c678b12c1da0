"""Exports a snapshot as tasks of Harbor."""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.harbor import (
    HarborExportError,
    default_images,
    export_harbor,
    keep_digests,
)
from leaderboard.release import hidden_parts_are_public
from leaderboard.snapshots import (
    PackageNotHeldError,
    SnapshotLookupError,
    snapshot_by_version,
)


class Command(BaseCommand):
    help = (
        "Write the tasks of a snapshot in the format of Harbor, with their hidden "
        "checks and reference solutions: the verifier needs them."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="version, such as demo-0.1 or demo")
        parser.add_argument(
            "folder", type=Path, help="a folder that does not exist yet"
        )
        parser.add_argument(
            "--with-hidden-checks",
            action="store_true",
            help="needed while checks and references are not released; whoever has the "
            "folder can read them",
        )
        parser.add_argument(
            "--agent-image", help="image in which the agent works (default: by name)"
        )
        parser.add_argument(
            "--verifier-image", help="image that builds and checks (default: by name)"
        )

    def handle(
        self,
        *args: Any,
        version: str,
        folder: Path,
        with_hidden_checks: bool,
        agent_image: str | None,
        verifier_image: str | None,
        **options: Any,
    ) -> None:
        try:
            snapshot = snapshot_by_version(version)
            public = hidden_parts_are_public(snapshot)
            if not public and not with_hidden_checks:
                raise CommandError(
                    f"Checks and references of {snapshot} are not released, and tasks "
                    "of Harbor hold both. Say --with-hidden-checks for a copy that "
                    "only maintainers get."
                )
            images = default_images(snapshot)
            images = replace(
                images,
                agent=agent_image or images.agent,
                verifier=verifier_image or images.verifier,
            )
            digests = export_harbor(snapshot, folder, images=images)
            keep_digests(snapshot, digests)
        except (SnapshotLookupError, PackageNotHeldError, HarborExportError) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{snapshot}: {len(digests)} tasks written to {folder}.")
        self.stdout.write(f"Images: {images.agent} and {images.verifier}.")
        if not public:
            self.stdout.write(
                "The folder holds hidden checks and reference solutions. Do not "
                "publish it, and do not let an agent read it."
            )
