"""Pages of evaluations, runs, task runs, tasks, and of the benchmark itself."""

from __future__ import annotations

import pytest
from django.db import DatabaseError, connection
from django.urls import reverse

from leaderboard.models import Evaluation, Visibility
from tests.factories import (
    EvaluationFactory,
    EvaluationSnapshotFactory,
    FPointFactory,
    RunFactory,
    SubmissionFactory,
    TaskFactory,
    TaskResultFactory,
)
from tests.leaderboard.evaluations import evaluated, stored


@pytest.fixture
def snapshot(db):
    return EvaluationSnapshotFactory(version="demo-0.1", task_count=2)


def html_of(client, path):
    response = client.get(path)
    assert response.status_code == 200
    return response.content.decode()


def status_of(client, path):
    response = client.get(path)
    if response.streaming:
        b"".join(response)  # A download holds its file open until it is read.
    return response.status_code


def test_an_evaluation_shows_scopes_runs_outcomes_and_stability(client, snapshot):
    evaluation = evaluated(snapshot, completed=((True, False), (True, True)))

    html = html_of(client, evaluation.get_absolute_url())

    assert "75.00 %" in html
    assert "[50.00–100.00]" in html
    assert "3 <small>/ 4</small>" in html
    assert "Behavior check failed" in html
    # One task was completed once, the other twice.
    assert "<span>0/2</span>" in html
    assert html.count("<span>1</span>") == 2
    assert "Runs in order: 50.00; 100.00" in html


def test_a_published_evaluation_says_that_artifacts_are_not_held(client, published):
    evaluation = Evaluation.objects.get(configuration__model="MiniMax-M3")

    html = html_of(client, evaluation.get_absolute_url())

    assert "Artifacts are not held" in html
    assert "no outcomes of single tasks" in html
    assert "the order of the runs was not published" in html
    assert '<td class="number">48.36</td>' in html
    assert "artifacts.zip" not in html


@pytest.mark.parametrize(
    "name", ["evaluation", "run", "task-run", "run-archive", "artifact"]
)
def test_private_evaluations_do_not_exist_for_others(
    client, snapshot, user, maintainer, name
):
    evaluation = evaluated(snapshot)
    evaluation.visibility = Visibility.PRIVATE
    evaluation.save()
    run, task = evaluation.runs.first(), snapshot.tasks.first()
    artifact = stored(run, task, "build.log", b"text")
    arguments = {
        "evaluation": [evaluation.pk],
        "run": [evaluation.pk, 1],
        "task-run": [evaluation.pk, 1, task.slug],
        "run-archive": [evaluation.pk, 1],
        "artifact": [artifact.pk],
    }
    path = reverse(name, args=arguments[name])

    assert status_of(client, path) == 404
    client.force_login(user)
    assert status_of(client, path) == 404
    SubmissionFactory(evaluation=evaluation, user=user)
    assert status_of(client, path) == 200
    client.force_login(maintainer)
    assert status_of(client, path) == 200


def test_an_unfinished_evaluation_shows_no_score(client, snapshot, maintainer):
    evaluation = EvaluationFactory(snapshot=snapshot)
    TaskResultFactory(run=RunFactory(evaluation=evaluation))
    client.force_login(maintainer)

    html = html_of(client, evaluation.get_absolute_url())
    run_html = html_of(client, evaluation.runs.get().get_absolute_url())

    assert "No figures yet" in html
    assert "not finished" in html
    assert "a part, not a score" in run_html


def test_a_run_lists_its_task_runs_and_filters_by_outcome(client, snapshot):
    evaluation = evaluated(snapshot, completed=((True, False),))
    done, failed = snapshot.tasks.all()
    path = evaluation.runs.get().get_absolute_url()

    everything = html_of(client, path)
    only_failed = html_of(client, f"{path}?outcome=check_failed")

    row = '<th scope="row" class="nowrap"><a href="{}">'
    for task in (done, failed):
        assert row.format(f"{path}tasks/{task.slug}/") in everything
    assert row.format(f"{path}tasks/{failed.slug}/") in only_failed
    assert row.format(f"{path}tasks/{done.slug}/") not in only_failed
    assert "40,000" in everything
    assert "90.0" in everything


