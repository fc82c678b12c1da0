"""Uploading from the page: looked into, sent in parts, resumed; and as a plain form."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, Route, expect

from submissions import intake
from submissions.models import Submission, UploadSession
from submissions.resumable import sessions
from tests.e2e.test_browser import violations
from tests.submissions.bundles import files_for, make_snapshot, manifest_for, zipped

PARTS = "**/api/v1/uploads/*/"
MIB = 1024 * 1024

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def isolating(monkeypatch):
    monkeypatch.setattr(intake, "sandbox_isolates", lambda: True)


@pytest.fixture
def snapshot(committed_db):
    return make_snapshot(version="demo-0.1")


@pytest.fixture
def bundle(snapshot) -> dict[str, bytes]:
    return files_for(snapshot)


@pytest.fixture
def opened(browser, live_server, user, snapshot) -> Iterator[Callable[..., Page]]:
    """Opens the page of uploads for ``user``; what the browser complains of fails."""
    contexts = []
    errors: list[str] = []

    def go(path: str = "/submit/", *, scripts: bool = True, **options: Any) -> Page:
        client = Client()
        client.force_login(user)
        context = browser.new_context(java_script_enabled=scripts, **options)
        contexts.append(context)
        context.add_cookies(
            [
                {
                    "name": "sessionid",
                    "value": client.cookies["sessionid"].value,
                    "url": live_server.url,
                }
            ]
        )
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(live_server.url + path)
        return page

    yield go
    for context in contexts:
        context.close()
    assert errors == []


def large(files: dict[str, bytes], mebibytes: int) -> bytes:
    """A sound bundle of more than so many MiB: its build logs do not pack."""
    grown = dict(files)
    folders = [name[:-11] for name in files if name.endswith("final.patch")]
    for folder in folders:
        # Nothing in it looks like a key.
        lines = os.urandom(mebibytes * MIB // len(folders) // 2).hex().encode()
        grown[f"{folder}build.log"] = b"\n".join(
            lines[at : at + 12] for at in range(0, len(lines), 12)
        )
    return zipped(grown)


def choose(page: Page, folder: Path, data: bytes, name: str = "bundle.zip") -> None:
    path = folder / name
    path.write_bytes(data)
    page.get_by_label("Bundle (zip or tar.gz)").set_input_files(path)


def requests_of(page: Page) -> list[str]:
    """The methods of what sends something from now on."""
    seen: list[str] = []
    page.on(
        "request",
        lambda each: seen.append(each.method) if each.method != "GET" else None,
    )
    return seen


def button(page: Page, name: str):
    return page.get_by_role("button", name=name, exact=True)


@pytest.mark.parametrize("language", ["", "/zh-hans"])
def test_a_wrong_zip_is_named_before_any_byte_is_sent(
    opened, snapshot, bundle, tmp_path, language
):
    page = opened(f"{language}/submit/")
    sent = requests_of(page)
    slug = snapshot.tasks.first().slug
    del bundle[f"runs/2/{slug}/final.patch"]
    bundle["../evil"] = b"x"
    bundle["runs/1/other/final.patch"] = b""
    problems = page.locator("[data-bundle-problems]")

    page.locator("input[type=file]").set_input_files(
        {"name": "b.zip", "mimeType": "application/zip", "buffer": zipped(bundle)}
    )
    expect(problems).to_be_visible()
    items = problems.locator("li").all_inner_texts()
    page.locator("button[name=submit]").click()

    assert len(items) == 3
    assert "../evil" in items[0]
    assert f"2/{slug}" in items[1] and "1" in items[1] and "4" in items[1]
    assert "1/other" in items[2]
    assert page.evaluate("document.activeElement.id") == "bundle-problems"
    assert not any("{" in item for item in items)
    assert sent == []
    assert violations(page) == []


def test_each_kind_of_wrong_file_has_its_own_words(opened, snapshot, bundle, tmp_path):
    page = opened()
    sent = requests_of(page)
    problems = page.locator("[data-bundle-problems]")
    sound = zipped(bundle)
    slugs = [task.slug for task in snapshot.tasks.all()]
    without = {name: data for name, data in bundle.items() if name != "manifest.json"}

    def words(data: bytes) -> str:
        page.locator("input[type=file]").set_input_files([])
        expect(problems).to_be_hidden()
        choose(page, tmp_path, data)
        expect(problems).to_be_visible()
        return " | ".join(problems.locator("li").all_inner_texts())

    assert "neither a zip nor a tar.gz" in words(b"MZ, a program")
    assert "cut off" in words(sound[:-30])
    assert "has a comment" in words(sound + b"comment")
    assert "manifest.json is missing" in words(zipped(without))
    assert "not a JSON object" in words(zipped({**bundle, "manifest.json": b"{oops"}))
    closed = manifest_for(snapshot, benchmark_version="v9")
    said = words(zipped(files_for(snapshot, manifest=closed)))
    assert "v9, which takes no submissions" in said
    assert "demo-0.1" in said
    wrapped = {f"my-bundle/{name}": data for name, data in bundle.items()}
    assert "Everything lies in the folder my-bundle" in words(zipped(wrapped))
    only_manifest = {"manifest.json": bundle["manifest.json"]}
    said = words(zipped(only_manifest))
    assert "(4 of 4)" in said and all(f"1/{slug}" in said for slug in slugs)
    assert "come twice" in words(zipped({**bundle, "MANIFEST.json": b""}))

    assert sent == []


def test_a_file_over_the_limit_is_named_before_it_is_sent(
    opened, bundle, tmp_path, settings
):
    settings.UPLOAD_LIMIT_BYTES = MIB
    page = opened()
    sent = requests_of(page)

    choose(page, tmp_path, large(bundle, 2))

    expect(page.locator("[data-bundle-problems] li")).to_contain_text(
        "at most 1 MiB are taken"
    )
    assert sent == []


def test_a_sound_bundle_is_sent_in_parts_and_submitted(opened, bundle, tmp_path):
    page = opened()
    data = large(bundle, 20)
    choose(page, tmp_path, data)
    expect(page.locator("[data-bundle-status]")).to_contain_text("The names are right")

    patches: list[int] = []
    page.on(
        "request",
        lambda each: (
            patches.append(int(each.headers.get("content-length") or 0))
            if each.method == "PATCH"
            else None
        ),
    )
    checksums: list[str] = []
    page.on(
        "request", lambda each: checksums.append(each.headers.get("upload-checksum"))
    )
    button(page, "Check and submit").click()
    page.wait_for_url("**/submissions/*/")

    submission = Submission.objects.get()
    assert submission.archive_sha256 == hashlib.sha256(data).hexdigest()
    assert len(patches) == -(-len(data) // (8 * MIB))
    assert sum(1 for each in checksums if each and each.startswith("sha256 ")) == 3


def test_a_cut_connection_is_taken_up_again(opened, bundle, tmp_path):
    page = opened()
    data = large(bundle, 20)
    cut: list[str] = []
    created: list[str] = []

    def flaky(route: Route) -> None:
        if route.request.method == "PATCH" and len(cut) < 2:
            offset = route.request.headers["upload-offset"]
            if offset != "0":
                cut.append(offset)
                route.abort("connectionreset")
                return
        route.continue_()

    page.route(PARTS, flaky)
    page.on(
        "request",
        lambda each: (
            created.append(each.url)
            if each.method == "POST" and "/uploads/" in each.url
            else None
        ),
    )
    choose(page, tmp_path, data)
    button(page, "Check and submit").click()
    page.wait_for_url("**/submissions/*/")

    assert cut == [str(8 * MIB)] * 2
    assert len(created) == 1
    assert Submission.objects.get().archive_sha256 == hashlib.sha256(data).hexdigest()


def test_after_a_reload_it_goes_on_where_it_stopped(opened, bundle, tmp_path):
    page = opened()
    data = large(bundle, 20)

    def hold(route: Route) -> None:
        if (
            route.request.method == "PATCH"
            and route.request.headers["upload-offset"] != "0"
        ):
            return  # Never answered: the reader reloads the page.
        route.continue_()

    page.route(PARTS, hold)
    choose(page, tmp_path, data)
    button(page, "Check and submit").click()
    expect(page.locator("[data-upload-figures]")).to_contain_text("8 of")
    session = UploadSession.objects.get()
    assert sessions.offset(session) == 8 * MIB

    page.reload()
    page.unroute(PARTS)
    note = page.locator("[data-upload-note]")
    expect(note).to_contain_text("The upload of bundle.zip stopped at")
    methods = requests_of(page)
    page.get_by_label("Bundle (zip or tar.gz)").set_input_files(tmp_path / "bundle.zip")
    button(page, "Check and submit").click()
    page.wait_for_url("**/submissions/*/")

    assert UploadSession.objects.get() == session
    assert methods.count("PATCH") == 2
    assert Submission.objects.get().archive_sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("language", ["", "/zh-hans"])
def test_what_is_told_about_an_upload_fits_every_width(
    opened, bundle, tmp_path, language
):
    page = opened(f"{language}/submit/")
    widths: list[tuple[int, int]] = []

    def measure() -> None:
        for width in (1280, 768, 390, 320):
            page.set_viewport_size({"width": width, "height": 900})
            seen = page.evaluate("document.documentElement.scrollWidth")
            widths.append((width, seen))

    choose_file = page.locator("input[type=file]").set_input_files
    long_name = "runs/1/" + "a-task-with-a-very-long-name-" * 4 + "/notes.txt"
    wrong = {**bundle, long_name: b""}
    choose_file({"name": "b.zip", "mimeType": "", "buffer": zipped(wrong)})
    expect(page.locator("[data-bundle-problems]")).to_be_visible()
    measure()
    page.route(
        PARTS,
        lambda route: None if route.request.method == "PATCH" else route.continue_(),
    )
    choose_file({"name": "b.zip", "mimeType": "", "buffer": zipped(bundle)})
    page.locator("button[name=submit]").click()
    expect(page.locator("[data-upload-bar]")).to_be_visible()
    expect(page.locator("button[name=submit]")).to_be_hidden()
    measure()

    assert [pair for pair in widths if pair[1] > pair[0]] == []


def test_it_can_be_paused_and_given_up(opened, bundle, tmp_path):
    page = opened()
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "PATCH":
            held.append(route)
        else:
            route.continue_()

    page.route(PARTS, hold)
    choose(page, tmp_path, large(bundle, 9))
    with page.expect_request(lambda each: each.method == "PATCH"):
        button(page, "Check and submit").click()
    button(page, "Pause").click()
    expect(page.locator("[data-upload-figures]")).to_contain_text("Paused")
    assert violations(page) == []

    page.unroute(PARTS)
    with page.expect_request(lambda each: each.method == "DELETE"):
        button(page, "Give up").click()
    expect(page.locator("[data-upload]")).to_be_hidden()
    expect(button(page, "Check and submit")).to_be_enabled()
    page.wait_for_function("localStorage.length === 0")
    assert not UploadSession.objects.exists()


def test_a_pause_ends_in_a_submission(opened, bundle, tmp_path):
    page = opened()
    data = large(bundle, 9)
    released: list[bool] = []
    page.route(
        PARTS,
        lambda route: (
            route.continue_() if released or route.request.method != "PATCH" else None
        ),
    )
    choose(page, tmp_path, data)
    button(page, "Check and submit").click()
    button(page, "Pause").click()
    released.append(True)
    button(page, "Go on").click()
    page.wait_for_url("**/submissions/*/")

    assert Submission.objects.get().archive_sha256 == hashlib.sha256(data).hexdigest()


def test_while_the_server_checks_a_second_bar_says_so(opened, bundle, tmp_path):
    page = opened()
    # While the answer is on its way the page can be seen, but not asked any more: what
    # it showed is noted after it was painted.
    page.evaluate(
        """() => {
            const part = document.querySelector("[data-upload-checking]");
            const note = () => {
                const bar = part.querySelector("progress");
                sessionStorage.seen = JSON.stringify({
                    words: bar.ariaLabelledByElements?.[0].innerText ?? part.innerText,
                    height: bar.getBoundingClientRect().height,
                    endless: bar.position === -1,
                    said: document.querySelector("[data-upload-status]").innerText,
                    file: document.querySelector("input[type=file]").disabled,
                });
                console.info("noted");
            };
            new MutationObserver(() => requestAnimationFrame(note)).observe(part, {
                attributes: true,
            });
        }"""
    )
    held: list[Route] = []
    page.route("**/submit/", lambda route: held.append(route))
    choose(page, tmp_path, zipped(bundle))
    noted = page.expect_console_message(lambda message: message.text == "noted")
    with page.expect_request("**/submit/"), noted:
        button(page, "Check and submit").click(no_wait_after=True)
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    page.wait_for_url("**/submissions/*/")

    seen = json.loads(page.evaluate("sessionStorage.seen"))
    assert seen["words"] == seen["said"]
    assert seen["words"].startswith("The server is checking the bundle.")
    assert seen["height"] > 0
    assert seen["endless"] is True
    assert seen["file"] is True


def test_what_was_only_checked_is_submitted_without_sending_it_again(
    opened, bundle, tmp_path
):
    page = opened()
    data = zipped(bundle)
    choose(page, tmp_path, data)
    button(page, "Check only").click()
    page.get_by_role("heading", name="No errors").wait_for()
    kept = page.locator(".banner", has_text="bundle.zip is already here")
    expect(kept).to_contain_text(hashlib.sha256(data).hexdigest())
    assert violations(page) == []
    assert not Submission.objects.exists()

    methods = requests_of(page)
    button(page, "Check and submit").click()
    page.wait_for_url("**/submissions/*/")

    assert "PATCH" not in methods
    assert Submission.objects.count() == 1


def test_a_doubted_verdict_can_be_left_to_the_server(opened, bundle, tmp_path):
    page = opened()
    bundle["notes.txt"] = b"x"
    choose(page, tmp_path, zipped(bundle))
    button(page, "Have the server check it all the same").click()

    page.get_by_role("heading", name="1 error: not submitted").wait_for()
    expect(page.locator(".findings")).to_contain_text("notes.txt")
    assert page.locator("input[type=hidden][name=upload]").count() == 0


def test_a_file_may_be_dropped_on_the_form(opened, bundle):
    page = opened()
    transfer = page.evaluate_handle(
        """bytes => {
            const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(bytes)], "dropped.zip"));
            return data;
        }""",
        list(zipped(bundle)),
    )

    page.dispatch_event("[data-upload-form]", "drop", {"dataTransfer": transfer})

    expect(page.locator("[data-bundle-status]")).to_contain_text("The names are right")


def test_without_scripts_the_plain_form_does_it_all(opened, bundle, tmp_path):
    page = opened(scripts=False)
    assert not page.locator("[data-upload]").is_visible()
    choose(page, tmp_path, zipped({**bundle, "notes.txt": b"x"}))
    button(page, "Check and submit").click()
    expect(page.locator(".findings")).to_contain_text("notes.txt")

    choose(page, tmp_path, zipped(bundle))
    button(page, "Check and submit").click()
    page.wait_for_url("**/submissions/*/")

    assert Submission.objects.count() == 1
    assert not UploadSession.objects.exists()


def test_somebody_signed_out_keeps_what_was_sent(opened, bundle, tmp_path):
    page = opened()
    page.route(
        PARTS,
        lambda route: (
            route.fulfill(status=403, body="{}")
            if route.request.method == "PATCH"
            else route.continue_()
        ),
    )
    choose(page, tmp_path, large(bundle, 9))
    button(page, "Check and submit").click()
    expect(page.locator("[data-upload-figures]")).to_contain_text("You are signed out")

    page.unroute(PARTS)
    button(page, "Go on").click()
    page.wait_for_url("**/submissions/*/")
    assert UploadSession.objects.count() == 1


def test_a_refusal_of_the_server_is_told_in_its_words(
    opened, bundle, tmp_path, settings
):
    page = opened()
    settings.UPLOAD_LIMIT_BYTES = 1000
    choose(page, tmp_path, zipped(bundle))
    button(page, "Check and submit").click()

    expect(page.locator("[data-upload-figures]")).to_contain_text("1000 at most")
