"""What the tests of submissions share."""

from __future__ import annotations

import pytest

from submissions import intake, services
from submissions.models import Submission
from tests.requirements import harbor_command
from tests.submissions.bundles import files_for, make_snapshot, write_archive
from tests.submissions.ohbench import ohbench

__all__ = ["ohbench"]

# No Harbor runs on the Python that this project is made for.
collect_ignore = (
    [] if harbor_command() else ["test_real_harbor.py", "test_real_harbor_export.py"]
)


@pytest.fixture(autouse=True)
def isolating(monkeypatch):
    """A working sandbox, whatever this machine has; a test may take it away."""

    def set_to(value: bool) -> None:
        monkeypatch.setattr(intake, "sandbox_isolates", lambda: value)

    set_to(True)
    return set_to


@pytest.fixture
def snapshot(db):
    return make_snapshot()


@pytest.fixture
def submission(snapshot, user, tmp_path) -> Submission:
    """An accepted submission of ``user``: two runs of two tasks, all queued."""
    archive = write_archive(tmp_path, files_for(snapshot))
    found = services.receive(user, archive, origin="page").submission
    assert found is not None
    return found
