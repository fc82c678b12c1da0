"""Prove the demo snapshot and have the sample bundles evaluated by the running worker.

What is there already is not done again, so every start of the demo runs this.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from io import StringIO
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from evaluator import queue
from evaluator.admission import admit
from evaluator.models import JobState
from leaderboard.models import SnapshotStatus
from leaderboard.snapshots import snapshot_by_version
from scripts.steps import ROOT, say
from submissions.models import Submission

PAUSE_SECONDS = 2.0


def prove_snapshot() -> None:
    """Have the worker run both baselines; then open the snapshot."""
    snapshot = snapshot_by_version("demo")
    if snapshot.status != SnapshotStatus.DRAFT:
        return
    say("Proving the demo snapshot: a no-op must fail and the reference must pass.")
    began = time.monotonic()
    lines: dict[str, Callable[[dict[str, int]], None]] = {}

    def show(name: str, counts: dict[str, int]) -> None:
        lines.setdefault(name, progress_line(name))(counts)

    # No slots here: the worker does it, and we watch.
    admission = admit(snapshot, slots=0, on_progress=show)
    if admission.faults:
        raise SystemExit(
            "\n".join(("The demo snapshot stays closed.", *admission.faults))
        )
    say(f"The demo snapshot is proved and open ({time.monotonic() - began:.0f} s).")


def progress_line(name: str) -> Callable[[dict[str, int]], None]:
    """Return a function that prints a line when another job is scored."""
    shown = -1

    def show(counts: dict[str, int]) -> None:
        nonlocal shown
        scored, total = counts[JobState.SCORED], sum(counts.values())
        if scored != shown:
            shown = scored
            say(f"{name}: {scored} of {total} task runs scored")

    return show


def bundles() -> list[Path]:
    """The folders of the sample bundles, in the order of their names."""
    folder = ROOT / "fixtures" / "bundles"
    return sorted(manifest.parent for manifest in folder.glob("*/manifest.json"))


def submit(bundle: Path) -> Submission:
    """Hand a sample in as the user demo would, unless that was done before."""
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    model = manifest["model"]["identifier"]
    for found in Submission.objects.filter(user__username="demo"):
        if found.manifest["model"]["identifier"] == model:
            return found
    printed = StringIO()
    call_command("submit", str(bundle), user="demo", stdout=printed)
    return Submission.objects.get(pk=printed.getvalue().split()[-1])


def watch(submissions: dict[str, Submission]) -> None:
    """Print the progress until nothing is queued or running any more."""
    began = time.monotonic()
    lines = {name: progress_line(name) for name in submissions}
    busy = any(each.undecided for each in submissions.values())
    while busy:
        busy = False
        for name, submission in submissions.items():
            counts = queue.counts(submission.evaluation)
            lines[name](counts)
            busy |= bool(counts[JobState.QUEUED] or counts[JobState.LEASED])
        if not busy:
            say(f"The samples are evaluated ({time.monotonic() - began:.0f} s).")
        time.sleep(PAUSE_SECONDS)


def main() -> None:
    prove_snapshot()
    submissions = {bundle.name: submit(bundle) for bundle in bundles()}
    for name, submission in submissions.items():
        say(f"{name}: {settings.PUBLIC_URL}{submission.get_absolute_url()}")
    watch(submissions)
