"""Files that are listed and not kept: what pages, archive and API say of them."""

from __future__ import annotations

import hashlib
import io
import zipfile

import pytest

from leaderboard.archives import RunArchive
from leaderboard.blobs import store_blob
from leaderboard.models import Absence
from tests.factories import ArtifactFactory, scored_evaluation

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    return scored_evaluation([[0]], task_count=1).runs.get()


@pytest.fixture
def absent(run):
    return ArtifactFactory(
        run=run, name="build_final.log", kind="log", absence=Absence.OVER_LIMIT
    )


@pytest.fixture
def kept(run):
    blob = store_blob(b"kept")
    return ArtifactFactory(run=run, name="final.patch", kind="patch", **blob._asdict())


def test_the_page_says_why_and_offers_no_download(client, run, absent, kept):
    html = client.get(run.results.get().get_absolute_url()).content.decode()

    assert "Left out: the submission has used up its storage" in html
    assert absent.get_absolute_url() not in html
    assert kept.get_absolute_url() in html


def test_asking_for_the_bytes_is_answered_with_gone(client, absent):
    assert client.get(absent.get_absolute_url()).status_code == 410
    answer = client.get(f"/api/v1/artifacts/{absent.pk}/file/")
    assert answer.status_code == 410
    assert "build_final.log" in answer.json()["detail"]


def test_bytes_that_another_row_keeps_are_not_served_under_this_one(client, run, kept):
    absent = ArtifactFactory(
        run=run, name="other.log", sha256=kept.sha256, absence=Absence.EXPIRED
    )

    assert client.get(absent.get_absolute_url()).status_code == 410


def test_the_api_names_the_absence(client, run, absent, kept):
    [result] = client.get(f"/api/v1/runs/{run.pk}/results/").json()["results"]

    assert {each["name"]: each["absence"] for each in result["artifacts"]} == {
        "build_final.log": "over-limit",
        "final.patch": "",
    }


def test_the_archive_has_the_rest_and_a_list_of_what_is_not_in_it(run, absent, kept):
    archive = RunArchive(run)
    content = b"".join(archive.chunks())
    slug = kept.task.slug

    opened = zipfile.ZipFile(io.BytesIO(content))
    assert opened.namelist() == [f"{slug}/final.patch", "LEFT-OUT.txt", "SHA256SUMS"]
    left_out = opened.read("LEFT-OUT.txt")
    assert left_out.decode() == (
        f"{absent.sha256}  {slug}/build_final.log  10 bytes  over-limit\n"
    )
    sums = opened.read("SHA256SUMS").decode()
    assert f"{hashlib.sha256(left_out).hexdigest()}  LEFT-OUT.txt\n" in sums
    assert archive.size_bytes == len(content)
    assert archive.missing() == []


def test_an_archive_that_has_everything_has_no_such_list(run, kept):
    content = b"".join(RunArchive(run).chunks())

    assert "LEFT-OUT.txt" not in zipfile.ZipFile(io.BytesIO(content)).namelist()


def test_counts_and_sizes_are_of_what_is_kept(client, run, absent, kept):
    html = client.get(run.get_absolute_url()).content.decode()

    assert "4 bytes" in html or "4 B" in html
