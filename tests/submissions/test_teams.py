"""Teams: founding, inviting, leaving, and what members do with each other's work."""

from __future__ import annotations

import re

import pytest
from django.core import signing
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import AuditEvent
from leaderboard.visibility import can_view
from submissions.accounts import teams
from submissions.models import Membership, Role, Submission, SubmissionState, Team
from tests.factories import SubmissionFactory, TeamFactory, UserFactory
from tests.submissions.bundles import files_for, zipped
from tests.tokens import api_client

pytestmark = pytest.mark.django_db
SUBMISSIONS = "/api/v1/submissions/"


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def mate(db):
    return UserFactory()


@pytest.fixture
def team(user, mate) -> Team:
    return TeamFactory(owner=user, members=[mate])


def upload(client: Client, snapshot, path: str = "/submit/", **fields: str):
    bundle = SimpleUploadedFile("bundle.zip", zipped(files_for(snapshot)))
    return client.post(path, {"bundle": bundle, **fields})


def test_who_founds_a_team_owns_it(signed_in, user):
    answer = signed_in.post("/teams/", {"name": "Blue Herons"})

    assert answer["Location"] == "/teams/blue-herons/"
    assert Membership.objects.get(user=user).role == Role.OWNER
    assert "Blue Herons" in signed_in.get("/teams/").content.decode()


@pytest.mark.parametrize("name", ["", "!!!", "x" * 81, "Taken"])
def test_a_team_needs_a_name_of_its_own(name, signed_in):
    TeamFactory(name="Taken", slug="taken")

    answer = signed_in.post("/teams/", {"name": name})

    assert answer.status_code == 400
    assert 'class="field-error"' in answer.content.decode()
    assert Team.objects.count() == 1


def invitation_on(page: str) -> str:
    return re.search(r"http://[^/]+(/join/[^<]+)</code>", page)[1]


def test_an_invitation_asks_before_it_makes_a_member(signed_in, team):
    guest = UserFactory()
    link = invitation_on(signed_in.get(team.get_absolute_url()).content.decode())

    page = client_of(guest).get(link)
    assert team.name in page.content.decode()
    assert not team.memberships.filter(user=guest).exists()
    client_of(guest).post(link)
    client_of(guest).post(link)

    assert team.memberships.get(user=guest).role == Role.MEMBER


def test_a_new_link_ends_the_old_ones(signed_in, team):
    guest = client_of(UserFactory())
    address = team.get_absolute_url()
    old = invitation_on(signed_in.get(address).content.decode())

    signed_in.post(f"{address}invitation/")

    assert guest.get(old).status_code == 404
    new = invitation_on(signed_in.get(address).content.decode())
    assert guest.get(new).status_code == 200


def test_an_invitation_is_over_after_a_week(team, monkeypatch):
    link = teams.invitation(team)
    seven_days = teams.INVITATION_LASTS.total_seconds()
    now = signing.time.time()
    monkeypatch.setattr(signing.time, "time", lambda: now + seven_days + 1)

    assert teams.invited_to(link) is None


@pytest.mark.parametrize("text", ["", "x", "eyJ0ZWFtIjoxfQ:x:y"])
def test_a_made_up_invitation_is_none(text, team):
    assert teams.invited_to(text) is None


def test_a_member_sees_the_team_but_not_the_link(mate, team):
    html = client_of(mate).get(team.get_absolute_url()).content.decode()

    assert team.name in html
    assert "/join/" not in html
    for act in ("invitation", "member"):
        answer = client_of(mate).post(f"{team.get_absolute_url()}{act}/")
        assert answer.status_code == 403


def test_a_team_is_not_there_for_others(team):
    other = client_of(UserFactory())

    assert other.get(team.get_absolute_url()).status_code == 404
    for act in ("invitation", "member", "leave"):
        assert other.post(f"{team.get_absolute_url()}{act}/").status_code == 404


def test_the_last_owner_cannot_leave_or_step_down(signed_in, user, team):
    own = team.memberships.get(user=user)
    address = team.get_absolute_url()

    for path, data in (
        (f"{address}leave/", {}),
        (f"{address}member/", {"member": own.pk, "act": "member"}),
        (f"{address}member/", {"member": own.pk, "act": "remove"}),
    ):
        page = signed_in.post(path, data, follow=True).content.decode()
        assert "A team needs an owner" in page
    own.refresh_from_db()
    assert own.role == Role.OWNER


def test_an_owner_promotes_a_member_and_may_leave_then(signed_in, user, mate, team):
    other = team.memberships.get(user=mate)
    address = team.get_absolute_url()

    signed_in.post(f"{address}member/", {"member": other.pk, "act": "owner"})
    signed_in.post(f"{address}leave/")

    assert [each.user for each in team.memberships.all()] == [mate]
    assert team.memberships.get().role == Role.OWNER


