"""The list of signals as maintainers see it."""

from __future__ import annotations

import pytest
from django.template.loader import render_to_string
from django.utils import timezone

from submissions.integrity.places import trajectory_url
from submissions.integrity.summary import signals_of
from submissions.integrity.verdicts import judge
from submissions.models import IntegrityScan
from tests.factories import IntegritySignalFactory
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db


def render(submission, **context) -> str:
    context["signals"] = signals_of(submission)
    return render_to_string("submissions/_signals.html", context)


def scan(submission, **fields) -> None:
    now = timezone.now()
    IntegrityScan.objects.create(
        submission=submission, rules=1, started_at=now, **fields
    )


def test_before_the_first_look_nothing_is_claimed(submission):
    html = render(submission)

    assert "Not looked through yet." in html
    assert "No signal." not in html


def test_a_look_that_found_nothing_says_so_and_what_is_still_to_come(submission):
    scan(submission, finished_at=timezone.now())

    html = render(submission)

    assert "No signal." in html
    assert "looked for once they are there" in html


def test_trouble_of_ours_is_not_hidden(submission):
    scan(submission, trouble="The storage did not answer.")

    assert "The storage did not answer." in render(submission)


def test_a_signal_stands_with_place_evidence_and_reason_to_look(submission):
    signal = IntegritySignalFactory(
        submission=submission, seen="git log --all <b>x</b>", occurrences=7
    )

    html = render(submission)

    assert "git log --all &lt;b&gt;x&lt;/b&gt;" in html
    assert "line 3" in html
    assert "7 times in this task run" in html
    assert "A repository may still hold the commit" in html
    step = trajectory_url(submission.evaluation_id, 1, signal.task.slug, step=3)
    assert f'href="{step}"' in html
    assert "1 of 1 waits for a verdict." in html


def test_the_task_run_is_linked_once_it_has_a_page(submission, client, maintainer):
    IntegritySignalFactory(submission=submission)
    assert f'/tasks/{submission.snapshot.tasks.first().slug}/"' not in render(
        submission
    )

    fail_all(submission)
    html = render(submission)
    url = html.partition('<th scope="row">')[2].partition('href="')[2].partition('"')[0]

    client.force_login(maintainer)
    assert client.get(url).status_code == 200


def test_a_form_goes_beside_what_is_open_only(submission, maintainer):
    IntegritySignalFactory(submission=submission)
    judged = IntegritySignalFactory(submission=submission, current=False)
    judge(judged, by=maintainer, decision="dismissed", reason="own branch")

    html = render(submission, verdict_form="submissions/partials/state.html")

    assert html.count("badge state-") == 1
    assert "own branch" in html
    assert "did not find it again" in html
