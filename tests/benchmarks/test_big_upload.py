"""The trial of a large upload, with a bundle small enough for every day."""

from __future__ import annotations

import sys

import pytest

from tests.benchmarks.big_upload import trial

CEILING_MIB = 300


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_upload_killed_twice_ends_in_the_same_digest_and_little_memory(tmp_path):
    found = trial(64, tmp_path)

    assert found.stored_sha256 == found.sent_sha256
    assert set(found.killed_at) == {"sender", "server"}
    # No more than the part that was on its way is sent again.
    assert found.sent_twice_mib <= 8
    assert found.peak_web_mib < CEILING_MIB
    # Were the body held in memory, it would show.
    assert found.peak_web_mib - found.idle_web_mib < 40