def test_a_member_of_another_team_cannot_be_removed_from_here(signed_in, team):
    elsewhere = TeamFactory(owner=UserFactory()).memberships.get()

    answer = signed_in.post(
        f"{team.get_absolute_url()}member/", {"member": elsewhere.pk, "act": "remove"}
    )

    assert answer.status_code == 404
    assert Membership.objects.filter(pk=elsewhere.pk).exists()


def test_team_mates_see_and_cancel_each_others_submissions(
    signed_in, mate, team, snapshot
):
    upload(signed_in, snapshot, team=team.slug)
    found = Submission.objects.get()
    assert found.team == team

    page = client_of(mate)
    assert page.get(found.get_absolute_url()).status_code == 200
    assert found.get_absolute_url() in page.get("/submissions/").content.decode()
    assert page.get(found.evaluation.get_absolute_url()).status_code == 200
    answer = api_client(mate).post(
        f"{SUBMISSIONS}{found.pk}/cancel/", {"reason": "a mistake"}
    )

    assert answer.json()["state"] == "cancelled"
    found.refresh_from_db()
    assert found.shown_state == SubmissionState.CANCELLED
    assert found.events.last().actor == mate


def test_a_submission_without_a_team_stays_with_its_user(
    signed_in, mate, team, snapshot
):
    upload(signed_in, snapshot)
    found = Submission.objects.get()

    assert found.team is None
    assert client_of(mate).get(found.get_absolute_url()).status_code == 404
    assert not can_view(mate, found.evaluation)


def test_who_leaves_a_team_sees_its_submissions_no_more(user, mate, team):
    found = SubmissionFactory(user=mate, team=team)
    assert can_view(mate, found.evaluation)

    teams.leave(team.memberships.get(user=mate), by=mate)

    assert not can_view(mate, found.evaluation)
    assert can_view(user, found.evaluation)
    assert list(Submission.objects.visible_to(mate)) == []


def test_the_api_takes_a_team_by_its_short_name(user, team, snapshot):
    answer = upload(api_client(user), snapshot, SUBMISSIONS, team=team.slug)

    assert answer.status_code == 201
    assert answer.json()["team"] == team.slug


@pytest.mark.parametrize("slug", ["nothing", "others"])
def test_nobody_submits_for_a_team_of_others(slug, user, signed_in, snapshot):
    TeamFactory(slug="others", owner=UserFactory())

    page = upload(signed_in, snapshot, team=slug)
    answer = upload(api_client(user), snapshot, SUBMISSIONS, team=slug)

    assert page.status_code == 400
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["where"] == "team"
    assert not Submission.objects.exists()


def test_two_teams_of_one_person_do_not_double_a_list(user, team):
    TeamFactory(owner=user, members=[UserFactory(), UserFactory()])
    found = SubmissionFactory(user=user, team=team)
    SubmissionFactory(team=TeamFactory(owner=UserFactory()))

    assert list(Submission.objects.visible_to(user).with_counts()) == [found]


def test_every_act_on_a_team_is_on_record_and_in_its_history(signed_in, user):
    guest, other = UserFactory(), UserFactory()
    signed_in.post("/teams/", {"name": "New people"})
    team = Team.objects.get(slug="new-people")
    address = team.get_absolute_url()
    for each in (guest, other):
        client_of(each).post(invitation_on(signed_in.get(address).content.decode()))
    signed_in.post(f"{address}invitation/")
    found = team.memberships.get(user=guest)
    signed_in.post(f"{address}member/", {"member": found.pk, "act": "owner"})
    signed_in.post(f"{address}member/", {"member": found.pk, "act": "remove"})
    client_of(other).post(f"{address}leave/")

    told = [
        (each.act, each.actor, (each.after or each.before).get("member"))
        for each in AuditEvent.objects.about(team).order_by("pk")
    ]
    assert told == [
        ("team found", user, None),
        ("team join", guest, guest.username),
        ("team join", other, other.username),
        ("team invite", user, None),
        ("team role", user, guest.username),
        ("team remove", user, guest.username),
        ("team leave", other, other.username),
    ]
    page = signed_in.get(address).content.decode()
    for text in ("Team founded", "New invitation link", "Role changed: Owner", "Left"):
        assert text in page
    assert page.index("Left") < page.index("Removed") < page.index("Team founded")


def test_joining_twice_is_one_act(team):
    guest = UserFactory()

    teams.join(guest, team)
    teams.join(guest, team)

    assert AuditEvent.objects.about(team).filter(act="team join").count() == 1


def test_an_act_on_a_team_that_is_refused_leaves_no_trace(signed_in, user, team):
    signed_in.post(f"{team.get_absolute_url()}leave/")

    assert not AuditEvent.objects.about(team).exists()
