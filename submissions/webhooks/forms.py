"""The form for a new webhook; what the URL may be is judged in ``addresses.py``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from submissions.models import Role, Team
from submissions.webhooks.addresses import URL_LIMIT


class WebhookForm(forms.Form):
    """For its maker alone, or for a team that they own."""

    url = forms.CharField(
        label=_("URL"),
        max_length=URL_LIMIT,
        strip=True,
        widget=forms.URLInput({"class": "field", "placeholder": "https://"}),
    )
    team = forms.ModelChoiceField(
        label=_("Belongs to"),
        queryset=Team.objects.none(),
        required=False,
        to_field_name="slug",
        empty_label=_("Only me"),
        widget=forms.Select({"class": "field"}),
    )

    def __init__(self, user: User, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        owned = Team.objects.filter(
            memberships__user=user.pk, memberships__role=Role.OWNER
        )
        self.fields["team"].queryset = owned.order_by("name")  # type: ignore[attr-defined]  # a model choice field
