"""News in words, for the feed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from leaderboard.formats import percent
from leaderboard.metrics import Scope
from leaderboard.models import Evaluation
from leaderboard.news import News
from leaderboard.passing.standings import figures_of
from leaderboard.presenters.passing import pass_cells
from leaderboard.standings import figures


class _Feed(Atom1Feed):
    """Without an entry it has a fixed time, not that of each request."""

    def latest_post_date(self) -> datetime:
        if not self.items:
            return datetime(2026, 1, 1, tzinfo=UTC)
        return super().latest_post_date()


def news_feed(news: Sequence[News]) -> bytes:
    """An Atom document in the current language, in UTF-8."""
    home, address = reverse("home"), reverse("feed")
    feed = _Feed(
        title=_("News of OpenHarmony Bench"),
        link=settings.PUBLIC_URL + home,
        description=_("Published and struck-out results, and opened snapshots."),
        language=get_language(),
        author_name="OpenHarmony Bench",
        feed_url=settings.PUBLIC_URL + address,
        feed_guid=_id(f"feed{address}"),
    )
    for each in news:
        feed.add_item(
            title=_printable(_title(each)),
            link=settings.PUBLIC_URL + _path(each),
            # Readers take a summary for HTML and a title for text.
            description=escape(_printable(_summary(each))),
            unique_id=_id(each.key),
            pubdate=each.at,
            updateddate=each.at,
            categories=[each.kind],
        )
    text: str = feed.writeString("utf-8")
    return text.encode()


def _printable(text: str) -> str:
    """XML has no place for control characters."""
    return "".join(char if char.isprintable() else " " for char in text)


def _id(key: str) -> str:
    """A tag URI (RFC 4151): it stays when the address of the site's pages changes."""
    return f"tag:{urlsplit(settings.PUBLIC_URL).hostname},2026:{key}"


def _path(news: News) -> str:
    return (news.evaluation or news.snapshot).get_absolute_url()


def _title(news: News) -> str:
    names = {
        "snapshot": str(news.snapshot),
        "model": news.evaluation.configuration.model if news.evaluation else "",
    }
    match news.kind:
        case "published":
            text = _("%(model)s published on %(snapshot)s")
        case "withdrawn":
            text = _("%(model)s withdrawn from %(snapshot)s")
        case "disqualified":
            text = _("%(model)s disqualified on %(snapshot)s")
        case "reinstated":
            text = _("%(model)s ranked again on %(snapshot)s")
        case _:
            text = _("%(snapshot)s opened for submissions")
    return text % names


def _summary(news: News) -> str:
    if news.evaluation is None:
        return _("Its conditions and tasks no longer change.")
    if news.reason:
        return _("Reason: %(reason)s") % {"reason": news.reason}
    return _figures(news.evaluation)


def _pass_figures(evaluation: Evaluation) -> str:
    """Of one that is ranked by pass rate."""
    found = figures_of(evaluation)
    if found is None:
        return ""
    cells = pass_cells(found)
    return _("Pass rate %(rate)s %% %(interval)s. %(provenance)s.") % {
        "rate": cells.pass_rate,
        "interval": cells.interval,
        "provenance": evaluation.get_provenance_display(),
    }


def _figures(evaluation: Evaluation) -> str:
    found = next(
        (
            figures(totals)
            for totals in evaluation.summary  # type: ignore[attr-defined]  # set by with_totals()
            if totals.scope == Scope.OVERALL
        ),
        None,
    )
    if evaluation.is_struck_out:
        return ""
    if found is None:
        return _pass_figures(evaluation)
    completion = found.task_completion
    text = _(
        "Task Completion %(mean)s %% [%(low)s–%(high)s], %(completed)s of "
        "%(task_runs)s task runs. %(provenance)s."
    ) % {
        "mean": percent(completion.mean),
        "low": percent(completion.low),
        "high": percent(completion.high),
        "completed": found.completed_count,
        "task_runs": found.task_runs,
        "provenance": evaluation.get_provenance_display(),
    }
    if evaluation.simulated:
        text += " " + _("Simulated device: not to be compared with a real one.")
    return text
