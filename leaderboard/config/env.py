"""Typed readers of environment variables. No other module reads the environment.

Values of a ``.env`` file beside ``manage.py`` count where the environment is silent.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

# What Python and the tools need of the environment on Windows.
_OF_WINDOWS = ("SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "WINDIR", "TEMP")
_MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}


def load_env_file(path: Path) -> None:
    """Take ``NAME=value`` lines of ``path`` as defaults; comments are allowed."""
    if not path.exists():
        return
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, separator, value = text.partition("=")
        if not separator:
            raise ImproperlyConfigured(
                f"{path.name}, line {number}: {text!r} is not NAME=value."
            )
        os.environ.setdefault(name.strip(), value.strip().strip("\"'"))


def env_text(name: str, *, default: str) -> str:
    return os.environ.get(name, "") or default


def env_path(name: str) -> Path | None:
    """An absolute path; None where the variable is empty."""
    value = os.environ.get(name, "")
    if value and not Path(value).is_absolute():
        raise ImproperlyConfigured(f"{name} is {value!r}. Use an absolute path.")
    return Path(value) if value else None


def env_required(name: str) -> str:
    value = os.environ.get(name, "")
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set. Set it in the environment or in .env "
            f"(see .env.example), or set OHB_DEBUG=1 for development."
        )
    return value


def env_bool(name: str, *, default: bool) -> bool:
    value = os.environ.get(name, "").lower()
    if value in {"", "1", "true", "yes", "on", "0", "false", "no", "off"}:
        return default if not value else value in {"1", "true", "yes", "on"}
    raise ImproperlyConfigured(f"{name} is {value!r}. Use 1 or 0.")


def env_int(name: str, *, default: int, minimum: int) -> int:
    text = os.environ.get(name, "")
    if not text:
        return default
    try:
        value = int(text)
    except ValueError:
        raise ImproperlyConfigured(f"{name} is {text!r}. Use a whole number.") from None
    if value < minimum:
        raise ImproperlyConfigured(f"{name} is {value}. It must be {minimum} or more.")
    return value


def env_list(name: str, *, default: list[str]) -> list[str]:
    text = os.environ.get(name, "")
    return [part.strip() for part in text.split(",") if part.strip()] or default


def system_variables() -> dict[str, str]:
    """Variables without which no command runs on Windows; none elsewhere."""
    names = _OF_WINDOWS if sys.platform == "win32" else ()
    return {name: os.environ[name] for name in names if name in os.environ}


def env_choice(name: str, *, choices: tuple[str, ...]) -> str:
    """One of ``choices``; the first is the default."""
    value = os.environ.get(name, "") or choices[0]
    if value not in choices:
        raise ImproperlyConfigured(
            f"{name} is {value!r}. Use one of: {', '.join(choices)}."
        )
    return value


def database(url: str) -> dict[str, Any]:
    """Django's DATABASES entry for ``sqlite:///path`` or ``postgresql://...``."""
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        # sqlite:///relative and sqlite:////absolute, as everywhere else.
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path.removeprefix("/")),
            # Opening the file anew costs more than most requests.
            "CONN_MAX_AGE": 60,
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 20,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    if parts.scheme in {"postgresql", "postgres"}:
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.removeprefix("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": unquote(parts.hostname or ""),
            "PORT": str(parts.port or ""),
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
        }
    raise ImproperlyConfigured(
        f"DATABASE_URL starts with {parts.scheme!r}. Use sqlite:///path or "
        "postgresql://user:password@host:port/name."
    )


def storage_folder(url: str) -> str:
    """The folder that OHB_STORAGE_URL names."""
    if not url.startswith("file:///"):
        raise ImproperlyConfigured(
            f"OHB_STORAGE_URL is {url!r}. Use file:///absolute/folder; other kinds of "
            "storage are not supported yet."
        )
    folder = url.removeprefix("file://")
    # On Windows an address has one slash more than the path: file:///Z:/artifacts.
    return folder.lstrip("/") if sys.platform == "win32" else folder


