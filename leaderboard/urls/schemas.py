"""The task-package format as JSON Schemas, at addresses without a language."""

from __future__ import annotations

from django.urls import path

from leaderboard.snapshots.schemas import FILES, schema_path
from leaderboard.views.schemas import package_schema

urlpatterns = [
    path(schema_path(name)[1:], package_schema, {"name": name}, name=f"{name}-schema")
    for name in FILES
]
