"""Whose models this worker can ask: a file of providers, with the keys kept apart."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

SCRIPTED_PREFIX = "scripted-"

_FIELDS = {"models", "base_url", "key_file", "key_env", "script", "options"}


class ProvidersError(Exception):
    """The file of providers cannot be used; the message names place and remedy."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider as manifests name it, and where it answers.

    ``options`` go to the API with every request. With a ``script`` no model is asked:
    the file's answers are given, under model names that say so.
    """

    name: str
    models: tuple[str, ...]
    base_url: str = ""
    key: str = field(default="", repr=False)
    script: Path | None = None
    options: Mapping[str, Any] | None = None

    @property
    def scripted(self) -> bool:
        return self.script is not None


def read_providers(
    path: Path, *, variable: Callable[[str], str]
) -> tuple[Provider, ...]:
    """Read the providers of ``path``, a TOML file with one table each.

    ``variable`` reads an environment variable, for keys that lie in one.
    """
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ProvidersError(f"{path}: {error}") from None
    providers = []
    for name, table in tables.items():
        try:
            providers.append(_provider(name, table, path.parent, variable))
        except (ValueError, OSError) as error:
            raise ProvidersError(f"{path}, [{json.dumps(name)}]: {error}") from None
    return tuple(providers)


def is_scripted(model: str) -> bool:
    """Whether a model's name says that there is none behind it."""
    return model.startswith(SCRIPTED_PREFIX)


def _provider(
    name: str, table: Any, folder: Path, variable: Callable[[str], str]
) -> Provider:
    if not isinstance(table, dict):
        raise ValueError("a table with models and base_url is expected.")
    if unknown := sorted(set(table) - _FIELDS):
        raise ValueError(f"unknown: {', '.join(unknown)}. Known: {sorted(_FIELDS)}.")
    models = table.get("models")
    if not models or not all(isinstance(each, str) and each for each in models):
        raise ValueError('models has to be a list of names, such as ["glm-5.2"].')
    options = table.get("options")
    if options is not None and not isinstance(options, dict):
        raise ValueError("options has to be a table.")
    if "script" in table:
        return _scripted(name, models, folder / table["script"])
    for each in models:
        if is_scripted(each):
            raise ValueError(f"{each!r} is a name for models with a script alone.")
    base_url = str(table.get("base_url", "")).rstrip("/")
    if urlsplit(base_url).scheme not in {"http", "https"}:
        raise ValueError(f"base_url is {base_url!r}; an http(s) address is expected.")
    key = _key(table, folder, variable)
    return Provider(name, tuple(models), base_url, key=key, options=options)


def _scripted(name: str, models: list[str], script: Path) -> Provider:
    wrong = [each for each in models if not is_scripted(each)]
    if wrong:
        raise ValueError(
            f"models with a script begin with {SCRIPTED_PREFIX!r}; {wrong[0]!r} does "
            "not, and would pass for a real one."
        )
    if not script.is_file():
        raise ValueError(f"{script} does not exist.")
    return Provider(name, tuple(models), script=script)


def _key(table: Mapping[str, Any], folder: Path, variable: Callable[[str], str]) -> str:
    """The key; empty where the endpoint asks for none."""
    if "key_file" in table and "key_env" in table:
        raise ValueError("name key_file or key_env, not both.")
    if "key_file" in table:
        key = Path(folder, table["key_file"]).read_text("utf-8").strip()
    elif "key_env" in table:
        key = variable(str(table["key_env"])).strip()
    else:
        return ""
    if not key:
        place = table.get("key_file") or table.get("key_env")
        raise ValueError(f"the key in {place} is empty.")
    if not key.isascii() or not key.isprintable():
        raise ValueError("the key holds characters that no key has.")
    return key
