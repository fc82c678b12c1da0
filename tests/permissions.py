"""Every URL of the project, six people, and what is there for each to ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse
from django.utils.translation import override

from leaderboard.models import Artifact, Run
from submissions.accounts import teams
from submissions.models import Submission, Team, Webhook
from tests.factories import TeamFactory, UserFactory
from tests.leaderboard.evaluations import stored
from tests.tokens import token_for

ROLES = ("anonymous", "other", "owner", "mate", "maintainer", "admin")


# A figure that the page above it shows.
_FIGURES = {"evaluation-figure": "outcomes", "benchmark-figure": "difficulty"}


class Url(NamedTuple):
    """One pattern: its full name, its route from the root, and what answers."""

    name: str
    route: str
    view: Any


def every_url() -> list[Url]:
    """All patterns that the resolver knows; an unnamed one is named by its route."""
    return list(_below(get_resolver(), "", ""))


def _below(resolver: Any, route: str, namespace: str) -> Iterator[Url]:
    for pattern in resolver.url_patterns:
        here = route + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield Url(namespace + (pattern.name or here), here, pattern.callback)
        else:
            inner = (
                f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            )
            yield from _below(pattern, here, inner)


@dataclass(frozen=True)
class World:
    """A private, finished evaluation of a team, and everybody who might ask for it."""

    submission: Submission
    team: Team
    artifact: Artifact
    webhook: Webhook
    users: dict[str, User | None]

    @property
    def run(self) -> Run:
        return self.artifact.run

    def _arguments(self, url: Url) -> dict[str, Any]:
        """What fits into the placeholders of the route."""
        route = url.route
        evaluation = self.submission.evaluation
        known: dict[str, Any] = {
            "uuid": self.submission.pk,
            "slug": self.artifact.task.slug,
            "number": self.run.number,
            "benchmark": evaluation.snapshot.benchmark.slug,
            "version": evaluation.snapshot.version,
            "invitation": teams.invitation(self.team),
            "uidb36": "1",
            "key": "none",
            "rest": "tasks/",
            "kind": "csv",
            "figure": _FIGURES.get(url.name, "cost"),
            "pk": evaluation.pk,
            "hook": self.webhook.pk,
            # There are none; who may not act is told so before they are looked for.
            "proposal": 0,
            "signal": 0,
        }
        if url.name.startswith("team"):
            known["slug"] = self.team.slug
        if "runs/<int:pk>" in route:
            known["pk"] = self.run.pk
        if "artifacts/<int:pk>" in route:
            known["pk"] = self.artifact.pk
        if "<uuid:pk>" in route:
            known["pk"] = self.submission.pk
        return {name: value for name, value in known.items() if f"{name}>" in route}

    def path(self, url: Url) -> str:
        if url.name == "api-unknown":
            return "/api/v1/nothing/"
        if "/" in url.name:  # It has no name of its own.
            return "/" + url.route.replace("<path:rest>", "tasks/")
        return reverse(url.name, kwargs=self._arguments(url))


def make_world(submission: Submission) -> World:
    """``submission`` becomes that of a team of its user and one mate."""
    owner, mate = submission.user, UserFactory()
    team = TeamFactory(owner=owner, members=[mate])
    submission.team = team
    submission.save(update_fields=["team"])
    return World(
        submission=submission,
        team=team,
        artifact=stored(
            submission.evaluation.runs.first(),
            submission.snapshot.tasks.first(),
            "build.log",
            b"text",
        ),
        webhook=Webhook.objects.create(team=team, url="https://ci.example.org/"),
        users={
            "anonymous": None,
            "other": UserFactory(),
            "owner": owner,
            "mate": mate,
            "maintainer": UserFactory(is_staff=True),
            "admin": UserFactory(is_staff=True, is_superuser=True),
        },
    )


class Asker:
    """Sends one request as one person, and undoes what came of it."""

    def __init__(self, world: World) -> None:
        self._cookies: dict[str, str] = {}
        self._tokens: dict[str, str] = {}
        for role, user in world.users.items():
            if user is not None:
                client = Client()
                client.force_login(user)
                self._cookies[role] = client.cookies[settings.SESSION_COOKIE_NAME].value
                self._tokens[role] = token_for(user)

    def page(
        self, role: str, method: str, path: str, *, enforce_csrf_checks: bool = False
    ) -> HttpResponseBase:
        client = Client(enforce_csrf_checks=enforce_csrf_checks)
        if role in self._cookies:
            client.cookies[settings.SESSION_COOKIE_NAME] = self._cookies[role]
        return _undone(client, method, path)

    def api(self, role: str, method: str, path: str) -> HttpResponseBase:
        token = self._tokens.get(role)
        headers = {"Authorization": f"Token {token}"} if token else None
        return _undone(Client(headers=headers), method, path)


def _undone(client: Client, method: str, path: str) -> HttpResponseBase:
    cache.clear()
    # Some answers leave another language behind, which the next address would have.
    with transaction.atomic(), override(settings.LANGUAGE_CODE):
        answer = client.generic(method, path)
        if answer.streaming:
            b"".join(answer.streaming_content)
        transaction.set_rollback(True)
    return answer
