"""Acts on teams: founding, inviting, joining, leaving, changing roles.

An invitation is a link that an owner hands on. It names the team and carries its key,
signed and for a week; a new key ends every link before it. Every act stays on record,
with who did it and whom it concerned.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from django.contrib.auth.models import User
from django.core import signing
from django.db import IntegrityError, transaction
from django.utils.crypto import constant_time_compare
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext as _

from leaderboard.models import AuditEvent, record
from submissions.models import Membership, Role, Team
from submissions.models.teams import new_invitation_key

# The acts that end a membership; their ``before`` names whose.
ENDS = ("team leave", "team remove")
INVITATION_LASTS = timedelta(days=7)
_SALT = "submissions.invitation"


class TeamEvent(NamedTuple):
    """One act in words; ``member`` is whom it concerned, ``role`` what they became."""

    at: datetime
    actor: str
    act: str | Promise
    member: str
    role: str


class TeamError(ValueError):
    """What was asked of a team cannot be done; the text is for people."""


def found_team(user: User, name: str) -> Team:
    """Make a team with ``user`` as its owner."""
    slug = slugify(name)
    if not slug:
        raise TeamError(_("The name needs a letter or digit of the Latin alphabet."))
    try:
        with transaction.atomic():
            team = Team.objects.create(name=name, slug=slug)
            Membership.objects.create(team=team, user_id=user.pk, role=Role.OWNER)
            record("team found", team, by=user, after={"name": name})
    except IntegrityError:
        raise TeamError(_("There is a team of that name. Choose another.")) from None
    return team


def invitation(team: Team) -> str:
    """What the link of an invitation ends in."""
    return signing.dumps({"team": team.pk, "key": team.invitation_key}, salt=_SALT)


def invited_to(text: str) -> Team | None:
    """The team of an invitation that still counts."""
    try:
        found = signing.loads(text, salt=_SALT, max_age=INVITATION_LASTS)
    except signing.BadSignature:
        return None
    team = Team.objects.filter(pk=found["team"]).first()
    if team is None or not constant_time_compare(team.invitation_key, found["key"]):
        return None
    return team


def renew_invitation(team: Team, *, by: User) -> None:
    """End every invitation made so far."""
    with transaction.atomic():
        team.invitation_key = new_invitation_key()
        team.save(update_fields=["invitation_key"])
        record("team invite", team, by=by)


def join(user: User, team: Team) -> None:
    """Make ``user`` a member; nothing changes for one who is a member already."""
    with transaction.atomic():
        _found, is_new = Membership.objects.get_or_create(team=team, user_id=user.pk)
        if is_new:
            record("team join", team, by=user, after={"member": user.username})


def leave(membership: Membership, *, by: User) -> None:
    """End a membership; what was submitted for the team stays with the team."""
    act = "team leave" if membership.user_id == by.pk else "team remove"
    with transaction.atomic():
        _require_another_owner(membership)
        before = {
            "member": membership.user.username,
            "member_id": membership.user_id,
            "role": membership.role,
        }
        record(act, membership.team, by=by, before=before)
        membership.delete()


def change_role(membership: Membership, role: Role, *, by: User) -> None:
    with transaction.atomic():
        if role != Role.OWNER:
            _require_another_owner(membership)
        member, before = membership.user.username, membership.role
        membership.role = role
        membership.save(update_fields=["role"])
        record(
            "team role",
            membership.team,
            by=by,
            before={"member": member, "role": before},
            after={"member": member, "role": role},
        )


def history_of(team: Team) -> list[TeamEvent]:
    """What happened in the team, the newest first."""
    events = AuditEvent.objects.about(team).select_related("actor")
    return [
        TeamEvent(
            at=event.at,
            actor=event.actor.get_username() if event.actor else "",
            act=event.act_label,
            member=(event.after or event.before).get("member", ""),
            role=str(Role(event.after["role"]).label) if "role" in event.after else "",
        )
        for event in events
    ]


def _require_another_owner(membership: Membership) -> None:
    # Both of two owners could leave at once if the team were not locked.
    Team.objects.select_for_update().get(pk=membership.team_id)
    owners = Membership.objects.filter(team=membership.team_id, role=Role.OWNER)
    if not owners.exclude(pk=membership.pk).exists():
        raise TeamError(_("A team needs an owner. Make somebody else one first."))
