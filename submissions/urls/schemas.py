"""Formats as JSON Schema, at addresses without a language."""

from __future__ import annotations

from django.urls import path

from submissions.manifest_schema import SCHEMA_PATH
from submissions.views.submit import manifest_schema

urlpatterns = [path(SCHEMA_PATH[1:], manifest_schema, name="manifest-schema")]
