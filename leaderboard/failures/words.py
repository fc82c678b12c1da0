"""What each rule says, as a sentence with its figures."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

SENTENCES: Mapping[str, str | Promise] = {
    "overruled": _("Two maintainers let this completed task run count 0."),
    "no_change": _("What was handed in changes nothing."),
    "unrelated_files": _(
        "None of the %(files)s changed files lies where the task has to be solved."
    ),
    "build_failed": _("The final build failed."),
    "loop": _("The same calls %(times)s times in a row."),
    "said_so": _("The last words of the agent say so."),
    "unknown_name": _(
        "The compiler does not know a name or form that is used (%(errors)s messages)."
    ),
    "mismatch": _(
        "The compiler finds types or arguments that do not fit (%(errors)s messages)."
    ),
    "build_hung": _("The build did not end; that of the reference did."),
    "regression_check": _(
        "A check of what worked before failed: %(point)s (%(points)s in all)."
    ),
    "near_miss": _("%(passed)s of %(checked)s F-points passed; missing is %(point)s."),
    "other_files": _("None of the files that the reference changes was changed."),
    "nothing_works": _(
        "The app was built, and %(passed)s of %(checked)s F-points passed."
    ),
    "app_hung": _("The app did not answer in time; that of the reference did."),
    "own_trouble": _(
        "Trouble of ours came first (%(times)s times); it was tried again until it "
        "was decided."
    ),
}


def sentence(rule: str, figures: Mapping[str, object]) -> str:
    """What a rule says, in the reader's language; its code where nobody knows it."""
    text = str(SENTENCES.get(rule, rule))
    try:
        return text % dict(figures)
    except (KeyError, TypeError, ValueError):
        # Figures of an older version of the rule.
        return text
