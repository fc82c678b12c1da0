"""Talking to the server. Every way in which that can fail has its own sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx

from submissions.cli.config import Config
from submissions.cli.errors import CliError, ExitCode, FindingsExit, Told
from submissions.findings import plain
from submissions.resumable.client import RefusedError, send

_TIMEOUT = httpx.Timeout(30.0, read=120.0)
# Checking a large upload takes its time.
_CHECK_TIMEOUT = httpx.Timeout(30.0, read=1800.0)
_API = "/api/v1"


class Fresh(NamedTuple):
    """An answer with its tag; ``document`` is None where nothing has changed."""

    document: dict[str, Any] | None
    etag: str | None
    retry_after: float | None


class Server:
    """One server, spoken to with one token or none. Redirects are never followed."""

    def __init__(
        self,
        config: Config,
        *,
        needs_token: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self.url = config.require_server()
        token = config.require_token() if needs_token else config.token
        headers = {"Authorization": f"Token {token}"} if token else {}
        self._client = httpx.Client(
            base_url=self.url,
            headers={**headers, "User-Agent": "ohbench"},
            timeout=_TIMEOUT,
            transport=transport,
        )

    def close(self) -> None:
        self._client.close()

    def get(self, path: str, **parameters: str) -> dict[str, Any]:
        """The JSON object at a path below the API."""
        with self._told():
            response = self._client.get(_API + path, params=parameters)
        return self._document(response)

    def rows(self, path: str, **parameters: str) -> list[dict[str, Any]]:
        """All rows of a list, page after page."""
        found: list[dict[str, Any]] = []
        while True:
            page = self.get(path, **parameters, offset=str(len(found)))
            rows = page.get("results")
            if not isinstance(rows, list):
                raise self.unexpected()
            found += rows
            # Sites without pages give everything at once.
            if not rows or not page.get("next"):
                return found

    def unexpected(self) -> CliError:
        """The answer is JSON, and yet not what this command understands."""
        return CliError(
            f"{self.url} speaks another version of the API than this command does.",
            ExitCode.NETWORK,
        )

    def poll(self, path: str, etag: str | None) -> Fresh:
        """The object at a path, or nothing when it is as it was at ``etag``."""
        headers = {"If-None-Match": etag} if etag else {}
        with self._told():
            response = self._client.get(_API + path, headers=headers)
        wait = _seconds(response.headers.get("Retry-After"))
        if response.status_code == HTTPStatus.NOT_MODIFIED:
            return Fresh(None, etag, wait)
        document = self._document(response)
        return Fresh(document, response.headers.get("ETag"), wait)

    def send(
        self,
        archive: Path,
        *,
        on_progress: Callable[[int, int], None],
        on_failure: Callable[[str], None],
        pauses: tuple[float, ...],
    ) -> str:
        """Upload a file in parts and return its id on the server.

        Goes on where an earlier attempt with the same content stopped.
        """
        with self._told():
            try:
                sent = send(
                    archive,
                    self._client,
                    on_progress=on_progress,
                    on_failure=on_failure,
                    pauses=pauses,
                )
            except RefusedError as error:
                raise self._failure(error.response) from None
            except (AttributeError, LookupError, TypeError, ValueError):
                raise CliError(
                    f"{self.url} did not answer as this API does. Is the address of "
                    "the server right?",
                    ExitCode.NETWORK,
                ) from None
        return sent.upload

    def post(self, path: str, form: Mapping[str, str], *, key: str) -> dict[str, Any]:
        """Send a form under an idempotency key; a refusal is raised as its findings."""
        with self._told():
            response = self._client.post(
                _API + path,
                json=dict(form),
                headers={"Idempotency-Key": key},
                timeout=_CHECK_TIMEOUT,
            )
        return self._document(response)

    @contextmanager
    def download(self, path: str) -> Iterator[httpx.Response]:
        """A file as a stream; ``path`` may be an address of this server."""
        with (
            self._told(),
            self._client.stream(
                "GET", path, headers={"Accept-Encoding": "identity"}
            ) as response,
        ):
            if not response.is_success:
                response.read()
                raise self._failure(response)
            yield response

    def own_path(self, url: str) -> str | None:
        """The path of an address on this server; None for another server's."""
        parts, own = urlsplit(url), urlsplit(self.url)
        if parts.netloc and parts.netloc != own.netloc:
            return None
        return parts.path

    def _document(self, response: httpx.Response) -> dict[str, Any]:
        if not response.is_success:
            raise self._failure(response)
        found = _json(response)
        if not isinstance(found, dict):
            raise self._not_the_api(response)
        return found

    def _failure(self, response: httpx.Response) -> CliError | FindingsExit:
        """What an unsuccessful answer means, in words."""
        found = _json(response)
        problem = found if isinstance(found, dict) else {}
        said = problem.get("detail")
        detail = plain(said, limit=500) if isinstance(said, str) else ""
        status = response.status_code
        findings = [
            *_findings(problem.get("errors"), "error"),
            *_findings(problem.get("warnings"), "warning"),
        ]
        if status in {HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY}:
            if findings:
                return FindingsExit(detail, findings)
            return CliError(
                detail or f"{self.url} refused: {status}.", ExitCode.REFUSED
            )
        if status == HTTPStatus.UNAUTHORIZED:
            return CliError(
                f"{self.url} does not accept the token: {detail or 'unauthorized.'} "
                "Make a new one at /account/tokens/ and put it into OHB_TOKEN.",
                ExitCode.AUTH,
            )
        if status == HTTPStatus.FORBIDDEN:
            return CliError(
                f"The token may not do this: {detail or 'forbidden.'}", ExitCode.AUTH
            )
        if status == HTTPStatus.NOT_FOUND and detail:
            return CliError(detail, ExitCode.NOT_FOUND)
        if status == HTTPStatus.TOO_MANY_REQUESTS:
            said = detail or "Too many requests. Wait a minute."
            return FindingsExit(said, findings, ExitCode.REFUSED)
        if response.is_redirect or not problem:
            return self._not_the_api(response)
        if response.is_server_error:
            return CliError(f"{self.url} has trouble: {detail}", ExitCode.NETWORK)
        return CliError(detail or f"{self.url} refused: {status}.", ExitCode.REFUSED)

    def _not_the_api(self, response: httpx.Response) -> CliError:
        status = response.status_code
        where = response.headers.get("Location")
        hint = f" It points to {plain(where)}." if where else ""
        return CliError(
            f"{self.url} did not answer as this API does (HTTP {status}).{hint} Is the "
            "address of the server right?",
            ExitCode.NETWORK,
        )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Failures of the network as one sentence each."""
        try:
            yield
        except httpx.TimeoutException:
            raise CliError(
                f"{self.url} did not answer in time. Try again later.", ExitCode.NETWORK
            ) from None
        except httpx.ConnectError as error:
            raise CliError(
                f"No connection to {self.url} ({error}). Is the address right, and "
                "does the server run?",
                ExitCode.NETWORK,
            ) from None
        except httpx.HTTPError as error:
            kind = type(error).__name__
            raise CliError(
                f"The connection to {self.url} broke ({kind}). Try again.",
                ExitCode.NETWORK,
            ) from None


def _json(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _findings(items: object, severity: str) -> Iterator[Told]:
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict):
            texts = [
                str(item.get(name, "")) for name in ("code", "where", "saw", "fix")
            ]
            yield Told(severity, *(plain(text, limit=1000) for text in texts))


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdecimal() else None
