"""Strict JSON: what is refused, where the finding points, and that nothing crashes."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.findings import Code
from submissions.strict_json import StrictJsonError, loads


def refusal(text: str | bytes, **options):
    data = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
    with pytest.raises(StrictJsonError) as caught:
        loads(data, where="file.json", **options)
    return caught.value.findings


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ('{"a": 1, "a": 2}', Code.JSON_DUPLICATE_KEY, "file.json:1:10: a"),
        ('{"a": NaN}', Code.JSON_NUMBER, "file.json:1:7: a"),
        ('{"a": [0, Infinity]}', Code.JSON_NUMBER, "file.json:1:11: a[1]"),
        ("-Infinity", Code.JSON_NUMBER, "file.json:1:1"),
        ("1e999", Code.JSON_NUMBER, "file.json:1:1"),
        ("-1e999", Code.JSON_NUMBER, "file.json:1:1"),
        ("9007199254740993", Code.JSON_NUMBER, "file.json:1:1"),
        ("9" * 6000, Code.JSON_NUMBER, "file.json:1:1"),
        ('{\n  "a": "x\\u0000"}', Code.JSON_STRING, "file.json:2:8: a"),
        ('["\\ud800"]', Code.JSON_STRING, "file.json:1:2: [0]"),
        ('["\\udc00\\ud800"]', Code.JSON_STRING, "file.json:1:2: [0]"),
        ('["a\nb"]', Code.JSON_SYNTAX, "file.json:1:4: [0]"),
        ('["a\0b"]', Code.JSON_SYNTAX, "file.json:1:4: [0]"),
        ('["\\x41"]', Code.JSON_SYNTAX, "file.json:1:3: [0]"),
        ('["open', Code.JSON_SYNTAX, "file.json:1:2: [0]"),
        ("", Code.JSON_SYNTAX, "file.json:1:1"),
        ("{} {}", Code.JSON_SYNTAX, "file.json:1:4"),
        ("[1,]", Code.JSON_SYNTAX, "file.json:1:4: [1]"),
        ('{"a": 1,}', Code.JSON_SYNTAX, "file.json:1:9"),
        ('{"a" 1}', Code.JSON_SYNTAX, "file.json:1:6: a"),
        ("{a: 1}", Code.JSON_SYNTAX, "file.json:1:2"),
        ("[1 2]", Code.JSON_SYNTAX, "file.json:1:4"),
        ("01", Code.JSON_SYNTAX, "file.json:1:1"),
        ("+1", Code.JSON_SYNTAX, "file.json:1:1"),
        (".5", Code.JSON_SYNTAX, "file.json:1:1"),
        ("1.", Code.JSON_SYNTAX, "file.json:1:1"),
        ("0x10", Code.JSON_SYNTAX, "file.json:1:1"),
        ("True", Code.JSON_SYNTAX, "file.json:1:1"),
        ("\u00a01", Code.JSON_SYNTAX, "file.json:1:1"),
        (b"\xef\xbb\xbf{}", Code.JSON_ENCODING, "file.json:1:1"),
        (b'{\n"a": "\xff"}', Code.JSON_ENCODING, "file.json:2:7"),
        (b'"\xed\xa0\x80"', Code.JSON_ENCODING, "file.json:1:2"),
    ],
)
def test_each_liberty_is_refused_at_its_place(text, code, place):
    (finding,) = refusal(text)

    assert (finding.code, finding.where) == (code, place)


def test_wrong_values_are_told_all_at_once():
    findings = refusal('{"a": NaN, "b": "\\u0000", "b": 1e999}')

    assert [each.where for each in findings] == [
        "file.json:1:7: a",
        "file.json:1:17: b",
        "file.json:1:27: b",
        "file.json:1:32: b",
    ]


def test_twenty_levels_are_read_and_the_next_one_is_refused():
    assert loads(b"[" * 20 + b"]" * 20, where="f") is not None

    (finding,) = refusal("[" * 21 + "]" * 21)
    assert finding.code == Code.JSON_DEPTH


def test_extreme_nesting_is_refused_without_recursion():
    (finding,) = refusal('{"a":' * 200_000)

    assert finding.code == Code.JSON_DEPTH


def test_a_file_over_the_limit_is_not_read():
    (finding,) = refusal(" " * 101, limit_bytes=100)

    assert (finding.code, finding.saw) == (Code.JSON_TOO_LARGE, "101 bytes")


def test_a_flood_of_faults_ends_the_reading():
    assert len(refusal("[" + "NaN," * 100_000 + "1]")) == 25


def test_control_characters_of_a_key_do_not_reach_the_report():
    (finding,) = refusal('{"\\u202e\\u001b[2J": NaN}')

    assert finding.where == r"file.json:1:21: \u202e\x1b[2J"


def test_the_largest_exact_integer_is_read():
    assert loads(b"[9007199254740992, -9007199254740992]", where="f") == [
        2**53,
        -(2**53),
    ]


def test_digits_of_fractions_can_be_kept():
    value = loads(b"[1.10, 1e2, 3]", where="f", parse_float=Decimal)

    assert [str(each) for each in value] == ["1.10", "1E+2", "3"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values, st.booleans())
def test_every_sound_value_is_read_as_the_standard_library_reads_it(value, ascii_only):
    data = json.dumps(value, ensure_ascii=ascii_only).encode()

    assert loads(data, where="f") == value


@given(
    st.binary(max_size=60)
    | st.text('{}[]":,0123456789.eE+-truefalsn\\u \n', max_size=60).map(str.encode)
)
def test_any_bytes_are_read_or_refused_with_findings(data):
    try:
        value = loads(data, where="f")
    except StrictJsonError as error:
        assert error.findings
    else:
        assert value == json.loads(data)
