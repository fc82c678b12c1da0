"""The API of the evaluator, below /api/v1/."""

from __future__ import annotations

from django.urls import path

from evaluator.api import StatusView

urlpatterns = [
    path("status/", StatusView.as_view(), name="api-status"),
]
