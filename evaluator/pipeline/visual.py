"""The visual judge after the checks: what it says is recorded and decides nothing."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evaluator.judges.base import Judgement, Pair, Region, VisualJudge
from evaluator.models import Job
from evaluator.pipeline.work import StageWork
from evaluator.sandbox import SandboxError
from leaderboard.models import TaskResult, VisualOrigin, VisualScore
from leaderboard.snapshots.screens import screen_file

logger = logging.getLogger(__name__)

NOT_KEPT = "the checks did not come to this screen"

_SECONDS_A_SCREEN = 30.0


def judged_screens(work: StageWork, files: Mapping[str, bytes]) -> dict[str, Any]:
    """Facts with a score for each screen of the task; none where it names no screen.

    ``files`` are those of the checks. A screen that they did not come to has 0, as
    a check that was never reached is failed.
    """
    judge = work.toolchain.judge
    if not work.task.visual or judge is None:
        return {}
    screens = [
        _judged(work, judge, screen, files) for screen in work.task.visual["screens"]
    ]
    return {
        "visual": {"judge": judge.name, "version": judge.version, "screens": screens}
    }


def visual_scores(job: Job, result: TaskResult) -> list[VisualScore]:
    """The rows of what was judged in a scored job, not saved yet."""
    visual = job.facts.get("visual")
    if not visual:
        return []
    return [
        VisualScore(
            result=result,
            screen=each["screen"],
            origin=VisualOrigin.MEASURED,
            judge=visual["judge"],
            judge_version=visual["version"],
            millionths=each["millionths"],
            reason=each["reason"],
            reference_sha256=each["reference"],
            picture_sha256=each["picture"],
            detail=each["detail"],
        )
        for each in visual["screens"]
    ]


def kept_picture(files: Mapping[str, bytes], name: str) -> bytes | None:
    """What the checks kept of the screen ``name``; by its name among the artifacts."""
    names = (f"checks/screens/{name}.{suffix}" for suffix in ("png", "jpeg"))
    return next((files[each] for each in names if each in files), None)


def pair_of(screen: Mapping[str, Any], reference: Path, picture: bytes) -> Pair:
    ignored = [Region(*each) for each in screen["ignored_px"]]
    return Pair(reference.read_bytes(), picture, ignored)


def _judged(
    work: StageWork,
    judge: VisualJudge,
    screen: Mapping[str, Any],
    files: Mapping[str, bytes],
) -> dict[str, Any]:
    name = screen["name"]
    reference = screen_file(work.package, name)
    picture = kept_picture(files, name)
    if reference is None:
        found = Judgement(None, "the package has no reference of this screen")
    elif picture is None:
        found = Judgement(0, NOT_KEPT)
    else:
        found = _asked(work, judge, name, pair_of(screen, reference, picture))
    return {
        "screen": name,
        "millionths": found.millionths,
        "reason": found.reason,
        "detail": dict(found.detail),
        "reference": _digest(reference.read_bytes() if reference else None),
        "picture": _digest(picture),
    }


def _asked(work: StageWork, judge: VisualJudge, name: str, pair: Pair) -> Judgement:
    """Trouble of the judge leaves the screen without a score, never the task run."""
    scratch = work.folder / f"visual-{name}"
    scratch.mkdir()
    deadline = time.monotonic() + _SECONDS_A_SCREEN
    try:
        return judge.judge(pair, scratch=scratch, deadline=deadline)
    except (SandboxError, OSError) as error:
        logger.exception("job %s: %s cannot judge %s", work.job.pk, judge.name, name)
        return Judgement(None, f"{judge.name}: {error}"[:500])


def _digest(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()
