import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.documents import Limits
from skillproto.documents.findings import has_surrogate
from skillproto.documents.json_scan import scan
from skillproto.documents.json_text import DoubtError, fast_value
from skillproto.violations import JSONValue
from tests.documents.reading import finding, only, place, rules
from tests.documents.values import damaged, values

JSON_TEXTS = st.builds(
    lambda value, ascii_only, indent: json.dumps(value, ensure_ascii=ascii_only, indent=indent),
    values,
    st.booleans(),
    st.sampled_from([None, 1]),
)
JSON_PIECES = "{}[]\",:\\ \t\r\n0123.eE+-truefalsnNaI/'\x00u\u2028é😀"


def by_the_standard_library(text: str) -> JSONValue:
    """Read a text as strictly as the standard library can be told to."""

    def whole(pairs: list[tuple[str, JSONValue]]) -> dict[str, JSONValue]:
        if any(has_surrogate(key) for key, _ in pairs):
            raise ValueError("surrogate")
        return dict(pairs)

    def number(digits: str) -> float:
        if float(digits) - float(digits) != 0:
            raise ValueError(digits)
        return float(digits)

    def constant(name: str) -> JSONValue:
        raise ValueError(name)

    value = json.loads(text, object_pairs_hook=whole, parse_float=number, parse_constant=constant)
    if has_surrogate(json.dumps(value, ensure_ascii=False)):
        raise ValueError("surrogate")
    return value


@given(JSON_TEXTS)
def test_what_json_dumps_writes_reads_back_equal(text: str) -> None:
    document = only(text, "json")

    assert document.readable
    assert document.violations == ()
    assert document.value == json.loads(text)
    assert repr(document.value) == repr(json.loads(text))


@given(damaged(JSON_TEXTS, JSON_PIECES))
def test_the_scanner_accepts_exactly_what_the_standard_library_does(text: str) -> None:
    result = scan(text, Limits())
    try:
        expected = by_the_standard_library(text)
    except ValueError:
        assert result.faults.fatal
        assert result.faults.kept
    else:
        assert not result.faults.fatal
        assert repr(result.value) == repr(expected)


@given(damaged(JSON_TEXTS, JSON_PIECES))
def test_the_fast_reader_accepts_only_what_the_scanner_finds_faultless(text: str) -> None:
    try:
        value = fast_value(text, Limits())
    except DoubtError:
        return
    result = scan(text, Limits())
    assert result.faults.kept == []
    assert repr(result.value) == repr(value)


@pytest.mark.parametrize(
    ("text", "rule", "column"),
    [
        ("[NaN]", "non-finite-number", 2),
        ("[Infinity]", "non-finite-number", 2),
        ("[-Infinity]", "non-finite-number", 2),
        ("[1e400]", "non-finite-number", 2),
        ("[-1e400]", "non-finite-number", 2),
        ("[" + "9" * 400 + ".5]", "non-finite-number", 2),
        ("[" + "9" * 5000 + "]", "number-out-of-range", 2),
        ("[-" + "9" * 309 + "]", "number-out-of-range", 2),
        ("[" * 100_000, "too-deep", 101),
        ("[" * 100_000 + "]" * 100_000, "too-deep", 101),
        ('{"a":' * 100_000, "too-deep", 501),
        (r'["\ud800"]', "lone-surrogate", 2),
        (r'["\udc00"]', "lone-surrogate", 2),
        (r'["\udc00\ud800"]', "lone-surrogate", 2),
        (r'["\\ud83d\ude00"]', "lone-surrogate", 2),
        (r'{"\ud800": 1}', "lone-surrogate", 2),
    ],
    ids=lambda value: str(value)[:24],
)
def test_one_clean_finding_in_under_a_second(text: str, rule: str, column: int) -> None:
    began = time.perf_counter()
    document = only(text, "json")
    seconds = time.perf_counter() - began

    assert rules(document) == [rule]
    assert place(document.violations[0]) == (1, column)
    assert not document.readable
    assert document.value is None
    assert len(repr(document.violations)) < 1000
    assert seconds < 1


