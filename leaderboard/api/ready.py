"""Rows that are JSON already when an answer is put together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import JSONRenderer


class Ready(list[str]):
    """A list whose items are JSON texts, at the first level of an answer."""


class ReadyRenderer(JSONRenderer):
    """JSON, with the texts of :class:`Ready` as they are."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        context = dict(renderer_context or {})
        ready = {
            name: value
            for name, value in (data.items() if isinstance(data, dict) else ())
            if isinstance(value, Ready)
        }
        if not ready:
            return super().render(data, accepted_media_type, context)
        if self.get_indent(accepted_media_type or "", context) is not None:
            read = {name: list(map(json.loads, each)) for name, each in ready.items()}
            return super().render({**data, **read}, accepted_media_type, context)
        return b"".join([b"{", b",".join(self._members(data, ready)), b"}"])

    def _members(
        self, data: Mapping[str, Any], ready: Mapping[str, Ready]
    ) -> list[bytes]:
        """Each name with its value; what lies between two ready lists at once."""
        found: list[bytes] = []
        between: dict[str, Any] = {}
        for name, value in data.items():
            if name not in ready:
                between[name] = value
                continue
            if between:
                found.append(super().render(between)[1:-1])
                between = {}
            found.append(f'"{name}":[{",".join(value)}]'.encode())
        if between:
            found.append(super().render(between)[1:-1])
        return found
