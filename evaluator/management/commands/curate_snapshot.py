"""What curators do on the pages, for those who prefer a terminal."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError

from evaluator import admission
from leaderboard.curation import (
    CurationError,
    SnapshotAct,
    approve,
    move,
    refuse,
    release_artifacts,
    task_states,
)
from leaderboard.models import EvaluationSnapshot, Task
from leaderboard.snapshots import snapshot_by_version

ACTS = ["show", "approve", "refuse", *SnapshotAct.values, "release"]


class Command(BaseCommand):
    help = (
        "Show what the tasks of a snapshot lack, approve or refuse one, and move the "
        "snapshot through its life: begin, return, open, freeze, supersede, release."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("version", help="version, such as demo-0.1 or demo")
        parser.add_argument("act", choices=ACTS, nargs="?", default="show")
        parser.add_argument("--task", default="", help="to approve or refuse")
        parser.add_argument("--by", default="", help="user name of the curator")
        parser.add_argument("--reason", default="")
        parser.add_argument("--successor", default="", help="version that supersedes")

    def handle(self, *args: Any, version: str, act: str, **options: Any) -> None:
        try:
            snapshot = snapshot_by_version(version)
            self._do(snapshot, act, **options)
        except (LookupError, CurationError) as error:
            raise CommandError(str(error)) from None
        self._show(snapshot)

    def _do(
        self,
        snapshot: EvaluationSnapshot,
        act: str,
        *,
        task: str,
        by: str,
        reason: str,
        successor: str,
        **options: Any,
    ) -> None:
        if act == "approve":
            approve(_task(snapshot, task), by=_curator(by), reason=reason)
        elif act == "refuse":
            refuse(_task(snapshot, task), by=_curator(by), reason=reason)
        elif act == "release":
            release_artifacts(snapshot, by=_somebody(by), reason=reason)
        elif act == SnapshotAct.BEGIN:
            admission.begin(snapshot, by=_somebody(by), reason=reason)
        elif act != "show":
            move(
                snapshot,
                SnapshotAct(act),
                by=_somebody(by),
                reason=reason,
                successor=successor,
            )

    def _show(self, snapshot: EvaluationSnapshot) -> None:
        scored, total = admission.proofs_running(snapshot)
        self.stdout.write(f"{snapshot} is {snapshot.status}.")
        self.stdout.write(f"Task runs of its proofs: {scored} of {total} scored.")
        for state in task_states(snapshot):
            lacks = state.missing()
            self.stdout.write(f"{state.task.slug}: {'; '.join(lacks) or 'admitted'}")


def _task(snapshot: EvaluationSnapshot, slug: str) -> Task:
    known = {task.slug: task for task in snapshot.tasks.all()}
    if slug not in known:
        names = ", ".join(known) or "none"
        raise CommandError(f"No task {slug!r} in {snapshot}. Known: {names}.")
    return known[slug]


def _curator(name: str) -> User:
    found = _somebody(name)
    if found is None:
        raise CommandError("Say who approves or refuses: --by USER.")
    return found


def _somebody(name: str) -> User | None:
    if not name:
        return None
    found = User.objects.filter(username=name, is_active=True, is_staff=True).first()
    if found is None:
        raise CommandError(f"No maintainer {name!r}. Curators are staff accounts.")
    return found
