"""The command `ohbench`: against a real server, and against one that misbehaves."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from leaderboard.blobs import store_file
from leaderboard.models import Artifact, SnapshotStatus
from submissions.cli.errors import ExitCode
from submissions.cli.facts import read_facts, write_facts
from submissions.cli.standing import roughly
from submissions.models import Scope, Submission
from tests.factories import TeamFactory, UserFactory
from tests.submissions.bundles import files_for, make_snapshot, write_archive
from tests.submissions.corpus.contents import FACTS, files
from tests.submissions.jobs import fail_all
from tests.submissions.ohbench import Answer, serving
from tests.tokens import token_for

ROOT = Path(__file__).parents[2]
COMMANDS = (
    *("convert", "download", "facts", "manifest", "status", "submit", "validate"),
    "watch",
)
WITHOUT_DJANGO = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"django", "rest_framework", "celery", "knox"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
from submissions.cli import main
sys.exit(main(sys.argv[1:]))
"""
LATER = "2026-11-30T08:00:20Z"
UUID = "0d7b4f3e-0000-4000-8000-000000000000"


def without_django(*arguments: object) -> subprocess.CompletedProcess[str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DJANGO_", "OHB_", "DATABASE_"))
    }
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_DJANGO, *map(str, arguments)],
        cwd=ROOT,
        env=kept,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bundle(tmp_path) -> Path:
    """The sound bundle of the corpus, as an archive."""
    return write_archive(tmp_path, files())


@pytest.fixture
def facts_file(tmp_path) -> Path:
    write_facts(FACTS, tmp_path / "facts.json")
    return tmp_path / "facts.json"


@pytest.fixture
def online(committed_db, live_server, user, ohbench, settings):
    """Runs the command against a real server, with a token of ``user``."""
    settings.PUBLIC_URL = live_server.url
    token = token_for(user)

    def run(*arguments, **environment):
        return ohbench(
            *arguments,
            **{"OHB_SERVER": live_server.url, "OHB_TOKEN": token, **environment},
        )

    return run


# Without a server


def test_the_facts_of_a_snapshot_survive_their_file(tmp_path):
    asking = replace(FACTS, asks_for_trajectories=True)

    write_facts(asking, tmp_path / "facts.json")

    assert read_facts(tmp_path / "facts.json") == asking


def test_the_command_works_without_django(bundle, facts_file):
    ended = without_django("validate", bundle, "--facts", facts_file)

    assert ended.returncode == 0, ended.stderr
    assert "no errors and no warnings" in ended.stdout


def test_every_command_explains_itself(ohbench):
    ended = ohbench("--help")

    assert ended.code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in ended.out
        assert ohbench(name, "--help").code == 0


def test_the_console_script_is_the_same_command():
    script = Path(sys.executable).parent / "ohbench"
    if not script.exists():
        pytest.skip("the project is not installed into this environment anew")

    said = subprocess.run([script, "--version"], capture_output=True, text=True)

    assert said.returncode == 0
    assert said.stdout.startswith("ohbench, version ")


def test_the_document_names_commands_and_codes_as_they_are(ohbench):
    text = (ROOT / "docs" / "submitting.md").read_text("utf-8")
    table = text.split("## Exit codes")[1]
    told = dict(re.findall(r"(?m)^\| ([0-9]+) \| (.+) \|$", table))
    shown = re.findall(r"(?m)^    ([0-9]+)  (.+)$", ohbench("--help").out)

    assert set(re.findall(r"\bohbench ([a-z]+)", text)) <= set(COMMANDS)
    assert {int(code) for code in told} == {code.value for code in ExitCode}
    assert told == dict(shown)


def test_errors_are_told_in_one_go_and_end_with_1(ohbench, tmp_path, facts_file):
    changed = files()
    del changed["runs/1/alpha-task/final.patch"]
    changed["runs/2/beta-task/usage.json"] = b'{"total_tokens": -1}'

    ended = ohbench("validate", write_archive(tmp_path, changed), "--facts", facts_file)

    assert ended.code == 1
    assert "error  runs/1  [task-run-missing]" in ended.err
    assert "saw: -1" in ended.err
    assert "2 errors and no warnings" in ended.out


