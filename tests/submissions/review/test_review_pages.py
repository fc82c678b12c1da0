"""The pages of reviews through the client: what they show, and every form on them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluator.models import Job, JobState
from leaderboard.models import Benchmark, ScoringPolicy, TaskResult
from leaderboard.passing.scoring import write_pass_totals
from submissions import services
from submissions.models import (
    Decision,
    IntegritySignal,
    MessageKind,
    Severity,
    SubmissionState,
)
from submissions.review import appeals, decisions
from submissions.transitions import Act
from tests.factories import EvaluationFactory, SubmissionFactory, UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(client: Client, maintainer) -> Client:
    client.force_login(maintainer)
    return client


@pytest.fixture
def staff_of_two(second) -> Client:
    client = Client()
    client.force_login(second)
    return client


def text_of(response) -> str:
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def review(submission) -> str:
    return f"/review/{submission.pk}/"


def post(client: Client, submission, form: str, **values) -> str:
    address = f"{review(submission)}{form}/"
    return text_of(client.post(address, values, follow=True))


def rows_of(response) -> list[str]:
    return re.findall(
        r'<th scope="row"><a href="/review/([^/]+)/', str(response.content)
    )


def test_the_queue_lists_what_waits_the_oldest_first(staff, evaluated):
    newer = SubmissionFactory(evaluation=EvaluationFactory(scored_at=timezone.now()))
    older = SubmissionFactory(
        evaluation=EvaluationFactory(scored_at=timezone.now() - timedelta(days=9))
    )
    SubmissionFactory()  # Nothing of it is scored.

    found = rows_of(staff.get("/review/"))

    assert found == [str(each.pk) for each in (older, evaluated, newer)]


def test_each_kind_has_its_count_and_its_list(staff, evaluated, maintainer, second):
    kinds = {
        "waiting": evaluated,
        "asked": SubmissionFactory(evaluation__scored_at=timezone.now(), state="asked"),
        "rejected": SubmissionFactory(
            evaluation__scored_at=timezone.now(), state="rejected"
        ),
        "published": SubmissionFactory(evaluation__public=True),
        "struck-out": SubmissionFactory(
            evaluation__public=True,
            evaluation__visibility="withdrawn",
            evaluation__withdrawn_reason="x",
        ),
        "evaluating": SubmissionFactory(),
    }
    for kind, submission in kinds.items():
        page = staff.get(f"/review/?show={kind}")
        assert rows_of(page) == [str(submission.pk)], kind
    assert len(rows_of(staff.get("/review/?show=all"))) == len(kinds)
    text = text_of(staff.get("/review/"))
    assert "Waiting for a decision 1" in text
    assert "All 6" in text


def test_appeals_and_proposals_wait_too(staff, evaluated, maintainer):
    decisions.decide(evaluated, Act.PUBLISH, by=maintainer)
    decisions.decide(evaluated, Act.DISQUALIFY, by=maintainer, reason="x")
    assert rows_of(staff.get("/review/")) == []

    appeals.appeal(evaluated, by=evaluated.user, text="No.")

    for show in ("waiting", "appeals"):
        assert rows_of(staff.get(f"/review/?show={show}")) == [str(evaluated.pk)]


def test_stuck_task_runs_are_marked_and_block_publication(staff, submission):
    Job.objects.filter(evaluation=submission.evaluation).update(
        state=JobState.INFRA_EXHAUSTED, infra_left=0, reason="disk_full"
    )

    assert "4 task runs stuck" in text_of(staff.get("/review/?show=stuck"))
    page = text_of(staff.get(review(submission)))
    assert "Blocks publication" in page
    assert "Queue all 4 task runs again" in page


def test_the_queue_is_searched_and_wrong_filters_are_named(staff, evaluated):
    model = evaluated.evaluation.configuration.model

    assert rows_of(staff.get("/review/", {"q": model})) == [str(evaluated.pk)]
    assert rows_of(staff.get("/review/", {"q": "nothing like it"})) == []
    assert "nowhere" in text_of(staff.get("/review/?snapshot=nowhere"))
    assert staff.get("/review/?show=nonsense&page=x").status_code == 200


def test_the_queue_asks_as_often_for_many_as_for_one(
    staff, evaluated, django_assert_num_queries
):
    staff.get("/review/")
    with CaptureQueriesContext(connection) as one:
        staff.get("/review/")
    for _ in range(4):
        SubmissionFactory(evaluation__scored_at=timezone.now())

    with django_assert_num_queries(len(one)):
        staff.get("/review/")


def test_the_page_shows_everything_that_a_decision_needs(staff, evaluated):
    page = text_of(staff.get(review(evaluated)))

    for words in (
        "Comparable: nothing differs from the snapshot.",
        "agent.version",
        "Validation report",
        "4 of 4 task runs scored",
        "Integrity signals",
        evaluated.archive_sha256,
        "received through the page",
        "submitted/final.patch",
    ):
        assert words in page, words


def test_the_page_of_an_old_manifest_is_shown_all_the_same(staff):
    submission = SubmissionFactory(manifest={"schema_version": 0})

    assert "schema_version" in text_of(staff.get(review(submission)))


def test_differing_fields_are_named_with_both_values(staff, evaluated):
    evaluated.manifest["sdk"] = "API 99"
    evaluated.save()
    evaluated.evaluation.differing_fields = ["sdk"]
    evaluated.evaluation.save()

    page = text_of(staff.get(review(evaluated)))

    assert "Not comparable; it differs in: SDK." in page
    assert "sdk API 99 API 23 differs" in page


def test_run_parameters_stand_beside_those_of_the_snapshot(staff, evaluated):
    evaluated.snapshot.run_parameters = {"temperature": 0, "another": 1}
    evaluated.snapshot.save()
    evaluated.manifest["run_parameters"]["temperature"] = 0.7
    evaluated.save()

    page = text_of(staff.get(review(evaluated)))

    assert "run_parameters.temperature 0.7 0 differs" in page
    assert "run_parameters.another" not in page


def test_artifacts_are_filtered_and_paged(staff, evaluated):
    slug = evaluated.snapshot.tasks.first().slug

    page = text_of(staff.get(review(evaluated), {"run": "2", "task": slug}))
    assert page.count("submitted/final.patch") == 1
    assert staff.get(review(evaluated), {"files": "99", "run": "x"}).status_code == 200


def test_a_decision_on_the_page_is_done_and_told(staff, evaluated):
    assert "Done: Publish." in post(staff, evaluated, "decide", act="publish")

    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.PUBLISHED


@pytest.mark.parametrize("act", ["ask", "reject"])
def test_a_decision_without_its_reason_is_refused(act, staff, evaluated):
    assert "Give a reason" in post(staff, evaluated, "decide", act=act, reason=" ")

    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.EVALUATED


def test_a_decision_nobody_knows_is_refused(staff, evaluated):
    text = post(staff, evaluated, "decide", act="explode", seen="x", public_from="soon")

    assert "explode" in text
    assert "The day must be a date" in text


def test_the_second_of_two_pages_is_told(staff, staff_of_two, evaluated):
    seen = re.search(
        r'name="seen" value="(\d+)"', staff.get(review(evaluated)).content.decode()
    )[1]

    post(staff, evaluated, "decide", act="reject", reason="copied", seen=seen)
    text = post(staff_of_two, evaluated, "decide", act="publish", seen=seen)

    assert "Somebody was faster: Rejected" in text
    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.REJECTED


def test_one_of_the_team_proposes_and_another_maintainer_confirms(
    client, staff_of_two, insider, evaluated
):
    client.force_login(insider)
    page = text_of(client.get(review(evaluated)))
    assert "You may propose" in page
    assert "Propose: Publish" in page
    assert "Another maintainer must confirm" in post(
        client, evaluated, "decide", act="publish"
    )
    assert "Your own team" in text_of(client.get("/review/?show=proposals"))
    proposal = evaluated.proposals.get()
    place = f"proposals/{proposal.pk}"
    assert "you made the proposal" in post(client, evaluated, place, verdict="confirm")

    text = post(staff_of_two, evaluated, place, verdict="confirm")

    assert "Confirmed and done." in text
    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.PUBLISHED


def test_a_proposal_is_declined_with_a_reason(staff, insider, evaluated):
    proposal = decisions.decide(evaluated, Act.PUBLISH, by=insider)
    place = f"proposals/{proposal.pk}"

    assert "Give a reason" in post(staff, evaluated, place, verdict="decline")
    text = post(staff, evaluated, place, verdict="decline", reason="too early")

    assert "Declined." in text
    assert "too early" in text


def test_a_question_goes_to_the_submitter_and_the_answer_comes_back(
    staff, evaluated, user
):
    post(staff, evaluated, "decide", act="ask", reason="Which seed?")
    owner = Client()
    owner.force_login(user)
    page = text_of(owner.get(evaluated.get_absolute_url()))
    assert "Which seed?" in page
    assert "Your answer" in page
    looking_on = text_of(staff.get(evaluated.get_absolute_url()))
    assert "Your answer" not in looking_on

    address = f"{evaluated.get_absolute_url()}answer/"
    assert "Answered." in text_of(owner.post(address, {"text": "7"}, follow=True))

    assert [each.kind for each in evaluated.messages.all()] == ["question", "answer"]


def test_a_note_is_for_maintainers_and_a_message_for_both(staff, evaluated, user):
    post(staff, evaluated, "messages", kind="note", text="looks odd")
    post(staff, evaluated, "messages", kind="message", text="We are looking at it.")
    assert "Write a text first" in post(staff, evaluated, "messages", kind="note")

    owner = Client()
    owner.force_login(user)
    page = text_of(owner.get(evaluated.get_absolute_url()))
    assert "We are looking at it." in page
    assert "looks odd" not in page
    assert "looks odd" in text_of(staff.get(review(evaluated)))
    assert evaluated.messages.first().kind == MessageKind.NOTE


def test_an_appeal_is_made_and_dismissed_on_the_pages(
    staff, staff_of_two, evaluated, user
):
    post(staff, evaluated, "decide", act="reject", reason="copied")
    owner = Client()
    owner.force_login(user)
    address = f"{evaluated.get_absolute_url()}appeal/"
    text = text_of(owner.post(address, {"text": "It is our own."}, follow=True))
    assert "Your appeal waits for an answer." in text
    again = text_of(owner.post(address, {"text": "It is."}, follow=True))
    assert "There was an appeal" in again

    answer = {"outcome": "dismissed", "reason": "the digests are equal"}
    assert "You took the decision" in post(staff, evaluated, "appeal", **answer)
    assert "Appeal dismissed." in post(staff_of_two, evaluated, "appeal", **answer)

    page = text_of(owner.get(evaluated.get_absolute_url()))
    assert "the digests are equal" in page
    assert "Why the decision is wrong" not in page


def test_an_appeal_against_a_rejection_is_upheld_at_once(
    staff_of_two, evaluated, maintainer
):
    services.reject(evaluated, by=maintainer, reason="copied")
    appeals.appeal(evaluated, by=evaluated.user, text="No.")

    text = post(staff_of_two, evaluated, "appeal", outcome="upheld", reason="it is not")

    assert "Appeal upheld." in text
    evaluated.refresh_from_db()
    assert evaluated.shown_state == SubmissionState.EVALUATED


@pytest.fixture
def signal(evaluated) -> IntegritySignal:
    """A signal at a completed task run."""
    result = TaskResult.objects.filter(run__evaluation=evaluated.evaluation)[0]
    TaskResult.objects.filter(pk=result.pk).update(
        completed=True,
        reason="",
        final_build_ok=True,
        f_points_passed=result.f_point_count,
    )
    return IntegritySignal.objects.create(
        submission=evaluated,
        code="git_history",
        severity=Severity.FLAG,
        score=0.9,
        run_number=result.run.number,
        task=result.task,
        seen="git log --all",
        fingerprint="1",
    )


def test_a_confirmed_signal_proposes_that_its_task_run_counts_0(
    staff, staff_of_two, evaluated, signal
):
    assert "1 open signal" in text_of(staff.get("/review/"))
    place = f"signals/{signal.pk}"

    text = post(
        staff,
        evaluated,
        place,
        decision="confirmed",
        reason="the commit was fetched",
        overrule="on",
    )

    assert "Another maintainer must confirm that it counts 0." in text
    assert "Proposal: Let a task run count 0" in text
    assert signal.verdicts.get().decision == Decision.CONFIRMED
    proposal = evaluated.proposals.get()
    post(staff_of_two, evaluated, f"proposals/{proposal.pk}", verdict="confirm")
    result = TaskResult.objects.get(run__number=signal.run_number, task=signal.task)
    assert result.completed
    assert result.is_overruled


def test_a_dismissed_signal_proposes_nothing(staff, evaluated, signal):
    place = f"signals/{signal.pk}"
    assert "reason" in post(staff, evaluated, place, decision="dismissed")

    text = post(
        staff, evaluated, place, decision="dismissed", reason="ok", overrule="on"
    )

    assert "Verdict kept." in text
    assert not evaluated.proposals.exists()


def test_nobody_judges_signals_of_the_own_team(client, evaluated, signal, insider):
    client.force_login(insider)
    place = f"signals/{signal.pk}"
    assert place not in client.get(review(evaluated)).content.decode()

    text = post(client, evaluated, place, decision="dismissed", reason="ours")

    assert "another maintainer must judge" in text
    assert not signal.verdicts.exists()


def test_the_page_asks_as_often_for_much_as_for_little(
    staff, staff_of_two, evaluated, signal, maintainer, django_assert_num_queries
):
    staff.get(review(evaluated))
    with CaptureQueriesContext(connection) as little:
        staff.get(review(evaluated))
    count = len(little)  # The next request begins a log of its own.
    for number in range(5):
        post(staff_of_two, evaluated, "messages", kind="note", text=str(number))
        IntegritySignal.objects.create(
            submission=evaluated,
            code="hidden_files",
            severity=Severity.FLAG,
            score=0.5,
            seen="x",
            fingerprint=f"more {number}",
        )

    with django_assert_num_queries(count):
        staff.get(review(evaluated))


def test_a_signal_of_another_submission_is_not_judged_here(staff, evaluated, signal):
    other = SubmissionFactory()

    response = staff.post(f"{review(other)}signals/{signal.pk}/", {"reason": "x"})

    assert response.status_code == 404


def test_a_verdict_whose_proposal_is_not_possible_is_not_kept(staff, evaluated, signal):
    TaskResult.objects.update(completed=False, reason="check_failed")

    text = post(
        staff,
        evaluated,
        f"signals/{signal.pk}",
        decision="confirmed",
        reason="x",
        overrule="on",
    )

    assert "Only a completed task run can be overruled." in text
    assert not signal.verdicts.exists()


def test_a_task_run_is_named_for_an_overruling(staff, evaluated, signal):
    place = {"run": signal.run_number, "task": signal.task.slug}

    assert "no such task run" in post(
        staff, evaluated, "overrule", run=9, task="nothing", reason="x"
    )
    text = post(staff, evaluated, "overrule", **place, reason="by hand")

    assert "Proposed." in text


def test_what_people_write_is_escaped(staff, evaluated):
    nasty = "<script>alert(1)</script>"
    post(staff, evaluated, "messages", kind="note", text=nasty)

    page = staff.get(review(evaluated)).content.decode()

    assert nasty not in page
    assert "&lt;script&gt;alert(1)" in page


def test_nobody_else_finds_the_review_linked_or_open(signed_in, evaluated):
    page = signed_in.get(evaluated.get_absolute_url()).content.decode()

    assert review(evaluated) not in page
    assert signed_in.get(review(evaluated)).status_code == 403
    stranger = Client()
    stranger.force_login(UserFactory())
    assert stranger.get(review(evaluated)).status_code == 403


def test_a_reviewer_sees_figures_by_pass_rate(staff, evaluated):
    Benchmark.objects.update(policy=ScoringPolicy.PASS_AND_COMPLETION)
    (overall,) = write_pass_totals(evaluated.evaluation)

    shown = text_of(staff.get(review(evaluated)))

    assert f"0.00 0.00 0/{overall.finished_count} 0" in shown
    assert "Figures appear once" not in shown
