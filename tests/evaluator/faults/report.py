"""Breaks workers, brokers and databases at every stage and prints what survived.

    python -m tests.evaluator.faults.report --kills 50 [--brokers redis,pgmq]

Needs redis-server, a RabbitMQ and a PostgreSQL as the tests do, and PostgreSQL's own
programs for the cluster that is killed. Takes some ten seconds for each kill.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from evaluator.models import Stage  # noqa: E402 - after the set-up
from tests.evaluator.faults.scenario import JOBS, Scenario, losses  # noqa: E402

STAGES = [stage.value for stage in Stage]


class Column(NamedTuple):
    """What is killed, with which broker and database; killed once in each stage."""

    what: str
    broker: str
    database: str

    @property
    def title(self) -> str:
        return f"{self.what}: {self.broker}, {self.database}"

    def scenario(self) -> Scenario:
        events = [f"{self.what}:{stage}" for stage in STAGES]
        return Scenario(self.broker, events, self.database)


COLUMNS = [
    Column("worker", "filesystem", "sqlite"),
    Column("worker", "redis", "sqlite"),
    Column("worker", "rabbitmq", "postgresql"),
    Column("worker", "pgmq", "postgresql"),
    Column("broker", "redis", "sqlite"),
    Column("database", "filesystem", "private"),
    Column("database", "pgmq", "private"),
]


@dataclass
class Tally:
    """Counts over all scenarios; ``survived`` and ``tried`` by (column, stage)."""

    tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    survived: Counter[tuple[str, str]] = field(default_factory=Counter)
    evaluations: int = 0
    jobs: int = 0
    lost_jobs: int = 0
    doubled: int = 0
    retried: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def kills(self) -> int:
        return self.tried.total()

    def add(self, column: Column, found: dict[str, Any] | str) -> None:
        wrong = {"driver": found} if isinstance(found, str) else losses(found)
        for stage in STAGES:
            self.tried[column.title, stage] += 1
            self.survived[column.title, stage] += not wrong
        self.evaluations += 1
        self.jobs += JOBS
        if wrong:
            self.faults.append(f"{column.title}: {wrong}")
        if isinstance(found, str):
            self.lost_jobs += JOBS
            return
        self.lost_jobs += JOBS - found["results"]
        self.doubled += found["doubled"]
        attempts = found["attempts"]
        self.retried += attempts.get("lost", 0) + attempts.get("drained", 0)


def plan(kills: int, brokers: Sequence[str]) -> Iterator[Column]:
    """Columns in turn until ``kills`` are reached; each is one evaluation."""
    chosen = [column for column in COLUMNS if column.broker in brokers]
    for number in range(-(-kills // len(STAGES))):
        yield chosen[number % len(chosen)]


def table(tally: Tally) -> str:
    """Rows are stages, columns what was killed; each cell survived / killed."""
    titles = list(dict.fromkeys(title for title, _ in tally.tried))
    lines = ["| killed in stage | " + " | ".join(titles) + " |"]
    lines.append("|---" * (len(titles) + 1) + "|")
    for stage in STAGES:
        cells = [
            f"{tally.survived[title, stage]} / {tally.tried[title, stage]}"
            for title in titles
        ]
        lines.append(f"| {stage} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    known = list(dict.fromkeys(column.broker for column in COLUMNS))
    parser.add_argument("--brokers", default=",".join(known))
    options = parser.parse_args()
    brokers = options.brokers.split(",")
    if unknown := set(brokers) - set(known):
        parser.error(f"unknown brokers {sorted(unknown)}; known: {', '.join(known)}")
    tally, began = Tally(), time.monotonic()
    for column in plan(options.kills, brokers):
        found = _run(column)
        tally.add(column, found)
        seconds = found["seconds"] if isinstance(found, dict) else "-"
        _say(f"{tally.kills:4} kills; {column.title}: {seconds} s")
    _say("", table(tally), "")
    _say(
        f"kills {tally.kills}, evaluations {tally.evaluations}, jobs {tally.jobs}: "
        f"lost {tally.lost_jobs}, doubled {tally.doubled}, "
        f"stages begun again {tally.retried}",
        f"{time.monotonic() - began:.0f} s, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors",
        *tally.faults,
    )
    return 1 if tally.faults else 0


def _run(column: Column) -> dict[str, Any] | str:
    try:
        return column.scenario().run(timeout=600)
    except Exception as error:  # noqa: BLE001 - the report goes on and tells
        return f"{type(error).__name__}: {error}"


def _say(*lines: str) -> None:
    sys.stdout.write("\n".join(lines) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