@pytest.mark.parametrize(
    "text",
    [
        '"\\ud83d\\ude00"',
        '"\\\\ud800"',
        '"\\\\\\\\ud83d"',
        '["a", 1e308, -0.0, 5e-324]',
        "9" * 308,
        "\r\n[1]\r",
        "[" * 100 + "]" * 100,
    ],
    ids=[
        "pair",
        "escaped-backslash",
        "two-backslashes",
        "extreme-floats",
        "308-digits",
        "carriage-returns",
        "100-deep",
    ],
)
def test_what_is_only_near_a_limit_is_fine(text: str) -> None:
    document = only(text, "json")

    assert document.violations == ()
    assert document.readable


def test_both_places_of_a_name_that_stands_twice_are_given() -> None:
    violation = finding('{"id": 1,\n "b": {"id": 2},\n "id": 3}', "json")

    assert (violation.rule, violation.field) == ("document/duplicate-key", "/id")
    assert place(violation) == (3, 2)
    assert violation.message.endswith("the first is at line 1, column 2")
    assert violation.details == {"related_line": 1, "related_column": 2}


def test_names_that_only_differ_in_their_spelling_are_the_same_name() -> None:
    document = only('{"a/b": 1, "\\u0061/b": 2}', "json")

    assert rules(document) == ["duplicate-key"]
    assert document.violations[0].field == "/a~1b"


def test_a_name_that_stands_twice_leaves_the_last_value_to_be_checked() -> None:
    document = only('{"a": 1, "a": 2}', "json")

    assert document.readable
    assert document.value == {"a": 2}


def test_every_fault_that_can_be_read_over_is_found_in_one_pass() -> None:
    document = only('{"a": NaN, "b": [1e999, "\\ud800"], "a": 1, "c": ' + "1" * 400 + "}", "json")

    assert [(v.field, v.rule.removeprefix("document/")) for v in document.violations] == [
        ("/a", "non-finite-number"),
        ("/b/0", "non-finite-number"),
        ("/b/1", "lone-surrogate"),
        ("/a", "duplicate-key"),
        ("/c", "number-out-of-range"),
    ]


def test_a_deep_caller_reads_what_a_shallow_one_does() -> None:
    text = "[" * 90 + "]" * 90

    def deeper(levels: int) -> bool:
        return deeper(levels - 1) if levels else only(text, "json").readable

    assert deeper(850)


@pytest.mark.parametrize(
    ("text", "limits", "rule"),
    [
        ("[1, 2, 3]", {"max_nodes": 3}, "too-large"),
        ("[1, 2, 3]", {"max_bytes": 8}, "too-large"),
        ("[[[1]]]", {"max_depth": 2}, "too-deep"),
        ('{"a": {"b": 1}}', {"max_depth": 1}, "too-deep"),
        ("[1234]", {"max_digits": 3}, "number-out-of-range"),
    ],
    ids=["nodes", "bytes", "arrays", "objects", "digits"],
)
def test_a_limit_of_ones_own_is_kept(text: str, limits: dict[str, int], rule: str) -> None:
    assert rules(only(text, "json", **limits)) == [rule]


def test_a_text_exactly_at_its_limits_is_fine() -> None:
    assert only("[[1], [2]]", "json", max_nodes=5, max_depth=2, max_bytes=10).readable


def test_names_are_not_counted_as_values() -> None:
    assert only('{"a": 1, "b": 2}', "json", max_nodes=3).readable


def test_findings_beyond_the_limit_are_counted_only() -> None:
    document = only("[" + "NaN, " * 250 + "1]", "json")

    assert len(document.violations) == 100
    assert document.violations[-1].details == {"left_out": 150}
    assert document.violations[-1].hint is not None
    assert "150 more findings" in document.violations[-1].hint


def test_output_stays_short_whatever_the_names_are() -> None:
    document = only('{"' + "k" * 100_000 + '": NaN, "v": Infinity' + "x" * 100_000, "json")

    assert all(len(repr(violation)) < 1000 for violation in document.violations)


def test_a_secret_in_what_was_found_is_masked() -> None:
    violation = finding('{"a": ghp_abcdefghijklmnopqrstuvwxyz0123}', "json")

    assert "abcdefghij" not in repr(violation)