def test_a_task_run_shows_verdicts_and_the_patch_without_hidden_characters(
    client, snapshot
):
    evaluation = evaluated(snapshot, completed=((False, False),))
    run, task = evaluation.runs.get(), snapshot.tasks.first()
    patch = "diff --git a/x b/x\n@@ -1 +1 @@\n-<old>\n+\u202enew\n"
    stored(run, task, "final.patch", patch.encode())
    stored(run, task, "build.log", b"\x1b[31mred\x1b[0m")
    path = run.results.first().get_absolute_url()

    html = html_of(client, path)
    log = html_of(client, f"{path}?file=build.log")

    assert '<span class="failed">failed</span>' in html
    assert "<td>-&lt;old&gt;</td>" in html
    assert "<td>+⟦U+202E⟧new</td>" in html
    assert "\u202e" not in html
    assert ">1</a>red\n" in log
    assert "\x1b" not in log


def test_what_tools_said_is_marked_as_english_on_a_chinese_page(client, snapshot):
    evaluation = evaluated(snapshot)
    result = evaluation.runs.first().results.first()
    result.detail = "FP-1: the entry is missing"
    result.save()

    html = html_of(client, f"/zh-hans{result.get_absolute_url()}")

    assert '<span lang="en">FP-1: the entry is missing</span>' in html


def test_the_task_list_counts_public_task_runs_without_baselines(client, snapshot):
    evaluated(snapshot, completed=((True, False), (True, True)))
    evaluated(snapshot, completed=((True, True), (True, True)), provenance="baseline")

    html = html_of(client, "/tasks/?snapshot=demo-0.1")

    assert "<span>2/2</span>" in html
    assert "<span>1/2</span>" in html


def test_the_task_list_filters_by_source_difficulty_kit_and_text(client, db):
    snapshot = EvaluationSnapshotFactory(task_count=0)
    TaskFactory(
        snapshot=snapshot, slug="pen", difficulty="hard", source="bug-fix", kits=["Pen"]
    )
    TaskFactory(snapshot=snapshot, slug="box", kits=["ArkUI"])

    for query in ("source=bug-fix", "difficulty=hard", "kit=pen", "q=PEN"):
        html = html_of(client, f"/tasks/?snapshot={snapshot.version}&{query}")
        assert "Title of pen" in html, query
        assert "Title of box" not in html, query


def test_v1_task_texts_are_said_not_to_be_public(client, published):
    html = html_of(client, "/tasks/")

    assert "not public here" in html
    assert "v1.0 has 153 tasks" in html
    assert html.count("Penkit") == 2
    assert "chat input bar" in html.lower()


def test_a_task_shows_statement_f_points_and_the_outcome_matrix(client, snapshot):
    task = snapshot.tasks.first()
    task.statement = "# Goal\n\nUse `List`, not <b>.\n\n- one\n- two\n"
    task.save()
    FPointFactory(task=task, description="The second line is shown.")
    evaluation = evaluated(snapshot, completed=((True, True), (False, True)))

    html = html_of(client, task.get_absolute_url())

    assert "<p>Use <code>List</code>, not &lt;b&gt;.</p>" in html
    assert "<ul><li>one</li><li>two</li></ul>" in html
    assert "The second line is shown." in html
    assert "1 of 2 task runs" in html
    for number in (1, 2):
        assert f"/e/{evaluation.pk}/runs/{number}/tasks/{task.slug}/" in html


def test_the_benchmark_page_shows_the_published_composition(client, published):
    html = html_of(client, "/benchmark/")

    for fact in ("29 of 39 Kits covered", "94.1", "139", "496.5–794.5", "37.9 %"):
        assert fact in html, fact


def test_the_benchmark_page_counts_held_tasks_where_nothing_is_published(
    client, snapshot
):
    TaskFactory(snapshot=snapshot, source="bug-fix", difficulty="hard", kits=["ArkUI"])

    html = html_of(client, "/benchmark/?snapshot=demo-0.1")

    assert "What demo-0.1 is made of" in html
    assert "ArkUI" in html


def test_an_unknown_snapshot_is_not_found_and_the_known_ones_are_named(
    client, published
):
    response = client.get("/tasks/?snapshot=nope")

    assert response.status_code == 404
    assert "Known: v1.0." in response.content.decode()


def test_the_methodology_works_an_example(client, db):
    html = html_of(client, "/methodology/")

    assert "268 / 459 = 58.39 %" in html


def test_healthz_answers_for_the_database(client, db, monkeypatch):
    assert client.get("/healthz").json()["status"] == "ok"

    def broken(*_args, **_kwargs):
        raise DatabaseError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(connection, "cursor", broken)
        response = client.get("/healthz")

    assert response.status_code == 503
    assert response.json() == {"status": "unavailable", "database": "error"}


