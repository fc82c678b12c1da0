"""Forms of the review pages. What they ask for is checked by the services."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from submissions.forms import PublishForm, ReasonForm
from submissions.models import Decision, MessageKind
from submissions.review.decisions import DECISIONS
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
    """An answer or an appeal of the submitter."""

    text = forms.CharField(max_length=4000, strip=True, required=False)


class AppealForm(ReasonForm):
    outcome = forms.ChoiceField(
        choices=[("upheld", _("Uphold")), ("dismissed", _("Dismiss"))]
    )
    seen = forms.IntegerField(required=False, min_value=0)


class VerdictForm(ReasonForm):
    """The verdict on one signal; ``overrule`` also proposes that its task run is 0."""

    decision = forms.ChoiceField(choices=Decision.choices)
    overrule = forms.BooleanField(required=False)


class OverrulingForm(ReasonForm):
    """Which task run should count 0."""

    run = forms.IntegerField(min_value=1)
    task = forms.CharField(max_length=200)
    seen = forms.IntegerField(required=False, min_value=0)
