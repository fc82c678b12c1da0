"""What its people do with a submission afterwards: copy, run again, note, take back."""

from __future__ import annotations

import json
from http import HTTPStatus

import pytest
from django.test import Client

from evaluator.models import Job, JobState
from leaderboard.models import (
    Artifact,
    AuditEvent,
    OutboxMessage,
    SnapshotStatus,
    Visibility,
)
from submissions import followups, services
from submissions.accounts import quota
from submissions.followups import NotPossibleError, OverQuotaError
from submissions.history import history_of
from submissions.manifest import parse_manifest
from submissions.models import MailPreference, Submission, SubmissionState
from tests.factories import TeamFactory, UserFactory
from tests.submissions.bundles import files_for, make_snapshot, write_archive, zipped
from tests.submissions.jobs import fail_all
from tests.submissions.test_pages import text_of, upload
from tests.tokens import api_client

pytestmark = pytest.mark.django_db
SUBMISSIONS = "/api/v1/submissions/"


@pytest.fixture
def ended(submission) -> Submission:
    fail_all(submission)
    return submission


def signed_in_as(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


# Re-runs


def test_a_re_run_evaluates_the_same_files_beside_the_original(ended, user):
    before = list(Job.objects.filter(evaluation=ended.evaluation).values())

    again = followups.rerun(ended, by=user, reason="a worker was ill")

    assert again.pk != ended.pk
    assert again.rerun_of == ended
    assert again.evaluation.rerun_of == ended.evaluation
    assert again.shown_state == SubmissionState.EVALUATING
    assert list(Job.objects.filter(evaluation=ended.evaluation).values()) == before
    jobs = {
        (job.run.number, job.task.slug): job.inputs
        for job in Job.objects.filter(evaluation=again.evaluation)
    }
    assert jobs == {
        (job.run.number, job.task.slug): job.inputs
        for job in Job.objects.filter(evaluation=ended.evaluation)
    }
    kept = Artifact.objects.filter(name__startswith="submitted/")
    digests = [
        sorted(
            kept.filter(run__evaluation=each.evaluation).values_list("name", "sha256")
        )
        for each in (ended, again)
    ]
    assert digests[0] == digests[1] != []


def test_a_re_run_stays_on_record_with_actor_and_reason(ended, user):
    again = followups.rerun(ended, by=user, reason="a worker was ill")

    for each in (ended, again):
        event = AuditEvent.objects.about(each.evaluation).first()
        assert (event.act, event.actor, event.reason) == (
            "rerun",
            user,
            "a worker was ill",
        )
        said = each.events.last()
        assert said.actor == user
        assert "a worker was ill" in said.reason


def test_a_re_run_of_a_re_run_is_linked_to_the_original(ended, user):
    first = followups.rerun(ended, by=user, reason="once")
    fail_all(first)

    second = followups.rerun(first, by=user, reason="twice")

    assert second.rerun_of == ended
    assert [each.pk for each in followups.family_of(first)] == [
        ended.pk,
        first.pk,
        second.pk,
    ]


def test_a_re_run_keeps_conditions_and_label_of_the_original(ended, maintainer):
    first = ended.evaluation
    first.differing_fields = ["sdk"]
    first.toolchain_facts = {"runs": "assigned by start order", "hvigor": "5"}
    first.save()

    again = followups.rerun(ended, by=maintainer, reason="x").evaluation

    assert again.differing_fields == ["sdk"]
    assert again.comparability_key == first.comparability_key
    assert again.runs_by_start_order
    assert "hvigor" not in again.toolchain_facts


@pytest.mark.parametrize("reason", ["", "  "])
def test_a_re_run_needs_a_reason(ended, user, reason):
    with pytest.raises(NotPossibleError, match="reason"):
        followups.rerun(ended, by=user, reason=reason)


def test_what_is_being_evaluated_is_not_run_again_meanwhile(submission, user):
    with pytest.raises(NotPossibleError, match="being evaluated now"):
        followups.rerun(submission, by=user, reason="x")

    fail_all(submission)
    followups.rerun(submission, by=user, reason="x")

    with pytest.raises(NotPossibleError, match="being evaluated now"):
        followups.rerun(submission, by=user, reason="x")


def test_what_was_cancelled_may_be_run_again(submission, user):
    services.cancel(submission, by=user, reason="too early")

    assert followups.rerun(submission, by=user, reason="now").job_total == 4


def test_owners_need_an_open_snapshot_and_maintainers_do_not(ended, user, maintainer):
    ended.snapshot.status = SnapshotStatus.FROZEN
    ended.snapshot.save()

    with pytest.raises(NotPossibleError, match="takes no submissions"):
        followups.rerun(ended, by=user, reason="x")
    assert followups.rerun(ended, by=maintainer, reason="x")


def test_a_withdrawn_result_is_run_again_by_maintainers_only(ended, user, maintainer):
    services.withdraw(ended, by=user, reason="a mistake")

    with pytest.raises(NotPossibleError, match="maintainers only"):
        followups.rerun(ended, by=user, reason="x")
    assert followups.rerun(ended, by=maintainer, reason="x")


def test_a_re_run_of_strangers_needs_a_sandbox(ended, maintainer, isolating):
    isolating(False)

    with pytest.raises(NotPossibleError, match="no working sandbox"):
        followups.rerun(ended, by=maintainer, reason="x")


def test_patches_that_are_gone_are_told(ended, maintainer, monkeypatch):
    monkeypatch.setattr(followups, "blob_exists", lambda sha256: False)

    with pytest.raises(NotPossibleError, match="not kept any more"):
        followups.rerun(ended, by=maintainer, reason="x")
    assert Submission.objects.count() == 1


def test_an_owners_re_run_counts_and_a_maintainers_does_not(
    ended, user, maintainer, settings
):
    settings.OHB_RUNNING_LIMIT = 5
    assert quota.quota_of(user).used == 1

    free = followups.rerun(ended, by=maintainer, reason="x")
    assert quota.quota_of(user).used == 1
    fail_all(free)

    followups.rerun(ended, by=user, reason="x")
    assert quota.quota_of(user).used == 2


def test_a_re_run_counts_for_the_team_mate_who_asks(ended, user):
    mate = UserFactory()
    ended.team = TeamFactory(owner=user, members=[mate])
    ended.save(update_fields=["team"])

    again = followups.rerun(ended, by=mate, reason="x")

    assert (again.user, again.team) == (mate, ended.team)
    assert quota.quota_of(user).used == 1
    assert quota.quota_of(mate).used == 1
    assert quota.quota_of_team(ended.team).used == 2


def test_a_re_run_sent_twice_under_a_key_is_one(ended, user):
    def send(submission: Submission, key: str):
        return api_client(user).post(
            f"{SUBMISSIONS}{submission.pk}/rerun/",
            {"reason": "x"},
            headers={"Idempotency-Key": key},
        )

    first, again = send(ended, "one"), send(ended, "one")

    assert first.status_code == again.status_code == HTTPStatus.CREATED
    assert first.json() == again.json()
    assert Submission.objects.count() == 2
    assert send(ended, "two").status_code == HTTPStatus.CONFLICT


def test_a_key_of_another_act_re_runs_nothing(ended, user):
    Submission.objects.filter(pk=ended.pk).update(idempotency_key="one")

    answer = api_client(user).post(
        f"{SUBMISSIONS}{ended.pk}/rerun/",
        {"reason": "x"},
        headers={"Idempotency-Key": "one"},
    )

    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert answer.json()["errors"][0]["code"] == "idempotency-key-reused"
    assert Submission.objects.count() == 1


def test_without_quota_an_owners_re_run_says_until_when(ended, user, settings):
    settings.OHB_QUOTA_PER_MONTH = 1

    with pytest.raises(OverQuotaError, match="Submit again from"):
        followups.rerun(ended, by=user, reason="x")
    assert Submission.objects.count() == 1

    answer = api_client(user).post(f"{SUBMISSIONS}{ended.pk}/rerun/", {"reason": "x"})
    assert answer.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert answer.json()["errors"][0]["code"] == "quota-month"


def test_the_page_shows_original_and_re_run_side_by_side(signed_in, ended):
    answer = signed_in.post(f"/submissions/{ended.pk}/rerun/", {"reason": "x"})

    again = Submission.objects.get(rerun_of=ended)
    assert answer["Location"] == again.get_absolute_url()
    for address in (again.get_absolute_url(), ended.get_absolute_url()):
        text = text_of(signed_in.get(address))
        assert "The same files, evaluated again" in text
        assert "4/4 0/4" in text
        assert "0/4 0 so far" in text


def test_the_api_runs_again_and_links(user, ended):
    client = api_client(user)

    answer = client.post(f"{SUBMISSIONS}{ended.pk}/rerun/", {"reason": "x"})

    assert answer.status_code == 201
    assert answer.json()["rerun_of"] == str(ended.pk)
    assert answer["Location"] == answer.json()["url"]
    again = client.post(f"{SUBMISSIONS}{ended.pk}/rerun/", {"reason": "x"})
    assert again.status_code == 409


def test_others_can_neither_run_again_nor_write_notes(ended):
    stranger = signed_in_as(UserFactory())

    for act in ("rerun", "notes"):
        answer = stranger.post(f"/submissions/{ended.pk}/{act}/", {"reason": "x"})
        assert answer.status_code == 404


def test_the_evaluation_names_its_other_one_to_those_who_may_see_it(
    ended, user, maintainer
):
    services.publish(ended, by=maintainer)
    again = followups.rerun(ended, by=user, reason="x")
    address = ended.evaluation.get_absolute_url()

    assert again.evaluation.get_absolute_url() in signed_in_as(user).get(address).text
    public = Client().get(address).text
    assert again.evaluation.get_absolute_url() not in public
    assert "Evaluated again" in public, "the act itself is in the history"

    fail_all(again)
    services.publish(again, by=maintainer)
    assert again.evaluation.get_absolute_url() in Client().get(address).text
    document = Client().get(f"/api/v1/evaluations/{again.evaluation.pk}/").json()
    assert document["rerun_of"] == ended.evaluation.pk


# Copies


def test_the_manifest_of_a_submission_begins_another_one(signed_in, submission):
    answer = signed_in.get(f"/submissions/{submission.pk}/manifest.json")

    assert answer["Content-Disposition"] == 'attachment; filename="manifest.json"'
    manifest = parse_manifest(answer.content)
    assert manifest.model_dump(mode="json") == submission.manifest


def test_the_manifest_of_a_conversion_comes_without_its_origin(
    signed_in, submission, user
):
    submission.manifest["origin"] = {"format": "harbor", "run_order": "as given"}
    submission.save()

    page = signed_in.get(f"/submissions/{submission.pk}/manifest.json").json()
    api = api_client(user).get(f"{SUBMISSIONS}{submission.pk}/manifest/").json()

    assert "origin" not in page
    assert page == api


def test_a_copy_is_linked_to_where_it_began(signed_in, snapshot, ended):
    form = signed_in.get(f"/submit/?copy_of={ended.pk}")
    assert "Begun from your submission of" in text_of(form)
    assert f'value="{ended.pk}"' in form.text

    files = files_for(snapshot)
    manifest = json.loads(files["manifest.json"])
    manifest["execution_environment"]["notes"] = "once more"
    files["manifest.json"] = json.dumps(manifest).encode()
    answer = upload(signed_in, zipped(files), copy_of=str(ended.pk))

    copy = Submission.objects.get(copy_of=ended)
    assert answer["Location"] == copy.get_absolute_url()
    assert str(ended.pk) in signed_in.get(copy.get_absolute_url()).text


def test_a_submission_of_others_is_no_beginning(submission, tmp_path, snapshot):
    client = signed_in_as(UserFactory())

    assert "Begun from" not in client.get(f"/submit/?copy_of={submission.pk}").text
    assert client.get("/submit/?copy_of=nonsense").status_code == 200
    archive = write_archive(tmp_path, files_for(snapshot))
    answer = upload(client, archive.read_bytes(), copy_of=str(submission.pk))
    assert answer.status_code == 400
    assert "no such submission to begin from" in answer.text
    assert Submission.objects.count() == 1


# Notes


def test_notes_are_kept_and_the_public_one_stands_on_the_evaluation(
    signed_in, ended, maintainer
):
    signed_in.post(
        f"/submissions/{ended.pk}/notes/",
        {"public_note": "Read <b>this</b>.", "private_note": "only for us"},
    )

    own = signed_in.get(ended.get_absolute_url()).text
    assert "only for us" in own
    services.publish(ended, by=maintainer)
    public = Client().get(ended.evaluation.get_absolute_url()).text
    assert "Note of the submitter" in public
    assert "Read &lt;b&gt;this&lt;/b&gt;." in public
    assert "only for us" not in public
    document = Client().get(f"/api/v1/evaluations/{ended.evaluation.pk}/").json()
    assert document["submitter_note"] == "Read <b>this</b>."
    assert "private_note" not in document


def test_a_changed_note_is_on_record_without_the_private_text(ended, user):
    followups.write_notes(ended, by=user, public="one", private="secret")
    followups.write_notes(ended, by=user, public="two", private="secret")
    followups.write_notes(ended, by=user, public="two", private="secret")

    second, first = AuditEvent.objects.about(ended.evaluation).filter(act="note")
    assert first.actor == user
    assert first.after == {"public_note": "one", "private_note_changed": True}
    assert (second.before, second.after) == (
        {"public_note": "one"},
        {"public_note": "two", "private_note_changed": False},
    )
    assert "secret" not in str(list(AuditEvent.objects.values()))


def test_the_api_changes_one_note_and_leaves_the_other(user, ended):
    client = api_client(user)
    address = f"{SUBMISSIONS}{ended.pk}/notes/"

    client.post(address, {"private_note": "for us"})
    answer = client.post(address, {"public_note": "for all"}).json()

    assert (answer["public_note"], answer["private_note"]) == ("for all", "for us")
    assert client.post(address, {"public_note": "x" * 4001}).status_code == 400


# Taking back


@pytest.mark.parametrize("act", ["cancel", "withdraw"])
def test_who_takes_something_back_gives_a_reason(act, submission, user):
    if act == "withdraw":
        fail_all(submission)
    address = f"{SUBMISSIONS}{submission.pk}/{act}/"

    refused = api_client(user).post(address, {"reason": ""})
    with pytest.raises(NotPossibleError, match="reason"):
        getattr(services, act)(submission, by=user, reason=" ")
    done = api_client(user).post(address, {"reason": "a mistake"})

    assert refused.status_code == 400
    assert refused.json()["errors"][0]["where"] == "reason"
    assert done.status_code == 200
    event = submission.events.last()
    assert (event.reason, event.actor) == ("a mistake", user)


def test_a_result_withdrawn_before_publication_stays_private(ended, user, maintainer):
    services.withdraw(ended, by=user, reason="a mistake")

    assert ended.shown_state == SubmissionState.WITHDRAWN
    assert ended.evaluation.visibility == Visibility.PRIVATE
    assert Client().get(ended.evaluation.get_absolute_url()).status_code == 404
    with pytest.raises(NotPossibleError):
        services.publish(ended, by=maintainer)


def test_its_own_people_withdraw_a_published_result_in_public(user, tmp_path):
    mate, maintainer = UserFactory(), UserFactory(is_staff=True)
    archive = write_archive(tmp_path, files_for(make_snapshot()))
    found = services.receive(
        user,
        archive,
        origin="page",
        team=TeamFactory(owner=user, members=[mate]),
    ).submission
    fail_all(found)
    services.publish(found, by=maintainer)

    signed_in_as(mate).post(
        f"/submissions/{found.pk}/withdraw/", {"reason": "the patches were mixed up"}
    )

    page = Client().get(found.snapshot.get_absolute_url())
    assert "the patches were mixed up" in text_of(page)
    found.refresh_from_db()
    assert found.evaluation.visibility == Visibility.WITHDRAWN


def test_stuck_task_runs_are_not_run_again_this_way(submission, user):
    Job.objects.filter(evaluation=submission.evaluation).update(
        state=JobState.INFRA_EXHAUSTED, infra_left=0, reason="disk_full"
    )

    with pytest.raises(NotPossibleError):
        followups.rerun(submission, by=user, reason="x")


# On record


def test_the_history_tells_reason_and_actor_of_every_change(ended, user, maintainer):
    services.publish(ended, by=maintainer, note="reviewed")
    services.withdraw(ended, by=user, reason="a mistake")

    told = [(row.state, row.actor, row.reason) for row in history_of(ended)]

    assert told == [
        ("Evaluating", user.username, "received through the page"),
        ("Evaluated, under review", "", "Every task run is scored."),
        ("Published", maintainer.username, "reviewed"),
        ("Withdrawn", user.username, "a mistake"),
    ]
    page = text_of(signed_in_as(user).get(ended.get_absolute_url()))
    assert "Evaluated, under review · the evaluator Every task run is scored." in page


def test_its_people_are_told_of_a_re_run(ended, user, maintainer):
    MailPreference.objects.update_or_create(user=user, defaults={"progress": True})
    before = OutboxMessage.objects.count()

    followups.rerun(ended, by=maintainer, reason="x")

    assert OutboxMessage.objects.count() > before
