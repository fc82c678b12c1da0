"""What the compiler said, on the page of a task run, and the way to its lines."""

from __future__ import annotations

import json
import re

import pytest

from leaderboard.blobs import store_blob
from leaderboard.models import Absence, Artifact, TaskResult
from tests.factories import ArtifactFactory, EvaluationSnapshotFactory
from tests.leaderboard.evaluations import evaluated

PATCH = b"""\
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1 +1 @@
-old
+new
diff --git a/entry/src/main/ets/Sky.ets b/entry/src/main/ets/Sky.ets
--- a/entry/src/main/ets/Sky.ets
+++ b/entry/src/main/ets/Sky.ets
@@ -8,2 +8,3 @@
 struct Sky {
+  rain: Rain = new Rain();
 }
"""


def message(**changes: object) -> dict[str, object]:
    return {
        "code": "10505001",
        "message": "Cannot find name 'Rain'.",
        "file": "entry/src/main/ets/Sky.ets",
        "line": 9,
        "column": 9,
        "severity": "error",
        "log_line": 1203,
        **changes,
    }


@pytest.fixture
def result(db) -> TaskResult:
    """A task run with a log and a patch."""
    snapshot = EvaluationSnapshotFactory(task_count=1)
    evaluation = evaluated(snapshot, completed=((False,),))
    found = TaskResult.objects.get(run__evaluation=evaluation)
    keep(found, "build_final.log", b"log\n" * 2000, kind="log")
    keep(found, "submitted/final.patch", PATCH, kind="submitted-patch")
    return found


def keep(result: TaskResult, name: str, data: bytes, *, kind: str = "diagnostics"):
    return ArtifactFactory(
        run=result.run,
        task=result.task,
        name=name,
        kind=kind,
        sha256=store_blob(data).sha256,
        size_bytes=len(data),
    )


def keep_messages(result: TaskResult, *messages: object, build: str = "final"):
    data = json.dumps(list(messages)).encode()
    return keep(result, f"build_{build}.diagnostics.json", data)


def page(client, result: TaskResult, query: str = "") -> str:
    response = client.get(result.get_absolute_url() + query)
    assert response.status_code == 200
    return response.content.decode()


def test_a_message_leads_to_its_line_in_the_patch_and_in_the_log(client, result):
    keep_messages(result, message())

    html = page(client, result)

    assert "Compiler messages of the final build" in html
    assert "Cannot find name &#x27;Rain&#x27;." in html
    assert ">entry/src/main/ets/Sky.ets:9:9</a>" in html
    (diff,) = re.findall(r'href="(\?file=submitted[^"#]*)#(d2-9)"', html)
    assert f'id="{diff[1]}"' in page(client, result, diff[0])
    assert 'href="?file=build_final.log&amp;line=1203"' in html


def test_a_place_that_the_patch_does_not_touch_is_named_without_a_way(client, result):
    keep_messages(result, message(file="entry/src/main/ets/Moon.ets", log_line=None))

    html = page(client, result)

    assert "entry/src/main/ets/Moon.ets:9:9</td>" in html
    assert "line=1203" not in html


def test_errors_come_before_warnings_and_both_are_counted(client, result):
    warning = message(severity="warning", message="Unused.", code="")
    keep_messages(result, warning, message(), message())

    html = page(client, result)

    assert "2 errors, 1 warning" in html
    assert html.index("Cannot find name") < html.index("Unused.")


def test_many_messages_are_cut_and_the_page_says_so(client, result):
    keep_messages(result, *[message()] * 60)

    html = page(client, result)

    assert html.count("Cannot find name") == 50
    assert "The first 50 are shown; the diagnostics file has all." in html


def test_the_first_build_is_shown_where_it_said_something_else(client, result):
    keep_messages(result, message())
    keep_messages(result, message(), build="first")
    assert "of the first build" not in page(client, result)

    Artifact.objects.filter(name__contains="first").delete()
    keep_messages(result, message(message="Another."), build="first")
    assert "of the first build" in page(client, result)


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[1, null]", b"[", b'[{"line": "x", "file": 3, "message": null}]'],
)
def test_messages_that_are_none_break_no_page(client, result, data):
    keep(result, "build_final.diagnostics.json", data)

    page(client, result)


def test_a_build_without_messages_and_one_whose_file_is_gone_show_nothing(
    client, result
):
    keep_messages(result)
    assert "Compiler messages" not in page(client, result)

    Artifact.objects.filter(kind="diagnostics").delete()
    keep_messages(result, message())
    Artifact.objects.filter(kind="diagnostics").update(absence=Absence.EXPIRED)
    assert "Compiler messages" not in page(client, result)


def test_what_a_message_says_stays_text(client, result):
    keep_messages(result, message(message="<b>x</b>\u202e", file="<i>", code="<u>"))

    html = page(client, result)

    assert "<b>x</b>" not in html
    assert "<i>" not in html
    assert "\u202e" not in html
