"""Who may ask for what: every URL, six people, GET and POST.

A URL that is not listed here fails the suite: whoever adds one says who may use it.
"""

from __future__ import annotations

import re

import pytest
from rest_framework.permissions import IsAuthenticated

from leaderboard.models import Visibility
from submissions import services
from submissions.accounts.api_access import TokenScope
from tests.permissions import ROLES, Asker, Url, every_url

pytestmark = pytest.mark.django_db

# Codes of GET and of POST without any data: one for all, or one for each of anonymous,
# other, owner, mate, maintainer, admin. 302 leads anonymous visitors to sign in.
PAGES: dict[str, tuple[str, str]] = {
    "healthz": ("200", "405"),
    "zh/": ("302", "302"),
    "zh/<path:rest>": ("302", "302"),
    "zh-cn/": ("302", "302"),
    "zh-cn/<path:rest>": ("302", "302"),
    "home": ("200", "405"),
    "snapshot": ("200", "405"),
    "snapshot-list": ("200", "405"),
    "snapshot-failures": ("200", "405"),
    "task-list": ("200", "405"),
    "task": ("200", "405"),
    "evaluation": ("404 404 200 200 200 200", "405"),
    "configuration": ("404", "405"),
    "evaluation-badge": ("404", "405"),
    "evaluation-failures": ("404 404 200 200 200 200", "405"),
    "evaluation-failures-file": ("404 404 200 200 200 200", "405"),
    "evaluation-figure": ("404 404 200 200 200 200", "405"),
    "embed": ("200", "405"),
    "explore": ("200", "405"),
    "feed": ("200", "405"),
    "figure-file": ("200", "405"),
    "run": ("404 404 200 200 200 200", "405"),
    "run-archive": ("404 404 200 200 200 200", "405"),
    "task-run": ("404 404 200 200 200 200", "405"),
    "task-run-trajectory": ("404 404 200 200 200 200", "405"),
    "evaluation-audit": ("404 404 200 200 200 200", "405"),
    "artifact": ("404 404 200 200 200 200", "405"),
    "compare": ("200", "405"),
    "benchmark": ("200", "405"),
    "snapshot-changes": ("200", "405"),
    "benchmark-data": ("200", "405"),
    "benchmark-figure": ("200", "405"),
    "methodology": ("200", "405"),
    "about": ("200", "405"),
    "status": ("200", "405"),
    "task-run-attempts": ("404 404 200 200 200 200", "405"),
    "evaluation-trouble": ("404 404 200 200 200 200", "405"),
    "requeue": ("405", "302 404 403 403 302 302"),
    "account_login": ("200 302 302 302 302 302", "200 302 302 302 302 302"),
    "login": ("200 302 302 302 302 302", "200 302 302 302 302 302"),
    "account_logout": ("302 200 200 200 200 200", "302"),
    "logout": ("302 200 200 200 200 200", "302"),
    "account_signup": ("200 302 302 302 302 302", "200 302 302 302 302 302"),
    "account": ("302 200 200 200 200 200", "405"),
    "token-list": ("302 200 200 200 200 200", "302"),
    "token-revoke": ("405", "302 404 404 404 404 404"),
    "notifications": ("302 200 200 200 200 200", "302 400 400 400 400 400"),
    "webhook-list": ("302 200 200 200 200 200", "302"),
    "webhook": ("302 404 200 404 404 404", "405"),
    "webhook-test": ("405", "302 404 302 404 404 404"),
    "webhook-revoke": ("405", "302 404 302 404 404 404"),
    "team-list": ("302 200 200 200 200 200", "302 400 400 400 400 400"),
    "team-join": ("302 200 200 200 200 200", "302"),
    "team": ("302 404 200 200 404 404", "405"),
    "team-invitation": ("405", "302 404 302 403 404 404"),
    "team-leave": ("405", "302 404 302 302 404 404"),
    "team-member": ("405", "302 404 302 403 404 404"),
    "account_inactive": ("200", "405"),
    "account_email": ("302 200 200 200 200 200", "302"),
    "account_email_verification_sent": ("200", "405"),
    "account_confirm_email": ("200", "404"),
    "account_change_password": ("302 200 200 200 200 200", "302 200 200 200 200 200"),
    "account_set_password": ("302", "302"),
    "account_reset_password": ("200", "200"),
    "account_reset_password_done": ("200", "405"),
    "account_reset_password_from_key": ("200", "200"),
    "account_reset_password_from_key_done": ("200", "405"),
    "account_reauthenticate": ("302 200 200 200 200 200", "302 200 200 200 200 200"),
    "account_request_reauthentication_code": ("302", "302"),
    "account_confirm_reauthentication_code": ("302", "302"),
    "mfa_index": ("302 200 200 200 200 200", "302 405 405 405 405 405"),
    "mfa_authenticate": ("302", "302"),
    "mfa_reauthenticate": ("302", "302"),
    "mfa_activate_totp": ("302", "302"),
    "mfa_deactivate_totp": ("302 404 404 404 404 404", "302 404 404 404 404 404"),
    "mfa_view_recovery_codes": ("302 404 404 404 404 404", "302 405 405 405 405 405"),
    "mfa_generate_recovery_codes": ("302", "302"),
    "mfa_download_recovery_codes": (
        "302 404 404 404 404 404",
        "302 404 404 404 404 404",
    ),
    "submit": ("302 200 200 200 200 200", "302 400 400 400 400 400"),
    "manifest-form": ("200", "400"),
    "manifest-example": ("200", "405"),
    "manifest-schema": ("200", "405"),
    "snapshot-schema": ("200", "405"),
    "task-schema": ("200", "405"),
    "base-schema": ("200", "405"),
    "curation-schema": ("200", "405"),
    "manifest-schema-before": ("301", "301"),
    "submission-list": ("302 200 200 200 200 200", "405"),
    "submission": ("302 404 200 200 200 200", "405"),
    "submission-progress": ("302 404 200 200 200 200", "405"),
    "submission-manifest": ("302 404 200 200 200 200", "405"),
    "submission-rerun": ("405", "302 404 302 302 302 302"),
    "submission-notes": ("405", "302 404 302 302 302 302"),
    "submission-cancel": ("405", "302 404 302 302 302 302"),
    "submission-withdraw": ("405", "302 404 302 302 302 302"),
    "submission-answer": ("405", "302 404 302 302 403 403"),
    "submission-appeal": ("405", "302 404 302 302 403 403"),
    "curation": ("302 403 403 403 200 200", "405"),
    "curation-snapshot": ("302 403 403 403 200 200", "405"),
    "curation-act": ("405", "302 403 403 403 302 302"),
    "curation-task": ("302 403 403 403 200 200", "405"),
    "curation-judge": ("405", "302 403 403 403 302 302"),
    "review-queue": ("302 403 403 403 200 200", "405"),
    "review": ("302 403 403 403 200 200", "405"),
    "review-failures": ("302 403 403 403 200 200", "405"),
    "review-agreement": ("302 403 403 403 200 200", "405"),
    "review-decide": ("405", "302 403 403 403 302 302"),
    "review-settle": ("405", "302 403 403 403 404 404"),
    "review-appeal": ("405", "302 403 403 403 302 302"),
    "review-write": ("405", "302 403 403 403 302 302"),
    "review-verdict": ("405", "302 403 403 403 404 404"),
    "review-overrule": ("405", "302 403 403 403 302 302"),
    "review-lift": ("405", "302 403 403 403 302 302"),
    "review-reevaluate": ("405", "302 403 403 403 302 302"),
    "review-comparability": ("405", "302 403 403 403 302 302"),
    "review-failures-label": ("405", "302 403 403 403 302 302"),
}

