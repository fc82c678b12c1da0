"""Forms of the submission pages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from django import forms
from django.contrib.auth.models import AnonymousUser, User
from django.core.files.uploadedfile import UploadedFile
from django.utils.datastructures import MultiValueDict
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from leaderboard.forms import QueryForm
from submissions.accounts.tokens import scopes_for
from submissions.models import (
    Role,
    Scope,
    Submission,
    SubmissionQuerySet,
    SubmissionState,
    Team,
    UploadSession,
)
from submissions.resumable import sessions
from submissions.uploads import Given


class UploadForm(forms.Form):
    """One bundle; what is in it is judged by validation, not here.

    It comes as a file or as the id of an ``upload`` in parts; a file goes first.
    ``team`` offers the teams of ``user``; empty means that it stays their own.
    ``accept_warnings`` is the digest of the warnings that were ticked, ``copy_of`` the
    submission that this one was begun from.
    """

    bundle = forms.FileField(
        label=_("Bundle"),
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(
            {"accept": ".zip,.gz,.tgz,application/zip,application/gzip"}
        ),
    )
    upload = forms.UUIDField(required=False, widget=forms.HiddenInput)
    accept_warnings = forms.CharField(required=False, max_length=64)
    copy_of = forms.ModelChoiceField(
        queryset=Submission.objects.none(), required=False, widget=forms.HiddenInput
    )
    team = forms.ModelChoiceField(
        label=_("Belongs to"),
        queryset=Team.objects.none(),
        required=False,
        to_field_name="slug",
        empty_label=_("Only me"),
        widget=forms.Select({"class": "field"}),
    )

    def __init__(
        self,
        user: User | AnonymousUser,
        data: Mapping[str, Any] | None = None,
        files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
        *,
        copy_of: Submission | None = None,
    ) -> None:
        super().__init__(data, files, initial={"copy_of": copy_of and copy_of.pk})
        self.user = user
        own = Submission.objects.visible_to(user)
        self.fields["copy_of"].queryset = own  # type: ignore[attr-defined]  # a model choice field
        self._copy_of = copy_of
        self.fields["team"].queryset = Team.objects.of(user)  # type: ignore[attr-defined]  # a model choice field

    def clean(self) -> None:
        if self.session is None and not self.cleaned_data.get("bundle"):
            self.add_error("bundle", _("Choose a file first."))

    @property
    def copied(self) -> Submission | None:
        """The submission that this one begins from, also before anything was sent."""
        found: Submission | None = getattr(self, "cleaned_data", {}).get("copy_of")
        return found or self._copy_of

    @cached_property
    def session(self) -> UploadSession | None:
        """The upload in parts that waits to be used, if that is what was given."""
        uuid = self.cleaned_data.get("upload")
        if not uuid or self.cleaned_data.get("bundle") or self.user.pk is None:
            return None
        return sessions.find_whole(self.user, uuid)

    @property
    def given(self) -> Given:
        found: Given | None = self.session or self.cleaned_data["bundle"]
        assert found is not None  # noqa: S101 - clean() saw to it
        return found


class SubmissionListForm(QueryForm):
    """Which submissions are listed; ``snapshots`` are the versions to choose from."""

    q = forms.CharField(
        required=False,
        max_length=100,
        label=_("Search models, agents, people"),
        widget=forms.TextInput({"type": "search", "autocomplete": "off"}),
    )
    state = forms.ChoiceField(required=False, label=_("State"))
    snapshot = forms.ChoiceField(required=False, label=_("Snapshot"))

    def __init__(self, data: Any, *, snapshots: Iterable[str]) -> None:
        super().__init__(data)
        self._set_choices("state", empty=_("Any state"), values=SubmissionState.choices)
        self._set_choices(
            "snapshot",
            empty=_("Any snapshot"),
            values=((version, version) for version in snapshots),
        )

    def applied_to(self, found: SubmissionQuerySet) -> SubmissionQuerySet:
        """The rows of ``found`` that every chosen filter lets through."""
        if text := self.chosen("q").strip():
            found = found.matching(text)
        if state := self.chosen("state"):
            found = found.in_state(SubmissionState(state))
        if version := self.chosen("snapshot"):
            found = found.filter(snapshot__version=version)
        return found


class ReasonForm(forms.Form):
    """Why somebody acts on a submission."""

    reason = forms.CharField(required=False, max_length=2000, strip=True)


class NotesForm(forms.Form):
    """What its people write beside a submission, for everybody and for themselves."""

    public_note = forms.CharField(required=False, max_length=4000, strip=True)
    private_note = forms.CharField(required=False, max_length=4000, strip=True)


class PublishForm(ReasonForm):
    """With a date the result is under embargo until that day begins (UTC)."""

    public_from = forms.DateField(
        required=False,
        error_messages={"invalid": _("The day must be a date such as 2026-12-31.")},
    )

    def clean_public_from(self) -> datetime | None:
        day: date | None = self.cleaned_data["public_from"]
        return None if day is None else datetime.combine(day, time.min, tzinfo=UTC)


class TeamForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=80,
        strip=True,
        widget=forms.TextInput({"class": "field", "autocomplete": "organization"}),
    )


class MemberForm(forms.Form):
    """What an owner does with a member: remove them, or give them a role."""

    member = forms.IntegerField()
    act = forms.ChoiceField(choices=[("remove", _("Remove")), *Role.choices])


class TokenForm(forms.Form):
    """Name, scopes and validity of a new API token."""

    name = forms.CharField(
        label=_("Name"),
        max_length=60,
        strip=True,
        widget=forms.TextInput({"class": "field", "autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("May be used to"),
        initial=[Scope.READ, Scope.SUBMIT],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one use.")},
    )
    days = forms.TypedChoiceField(
        label=_("Valid for"),
        coerce=int,
        choices=[(7, _("7 days")), (30, _("30 days")), (90, _("90 days"))],
        initial=30,
        widget=forms.Select({"class": "field"}),
    )

    def __init__(self, user: User, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        scopes = scopes_for(user)
        self.fields["scopes"].choices = [(each, each.label) for each in scopes]  # type: ignore[attr-defined]  # a choice field

    @property
    def validity(self) -> timedelta:
        return timedelta(days=self.cleaned_data["days"])
