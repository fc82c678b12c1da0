"""What the evaluator is doing, for everybody."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from evaluator.status import current_status


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    context = {"section": "status", "status": current_status()}
    return render(request, "evaluator/status.html", context)
