import time
from pathlib import Path

import pytest
import yaml

from skillproto.documents import Limits, read, yaml_events
from tests.documents.conftest import PARSERS
from tests.documents.reading import finding, only, place, rules

pytestmark = pytest.mark.usefixtures("parser")

BOMB = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 9)
)


def test_mappings_lists_and_scalars_become_json_values() -> None:
    text = """\
# a comment
name: Translate
tags: [a, 'b', "c\\u00e9\\n"]
nested:
- one: 1
  two: 2.5
- - ~
  - false
folded: >-
  a
  b
literal: |
  x
   y
empty:
"""
    assert only(text, "yaml").value == {
        "name": "Translate",
        "tags": ["a", "b", "cé\n"],
        "nested": [{"one": 1, "two": 2.5}, [None, False]],
        "folded": "a b",
        "literal": "x\n y\n",
        "empty": None,
    }


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_every_line_end_is_fine(end: str) -> None:
    document = only(end.join(["a: 1", "b: |", "  x", "c:", "- 2", ""]), "yaml")

    assert document.value == {"a": 1, "b": "x\n", "c": [2]}
    assert document.position("/c/0") == (5, 3, 5, 4)


def test_each_document_is_read_and_the_bad_one_is_named_by_index_and_line() -> None:
    documents = list(read(b"a: 1\n---\nb: [\n---\n# note\nc: 3\n...\n%YAML 1.2\n---\nd: {e: }}\n", kind="yaml"))

    assert [(doc.index, doc.line, doc.readable, doc.value) for doc in documents] == [
        (0, 1, True, {"a": 1}),
        (1, 2, False, None),
        (2, 4, True, {"c": 3}),
        (3, 8, False, None),
    ]
    assert [place(doc.violations[0]) for doc in (documents[1], documents[3])] == [(4, 1), (10, 9)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("---\na: 1\n", [{"a": 1}]),
        ("---\n---\n", [None, None]),
        ("a\n---\nb\n", ["a", "b"]),
        ("--- a\n--- b\n", ["a", "b"]),
        ("# c\n---\na: 1\n...\n# d\n", [{"a": 1}]),
        ("%YAML 1.2\n---\na: 1\n...\n%TAG !e! tag:e,2000:\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
        ("--- |\n  ---\n  a\n", ["---\na\n"]),
        ("a: '---'\nb: ---x\n", [{"a": "---", "b": "---x"}]),
        ("...\n...\na: 1\n", [{"a": 1}]),
        ("a: 1\r---\rb: 2\r", [{"a": 1}, {"b": 2}]),
        ("---", [None]),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_documents_are_parted_at_their_markers(text: str, values: list[object]) -> None:
    assert [doc.value for doc in read(text.encode(), kind="yaml")] == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "The text is empty"),
        (" \n\n", "The text is empty"),
        ("# nothing\n", "The text holds nothing but white space and comments"),
        ("...\n", "The text holds nothing but white space and comments"),
    ],
)
def test_a_text_without_a_document_is_a_finding(text: str, message: str) -> None:
    violation = finding(text, "yaml")

    assert (violation.rule, violation.message) == ("document/syntax", message)


def test_both_places_of_a_key_that_stands_twice_are_given() -> None:
    document = only("id: 1\nb:\n  id: 2\n  c: {d: 1, d: 2}\n'id': 3\n", "yaml")

    assert [(v.field, place(v), v.details) for v in document.violations] == [
        ("/b/c/d", (4, 13), {"related_line": 4, "related_column": 7}),
        ("/id", (5, 1), {"related_line": 1, "related_column": 1}),
    ]
    assert document.value["id"] == 3


@pytest.mark.parametrize(
    ("key", "words", "name"),
    [
        ("1", "an integer", "1"),
        ("1.50", "a number", "1.50"),
        ("true", "a boolean", "true"),
        ("~", "null", "~"),
    ],
)
def test_a_key_that_is_no_text_is_a_finding_and_keeps_its_spelling(key: str, words: str, name: str) -> None:
    document = only(f"{key}: x\n", "yaml")
    violation = next(v for v in document.violations if v.rule == "document/non-string-key")

    assert violation.message == f"A name must be text; this one was read as {words}"
    assert violation.hint == f'Quote it: "{name}"'
    assert document.value == {name: "x"}
    assert document.readable


@pytest.mark.parametrize("text", ["[a]: x\n", "? {a: 1}\n: x\n", "? - a\n: x\n"])
def test_a_list_or_mapping_as_a_key_leaves_no_value(text: str) -> None:
    document = only(text, "yaml")

    assert rules(document) == ["non-string-key"]
    assert not document.readable


@pytest.mark.parametrize("key", ["on", "yes", "no", "off", "y", "2024-01-01", "12:30", "'1'", '"true"'])
def test_a_key_of_yaml_1_1_is_text(key: str) -> None:
    assert only(f"{key}: x\n", "yaml").violations == ()


