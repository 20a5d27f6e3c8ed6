"""What a finding shows of a value: short, masked, and always JSON."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.redaction import MASK
from skillproto.validation.shown import listed, phrase, short_text, shown

KEY = "sk-live-abcdefghijklmnop123456"


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "plugin", [], {}, ["a", 1], {"a": {"b": [None]}}], ids=repr)
def test_a_small_value_is_shown_as_it_is(value: Any) -> None:
    assert shown(value) == value
    assert type(shown(value)) is type(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (["a"] * 1000, "array of 1000 items"),
        ([["a" * 100]], "array of 1 item"),
        ({str(i): i for i in range(50)}, "object of 50 members"),
        ("x" * 200, "x" * 120 + "... (200 characters)"),
        (10**5000, "an integer of about 5001 digits"),
        (math.inf, "inf"),
        (("a",), "a Python tuple"),
        (b"x", "a Python bytes"),
        ("a\ud800b", "a\\ud800b"),
    ],
    ids=range(9),
)
def test_what_is_large_or_no_json_is_told_in_a_few_words(value: Any, expected: str) -> None:
    assert shown(value) == expected


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        ("hunter2", "password", MASK),
        (12345, "api_key", MASK),
        (True, "token", True),
        (f"use {KEY}", "note", f"use {MASK}"),
        ({"client_secret": "x"}, "", {"client_secret": MASK}),
        ([f"Bearer {KEY}"], "", [MASK]),
        ("https://ann:pw@example.com/", "url", f"https://{MASK}@example.com/"),
        ("x" * 110 + " " + KEY, "", f"{'x' * 110} {MASK}"[:120] + "... (141 characters)"),
    ],
    ids=range(8),
)
def test_what_is_secret_is_masked_before_it_is_cut(value: Any, name: str, expected: Any) -> None:
    assert shown(value, name) == expected
    assert "sk-live" not in json.dumps(shown(value, name))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=30,
)


@given(JSON)
def test_any_value_is_shown_in_little_json(value: Any) -> None:
    assert len(json.dumps(shown(value), allow_nan=False).encode()) < 8000
    assert "\n" not in phrase(value) or isinstance(value, str)


def test_a_list_of_choices_is_cut() -> None:
    assert listed(range(12)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11"
    assert listed(range(13)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more"


def test_a_huge_text_is_shown_at_once() -> None:
    assert short_text("a" * 10_000_000).endswith("... (10000000 characters)")
