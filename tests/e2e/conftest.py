"""Fixtures that browser tests of several subjects use."""

from __future__ import annotations

from typing import Any

import pytest

from submissions import intake
from tests.factories import UserFactory


@pytest.fixture
def users(committed_db, monkeypatch) -> dict[str, Any]:
    """A submitter and an operator, on a machine that takes strangers' bundles."""
    monkeypatch.setattr(intake, "sandbox_isolates", lambda: True)
    return {
        "owner": UserFactory(username="submitter"),
        "operator": UserFactory(username="operator", is_staff=True),
    }
