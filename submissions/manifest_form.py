"""The manifest as a form, for those who would rather not write JSON."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, NamedTuple

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext, gettext_lazy
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from submissions import strict_json
from submissions.manifest import Manifest
from submissions.manifest_findings import expected
from submissions.manifest_schema import FieldRow, field_rows

LABELS = {
    "schema_version": _("Version of the format"),
    "mode": _("What is handed in"),
    "benchmark": _("Short name of the benchmark"),
    "benchmark_version": _("Benchmark version"),
    "task_snapshot_date": _("Task snapshot date"),
    "evaluation_scripts": _("Evaluation scripts"),
    "agent.name": _("Agent"),
    "agent.version": _("Agent version"),
    "model.identifier": _("Model"),
    "model.provider": _("Provider"),
    "model.family": _("Model family"),
    "sdk": _("SDK"),
    "toolchain": _("Toolchain"),
    "device_profile": _("Device profile"),
    "run_parameters.temperature": _("Temperature"),
    "run_parameters.context_window_tokens": _("Context window (tokens)"),
    "run_parameters.reasoning_budget_tokens": _("Reasoning budget (tokens)"),
    "run_configuration.runs": _("Runs"),
    "run_configuration.repair_limit": _("Repair limit"),
    "execution_environment.operating_system": _("Operating system"),
    "execution_environment.hardware": _("Hardware"),
    "execution_environment.notes": _("Notes"),
    "contact.name": _("Contact"),
    "contact.email": _("E-mail address"),
}
# Fields that stand at the top of the manifest, by the first of each group.
_LEGENDS = {
    "schema_version": _("the format and the benchmark"),
    "sdk": _("what the projects are built with and run on"),
}
_AUTOCOMPLETE = {"contact.name": "name", "contact.email": "email"}
# In a form nobody writes quotes.
_IN_A_FORM = {"int_type": _("a whole number"), "float_type": _("a number")}
_LONG = 1000
_CHOICES = {
    "workspaces": _("Patches of finished workspaces"),
    "configuration": _("A configuration whose agent is run here"),
}


class FormRow(NamedTuple):
    """One field with what the schema says of it."""

    bound: BoundField
    row: FieldRow


class FormGroup(NamedTuple):
    legend: Any
    rows: list[FormRow]


def rows_of_form() -> list[FieldRow]:
    """The fields that people fill in; ``origin`` is written by a conversion."""
    return [row for row in field_rows() if not row.name.startswith("origin.")]


class ManifestForm(forms.Form):
    """One field per field of the manifest; the manifest's own model judges them all.

    ``initial`` has values by path. ``document`` is the manifest once the form is valid.
    """

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        self.rows = rows_of_form()
        constants = {
            row.name: row.limits["const"] for row in self.rows if "const" in row.limits
        }
        first = {
            row.name: row.limits["enum"][0] for row in self.rows if "enum" in row.limits
        }
        super().__init__(data, initial={**first, **(initial or {}), **constants})
        for row in self.rows:
            self.fields[row.name] = _field(row)

    def clean(self) -> None:
        document = self.document
        try:
            Manifest.model_validate(document)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                name = ".".join(map(str, detail["loc"]))
                if name not in self.errors:
                    self.add_error(name, _told(detail))

    @property
    def document(self) -> dict[str, Any]:
        """The manifest as it was filled in; fields that are empty are left out."""
        document: dict[str, Any] = {}
        for row in self.rows:
            above, _dot, name = row.name.rpartition(".")
            # Also where all of an object is empty: each of its fields is told then.
            owner = document.setdefault(above, {}) if above else document
            if text := self.cleaned_data.get(row.name):
                owner[name] = _value(text, row)
        return document

    def groups(self) -> Iterator[FormGroup]:
        """The fields in the order of the manifest, those of one object together."""
        for above, rows in groupby(self.rows, lambda row: row.name.rpartition(".")[0]):
            found = [FormRow(self[row.name], row) for row in rows]
            legend = (
                gettext_lazy(str(Manifest.model_fields[above].description))
                if above
                else _LEGENDS[found[0].row.name]
            )
            yield FormGroup(legend, found)


def _field(row: FieldRow) -> forms.Field:
    limits = row.limits
    attributes: dict[str, Any] = {"class": "field"}
    widget: forms.Widget
    if "enum" in limits:
        choices = [(each, _CHOICES.get(each, each)) for each in limits["enum"]]
        widget = forms.Select({**attributes, "required": True}, choices=choices)
    elif limits.get("maxLength", 0) > _LONG:
        widget = forms.Textarea({**attributes, "rows": 4})
    else:
        widget = forms.TextInput(attributes)
    if row.required:
        widget.attrs["required"] = True
    if "const" in limits:
        widget.attrs["readonly"] = True
    elif limits["type"] == "integer":
        widget.attrs["inputmode"] = "numeric"
    elif limits["type"] == "number":
        widget.attrs["inputmode"] = "decimal"
    if row.name in _AUTOCOMPLETE:
        widget.attrs["autocomplete"] = _AUTOCOMPLETE[row.name]
    # What is required is the model's to say. The help stands in the template; here it
    # makes the field refer to it.
    return forms.CharField(
        label=LABELS[row.name],
        required=False,
        help_text=row.description,
        widget=widget,
    )


def _value(text: str, row: FieldRow) -> object:
    """What was typed as the manifest has it; what is no number stays a text."""
    limits = row.limits
    if limits.get("type") not in ("integer", "number"):
        return unicodedata.normalize("NFC", text.replace("\r\n", "\n"))
    try:
        value = strict_json.loads(text.encode(), where=row.name)
    except strict_json.StrictJsonError:
        return text
    return text if isinstance(value, (str, dict, list)) else value


def _told(detail: ErrorDetails) -> str:
    if detail["type"] == "missing":
        return gettext("Fill this in.")
    wanted = _IN_A_FORM.get(detail["type"]) or expected(detail, translated=gettext)
    return gettext("Give %(expected)s.") % {"expected": wanted}
