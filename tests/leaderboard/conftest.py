"""Fixtures of the tests of the public pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import translation

from leaderboard.models import EvaluationSnapshot
from leaderboard.published import load_published

PUBLISHED = Path(__file__).resolve().parent.parent.parent / "fixtures" / "published"


@pytest.fixture(autouse=True)
def english_again():
    """A request in another language leaves that language behind in its thread."""
    yield
    translation.deactivate()


@pytest.fixture
def published(db) -> EvaluationSnapshot:
    """The v1.0 snapshot with its eight published evaluations."""
    return load_published(PUBLISHED).snapshot