def broker(url: str) -> tuple[str, dict[str, Any]]:
    """Celery's broker URL and transport options for OHB_BROKER_URL."""
    parts = urlsplit(url)
    if parts.scheme == "filesystem":
        folder = Path(parts.netloc + parts.path)
        (folder / "messages").mkdir(parents=True, exist_ok=True)
        (folder / "control").mkdir(parents=True, exist_ok=True)
        # A host name keeps kombu from warning; the folders below are what counts.
        return "filesystem://localhost//", {
            "data_folder_in": str(folder / "messages"),
            "data_folder_out": str(folder / "messages"),
            "control_folder": str(folder / "control"),
            # Kombu waits a second between looks by default; a hint should ring sooner.
            "polling_interval": 0.05,
        }
    if parts.scheme in {"redis", "rediss"}:
        return url, {"visibility_timeout": 3600, "socket_connect_timeout": 5}
    if parts.scheme in {"amqp", "amqps", "memory"}:
        return url, {}
    if parts.scheme == "pgmq":
        return url, {
            # Named outright: the client would take DATABASE_URL before the URL's parts.
            "conn_string": url.replace("pgmq://", "postgresql://", 1),
            # `manage.py prepare_broker` makes the functions; no extension is needed.
            "init_extension": False,
            "visibility_timeout": 3600,
            "pool_timeout": 5,
            # A wait in one queue holds up all the others; PostgreSQL notifies instead.
            "wait_time_seconds": 0,
            "polling_interval": 2,
            "use_notify": True,
        }
    raise ImproperlyConfigured(
        f"OHB_BROKER_URL starts with {parts.scheme!r}. Use filesystem://DIR, "
        "redis://..., amqp://... or pgmq://..."
    )


def email(url: str) -> dict[str, Any]:
    """Django's EMAIL_* settings for OHB_EMAIL_URL."""
    parts = urlsplit(url)
    backends = "django.core.mail.backends"
    if parts.scheme == "console":
        return {"EMAIL_BACKEND": f"{backends}.console.EmailBackend"}
    if parts.scheme == "file":
        return {
            "EMAIL_BACKEND": f"{backends}.filebased.EmailBackend",
            "EMAIL_FILE_PATH": unquote(parts.netloc + parts.path),
        }
    if parts.scheme in {"smtp", "smtp+tls", "smtps"} and parts.hostname:
        return {
            "EMAIL_BACKEND": f"{backends}.smtp.EmailBackend",
            "EMAIL_HOST": parts.hostname,
            "EMAIL_PORT": parts.port or _MAIL_PORTS[parts.scheme],
            "EMAIL_HOST_USER": unquote(parts.username or ""),
            "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
            "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
            "EMAIL_USE_SSL": parts.scheme == "smtps",
            # A mail server that is silent must not hold up a request for ever.
            "EMAIL_TIMEOUT": 10,
        }
    raise ImproperlyConfigured(
        f"OHB_EMAIL_URL starts with {parts.scheme!r}. Use console:, file://DIR, "
        "smtp://host:25, smtp+tls://user:password@host:587 or "
        "smtps://user:password@host:465."
    )


def cache(url: str) -> dict[str, Any]:
    """Django's CACHES entry for OHB_CACHE_URL; limits are counted there."""
    parts = urlsplit(url)
    backends = "django.core.cache.backends"
    if parts.scheme == "memory":
        return {"BACKEND": f"{backends}.locmem.LocMemCache"}
    if parts.scheme in {"redis", "rediss"}:
        return {"BACKEND": f"{backends}.redis.RedisCache", "LOCATION": url}
    raise ImproperlyConfigured(
        f"OHB_CACHE_URL starts with {parts.scheme!r}. Use memory: (one web process) "
        "or redis://host:6379/1."
    )