def test_a_folder_is_checked_like_an_archive(ohbench, tmp_path, facts_file):
    for name, data in files().items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    assert ohbench("validate", tmp_path / "folder", "--facts", facts_file).code == 0
    (tmp_path / "folder" / "notes.txt").write_text("foreign")
    (tmp_path / "folder" / "runs/1/alpha-task/final.patch").unlink()
    ended = ohbench("validate", tmp_path / "folder", "--facts", facts_file)
    assert ended.code == 1
    assert "[member-name]" in ended.err
    assert "[task-run-missing]" in ended.err


def test_a_report_may_be_had_as_json(ohbench, tmp_path, facts_file):
    changed = {**files(), "notes.txt": b"foreign"}
    archive = write_archive(tmp_path, changed)

    ended = ohbench("validate", archive, "--facts", facts_file, "--json")

    assert ended.code == 1
    report = json.loads(ended.out)
    assert report["ok"] is False
    assert [each["code"] for each in report["errors"]] == ["member-name"]
    assert report["warnings"] == []


def test_what_stands_in_an_upload_cannot_steer_the_terminal(
    ohbench, tmp_path, facts_file
):
    changed = {**files(), "runs/1/[red]\x1b[2J": b""}

    ended = ohbench("validate", write_archive(tmp_path, changed), "--facts", facts_file)

    assert "\x1b" not in ended.err
    assert "[red]\\x1b[2J" in ended.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["validate"], "Missing argument"),
        (["validate", "/nowhere"], "does not exist"),
        (["nonsense"], "No such command"),
        (["validate", "{bundle}"], "No server is named"),
        (["validate", "{bundle}", "--server", "ftp://x"], "no address of a server"),
        (["validate", "{bundle}", "--server", "http://x:y"], "no address of a server"),
        (["validate", "{bundle}", "--server", "http://u:p@x"], "Leave user and"),
        (["validate", "{bundle}", "--facts", "{bundle}", "--remote"], "not both"),
        (["validate", "{bundle}", "--facts", "{bundle}"], "bundle.zip"),
        (["status", "nonsense", "--server", "http://x"], "is no submission"),
        (["download", "1"], "Missing option '--out'"),
    ],
)
def test_wrong_usage_is_told_and_ends_with_2(ohbench, bundle, arguments, message):
    ended = ohbench(*(each.format(bundle=bundle) for each in arguments), OHB_TOKEN="t")

    assert ended.code == 2
    assert message in ended.err


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"format": 2}',
        '{"format": 1, "benchmark": 5}',
        "null",
    ],
)
def test_a_file_without_facts_is_refused(ohbench, bundle, tmp_path, text):
    (tmp_path / "f.json").write_text(text)

    ended = ohbench("validate", bundle, "--facts", tmp_path / "f.json")

    assert ended.code == 2
    assert "does not hold the facts of a snapshot" in ended.err


# Settings


def settings_file(tmp_path, text, mode=0o600):
    path = tmp_path / "config" / "ohbench" / "config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def test_server_and_token_may_stand_in_a_file(ohbench, tmp_path):
    with serving(Answer(200, {"state": "x"})) as (url, asked):
        settings_file(tmp_path, f'server = "{url}/"\ntoken = "secret-of-mine"\n')

        ohbench("status", UUID, "--json")

    assert asked[0]["path"] == f"/api/v1/submissions/{UUID}/"
    assert asked[0]["headers"]["Authorization"] == "Token secret-of-mine"


def test_the_environment_wins_over_the_file_and_an_option_over_both(ohbench, tmp_path):
    settings_file(tmp_path, 'server = "http://127.0.0.1:1"\ntoken = "a"\n')
    with serving(Answer(200, {})) as (url, asked):
        ohbench("status", UUID, "--json", OHB_SERVER=url, OHB_TOKEN="b")
        ohbench(
            "status", UUID, "--json", "--server", url, OHB_SERVER="http://127.0.0.1:2"
        )

    assert [each["headers"]["Authorization"] for each in asked] == ["Token b"] * 2


@pytest.mark.parametrize(
    ("text", "mode", "message"),
    [
        ("server = ", 0o600, "no valid TOML"),
        ('sever = "x"', 0o600, "unknown key 'sever'"),
        ("server = 5", 0o600, "must be a string"),
        ('token = "secret-of-mine"', 0o644, "chmod 600"),
    ],
)
def test_a_wrong_settings_file_is_told(ohbench, tmp_path, text, mode, message):
    settings_file(tmp_path, text, mode)

    ended = ohbench("status", UUID)

    assert ended.code == 2
    assert message in ended.err
    assert "secret-of-mine" not in ended.err


