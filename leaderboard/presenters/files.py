"""A selection of standings as a file to download."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import override

from leaderboard.as_of import today
from leaderboard.late import Late, address
from leaderboard.presenters.ordering import href
from leaderboard.presenters.selection import Selection
from leaderboard.tables import FILE_KINDS, FlatTable, flat_table


def standings_file(selection: Selection, kind: str) -> HttpResponse:
    """The rows and columns of ``selection`` as an attachment of ``kind``.

    The same bytes for readers of every language.
    """
    with override(settings.LANGUAGE_CODE):
        table = flat_table(
            [*selection.rows, *selection.apart],
            selection.columns.shown,
            about=about(selection),
            site=settings.PUBLIC_URL,
        )
    return table_file(table, kind)


def table_file(table: FlatTable, kind: str) -> HttpResponse:
    """A flat table as an attachment of ``kind``."""
    found = FILE_KINDS[kind]
    answer = HttpResponse(found.write(table), content_type=found.media_type)
    answer["Content-Disposition"] = (
        f'attachment; filename="{_stem(table.about)}.{kind}"'
    )
    return answer


def about(selection: Selection) -> dict[str, str]:
    """What the numbers of a file are, for those who find it without this site."""
    day = selection.as_of.day if selection.as_of else today()
    return {
        "benchmark": selection.snapshot.benchmark.slug,
        "snapshot": selection.snapshot.version,
        "source": selection.scope.value,
        "as_of": day.isoformat(),
        "data_version": selection.summary.data_version,
        "license": settings.DATA_LICENSE,
    }


def file_links(selection: Selection) -> dict[str, str]:
    """Addresses of the files that hold what is shown, on all pages, by kind."""
    snapshot = selection.snapshot
    query = href(
        selection.query,
        snapshot=f"{snapshot.benchmark.slug}/{snapshot.version}",
        cost=None,
        page=None,
    )
    return {
        kind: Late(address("api-leaderboard-file", kind) + query) for kind in FILE_KINDS
    }


def _stem(about: Mapping[str, str]) -> str:
    parts = [about[name] for name in ("benchmark", "snapshot", "source", "as_of")]
    return re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(parts))
