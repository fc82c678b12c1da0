"""What the software writes into the history of a submission."""

from __future__ import annotations

from leaderboard.sentences import Sentence

RECEIVED = Sentence("received through the %(origin)s", inner={"origin"})
TICKED = Sentence("accepted the warnings of the check: %(kinds)s")
RERUN_OF = Sentence("a re-run of %(submission)s: %(reason)s")
RUN_AGAIN = Sentence("run again as %(submission)s: %(reason)s")
REEVALUATION_OF = Sentence(
    "a re-evaluation of %(submission)s on %(snapshot)s: %(reason)s"
)
REEVALUATED = Sentence("re-evaluated on %(snapshot)s as %(submission)s: %(reason)s")
OVERTAKEN = Sentence("Overtaken by a decision.")

SENTENCES = (
    RECEIVED,
    Sentence("page", part=True),
    Sentence("api", part=True),
    Sentence("command", part=True),
    TICKED,
    RERUN_OF,
    RUN_AGAIN,
    REEVALUATION_OF,
    REEVALUATED,
    OVERTAKEN,
)
