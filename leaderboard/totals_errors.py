"""Why the rows of an evaluation do not allow totals to be written."""

from __future__ import annotations


class TotalsError(Exception):
    """The rows do not allow totals to be written."""


class NoDenominatorsError(TotalsError):
    """A snapshot does not say how many tasks it has."""

    def __init__(self, evaluation: int) -> None:
        super().__init__(
            f"The snapshot of evaluation {evaluation} has no task counts. Import its "
            "package again."
        )


class IncompleteRunError(TotalsError):
    """A run lacks the result of some task of its snapshot."""

    def __init__(
        self, number: int, *, evaluation: int, result_count: int, task_count: int
    ) -> None:
        super().__init__(
            f"Run {number} of evaluation {evaluation} has results for "
            f"{result_count} of {task_count} tasks. Finish the missing ones first; "
            "a rate never divides by the rows that happen to exist."
        )


class IncompleteEvaluationError(TotalsError):
    """An evaluation lacks some of its runs."""

    def __init__(self, evaluation: int, *, found: int, run_count: int) -> None:
        super().__init__(
            f"Evaluation {evaluation} has {found} of {run_count} "
            "runs. Finish the missing ones first."
        )
