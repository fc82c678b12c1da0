"""Two maintainers at the same moment: one decides, the other is told, nothing twice.

On SQLite one waits for the other; ``tests/submissions/test_on_postgresql.py`` runs this
file on PostgreSQL, with two connections at work at once.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from leaderboard.models import AuditEvent, Overruling, TaskResult
from submissions import services
from submissions.models import Appeal, Proposal, SubmissionState
from submissions.review import appeals, decisions
from submissions.services import NotPossibleError
from submissions.transitions import Act
from tests.evaluator.test_queue_races import at_once
from tests.factories import TeamFactory, UserFactory
from tests.submissions.bundles import files_for, make_snapshot, write_archive
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.usefixtures("committed_db")


@pytest.fixture
def evaluated(committed_db, tmp_path):
    user = UserFactory()
    archive = write_archive(tmp_path, files_for(make_snapshot()))
    submission = services.receive(user, archive, origin="page").submission
    fail_all(submission)
    return submission


@pytest.fixture
def maintainers(committed_db):
    return [UserFactory(is_staff=True) for _ in range(4)]


def told(act: Callable[[], object]) -> Callable[[], str]:
    """``act`` as a function that returns what its maker was told, "" if it was done."""

    def acting() -> str:
        try:
            act()
        except NotPossibleError as error:
            return str(error)
        return ""

    return acting


def acts(submission) -> list[str]:
    found = AuditEvent.objects.about(submission.evaluation).order_by("pk")
    return list(found.values_list("act", flat=True))


def test_of_two_decisions_on_the_same_page_one_is_done(evaluated, maintainers):
    first, second = maintainers[:2]
    seen = decisions.last_act(evaluated)

    def deciding(act, by):
        return told(
            lambda: decisions.decide(evaluated, act, by=by, reason="x", seen=seen)
        )

    answers = at_once([deciding(Act.PUBLISH, first), deciding(Act.REJECT, second)])

    assert sorted(map(bool, answers)) == [False, True]
    assert "Somebody was faster" in max(answers)
    assert len(acts(evaluated)) == 1
    evaluated.refresh_from_db()
    assert evaluated.events.count() == 2
    assert evaluated.shown_state in {
        SubmissionState.PUBLISHED,
        SubmissionState.REJECTED,
    }


def test_the_same_decision_by_four_is_done_once(evaluated, maintainers):
    def publishing(by):
        return told(lambda: decisions.decide(evaluated, Act.PUBLISH, by=by))

    answers = at_once([publishing(each) for each in maintainers])

    assert sorted(map(bool, answers)) == [False, True, True, True]
    assert acts(evaluated) == ["publish"]


def test_a_proposal_is_confirmed_once(evaluated, maintainers):
    insider, *others = maintainers
    evaluated.team = TeamFactory(owner=insider)
    evaluated.save()
    proposal = decisions.decide(evaluated, Act.PUBLISH, by=insider)

    def confirming(by):
        return told(lambda: decisions.confirm(proposal, by=by))

    answers = at_once([confirming(each) for each in others])

    assert sorted(map(bool, answers)) == [False, True, True]
    assert acts(evaluated) == ["propose", "publish"]
    assert evaluated.events.filter(to_state="published").count() == 1


def test_one_of_two_proposals_is_kept(evaluated, maintainers):
    mates = maintainers[:2]
    evaluated.team = TeamFactory(owner=mates[0], members=mates[1:])
    evaluated.save()

    def proposing(by):
        return told(lambda: decisions.decide(evaluated, Act.PUBLISH, by=by))

    answers = at_once([proposing(each) for each in mates])

    assert sorted(map(bool, answers)) == [False, True]
    assert Proposal.objects.count() == 1


def test_a_task_run_is_overruled_once(evaluated, maintainers):
    first, *others = maintainers
    result = TaskResult.objects.filter(run__evaluation=evaluated.evaluation)[0]
    TaskResult.objects.filter(pk=result.pk).update(
        completed=True,
        reason="",
        final_build_ok=True,
        f_points_passed=result.f_point_count,
    )
    result.refresh_from_db()
    proposal = decisions.propose_overruling(
        evaluated, result, by=first, reason="copied"
    )

    def confirming(by):
        return told(lambda: decisions.confirm(proposal, by=by))

    answers = at_once([confirming(each) for each in others])

    assert sorted(map(bool, answers)) == [False, True, True]
    assert Overruling.objects.count() == 1


def test_there_is_one_appeal_however_often_the_button_is_pressed(
    evaluated, maintainers
):
    services.reject(evaluated, by=maintainers[0], reason="x")

    def appealing():
        return appeals.appeal(evaluated, by=evaluated.user, text="No.")

    answers = at_once([told(appealing)] * 3)

    assert sorted(map(bool, answers)) == [False, True, True]
    assert Appeal.objects.count() == 1


def test_an_appeal_is_answered_once(evaluated, maintainers):
    services.reject(evaluated, by=maintainers[0], reason="x")
    appeals.appeal(evaluated, by=evaluated.user, text="No.")
    second, third = maintainers[1:3]

    answers = at_once(
        [
            told(lambda: appeals.dismiss(evaluated, by=second, reason="x")),
            told(lambda: decisions.decide(evaluated, Act.REOPEN, by=third, reason="x")),
        ]
    )

    outcome = Appeal.objects.get().outcome
    answered = [act for act in acts(evaluated) if act.endswith(" appeal")]
    # After a dismissal the submission may still be taken up again, without an appeal.
    assert len(answered) == 1
    assert answers[0] == "" if outcome == "dismissed" else answers[0]
