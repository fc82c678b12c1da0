"""One sweep: everything that may go, in the order in which one thing frees another."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils import timezone

from submissions.retention.blobs import remove_unused
from submissions.retention.freed import Freed
from submissions.retention.leftovers import expire_uploads, remove_leftovers
from submissions.retention.logs import expire_logs
from submissions.retention.messages import remove_sent


def sweep(*, dry_run: bool = False) -> Iterator[Freed]:
    """Free what nobody needs, telling each thing; ``dry_run`` only tells.

    Nothing that a public evaluation lists is ever among it.
    """
    now = timezone.now()
    yield from expire_uploads(now, dry_run=dry_run)
    yield from remove_leftovers(now, dry_run=dry_run)
    yield from expire_logs(now, dry_run=dry_run)
    yield from remove_sent(now, dry_run=dry_run)
    yield from remove_unused(now, dry_run=dry_run)
