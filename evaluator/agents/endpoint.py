"""A model's endpoint that speaks OpenAI's chat completions over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import httpx

from evaluator.agents.gateway import Answer, EndpointError
from evaluator.agents.redaction import Redactor, redact

_PASSED_ON = ("content-type", "retry-after", "retry-after-ms")
# Long answers may take their time, yet a silent endpoint must be noticed.
_TIMEOUT = httpx.Timeout(600.0, connect=15.0)


@dataclass(frozen=True, slots=True)
class HttpEndpoint:
    """Passes requests on with the key, and takes the key out of what comes back."""

    base_url: str
    model: str
    key: str = field(default="", repr=False)

    def ask(self, body: bytes) -> Answer:
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        client = httpx.Client(timeout=_TIMEOUT)
        request = client.build_request(
            "POST", f"{self.base_url}/chat/completions", content=body, headers=headers
        )
        try:
            response = client.send(request, stream=True)
        except httpx.HTTPError as error:
            client.close()
            raise self._error(error) from None
        passed_on = {
            name: response.headers[name]
            for name in _PASSED_ON
            if name in response.headers
        }
        return Answer(response.status_code, passed_on, self._body(client, response))

    def _body(self, client: httpx.Client, response: httpx.Response) -> Iterator[bytes]:
        redactor = Redactor(self.key)
        try:
            for chunk in response.iter_bytes():
                if clean := redactor.feed(chunk):
                    yield clean
            if rest := redactor.rest():
                yield rest
        except httpx.HTTPError as error:
            raise self._error(error) from None
        finally:
            response.close()
            client.close()

    def _error(self, error: httpx.HTTPError) -> EndpointError:
        said = f"{type(error).__name__}: {error}"
        return EndpointError(redact(said.encode(), self.key).decode(errors="replace"))