def test_a_token_with_a_line_break_is_told_without_showing_it(ohbench):
    ended = ohbench("status", UUID, OHB_SERVER="http://x", OHB_TOKEN="secret\n")

    assert ended.code == 2
    assert "secret" not in ended.err


# A server that misbehaves


@pytest.mark.parametrize(
    ("answer", "code", "message"),
    [
        (Answer(401, {"detail": "Invalid token."}), 4, "does not accept the token"),
        (Answer(403, {"detail": "No scope."}), 4, "may not do this: No scope."),
        (Answer(404, {"detail": "You have no such submission."}), 5, "no such subm"),
        (Answer(404, b"<html>"), 3, "did not answer as this API does"),
        (Answer(409, {"detail": "Not now."}), 6, "Not now."),
        (Answer(429, {"detail": "Too fast."}), 6, "Too fast."),
        (Answer(500, {"detail": "Trouble."}), 3, "has trouble: Trouble."),
        (Answer(502, b"<html>"), 3, "HTTP 502"),
        (Answer(200, b"<html>"), 3, "did not answer as this API does"),
        (Answer(200, [1]), 3, "did not answer as this API does"),
        (Answer(302, b"", (("Location", "https://evil.example/"),)), 3, "evil.example"),
        (None, 3, "broke"),
    ],
)
def test_each_failure_has_its_code_and_never_shows_the_token(
    ohbench, answer, code, message
):
    with serving(answer) as (url, _asked):
        ended = ohbench("status", UUID, OHB_SERVER=url, OHB_TOKEN="secret-of-mine")

    assert ended.code == code
    assert message in ended.err
    assert "secret-of-mine" not in ended.err + ended.out


def test_no_answer_at_all_is_told(ohbench):
    ended = ohbench("status", UUID, OHB_SERVER="http://127.0.0.1:1", OHB_TOKEN="t")

    assert ended.code == 3
    assert "No connection to http://127.0.0.1:1" in ended.err


def test_a_token_is_asked_for_where_one_is_needed(ohbench, bundle):
    ended = ohbench("submit", bundle, "--server", "http://127.0.0.1:1")

    assert ended.code == 4
    assert "/account/tokens/" in ended.err


def test_a_redirect_does_not_get_the_token(ohbench):
    with serving(Answer(200, {})) as (other, asked):
        away = Answer(302, b"", (("Location", f"{other}/api/"),))
        with serving(away) as (url, _asked):
            ohbench("status", UUID, OHB_SERVER=url, OHB_TOKEN="t")

    assert asked == []


def test_an_open_line_is_warned_of(ohbench):
    ended = ohbench("status", UUID, OHB_SERVER="http://host.invalid", OHB_TOKEN="t")

    assert "not encrypted" in ended.err


NOTHING_YET = Answer(200, {"results": []})
BEGUN = Answer(201, {"id": UUID})


def whole(bundle):
    """The answer to a part that was the last one."""
    return Answer(200, {}, (("Upload-Offset", str(bundle.stat().st_size)),))


def submitted(ohbench, bundle, *answers):
    with serving(*answers) as (url, asked):
        ended = ohbench("submit", bundle, "--no-check", OHB_SERVER=url, OHB_TOKEN="t")
    return ended, asked


def test_an_answer_that_is_lost_is_asked_for_again_under_its_key(ohbench, bundle):
    accepted = Answer(201, {"id": UUID, "url": "u", "snapshot": "1.10"})

    ended, asked = submitted(
        ohbench,
        bundle,
        *(NOTHING_YET, BEGUN, whole(bundle), None, Answer(502, b""), accepted),
    )

    assert ended.code == 0, ended.err
    assert ended.out.split()[-1] == UUID
    assert asked[2]["body"] == bundle.read_bytes()
    keys = {each["headers"]["Idempotency-Key"] for each in asked[3:]}
    assert len(asked) == 6
    assert len(keys) == 1


