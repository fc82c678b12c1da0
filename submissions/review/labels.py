"""What an act is called on buttons and in proposals."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from submissions.review.decisions import DECLARE, REVOKE
from submissions.review.false_failures import FALSE_FAILURE
from submissions.review.overrulings import LIFT, OVERRULE
from submissions.transitions import Act

_OTHERS: Mapping[str, str | Promise] = {
    OVERRULE: _("Let a task run count 0"),
    FALSE_FAILURE: _("Publish an erratum and run the files again"),
    LIFT: _("Let a task run count again"),
    DECLARE: _("Declare comparable"),
    REVOKE: _("Revoke the declaration of comparability"),
}


def act_label(act: str) -> str | Promise:
    """The words for an act of the table, or for one that only needs two persons."""
    return _OTHERS[act] if act in _OTHERS else Act(act).label
