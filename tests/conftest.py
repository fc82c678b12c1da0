"""Fixtures that every folder of tests may use."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import UserFactory

pytest_plugins = ["tests.requirements"]


@pytest.fixture(autouse=True)
def data_dir(settings, tmp_path):
    """A data folder of its own for each test, so that no test sees another's files."""
    settings.DATA_DIR = tmp_path / "data"
    settings.WORK_DIR = settings.DATA_DIR / "work"
    settings.DATA_DIR.mkdir()
    return settings.DATA_DIR


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
