"""Bringing prediction files and Harbor jobs from this machine into one upload.

They come as files, folders or archives under any name; inside they get the names of
the format, and findings speak of them by the names they came with.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from submissions.archive import ArchiveError, ArchiveLimits, Member, open_bundle
from submissions.archive.limits import CHUNK_BYTES
from submissions.archive.shapes import HARBOR_FILE, PREDICTIONS_FILE, Shape, readers_of
from submissions.archive.spool import Budget, MemberError, Spool, UnreadableError
from submissions.cli.errors import FindingsExit, told, usage_error
from submissions.findings import Findings

_RECORDS = ("result.json", "config.json", "lock.json")


@dataclass(slots=True)
class Gathered:
    """Members with the names of the format, and what the submitter calls them."""

    members: list[Member] = field(default_factory=list)
    shown_as: dict[str, str] = field(default_factory=dict)


def gather(shape: Shape, paths: Sequence[Path], *, spool: Path) -> Gathered:
    """Read the sources of a conversion into ``spool``."""
    findings = Findings()
    limits = ArchiveLimits()
    size = sum(path.stat().st_size for path in paths if path.is_file())
    budget = Budget(limits, archive_bytes=max(size, 1) * 10**6, findings=findings)
    gatherer = _Predictions if shape is Shape.PREDICTIONS else _Jobs
    try:
        with Spool(spool, budget=budget) as store:
            found = gatherer(store, findings)
            for path in paths:
                found.take(path)
    except UnreadableError:
        raise FindingsExit("Too much to read.", told(findings.all())) from None
    if findings.error_count:
        raise FindingsExit("The sources cannot be read.", told(findings.all()))
    return found.gathered


class _Gatherer:
    """What both formats share: reading files into the spool."""

    def __init__(self, store: Spool, findings: Findings) -> None:
        self.store = store
        self.findings = findings
        self.gathered = Gathered()

    def take(self, path: Path) -> None:
        raise NotImplementedError

    def add_file(self, name: str, path: Path) -> None:
        if not stat.S_ISREG(path.lstat().st_mode):
            raise usage_error(f"{path} is no regular file. Put the file in its place.")
        try:
            member = self.store.store(name, _chunks(path))
        except MemberError as error:
            self.findings.error(error.code, str(path), saw=error.saw, fix=error.fix)
            return
        self.gathered.members.append(member)

    def archived(self, path: Path) -> list[Member]:
        try:
            return open_bundle(path, spool=self.store.folder)
        except ArchiveError as error:
            raise FindingsExit(
                f"{path} cannot be read.", told(error.findings)
            ) from None


class _Predictions(_Gatherer):
    """Files in the order of the runs; a folder or archive brings its own numbers."""

    run = 0

    def take(self, path: Path) -> None:
        if path.is_dir():
            inside = sorted(each for each in path.rglob("*.json*") if each.is_file())
            named = [
                (match["run"], each)
                for each in inside
                if (match := PREDICTIONS_FILE.fullmatch(each.name))
            ]
            if not named:
                raise usage_error(f"{path} holds no run-1.jsonl or the like.")
            for run, each in named:
                self.add(int(run), each)
        elif path.suffix in {".json", ".jsonl"}:
            self.run += 1
            self.add(self.run, path)
        elif path.name.endswith((".zip", ".tar.gz", ".tgz")):
            found = [
                member
                for member in self.archived(path)
                if PREDICTIONS_FILE.fullmatch(member.name)
            ]
            if not found:
                raise usage_error(f"{path} holds no prediction files.")
            self.gathered.members += found
        else:
            raise usage_error(
                f"{path} is no prediction file: its name ends in neither .jsonl nor "
                ".json."
            )

    def add(self, run: int, path: Path) -> None:
        name = f"predictions/run-{run}{path.suffix}"
        self.gathered.shown_as[name] = str(path)
        self.add_file(name, path)


class _Jobs(_Gatherer):
    """Folders of jobs, folders that hold such folders, and archives of either."""

    count = 0

    def take(self, path: Path) -> None:
        if path.is_dir():
            jobs = [path] if _is_job(path) else sorted(filter(_is_job, path.iterdir()))
            if not jobs:
                raise usage_error(
                    f"{path} is no folder of a Harbor job: it holds no result.json, "
                    "config.json or lock.json, and no folder with them."
                )
            for job in jobs:
                name = self.next_name(str(job))
                for inside, file in _files_of(job, name):
                    self.add_file(inside, file)
            return
        renamed: dict[str, str] = {}
        for member in self.archived(path):
            match = HARBOR_FILE.fullmatch(member.name)
            if match is None:
                continue
            folder = match["job"]
            if folder not in renamed:
                renamed[folder] = self.next_name(f"{path}: {folder}")
            name = renamed[folder] + member.name.removeprefix(folder)
            self.gathered.members.append(replace(member, name=name))
        if not renamed:
            raise usage_error(f"{path} holds no Harbor job.")

    def next_name(self, shown: str) -> str:
        self.count += 1
        name = f"job-{self.count}"
        self.gathered.shown_as[name] = shown
        return name


def _is_job(path: Path) -> bool:
    return path.is_dir() and any((path / name).is_file() for name in _RECORDS)


def _files_of(job: Path, name: str) -> Iterator[tuple[str, Path]]:
    """What counts of a job: its records and those of its trials, links not followed."""
    for path in sorted(job.rglob("*")):
        inside = f"{name}/{path.relative_to(job).as_posix()}"
        with suppress(OSError):
            if Shape.HARBOR in readers_of(inside) and not path.is_dir():
                yield inside, path


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(CHUNK_BYTES):
            yield chunk
