"""Fixtures that browser tests of several subjects use."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from leaderboard.published import load_published
from submissions import intake
from tests.factories import EvaluationSnapshotFactory, UserFactory
from tests.leaderboard.evaluations import evaluated, stored
from tests.requirements import browser_path

ROOT = Path(__file__).parents[2]
# How long a page may take to show what a test waits for, on a busy machine.
PATIENCE_MILLISECONDS = 180_000


@pytest.fixture
def users(committed_db, monkeypatch) -> dict[str, Any]:
    """A submitter and an operator, on a machine that takes strangers' bundles."""
    monkeypatch.setattr(intake, "sandbox_isolates", lambda: True)
    return {
        "owner": UserFactory(username="submitter"),
        "operator": UserFactory(username="operator", is_staff=True),
    }


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Playwright drives its own event loop in this thread; Django's guard against
    # queries inside one would stop the fixtures.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser_path(),
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        expect.set_options(timeout=PATIENCE_MILLISECONDS)
        make_context = chromium.new_context

        def new_context(**options: Any) -> BrowserContext:
            context = make_context(**options)
            context.set_default_timeout(PATIENCE_MILLISECONDS)
            return context

        chromium.new_context = new_context
        yield chromium
        chromium.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def compiler_messages(build: str) -> list[dict[str, Any]]:
    """More than the page shows: with and without a place, short and very long."""
    long = f"Property 'rain' of the {build} build does not exist on type 'Sky'. " * 9
    places = [("x", 1, 2), ("entry/src/main/ets/" + "deep/" * 30 + "Sky.ets", 9, 40)]
    places += [("", None, None)]
    return [
        {
            "code": "10505001" if number % 2 else "",
            "message": "x" * 400 if number == 5 else long[: 60 + 9 * number],
            "file": file,
            "line": line,
            "column": column,
            "severity": "warning" if number > 45 else "error",
            "log_line": number + 1 if number % 4 else None,
        }
        for number in range(60)
        for file, line, column in [places[number % 3]]
    ]


@pytest.fixture
def pages(live_server) -> dict[str, str]:
    """Addresses of one page of each kind, by name."""
    load_published(ROOT / "fixtures" / "published")
    snapshot = EvaluationSnapshotFactory(version="demo-0.1", task_count=3)
    outcomes = ((True, False, True), (False, True, True))
    evaluation = evaluated(snapshot, completed=outcomes)
    weaker = evaluated(snapshot, completed=((False, False, True),) * 2)
    pair = f"a={evaluation.pk}&b={weaker.pk}"
    run, task = evaluation.runs.first(), snapshot.tasks.first()
    patch = b"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n"
    stored(run, task, "final.patch", patch)
    stored(run, task, "build.log", b"one line that is long " * 40 + b"\nline" * 2_500)
    for build in ("final", "first"):
        stored(run, task, f"build_{build}.log", b"line\n" * 900)
        messages = json.dumps(compiler_messages(build)).encode()
        stored(run, task, f"build_{build}.diagnostics.json", messages)
    return {
        "home": "/",
        "source": "/?source=spec-driven&sort=tokens&cost=time&q=a",
        "simulated": snapshot.get_absolute_url(),
        "frozen": "/?as_of=2026-08-20&columns=agent,published,tokens",
        "no-such-day": "/?as_of=2020-01-01",
        "configuration": evaluation.configuration.get_absolute_url(),
        "explore": "/explore/?snapshot=demo-0.1",
        "embed": "/embed/openharmony-bench/v1.0/",
        "snapshots": "/snapshots/",
        "tasks": f"/tasks/?snapshot={snapshot.version}",
        "described": "/tasks/",
        "task": task.get_absolute_url(),
        "published": "/e/1/",
        "evaluation": evaluation.get_absolute_url(),
        "run": run.get_absolute_url(),
        "task-run": f"{run.get_absolute_url()}tasks/{task.slug}/",
        "compare": f"/compare/?{pair}",
        "compare-nothing": "/compare/?a=987&b=x",
        "compare-apart": f"/compare/?{pair}&c=1&d=2",
        "benchmark": "/benchmark/",
        "benchmark-held": f"/benchmark/?snapshot={snapshot.version}",
        "changes": f"/benchmark/changes/?from=v1.0&to={snapshot.version}",
        "trouble": f"{evaluation.get_absolute_url()}trouble/",
        "log": f"{run.get_absolute_url()}tasks/{task.slug}/?file=build.log",
        "methodology": "/methodology/",
        "about": "/about/",
        "login": "/login/",
        "missing": "/nothing-here/",
    }
