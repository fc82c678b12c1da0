"""The list of submissions: who finds which, by state, snapshot and words."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from leaderboard.models import Visibility
from submissions import services
from submissions.models import Submission, SubmissionState
from submissions.review import sanctions
from submissions.views import submissions as views
from tests.factories import SubmissionFactory, TeamFactory
from tests.submissions.jobs import fail_all
from tests.submissions.test_pages import text_of

pytestmark = pytest.mark.django_db
LIST = "/submissions/"


@pytest.fixture
def scored(submission) -> Submission:
    fail_all(submission)
    return submission


def shown_only_as(submission: Submission, state: SubmissionState) -> None:
    """The filter says of the row what the row says of itself."""
    submission.refresh_from_db()
    assert submission.shown_state == state
    found = [
        each
        for each in SubmissionState
        if Submission.objects.in_state(each).filter(pk=submission.pk).exists()
    ]
    assert found == [state]


def test_what_is_evaluating_or_cancelled_is_found_so(submission, user):
    shown_only_as(submission, SubmissionState.EVALUATING)
    services.cancel(submission, by=user, reason="x")
    shown_only_as(submission, SubmissionState.CANCELLED)


def test_what_is_decided_is_found_so(scored, maintainer):
    shown_only_as(scored, SubmissionState.EVALUATED)
    services.reject(scored, by=maintainer, reason="x")
    shown_only_as(scored, SubmissionState.REJECTED)


def test_an_embargo_is_found_until_it_ends(scored, maintainer):
    later = timezone.now() + timedelta(days=1)
    services.publish(scored, by=maintainer, public_from=later)
    shown_only_as(scored, SubmissionState.EMBARGOED)

    scored.evaluation.public_from = timezone.now() - timedelta(seconds=1)
    scored.evaluation.save()
    shown_only_as(scored, SubmissionState.PUBLISHED)


def test_what_is_withdrawn_is_found_so_in_public_and_in_private(scored, user):
    services.withdraw(scored, by=user, reason="x")
    assert scored.evaluation.visibility == Visibility.PRIVATE
    shown_only_as(scored, SubmissionState.WITHDRAWN)


def test_what_was_public_is_found_by_what_became_of_it(scored, maintainer):
    services.publish(scored, by=maintainer)
    shown_only_as(scored, SubmissionState.PUBLISHED)
    sanctions.disqualify(scored, by=maintainer, reason="x")
    shown_only_as(scored, SubmissionState.DISQUALIFIED)


def test_filters_narrow_and_stay_in_the_address(signed_in, user, submission):
    other = SubmissionFactory(user=user)
    version = submission.snapshot.version

    page = signed_in.get(LIST, {"snapshot": version, "state": "evaluating"})
    assert submission.get_absolute_url() in page.text
    assert other.get_absolute_url() not in page.text
    assert f'<option value="{version}" selected>' in page.text

    page = signed_in.get(LIST, {"state": "published"})
    assert "No submission matches" in text_of(page)


def test_a_search_finds_models_teams_and_identifiers(signed_in, user):
    team = TeamFactory(name="Night shift", owner=user)
    found = SubmissionFactory(user=user, team=team)
    found.evaluation.configuration.model = "Owl-7"
    found.evaluation.configuration.save()
    other = SubmissionFactory(user=user)

    for words in ("owl", "night", str(found.pk)):
        page = signed_in.get(LIST, {"q": words})
        assert found.get_absolute_url() in page.text, words
        assert other.get_absolute_url() not in page.text, words


def test_a_search_finds_nothing_of_others(signed_in):
    other = SubmissionFactory()

    page = signed_in.get(LIST, {"q": str(other.pk)})

    assert other.get_absolute_url() not in page.text


def test_what_is_not_understood_is_named_and_ignored(signed_in, submission):
    page = signed_in.get(LIST, {"state": "flying", "snapshot": "none-0"})

    assert page.status_code == 200
    assert "state=flying is not known here" in text_of(page)
    assert "Choose from: " + ", ".join(SubmissionState.values) in text_of(page)
    assert submission.get_absolute_url() in page.text


def test_the_links_of_pages_keep_the_filters(signed_in, user, monkeypatch):
    monkeypatch.setattr(views, "PAGE_SIZE", 1)
    for _ in range(2):
        SubmissionFactory(user=user)

    page = signed_in.get(LIST, {"state": "evaluating", "page": "1"})

    assert 'href="?state=evaluating&amp;page=2"' in page.text
    assert "page=1&amp;page=2" not in page.text


def test_result_and_duration_are_told_when_there_are_any(signed_in, scored):
    text = text_of(signed_in.get(LIST))

    assert "4/4 0/4" in text
    assert "submissions left until" in text
    assert "1 submission, the newest first" in text


def test_the_squares_have_a_table_beside_them(signed_in, submission):
    text = text_of(signed_in.get(submission.get_absolute_url()))

    slug = submission.snapshot.tasks.first().slug
    assert "Show as table" in text
    assert f"{slug} Queued: Agent Queued: Agent" in text
