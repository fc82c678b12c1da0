"""A work as BibTeX, in the style of the APA, and as a CITATION.cff file."""

from __future__ import annotations

import json
import re
from datetime import date

from leaderboard.citation.works import Work

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    # BibTeX counts braces even where LaTeX would print them.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    **{char: f"\\{char}" for char in "&%$#_"},
}
# Capitals that bibliography styles must not make small: LLMs, v1.0, OpenHarmony.
_CAPITALS = re.compile(r"^\w+.*[A-Z]|\d")


def bibtex(work: Work) -> str:
    """One @misc entry, ready to paste."""
    fields = {
        "title": _protected(work.title),
        "author": " and ".join(f"{{{latex(name)}}}" for name in work.authors),
        "year": str(work.published.year),
        "month": f"{work.published:%b}".lower(),
    }
    if work.arxiv:
        fields |= {"eprint": work.arxiv, "archivePrefix": "arXiv"}
    else:
        fields["howpublished"] = f"\\url{{{_url(work.url)}}}"
    if work.version:
        fields["version"] = latex(work.version)
    if note := _note(work):
        fields["note"] = latex(note)
    lines = [
        f"  {name:<13} = {value if name == 'month' else f'{{{value}}}'}"
        for name, value in fields.items()
    ]
    return f"@misc{{{work.key},\n" + ",\n".join(lines) + "\n}"


def apa(work: Work) -> str:
    """One line in plain text, after the seventh edition."""
    *first, last = work.authors
    # Names of organizations hold commas of their own.
    authors = f"{'; '.join(first)}; & {last}" if first else last
    day = f"{work.published.year}, {_month_day(work.published)}"
    if work.arxiv:
        where = f"(arXiv:{work.arxiv}). arXiv. {work.url}"
    else:
        version = f"(Version {work.version}) " if work.version else ""
        retrieved = (
            f"Retrieved {_month_day(work.accessed)}, {work.accessed.year}, from "
            if work.accessed
            else ""
        )
        where = f"{version}[Data set]. {retrieved}{work.url}"
    return f"{authors.rstrip('.')}. ({day}). {_one_line(work.title)} {where}"


def cff(work: Work) -> str:
    """A file in Citation File Format 1.2.0; every text is quoted."""
    lines = [
        "cff-version: 1.2.0",
        "message: Please cite this work as below.",
        "type: dataset",
        f"title: {_quoted(work.title)}",
        "authors:",
        *(f"  - name: {_quoted(name)}" for name in work.authors),
        f"date-released: {_quoted(work.published.isoformat())}",
        f"url: {_quoted(work.url)}",
    ]
    if work.version:
        lines.append(f"version: {_quoted(work.version)}")
    if work.license:
        lines.append(f"license: {_quoted(work.license)}")
    if work.note:
        lines.append(f"abstract: {_quoted(work.note)}")
    if work.arxiv:
        lines += [
            "identifiers:",
            "  - type: other",
            f"    value: {_quoted(f'arXiv:{work.arxiv}')}",
        ]
    return "\n".join(lines) + "\n"


def latex(text: str) -> str:
    r"""``text`` so that LaTeX prints it as it is.

    >>> latex("a_b & 100 %")
    'a\\_b \\& 100 \\%'
    """
    return "".join(_LATEX.get(char, char) for char in _one_line(text))


def _protected(title: str) -> str:
    """The title with its capitals held by braces."""
    words = _one_line(title).split(" ")
    return " ".join(
        f"{{{latex(word)}}}" if _CAPITALS.search(word) else latex(word)
        for word in words
    )


def _url(address: str) -> str:
    return address.replace("%", r"\%").replace("#", r"\#")


def _note(work: Work) -> str:
    accessed = f"accessed {work.accessed}" if work.accessed else ""
    return ", ".join(part for part in (work.note, accessed) if part)


def _one_line(text: str) -> str:
    return " ".join(
        "".join(char if char.isprintable() else " " for char in text).split()
    )


def _month_day(day: date) -> str:
    return f"{day:%B} {day.day}"


def _quoted(text: str) -> str:
    """A double-quoted scalar of YAML, which takes the escapes of JSON."""
    return json.dumps(_one_line(text), ensure_ascii=False)
