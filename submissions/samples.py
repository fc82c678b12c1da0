"""The sample bundles of the repository, known by their content."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from django.conf import settings

from submissions.archive import MANIFEST
from submissions.formats.bundle import content_digest


def is_sample(content_sha256: str) -> bool:
    """Whether a bundle is, file by file, one that this project ships."""
    return content_sha256 in sample_digests(settings.BASE_DIR / "fixtures" / "bundles")


@cache
def sample_digests(folder: Path) -> frozenset[str]:
    """Content digests of the bundles below ``folder``; read once per process."""
    manifests = folder.glob(f"*/{MANIFEST}")
    return frozenset(_folder_digest(manifest.parent) for manifest in manifests)


def _folder_digest(bundle: Path) -> str:
    return content_digest(
        (
            path.relative_to(bundle).as_posix(),
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in bundle.rglob("*")
        if path.is_file()
    )
