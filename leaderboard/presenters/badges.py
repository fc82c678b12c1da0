"""What a badge says of one evaluation: its rank, or why it has none."""

from __future__ import annotations

from django.utils.translation import gettext as _

from leaderboard.charts import Badge, badge
from leaderboard.formats import percent
from leaderboard.models import Evaluation, Provenance
from leaderboard.standings import Standings, StandingsRow, standings


def evaluation_badge(evaluation: Evaluation) -> Badge:
    """The badge of a public or struck-out evaluation, on the overall table of now."""
    snapshot = evaluation.snapshot
    name = str(snapshot)
    if evaluation.simulated:
        name = _("%(snapshot)s, simulated device") % {"snapshot": name}
    if evaluation.is_struck_out:
        return badge(name, evaluation.get_visibility_display(), tone="struck-out")
    table = standings(snapshot)
    row = next(
        each
        for each in (*table.rows, *table.unranked)
        if each.evaluation.pk == evaluation.pk
    )
    return badge(name, _value(row, table), tone=_tone(row))


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
