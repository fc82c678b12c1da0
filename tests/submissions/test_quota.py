"""Quotas: what counts, for whom, how exactly under pressure, and how it is told.

``tests/submissions/test_on_postgresql.py`` runs this file there.
"""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest
from django.conf import settings as project
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection, connections
from django.test import Client
from django.utils import timezone

from evaluator import transitions
from evaluator.models import Job, JobState
from submissions import services
from submissions.accounts import quota
from submissions.archive import pack_folder
from submissions.models import Submission
from tests.factories import TeamFactory, UserFactory
from tests.submissions.bundles import files_for, make_snapshot, zipped
from tests.submissions.jobs import claim_one, fail_all
from tests.tokens import api_client, token_for

SUBMISSIONS = "/api/v1/submissions/"


@pytest.fixture(autouse=True)
def limits(settings):
    settings.OHB_QUOTA_PER_MONTH = 3
    settings.OHB_RUNNING_LIMIT = 100
    return settings


def bundle_of(snapshot, number: int = 0) -> bytes:
    """A sound bundle; another one for every number."""
    files = files_for(snapshot)
    files[f"runs/1/{snapshot.tasks.first().slug}/build.log"] = b"%d\n" % number
    return zipped(files)


def post(client: Client, data: bytes, path: str = SUBMISSIONS, **fields: str):
    bundle = SimpleUploadedFile("bundle.zip", data)
    return client.post(path, {"bundle": bundle, **fields})


def submit(user, snapshot, number: int = 0, **fields: str):
    return post(api_client(user), bundle_of(snapshot, number), **fields)


def stop_by_trouble(submission: Submission) -> None:
    """All its task runs end in infrastructure trouble, as after three lost workers."""
    for job in Job.objects.filter(evaluation=submission.evaluation):
        transitions.move(
            job,
            timezone.now(),
            JobState.INFRA_EXHAUSTED,
            actor="test",
            note="lost",
            owner="",
            lease_until=None,
            deadline=None,
        )


@pytest.mark.django_db
def test_the_submission_after_the_last_is_refused_with_the_time_of_the_reset(
    user, snapshot
):
    for number in range(3):
        assert submit(user, snapshot, number).status_code == 201

    answer = submit(user, snapshot, 3)

    assert answer.status_code == 429
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    (error,) = problem["errors"]
    assert error["code"] == "quota-month"
    assert error["saw"] == "3 of 3 submissions of this month are used"
    reset = quota.quota_of(user).resets_at
    assert f"{reset:%Y-%m-%d} 00:00 UTC" in error["fix"]
    left = (reset - timezone.now()).total_seconds()
    assert abs(int(answer["Retry-After"]) - left) < 10
    assert "no quota left" in problem["detail"]
    assert Submission.objects.count() == 3


@pytest.mark.django_db
def test_the_page_tells_what_is_left_and_refuses_in_the_same_way(
    signed_in, user, snapshot
):
    submit(user, snapshot)
    reset = f"{quota.quota_of(user).resets_at:%Y-%m-%d} 00:00 UTC"
    for path in ("/submit/", "/account/"):
        html = signed_in.get(path).content.decode()
        assert f"2 of 3 submissions left until {reset}" in html
    submit(user, snapshot, 1)
    submit(user, snapshot, 2)

    answer = post(signed_in, bundle_of(snapshot, 3), "/submit/")

    assert answer.status_code == 429
    assert reset in answer.content.decode()


@pytest.mark.django_db
def test_the_api_tells_what_is_left_for_person_and_teams(user, snapshot):
    team = TeamFactory(owner=user)
    submit(user, snapshot, team=team.slug)
    submit(user, snapshot, 1)

    answer = api_client(user).get("/api/v1/quota/").json()

    own, teams = answer["results"]
    assert answer["unlimited"] is False
    assert (own["team"], own["limit"], own["used"], own["left"]) == (None, 3, 2, 1)
    assert (teams["team"], teams["used"], teams["left"]) == (team.slug, 1, 2)
    assert (own["running"], own["running_limit"]) == (2, 100)
    resets_at = datetime.fromisoformat(own["resets_at"])
    assert resets_at.utcoffset() == timedelta(0)
    assert resets_at.day == 1


@pytest.mark.django_db
def test_one_evaluation_runs_at_a_time(user, snapshot, limits):
    limits.OHB_RUNNING_LIMIT = 1
    first = submit(user, snapshot).json()

    answer = submit(user, snapshot, 1)

    assert answer.status_code == 429
    assert [each["code"] for each in answer.json()["errors"]] == ["quota-running"]
    assert "Retry-After" not in answer
    fail_all(Submission.objects.get(pk=first["id"]))
    assert submit(user, snapshot, 1).status_code == 201


