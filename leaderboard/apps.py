from django.apps import AppConfig
from django.core.checks import register
from django.db.models.signals import post_migrate, pre_migrate


class LeaderboardConfig(AppConfig):
    name = "leaderboard"

    def ready(self) -> None:
        from leaderboard import checks, data_version, key_guards, sentences
        from leaderboard.curation import words

        register(checks.check_benchmark_facts)
        sentences.know(words.SENTENCES)

        post_migrate.connect(data_version.after_migrate, sender=self)
        pre_migrate.connect(key_guards.before_migrate, sender=self)
        post_migrate.connect(key_guards.after_migrate, sender=self)
