"""The page of a trajectory: steps, marks of signals, and what stays hidden."""

from __future__ import annotations

import json
import re

import pytest
from django.urls import reverse

from evaluator.toolchains.hidden_lines import MARK
from leaderboard.models import Visibility
from leaderboard.snapshots import import_package
from submissions.integrity.places import PAGE_STEPS, trajectory_url
from submissions.integrity.sight import Sight
from submissions.integrity.verdicts import judge
from submissions.trajectories import page as pages
from submissions.trajectories.spans import pieces_of, spans_of
from tests.factories import IntegritySignalFactory, UserFactory
from tests.leaderboard.evaluations import stored
from tests.leaderboard.packages import write_package
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db


def line(command: str, output: str = "ok") -> bytes:
    call = {"tool": "bash", "state": {"input": {"command": command}, "output": output}}
    return json.dumps({"type": "tool_use", "part": call}).encode() + b"\n"


@pytest.fixture
def place(submission):
    """A public evaluation whose first task run has a trajectory of 60 steps."""
    fail_all(submission)
    evaluation = submission.evaluation
    evaluation.visibility = Visibility.PUBLIC
    evaluation.save()
    run, task = evaluation.runs.first(), submission.snapshot.tasks.first()
    run.artifacts.filter(task=task, name__startswith="submitted/traj").delete()
    lines = [line(f"ls -{number}") for number in range(60)]
    lines[29] = line(
        "cat x\n  git   log --all\n-16", "<script>alert(1)</script>\x1b[2J"
    )
    lines[30] = b"no JSON\n"
    kept = stored(run, task, "submitted/trajectory.jsonl", b"".join(lines))
    kept.kind = "trajectory"
    kept.save()
    return submission, trajectory_url(evaluation.pk, run.number, task.slug)


@pytest.fixture
def signal(place):
    submission, _ = place
    return IntegritySignalFactory(
        submission=submission, position=30, seen="git log --all -16"
    )


def test_a_step_has_an_address_on_its_page(place, client):
    _, url = place

    assert client.get(url, {"step": "30"})["Location"].endswith("?page=2#step-30")
    html = client.get(url, {"page": "2"}).content.decode()

    numbers = re.findall(r'<li class="step[^"]*" id="step-(\d+)"', html)
    assert numbers == [str(n) for n in range(PAGE_STEPS + 1, 2 * PAGE_STEPS + 1)]
    assert "This record cannot be read" in html
    assert "Tokens and time are gross use" in html
    assert "<script>alert" not in html and "&lt;script&gt;alert" in html
    assert "\x1b" not in html
    assert "51–60" in client.get(url, {"page": "9"}).content.decode()
    assert client.get(url, {"page": "x" * 50}).status_code == 200


def test_the_place_of_a_signal_is_marked_for_those_who_may_know(
    signal, place, client, maintainer
):
    submission, url = place
    address = f"{reverse('evaluation-audit', args=[submission.evaluation_id])}#signal"
    ask = f"{url}?page=2"
    assert "<mark>" not in client.get(ask).content.decode()

    client.force_login(maintainer)
    html = client.get(ask).content.decode()
    assert "<mark>git   log --all\n-16</mark>" in html
    assert f'href="{address}-{signal.pk}"' in html
    audit = client.get(address).content.decode()
    assert f'href="{ask}#step-30"' in audit
    assert f'id="signal-{signal.pk}"' in audit

    judge(signal, by=maintainer, decision="confirmed", reason="internal words")
    client.logout()
    html = client.get(ask).content.decode()
    assert "<mark>" in html
    assert "internal words" not in html


def test_it_is_linked_from_its_task_run_and_costs_the_same_with_many_signals(
    signal, place, client, maintainer, django_assert_num_queries
):
    submission, url = place
    task_run = url.removesuffix("trajectory/")
    assert f'href="{url}"' in client.get(task_run).content.decode()
    client.force_login(maintainer)
    with django_assert_num_queries(6):
        client.get(url)
    for number in range(5):
        IntegritySignalFactory(submission=submission, position=number + 1)

    with django_assert_num_queries(6):
        client.get(url)


def test_what_is_not_public_or_not_there_has_no_page(place, client, user):
    submission, url = place
    assert client.get(url.replace("runs/1", "runs/9")).status_code == 404
    submission.evaluation.visibility = Visibility.PRIVATE
    submission.evaluation.save()

    client.force_login(UserFactory())
    assert client.get(url).status_code == 404
    client.force_login(user)
    assert client.get(url).status_code == 200
    submission.evaluation.runs.first().artifacts.all().delete()
    assert client.get(url).status_code == 404


def test_lines_of_hidden_checks_stay_hidden_from_all_but_maintainers(
    tmp_path, settings
):
    settings.DATA_DIR = tmp_path / "data"
    package = write_package(tmp_path / "package", "alpha")
    (script,) = (package / "tasks" / "alpha" / "checks").glob("*.py")
    secret = max(
        (each.strip() for each in script.read_text().splitlines() if "(" in each),
        key=len,
    )
    task = import_package(package).snapshot.tasks.get()

    text = f"before\n    {secret}\nafter"
    assert pages._hide(task, Sight.PUBLIC)(text) == f"before\n    {MARK}\nafter"
    assert pages._hide(task, Sight.TEAM)(text).count(MARK) == 1
    assert pages._hide(task, Sight.ALL)(text) == text


@pytest.mark.parametrize(
    ("text", "seen", "marked"),
    [
        ("cat ../x; ls", "bash: ../x", "../x"),
        ("a b\n\tc  d", "… b c …", "b\n\tc"),
        ("x\u202ey", "x⟦U+202E⟧y", "x\u202ey"),
        ("nothing of it", "git log", ""),
        ("ab", "a", ""),
    ],
)
def test_what_a_signal_quotes_is_found_again(text, seen, marked):
    spans = spans_of(text, [(7, seen)])

    assert "".join(text[each.begin : each.end] for each in spans) == marked


def test_a_long_text_is_cut_around_what_is_marked():
    text = "\n".join(f"line {number}" for number in range(5000))
    spans = spans_of(text, [(7, "line 4000"), (8, "line 10")])

    pieces = pieces_of(text, spans, hide=str)

    assert [piece.text for piece in pieces if piece.signal] == ["line 10", "line 4000"]
    assert [piece.is_gap for piece in pieces].count(True) == 2
    assert sum(len(piece.text) for piece in pieces) < 8000
    assert "line 3999\n" in pieces[-4].text + pieces[-3].text
