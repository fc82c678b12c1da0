"""Forms of the review pages. What they ask for is checked by the services."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from leaderboard.failures.taxonomy import REVIEWABLE
from submissions.forms import PublishForm, ReasonForm
from submissions.models import Decision, MessageKind
from submissions.review.decisions import DECISIONS, DECLARE, REVOKE
from submissions.transitions import Act


class DecisionForm(PublishForm):
    """One decision. ``seen`` is what the page had seen; without it nothing is checked.

    The label of an act is part of the choice, so that an unknown one is told.
    """

    act = forms.ChoiceField(choices=[(each.value, each.label) for each in DECISIONS])
    seen = forms.IntegerField(required=False, min_value=0)

    @property
    def chosen(self) -> Act:
        return Act(self.cleaned_data["act"])


class ProposalForm(ReasonForm):
    """What a second maintainer makes of a proposal."""

    verdict = forms.ChoiceField(
        choices=[("confirm", _("Confirm")), ("decline", _("Decline"))]
    )
    seen = forms.IntegerField(required=False, min_value=0)


class MessageForm(forms.Form):
    """A note for maintainers, or a message to the submitter."""

    kind = forms.ChoiceField(
        choices=[
            (MessageKind.NOTE.value, MessageKind.NOTE.label),
            (MessageKind.MESSAGE.value, MessageKind.MESSAGE.label),
        ]
    )
    text = forms.CharField(max_length=4000, strip=True, required=False)


class TextForm(forms.Form):
    """An answer or an appeal of the submitter; with ``run`` and ``task`` an appeal
    against the overruling of that task run.
    """

    run = forms.IntegerField(required=False, min_value=1)
    task = forms.CharField(required=False, max_length=200)

    text = forms.CharField(max_length=4000, strip=True, required=False)


class AppealForm(ReasonForm):
    """The answer to an appeal; ``appeal`` is the number of one against an overruling,
    whose task run is ``run`` and ``task``.
    """

    appeal = forms.IntegerField(required=False, min_value=1)
    run = forms.IntegerField(required=False, min_value=1)
    task = forms.CharField(required=False, max_length=200)
    outcome = forms.ChoiceField(
        choices=[("upheld", _("Uphold")), ("dismissed", _("Dismiss"))]
    )
    seen = forms.IntegerField(required=False, min_value=0)


class VerdictForm(ReasonForm):
    """The verdict on one signal; ``overrule`` also proposes that its task run is 0.

    ``back`` names the page that the form stood on.
    """

    public_note = forms.CharField(required=False, max_length=2000, strip=True)
    back = forms.ChoiceField(choices=[("audit", "audit")], required=False)
    decision = forms.ChoiceField(choices=Decision.choices)
    overrule = forms.BooleanField(required=False)


class ComparabilityForm(ReasonForm):
    """Whether different conditions are to be ranked together."""

    act = forms.ChoiceField(
        choices=[(DECLARE, _("Declare comparable")), (REVOKE, _("Revoke"))]
    )
    seen = forms.IntegerField(required=False, min_value=0)


class ReevaluationForm(ReasonForm):
    """On which other snapshot the files are evaluated."""

    snapshot = forms.CharField(max_length=100)


class OverrulingForm(ReasonForm):
    """Which task run should count 0."""

    run = forms.IntegerField(min_value=1)
    task = forms.CharField(max_length=200)
    seen = forms.IntegerField(required=False, min_value=0)


class FailureLabelForm(forms.Form):
    """Why a task run failed, and what shows it."""

    run = forms.IntegerField(min_value=1)
    task = forms.CharField(max_length=200)
    failure = forms.ChoiceField(
        choices=[(each.value, each.label) for each in REVIEWABLE]
    )
    note = forms.CharField(required=False, max_length=2000, strip=True)
    file = forms.CharField(required=False, max_length=160, strip=True)
    line = forms.IntegerField(required=False, min_value=1, max_value=10**9)