# The same with a token that has every scope; anonymous sends none.
API: dict[str, tuple[str, str]] = {
    "api-snapshot-list": ("200", "405"),
    "api-snapshot": ("200", "405"),
    "api-leaderboard": ("200", "405"),
    "api-leaderboard-file": ("200", "405"),
    "api-task-list": ("200", "405"),
    "api-task": ("200", "405"),
    "api-evaluation-list": ("200", "405"),
    "api-evaluation": ("404 404 200 200 200 200", "405"),
    "api-evaluation-history": ("404 404 200 200 200 200", "405"),
    "api-failure-list": ("404 404 200 200 200 200", "405"),
    "api-run-list": ("404 404 200 200 200 200", "405"),
    "api-screen-list": ("404 404 200 200 200 200", "405"),
    "api-compare": ("400", "405"),
    "api-result-list": ("404 404 200 200 200 200", "405"),
    "api-run-archive": ("404 404 200 200 200 200", "405"),
    "api-artifact": ("404 404 200 200 200 200", "405"),
    "api-artifact-file": ("404 404 200 200 200 200", "405"),
    "api-status": ("200", "405"),
    "api-upload-list": ("401 200 200 200 200 200", "401 412 412 412 412 412"),
    "api-upload": ("401 404 404 404 404 404", "401 405 405 405 405 405"),
    "api-quota": ("401 200 200 200 200 200", "401 405 405 405 405 405"),
    "api-submission-list": ("401 200 200 200 200 200", "401 400 400 400 400 400"),
    "api-submission-validate": ("401 405 405 405 405 405", "401 400 400 400 400 400"),
    "api-submission": ("401 404 200 200 200 200", "401 405 405 405 405 405"),
    "api-submission-manifest": ("401 404 200 200 200 200", "401 405 405 405 405 405"),
    "api-submission-withdraw": ("401 405 405 405 405 405", "401 404 400 400 400 400"),
    "api-submission-rerun": ("401 405 405 405 405 405", "401 404 400 400 400 400"),
    "api-submission-notes": ("401 405 405 405 405 405", "401 404 200 200 200 200"),
    "api-submission-cancel": ("401 405 405 405 405 405", "401 404 400 400 400 400"),
    "api-submission-decide": ("401 403 403 403 405 405", "401 403 403 403 400 400"),
    "api-submission-answer": ("401 405 405 405 405 405", "401 400 400 400 400 400"),
    "api-submission-appeal": ("401 405 405 405 405 405", "401 400 400 400 400 400"),
    "api-submission-publish": ("401 403 403 403 405 405", "401 403 403 403 200 200"),
    "api-schema": ("200", "405"),
    "api-docs": ("200", "405"),
    "api-unknown": ("404", "404"),
}

