from django.apps import AppConfig
from django.db.models.signals import post_migrate


class LeaderboardConfig(AppConfig):
    name = "leaderboard"

    def ready(self) -> None:
        from leaderboard.data_version import after_migrate

        post_migrate.connect(after_migrate, sender=self)
