"""Forms of the curation pages. What they ask for is checked by the services."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.curation import SnapshotAct
from leaderboard.models import Opinion
from submissions.forms import ReasonForm

RELEASE, AGAIN = "release", "again"


class VerdictOnTaskForm(ReasonForm):
    """A curator's word; ``seen`` is the digest of the task that was looked at."""

    opinion = forms.ChoiceField(choices=Opinion.choices)
    seen = forms.CharField(max_length=64)


class SnapshotActForm(ReasonForm):
    """A step of a snapshot; ``successor`` is the version that supersedes it."""

    act = forms.ChoiceField(
        choices=[
            *SnapshotAct.choices,
            (RELEASE, _("Release the hidden files")),
            (AGAIN, _("Prove again")),
        ]
    )
    successor = forms.CharField(max_length=40, required=False)