def test_an_upload_that_breaks_goes_on_where_it_stopped(ohbench, bundle):
    half = Answer(200, {}, (("Upload-Offset", "100"),))
    accepted = Answer(201, {"id": UUID, "url": "u", "snapshot": "1.10"})

    ended, asked = submitted(
        ohbench, bundle, NOTHING_YET, BEGUN, None, half, whole(bundle), accepted
    )

    assert ended.code == 0, ended.err
    assert "Going on from there." in ended.err
    assert asked[4]["body"] == bundle.read_bytes()[100:]


def test_an_upload_that_never_arrives_ends_with_3(ohbench, bundle):
    ended, asked = submitted(ohbench, bundle, None)

    assert ended.code == 3
    assert len(asked) == 3


@pytest.mark.parametrize("answer", [Answer(200, []), Answer(200, {"results": [{}]})])
def test_an_answer_that_no_upload_gives_is_told(ohbench, bundle, answer):
    ended, _ = submitted(ohbench, bundle, answer)

    assert ended.code == 3
    assert "as this API does" in ended.err


def test_a_token_that_is_refused_while_uploading_ends_with_4(ohbench, bundle):
    ended, _ = submitted(ohbench, bundle, Answer(401, {"detail": "Invalid token."}))

    assert ended.code == 4


def test_codes_of_a_newer_server_are_shown_as_they_are(ohbench, bundle):
    error = {"code": "brand-new", "where": "w", "saw": "s\x1b", "fix": "f"}
    refused = Answer(400, {"detail": "No.", "errors": [error, "odd"]})

    ended, _ = submitted(ohbench, bundle, NOTHING_YET, BEGUN, whole(bundle), refused)

    assert ended.code == 1
    assert "[brand-new]" in ended.err
    assert "\x1b" not in ended.err


def test_a_quota_that_is_used_up_ends_with_6_and_says_until_when(ohbench, bundle):
    error = {"code": "quota-month", "where": "you", "saw": "3 of 3", "fix": "Wait."}
    refused = Answer(429, {"detail": "No quota.", "errors": [error]})

    ended, _ = submitted(ohbench, bundle, NOTHING_YET, BEGUN, whole(bundle), refused)

    assert ended.code == 6
    assert "fix: Wait." in ended.err


# Following


def state(name, *, scored=0, queued=0, running=0, waiting=0):
    counts = {
        "total": 4,
        "scored": scored,
        "queued": queued,
        "running": running,
        "waiting_for_a_maintainer": waiting,
        "cancelled": 0,
    }
    return {
        "state": name,
        "task_runs": counts,
        "configuration": "c",
        "snapshot": "s",
        "url": "u",
        "evaluation_url": "e",
    }


def watched(ohbench, *answers):
    with serving(*answers) as (url, asked):
        ended = ohbench("watch", UUID, OHB_SERVER=url, OHB_TOKEN="t")
    return ended, asked


def test_watch_tells_every_change_once_until_the_end(ohbench):
    tag = (("ETag", '"1"'),)
    ended, asked = watched(
        ohbench,
        Answer(200, state("evaluating", queued=4), tag),
        Answer(304, b""),
        Answer(200, state("evaluating", scored=3, running=1)),
        Answer(200, state("evaluating", scored=3, running=1)),
        Answer(200, state("evaluated", scored=4)),
    )

    assert ended.code == 0
    assert ended.err.splitlines() == [
        "evaluating: 0 scored, 4 queued, of 4",
        "evaluating: 3 scored, 1 running, of 4",
        "evaluated: 4 scored, of 4",
    ]
    assert "4 of 4 task runs are scored" in ended.out
    assert asked[1]["headers"]["If-None-Match"] == '"1"'


@pytest.mark.parametrize(
    ("last", "message"),
    [
        (state("cancelled", scored=1), "The submission is cancelled."),
        (state("evaluating", scored=3, waiting=1), "wait for a maintainer"),
    ],
)
def test_watch_ends_with_8_where_there_is_no_result(ohbench, last, message):
    ended, _ = watched(ohbench, Answer(200, last))

    assert ended.code == 8
    assert message in ended.err


def test_watch_goes_on_while_others_work_beside_one_that_waits(ohbench):
    ended, asked = watched(
        ohbench,
        Answer(200, state("evaluating", running=1, waiting=1)),
        Answer(200, state("evaluated", scored=4)),
    )

    assert ended.code == 0
    assert len(asked) == 2


