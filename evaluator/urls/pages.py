"""Pages about the evaluator's own work."""

from __future__ import annotations

from django.urls import path

from evaluator.views.status import status

urlpatterns = [
    path("status/", status, name="status"),
]
