"""Kinds of stored files in templates."""

from __future__ import annotations

from django import template

from leaderboard.presenters import artifact_kinds

register = template.Library()


@register.filter
def kind_label(kind: str) -> str:
    """What a stored file is, in the reader's language."""
    return artifact_kinds.kind_label(kind)