def progress(*, ahead=3, workers=1, silent=False, sign="2026-11-30T08:00:00Z"):
    return {
        "queue": {
            "pool": "build",
            "jobs_ahead": ahead,
            "worker_count": workers,
            "unserved_pools": [],
            "unoffered": [],
            "paused_pools": [],
        },
        "estimate": {"low_seconds": 600, "high_seconds": 5400},
        "last_sign_at": sign,
        "silent": silent,
        "reruns": [],
        "stuck": [],
    }


def test_watch_tells_place_estimate_and_sign_of_life_when_they_change(ohbench):
    begun = state("evaluating", queued=4)
    ended, _ = watched(
        ohbench,
        Answer(200, {**begun, "progress": progress(ahead=3)}),
        Answer(200, {**begun, "progress": progress(ahead=3, sign=LATER)}),
        Answer(200, {**begun, "progress": progress(ahead=0, sign=LATER)}),
        Answer(200, state("evaluated", scored=4)),
    )

    first, second, last = ended.err.splitlines()
    assert first.startswith(
        "evaluating: 0 scored, 4 queued, of 4; queue: position 4 in pool build "
        "(3 task runs of others ahead); estimate: 10 min to 90 min to the end, "
        "no promise; last sign of life: 2026-11-30 08:00:00 UTC, "
    )
    assert "queue: position 1 in pool build (0 task runs of others ahead)" in second
    assert "last sign of life: 2026-11-30 08:00:20 UTC" in second
    assert last == "evaluated: 4 scored, of 4"


def test_status_tells_place_estimate_and_sign_of_life(ohbench):
    found = state("evaluating", queued=4) | {
        "progress": progress(ahead=1, workers=0, silent=True)
        | {
            "estimate": None,
            "reruns": [
                {"run": 1, "task": "t", "reason": "device_lost", "attempt": 2},
            ],
        }
    }
    with serving(Answer(200, found)) as (url, _asked):
        ended = ohbench("status", UUID, OHB_SERVER=url, OHB_TOKEN="t")

    lines = ended.out.splitlines()
    assert (
        "queue: position 2 in pool build (1 task run of others ahead); "
        "no worker is running"
    ) in lines
    assert "estimate: none yet" in lines
    assert "tried again: run 1 t (device_lost, attempt 2)" in lines
    (sign,) = [line for line in lines if line.startswith("last sign of life: ")]
    assert sign.endswith("ago, longer than it should be")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (41, "41 s"), (60, "1 min"), (5400, "90 min"), (7200, "2 h")],
)
def test_a_length_of_time_is_told_in_one_unit(seconds, text):
    assert roughly(seconds) == text


