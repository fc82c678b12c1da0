"""Packages and base projects from zip files and git repositories."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command

from leaderboard.models import EvaluationSnapshot
from leaderboard.snapshots import (
    PackageError,
    base_folder,
    export_package,
    gitfetch,
    import_package,
    package_from,
    read_package,
)
from leaderboard.trees import tree_digest
from tests.leaderboard.git_server import serving
from tests.leaderboard.packages import write_package
from tests.submissions.webhooks.receiver import write_certificate


@pytest.fixture
def package(tmp_path):
    return write_package(tmp_path / "package", "alpha")


def git(folder, *arguments):
    done = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def committed(folder):
    """The folder as a repository with one commit; its id."""
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "x")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def allowed(settings, tmp_path):
    settings.OHB_PACKAGE_SOURCES = [f"file://{tmp_path}"]


def faults_from(source, **options):
    with pytest.raises(PackageError) as caught, package_from(source, **options):
        pass
    return [str(fault) for fault in caught.value.faults]


def zipped(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("top", ["", "package"])
def test_a_zipped_package_is_the_same_package(package, tmp_path, top):
    (package / "tasks/alpha/base/run.sh").write_text("#!/bin/sh\n")
    (package / "tasks/alpha/base/run.sh").chmod(0o755)
    folder = tmp_path / "outer"
    shutil.copytree(package, folder / top, dirs_exist_ok=True)
    archive = shutil.make_archive(str(tmp_path / "zipped"), "zip", folder)

    with package_from(archive) as found:
        assert read_package(found).digest == read_package(package).digest


@pytest.mark.parametrize(
    ("name", "saw"),
    [
        ("../evil", "a name that leads out of the package"),
        ("/etc/passwd", "a name that leads out of the package"),
        ("a//b", "a name that leads out of the package"),
        ("a\\b", "a name that leads out of the package"),
        ("SNAPSHOT.json", "the same name twice"),
    ],
)
def test_a_hostile_name_in_a_zip_is_refused(tmp_path, name, saw):
    path = zipped(tmp_path / "x.zip", {"snapshot.json": "{}", name: "x"})

    (line,) = faults_from(str(path))

    assert saw in line


def test_links_in_a_zip_are_refused(tmp_path):
    link = zipfile.ZipInfo("base/link")
    link.external_attr = 0o120777 << 16
    path = zipped(tmp_path / "x.zip", {link: "/etc/passwd"})

    assert "a link or a special file" in faults_from(str(path))[0]


def test_a_zip_that_unpacks_to_too_much_is_refused(tmp_path, settings):
    settings.PACKAGE_LIMIT_BYTES = 1000
    settings.PACKAGE_FILE_COUNT_LIMIT = 1
    path = zipped(tmp_path / "x.zip", {"a": "x" * 1000, "b": "y"})

    lines = faults_from(str(path))

    assert any("1001 bytes unpacked" in line for line in lines)
    assert any("2 files" in line for line in lines)


def test_a_zip_whose_sizes_lie_is_refused(tmp_path):
    path = zipped(tmp_path / "x.zip", {"a": "x" * 1000})
    data = path.read_bytes()
    path.write_bytes(data.replace((1000).to_bytes(4, "little"), b"\x0a\0\0\0"))

    assert "a file that cannot be unpacked" in faults_from(str(path))[0]


def test_no_zip_at_all_is_refused(tmp_path):
    (tmp_path / "x.zip").write_text("no zip")

    assert "cannot be unpacked" in faults_from(str(tmp_path / "x.zip"))[0]


@pytest.mark.django_db
def test_a_commit_of_an_allowed_repository_is_imported(package, tmp_path, allowed):
    commit = committed(package)
    url = f"file://{package}"

    call_command("import_snapshot", url, commit=commit, verbosity=0)

    shutil.rmtree(package / ".git")
    digest = EvaluationSnapshot.objects.get().task_set_digest
    assert digest == read_package(package).task_set_digest


@pytest.fixture
def served(package, tmp_path, settings, monkeypatch):
    """The address of an HTTPS server with the package, and its only commit.

    Its certificate is one that git trusts, as those of the system are.
    """
    certificate = write_certificate(tmp_path / "server.pem", "localhost")
    known = gitfetch._environment()
    known["GIT_SSL_CAINFO"] = str(certificate)
    monkeypatch.setattr(gitfetch, "_environment", lambda: known)
    commit = committed(package)
    with serving(tmp_path, certificate) as address:
        settings.OHB_PACKAGE_SOURCES = [address]
        yield address, commit


def test_a_commit_is_fetched_over_https(package, served):
    address, commit = served
    shutil.rmtree(package / "tasks")

    with package_from(f"{address}/package", commit=commit) as found:
        assert (found / "tasks" / "alpha" / "task.json").is_file()
        assert not (found / ".git").exists()


def test_redirects_and_unknown_certificates_are_refused(served):
    address, commit = served
    (line,) = faults_from(f"{address}/moved/package", commit=commit)
    assert "301" in line

    del gitfetch._environment()["GIT_SSL_CAINFO"]
    (line,) = faults_from(f"{address}/package", commit=commit)
    assert "certificate" in line


@pytest.mark.parametrize("commit", ["", "main", "abc123", "HEAD"])
def test_only_a_whole_commit_is_fetched(package, allowed, commit):
    (line,) = faults_from(f"file://{package}", commit=commit)

    assert "Give the whole id" in line


@pytest.mark.parametrize(
    "source",
    [
        "https://elsewhere.example.org/x.git",
        "https://git.example.org.evil.example/x.git",
        "https://user@git.example.org/x.git",
        "https://git.example.org/../x.git",
        "https://git.example.org/%2e%2e/x.git",
        "https://git.example.org/x.git?a=b",
        "ssh://git.example.org/x.git",
        "ext::sh -c true://git.example.org/",
    ],
)
def test_an_address_that_is_not_allowed_is_not_asked(settings, source):
    settings.OHB_PACKAGE_SOURCES = ["https://git.example.org"]

    (line,) = faults_from(source, commit="0" * 40)

    assert "the operator does not allow this address" in line


def test_nothing_is_fetched_unless_the_operator_says_so(package):
    assert django_settings.OHB_PACKAGE_SOURCES == []
    (line,) = faults_from(f"file://{package}", commit="0" * 40)

    assert "Allowed in OHB_PACKAGE_SOURCES: none" in line


def test_links_and_submodules_of_a_repository_are_refused(package, allowed):
    (package / "link").symlink_to("/etc/passwd")
    commit = committed(package)

    (line,) = faults_from(f"file://{package}", commit=commit)

    assert "link is a symbolic link" in line


def test_a_repository_that_is_too_large_is_refused(package, allowed, settings):
    commit = committed(package)
    settings.PACKAGE_FILE_COUNT_LIMIT = 3

    (line,) = faults_from(f"file://{package}", commit=commit)

    assert "files are more than 3" in line


def test_attributes_and_filters_of_a_repository_have_no_say(package, allowed):
    text = package / "tasks" / "alpha" / "base" / "entry" / "a.ets"
    text.write_bytes(b"one\r\n$Id$\n")
    (text.parent / ".gitattributes").write_text("*.ets ident export-ignore\n")
    commit = committed(package)

    with package_from(f"file://{package}", commit=commit) as found:
        copied = found / "tasks" / "alpha" / "base" / "entry" / "a.ets"
        assert copied.read_bytes() == text.read_bytes()


@pytest.fixture
def project(tmp_path):
    """A repository with a project in a folder of it; its commit."""
    folder = tmp_path / "apps"
    (folder / "code" / "app" / "entry").mkdir(parents=True)
    (folder / "code" / "app" / "entry" / "a.ets").write_text("one\n")
    return folder, committed(folder)


def name_base(package, project, **changes):
    """Put base.json into the place of base/."""
    folder, commit = project
    task = package / "tasks" / "alpha"
    shutil.rmtree(task / "base", ignore_errors=True)
    facts = {
        "url": f"file://{folder}",
        "commit": commit,
        "sha256": tree_digest(folder / "code" / "app"),
        "folder": "code/app",
    }
    (task / "base.json").write_text(json.dumps({**facts, **changes}))


@pytest.mark.django_db
def test_a_named_base_is_fetched_once_and_exported_as_it_was(
    package, project, tmp_path, allowed, settings
):
    name_base(package, project)

    snapshot = import_package(package).snapshot
    settings.OHB_PACKAGE_SOURCES = []
    assert not import_package(package).changed
    export_package(snapshot, tmp_path / "out")

    base = base_folder(snapshot.tasks.get())
    assert (base / "entry" / "a.ets").read_text() == "one\n"
    assert tree_digest(tmp_path / "out") == tree_digest(package)


@pytest.mark.parametrize(
    ("changes", "saw"),
    [
        ({"sha256": "0" * 64}, "but the project at that commit has"),
        ({"folder": "code/other"}, "cannot be fetched"),
        ({"commit": "1" * 40}, "cannot be fetched"),
        ({"url": "https://elsewhere.example.org/x.git"}, "does not allow"),
    ],
)
def test_a_named_base_that_is_not_so_is_a_fault(
    package, project, allowed, changes, saw
):
    name_base(package, project, **changes)

    with pytest.raises(PackageError) as caught:
        read_package(package)

    (fault,) = caught.value.faults
    assert fault.file == "tasks/alpha/base.json"
    assert saw in str(fault)


def test_a_base_that_is_there_twice_is_a_fault(package, project, allowed):
    name_base(package, project)
    (package / "tasks/alpha/base").mkdir()
    (package / "tasks/alpha/base/a.ets").write_text("one\n")

    with pytest.raises(PackageError, match="a folder base/ beside it"):
        read_package(package)


def test_the_command_tells_what_is_wrong_with_a_source(tmp_path):
    with pytest.raises(CommandError, match="no such folder"):
        call_command("import_snapshot", str(tmp_path / "none"))


def test_the_digest_of_a_folder_is_printed(package, capsys):
    call_command("tree_digest", str(package / "tasks" / "alpha"))

    printed = capsys.readouterr().out.strip()
    assert printed == read_package(package).tasks[0].digest
