"""Asks a model about the screens of an evaluation; what it says decides nothing."""

from __future__ import annotations

import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import BaseCommand, CommandError

from evaluator.judges.base import Judgement, Pair
from evaluator.judges.model import ModelJudge, spread_of
from evaluator.offers import endpoint_of
from evaluator.pipeline.visual import pair_of
from evaluator.toolchains.registry import ToolchainMissingError
from leaderboard.blobs import BlobMissingError, read_blob
from leaderboard.models import (
    Artifact,
    Evaluation,
    TaskResult,
    VisualOrigin,
    VisualScore,
)
from leaderboard.snapshots import PackageNotHeldError, task_folder
from leaderboard.snapshots.screens import screen_file

_SECONDS = 600.0


class Shown(NamedTuple):
    """One screen of a task run, with its reference."""

    result: TaskResult
    screen: str
    pair: Pair
    reference_sha256: str
    picture_sha256: str


class Command(BaseCommand):
    help = (
        "Ask a model of OHB_MODEL_PROVIDERS about the screens that the checks of an "
        "evaluation kept. Prompt and answers are stored; no rate and no rank moves."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("evaluation", type=int)
        parser.add_argument("--provider", required=True)
        parser.add_argument("--model", required=True)
        parser.add_argument(
            "--repeats", type=int, default=3, help="answers for each screen (3)"
        )
        parser.add_argument(
            "--calibrate",
            type=int,
            metavar="N",
            help="ask about the first N screens only, tell how far the answers lie "
            "apart, and store nothing",
        )

    def handle(
        self,
        *args: Any,
        evaluation: int,
        provider: str,
        model: str,
        repeats: int,
        calibrate: int | None,
        **options: Any,
    ) -> None:
        if repeats < 1 or (calibrate is not None and calibrate < 1):
            raise CommandError("--repeats and --calibrate begin at 1.")
        found = Evaluation.objects.filter(pk=evaluation).first()
        if found is None:
            raise CommandError(f"There is no evaluation {evaluation}.")
        try:
            judge = ModelJudge(endpoint_of(provider, model), repeats)
            shown = list(_shown(found))
        except (ToolchainMissingError, PackageNotHeldError, BlobMissingError) as error:
            raise CommandError(str(error)) from None
        if not shown:
            raise CommandError(f"Evaluation {evaluation} has no screens to judge.")
        judged = []
        for each in shown[:calibrate]:
            judgement = _judged(judge, each.pair)
            judged.append(judgement)
            if calibrate is None:
                _store(judge, each, judgement)
        spread = spread_of(judged)
        self.stdout.write(
            f"{judge.name} ({judge.version}): {spread.pairs} screens, "
            f"{spread.answers} answers, {spread.unanswered} screens without; the "
            f"answers on one screen lie {spread.largest / 10_000:.2f} points apart at "
            "most."
        )


def _shown(evaluation: Evaluation) -> Iterator[Shown]:
    """Every screen that was kept, in the order of runs and tasks."""
    results = TaskResult.objects.filter(run__evaluation=evaluation)
    for result in results.select_related("task__snapshot__benchmark", "run"):
        for screen in result.task.visual.get("screens", ()):
            names = [
                f"checks/screens/{screen['name']}.{end}" for end in ("png", "jpeg")
            ]
            picture = (
                Artifact.objects.kept()
                .filter(run=result.run, task=result.task, name__in=names)
                .first()
            )
            reference = screen_file(task_folder(result.task), screen["name"])
            if picture is None or reference is None:
                continue
            scored = result.visual_scores.filter(screen=screen["name"]).first()
            yield Shown(
                result=result,
                screen=screen["name"],
                pair=pair_of(screen, reference, read_blob(picture.sha256)),
                reference_sha256=scored.reference_sha256 if scored else "",
                picture_sha256=picture.sha256,
            )


def _judged(judge: ModelJudge, pair: Pair) -> Judgement:
    with tempfile.TemporaryDirectory(prefix="ohb-judge-") as folder:
        deadline = time.monotonic() + _SECONDS
        return judge.judge(pair, scratch=Path(folder), deadline=deadline)


def _store(judge: ModelJudge, shown: Shown, judgement: Judgement) -> None:
    VisualScore.objects.update_or_create(
        result=shown.result,
        screen=shown.screen,
        judge=judge.name,
        judge_version=judge.version,
        defaults={
            "origin": VisualOrigin.MODEL,
            "millionths": judgement.millionths,
            "reason": judgement.reason,
            "detail": dict(judgement.detail),
            "reference_sha256": shown.reference_sha256,
            "picture_sha256": shown.picture_sha256,
        },
    )