# Ends of names in the admin, for all models. Staff without rights of their own reach
# what is named first; superusers reach all of it; nobody else reaches anything.
OPEN_TO_STAFF = {"index", "login", "logout", "jsi18n"} | {
    "password_change",
    "password_change_done",
}
ADMIN = OPEN_TO_STAFF | {
    *{"add", "change", "changelist", "delete", "history"},
    *{"app_list", "autocomplete", "view_on_site"},
}
# Public by their nature, and asked before anybody is known.
WITHOUT_TOKEN = {"api-schema", "api-docs", "api-unknown"}


def is_api(url: Url) -> bool:
    return url.route.startswith("api/")


def is_admin(url: Url) -> bool:
    return url.route.startswith("admin/")


def is_page(url: Url) -> bool:
    return not is_api(url) and not is_admin(url)


@pytest.fixture
def ask(world) -> Asker:
    return Asker(world)


def codes(text: str) -> list[int]:
    found = [int(word) for word in text.split()]
    return found if len(found) == len(ROLES) else found * len(ROLES)


def test_every_url_is_listed_and_nothing_else():
    urls = every_url()

    assert {url.name for url in urls if is_page(url)} == set(PAGES)
    assert {url.name for url in urls if is_api(url)} == set(API)
    assert {
        kind_of_admin(url) for url in urls if is_admin(url) and "/<path" not in url.name
    } - {""} == ADMIN


def kind_of_admin(url: Url) -> str:
    """The end of the name, by which all models are alike; empty where there is none."""
    name = url.name.partition(":")[2]
    if "/" in name:
        return ""
    if name in ADMIN:
        return name
    return name.rpartition("_")[2]


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pages_answer_each_person_as_listed(method, world, ask):
    found = {
        url.name: [
            ask.page(role, method, world.path(url)).status_code for role in ROLES
        ]
        for url in every_url()
        if is_page(url)
    }

    place = ["GET", "POST"].index(method)
    assert found == {name: codes(row[place]) for name, row in PAGES.items()}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_the_api_answers_each_person_as_listed(method, world, ask):
    found = {
        url.name: [ask.api(role, method, world.path(url)).status_code for role in ROLES]
        for url in every_url()
        if is_api(url)
    }

    place = ["GET", "POST"].index(method)
    assert found == {name: codes(row[place]) for name, row in API.items()}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_only_superusers_have_rights_in_the_admin(method, world, ask):
    wrong = []
    for url in every_url():
        if not is_admin(url):
            continue
        path = "/" + url.route.replace("<path:object_id>", "1")
        if "(?P" in path or "<" in path:
            path = "/admin/nothing/"
        # Owner and mate are like any other here.
        roles = ("anonymous", "other", "maintainer", "admin")
        found = {role: ask.page(role, method, path).status_code for role in roles}
        staff, admin = found.pop("maintainer"), found.pop("admin")
        open_to_staff = kind_of_admin(url) in OPEN_TO_STAFF
        if (
            not set(found.values()) <= {302, 403}
            or not (open_to_staff or staff in {302, 403, 404, 405})
            or admin >= 500
        ):
            wrong.append((path, found, staff, admin))

    assert wrong == []


def test_no_page_takes_a_post_without_the_token_of_its_form(world, ask):
    taken = {}
    for url in every_url():
        if is_api(url):
            continue
        path = "/admin/" if is_admin(url) else world.path(url)
        for role in ("owner", "admin"):
            answer = ask.page(role, "POST", path, enforce_csrf_checks=True)
            if answer.status_code != 403:
                taken[url.name, role] = answer.status_code

    assert taken == {}


