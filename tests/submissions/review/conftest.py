"""People and submissions for the tests of reviews."""

from __future__ import annotations

import pytest

from submissions.models import Submission
from tests.factories import TeamFactory, UserFactory
from tests.submissions.jobs import fail_all


@pytest.fixture
def evaluated(submission) -> Submission:
    """Every task run is scored; a maintainer may decide."""
    fail_all(submission)
    return submission


@pytest.fixture
def second(db):
    """Another maintainer."""
    return UserFactory(username="second", is_staff=True)


@pytest.fixture
def third(db):
    return UserFactory(username="third", is_staff=True)


@pytest.fixture
def insider(evaluated):
    """A maintainer of the team that owns the submission."""
    found = UserFactory(username="insider", is_staff=True)
    evaluated.team = TeamFactory(owner=evaluated.user, members=[found])
    evaluated.save(update_fields=["team"])
    return found
