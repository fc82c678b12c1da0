"""The JSON5 reader: what hvigor reads, and errors that say where."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.patches import json5


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ("[1, 2,]", [1, 2]),
        ("{a: 1, 'b': 2, \"c\": 3,}", {"a": 1, "b": 2, "c": 3}),
        ("// first\n{/* second */ $a_1: /**/ true}", {"$a_1": True}),
        ("'it\\'s \\\n fine\\n'", "it's  fine\n"),
        (r'"\x41é\q\0"', "Aéq\0"),
        ("[0x10, -0xF, +1, .5, 5., 1e3]", [16, -15, 1, 0.5, 5.0, 1000.0]),
        ("[Infinity, -Infinity]", [math.inf, -math.inf]),
        ("null", None),
        ("\ufeff{名: 'é'}", {"名": "é"}),
        ("{a: 1, a: 2}", {"a": 2}),
        ("'http://a/b' // after", "http://a/b"),
    ],
)
def test_a_value_is_read(text, value):
    assert json5.parse(text) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: a value or a name is missing"),
        ("{a: 1\n b: 2}", "line 2: a comma or a closing brace"),
        ("[1 2]", "a comma or a closing bracket"),
        ("{a 1}", "a colon is missing"),
        ("'open", "a string does not end"),
        ("'open\n'", "a string does not end"),
        ("'\\u12'", "a broken"),
        ("{} {}", "something after the end"),
        ("undefined", "unexpected 'undefined'"),
        ("/* open", "a value or a name is missing"),
        ("[" * 60 + "]" * 60, "nested deeper than 50"),
        ("{,}", "a value or a name is missing"),
    ],
)
def test_an_error_says_where_and_what(text, said):
    with pytest.raises(ValueError, match=said):
        json5.parse(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=20,
    )
)
def test_every_json_text_is_read_as_json_reads_it(value):
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only, indent=1)
        assert json5.parse(text) == json.loads(text)


@given(st.text(alphabet="{}[]:,'\"\\/*a1 \n-.xe"))
def test_no_text_breaks_the_reader(text):
    try:
        json5.parse(text)
    except ValueError as error:
        assert "line" in str(error)
