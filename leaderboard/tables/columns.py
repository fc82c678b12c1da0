"""Which fields stand for a column of the page's table."""

from __future__ import annotations

from fractions import Fraction

from leaderboard.metrics import Scope
from leaderboard.standings import StandingsRow
from leaderboard.tables.fields import Field, Rate, fact, figure, rate, text


def rank_fields() -> list[Field]:
    return [
        Field(
            "table",
            "string",
            "ranked, or apart where it is not comparable",
            lambda row: "apart" if row.rank is None else "ranked",
        ),
        Field("rank", "int64", "shared ranks count as one", lambda row: row.rank),
        Field(
            "rank_label",
            "string",
            'the rank, with "=" where it is shared',
            lambda row: row.rank_label or None,
        ),
        Field(
            "rank_best",
            "int64",
            "best rank that the run ranges leave open",
            lambda row: row.rank_span[0] if row.rank_span else None,
        ),
        Field(
            "rank_worst",
            "int64",
            "worst rank that the run ranges leave open",
            lambda row: row.rank_span[1] if row.rank_span else None,
        ),
        Field(
            "leading_group",
            "bool",
            "the highest run reaches the leader's lowest",
            lambda row: row.leading_group,
        ),
    ]


def name_fields(site: str) -> list[Field]:
    return [
        fact("evaluation", "int64", "number of the evaluation", lambda each: each.pk),
        text("model", "model identifier", lambda each: each.model),
        text("provider", "who offers the model", lambda each: each.provider),
        text("family", "model family", lambda each: each.family or None),
        fact(
            "provenance",
            "string",
            "where the numbers come from",
            lambda each: each.provenance,
        ),
        fact(
            "simulated",
            "bool",
            "measured on a simulated device",
            lambda each: each.simulated,
        ),
        fact(
            "unverified",
            "bool",
            "completed task runs lack a trajectory",
            lambda each: each.unverified,
        ),
        fact(
            "differing_fields",
            "string",
            "conditions that differ from the snapshot's, separated by blanks",
            lambda each: " ".join(map(str, each.differing_fields)) or None,
        ),
        Field(
            "declared_comparable",
            "string",
            "why it is ranked though conditions differ, by decision of maintainers",
            lambda row: row.decision and row.decision.reason,
        ),
        fact(
            "struck_out_on",
            "string",
            "day (UTC) on which it was withdrawn or disqualified later",
            lambda each: each.struck_out_at and each.struck_out_at.date().isoformat(),
        ),
        fact(
            "url",
            "string",
            "page of the evaluation",
            lambda each: site + each.get_absolute_url(),
        ),
    ]


def completion_fields() -> list[Field]:
    """The metric itself: mean, lowest and highest run."""

    def mean(row: StandingsRow) -> Rate:
        return Rate(row.in_scope.completed_count, row.in_scope.task_runs)

    def lowest(row: StandingsRow) -> Rate:
        return Rate(min(row.in_scope.completed_by_run), row.in_scope.task_count)

    def highest(row: StandingsRow) -> Rate:
        return Rate(max(row.in_scope.completed_by_run), row.in_scope.task_count)

    return [
        *rate("task_completion", "completed of all task runs", mean),
        *rate("task_completion_min", "lowest run", lowest),
        *rate("task_completion_max", "highest run", highest),
    ]


def fields_of_column(key: str) -> list[Field]:
    match key:
        case "completed":
            return [
                figure("completed", "completed task runs", lambda f: f.completed_count)
            ]
        case "runs":
            return _runs()
        case "first_build":
            return rate(
                "first_build",
                "task runs whose first build succeeded",
                lambda row: Rate(
                    row.in_scope.first_build_count, row.in_scope.task_runs
                ),
            )
        case "final_build":
            return rate(
                "final_build",
                "task runs whose final build succeeded",
                lambda row: Rate(
                    row.in_scope.final_build_count, row.in_scope.task_runs
                ),
            )
        case "tokens":
            return rate(
                "tokens_per_task",
                "tokens, mean over task runs; gross use, as providers count it",
                lambda row: _mean(row.in_scope.tokens_per_task, row.in_scope.task_runs),
            )
        case "seconds":
            return rate(
                "seconds_per_task",
                "seconds of the agent, mean over task runs; gross use, within one "
                "environment; numerator in milliseconds",
                lambda row: _mean(
                    row.in_scope.seconds_per_task, row.in_scope.task_runs * 1000
                ),
            )
        case "agent":
            return [
                text("agent", "agent", lambda each: each.agent_name),
                text("agent_version", "its version", lambda each: each.agent_version),
            ]
        case "published":
            return [
                fact(
                    "published_on",
                    "string",
                    "day (UTC) from which it is public",
                    lambda each: (
                        each.published_at and each.published_at.date().isoformat()
                    ),
                )
            ]
        case _:
            return _of_source(Scope(key))


def _of_source(source: Scope) -> list[Field]:
    def completion(row: StandingsRow) -> Rate | None:
        found = row.figures.get(source)
        return None if found is None else Rate(found.completed_count, found.task_runs)

    name = f"{source.value.replace('-', '_')}_completion"
    return rate(name, f"Task Completion of {source.value} tasks", completion)


def _runs() -> list[Field]:
    return [
        Field(
            "completed_by_run",
            "list<int64>",
            "completed tasks of each run",
            lambda row: list(row.in_scope.completed_by_run),
        ),
        fact(
            "runs_in_order",
            "bool",
            "false where the order of the runs is not known: then by rising count",
            lambda each: each.runs_in_order,
        ),
    ]


def _mean(value: Fraction | None, denominator: int) -> Rate:
    """The mean as the whole sum that it came from over ``denominator``."""
    return Rate(None if value is None else int(value * denominator), denominator)
