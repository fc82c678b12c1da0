"""Everything that submissions keep in words, in the forms that pages tell again.

Findings are put together where the fault is seen; their forms are listed here, and a
test compares the two. What is written into a history is written by its form.
"""

from __future__ import annotations

from collections.abc import Iterator

from leaderboard.sentences import Sentence
from submissions.sentences import archives, conversions, documents, records, uploads
from submissions.sentences.fields import field_sentences


def every_sentence() -> Iterator[Sentence]:
    for module in (archives, conversions, documents, records, uploads):
        yield from module.SENTENCES
    yield from field_sentences()
