"""Kept sentences in templates."""

from __future__ import annotations

from django import template
from django.utils.html import format_html, format_html_join

from leaderboard import sentences
from leaderboard.curation import words

register = template.Library()


register.simple_tag(sentences.gap)


@register.filter
def told(text: str) -> str:
    """A reason, proof or finding in the reader's language, if the software wrote it."""
    return sentences.told(text)


@register.filter
def proof_told(text: str) -> str:
    """What a proof of a task found, in the reader's language."""
    return words.proof_told(text)


@register.filter
def details_told(text: str) -> str:
    """Details of a verdict, in the reader's language as far as the software wrote them.

    The rest is what tools said, and marked as English.
    """
    parts = sentences.list_told(text)
    if all(own for own, _ in parts):
        return "; ".join(words for _, words in parts)
    if not any(own for own, _ in parts):
        return format_html('<span lang="en">{}</span>', text)
    return format_html_join(
        "; ",
        "{}",
        (
            (words if own else format_html('<span lang="en">{}</span>', words),)
            for own, words in parts
        ),
    )
