"""Pages put together from stored cells and remembered parts equal pages drawn anew."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.html import escape
from django.utils.translation import override

from leaderboard import memory
from leaderboard.charts import run_axis
from leaderboard.formats import MILLION
from leaderboard.models import StoredTable
from leaderboard.presenters import lines as rows
from leaderboard.presenters.columns import DEFAULT, LABELS
from leaderboard.ranking.lines import CELLS, Line, Shape, as_text, from_texts
from leaderboard.ranking.renewal import renew
from tests.factories import EvaluationSnapshotFactory
from tests.leaderboard.test_ranking import TASKS, Maintainers, add

HOSTILE = "\"'><script>%s %(x)s {{ it }}{% y %}</script>&amp;\u202e"
QUERIES = (
    *("", "sort=tokens", "sort=-seconds", "sort=name&columns=agent,published,runs"),
    *("source=bug-fix", "source=spec-driven&sort=first_build&columns=tokens"),
    *("provider=Provider+1", "q=%3Cscript", "q=model&sort=-name", "q=nobody"),
    *("family=Family+1&provenance=official", "cost=time", "columns=task_completion"),
    *("bogus=1&sort=zzz", "provenance=self-reported&cost=time&sort=final_build"),
)


def test_pages_of_stored_tables_equal_those_that_are_drawn_anew(client, committed_db):
    snapshot = EvaluationSnapshotFactory(task_count=TASKS)
    chance = random.Random(8)
    maintainers = Maintainers(snapshot, chance)
    for number in range(9):
        maintainers.publish()
        add(
            snapshot,
            chance,
            configuration__model=f"{HOSTILE[number:]}{number}",
            configuration__provider=HOSTILE,
            configuration__agent_name=HOSTILE,
            runs_in_order=number % 3 > 0,
            simulated=number % 2 > 0,
            provenance=chance.choice(["official", "published", "reproduced"]),
        )
    maintainers.compare_otherwise()
    maintainers.declare_comparable()
    maintainers.strike_out()
    paths = [
        f"{language}/?{query}" for query, language in product(QUERIES, ("", "/zh-hans"))
    ]

    anew = {}
    for path in paths:
        memory.forget()
        anew[path] = client.get(path).content.decode()
    assert renew()
    for path in (*paths, *chance.sample(paths, len(paths))):
        assert client.get(path).content.decode() == anew[path], path

    assert StoredTable.objects.exists()
    for path, page in anew.items():
        assert "<script>%s" not in page
        assert not re.search(r"0\d{28,}", page), path
    assert "&lt;script&gt;%s %(x)s {{ it }}{% y %}" in anew["/?"]


SHAPES = [
    Shape("official", True, True, False, False, False, "new-feature bug-fix", ""),
    Shape("published", False, False, False, True, True, "", "printed_mean"),
    Shape(
        *("reproduced", True, True, True, False, False, "spec-driven"),
        "printed_mean printed_first_build printed_final_build",
    ),
]


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.provenance)
@pytest.mark.parametrize("shown", [DEFAULT, tuple(LABELS), ("agent",), ()])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_row_is_what_the_template_draws_of_its_texts(
    shape, shown, language, monkeypatch
):
    sources = shape.sources.split()
    texts = [f"<{name}&amp;%s>" for name in CELLS]
    # Numbers, as the addresses of a row need.
    texts[:2] = ["17", "18"]
    texts += [f"{source}-{part}" for source in sources for part in range(3)]
    cells = [str(escape(text)) for text in texts]
    line = Line(shape, cells, rank=1, tied_count=1, completed_count=1, task_runs=3)
    (line,) = from_texts([as_text(line)])
    with override(language):
        body = rows.Body(
            *([line], shown, run_axis([]), MILLION, "-task_completion"), leading_count=1
        )
        table, counts = body.table, body.counts

        # The same template once more, with the texts where the holes were.
        monkeypatch.setattr(rows, "hole", lambda number: texts[number])
        drawn = render_to_string(
            "leaderboard/partials/standings_row.html",
            {
                "row": body._hollow(shape, shape.leading),
                "shows": {key: key in shown for key in LABELS},
                "unit_is_million": True,
            },
        )

    assert _squeezed(table) == _squeezed(drawn)
    assert 'href="/' in table and "/e/17/" in table and "/c/18/" in table
    for source in set(sources) & set(shown):
        assert f"{source}-2" in counts


def _squeezed(html: str) -> str:
    return re.sub(r"\s*\n\s*", "\n", html).strip()


def test_a_row_struck_out_since_is_only_on_pages_of_an_earlier_day(client, db):
    snapshot = EvaluationSnapshotFactory(task_count=TASKS)
    found = add(snapshot, random.Random(1), configuration__model="Gone & lost")
    now = timezone.now()
    found.strike_out("Not <sound>.", at=now)
    found.visibility = "withdrawn"
    found.save()
    day = found.published_at.date()

    page = client.get(f"/?as_of={day}").content.decode()

    assert f"Gone &amp; lost was struck out later, on {now:%Y-%m-%d}" in page
    assert "Not &lt;sound&gt;." in page
