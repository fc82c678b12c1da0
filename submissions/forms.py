"""Forms of the submission pages."""

from __future__ import annotations

from datetime import timedelta

from django import forms
from django.utils.translation import gettext_lazy as _


class UploadForm(forms.Form):
    """One bundle; what is in it is judged by validation, not here."""

    bundle = forms.FileField(
        label=_("Bundle"),
        allow_empty_file=True,
        widget=forms.FileInput(
            {"accept": ".zip,.gz,.tgz,application/zip,application/gzip"}
        ),
        error_messages={"required": _("Choose a file first.")},
    )


class ReasonForm(forms.Form):
    """Why somebody acts on a submission."""

    reason = forms.CharField(required=False, max_length=2000, strip=True)


class TokenForm(forms.Form):
    """How long a new API token is valid."""

    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        choices=[(7, _("7 days")), (30, _("30 days")), (90, _("90 days"))],
        initial=30,
        widget=forms.Select({"class": "field"}),
    )

    @property
    def validity(self) -> timedelta:
        return timedelta(days=self.cleaned_data["days"])
