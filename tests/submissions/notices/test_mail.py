"""Mail about submissions: to whom, in which language, and never more than once."""

from __future__ import annotations

import re

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import transaction
from django.utils import translation

from evaluator import breaker, devices, queue
from evaluator.models import INFRA_BUDGET
from evaluator.verdicts import InfraReason, Trouble
from leaderboard import outbox
from leaderboard.models import OutboxMessage
from submissions import services
from submissions.findings import Code, Finding
from submissions.models import MailPreference, Submission, SubmissionState
from submissions.notices import FINDINGS_TOLD, Kind, tell, tell_refusal
from submissions.notices.about import one_line
from submissions.notices.kinds import FOR_MAINTAINERS, FOR_SUBMITTERS, kind_of_move
from submissions.notices.mail import address_of
from submissions.review import appeals, decisions, messages
from submissions.transitions import RULES, Act
from tests.factories import TeamFactory, UserFactory
from tests.submissions.bundles import files_for, write_archive
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def at_once(settings):
    settings.OHB_BACKOFF_FACTOR = 0.0
    settings.PUBLIC_URL = "https://bench.example.org"


def delivered() -> list[tuple[str, str]]:
    """Send what is due; (recipient, subject without the prefix) of each mail."""
    mail.outbox.clear()
    assert outbox.deliver_due().failed == 0
    return [
        (each.to[0], each.subject.removeprefix("[OpenHarmony Bench] "))
        for each in mail.outbox
    ]


def subjects() -> set[str]:
    return {subject.partition(":")[0] for _, subject in delivered()}


def wants_everything(user) -> None:
    MailPreference.objects.update_or_create(user=user, defaults={"progress": True})


def test_the_submitter_hears_of_the_end_of_the_evaluation(submission, user):
    delivered()

    fail_all(submission)

    name = str(submission.evaluation.configuration)
    assert delivered() == [(user.email, f"Evaluated: {name}")]
    body = mail.outbox[0].body
    assert "Every task run is scored." in body
    assert f"https://bench.example.org/submissions/{submission.pk}/" in body
    assert "https://bench.example.org/account/notifications/" in body
    assert delivered() == []


def test_what_is_not_wanted_is_not_sent(submission, user):
    assert delivered() == [], "progress is off unless somebody asks for it"
    MailPreference.objects.update_or_create(user=user, defaults={"results": False})

    fail_all(submission)

    assert delivered() == []


def test_whoever_wants_it_hears_of_every_step(snapshot, user, tmp_path):
    wants_everything(user)
    archive = write_archive(tmp_path, files_for(snapshot))
    submission = services.receive(user, archive, origin="api").submission
    assert subjects() == {"Accepted"}

    fail_all(submission)

    assert subjects() == {"Evaluation began", "Evaluated"}


def test_a_refused_upload_is_told_with_its_errors(snapshot, user, tmp_path):
    wants_everything(user)
    files = files_for(snapshot)
    del files[next(name for name in files if name.endswith("final.patch"))]

    services.receive(user, write_archive(tmp_path, files), origin="api")

    assert delivered() == [(user.email, "Refused")]
    assert "1 error:" in mail.outbox[0].body
    assert "* runs/1: 1 of 2 tasks without final.patch" in mail.outbox[0].body
    assert "https://bench.example.org/submit/" in mail.outbox[0].body


def test_a_refusal_that_quotes_what_no_database_takes_is_told_all_the_same(user):
    wants_everything(user)
    nasty = Finding(Code.MEMBER_NAME, "a\x00b", "\udc80 \x1b[31m\u202e", "Rename it.")

    tell_refusal(user, None, [nasty] * 30)

    assert delivered() == [(user.email, "Refused")]
    body = mail.outbox[0].body
    assert "30 errors:" in body
    assert body.count("Rename it.") == FINDINGS_TOLD
    assert not set(body) & set("\x00\x1b\u202e\udc80")


def test_everybody_in_the_team_hears_and_who_acted_does_not(submission, user):
    mate, former = UserFactory(), UserFactory()
    team = TeamFactory(owner=user, members=[mate])
    Submission.objects.filter(pk=submission.pk).update(team=team)
    submission.refresh_from_db()
    delivered()

    services.cancel(submission, by=user, reason="a mistake")

    assert [to for to, _ in delivered()] == [mate.email]
    assert former.email not in str(OutboxMessage.objects.values_list("data"))