def test_a_session_alone_changes_nothing_through_the_api(world, ask):
    for url in every_url():
        if not is_api(url):
            continue
        path = world.path(url)
        answer = ask.page("owner", "POST", path, enforce_csrf_checks=True)
        assert answer.status_code in {401, 403, 404, 405}, url.name


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_nothing_is_changed_through_the_api_without_a_token(method, world, ask):
    found = {
        url.name: ask.api("anonymous", method, world.path(url)).status_code
        for url in every_url()
        if is_api(url)
    }

    unsafe = {
        url.name
        for url in every_url()
        if is_api(url) and hasattr(url.view.cls, method.lower())
    }
    assert {found[name] for name in unsafe} <= {401}
    assert set(found.values()) <= {401, 404, 405}


def test_every_endpoint_looks_at_scopes_and_who_changes_something_is_known():
    for url in every_url():
        if not is_api(url) or url.name in WITHOUT_TOKEN:
            continue
        permissions = url.view.cls.permission_classes
        assert TokenScope in permissions, url.name
        if any(hasattr(url.view.cls, each) for each in ("post", "patch", "delete")):
            assert IsAuthenticated in permissions, url.name


def body_of(answer, *names: object) -> str:
    """The page without the numbers of what was asked for and the token of its form."""
    text = re.sub(r'value="\w{64}"', "", answer.content.decode())
    for name in names:
        text = text.replace(f"/{name}/", "/N/")
    return text


@pytest.mark.parametrize("role", ["anonymous", "other"])
def test_what_is_private_looks_like_what_does_not_exist(role, world, ask):
    evaluation, run, artifact = world.submission.evaluation, world.run, world.artifact
    private = {
        f"/e/{evaluation.pk}/": evaluation.pk,
        f"/e/{evaluation.pk}/runs/1/": evaluation.pk,
        f"/e/{evaluation.pk}/trouble/": evaluation.pk,
        f"/e/{evaluation.pk}/runs/1/artifacts.zip": evaluation.pk,
        f"/e/{evaluation.pk}/runs/1/tasks/{artifact.task.slug}/": evaluation.pk,
        f"/e/{evaluation.pk}/runs/1/tasks/{artifact.task.slug}/attempts/": (
            evaluation.pk
        ),
        f"/artifacts/{artifact.pk}/": artifact.pk,
        f"/api/v1/evaluations/{evaluation.pk}/": evaluation.pk,
        f"/api/v1/evaluations/{evaluation.pk}/runs/": evaluation.pk,
        f"/api/v1/runs/{run.pk}/results/": run.pk,
        f"/api/v1/runs/{run.pk}/artifacts.zip": run.pk,
        f"/api/v1/artifacts/{artifact.pk}/": artifact.pk,
        f"/api/v1/artifacts/{artifact.pk}/file/": artifact.pk,
    }
    nothing = 987654321
    for path, number in private.items():
        send = ask.api if path.startswith("/api/") else ask.page
        seen = send(role, "GET", path)
        unseen = send(role, "GET", path.replace(f"/{number}/", f"/{nothing}/"))

        assert seen.status_code == unseen.status_code == 404, path
        assert body_of(seen, number) == body_of(unseen, nothing), path


@pytest.mark.parametrize("role", ["anonymous", "other"])
def test_what_is_private_is_on_no_list(role, world, ask):
    evaluation = world.submission.evaluation
    model = evaluation.configuration.model
    snapshot = evaluation.snapshot
    for path in (
        "/",
        snapshot.get_absolute_url(),
        f"/tasks/{snapshot.version}/{world.artifact.task.slug}/",
        f"/api/v1/leaderboard/?snapshot={snapshot.version}",
        "/api/v1/evaluations/",
        f"/compare/?a={evaluation.pk}",
        "/status/",
        "/api/v1/status/",
    ):
        send = ask.api if path.startswith("/api/") else ask.page
        answer = send(role, "GET", path)
        assert answer.status_code == 200, path
        assert model not in answer.content.decode(), path
        assert str(world.submission.pk) not in answer.content.decode(), path


def test_after_publication_everybody_reads_it(world, ask):
    services.publish(world.submission, by=world.users["admin"])
    assert world.submission.evaluation.visibility == Visibility.PUBLIC

    for url in every_url():
        if url.name in {"evaluation", "run", "task-run", "run-archive", "artifact"}:
            answer = ask.page("anonymous", "GET", world.path(url))
            assert answer.status_code == 200, url.name


def test_the_address_in_the_api_gives_the_owner_the_private_file(world, ask):
    path = f"/api/v1/artifacts/{world.artifact.pk}/"
    found = ask.api("owner", "GET", path).json()

    answer = ask.api("mate", "GET", found["download_url"])

    assert answer.status_code == 200
    assert answer["Content-Disposition"].startswith("attachment")
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["ETag"] == f'"{found["sha256"]}"'
