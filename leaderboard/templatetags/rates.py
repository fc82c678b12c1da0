"""Numbers in templates. Everything below a template works in exact values."""

from __future__ import annotations

from django import template

register = template.Library()


@register.filter
def decimals(value: float, digits: int) -> str:
    """A place on a figure as text; figures hold floats, tables exact values."""
    return f"{value:,.{digits}f}"