@pytest.mark.django_db
def test_a_team_has_one_count_for_all_its_members(user, snapshot):
    mate, stranger = UserFactory(), UserFactory()
    team = TeamFactory(owner=user, members=[mate])
    for number in range(3):
        submit((user, mate)[number % 2], snapshot, number, team=team.slug)

    refused = submit(mate, snapshot, 3, team=team.slug)

    assert refused.status_code == 429
    assert refused.json()["errors"][0]["where"] == f"the quota of team {team}"
    assert submit(mate, snapshot, 4).status_code == 201
    assert submit(stranger, snapshot, 5).status_code == 201


@pytest.mark.django_db
def test_founding_teams_gives_a_person_nothing_more(user, snapshot):
    for number in range(3):
        team = TeamFactory(owner=user)
        assert submit(user, snapshot, number, team=team.slug).status_code == 201

    answer = submit(user, snapshot, 3, team=TeamFactory(owner=user).slug)

    assert answer.json()["errors"][0]["where"] == "your quota"


@pytest.mark.django_db
def test_what_was_refused_or_only_checked_costs_nothing(user, snapshot):
    client = api_client(user)
    for _ in range(4):
        assert post(client, b"garbage").status_code == 400
        path = f"{SUBMISSIONS}validate/"
        assert post(client, bundle_of(snapshot), path).status_code == 200

    assert quota.quota_of(user).used == 0


@pytest.mark.django_db
def test_a_check_is_answered_when_the_quota_is_used_up(user, snapshot, limits):
    limits.OHB_QUOTA_PER_MONTH = 0

    answer = post(api_client(user), bundle_of(snapshot), f"{SUBMISSIONS}validate/")

    assert answer.json() == {"ok": True, "warnings": []}


@pytest.mark.django_db
def test_faults_of_the_bundle_come_before_the_quota(user, snapshot, limits):
    limits.OHB_QUOTA_PER_MONTH = 0

    assert post(api_client(user), b"garbage").status_code == 400


@pytest.mark.django_db
def test_cancelling_before_the_start_gives_the_submission_back(user, submission):
    services.cancel(submission, by=user, reason="not needed")

    assert quota.quota_of(user).used == 0


@pytest.mark.django_db
def test_cancelling_after_the_start_does_not(user, submission):
    claim_one(submission)
    services.cancel(submission, by=user, reason="not needed")

    assert quota.quota_of(user).used == 1
    assert quota.quota_of(user).running == 0


@pytest.mark.django_db
def test_what_our_own_trouble_stopped_costs_nothing(user, submission):
    stop_by_trouble(submission)

    assert quota.quota_of(user).used == 0
    assert quota.quota_of(user).running == 0


@pytest.mark.django_db
def test_it_costs_nothing_either_when_it_is_cancelled_then(user, submission):
    claim_one(submission)
    stop_by_trouble(submission)
    services.cancel(submission, by=user, reason="not needed")

    assert quota.quota_of(user).used == 0


@pytest.mark.django_db
def test_trouble_in_one_task_run_leaves_the_others_running(user, submission):
    job = Job.objects.filter(evaluation=submission.evaluation).first()
    transitions.move(
        job, timezone.now(), JobState.INFRA_EXHAUSTED, actor="test", note="lost"
    )

    assert quota.quota_of(user).used == 1
    assert quota.quota_of(user).running == 1


@pytest.mark.django_db
def test_a_finished_evaluation_counts_whatever_becomes_of_it(
    user, maintainer, submission
):
    fail_all(submission)
    services.reject(submission, by=maintainer, reason="copied")

    assert quota.quota_of(user).used == 1


@pytest.mark.django_db
def test_a_new_month_begins_at_nothing(user, submission):
    month = quota.quota_of(user).resets_at - timedelta(days=1)
    first = month.replace(day=1)
    Submission.objects.update(created_at=first - timedelta(seconds=1))
    assert quota.quota_of(user).used == 0

    Submission.objects.update(created_at=first)

    assert quota.quota_of(user).used == 1


@pytest.mark.django_db
def test_december_is_followed_by_january(user, monkeypatch):
    last = datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC)
    monkeypatch.setattr(quota.timezone, "localtime", lambda: last)

    assert quota.quota_of(user).reset_text == "2027-01-01 00:00 UTC"


@pytest.mark.django_db
def test_maintainers_have_no_limit(maintainer, snapshot, limits):
    limits.OHB_QUOTA_PER_MONTH = 0
    limits.OHB_RUNNING_LIMIT = 1

    assert submit(maintainer, snapshot).status_code == 201
    assert submit(maintainer, snapshot, 1).status_code == 201
    assert api_client(maintainer).get("/api/v1/quota/").json()["unlimited"] is True


