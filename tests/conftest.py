"""Fixtures that every folder of tests may use."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import translation
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from evaluator.models import Job
from leaderboard import memory
from leaderboard.models import AuditEvent
from submissions import intake, services
from tests.factories import UserFactory
from tests.permissions import World, make_world
from tests.submissions.bundles import files_for, make_snapshot, write_archive
from tests.submissions.jobs import fail_all

pytest_plugins = ["tests.requirements"]

# A busy machine is no finding, and a run of the suite says the same twice;
# `ARGS=--hypothesis-profile=explore make test` looks for examples nobody has seen.
hypothesis_settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
hypothesis_settings.register_profile("explore", deadline=None, max_examples=1000)
hypothesis_settings.load_profile("suite")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what has the database, so that a second suite can leave out the rest."""
    for item in items:
        uses = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
        if uses or item.get_closest_marker("django_db"):
            item.add_marker("database")


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    """A data folder of its own for each test, so that no test sees another's files."""
    settings.DATA_DIR = tmp_path / "data"
    settings.WORK_DIR = settings.DATA_DIR / "work"
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR


@pytest.fixture(autouse=True)
def count_no_limits_of_others():
    """Limits are counted in the cache of the process; each test begins with none."""
    cache.clear()


@pytest.fixture(autouse=True)
def forget_other_tests():
    """What a process remembers of a database that a test has rolled back is wrong."""
    memory.forget()


@pytest.fixture(autouse=True)
def speak_english():
    """A request leaves its language behind; the next test starts with the default."""
    translation.activate("en")


@pytest.fixture
def committed_db(transactional_db):
    """A database whose rows other threads see; it is emptied afterwards.

    The audit trail and jobs that were begun refuse to be deleted, so their guards are
    lifted for that moment.
    """
    yield
    for model, migration in (
        (AuditEvent, "leaderboard.migrations.0002_audit_is_append_only"),
        (Job, "evaluator.migrations.0005_job_guards"),
    ):
        guards = import_module(migration)
        with connection.schema_editor() as editor:
            guards.release(None, editor)
            model.objects.all().delete()
            guards.protect(None, editor)


@pytest.fixture
def user(db):
    return UserFactory()


@pytest.fixture
def maintainer(db):
    return UserFactory(is_staff=True, is_superuser=True)


@pytest.fixture
def signed_in(client: Client, user) -> Client:
    """The test client, signed in as ``user``."""
    client.force_login(user)
    return client


@pytest.fixture
def world(user, tmp_path, monkeypatch) -> World:
    """A private, finished evaluation of ``user``, and who might ask for it."""
    monkeypatch.setattr(intake, "sandbox_isolates", lambda: True)
    archive = write_archive(tmp_path, files_for(make_snapshot()))
    submission = services.receive(user, archive, origin="page").submission
    fail_all(submission)
    return make_world(submission)
