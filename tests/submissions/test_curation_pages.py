"""The pages of curators through the client: what they show, and every form on them."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.models import CuratorVerdict, EvaluationSnapshot, ProofKind
from leaderboard.models import SnapshotStatus as Status
from leaderboard.snapshots import import_package
from tests.factories import EvaluationSnapshotFactory, UserFactory
from tests.leaderboard.packages import CANARY, write_package
from tests.leaderboard.proofs import prove

pytestmark = pytest.mark.django_db


@pytest.fixture
def snapshot(tmp_path, settings):
    settings.DATA_DIR = tmp_path / "data"
    return import_package(write_package(tmp_path / "package", "alpha")).snapshot


@pytest.fixture
def task(snapshot):
    return snapshot.tasks.get()


def curator(name):
    client = Client()
    client.force_login(UserFactory(username=name, is_staff=True))
    return client


@pytest.fixture
def ada():
    return curator("ada")


def text_of(response):
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]+>", " ", response.content.decode()).split())


def place(name, *more):
    return reverse(name, args=["openharmony-bench", "tiny-1.0", *more])


def judge(client, task, opinion, **values):
    data = {"opinion": opinion, "seen": task.digest, **values}
    return text_of(client.post(place("curation-judge", task.slug), data, follow=True))


def act(client, name, **values):
    data = {"act": name, **values}
    return text_of(client.post(place("curation-act"), data, follow=True))


def set_status(snapshot, status):
    EvaluationSnapshot.objects.filter(pk=snapshot.pk).update(status=status)


def test_the_list_tells_how_far_each_snapshot_is(ada, snapshot):
    text = text_of(ada.get(reverse("curation")))

    assert "OpenHarmony Bench tiny-1.0 draft 0/1 0/1 0 hidden" in text


def test_a_snapshot_tells_what_its_tasks_lack(ada, snapshot):
    text = text_of(ada.get(place("curation-snapshot")))

    assert "approved by 0 of 2 curators" in text
    assert "reference solution: proved in 0 of 2 runs" in text
    assert "Begin admission" in text


def test_a_task_shows_its_hidden_files_to_maintainers_alone(ada, snapshot, task):
    html = ada.get(place("curation-task", "alpha")).content.decode()
    assert "class it_works(TestCase)" in html
    assert CANARY in html

    set_status(snapshot, Status.OPEN)
    public = Client().get(task.get_absolute_url()).content.decode()
    assert "class it_works(TestCase)" not in public
    assert CANARY not in public


def test_released_files_are_shown_to_everybody(ada, snapshot, task):
    set_status(snapshot, Status.FROZEN)
    act(ada, "release", reason="The round is over.")

    public = Client().get(task.get_absolute_url()).content.decode()

    assert "class it_works(TestCase)" in public
    assert "<td>+two</td>" in public


def test_released_files_are_in_the_api_and_hidden_ones_are_not(ada, snapshot, task):
    set_status(snapshot, Status.OPEN)
    address = reverse("api-task", args=[snapshot.version, task.slug])
    hidden = Client().get(address).json()
    assert (hidden["reference_patch"], hidden["checks"]) == (None, None)
    assert CANARY not in str(hidden)

    act(ada, "release", reason="The round is over.")

    public = Client().get(address).json()
    assert "+two" in public["reference_patch"]
    assert [each["name"] for each in public["checks"]] == [
        "it_works.json",
        "it_works.py",
    ]
    assert "class it_works(TestCase)" in public["checks"][1]["text"]


def test_two_curators_approve_a_task(ada, task):
    judge(ada, task, "approved")
    text = judge(curator("grace"), task, "approved", reason="Clear and bounded.")

    assert "Your word is on record." in text
    assert "Clear and bounded." in text
    assert "approved by" not in text
    assert CuratorVerdict.objects.count() == 2


def test_a_refusal_without_a_reason_is_told(ada, task):
    assert "Give a reason" in judge(ada, task, "refused")
    assert not CuratorVerdict.objects.exists()


def test_what_changed_since_it_was_seen_is_not_judged(ada, task):
    assert "changed since you looked" in judge(ada, task, "approved", seen="0" * 64)


def test_admission_begins_on_the_page_and_queues_the_proofs(ada, snapshot):
    text = act(ada, "begin")

    assert "Done, and on record." in text
    assert "0 of 3 task runs of the proofs scored" in text
    assert "Admission of a snapshot begun · ada" in text
    assert "Proofs are still running" in act(ada, "again", reason="Why not.")


def test_a_snapshot_opens_on_the_page_when_nothing_is_missing(ada, snapshot, task):
    set_status(snapshot, Status.ADMISSION)
    assert "alpha: approved by 0 of 2 curators" in act(ada, "open")
    judge(ada, task, "approved")
    judge(curator("grace"), task, "approved")
    prove(task, ProofKind.BASE, passes=[False])
    prove(task, ProofKind.REFERENCE, passes=[True, True])

    act(ada, "open")

    snapshot.refresh_from_db()
    assert snapshot.status == Status.OPEN


def test_flaky_tasks_are_listed(ada, snapshot, task):
    prove(task, ProofKind.REFERENCE, passes=[True, False])

    text = text_of(ada.get(place("curation-snapshot")))

    assert "Flaky tasks alpha (FP-1)" in text


def test_an_unknown_act_is_told(ada, snapshot):
    assert "act:" in act(ada, "destroy")


def test_the_benchmark_page_tells_how_tasks_were_admitted(snapshot, task, ada):
    judge(ada, task, "approved")
    judge(curator("grace"), task, "approved")
    EvaluationSnapshot.objects.filter(pk=snapshot.pk).update(
        status=Status.OPEN,
        floor_completed=0,
        ceiling_completed=1,
        contamination={"bug-fix": "The fixes were public before."},
    )

    text = text_of(Client().get("/benchmark/?snapshot=tiny-1.0"))

    assert "1 of 1 tasks 2 curators in all" in text
    assert "Floor: no-op baseline 0 tasks completed" in text
    assert "The fixes were public before." in text
    assert f"Canary GUID {CANARY}" in text

    EvaluationSnapshotFactory(
        benchmark=snapshot.benchmark, version="v0", task_count=0, status=Status.FROZEN
    )
    not_held = text_of(Client().get("/benchmark/?snapshot=v0"))
    assert "Admission" in not_held
    assert CANARY not in not_held


def test_a_task_page_groups_f_points_by_scenario(snapshot, task):
    set_status(snapshot, Status.OPEN)

    html = Client().get(task.get_absolute_url()).content.decode()

    assert re.search(r'scope="rowgroup".*?It works.*?FP-1', html, re.DOTALL)
