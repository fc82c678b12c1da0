"""Prove the demo snapshot and have the sample bundles evaluated by the running worker.

One of them is reviewed and published then, so that the whole way can be looked at.

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
from evaluator.offers import known_offers
from leaderboard.models import UNLISTED
from leaderboard.snapshots import snapshot_by_version
from scripts.demo_data import SNAPSHOT_FOLDER
from scripts.demo_review import review
from scripts.steps import ROOT, say
from submissions.acceptance import offer_of
from submissions.manifest import parse_manifest
from submissions.models import Submission

PAUSE_SECONDS = 2.0


def demo_version() -> str:
    """The version of the demo in this repository; earlier ones may be there too."""
    facts = json.loads((SNAPSHOT_FOLDER / "snapshot.json").read_text("utf-8"))
    return str(facts["version"])


def prove_snapshot() -> None:
    """Have the worker run every baseline; then open the snapshot."""
    snapshot = snapshot_by_version(demo_version())
    if snapshot.status not in UNLISTED:
        return
    say(
        f"Proving the {snapshot.tasks.count()} tasks of {snapshot.version}: a no-op "
        "must fail, the reference pass twice, each wrong patch fail."
    )
    say("This is done once and takes some minutes; look around in the meantime.")
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


def can_be_run(bundle: Path) -> bool:
    """Whether the agent that a sample asks for is installed; most ask for none."""
    manifest = parse_manifest((bundle / "manifest.json").read_bytes())
    offer = offer_of(manifest)
    if manifest.mode != "configuration" or offer in known_offers():
        return True
    say(f"{bundle.name}: left out, since no worker here runs {offer}.")
    return False


def submit(bundle: Path) -> Submission:
    """Hand a sample in as the user demo would, unless that was done before."""
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    wanted = manifest["benchmark_version"], manifest["model"]["identifier"]
    for found in Submission.objects.filter(user__username="demo"):
        told = found.manifest
        if (told["benchmark_version"], told["model"]["identifier"]) == wanted:
            return found
    printed = StringIO()
    call_command("submit", str(bundle), user="demo", stdout=printed)
    return Submission.objects.get(pk=printed.getvalue().split()[-1])


def watch(submissions: dict[str, Submission]) -> None:
    """Print the progress of one after the other until each is evaluated, and review it.

    The queue takes them in the order in which they came, so the first has its result
    while the others still wait; all of them can be looked at from the beginning.
    """
    undecided = {name: each for name, each in submissions.items() if each.undecided}
    for place, (name, submission) in enumerate(undecided.items(), start=1):
        began = time.monotonic()
        show = progress_line(name)
        while True:
            counts = queue.counts(submission.evaluation)
            show(counts)
            if not (counts[JobState.QUEUED] or counts[JobState.LEASED]):
                break
            time.sleep(PAUSE_SECONDS)
        left = len(undecided) - place
        more = f"; {left} more to go, in the background" if left else ""
        say(f"{name} is evaluated ({time.monotonic() - began:.0f} s){more}.")
        review(name, submission)


def review_the_rest(submissions: dict[str, Submission]) -> None:
    """An earlier start may have ended after an evaluation and before its review."""
    for name, submission in submissions.items():
        if not submission.undecided:
            review(name, submission)


def main() -> None:
    prove_snapshot()
    wanted = filter(can_be_run, bundles())
    submissions = {bundle.name: submit(bundle) for bundle in wanted}
    for name, submission in submissions.items():
        say(f"{name}: {settings.PUBLIC_URL}{submission.get_absolute_url()}")
    review_the_rest(submissions)
    watch(submissions)
