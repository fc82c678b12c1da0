from __future__ import annotations

from django.urls import path

from leaderboard.views.health import healthz

urlpatterns = [path("", healthz, name="healthz")]