def test_a_merge_key_is_an_ordinary_name_and_a_warning_says_so() -> None:
    document = only("a: &a {x: 1}\nb:\n  <<: *a\n  y: 2\n", "yaml")

    assert document.value["b"] == {"<<": {"x": 1}, "y": 2}
    assert [(v.rule, v.severity, v.field, place(v)) for v in document.violations] == [
        ("document/yaml-ambiguous", "warning", "/b/<<", (3, 3))
    ]
    assert only("'<<': 1\n", "yaml").violations == ()


@pytest.mark.parametrize(
    ("text", "where"),
    [(BOMB, (5, 10)), ("&a [*a]", (1, 5)), ("a: &a\n  b: *a\n", (2, 6)), ("&a {*a : 1}", (1, 5))],
    ids=["bomb", "self", "self-deeper", "self-as-key"],
)
def test_an_alias_without_end_is_one_finding_in_under_a_second(text: str, where: tuple[int, int]) -> None:
    began = time.process_time()
    document = only(text, "yaml")
    seconds = time.process_time() - began

    assert rules(document) == ["yaml-alias-limit"]
    assert place(document.violations[0]) == where
    assert document.value is None
    assert len(repr(document.violations)) < 600
    assert seconds < 1


def test_a_long_text_repeated_often_passes_the_alias_limit_too() -> None:
    text = f"- &a {'x' * 100_000}\n" + "- *a\n" * 100

    assert rules(only(text, "yaml")) == ["yaml-alias-limit"]


def test_aliases_within_the_limit_repeat_their_values() -> None:
    document = only("a: &a [1, {b: 2}]\nc: *a\nd: [*a, *a]\n? &k key\n: 3\ne: {*k : 4}\n", "yaml")

    value = [1, {"b": 2}]
    assert document.value == {"a": value, "c": value, "d": [value, value], "key": 3, "e": {"key": 4}}


def test_an_anchor_may_be_set_anew() -> None:
    assert only("- &a 1\n- *a\n- &a 2\n- *a\n", "yaml").value == [1, 1, 2, 2]


def test_aliases_do_not_get_round_the_limits_of_depth_and_size() -> None:
    nested = "a: &a [[[[1]]]]\nb: [[[*a]]]\n"

    assert only(nested, "yaml", max_depth=8).readable
    assert rules(only(nested, "yaml", max_depth=7)) == ["too-deep"]
    assert rules(only("- &a [1, 2, 3]\n- *a\n- 4\n", "yaml", max_nodes=8)) == ["too-large"]


@pytest.mark.parametrize("opening", ["[", "{a: "])
def test_nesting_that_the_parser_cannot_follow_is_too_deep_under_any_limit(
    opening: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(yaml_events, "parser_of", PARSERS["libyaml"])
    (violation,) = only(opening * 1500, "yaml", max_depth=2000).violations
    assert (violation.rule, violation.expected) == ("document/too-deep", "at most 1000 levels")


@pytest.mark.parametrize("text", ["[1, [2], 3]", "- 1\n- - 2\n- 3\n", "a: 1\nb: {c: 2}\nd: 3\n"])
def test_values_are_counted_and_their_names_are_not(text: str) -> None:
    assert only(text, "yaml", max_nodes=5).readable
    assert rules(only(text, "yaml", max_nodes=4)) == ["too-large"]
    assert rules(only(text, "yaml", max_nodes=2)) == ["too-large"]


def test_an_alias_to_nothing_is_a_finding() -> None:
    violation = finding("a: *b\n", "yaml")

    assert violation.message == "The alias `*b` repeats an anchor that does not stand before it"
    assert (violation.field, place(violation)) == ("/a", (1, 4))


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system",
        "!!python/object/new:os.system",
        "!!python/name:os.system",
        "!<tag:yaml.org,2002:python/object/apply:os.system>",
        "!mine",
        "!!binary",
        "!!timestamp",
        "!!set",
        "!!omap",
    ],
)
def test_a_tag_that_is_not_data_constructs_nothing(tag: str, tmp_path: Path) -> None:
    target = tmp_path / "ran"
    for value in (f"['touch {target}']", f"'touch {target}'", f"{{args: ['touch {target}']}}", ""):
        document = only(f"a: 1\nb: {tag} {value}\n", "yaml")
        assert rules(document) == ["not-data"]
        assert (document.violations[0].field, place(document.violations[0])) == ("/b", (2, 4))
        assert document.violations[0].actual == tag
        assert not document.readable
    assert not target.exists()


def test_the_tags_of_plain_data_are_fine() -> None:
    text = """\
a: !!str 1.10
b: !!int 3
c: !!float 3
d: !!bool true
e: !!null ~
f: !!map {x: !!seq [1]}
g: ! 12
h: ! '12'
"""

    value = only(text, "yaml").value
    assert value == {"a": "1.10", "b": 3, "c": 3.0, "d": True, "e": None, "f": {"x": [1]}, "g": "12", "h": "12"}
    assert isinstance(value["c"], float)


