"""What every page needs: the current snapshot and the languages."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from leaderboard import __version__


def site(request: HttpRequest) -> dict[str, object]:
    return {"product_version": __version__, "public_url": settings.PUBLIC_URL}
