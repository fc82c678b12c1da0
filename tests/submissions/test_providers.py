"""Signing in through OpenID Connect, against a provider of our own making."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.submissions.test_accounts import run_with

PERSON = {
    "sub": "person-1",
    "preferred_username": "ada",
    "email": "ada@example.org",
    "email_verified": True,
}
# The way of a browser, from the button to the account and back again.
WALK = """
from urllib.parse import parse_qs, urlsplit
from django.contrib.auth.models import User
from allauth.account.models import EmailAddress

def come_back(browser, state, **more):
    there = browser.post('/account/providers/oidc/oidc/login/')['Location']
    asked = parse_qs(urlsplit(there).query)
    callback = urlsplit(asked['redirect_uri'][0]).path
    state = state or asked['state'][0]
    answer = browser.get(callback, {'code': 'the-code', 'state': state})
    return there, asked, callback, answer

there, asked, callback, answer = come_back(client, '')
print(there.partition('?')[0])
print(callback)
print(asked['code_challenge_method'][0])
print(answer.status_code, client.get('/account/').status_code)
print(User.objects.get().username, EmailAddress.objects.get().verified)
client.post('/logout/')
come_back(client, '')
print(User.objects.count(), client.get('/account/').status_code)
stranger = Client(SERVER_NAME='localhost')
answer = come_back(stranger, 'forged')[3]
print(answer.status_code, stranger.get('/account/').status_code)
"""


class Provider(BaseHTTPRequestHandler):
    """Discovery, tokens and the person; it believes every code."""

    def do_GET(self) -> None:
        here = f"http://{self.headers['Host']}"
        if self.path == "/.well-known/openid-configuration":
            self.answer(
                {
                    "issuer": here,
                    "authorization_endpoint": f"{here}/authorize",
                    "token_endpoint": f"{here}/token",
                    "userinfo_endpoint": f"{here}/person",
                    "jwks_uri": f"{here}/keys",
                }
            )
        elif self.path == "/person":
            assert self.headers["Authorization"] == "Bearer the-token"
            self.answer(PERSON)
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer({"access_token": "the-token", "token_type": "Bearer"})

    def answer(self, document: dict[str, object]) -> None:
        data = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: object) -> None:
        """Nothing: the test says what happened."""


@pytest.fixture
def provider() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_openid_connect_leads_to_an_account_and_finds_it_again(provider, tmp_path):
    printed = run_with(
        tmp_path,
        WALK,
        OHB_OIDC_URL=provider,
        OHB_OIDC_CLIENT_ID="bench",
        OHB_OIDC_SECRET="secret",
    )

    assert printed.splitlines() == [
        f"{provider}/authorize",
        "/account/providers/oidc/oidc/login/callback/",
        "S256",
        # The address that the provider vouches for needs no mail.
        "302 200",
        "ada True",
        # The second time it is the same account.
        "1 200",
        # An answer to a question that was never asked signs nobody in.
        "401 302",
    ]
