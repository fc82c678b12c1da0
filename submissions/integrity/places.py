"""Addresses of what signals speak of."""

from __future__ import annotations

from django.urls import reverse

# Records on a page of a trajectory; empty lines count, so that a step's page is known.
PAGE_STEPS = 25


def step_page(number: int) -> int:
    """The page of a trajectory that holds step ``number``, both from 1."""
    return (number - 1) // PAGE_STEPS + 1


def trajectory_url(
    evaluation: int, run: int, slug: str, step: int | None = None
) -> str:
    """The address of a step on its page, or of the whole trajectory."""
    address = reverse("task-run-trajectory", args=[evaluation, run, slug])
    if not step:
        return address
    page = step_page(step)
    return f"{address}{f'?page={page}' if page > 1 else ''}#step-{step}"


def audit_url(evaluation: int, signal: int | None = None) -> str:
    """The address of an evaluation's audit, or of one signal there."""
    address = reverse("evaluation-audit", args=[evaluation])
    return address if signal is None else f"{address}#signal-{signal}"
