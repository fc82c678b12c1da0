"""Pages that were made before anybody asked for them."""

from __future__ import annotations

from django.db import models


class KeptPage(models.Model):
    """A finished answer: the compressed body with its headers.

    ``address`` stands for all that the answer may differ by (leaderboard/shelf.py); it
    is of one version of the public data and ends at ``until``.
    """

    address = models.CharField(max_length=64, unique=True)
    version = models.BigIntegerField(db_index=True)
    until = models.DateTimeField()
    content = models.BinaryField()
    headers = models.JSONField()

    def __str__(self) -> str:
        return f"{self.address[:12]} at {self.version}"
