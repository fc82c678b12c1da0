from django.apps import AppConfig


class EvaluatorConfig(AppConfig):
    name = "evaluator"

    def ready(self) -> None:
        from evaluator.sentences import SENTENCES
        from leaderboard.sentences import know

        know(SENTENCES)
