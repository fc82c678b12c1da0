"""Conditions of an evaluation in templates."""

from __future__ import annotations

from collections.abc import Iterable

from django import template

from leaderboard.presenters.conditions import condition_labels

register = template.Library()


@register.filter
def condition_names(fields: Iterable[str]) -> str:
    """The differing fields in words of the reader's language."""
    return condition_labels(fields)
