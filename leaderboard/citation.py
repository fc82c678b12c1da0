"""How a page is cited: BibTeX for a snapshot's leaderboard."""

from __future__ import annotations

import re
from datetime import date

from leaderboard.models import EvaluationSnapshot

_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")
_SPECIAL = re.compile(r"([&%$#_{}])")


def bibtex(snapshot: EvaluationSnapshot, *, url: str, accessed: date) -> str:
    """One entry: the report where the snapshot has one, else the page itself."""
    name = _escaped(snapshot.benchmark.name)
    note = (
        f"Leaderboard snapshot {_escaped(snapshot.version)} "
        f"({snapshot.task_snapshot_date}), accessed {accessed}"
    )
    report = _ARXIV.search(str(snapshot.composition.get("source", "")))
    fields = {
        "title": f"{{{name}: Evaluating {{LLMs}} and Coding Agents on "
        "{OpenHarmony} App Development}"
        if report
        else f"{{{name}: leaderboard of snapshot {_escaped(snapshot.version)}}}",
        "year": f"{{{snapshot.task_snapshot_date.year}}}",
    }
    if report:
        fields |= {"eprint": f"{{{report[1]}}}", "archivePrefix": "{arXiv}"}
    fields |= {"howpublished": f"{{\\url{{{url}}}}}", "note": f"{{{note}}}"}
    body = ",\n".join(f"  {key:<13} = {value}" for key, value in fields.items())
    slug = re.sub(r"[^a-z0-9]+", "-", f"{snapshot}".lower()).strip("-")
    return f"@misc{{{slug},\n{body}\n}}"


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)