@pytest.mark.parametrize("value", ["!!int x", "!!int 1.5", "!!bool yes", "!!null x", "!!float x", "!!int true"])
def test_a_value_that_does_not_fit_its_tag_is_a_finding(value: str) -> None:
    violation = finding(f"a: {value}\n", "yaml")

    assert violation.rule == "document/syntax"
    assert "does not fit its tag" in violation.message


@pytest.mark.parametrize(
    "program",
    [
        "#!/usr/bin/env python3\nimport os\nos.system('touch {target}')\n",
        "#!/bin/sh\ntouch {target}\n",
        "#!/bin/sh\nif true; then a: b: c; fi\n",
        "import os\nos.system('touch {target}')\n",
        "__import__('os').system('touch {target}')\nx = 1\n",
    ],
)
def test_a_program_is_not_data_and_is_never_run(program: str, tmp_path: Path) -> None:
    target = tmp_path / "ran"
    document = only(program.replace("{target}", str(target)), "yaml")

    assert rules(document) == ["not-data"]
    assert not document.readable
    assert not target.exists()


def test_a_first_line_that_names_a_program_may_stand_above_data() -> None:
    assert only("#!/usr/bin/env skillproto\na: 1\n", "yaml").value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("a: .nan", "non-finite-number"),
        ("a: -.Inf", "non-finite-number"),
        ("a: 1e400", "non-finite-number"),
        ("a: " + "9" * 5000, "number-out-of-range"),
        ("a: 0x" + "f" * 5000, "number-out-of-range"),
        ("[" * 100_000, "too-deep"),
        ("- " * 100_000, "too-deep"),
        ("? " * 100_000, "too-deep"),
        ("{a: " * 100_000, "too-deep"),
        ('a: "\\ud800"', "lone-surrogate"),
        ('a: "\\U0000dfff"', "lone-surrogate"),
        ("a: b\x00c", "syntax"),
        ("a: \x7f", "syntax"),
        ('a: "\\U00110000"', "syntax"),
        ("%FOO bar\n---\na: 1\n", "syntax"),
        ("%YAML 2.0\n---\na: 1\n", "syntax"),
        ("%TAG !a! tag:x\n" * 5000 + "---\na: 1\n", "syntax"),
    ],
    ids=lambda value: repr(value)[:20],
)
def test_one_clean_finding_in_under_a_second(text: str, rule: str) -> None:
    began = time.process_time()
    document = only(text, "yaml")
    seconds = time.process_time() - began

    assert rules(document) == [rule]
    assert not document.readable
    assert len(repr(document.violations)) < 1000
    assert seconds < 1


def test_the_field_names_the_value_even_in_the_middle_of_lists() -> None:
    document = only("a:\n- x\n- b: .inf\n  c: [1, 1e999]\n", "yaml")

    assert [v.field for v in document.violations] == ["/a/1/b", "/a/1/c/1"]


def test_json_under_the_name_of_yaml_is_read_as_json_is() -> None:
    text = '{"a": "\\ud83d\\ude00", "b": 1e3, "c": [true, null]}'

    assert only(text, "yaml").value == only(text, "json").value
    assert only(text + "\n---\nb: 1\n".replace("\n---\nb: 1\n", "\n"), "yaml").readable


def test_tabs_may_part_words_but_not_indent() -> None:
    assert only("a:\t1\t\nb: [1,\t2]\t# note\nc: x\ty\n", "yaml").value == {"a": 1, "b": [1, 2], "c": "x\ty"}
    assert finding("a:\n\tb: 1\n", "yaml").message == "A tab cannot indent"


def test_an_error_is_shown_however_many_notes_stand_before_it() -> None:
    document = only("- 1.10\n" * 300 + "- .inf\n", "yaml")

    assert len(document.violations) == 100
    assert [v.rule for v in document.violations if v.severity == "error"] == ["document/non-finite-number"]
    assert document.violations[-1].details == {"left_out": 201}


def test_documents_beyond_the_limit_are_not_read() -> None:
    documents = list(read(b"---\na: 1\n" * 5, kind="yaml", limits=Limits(max_documents=3)))

    assert [(doc.readable, rules(doc)) for doc in documents] == [(True, [])] * 3 + [(False, ["too-large"])]
    assert (documents[-1].line, place(documents[-1].violations[0])) == (7, (7, 1))
    assert len(list(read(b"---\na: 1\n...\n# end\n", kind="yaml", limits=Limits(max_documents=1)))) == 1


def test_findings_beyond_the_limit_are_counted_only() -> None:
    document = only("1: a\n" + "2: a\n" * 300, "yaml")

    assert len(document.violations) == 100
    assert document.violations[-1].details["left_out"] == 500


def test_the_pure_python_parser_stands_in_where_libyaml_is_not_built_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)

    assert yaml_events.best_parser() is yaml_events.PurePythonParser