def test_who_leaves_between_the_event_and_the_mail_gets_none(submission, user):
    team = TeamFactory(owner=user, members=[mate := UserFactory()])
    Submission.objects.filter(pk=submission.pk).update(team=team)
    submission.refresh_from_db()
    delivered()
    services.cancel(submission, by=user, reason="a mistake")
    outbox.deliver_due(["event"])

    team.memberships.filter(user=mate).delete()

    assert delivered() == []
    message = OutboxMessage.objects.get(channel="email", kind=Kind.CANCELLED)
    assert message.answer.startswith("not sent")


def test_mail_speaks_the_language_of_its_recipient(submission, user):
    delivered()
    MailPreference.objects.update_or_create(user=user, defaults={"language": "zh-hans"})

    fail_all(submission)

    ((_, subject),) = delivered()
    assert subject.startswith("评测完成: ")
    assert "/zh-hans/submissions/" in mail.outbox[0].body
    assert "评测配置: " in mail.outbox[0].body


@pytest.mark.parametrize(("origin", "known"), [("page", ["zh-hans"]), ("api", [])])
def test_an_upload_through_a_page_remembers_its_language(
    origin, known, snapshot, user, tmp_path
):
    archive = write_archive(tmp_path, files_for(snapshot))

    with translation.override("zh-hans"):
        services.receive(user, archive, origin=origin)

    assert list(MailPreference.objects.values_list("language", flat=True)) == known


def test_a_question_reaches_the_submitter_and_the_answer_the_maintainers(
    submission, user, maintainer
):
    fail_all(submission)
    delivered()

    messages.ask(submission, by=maintainer, question="Which model\nwas it?")

    assert [to for to, _ in delivered()] == [user.email]
    assert "> Which model\n> was it?" in mail.outbox[0].body
    messages.answer(submission, by=user, text="The large one.")
    assert [to for to, _ in delivered()] == [maintainer.email]
    assert mail.outbox[0].subject.partition("] ")[2].startswith("The submitter answer")


def test_every_decision_is_told_with_its_reason(submission, user, maintainer):
    other = UserFactory(is_staff=True)
    fail_all(submission)
    delivered()
    told = []

    def decide(act: Act, reason: str) -> None:
        proposal = decisions.decide(submission, act, by=maintainer, reason=reason)
        if proposal is not None:
            decisions.confirm(proposal, by=other)
        submission.refresh_from_db()
        told.extend(
            subject.partition(":")[0] for to, subject in delivered() if to == user.email
        )
        assert f"> {reason}" in mail.outbox[-1].body

    decide(Act.REJECT, "no trajectory")
    decide(Act.REOPEN, "found it")
    decide(Act.PUBLISH, "fine")
    decide(Act.DISQUALIFY, "copied")
    appeals.appeal(submission, by=user, text="it was not")
    assert {to for to, _ in delivered()} == {maintainer.email, other.email}
    third = UserFactory(is_staff=True)
    appeals.dismiss(submission, by=third, reason="it was")
    delivered()

    assert told == ["Rejected", "Under review again", "Published", "Disqualified"]
    assert mail.outbox[0].subject.endswith(
        f"Your appeal was answered: {submission.evaluation.configuration}"
    )


def test_a_message_is_told_and_a_note_is_not(submission, user, maintainer):
    delivered()

    messages.write_note(submission, by=maintainer, text="suspicious")
    assert delivered() == []
    messages.write_message(submission, by=maintainer, text="it takes a day longer")

    assert [to for to, _ in delivered()] == [user.email]


def exhaust_two(submission: Submission) -> None:
    """Two task runs end in trouble of ours; more would pause the pool."""
    jobs = submission.evaluation.jobs
    for pk in list(jobs.values_list("pk", flat=True))[:2]:
        for _ in range(INFRA_BUDGET):
            lease = queue.claim(pk, owner="host:1", pools=["agent"], isolated=True)
            queue.finish(lease, Trouble(InfraReason.INTERNAL, "broke"))
    assert jobs.filter(state="infra_exhausted").count() == 2


def test_trouble_that_needs_a_person_is_told_once_to_both_sides(
    submission, user, maintainer
):
    delivered()

    exhaust_two(submission)

    name = submission.evaluation.configuration
    assert sorted(delivered()) == sorted(
        [
            (user.email, f"Held up by trouble of ours: {name}"),
            (maintainer.email, f"A task run waits for an operator: {name}"),
        ]
    )