def test_bars_are_drawn_where_there_is_a_terminal(ohbench, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    begun = state("evaluating", queued=4) | {"progress": progress()}

    ended, _ = watched(ohbench, Answer(200, begun), Answer(200, state("evaluated")))

    assert ended.code == 0, ended.err
    assert "c on s" in ended.err


@pytest.mark.parametrize("name", ["evaluated", "asked", "embargoed", "published"])
def test_a_result_that_waits_for_people_is_a_good_end(ohbench, name):
    ended, _ = watched(ohbench, Answer(200, state(name, scored=4)))

    assert ended.code == 0


def test_a_manifest_is_written_once(ohbench, tmp_path):
    out = tmp_path / "manifest.json"
    with serving(Answer(200, {"sdk": "API 23"})) as (url, asked):
        words = ("manifest", UUID, "--out", out)
        ended = ohbench(*words, OHB_SERVER=url, OHB_TOKEN="t")
        again = ohbench(*words, OHB_SERVER=url, OHB_TOKEN="t")

    assert ended.code == 0
    assert json.loads(out.read_text()) == {"sdk": "API 23"}
    assert f"--copy-of {UUID}" in ended.err
    assert again.code == 2
    assert [each["path"] for each in asked] == [f"/api/v1/submissions/{UUID}/manifest/"]


def test_watch_can_be_interrupted(ohbench, monkeypatch):
    def interrupted(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("submissions.cli.commands.follow.time.sleep", interrupted)

    ended, _ = watched(ohbench, Answer(200, state("evaluating", queued=1)))

    assert ended.code == 130


# Downloads


def run_zip(contents, sums=None, extra=None):
    """A run's archive; ``sums`` replaces its list of checksums."""
    lines = "".join(
        f"{hashlib.sha256(data).hexdigest()}  {name}\n"
        for name, data in contents.items()
    )
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in {**contents, **(extra or {})}.items():
            archive.writestr(name, data)
        archive.writestr("SHA256SUMS", lines if sums is None else sums)
    return buffer.getvalue()


def downloaded(ohbench, tmp_path, data):
    runs = Answer(200, {"results": [{"id": 7, "number": 1}]})
    with serving(runs, Answer(200, data)) as (url, asked):
        ended = ohbench("download", "5", "--out", tmp_path / "out", OHB_SERVER=url)
    return ended, asked


def test_a_download_is_compared_with_its_checksums(ohbench, tmp_path):
    data = run_zip({"task/build.log": b"log", "task/a/b.txt": b""})

    ended, asked = downloaded(ohbench, tmp_path, data)

    assert ended.code == 0, ended.err
    folder = tmp_path / "out" / "run-1"
    assert (folder / "task/build.log").read_bytes() == b"log"
    assert "2 files, all as in SHA256SUMS" in ended.out
    assert asked[1]["path"] == "/api/v1/runs/7/artifacts.zip"
    check = ["sha256sum", "--quiet", "-c", "SHA256SUMS"]
    assert subprocess.run(check, cwd=folder, check=False).returncode == 0


@pytest.mark.parametrize(
    "data",
    [
        b"no zip",
        run_zip({"t/a": b"x"})[:-30],
        run_zip({"t/a": b"x"}, sums=f"{'0' * 64}  t/a\n"),
        run_zip({"t/a": b"x"}, extra={"t/more": b""}),
        run_zip({"t/a": b"x"}, sums=""),
        run_zip({"t/a": b"x"}, sums="nonsense"),
        run_zip({"../evil": b"x"}),
        run_zip({"/evil": b"x"}),
        run_zip({"t/../../evil": b"x"}),
        run_zip({"t\\evil": b"x"}),
    ],
)
def test_a_damaged_or_hostile_download_leaves_nothing(ohbench, tmp_path, data):
    ended, _ = downloaded(ohbench, tmp_path, data)

    assert ended.code == 7
    assert "damaged" in ended.err
    assert list((tmp_path / "out").iterdir()) == []
    assert not list(tmp_path.rglob("evil"))


def test_a_folder_that_is_there_is_left_alone(ohbench, tmp_path):
    (tmp_path / "out" / "run-1").mkdir(parents=True)

    ended, asked = downloaded(ohbench, tmp_path, run_zip({}))

    assert ended.code == 2
    assert len(asked) == 1


@pytest.mark.parametrize("text", ["x", "http://host/submissions/", "-5"])
def test_what_is_no_evaluation_is_told(ohbench, tmp_path, text):
    ended = ohbench(
        "download", "--out", tmp_path / "o", "--", text, OHB_SERVER="http://127.0.0.1:1"
    )

    assert ended.code == 2
    assert "is no evaluation" in ended.err


# A real server


@pytest.fixture
def open_snapshot(committed_db):
    return make_snapshot()


def test_a_bundle_is_checked_here_against_the_snapshot_of_the_server(
    open_snapshot, online, tmp_path
):
    sound = files_for(open_snapshot)
    assert online("validate", write_archive(tmp_path, sound)).code == 0

    del sound[f"runs/1/{open_snapshot.tasks.first().slug}/final.patch"]
    ended = online("validate", write_archive(tmp_path, sound))
    assert ended.code == 1
    assert "1 of 2 tasks without final.patch" in ended.err
    assert not Submission.objects.exists()


def test_facts_of_the_server_serve_without_it(open_snapshot, online, ohbench, tmp_path):
    archive = write_archive(tmp_path, files_for(open_snapshot))
    open_snapshot.run_parameters = {"temperature": 9.5, "context_window_tokens": 7}
    open_snapshot.save()
    file = tmp_path / "facts.json"
    benchmark = open_snapshot.benchmark.slug

    got = online(
        "facts", open_snapshot.version, "--benchmark", benchmark, "--out", file
    )

    assert got.code == 0, got.err
    nowhere = "http://127.0.0.1:1"
    ended = ohbench("validate", archive, "--facts", file, OHB_SERVER=nowhere)
    assert ended.code == 0
    assert "run_parameters.temperature  [snapshot-differs]" in ended.err
    assert read_facts(file).run_parameters == open_snapshot.run_parameters


def test_facts_of_an_unknown_snapshot_name_the_known_ones(
    open_snapshot, online, tmp_path
):
    ended = online("facts", "v99", "--out", tmp_path / "f.json")

    assert ended.code == 5
    assert open_snapshot.version in ended.err


def test_a_closed_snapshot_is_told_before_the_upload(open_snapshot, online, tmp_path):
    archive = write_archive(tmp_path, files_for(open_snapshot))
    type(open_snapshot).objects.update(status=SnapshotStatus.FROZEN)

    ended = online("submit", archive)

    assert ended.code == 1
    assert "[snapshot-closed]" in ended.err
    assert "Nothing was uploaded." in ended.err


def test_the_server_checks_too_when_asked(open_snapshot, online, tmp_path, isolating):
    archive = write_archive(tmp_path, files_for(open_snapshot))
    assert online("validate", archive, "--remote").code == 0

    isolating(False)
    ended = online("validate", archive, "--remote")
    assert ended.code == 1
    assert "[sandbox-missing]" in ended.err
    assert online("validate", archive).code == 0
    assert not Submission.objects.exists()


def test_a_submission_goes_from_upload_to_download(
    open_snapshot, online, tmp_path, user
):
    archive = write_archive(tmp_path, files_for(open_snapshot))

    sent = online("submit", archive)
    assert sent.code == 0, sent.err
    uuid = sent.out.split()[-1]
    submission = Submission.objects.get(pk=uuid)
    assert submission.user == user

    there = online("status", uuid)
    assert "task runs: 0 scored, 4 queued, of 4" in there.out
    fail_all(submission)
    ended = online("watch", uuid)
    assert ended.code == 0, ended.err
    assert "evaluated: 4 of 4 task runs are scored." in ended.out

    stored = store_file(io.BytesIO(b"the log"))
    for run in submission.evaluation.runs.all():
        Artifact.objects.create(
            run=run,
            task=open_snapshot.tasks.first(),
            name="checks/report.txt",
            kind="report",
            sha256=stored.sha256,
            size_bytes=stored.size_bytes,
        )
    got = online("download", uuid, "--run", 2, "--out", tmp_path / "out")
    assert got.code == 0, got.err
    (report,) = (tmp_path / "out" / "run-2").rglob("report.txt")
    assert report.read_bytes() == b"the log"
    assert not (tmp_path / "out" / "run-1").exists()


def test_a_private_evaluation_is_not_there_for_others(open_snapshot, online, tmp_path):
    uuid = online(
        "submit", write_archive(tmp_path, files_for(open_snapshot))
    ).out.split()[-1]
    number = Submission.objects.get(pk=uuid).evaluation.pk
    stranger = token_for(UserFactory())

    for arguments in (
        ("status", uuid),
        ("download", number, "--out", tmp_path / "out"),
    ):
        assert online(*arguments, OHB_TOKEN=stranger).code == 5


def test_a_token_without_the_scope_cannot_submit(open_snapshot, online, tmp_path, user):
    archive = write_archive(tmp_path, files_for(open_snapshot))

    ended = online("submit", archive, OHB_TOKEN=token_for(user, Scope.READ))

    assert ended.code == 4
    assert not Submission.objects.exists()


def test_a_submission_may_belong_to_a_team(open_snapshot, online, tmp_path, user):
    team = TeamFactory(members=[user])
    archive = write_archive(tmp_path, files_for(open_snapshot))

    assert online("submit", archive, "--team", team.slug).code == 0
    assert Submission.objects.get().team == team


def test_a_folder_with_foreign_files_is_never_submitted_without_them(
    open_snapshot, online, tmp_path
):
    for name, data in files_for(open_snapshot).items():
        path = tmp_path / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tmp_path / "folder" / "notes.txt").write_text("foreign")

    for options in ((), ("--no-check",)):
        ended = online("submit", tmp_path / "folder", *options)
        assert ended.code == 1
        assert "[member-name]" in ended.err
    assert not Submission.objects.exists()


def test_the_same_archive_again_is_told_with_the_first_submission(
    open_snapshot, online, tmp_path
):
    archive = write_archive(tmp_path, files_for(open_snapshot))
    first = online("submit", archive).out.split()[-1]

    ended = online("submit", archive)

    assert ended.code == 1
    assert "[duplicate]" in ended.err
    assert first in ended.err
