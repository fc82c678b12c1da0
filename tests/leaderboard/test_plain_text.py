"""Untrusted text on pages: nothing hidden, nothing that moves the cursor, capped."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.plain_text import MAX_BYTES, text_page, visible
from leaderboard.statement import statement_html


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[1;31mERROR\x1b[0m", "ERROR"),
        ("\x1b]0;a title\x07text", "text"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[2Kdone\r", "done⟦U+000D⟧"),
        ("a\u202eb\u2066c", "a⟦U+202E⟧b⟦U+2066⟧c"),
        ("zero\u200bwidth", "zero⟦U+200B⟧width"),
        ("tab\tstays", "tab\tstays"),
        ("中文 and é", "中文 and é"),
    ],
)
def test_hidden_characters_are_named_and_escapes_taken_out(raw, shown):
    assert visible(raw) == shown


@given(st.text(max_size=200))
def test_no_hidden_character_survives(text):
    kinds = {unicodedata.category(each) for each in visible(text) if each != "\t"}

    assert not kinds & {"Cc", "Cf", "Zl", "Zp", "Co", "Cs"}


def page_of(content: bytes, number: int = 1, **options: int):
    return text_page(io.BytesIO(content), number, **options)


def test_a_long_text_comes_in_pages_that_know_their_lines():
    content = b"".join(b"line %d\n" % number for number in range(1, 4_502))
    first, third = page_of(content), page_of(content, 3)

    assert (first.first, len(first.lines), first.lines[0]) == (1, 2_000, "line 1")
    assert (third.first, third.lines[0], third.lines[-1]) == (
        4_001,
        "line 4001",
        "line 4501",
    )
    assert {(each.line_count, each.page_count) for each in (first, third)} == {
        (4_501, 3)
    }
    assert page_of(content, 4).lines == ()


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_a_full_page_is_one_page_however_its_last_line_ends(end):
    found = page_of(b"\n".join([b"line"] * 2_000) + end)

    assert (found.line_count, found.page_count, found.lines[-1]) == (2_000, 1, "line")


@given(
    st.lists(st.text(alphabet="ab\té中", max_size=9), max_size=30),
    st.integers(1, 7),
)
def test_the_pages_together_are_the_whole_text(lines, size):
    content = "".join(f"{line}\n" for line in lines).encode()
    count = page_of(content, size=size).page_count

    pages = [page_of(content, place + 1, size=size) for place in range(count)]

    assert [line for page in pages for line in page.lines] == lines
    assert {page.line_count for page in pages} == {len(lines)}


def test_long_lines_are_cut_and_the_next_one_is_whole():
    found = page_of("中".encode() * 2_001 + b"\nnext\n")

    assert [len(line) for line in found.lines] == [2_000, 4]
    assert found.columns_cut
    assert not page_of("中".encode() * 2_000).columns_cut
    # More than a chunk of the file in one line.
    assert page_of(b"x" * 200_000 + b"\nnext").lines[1] == "next"


def test_a_huge_file_is_not_read_to_its_end():
    class Endless(io.RawIOBase):
        taken = 0

        def read(self, size=-1):
            self.taken += size
            return b"y" * size

    source = Endless()

    assert text_page(source, 1).bytes_cut
    assert source.taken == MAX_BYTES + 1


def test_bytes_that_are_not_text_do_not_break_the_page():
    assert page_of(b"\xff\xfe\x00ok").lines == ("\ufffd\ufffd⟦U+0000⟧ok",)


def test_an_empty_file_has_no_lines():
    found = page_of(b"")

    assert (found.lines, found.line_count, found.page_count) == ((), 0, 1)


def test_a_statement_keeps_its_blocks_and_escapes_everything():
    html = statement_html(
        "# Title\n\nFirst `a<b` and **bold**\nsame paragraph.\n\n"
        "1. one\n2. two\n   goes on\n\n```\n<code> & more\n```\n<img onerror=x>"
    )

    assert html == (
        "<h3>Title</h3>\n"
        "<p>First <code>a&lt;b</code> and <strong>bold</strong> same paragraph.</p>\n"
        "<ol><li>one</li><li>two goes on</li></ol>\n"
        "<pre><code>&lt;code&gt; &amp; more</code></pre>\n"
        "<p>&lt;img onerror=x&gt;</p>"
    )


@given(st.text(alphabet="<>&\"'`*#- 1.\nab", max_size=120))
def test_no_statement_can_bring_markup_of_its_own(text):
    html = statement_html(text)

    for tag in ("a", "b"):
        assert f"<{tag}" not in html
    assert html.count("<p>") == html.count("</p>")