def test_paused_pools_and_devices_are_told_to_maintainers(user, maintainer):
    breaker.pause("build", reason="disk full")
    devices.suspect("SERIAL-1", reason="base passes")

    assert sorted(delivered()) == [
        (maintainer.email, "A device is out of use: SERIAL-1"),
        (maintainer.email, "A pool is paused: build"),
    ]
    assert "> disk full" in "".join(each.body for each in mail.outbox)


def test_a_name_cannot_write_headers(submission, user):
    delivered()
    configuration = submission.evaluation.configuration
    configuration.model = "m\r\nBcc: all@example.org\r\n\r\n<b>" + "x" * 60
    configuration.save()

    fail_all(submission)
    delivered()

    (sent,) = mail.outbox
    headers = sent.message()
    assert headers["Bcc"] is None
    assert sent.recipients() == [user.email]
    assert "\n" not in sent.subject
    assert len(sent.subject) < 140
    assert not re.search(r"(?m)^Bcc:", sent.body)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\r\nb", "a b"),
        ("a\x00b\u202ec", "a⟦U+0000⟧b⟦U+202E⟧c"),
        ("", ""),
        ("x" * 100, "x" * 79 + "…"),
    ],
)
def test_a_name_becomes_one_line(text, line):
    assert one_line(text) == line


def test_a_second_copy_has_the_same_message_id(submission, user):
    delivered()
    fail_all(submission)
    outbox.deliver_due(["event"])
    delivered()
    first = mail.outbox[0].extra_headers["Message-ID"]

    OutboxMessage.objects.filter(channel="email", kind=Kind.SCORED).update(
        state="waiting"
    )
    delivered()

    assert mail.outbox[0].extra_headers["Message-ID"] == first
    assert first.endswith("@bench.example.org>")


def test_mail_goes_to_verified_addresses_alone(user):
    assert address_of(user) == user.email, "the operator vouches for it"
    row = EmailAddress.objects.create(user=user, email=user.email, primary=True)
    assert address_of(user) == ""
    row.verified = True
    row.save()
    assert address_of(user) == user.email


def test_a_mail_server_that_is_down_loses_nothing(submission, user, settings):
    delivered()
    settings.OHB_BACKOFF_FACTOR = 1.0
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    fail_all(submission)

    assert outbox.deliver_due() == (2, 1)

    message = OutboxMessage.objects.get(channel="email", kind=Kind.SCORED)
    assert (message.state, message.tries) == ("waiting", 1)
    assert "ConnectionRefusedError" in message.last_error
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    OutboxMessage.objects.update(available_at=message.created_at)
    assert [to for to, _ in delivered()] == [user.email]


def test_an_act_that_is_rolled_back_tells_nothing(submission, user, monkeypatch):
    before = OutboxMessage.objects.count()

    class DatabaseGoneError(Exception):
        pass

    with pytest.raises(DatabaseGoneError), transaction.atomic():
        services.cancel(submission, by=user, reason="a mistake")
        assert OutboxMessage.objects.count() == before + 1
        raise DatabaseGoneError

    assert OutboxMessage.objects.count() == before


def test_every_move_of_the_table_has_words_for_those_concerned():
    for rule in RULES.values():
        for source in rule.sources:
            kind = kind_of_move(source, rule.target)
            assert kind in FOR_SUBMITTERS or kind in FOR_MAINTAINERS, (source, kind)
    assert kind_of_move(SubmissionState.EVALUATED, SubmissionState.EMBARGOED)


def test_one_function_tells_what_others_add(submission, user):
    delivered()
    with transaction.atomic():
        tell(Kind.MESSAGE, submission, key=7, text="hello")
        tell(Kind.MESSAGE, submission, key=7, text="hello")

    assert [to for to, _ in delivered()] == [user.email]


# The page


def test_the_page_keeps_what_is_chosen(client, user):
    client.force_login(user)
    page = "/account/notifications/"
    html = client.get(page).content.decode()
    assert user.email in html
    assert "For maintainers" not in html

    answer = client.post(page, {"language": "zh-hans", "progress": "on"}, follow=True)

    assert answer.status_code == 200
    found = MailPreference.objects.get()
    assert (found.language, found.progress, found.results, found.review) == (
        *("zh-hans", True),
        *(False, False),
    )
    assert found.operations is True, "nobody was asked for it"
    assert client.post(page, {"language": "xx"}).status_code == 400


def test_maintainers_have_one_switch_more(client, maintainer):
    client.force_login(maintainer)
    assert "For maintainers" in client.get("/account/notifications/").content.decode()

    client.post("/account/notifications/", {"language": "en"})
    breaker.pause("build", reason="disk full")

    assert delivered() == []
