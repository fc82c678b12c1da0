"""What a badge says of one evaluation: its rank, or why it has none."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.charts import Badge, badge
from leaderboard.formats import percent
from leaderboard.models import Evaluation, Provenance
from leaderboard.passing.standings import is_by_pass_rate, pass_standings
from leaderboard.presenters.passing import pass_cells
from leaderboard.standings import Standings, StandingsRow, standings


def evaluation_badge(evaluation: Evaluation) -> Badge:
    """The badge of a public or struck-out evaluation, on the overall table of now."""
    snapshot = evaluation.snapshot
    name = str(snapshot)
    if evaluation.simulated:
        name = _("%(snapshot)s, simulated device") % {"snapshot": name}
    if evaluation.is_struck_out:
        return badge(name, evaluation.get_visibility_display(), tone="struck-out")
    if is_by_pass_rate(snapshot):
        return _pass_badge(evaluation, name)
    table = standings(snapshot)
    row = next(
        each
        for each in (*table.rows, *table.unranked)
        if each.evaluation.pk == evaluation.pk
    )
    return badge(name, _value(row, table), tone=_tone(row))


def _pass_badge(evaluation: Evaluation, name: str) -> Badge:
    table = pass_standings(evaluation.snapshot)
    row = next(
        (
            each
            for each in (*table.rows, *table.unranked)
            if each.evaluation.pk == evaluation.pk
        ),
        None,
    )
    if row is None:
        return badge(name, _("no figures"), tone="apart")
    rate = _("pass rate %(rate)s %%") % {"rate": pass_cells(row.figures).pass_rate}
    if row.rank is None:
        return badge(name, f"{_why_apart(evaluation)} · {rate}", tone="apart")
    rank = _("rank %(rank)s of %(count)s") % {
        "rank": row.rank_label,
        "count": len(table.rows),
    }
    tone = "simulated" if evaluation.simulated else "rank"
    return badge(name, f"{rank} · {rate}", tone=tone)


def _value(row: StandingsRow, table: Standings) -> str:
    completion = _completion(row)
    if row.rank is None:
        reason = _why_apart(row.evaluation)
        return f"{reason} · {completion}"
    rank = _("rank %(rank)s of %(count)s") % {
        "rank": row.rank_label,
        "count": len(table.rows),
    }
    return f"{rank} · {completion}"


def _completion(row: StandingsRow) -> str:
    found = row.in_scope
    mean = percent(found.task_completion.mean)
    return f"{mean} % ({found.completed_count}/{found.task_runs})"


def _why_apart(evaluation: Evaluation) -> str:
    if evaluation.provenance == Provenance.SELF_REPORTED:
        return _("self-reported, not ranked")
    if evaluation.unverified:
        return _("unverified, not ranked")
    return _("not comparable, not ranked")


def _tone(row: StandingsRow) -> str:
    if row.rank is None:
        return "apart"
    return "simulated" if row.evaluation.simulated else "rank"
