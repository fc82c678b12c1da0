"""The field that says which source a task is from."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.models import TaskSource


class SourceField(serializers.CharField):
    """A fixed source, or a stream: no enumeration, since snapshots name streams."""

    def __init__(self, **options: Any) -> None:
        known = ", ".join(TaskSource.values)
        options.setdefault(
            "help_text",
            f"{known}; of a benchmark by pass rate the slug of a stream.",
        )
        super().__init__(**options)