def test_error_pages_keep_the_language_and_lead_back(client, db):
    english, chinese = client.get("/nope/"), client.get("/zh-hans/nope/")

    assert english.status_code == chinese.status_code == 404
    assert "Page not found" in english.content.decode()
    assert "页面不存在" in chinese.content.decode()
    assert 'href="/zh-hans/"' in chinese.content.decode()
    for path in ("/nope/", "/e/999/", "/e/999/runs/1/", "/artifacts/999/"):
        html = client.get(path).content.decode()
        assert "It may be mistyped" in html
        assert "Resolver404" not in html
        assert "given query" not in html


def test_a_broken_page_answers_without_needing_anything(client, db, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("a bug")

    monkeypatch.setattr("leaderboard.views.standings.snapshots_with_tables", broken)
    client.raise_request_exception = False

    response = client.get("/")

    assert response.status_code == 500
    assert "Something broke here" in response.content.decode()


def test_signing_in_names_its_errors_and_signing_out_works(client, user):
    failed = client.post("/login/", {"login": user.username, "password": "wrong"})
    assert "Signing in failed" in failed.content.decode()
    assert 'aria-invalid="true"' in failed.content.decode()

    client.force_login(user)
    assert "Sign out" in html_of(client, "/methodology/")
    assert client.post("/logout/").status_code == 302


@pytest.mark.parametrize(
    ("reason", "shown"),
    [("build_failed", "final-build.log"), ("check_failed", "final.patch")],
)
def test_a_task_run_opens_with_the_file_that_explains_its_outcome(
    client, snapshot, reason, shown
):
    evaluation = evaluated(snapshot, completed=((False, False),))
    run, task = evaluation.runs.get(), snapshot.tasks.first()
    run.results.filter(task=task).update(reason=reason)
    for name in ("app.hap", "final-build.log", "final.patch", "first-build.log"):
        stored(run, task, name, b"content")

    html = html_of(client, run.results.first().get_absolute_url())

    assert f'<h2 id="viewer-heading">{shown}</h2>' in html
    assert "?file=app.hap" not in html


def task_run_with(snapshot, name, content):
    evaluation = evaluated(snapshot)
    run, task = evaluation.runs.first(), snapshot.tasks.first()
    stored(run, task, name, content)
    return f"{run.get_absolute_url()}tasks/{task.slug}/"


def test_a_log_is_shown_in_pages_whose_lines_have_addresses(client, snapshot):
    content = b"".join(b"\x1b[32mstep %d\x1b[0m\n" % n for n in range(1, 4_502))
    path = task_run_with(snapshot, "build.log", content)

    first = html_of(client, path)
    third = html_of(client, f"{path}?file=build.log&page=3")

    assert 'id="L120"' in first
    assert 'id="L2001"' not in first
    assert "step 2000" in first
    assert "\x1b" not in first
    assert "page=3#viewer" in first
    assert "Raw file" in first
    assert "2001–4000" in first
    assert 'id="L4501"' in third
    assert "step 4000\n" not in third


def test_a_line_of_a_log_can_be_asked_for(client, snapshot):
    path = task_run_with(snapshot, "build.log", b"text\n" * 4_500)

    asked = client.get(f"{path}?file=build.log&line=4100")
    beyond = html_of(client, f"{path}?file=build.log&page=99")
    odd = html_of(client, f"{path}?file=build.log&line=%C2%B2&page=-1")

    assert asked.status_code == 302
    assert asked["Location"] == f"{path}?file=build.log&page=3#L4100"
    assert 'id="L4100"' in html_of(client, asked["Location"])
    assert 'id="L4500"' in beyond
    assert 'id="L1"' in odd


def test_a_patch_is_shown_by_file_with_numbers_and_signs(client, snapshot):
    long_file = "".join(f"+line {n}\n" for n in range(300))
    patch = (
        "diff --git a/a.ets b/a.ets\n--- a/a.ets\n+++ b/a.ets\n@@ -8,2 +8,2 @@\n"
        " <b>same</b>\n-old\n+new\n"
        f"diff --git a/long.ets b/long.ets\n@@ -0,0 +1,300 @@\n{long_file}"
    )

    html = html_of(client, task_run_with(snapshot, "final.patch", patch.encode()))

    assert '<tr class="diff-delete"><td>9</td><td></td><td>-old</td></tr>' in html
    added = '<tr class="diff-add" id="d1-9"><td></td><td>9</td><td>+new</td></tr>'
    assert added in html
    assert " &lt;b&gt;same&lt;/b&gt;" in html
    assert html.count('<details class="diff-file" open>') == 1
    assert html.count('<details class="diff-file">') == 1
    assert "2 files" in html
