from django.apps import AppConfig


class SubmissionsConfig(AppConfig):
    name = "submissions"

    def ready(self) -> None:
        from leaderboard.sentences import know
        from submissions.sentences import every_sentence

        know(every_sentence())