@pytest.mark.django_db
def test_samples_of_the_project_cost_nothing(user, snapshot, limits, monkeypatch):
    limits.OHB_QUOTA_PER_MONTH = 0
    monkeypatch.setattr("submissions.intake.is_sample", lambda digest: True)

    assert submit(user, snapshot).status_code == 201
    assert submit(user, snapshot, 1).status_code == 201
    assert quota.quota_of(user).used == 0


@pytest.mark.django_db
def test_samples_neither_wait_for_an_evaluation_nor_hold_one_up(
    user, snapshot, limits, monkeypatch
):
    limits.OHB_RUNNING_LIMIT = 1
    monkeypatch.setattr("submissions.intake.is_sample", lambda digest: True)
    assert submit(user, snapshot).status_code == 201
    assert submit(user, snapshot, 1).status_code == 201
    monkeypatch.setattr("submissions.intake.is_sample", lambda digest: False)

    assert submit(user, snapshot, 2).status_code == 201
    assert quota.quota_of(user).running == 1


@pytest.mark.django_db
def test_the_same_files_packed_anew_are_a_double(user, snapshot):
    files = files_for(snapshot)
    assert post(api_client(user), zipped(files)).status_code == 201

    packed_anew = zipped(dict(reversed(files.items())))

    assert packed_anew != zipped(files)
    refused = post(api_client(user), packed_anew)
    assert refused.status_code == 400
    assert [each["code"] for each in refused.json()["errors"]] == ["duplicate"]
    assert Submission.objects.count() == 1


def test_the_shipped_samples_are_known_as_such(tmp_path):
    from submissions.samples import sample_digests

    folder = project.BASE_DIR / "fixtures" / "bundles"
    assert len(sample_digests(folder)) == 3
    assert pack_folder(next(folder.glob("*/manifest.json")).parent, tmp_path / "x.zip")


def all_at_once(clients: list[Client], uploads: list[tuple[bytes, dict[str, str]]]):
    """Post every upload in a thread of its own, all at the same moment."""
    start = threading.Barrier(len(uploads))

    def run(client: Client, upload: tuple[bytes, dict[str, str]]) -> int:
        data, fields = upload
        try:
            start.wait()
            return post(client, data, **fields).status_code
        finally:
            connection.close()

    with patience(), ThreadPoolExecutor(len(uploads)) as pool:
        return Counter(pool.map(run, clients, uploads))


def patience() -> AbstractContextManager[object]:
    """Connections opened meanwhile wait long for one another: twenty writers take
    their time where the disk is slow."""
    if connection.vendor != "sqlite":
        return nullcontext()
    return patch.dict(connections.settings["default"]["OPTIONS"], timeout=600)


def clients_of(users: list, count: int) -> list[Client]:
    headers = [{"Authorization": f"Token {token_for(user)}"} for user in users]
    return [Client(headers=headers[place % len(users)]) for place in range(count)]


def test_of_twenty_posts_at_once_exactly_three_are_taken(committed_db):
    # Several snapshots: whoever waits for one of them must wait for the person, too.
    snapshots, user = [make_snapshot() for _ in range(20)], UserFactory()
    uploads = [(bundle_of(snapshot), {}) for snapshot in snapshots]

    answers = all_at_once(clients_of([user], 20), uploads)

    assert answers == {201: 3, 429: 17}
    assert Submission.objects.count() == 3
    assert quota.quota_of(user).left == 0


def test_of_twenty_posts_for_one_team_exactly_three_are_taken(committed_db):
    snapshots = [make_snapshot() for _ in range(20)]
    users = [UserFactory() for _ in range(20)]
    team = TeamFactory(owner=users[0], members=users[1:])
    uploads = [(bundle_of(snapshot), {"team": team.slug}) for snapshot in snapshots]

    answers = all_at_once(clients_of(users, 20), uploads)

    assert answers == {201: 3, 429: 17}
    assert team.submissions.count() == 3


def test_of_eight_posts_at_once_one_evaluation_begins(committed_db, limits):
    limits.OHB_RUNNING_LIMIT = 1
    snapshot, user = make_snapshot(), UserFactory()
    uploads = [(bundle_of(snapshot, number), {}) for number in range(8)]

    answers = all_at_once(clients_of([user], 8), uploads)

    assert answers == {201: 1, 429: 7}


def test_one_idempotency_key_sent_eight_times_at_once_submits_once(committed_db):
    snapshot, user = make_snapshot(), UserFactory()
    clients = clients_of([user], 8)
    for client in clients:
        client.defaults["HTTP_IDEMPOTENCY_KEY"] = "the-same"
    uploads = [(bundle_of(snapshot), {})] * 8

    answers = all_at_once(clients, uploads)

    assert answers == {201: 8}
    assert Submission.objects.count() == 1
