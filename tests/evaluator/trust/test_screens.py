"""Screens that checks kept: judged, recorded, shown, without a say in the outcome."""

from __future__ import annotations

from fractions import Fraction

import pytest
from django.core.management import CommandError, call_command

from evaluator.agents.scripted import ScriptedEndpoint
from evaluator.judges.base import Judgement, Pair
from evaluator.management.commands import judge_screens
from evaluator.sandbox import SandboxError
from evaluator.toolchains.base import CheckOutcome, ChecksOutcome, Toolchain
from leaderboard.models import TaskResult, VisualScore
from leaderboard.progress import progress_of
from leaderboard.snapshots import PackageError, import_package, read_package
from leaderboard.visual import opinions
from tests.demo import demo_package
from tests.evaluator.trust.bench import TASK, Bench, patch_of
from tests.evaluator.trust.toolchains import FakeBuilder, FakeChecks, FakeDevices
from tests.leaderboard.packages import edit_json

PNG = b"\x89PNG\r\n\x1a\n"
VISUAL = {
    "weight": 4,
    "screens": [
        {"name": "home", "ignored_px": [[0, 0, 100, 20]]},
        {"name": "tray"},
    ],
}


class FakeJudge:
    """Says what it was told to, and notes what it was asked."""

    name, version = "fake", "7"

    def __init__(self, said: Judgement | Exception) -> None:
        self._said = said
        self.asked: list[Pair] = []

    def judge(self, pair: Pair, **_) -> Judgement:
        self.asked.append(pair)
        if isinstance(self._said, Exception):
            raise self._said
        return self._said


@pytest.fixture
def package(tmp_path):
    folder = demo_package(tmp_path / "package", [TASK])
    # The approvals are of the task without screens.
    (folder / "curation.json").unlink()
    task = folder / "tasks" / TASK
    edit_json(task / "task.json", visual=VISUAL)
    (task / "screens").mkdir()
    (task / "screens" / "home.png").write_bytes(PNG + b"home")
    (task / "screens" / "tray.jpeg").write_bytes(b"\xff\xd8\xff tray")
    return folder


@pytest.fixture
def scored(db, plug, package):
    """A job of the package, whose checks pass and keep the first screen."""

    def run(judge: FakeJudge) -> TaskResult:
        bench = Bench(import_package(package).snapshot)
        plug.append(
            Toolchain(FakeBuilder(), FakeDevices(), FakeChecks(act=checks), judge=judge)
        )
        base = bench.package() / "base"
        job = bench.finish(bench.start(patch_of(base, {"entry/a.ets": "// new\n"})))
        return TaskResult.objects.get(run=job.run_id, task=job.task_id)

    def checks(scratch, suite):
        outcomes = tuple(CheckOutcome(each.f_point, True) for each in suite.expected)
        return ChecksOutcome(outcomes, files={"checks/screens/home.png": PNG + b"app"})

    return run


def test_scores_are_a_dimension_and_leave_completion_alone(scored, client):
    judge = FakeJudge(Judgement(500_000, "", {"blocks": 9}))

    result = scored(judge)

    (pair,) = judge.asked
    assert (pair.reference, pair.picture) == (PNG + b"home", PNG + b"app")
    assert list(pair.ignored) == [(0, 0, 100, 20)]
    home, tray = result.visual_scores.all()
    assert (home.millionths, home.judge, home.judge_version) == (500_000, "fake", "7")
    assert (home.origin, home.detail) == ("measured", {"blocks": 9})
    assert (tray.millionths, "did not come" in tray.reason) == (0, True)
    assert result.completed

    found = progress_of(result.run.evaluation)
    assert found is not None
    _, visual = found.scopes[0].dimensions
    assert (visual.dimension, visual.score.mean) == ("visual", Fraction(1, 4))
    # Four F-points that passed weigh as much as the screens.
    assert found.scopes[0].rate.mean == Fraction(5, 8)

    type(result.run.evaluation).objects.update(visibility="public")
    html = client.get(result.get_absolute_url()).content.decode()
    assert "fake 7" in html and "50.00" in html
    html = client.get(result.run.evaluation.get_absolute_url()).content.decode()
    assert "By dimension" in html and ">25.00 " in html


def test_a_judge_in_trouble_leaves_no_score_and_says_so(scored, client):
    result = scored(FakeJudge(SandboxError("no walls")))

    assert result.completed
    home = result.visual_scores.get(screen="home")
    assert (home.millionths, home.reason) == (None, "fake: no walls")
    found = progress_of(result.run.evaluation)
    assert found is not None
    assert found.scopes[0].rate.mean == 1
    assert [each.unjudged for each in found.task_runs] == [True]


def test_a_model_may_be_asked_and_enters_no_rate(scored, monkeypatch, capsys):
    result = scored(FakeJudge(Judgement(500_000, "")))
    evaluation = result.run.evaluation
    before = progress_of(evaluation)
    words = [str(evaluation.pk), "--provider", "P", "--model", "scripted-judge"]
    with pytest.raises(CommandError, match="OHB_MODEL_PROVIDERS has no"):
        call_command("judge_screens", *words)

    class Model(ScriptedEndpoint):
        def ask(self, body):
            answer = super().ask(body)
            text = b'{"choices": [{"message": {"content": "{\\"score\\": 0.75}"}}]}'
            return type(answer)(200, {}, iter([text]))

    monkeypatch.setattr(
        judge_screens, "endpoint_of", lambda *_: Model("scripted-judge", [])
    )
    call_command("judge_screens", *words, "--calibrate", "1")
    assert not VisualScore.objects.filter(origin="model").exists()
    call_command("judge_screens", *words)
    call_command("judge_screens", *words)

    assert "0.00 points apart" in capsys.readouterr().out
    score = VisualScore.objects.get(origin="model")
    assert (score.screen, score.millionths) == ("home", 750_000)
    assert len(score.detail["answers"]) == 3
    assert [each.mean for each in opinions(evaluation)] == [Fraction(3, 4)]
    assert progress_of(evaluation) == before


@pytest.mark.parametrize(
    ("act", "saw"),
    [
        (lambda task: (task / "screens" / "home.png").unlink(), "no screens/home.png"),
        (
            lambda task: (task / "screens" / "more.png").write_bytes(PNG),
            "a file that no screen names",
        ),
        (lambda task: (task / "screens" / "home.png").write_text("x"), "no PNG"),
        (
            lambda task: edit_json(
                task / "task.json",
                visual={"screens": [{"name": "home"}, {"name": "home"}]},
            ),
            "'home' twice",
        ),
    ],
)
def test_references_and_screens_have_to_fit(package, act, saw):
    act(package / "tasks" / TASK)

    with pytest.raises(PackageError) as caught:
        read_package(package)

    assert saw in str([each.saw for each in caught.value.faults])
