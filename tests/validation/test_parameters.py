"""Inputs and outputs of a call against what the descriptor promises."""

import json
import subprocess
import sys
import timeit
from typing import Any

import pytest

from skillproto.validation import InputChecker, OutputChecker, check_inputs, check_output
from skillproto.violations import Violation

PARAMETERS: list[dict[str, Any]] = [
    {"name": "text", "type": "string", "required": True},
    {"name": "format", "type": "string", "enum": ["plain", "html"]},
    {"name": "count", "type": "integer", "schema": {"minimum": 1, "maximum": 10}},
    {"name": "ratio", "type": "number"},
    {"name": "exact", "type": "boolean"},
    {"name": "options", "type": "object", "schema": {"properties": {"api_key": {"type": "string", "maxLength": 3}}}},
    {"name": "words", "type": "array", "schema": {"items": {"type": "string"}}},
    {"name": "level", "type": "integer", "enum": [1, 2]},
]
FINE: dict[str, Any] = {
    "text": "Hello", "format": "html", "count": 5, "ratio": 0.5, "exact": False, "options": {}, "words": ["a"],
    "level": 2,
}  # fmt: skip


def only(inputs: Any) -> Violation:
    (violation,) = check_inputs(PARAMETERS, inputs)
    return violation


def test_inputs_that_fit_have_no_findings() -> None:
    assert check_inputs(PARAMETERS, FINE) == []
    assert check_inputs(PARAMETERS, {"text": ""}) == []
    assert check_inputs([], {}) == []


@pytest.mark.parametrize(
    ("more", "field", "rule", "expected", "message", "hint"),
    [
        ({"text": 5}, "/text", "schema/type", "string", "Wrong type: integer", None),
        ({"text": None}, "/text", "schema/type", "string", "Wrong type: null", None),
        ({"exact": 1}, "/exact", "schema/type", "boolean", "Wrong type: integer", None),
        ({"count": True}, "/count", "schema/type", "integer", "Wrong type: boolean", None),
        ({"count": 1.5}, "/count", "schema/type", "integer", "Wrong type: number", None),
        ({"ratio": float("nan")}, "/ratio", "schema/type", "number", "Wrong type: number", None),
        ({"words": ("a",)}, "/words", "schema/type", "array", "Wrong type: Python tuple", None),
        (
            {"exact": None},
            "/exact",
            "schema/null-member",
            "boolean",
            "null is no value here",
            "Remove it: an optional input without a value is left out",
        ),
        (
            {"format": "htm"},
            "/format",
            "schema/enum",
            "one of: plain, html",
            "Invalid enum value",
            "Did you mean 'html'?",
        ),
        ({"level": 3}, "/level", "schema/enum", "one of: 1, 2", "Invalid enum value", None),
        ({"count": 0}, "/count", "schema/range", "any value", "Number is too small", None),
        ({"words": ["a", 5]}, "/words/1", "schema/type", "string", "Wrong type: integer", "Write it in quotes"),
        (
            {"note": "x"},
            "/note",
            "schema/unexpected",
            "one of the inputs: text, format, count, ratio, exact, options, words, level",
            "The skill has no such input",
            None,
        ),
        ({"a/b~c": 1}, "/a~1b~0c", "schema/unexpected", None, "The skill has no such input", None),
        ({5: 1}, "/5", "schema/unexpected", None, "The skill has no such input", None),
    ],
    ids=lambda part: str(part)[:30],
)
def test_each_fault_is_one_finding_under_inputs(
    more: dict[Any, Any], field: str, rule: str, expected: str | None, message: str, hint: str | None
) -> None:
    violation = only({**FINE, **more})
    assert (violation.field, violation.rule, violation.message) == (f"/inputs{field}", rule, message)
    assert (violation.expected, violation.hint) == (expected or violation.expected, hint)


def test_a_missing_input_is_told_at_its_place() -> None:
    violation = only({})
    assert (violation.field, violation.rule, violation.actual) == ("/inputs/text", "schema/required", None)
    assert (violation.expected, violation.message) == ("string", "Required field is missing")


