"""Tables by pass rate as data, for the API, the command line, and files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from django.conf import settings

from leaderboard.as_of import AsOf, today
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot, PassTotals, Stream
from leaderboard.passing.figures import PassFigures, pass_figures
from leaderboard.passing.standings import PassRow, PassStandings
from leaderboard.passing.streams import streams_of
from leaderboard.standings import as_text, configuration_as_dict
from leaderboard.tables import FlatTable
from leaderboard.tables.fields import Field, Kind, constant


def figures_as_dict(found: PassFigures) -> dict[str, Any]:
    """Rates are fractions of 1 with their counts; None is "not reported"."""
    counts, interval = found.counts, found.interval
    return {
        "task_count": found.task_count,
        "run_count": found.run_count,
        "pass_rate": _number(found.pass_rate),
        "pass_rate_interval": interval
        and {
            "level": interval.level / 100,
            "low": float(interval.low),
            "high": float(interval.high),
        },
        "completion_rate": _number(found.completion_rate),
        "passed": counts.perfect if counts else None,
        "finished": counts.finished if counts else None,
        "incomplete": counts.incomplete if counts else None,
        "completion_total": str(counts.completion_total) if counts else None,
        "tasks_per_run": _number(found.tasks_per_run),
        "printed": {
            name: value
            for name, value in found.printed.items()
            if isinstance(value, str)
        },
    }


def scopes_as_dict(totals: Sequence[PassTotals]) -> dict[str, dict[str, Any]]:
    """Figures over all tasks as ``overall``, then by the slug of each stream."""
    return {
        each.stream.slug if each.stream else Scope.OVERALL.value: figures_as_dict(
            pass_figures(each)
        )
        for each in totals
    }


def row_as_dict(row: PassRow) -> dict[str, Any]:
    evaluation = row.evaluation
    return {
        "rank": row.rank,
        "rank_label": row.rank_label or None,
        "rank_span": list(row.rank_span) if row.rank_span else None,
        "configuration": configuration_as_dict(evaluation.configuration),
        "provenance": evaluation.provenance,
        "simulated": evaluation.simulated,
        "unverified": evaluation.unverified,
        "differing_fields": evaluation.differing_fields,
        **figures_as_dict(row.figures),
        "published_at": as_text(evaluation.published_at),
        "struck_out_at": as_text(evaluation.struck_out_at),
        "withdrawn_reason": evaluation.withdrawn_reason,
        "evaluation_url": evaluation.get_absolute_url(),
    }


def table_as_dict(table: PassStandings, as_of: AsOf | None = None) -> dict[str, Any]:
    """All but the snapshot, which the caller knows how to write."""
    return {
        "policy": table.snapshot.benchmark.policy,
        "scope": _scope(table.stream),
        "as_of": as_of.day.isoformat() if as_of else None,
        "data_version": data_version(table),
        "license": settings.DATA_LICENSE,
        "results": [row_as_dict(row) for row in table.rows],
        "unranked": [row_as_dict(row) for row in table.unranked],
        "withdrawn": [
            {
                "model": evaluation.configuration.model,
                "provider": evaluation.configuration.provider,
                "visibility": strike.kind,
                "reason": strike.reason,
                "struck_out_at": as_text(strike.start),
                "evaluation_url": evaluation.get_absolute_url(),
            }
            for evaluation, strike in table.strikes
        ],
    }


def streams_as_dict(snapshot: EvaluationSnapshot) -> dict[str, dict[str, Any]]:
    """The streams with their names by language and their number of tasks."""
    return {
        each.slug: {"names": each.names, "tasks": each.task_count}
        for each in streams_of(snapshot)
    }


def data_version(table: PassStandings) -> str:
    """16 hex digits over every figure of every shown evaluation of the table."""
    rows = sorted((*table.rows, *table.unranked), key=lambda row: row.evaluation.pk)
    shown = [
        [row.evaluation.pk, row.rank is None, figures_as_dict(row.figures)]
        for row in rows
    ]
    struck = sorted(evaluation.pk for evaluation, _strike in table.strikes)
    content = [
        table.snapshot.comparability_key,
        _scope(table.stream),
        shown,
        struck,
    ]
    canonical = json.dumps(content, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def flat_pass_table(
    table: PassStandings, as_of: AsOf | None, *, site: str
) -> FlatTable:
    """The ranked rows, then those apart; an empty cell was not reported."""
    about = {
        "benchmark": table.snapshot.benchmark.slug,
        "snapshot": table.snapshot.version,
        "source": _scope(table.stream),
        "policy": table.snapshot.benchmark.policy,
        "as_of": (as_of.day if as_of else today()).isoformat(),
        "data_version": data_version(table),
        "license": settings.DATA_LICENSE,
    }
    columns = [
        Field(name, kind, meaning, _cell(name)) for name, kind, meaning in _FACTS
    ]
    fields = [*columns, *(constant(name, value) for name, value in about.items())]
    rows = [_cells(row, site=site) for row in (*table.rows, *table.unranked)]
    return FlatTable(
        about, fields, [[field.value(row) for field in fields] for row in rows]
    )


_FACTS: Sequence[tuple[str, Kind, str]] = (
    ("table", "string", "ranked, or apart where it is not comparable"),
    ("rank", "int64", "shared ranks count as one"),
    ("rank_label", "string", 'the rank, with "=" where it is shared'),
    ("rank_best", "int64", "best rank that the intervals leave open"),
    ("rank_worst", "int64", "worst rank that the intervals leave open"),
    ("model", "string", "model identifier"),
    ("provider", "string", "who offers the model"),
    ("agent", "string", "name of the agent"),
    ("agent_version", "string", "version of the agent"),
    ("provenance", "string", "where the numbers come from"),
    ("pass_rate", "double", "passed of finished task runs, a fraction of 1"),
    ("pass_rate_low", "double", "low end of the published interval"),
    ("pass_rate_high", "double", "high end of the published interval"),
    ("interval_level", "double", "level of that interval"),
    ("completion_rate", "double", "mean over finished task runs, a fraction of 1"),
    ("completion_total", "string", "their exact sum, a fraction"),
    ("passed", "int64", "task runs with a perfect result"),
    ("finished", "int64", "task runs with a result"),
    ("incomplete", "int64", "task runs without one"),
    ("run_count", "int64", "runs of each task"),
    ("task_count", "int64", "tasks in scope"),
    ("tasks_per_run", "double", "mean number of tasks per run, as published"),
    ("evaluation_url", "string", "page of the evaluation"),
)


def _cell(name: str) -> Any:
    return lambda cells: cells[name]


def _cells(row: PassRow, *, site: str) -> dict[str, Any]:
    found = row_as_dict(row)
    best, worst = row.rank_span or (None, None)
    interval = found["pass_rate_interval"] or {}
    return {
        **found,
        **found["configuration"],
        "agent_version": row.evaluation.configuration.agent_version or None,
        "table": "apart" if row.rank is None else "ranked",
        "rank_best": best,
        "rank_worst": worst,
        "pass_rate_low": interval.get("low"),
        "pass_rate_high": interval.get("high"),
        "interval_level": interval.get("level"),
        "evaluation_url": site + found["evaluation_url"],
    }


def _scope(stream: Stream | None) -> str:
    return stream.slug if stream else Scope.OVERALL.value


def _number(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
