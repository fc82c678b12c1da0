"""The form of the page where people choose what they are told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib.auth.models import User

from submissions.models import MailPreference
from submissions.notices.kinds import Group
from submissions.notices.preferences import preference_of


class NotificationForm(forms.ModelForm):  # type: ignore[type-arg]  # no subscript at run time
    """What a person wants by mail; the last switch is for maintainers alone."""

    class Meta:
        model = MailPreference
        fields = ["language", *Group]
        widgets = {"language": forms.Select({"class": "field"})}

    def __init__(self, user: User, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, instance=preference_of(user))
        if not user.is_staff:
            del self.fields[Group.OPERATIONS]

    @property
    def switches(self) -> list[forms.BoundField]:
        return [self[group] for group in Group if group in self.fields]