def test_a_misspelt_input_and_the_missing_one_are_one_finding() -> None:
    violation = only({"txt": "Hello"})
    assert (violation.field, violation.hint) == ("/inputs/text", "Rename 'txt' to 'text'")
    assert violation.details == {"misspelt": "/inputs/txt"}


def test_an_unknown_input_gets_the_nearest_name() -> None:
    assert only({"text": "a", "formt": "html"}).hint == "Did you mean 'format'?"


def test_all_faults_come_at_once_and_in_order() -> None:
    found = check_inputs(PARAMETERS, {"words": [1, 2], "zzz": 0, "format": 5})
    assert [(v.field, v.rule) for v in found] == [
        ("/inputs/format", "schema/type"),
        ("/inputs/text", "schema/required"),
        ("/inputs/words/0", "schema/type"),
        ("/inputs/words/1", "schema/type"),
        ("/inputs/zzz", "schema/unexpected"),
    ]


@pytest.mark.parametrize("inputs", [None, [], "text", 5, ()], ids=repr)
def test_inputs_that_are_no_object_are_one_finding(inputs: Any) -> None:
    assert (only(inputs).field, only(inputs).rule, only(inputs).expected) == ("/inputs", "schema/type", "object")


def test_a_secret_does_not_reach_a_finding() -> None:
    assert only({"text": "a", "options": {"api_key": "hunter2"}}).actual == "[redacted]"
    assert only({"text": "a", "password": "hunter2"}).actual == "[redacted]"


def test_a_whole_number_is_an_integer_however_it_is_written() -> None:
    assert check_inputs(PARAMETERS, {"text": "a", "count": 5.0, "level": 2.0}) == []
    assert only({"text": "a", "level": True}).rule == "schema/type"


def test_an_output_is_checked_under_its_own_pointer() -> None:
    output = {"type": "object", "schema": {"required": ["text"], "properties": {"text": {"type": "string"}}}}
    assert check_output(output, {"text": "Hola"}) == []
    assert [(v.field, v.rule) for v in check_output(output, {"text": 5})] == [("/output/text", "schema/type")]
    assert [v.field for v in check_output(output, {}, at="/output/final")] == ["/output/final/text"]


def test_an_output_of_null_is_a_wrong_type() -> None:
    assert [v.rule for v in check_output({"type": "string"}, None)] == ["schema/type"]


def test_a_definition_whose_schema_cannot_be_used_lets_nothing_pass() -> None:
    parameters = [{"name": "a", "type": "string", "schema": {"$ref": "https://example.com/a.json"}}]
    (violation,) = check_inputs(parameters, {"a": "x"})
    assert (violation.field, violation.rule) == ("/inputs/a", "descriptor/schema-remote-ref")


@pytest.mark.parametrize("schema", [None, {"pattern": "^[a-z]{2}$"}], ids=["plain", "with a schema"])
def test_inputs_that_fit_are_told_in_microseconds_and_without_jsonschema(schema: Any) -> None:
    more = {} if schema is None else {"schema": schema}
    parameters = [{"name": f"p{index}", "type": "string", **more} for index in range(3)]
    program = (
        "import sys, json; from skillproto.validation import check_inputs, check_output\n"
        "parameters = json.load(sys.stdin)\n"
        "assert check_inputs(parameters, {'p0': 'ab', 'p1': 'cd'}) == check_output(parameters[0], 'ab') == []\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(parameters),
        capture_output=True,
        check=True,
        text=True,
        timeout=60,
    )
    assert not {"jsonschema", "referencing", "difflib"} & set(json.loads(ran.stdout))
    checker, output = InputChecker(parameters), OutputChecker(parameters[0])
    inputs = {"p0": "ab", "p1": "cd"}
    for check in (lambda: checker.check(inputs), lambda: output.check("ab")):
        assert min(timeit.repeat(check, number=100, repeat=20)) / 100 < 50e-6
