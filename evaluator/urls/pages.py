"""Pages about the evaluator's own work."""

from __future__ import annotations

from django.urls import path

from evaluator.views.attempts import requeue, task_run_attempts
from evaluator.views.status import status
from evaluator.views.trouble import evaluation_trouble

urlpatterns = [
    path("status/", status, name="status"),
    path(
        "e/<int:pk>/runs/<int:number>/tasks/<slug:slug>/attempts/",
        task_run_attempts,
        name="task-run-attempts",
    ),
    path("e/<int:pk>/trouble/", evaluation_trouble, name="evaluation-trouble"),
    path("e/<int:pk>/requeue/", requeue, name="requeue"),
]
