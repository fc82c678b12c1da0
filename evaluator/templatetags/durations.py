"""Spans of time and reasons of attempts in templates."""

from __future__ import annotations

from datetime import datetime, timedelta

from django import template
from django.utils import timezone
from django.utils.functional import Promise

from evaluator.durations import duration_text, rough_text
from evaluator.reasons import reason_label

register = template.Library()


@register.filter
def duration(span: timedelta | None) -> str:
    return "—" if span is None else duration_text(span)


@register.filter
def roughly(span: timedelta) -> str:
    return rough_text(span)


@register.filter
def ago(moment: datetime) -> str:
    """How long ago ``moment`` was."""
    return duration_text(timezone.now() - moment)


@register.filter
def in_words(reason: str) -> str | Promise:
    """The reason of an attempt or a job in the reader's language."""
    return reason_label(reason)
