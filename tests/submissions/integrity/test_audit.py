"""The audit of an evaluation, and patches that are nearly those of others."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from leaderboard.models import Visibility
from submissions.integrity import alike, scan
from submissions.integrity.audit import audit_page
from submissions.integrity.catalogue import Code
from submissions.integrity.verdicts import judge
from submissions.models import PatchSketch
from tests.factories import EvaluationFactory, IntegritySignalFactory
from tests.submissions.bundles import files_for
from tests.submissions.integrity.cases import FOLDER, read_case
from tests.submissions.integrity.test_scan import of_another_model, received
from tests.submissions.jobs import fail_all

pytestmark = pytest.mark.django_db

ORIGINAL, COPY = (
    "\n".join(each["patch"]).encode()
    for each in read_case(FOLDER / "cases" / "patch_similar-1.json")["across"]
)


def with_patch(snapshot, patch: bytes) -> dict[str, bytes]:
    """A bundle of which one task run has ``patch``, and all trajectories differ."""
    files = files_for(snapshot)
    for name in list(files):
        if name.endswith("trajectory.jsonl"):
            files[name] = f'{{"here": "{name}", "of": {len(patch)}}}\n'.encode()
    slug = snapshot.tasks.first().slug
    for name in ("first.patch", "final.patch"):
        files[f"runs/1/{slug}/{name}"] = patch
    return files


@pytest.fixture
def two(tmp_path, snapshot):
    """Two submissions of unrelated people and models; the second one copied."""
    first = received(tmp_path, with_patch(snapshot, ORIGINAL))
    scan.look_at(first)
    second = received(tmp_path, of_another_model(with_patch(snapshot, COPY)))
    scan.look_at(second)
    return first, second


def test_nearly_the_same_patch_is_told_with_the_other_file(two, client, maintainer):
    first, second = two

    signal = second.integrity_signals.get(code=Code.PATCH_SIMILAR)

    assert (signal.run_number, signal.file) == (1, "final.patch")
    assert signal.twin.run.evaluation == first.evaluation
    assert signal.score >= 0.9
    assert f"evaluation {first.evaluation_id}" in signal.seen
    client.force_login(maintainer)
    html = client.get(
        reverse("evaluation-audit", args=[second.evaluation_id])
    ).content.decode()
    assert f'href="{signal.twin.get_absolute_url()}"' in html
    named = audit_page(first.evaluation, reader=maintainer).named_by
    assert [each.submission for each in named] == [second] * len(named)
    assert signal in named


def test_looking_again_finds_the_same_and_keeps_one_sketch_of_a_patch(two):
    first, second = two
    before = set(second.integrity_signals.values_list("fingerprint", flat=True))

    scan.look_at(second)
    scan.look_at(first)

    after = second.integrity_signals.values_list("fingerprint", flat=True)
    assert set(after) == before
    assert PatchSketch.objects.count() == 2
    assert first.integrity_signals.filter(code=Code.PATCH_SIMILAR).count() == 1


def test_a_page_says_where_not_everything_was_compared(
    tmp_path, snapshot, two, monkeypatch, maintainer
):
    monkeypatch.setattr(alike, "MOST_COMPARED", 0)

    scan.look_at(two[1])

    assert not two[1].integrity_signals.filter(code=Code.PATCH_SIMILAR).exists()
    page = audit_page(two[1].evaluation, reader=maintainer)
    assert page.compared_in_part == 1


def test_a_rule_says_how_much_it_looked_at(two, maintainer):
    _, second = two
    fail_all(second)
    scan.look_at(second)

    page = audit_page(second.evaluation, reader=maintainer)

    looked_at = {each.code: each.looked_at for each in page.detectors}
    assert set(looked_at) == set(Code)
    assert looked_at[Code.GIT_HISTORY] == 4
    assert looked_at[Code.PATCH_REPEATED] == 4
    assert looked_at[Code.PATCH_SIMILAR] == 1
    assert looked_at[Code.PATCH_NOTE] == 4
    # No package is held, and so no reference.
    assert looked_at[Code.REFERENCE_SIMILAR] == 0


def ask(client, submission) -> str:
    url = reverse("evaluation-audit", args=[submission.evaluation_id])
    return client.get(url).content.decode()


@pytest.fixture
def public(submission):
    fail_all(submission)
    submission.evaluation.visibility = Visibility.PUBLIC
    submission.evaluation.save()
    return submission


def test_everybody_reads_what_is_confirmed_with_its_note_and_nothing_else(
    public, maintainer, client
):
    found = IntegritySignalFactory(submission=public, seen="git fsck")
    leaked = IntegritySignalFactory(
        submission=public, code="leaked_text", seen="the hidden words"
    )
    IntegritySignalFactory(submission=public, seen="git reflog")
    wrong = IntegritySignalFactory(submission=public, seen="git log --all")
    before = ask(client, public)
    assert "Nothing is confirmed." in before
    assert "git fsck" not in before and "for a verdict" not in before

    for signal, decision in ((found, "confirmed"), (leaked, "confirmed")):
        judge(
            signal,
            by=maintainer,
            decision=decision,
            reason="words for the team",
            public_note=f"note on {signal.code}",
        )
    judge(wrong, by=maintainer, decision="dismissed", reason="own branch")
    html = ask(client, public)

    assert "git fsck" in html
    assert "note on git_history" in html and "note on leaked_text" in html
    assert "the hidden words" not in html
    for hidden in ("git reflog", "git log --all", "words for the team", "own branch"):
        assert hidden not in html
    client.force_login(public.user)
    team = ask(client, public)
    assert "words for the team" in team and "git reflog" not in team
    client.force_login(maintainer)
    whole = ask(client, public)
    assert "git reflog" in whole and "own branch" in whole


def test_a_maintainer_judges_on_the_page_of_the_audit(public, maintainer, client):
    signal = IntegritySignalFactory(submission=public)
    client.force_login(maintainer)
    assert 'name="back" value="audit"' in ask(client, public)

    answer = client.post(
        reverse("review-verdict", args=[public.pk, signal.pk]),
        {
            "decision": "confirmed",
            "reason": "read the answer",
            "public_note": "It read the answer.",
            "back": "audit",
        },
    )

    audit = reverse("evaluation-audit", args=[public.evaluation_id])
    assert answer["Location"] == f"{audit}#signal-{signal.pk}"
    assert signal.verdicts.get().public_note == "It read the answer."


def test_what_was_not_handed_in_here_is_not_audited(client):
    evaluation = EvaluationFactory(public=True)

    html = client.get(
        reverse("evaluation-audit", args=[evaluation.pk])
    ).content.decode()

    assert "Not audited" in html


def test_the_page_costs_the_same_whatever_was_found(
    public, maintainer, client, django_assert_num_queries
):
    client.force_login(maintainer)
    judged = IntegritySignalFactory(submission=public)
    judge(judged, by=maintainer, decision="confirmed", reason="x")
    with django_assert_num_queries(15):
        ask(client, public)
    for number in range(4):
        other = IntegritySignalFactory(submission=public, seen=f"git fsck {number}")
        judge(other, by=maintainer, decision="confirmed", reason="x")

    with django_assert_num_queries(15):
        ask(client, public)


def test_the_scan_of_a_record_of_any_type_comes_to_its_end(tmp_path, snapshot):
    """A type that is a list once ended the look at the whole submission."""
    files = with_patch(snapshot, ORIGINAL)
    name = next(each for each in files if each.endswith("trajectory.jsonl"))
    odd = {"role": "user", "content": [{"type": ["tool_result"], "text": {"a": []}}]}
    files[name] = json.dumps(odd).encode() + b"\n"

    done = scan.look_at(received(tmp_path, files))

    assert (done.trouble, done.finished_at is None) == ("", False)
