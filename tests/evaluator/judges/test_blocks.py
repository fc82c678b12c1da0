"""The judge that every evaluation has, on pictures made for the purpose."""

from __future__ import annotations

import struct
import time
import zlib
from fractions import Fraction
from pathlib import Path

import pytest

from evaluator.judges.base import MOST_PICTURE_BYTES, Judgement, Pair, Region
from evaluator.judges.blocks import BlockJudge
from evaluator.sandbox import open_sandbox

WIDTH, HEIGHT = 320, 640


def chunk(tag: bytes, data: bytes) -> bytes:
    check = zlib.crc32(tag + data)
    return struct.pack("!I", len(data)) + tag + data + struct.pack("!I", check)


def png(*boxes: tuple[int, int, int, int], width=WIDTH, height=HEIGHT, ink=90) -> bytes:
    """A gray picture with a darker box for each of left, top, right, bottom."""
    rows = [bytearray(b"\xf0" * width) for _ in range(height)]
    for left, top, right, bottom in boxes:
        for y in range(top, bottom):
            rows[y][left:right] = bytes([ink]) * (right - left)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            chunk(b"IHDR", struct.pack("!IIBBBBB", width, height, 8, 0, 0, 0, 0)),
            chunk(b"IDAT", zlib.compress(b"".join(b"\0" + row for row in rows), 1)),
            chunk(b"IEND", b""),
        )
    )


CARD, BUTTON = (20, 60, 300, 180), (20, 560, 140, 610)
SCREEN = png(CARD, BUTTON)


@pytest.fixture
def judged(tmp_path: Path, settings):
    judge = BlockJudge(Path(settings.OHB_HYPIUM_PYTHON), open_sandbox("auto"))

    def ask(picture: bytes, *ignored: Region, reference: bytes = SCREEN) -> Judgement:
        scratch = tmp_path / str(len(list(tmp_path.iterdir())))
        scratch.mkdir()
        pair = Pair(reference, picture, ignored)
        return judge.judge(pair, scratch=scratch, deadline=time.monotonic() + 600)

    return ask


@pytest.mark.hypium
def test_the_more_is_missing_the_lower_the_score(judged):
    shifted = png((22, 61, 302, 181), BUTTON)
    found = [judged(each) for each in (SCREEN, shifted, png(CARD), png())]
    scores = [each.millionths for each in found]

    assert scores[0] == 1_000_000
    assert scores == sorted(scores, reverse=True)
    assert scores[2] > 500_000 > scores[3]
    assert judged(png(CARD)) == found[2]
    x, y = found[2].detail["least_alike_px"]
    assert BUTTON[0] - 8 <= x <= BUTTON[2] and BUTTON[1] - 8 <= y <= BUTTON[3]
    assert judged(png(CARD), Region(*BUTTON)).score == Fraction(1)


@pytest.mark.hypium
@pytest.mark.parametrize(
    ("picture", "millionths", "reason"),
    [
        (b"\xff\xd8\xff no picture", 0, "picture is no picture that can be read"),
        (png(height=320), 0, "have not the form of 320 x 640"),
        # A bomb: few bytes, more pixels than are decoded.
        (png(width=5000, height=5000), 0, "picture is no picture that can be read"),
    ],
)
def test_what_an_app_shows_in_place_of_a_screen_has_nothing(
    judged, picture, millionths, reason
):
    found = judged(picture)

    assert found.millionths == millionths
    assert reason in found.reason


def test_what_is_our_trouble_is_no_score(tmp_path, settings):
    nowhere = BlockJudge(tmp_path / "python", open_sandbox("none"))
    pair = Pair(SCREEN, SCREEN)

    assert "is missing" in nowhere.judge(pair, scratch=tmp_path, deadline=0).reason
    large = Pair(SCREEN, b"0" * (MOST_PICTURE_BYTES + 1))
    found = nowhere.judge(large, scratch=tmp_path, deadline=0)
    assert (found.score, "bytes" in found.reason) == (None, True)


@pytest.mark.hypium
def test_a_broken_reference_is_our_trouble(judged):
    found = judged(SCREEN, reference=b"no picture")

    assert found.millionths is None
    assert "reference is no picture" in found.reason
