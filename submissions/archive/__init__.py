"""Reading uploaded archives without trusting anything in them.

Nothing is ever unpacked to a member's own path: a member's name is looked up in a
closed grammar and its bytes go to a spool folder under their SHA-256.
"""

from __future__ import annotations

from submissions.archive.folder import pack_folder
from submissions.archive.limits import ArchiveLimits
from submissions.archive.names import MANIFEST, MemberPlace, place_of
from submissions.archive.reader import ArchiveError, open_bundle
from submissions.archive.spool import Member

__all__ = [
    "MANIFEST",
    "ArchiveError",
    "ArchiveLimits",
    "Member",
    "MemberPlace",
    "open_bundle",
    "pack_folder",
    "place_of",
]
