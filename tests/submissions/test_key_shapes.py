"""Keys left in an upload are found; ordinary text is not mistaken for one.

The samples are put together here, so that the repository holds nothing key-shaped.
"""

from __future__ import annotations

import time

import pytest

from submissions import key_shapes
from submissions.key_shapes import find_keys

DIGITS_AND_LETTERS = "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1cD3eF5"
KEYS = {
    "model provider key": "sk-" + DIGITS_AND_LETTERS,
    "AWS access key": "AKIA" + "ABCDEFGH12345678",
    "Google API key": "AIza" + DIGITS_AND_LETTERS[:35],
    "GitHub token": "ghp_" + DIGITS_AND_LETTERS,
    "GitLab token": "glpat-" + DIGITS_AND_LETTERS[:20],
    "Hugging Face token": "hf_" + DIGITS_AND_LETTERS[:34],
    "npm token": "npm_" + DIGITS_AND_LETTERS,
    "Slack token": "xoxb-" + "123456789012-" + DIGITS_AND_LETTERS[:24],
    "Alibaba Cloud key": "LTAI" + DIGITS_AND_LETTERS[:20],
    "private key": "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
}


@pytest.fixture
def keys_in(tmp_path):
    def find(data: bytes):
        path = tmp_path / "file"
        path.write_bytes(data)
        return find_keys(path)

    return find


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_found_on_its_line_and_shown_masked(kind, keys_in):
    text = f"first line\n+  token: '{KEYS[kind]}',\nlast line\n"

    (found,) = keys_in(text.encode())

    assert (found.kind, found.line) == (kind, 2)
    assert found.masked == KEYS[kind][:6] + "…"


@pytest.mark.parametrize("prefix", ["sk-proj-", "sk-ant-api03-", "sk-or-v1-"])
def test_keys_of_model_providers_may_have_words_in_front(prefix, keys_in):
    assert keys_in(f"KEY={prefix}{DIGITS_AND_LETTERS}".encode())


@pytest.mark.parametrize(
    "text",
    [
        "task-gallery-text-entry-0123456789-abcdefghijklmnop",
        "class sk-circle-fade-dot-with-a-long-name-2",
        "sk-learn-based-classifier-of-many-words",
        "AKIA is a prefix",
        "index 3f29fb6c209bef83..8f831749dccfae01 100644",
        "my_hf_" + "a" * 40,
        "-----BEGIN CERTIFICATE-----",
        "ghp_short",
    ],
)
def test_ordinary_text_is_no_key(text, keys_in):
    assert keys_in(text.encode()) == []


@pytest.mark.parametrize("offset", [-600, -513, -512, -511, -100, -40, -1, 0, 1, 100])
def test_a_key_across_the_pieces_of_a_long_file_is_found_once(
    offset, keys_in, monkeypatch
):
    monkeypatch.setattr(key_shapes, "_WINDOW_BYTES", 4096)
    before = b"line of a log\n" * 700
    before = before[: 2 * 4096 + offset - 1] + b"\n"

    (found,) = keys_in(before + KEYS["GitHub token"].encode() + b"\n" + before)

    assert found.line == before.count(b"\n") + 1


def test_a_part_of_a_word_across_the_pieces_is_still_no_key(keys_in, monkeypatch):
    monkeypatch.setattr(key_shapes, "_WINDOW_BYTES", 4096)
    for shift in range(20):
        before = b"x" * (4096 - 512 - 10 + shift)
        assert keys_in(before + KEYS["GitHub token"].encode() + b"\n" * 9000) == []


def test_only_the_first_few_of_a_file_are_told(keys_in):
    assert len(keys_in((KEYS["GitHub token"] + "\n").encode() * 100)) == 5


@pytest.mark.parametrize("unit", [b"sk-", b"sk-a1 ", b"ghp_", b"-----BEGIN "])
def test_text_made_of_beginnings_is_searched_in_linear_time(unit, keys_in):
    begin = time.process_time()

    keys_in(unit * (16 * 1024 * 1024 // len(unit)))

    assert time.process_time() - begin < 10
