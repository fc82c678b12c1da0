"""What an act is called on buttons and in proposals."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from submissions.review.decisions import OVERRULE
from submissions.transitions import Act


def act_label(act: str) -> str | Promise:
    """The words for an act of the table, or for overruling one task run."""
    return _("Let a task run count 0") if act == OVERRULE else Act(act).label
