"""What stored files are, in words."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

_LABELS: Mapping[str, str | Promise] = {
    "diagnostics": _("build diagnostics"),
    "gate": _("check of the patch"),
    "log": pgettext_lazy("kind of file", "log"),
    "package": _("app package"),
    "patch": pgettext_lazy("kind of file", "patch"),
    "report": _("test report"),
    "screenshot": _("screenshot"),
    "submitted-log": _("submitted log"),
    "submitted-patch": _("submitted patch"),
    "trajectory": _("trajectory"),
    "usage": _("use of tokens and time"),
}


def kind_label(kind: str) -> str:
    """A kind that this table lacks is shown by its own name."""
    return str(_LABELS.get(kind, kind))
