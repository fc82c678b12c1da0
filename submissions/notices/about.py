"""What an event is about, found again from the ids that it carries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.urls import reverse

from leaderboard.models import OutboxMessage
from leaderboard.plain_text import visible
from submissions.models import Submission, Team
from submissions.notices.kinds import Kind

NAME_LIMIT = 80


@dataclass(frozen=True, slots=True)
class About:
    """``submission`` is None for baselines, refused uploads and machines."""

    kind: Kind
    submission: Submission | None
    data: dict[str, Any]

    @property
    def name(self) -> str:
        """What it is called, in one line that is safe in a header of mail."""
        if self.submission is not None:
            return one_line(str(self.submission.evaluation.configuration))
        return one_line(str(self.data.get("pool") or self.data.get("device") or ""))

    @property
    def text(self) -> str:
        """What somebody wrote, or the software as its reason."""
        return str(self.data.get("text") or self.data.get("reason") or "")

    @property
    def path(self) -> str:
        """Address of the page that shows it, in the language that is active."""
        if self.submission is not None:
            return self.submission.get_absolute_url()
        return reverse("submit" if self.kind == Kind.REFUSED else "status")

    @property
    def url(self) -> str:
        return f"{settings.PUBLIC_URL}{self.path}"

    @property
    def owner(self) -> tuple[int | None, Team | int | None]:
        """The user and the team that it belongs to; the team goes first."""
        if self.submission is not None:
            return self.submission.user_id, self.submission.team_id
        return self.data.get("user"), self.data.get("team")


def about(message: OutboxMessage) -> About:
    """Read an event, or a message that came of one, with its submission."""
    data = dict(message.data)
    rows = Submission.objects.select_related(
        "team", "snapshot__benchmark", "evaluation__configuration"
    )
    found = None
    if "submission" in data:
        found = rows.filter(pk=data["submission"]).first()
    elif "evaluation" in data:
        found = rows.filter(evaluation=data["evaluation"]).first()
    return About(Kind(message.kind), found, data)


def one_line(text: str) -> str:
    """``text`` without line ends and hidden characters, short enough for a subject.

    >>> one_line("a\\r\\nBcc: everybody@example.org")
    'a Bcc: everybody@example.org'
    """
    line = visible(" ".join(text.split()))
    return line if len(line) <= NAME_LIMIT else f"{line[: NAME_LIMIT - 1]}…"
