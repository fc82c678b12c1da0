"""Words of the manifest's own fields, which findings repeat."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from leaderboard.sentences import Sentence
from submissions.manifest import Manifest

# What a value has to be, as the rules of the manifest say it.
EXPECTED = (
    "a date written YYYY-MM-DD",
    "a day that exists, written YYYY-MM-DD",
    "a finite number",
    "a whole number",
    "an e-mail address",
    "one line of text without control or invisible characters",
    "text in composed form (Unicode NFC)",
    "text without control or invisible characters",
    "text without spaces at its ends",
)


def field_sentences() -> Iterator[Sentence]:
    """The descriptions; pages have them in their catalog already, without a context."""
    for text in sorted({*_descriptions(Manifest), *EXPECTED}):
        yield Sentence(text.replace("%", "%%"), context=None)


def _descriptions(model: type[BaseModel]) -> Iterator[str]:
    for field in model.model_fields.values():
        if field.description:
            yield str(field.description)
        for nested in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(nested, type) and issubclass(nested, BaseModel):
                yield from _descriptions(nested)
