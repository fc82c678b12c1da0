"""The box that says how to cite, with texts to copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import override

from leaderboard.as_of import AsOf, today
from leaderboard.citation import (
    Work,
    apa,
    benchmark_work,
    bibtex,
    cff,
    entry_work,
    snapshot_work,
)
from leaderboard.models import Evaluation, EvaluationSnapshot
from leaderboard.presenters.rows import Figures


class Citation(NamedTuple):
    """One work in three formats: (name of the format, id on the page, text)."""

    label: str | Promise
    url: str
    texts: Sequence[tuple[str, str, str]]


def standings_citations(
    snapshot: EvaluationSnapshot, as_of: AsOf | None = None
) -> list[Citation]:
    """The standings of a day, at the address that keeps them, and the benchmark."""
    day = as_of.day if as_of else today()
    work = snapshot_work(
        snapshot,
        url=f"{_address_of(snapshot)}?as_of={day}",
        day=day,
        accessed=today(),
        license=settings.DATA_LICENSE,
    )
    return [
        _citation(_("This leaderboard"), "snapshot", work),
        _benchmark(snapshot),
    ]


def entry_citations(evaluation: Evaluation, overall: Figures) -> list[Citation]:
    """One result, and the benchmark it stands on."""
    result = (
        f"Task Completion {overall.mean} % [{overall.low}-{overall.high}], "
        f"{overall.completed} of {overall.task_runs} task runs"
    )
    work = entry_work(
        evaluation,
        result=result,
        url=_address_of(evaluation),
        accessed=today(),
        license=settings.DATA_LICENSE,
    )
    return [
        _citation(_("This result"), "entry", work),
        _benchmark(evaluation.snapshot),
    ]


def _benchmark(snapshot: EvaluationSnapshot) -> Citation:
    with override(settings.LANGUAGE_CODE):
        home = settings.PUBLIC_URL + reverse("home")
    work = benchmark_work(snapshot, home=home)
    return _citation(_("The benchmark"), "benchmark", work)


def _citation(label: str | Promise, name: str, work: Work) -> Citation:
    formats = (("BibTeX", bibtex), ("APA", apa), ("CFF", cff))
    return Citation(
        label,
        work.url,
        [
            (title, f"cite-{name}-{title.lower()}", text(work))
            for title, text in formats
        ],
    )


def _address_of(row: Evaluation | EvaluationSnapshot) -> str:
    """One address for everybody who cites: the one without a language."""
    with override(settings.LANGUAGE_CODE):
        return settings.PUBLIC_URL + row.get_absolute_url()
