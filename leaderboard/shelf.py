"""Pages that the database keeps for all web processes, made when the data change.

Only the addresses that most readers ask for: every source of each snapshot's
leaderboard, in each order that a heading leads to and in each language, and the same
tables of the API as they stand. A process that has just
started takes them from here; everything else it makes itself.
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from http import HTTPStatus
from io import BytesIO
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpRequest
from django.http.request import split_domain_port, validate_host
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import override

from leaderboard import data_version
from leaderboard.build import fingerprint
from leaderboard.current import current_of, snapshots_with_tables
from leaderboard.metrics import Scope
from leaderboard.models import EvaluationSnapshot, KeptPage
from leaderboard.passing.standings import is_by_pass_rate
from leaderboard.ranking.orders import (
    DEFAULT_SORT,
    ORDERS,
    SOURCES,
    first_and_second,
)
from leaderboard.ranking.rankings import holding, ranking

logger = logging.getLogger(__name__)

# Says to the page cache that the answer goes to the shelf. No header becomes this name.
_PREPARING = "ohb.preparing"
_ORDINARY_QUERY = re.compile(r"(?:(?:snapshot|source|sort)=[\w.%/-]*&?)*", re.ASCII)
_API = "/api/"


class Answer(NamedTuple):
    """A body with its headers, and how many seconds it may be shown."""

    content: bytes
    headers: list[tuple[str, str]]
    seconds_left: float


def find(request: HttpRequest, version: data_version.Current) -> Answer | None:
    """The answer that was made for this address under ``version``; at most a query."""
    if not version.has_pages or is_preparing(request) or not _is_ordinary(request):
        return None
    request.get_host()  # Refuses a host that is not ours.
    now = timezone.now()
    kept = KeptPage.objects.filter(
        address=_address(request), version=version.number, until__gt=now
    ).first()
    if kept is None:
        return None
    headers = [(name, value) for name, value in kept.headers]
    return Answer(bytes(kept.content), headers, (kept.until - now).total_seconds())


def keep(request: HttpRequest, answer: Answer, version: data_version.Current) -> None:
    """Put the answer to a request of :func:`prepare` where every process finds it."""
    page = KeptPage(
        address=_address(request),
        version=version.number,
        until=timezone.now() + timedelta(seconds=answer.seconds_left),
        content=answer.content,
        headers=answer.headers,
    )
    KeptPage.objects.bulk_create(
        [page],
        update_conflicts=True,
        unique_fields=["address"],
        update_fields=["version", "until", "content", "headers"],
    )


def is_preparing(request: HttpRequest) -> bool:
    return _PREPARING in request.META


def prepare() -> int:
    """Make the ordinary pages of the present data that are not there; how many.

    Call it after the standings were stored: it makes nothing while they are old, nor
    where the site does not answer to its public name.
    """
    version = data_version.current()
    if version is None or not settings.OHB_PAGE_CACHE or not _answers_to_its_name():
        return 0
    if not holding().exists():
        return 0
    there = KeptPage.objects.filter(version=version.number, until__gt=timezone.now())
    known = set(there.values_list("address", flat=True))
    wanted = [_request(path) for path in _ordinary_paths()]
    missing = [request for request in wanted if _address(request) not in known]
    if missing:
        # Made anew under the same addresses, but for those of snapshots that went.
        KeptPage.objects.exclude(address__in=map(_address, wanted)).delete()
        application = WSGIHandler()
        with override(settings.LANGUAGE_CODE):
            for request in missing:
                _make(request, application)
    return len(missing)


def _answers_to_its_name() -> bool:
    host, _port = split_domain_port(urlsplit(settings.PUBLIC_URL).netloc)
    return validate_host(host, settings.ALLOWED_HOSTS)


def _make(request: WSGIRequest, application: WSGIHandler) -> None:
    answer = application.get_response(request)
    answer.close()
    if answer.status_code != HTTPStatus.OK:
        path = request.get_full_path()
        logger.warning("%s cannot be prepared: %s", path, answer.status_code)


def _ordinary_paths() -> Iterator[str]:
    snapshots = snapshots_with_tables(Scope.OVERALL)
    current = current_of(snapshots)
    shown = [
        each
        for each in snapshots
        if each.has_results and not is_by_pass_rate(each)  # type: ignore[attr-defined]  # set with them
    ]
    pages = []
    for language, _name in settings.LANGUAGES:
        with override(language):
            if current is not None:
                pages.append((reverse("home"), current))
            pages += [(each.get_absolute_url(), each) for each in shown]
    for path, snapshot in pages:
        yield from _paths(path, _queries(snapshot))
    with override(settings.LANGUAGE_CODE):
        api = reverse("api-leaderboard")
        if current is not None:
            yield from _paths(api, _queries(current))
        for each in shown:
            yield from _paths(api, _queries(each, {"snapshot": each.version}))
    # Last, since fewer ask for them.
    for path, snapshot in pages:
        yield from _paths(path, _queries_in_order(snapshot))


def _paths(path: str, queries: Iterable[Mapping[str, str]]) -> Iterator[str]:
    for query in queries:
        yield f"{path}?{urlencode(query)}" if query else path


def _queries(
    snapshot: EvaluationSnapshot, known: Mapping[str, str] | None = None
) -> Iterator[dict[str, str]]:
    """That of the table as it stands, and those of each source of ``snapshot``."""
    yield dict(known or {})
    for scope in ranking(snapshot, Scope.OVERALL).summary.denominators:
        if scope != Scope.OVERALL:
            yield {**(known or {}), "source": scope.value}


def _queries_in_order(snapshot: EvaluationSnapshot) -> Iterator[dict[str, str]]:
    """Those that the headings of these tables lead to, written as they write them."""
    for query in _queries(snapshot):
        for key in ORDERS:
            sort, _second = first_and_second(key)
            is_shown = "source" not in query or key not in SOURCES
            if is_shown and sort != DEFAULT_SORT:
                yield {**query, "sort": sort}


def _request(address: str) -> WSGIRequest:
    """A stranger's request for ``address`` at the site's public name."""
    site = urlsplit(settings.PUBLIC_URL)
    path, _, query = address.partition("?")
    return WSGIRequest(
        {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": unquote(path),
            "QUERY_STRING": query,
            "SERVER_NAME": site.hostname or "localhost",
            "SERVER_PORT": str(site.port or {"https": 443}.get(site.scheme, 80)),
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": site.netloc,
            "HTTP_X_FORWARDED_PROTO": site.scheme,
            "HTTP_ACCEPT_ENCODING": "gzip",
            "wsgi.url_scheme": site.scheme,
            "wsgi.input": BytesIO(),
            _PREPARING: True,
        }
    )


def _is_ordinary(request: HttpRequest) -> bool:
    return (
        _ORDINARY_QUERY.fullmatch(request.META.get("QUERY_STRING", "")) is not None
        and "gzip" in request.META.get("HTTP_ACCEPT_ENCODING", "")
        and _accepts_anything(request)
    )


def _accepts_anything(request: HttpRequest) -> bool:
    """Of the API only; pages come as they are."""
    accepted = request.META.get("HTTP_ACCEPT", "") or "*/*"
    return not request.path.startswith(_API) or accepted == "*/*"


def _address(request: HttpRequest) -> str:
    """What a prepared answer differs by, besides the data: software and address.

    Pages name no host; lists of the API link to their own next page.
    """
    host = ""
    if request.path.startswith(_API):
        host = f"{request.scheme}://{request.get_host()}"
    asked = (fingerprint(), host, request.get_full_path())
    return hashlib.sha256(repr(asked).encode()).hexdigest()
