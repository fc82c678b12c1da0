"""Texts between maintainers and submitters: notes, messages, questions, answers."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from evaluator.errors import NotPossibleError
from leaderboard.models import record
from submissions.models import Message, MessageKind, Submission
from submissions.notices import Kind, tell
from submissions.transitions import RULES, Act, locked, move, require


def write_note(submission: Submission, *, by: User, text: str) -> Message:
    """Keep a text for maintainers; the submitter never reads it."""
    return _write(submission, MessageKind.NOTE, by=by, text=text)


def write_message(submission: Submission, *, by: User, text: str) -> Message:
    """Tell the submitter something; nothing else changes."""
    with transaction.atomic():
        message = _write(submission, MessageKind.MESSAGE, by=by, text=text)
        tell(Kind.MESSAGE, submission, key=message.pk, by=by, text=text)
    return message


def ask(submission: Submission, *, by: User, question: str) -> None:
    """Wait for an answer of the submitter before anything is decided."""
    _move_with(submission, Act.ASK, MessageKind.QUESTION, by=by, text=question)


def answer(submission: Submission, *, by: User, text: str) -> None:
    """Answer the question; the submission is under review again."""
    _move_with(submission, Act.ANSWER, MessageKind.ANSWER, by=by, text=text)


def _move_with(
    submission: Submission, act: Act, kind: MessageKind, *, by: User, text: str
) -> None:
    with transaction.atomic():
        found = locked(submission)
        require(found, act, reason=text)
        _write(found, kind, by=by, text=text)
        # The text stands in the conversation; the event needs no copy of it.
        move(found, RULES[act].target, by=by, reason="", told=text)
        record(act.value, found.evaluation, by=by, reason=text)
    submission.refresh_from_db()


def _write(
    submission: Submission, kind: MessageKind, *, by: User, text: str
) -> Message:
    if not text.strip():
        raise NotPossibleError(_("Write a text first."))
    return Message.objects.create(
        submission=submission, kind=kind, author_id=by.pk, text=text
    )
