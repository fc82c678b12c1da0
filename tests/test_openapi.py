"""Every operation of the API answers as its OpenAPI document says, whatever is sent.

A failure is named by operation and person and shows its request as a curl command.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from django.utils import translation
from schemathesis.checks import not_a_server_error
from schemathesis.config import SchemathesisConfig
from schemathesis.specs.openapi import checks

from leaderboard.config.wsgi import application
from submissions.models import UploadSession
from submissions.resumable import sessions
from submissions.resumable.protocol import PART_TYPE
from tests.permissions import World, every_url
from tests.tokens import api_client, token_for

pytestmark = pytest.mark.django_db

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.allow_header_conformance,
    checks.unsupported_method,
]
CONFIG = SchemathesisConfig.from_dict(
    {
        "seed": 459,
        "suppress-health-check": ["all"],
        "generation": {
            "deterministic": True,
            "max-examples": 8,
            "database": "none",
            "with-security-parameters": False,
        },
    }
)
schemathesis.serializer.alias(PART_TYPE, "application/octet-stream")


def whole(environ: dict[str, Any], start_response: Any) -> list[bytes]:
    """The site, with every answer read to its end and closed."""
    answer = application(environ, start_response)
    try:
        return [b"".join(answer)]
    finally:
        answer.close()


SCHEMA = schemathesis.openapi.from_wsgi(
    "/api/schema/?format=json", whole, config=CONFIG
)
OPERATIONS = list(SCHEMA.get_all_operations())
# What these answer is in the tests of their own.
ONLY_WITH_A_QUERY = {"/api/v1/compare/"}


@pytest.fixture
def one_connection() -> Iterator[None]:
    """Requests stay inside the transaction of the test, as Django's client has it."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def ids_of(world: World, path: str) -> dict[str, Any]:
    """What fits into the placeholders of ``path`` and is there to be read."""
    upload = UploadSession.objects.of(world.users["owner"]).first()
    of_kind = {
        "artifacts": world.artifact.pk,
        "evaluations": world.run.evaluation_id,
        "runs": world.run.pk,
        "submissions": str(world.submission.pk),
        "uploads": str(upload.pk) if upload else None,
    }
    snapshot = world.submission.snapshot
    known = {
        "id": of_kind.get(path.split("/")[3]),
        "benchmark": snapshot.benchmark.slug,
        "version": snapshot.version,
        "slug": world.artifact.task.slug,
        "kind": "csv",
    }
    names = set(re.findall(r"{(\w+)}", path))
    assert names <= {name for name, value in known.items() if value}, path
    return {name: known[name] for name in names}


def test_the_document_has_every_operation_of_the_api():
    """Templates of addresses may name their parts otherwise; the rest is equal."""

    def operations(paths: Iterable[tuple[str, str]]) -> set[str]:
        return {
            f"{method} {re.sub('[<{].*?[>}]', '*', path)}" for method, path in paths
        }

    documented = operations(each.ok().label.split() for each in OPERATIONS)
    answered = operations(
        (method.upper(), f"/{url.route}")
        for url in every_url()
        if url.route.startswith("api/v1/")
        for method in ("get", "post", "put", "patch", "delete")
        if hasattr(url.view.cls, method)
    )

    assert documented == answered


def hold_against_the_document(case: Any, user: User | None, world: World) -> None:
    """Send ``case`` as ``user``, who asks for what is there; nobody asks for anything.

    What it changed is undone.
    """
    cache.clear()
    with transaction.atomic(), translation.override("en"):
        headers = {"Accept-Encoding": "identity"}
        if user is not None:
            headers["Authorization"] = f"Token {token_for(user)}"
        if user is not None:
            sessions.begin(world.users["owner"], length=10)
            case.path_parameters = ids_of(world, case.operation.path)
        response = case.call(headers=headers)
        transaction.set_rollback(True)
    case.validate_response(response, checks=CHECKS, headers=headers)


@pytest.mark.usefixtures("one_connection")
@SCHEMA.parametrize()
def test_every_answer_to_nobody_is_as_documented(case, world):
    hold_against_the_document(case, None, world)


@pytest.mark.usefixtures("one_connection")
@SCHEMA.parametrize()
def test_every_answer_to_an_owner_is_as_documented(case, world):
    hold_against_the_document(case, world.users["owner"], world)


@pytest.mark.usefixtures("one_connection")
@SCHEMA.exclude(method="GET").parametrize()
def test_every_act_of_an_administrator_is_answered_as_documented(case, world):
    hold_against_the_document(case, world.users["admin"], world)


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize(
    "operation",
    [
        each.ok()
        for each in OPERATIONS
        if each.ok().method == "get" and each.ok().path not in ONLY_WITH_A_QUERY
    ],
    ids=lambda operation: operation.label,
)
def test_what_is_there_is_answered_and_not_sent_again_unchanged(operation, world):
    sessions.begin(world.users["owner"], length=10)
    case = operation.Case(path_parameters=ids_of(world, operation.path))
    headers = {
        "Accept-Encoding": "identity",
        "Authorization": f"Token {token_for(world.users['owner'])}",
    }
    first = case.call(headers=headers)
    case.validate_response(first, checks=CHECKS, headers=headers)
    assert first.status_code == 200

    if first.headers.get("cache-control") == ["no-store"]:
        return
    (etag,) = first.headers["etag"]
    again = case.call(headers={**headers, "If-None-Match": etag})

    # The state of the evaluator says when it was looked at.
    changes = operation.path == "/api/v1/status/"
    assert again.status_code == (200 if changes else 304)


@pytest.mark.usefixtures("one_connection")
@pytest.mark.parametrize(
    "path",
    [
        each.ok().path
        for each in OPERATIONS
        if each.ok().definition.raw["operationId"].endswith("_list")
    ],
)
def test_every_list_has_pages(path, world):
    client = api_client(world.users["owner"])
    for part, value in ids_of(world, path).items():
        path = path.replace(f"{{{part}}}", str(value))

    whole = client.get(path).json()
    page = client.get(path, {"limit": 1, "offset": 1}).json()

    assert {"count", "next", "previous", "results"} <= set(whole)
    assert whole["count"] == page["count"] == len(whole["results"])
    assert page["results"] == whole["results"][1:2]
    if whole["count"]:
        assert client.get(page["previous"]).json()["results"] == whole["results"][:1]
    for wrong in ({"limit": 0}, {"limit": "x"}, {"offset": -1}, {"offset": "9" * 40}):
        (error,) = client.get(path, wrong).json()["errors"]
        assert error["where"] == f"?{next(iter(wrong))}"
