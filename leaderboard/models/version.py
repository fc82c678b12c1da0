"""One number that changes with everything the public reads."""

from __future__ import annotations

from django.db import models


class DataVersion(models.Model):
    """The single row that the database's own triggers count up.

    ``leaderboard/data_version.py`` makes the triggers and says which tables they watch.
    """

    number = models.BigIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(pk=1), name="there_is_one_data_version"
            )
        ]

    def __str__(self) -> str:
        return str(self.number)
