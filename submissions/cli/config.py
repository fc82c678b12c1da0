"""Settings of the command: option, then environment, then file."""

from __future__ import annotations

import stat
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from submissions.cli import env
from submissions.cli.errors import CliError, ExitCode, usage_error

_KNOWN = ("server", "token")
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Config:
    """The server and the token; either may be missing until it is needed.

    The token is kept out of ``repr``, and so out of every traceback.
    """

    server: str = ""
    token: str = field(default="", repr=False)

    def require_server(self) -> str:
        if not self.server:
            raise usage_error(
                "No server is named. Give --server https://..., set OHB_SERVER, or "
                f'write server = "https://..." into {env.config_path()}.'
            )
        return self.server

    def require_token(self) -> str:
        if not self.token:
            raise CliError(
                "No token is set. Make one on the server at /account/tokens/ and put "
                f'it into OHB_TOKEN, or write token = "..." into {env.config_path()}.',
                ExitCode.AUTH,
            )
        return self.token


def load_config(*, server: str | None, path: Path | None) -> Config:
    """Read the settings; an option wins over the environment, that over the file."""
    values = _file_values(path)
    chosen = server or env.server() or values.get("server", "")
    token = env.token() or values.get("token", "")
    if not token.isascii() or not token.isprintable() or token != token.strip():
        raise usage_error(
            "The token holds characters that no token has, perhaps a line break at "
            "its end. Copy it once more."
        )
    return Config(server=checked_server(chosen) if chosen else "", token=token)


def checked_server(url: str) -> str:
    """The address without a slash at its end; refused when it is no plain address."""
    try:
        parts = urlsplit(url)
        port_is_valid = parts.port is None or parts.port > 0
    except ValueError:
        port_is_valid, parts = False, urlsplit("")
    if (
        parts.scheme not in {"http", "https"}
        or not parts.hostname
        or not port_is_valid
        or parts.query
        or parts.fragment
    ):
        raise usage_error(
            f"{url!r} is no address of a server. Give one such as "
            "https://bench.example.org or http://localhost:8000."
        )
    if parts.username or parts.password:
        raise usage_error("Leave user and password out of the server's address.")
    return url.rstrip("/")


def is_exposed(server: str) -> bool:
    """Whether a token on its way to the server could be read by others."""
    parts = urlsplit(server)
    return parts.scheme == "http" and (parts.hostname or "") not in _LOCAL


def _file_values(path: Path | None) -> dict[str, str]:
    chosen = path or env.config_path()
    if path is None and not chosen.is_file():
        return {}
    try:
        values = tomllib.loads(chosen.read_text("utf-8"))
    except OSError as error:
        raise usage_error(f"{chosen} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise usage_error(f"{chosen} is not UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        # The message names line and column, never what stands there.
        raise usage_error(f"{chosen} is no valid TOML: {error}.") from None
    for name, value in values.items():
        if name not in _KNOWN:
            known = ", ".join(_KNOWN)
            raise usage_error(f"{chosen} has the unknown key {name!r}. Known: {known}.")
        if not isinstance(value, str):
            raise usage_error(f"{chosen}: {name} must be a string in quotes.")
    if values.get("token") and chosen.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise usage_error(
            f"{chosen} holds a token and can be read by others. Run: chmod 600 {chosen}"
        )
    return values
