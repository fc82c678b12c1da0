"""The filters of pages: forms over the query of a GET request.

A value that is not understood is ignored and named, never an error page.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from leaderboard.failures.chosen import CHOICES
from leaderboard.ignored import Ignored, one_of
from leaderboard.models import Difficulty, Provenance


class QueryForm(forms.Form):
    """Optional filters; ``chosen`` and ``ignored`` say what was understood."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self._values: dict[str, list[str]] = {}
        for name, field in self.fields.items():
            # Scripts give the focus back to the field of this name.
            field.widget.attrs |= {"class": "field", "data-focus": name}

    def chosen(self, name: str) -> str:
        """The cleaned value of a field, or its initial value where it was ignored."""
        self.is_valid()
        value = self.cleaned_data.get(name) or self.fields[name].initial
        return str(value or "")

    @property
    def narrows(self) -> bool:
        """Whether any filter is set, so that rows may be hidden."""
        return any(self.chosen(name) for name in self.fields)

    @property
    def ignored(self) -> list[Ignored]:
        """Fields that were given but not understood."""
        return [
            Ignored(name, str(self.data.get(name, "")), self._advice(name))
            for name in self.errors
        ]

    def _advice(self, name: str) -> str:
        if name in self._values:
            return one_of(self._values[name])
        return str(self.errors[name][0])

    def _set_choices(self, name: str, *, empty: Any, values: Iterable[Any]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - set by this class
        choices = list(values)
        self._values[name] = [str(value) for value, _label in choices]
        field.choices = [("", empty), *choices]


def _search(label: Any) -> forms.CharField:
    widget = forms.TextInput({"type": "search", "autocomplete": "off"})
    return forms.CharField(required=False, max_length=100, label=label, widget=widget)


class StandingsForm(QueryForm):
    """Which rows of a leaderboard are shown, and in which order."""

    q = _search(_("Search models"))
    family = forms.ChoiceField(required=False, label=_("Model family"))
    provider = forms.ChoiceField(required=False, label=_("Provider"))
    agent = forms.ChoiceField(required=False, label=_("Agent"))
    provenance = forms.ChoiceField(required=False, label=_("Provenance"))

    def __init__(
        self,
        data: Any,
        *,
        families: Iterable[str],
        providers: Iterable[str],
        agents: Sequence[str],
        provenances: Iterable[str],
    ) -> None:
        super().__init__(data)
        self._set_choices(
            "family", empty=_("Any family"), values=((f, f) for f in families)
        )
        self._set_choices(
            "provider", empty=_("Any provider"), values=((p, p) for p in providers)
        )
        self._set_choices(
            "agent", empty=_("Any agent"), values=((a, a) for a in agents)
        )
        # Where all have the same agent, there is nothing to choose.
        self.offers_agents = len(agents) > 1 or bool(data.get("agent"))
        self._set_choices(
            "provenance",
            empty=_("Any provenance"),
            values=((name, Provenance(name).label) for name in provenances),
        )


class Completion(TextChoices):
    """How often public evaluations completed a task."""

    NEVER = "never", _("never completed")
    UNSTABLE = "unstable", _("unstable: in some runs only")
    ALWAYS = "always", _("always completed")
    RARELY = "under-half", _("in under half of the task runs")
    OFTEN = "half-or-more", _("in half of the task runs or more")


class TaskForm(QueryForm):
    """Which tasks of a snapshot are listed."""

    q = _search(_("Search tasks"))
    source = forms.ChoiceField(required=False, label=_("Task source"))
    difficulty = forms.ChoiceField(required=False, label=_("Difficulty"))
    repository = forms.ChoiceField(required=False, label=_("Repository"))
    kit = forms.ChoiceField(required=False, label=_("Kit"))
    completed = forms.ChoiceField(required=False, label=_("Completed"))

    def __init__(
        self,
        data: Any,
        *,
        sources: Iterable[tuple[str, str]],
        kits: Iterable[tuple[str, str]],
        repositories: Iterable[str],
    ) -> None:
        super().__init__(data)
        self._set_choices(
            "repository",
            empty=_("Any repository"),
            values=((name, name) for name in repositories),
        )
        self._set_choices(
            "completed", empty=_("However often"), values=Completion.choices
        )
        self._set_choices("source", empty=_("Any source"), values=sources)
        self._set_choices(
            "difficulty", empty=_("Any difficulty"), values=Difficulty.choices
        )
        self._set_choices("kit", empty=_("Any Kit"), values=kits)


class RunForm(QueryForm):
    """Which task runs of a run are listed."""

    q = _search(_("Search tasks"))
    outcome = forms.ChoiceField(required=False, label=_("Outcome"))
    reason = forms.ChoiceField(required=False, label=_("Failure reason"))
    source = forms.ChoiceField(required=False, label=_("Task source"))

    def __init__(
        self,
        data: Any,
        *,
        sources: Iterable[tuple[str, str]],
        outcomes: Iterable[tuple[str, Any]],
    ) -> None:
        super().__init__(data)
        self._set_choices("outcome", empty=_("Any outcome"), values=outcomes)
        self._set_choices("reason", empty=_("Any reason"), values=CHOICES)
        self._set_choices("source", empty=_("Any source"), values=sources)


class ReasonForm(QueryForm):
    """Which rows of a task's outcomes are shown."""

    reason = forms.ChoiceField(required=False, label=_("Failure reason"))

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self._set_choices("reason", empty=_("Any reason"), values=CHOICES)


class FailureForm(ReasonForm):
    """Which failed task runs of an evaluation are listed."""

    source = forms.ChoiceField(required=False, label=_("Task source"))
    kit = forms.ChoiceField(required=False, label=_("Kit"))
    run = forms.ChoiceField(required=False, label=_("Run"))

    def __init__(
        self,
        data: Any,
        *,
        sources: Iterable[tuple[str, str]],
        kits: Iterable[tuple[str, str]],
        runs: Iterable[tuple[str, str]],
    ) -> None:
        super().__init__(data)
        self._set_choices("source", empty=_("Any source"), values=sources)
        self._set_choices("kit", empty=_("Any Kit"), values=kits)
        self._set_choices("run", empty=_("All"), values=runs)


class AcrossForm(QueryForm):
    """Which task runs are counted for every configuration."""

    source = forms.ChoiceField(required=False, label=_("Task source"))
    kit = forms.ChoiceField(required=False, label=_("Kit"))

    def __init__(
        self,
        data: Any,
        *,
        sources: Iterable[tuple[str, str]],
        kits: Iterable[tuple[str, str]],
    ) -> None:
        super().__init__(data)
        self._set_choices("source", empty=_("Any source"), values=sources)
        self._set_choices("kit", empty=_("Any Kit"), values=kits)
