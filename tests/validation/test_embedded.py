"""Schemas that a descriptor carries: refused in our own words, used in bounded time, never fetched."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillproto.validation import check_embedded, compile_embedded
from skillproto.violations import Violation

AT = "/inputs/0/schema"
SOON_S = 2.0
NO_FORM = "Invalid text: it does not have the form that the schema asks for"


def only(schema: Any) -> Violation:
    (violation,) = check_embedded(schema, at=AT)
    return violation


def bounded(schema: Any, value: Any) -> list[Violation]:
    """Check a value, and see that it does not take long."""
    started = time.perf_counter()
    found = compile_embedded(schema).check(value, "/inputs/x")
    assert time.perf_counter() - started < SOON_S
    return found


@pytest.mark.parametrize(
    "schema", [True, False, {}, {"type": "string"}, {"x-note": 5}, {"$defs": {"a": True}}], ids=str
)
def test_a_fine_schema_has_no_findings(schema: Any) -> None:
    assert check_embedded(schema, at=AT) == []


@pytest.mark.parametrize(
    ("schema", "field", "message", "hint"),
    [
        ({"type": "text"}, "/type", "There is no such type", None),
        ({"type": "str"}, "/type", "There is no such type", "Did you mean 'string'?"),
        ({"type": ["string", "strin"]}, "/type/1", "There is no such type", "Did you mean 'string'?"),
        ({"type": ["string", "string"]}, "/type/1", "The type is named twice", None),
        ({"minLength": -1}, "/minLength", "minLength must be a whole number that is not negative", None),
        ({"multipleOf": 0}, "/multipleOf", "multipleOf must be a number greater than 0", None),
        (
            {"properties": {"a/b": {"required": True}}},
            "/properties/a~1b/required",
            "required must be a list of names that differ",
            "Name the member in the list `required` of the schema around it",
        ),
        ({"items": [{}]}, "/items", "items cannot be an array", "A list of schemas stands in prefixItems"),
        ({"anyOf": []}, "/anyOf", "anyOf cannot be empty", None),
        ({"allOf": [5]}, "/allOf/0", "A schema cannot be an integer", None),
        ({"properties": []}, "/properties", "properties cannot be an array", None),
        ({"$ref": "#/$defs/nope"}, "/$ref", "The reference names nothing in the schema", None),
        ({"$ref": "#nope"}, "/$ref", "The reference names nothing in the schema", None),
        (
            {"pattern": "[a"},
            "/pattern",
            "Not a regular expression of ECMA-262: a [ is not closed",
            "Look at character 1",
        ),
        ([], "", "A schema cannot be an array", None),
        ("string", "", "A schema cannot be a string", None),
        (None, "", "A schema cannot be null", None),
    ],
    ids=lambda part: str(part)[:40],
)
def test_a_malformed_schema_is_told_at_its_place_in_the_descriptor(
    schema: Any, field: str, message: str, hint: str | None
) -> None:
    violation = only(schema)
    assert (violation.field, violation.rule) == (AT + field, "descriptor/schema-invalid")
    assert (violation.message, violation.hint) == (message, hint)


class Listener:
    """A socket that notes whether anybody comes."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.server.getsockname()[1]
        self.visits = 0
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self.server.accept()
            except OSError:
                return
            self.visits += 1
            connection.close()

    def close(self) -> None:
        self.server.close()
        with socket.socket() as wake:
            wake.settimeout(0.1)
            wake.connect_ex(("127.0.0.1", self.port))


@pytest.fixture
def listener() -> Iterator[Listener]:
    listening = Listener()
    yield listening
    listening.close()


@pytest.mark.parametrize(
    "reference",
    [
        "http://127.0.0.1:{port}/schema.json",
        "https://127.0.0.1:{port}/schema.json",
        "//127.0.0.1:{port}/schema.json",
        "http://127.0.0.1:{port}/schema.json#/$defs/a",
        "file://{file}",
        "{file}",
        "../secret.json",
        "secret.json#/a",
        "urn:x:y",
        "https://json-schema.org/draft/2020-12/schema",
    ],
)
@pytest.mark.parametrize(
    "wrap", [lambda r: r, lambda r: {"items": r}, lambda r: {"anyOf": [True, r]}], ids=["root", "items", "anyOf"]
)
def test_a_reference_that_leaves_the_schema_is_refused_and_never_followed(
    reference: str, wrap: Any, listener: Listener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"type": "integer"}', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("builtins.open", lambda *args, **kwargs: pytest.fail(f"opened {args[0]}"))
    schema = wrap({"$ref": reference.format(port=listener.port, file=secret)})
    (violation,) = check_embedded(schema, at=AT)
    assert (violation.rule, violation.message) == ("descriptor/schema-remote-ref", "The reference leaves the schema")
    (refused,) = compile_embedded(schema).check([5])
    assert (refused.rule, refused.message) == (
        "descriptor/schema-remote-ref",
        "The schema in the descriptor cannot be used",
    )
    time.sleep(0.01)
    assert listener.visits == 0


@pytest.mark.parametrize(
    "schema",
    [
        {"$schema": "http://json-schema.org/draft-07/schema#"},
        {"$dynamicRef": "#a", "$defs": {"a": {"$dynamicAnchor": "a"}}},
        {"items": {"$id": "https://example.com/other"}},
    ],
    ids=str,
)
def test_what_changes_how_references_are_read_is_refused(schema: Any) -> None:
    assert only(schema).rule == "descriptor/schema-remote-ref"


def test_references_inside_the_schema_are_followed() -> None:
    schema = {
        "$id": "https://example.com/a",
        "properties": {
            "a": {"$ref": "#/$defs/x"},
            "b": {"$ref": "#here"},
            "c": {"$ref": "https://example.com/a#/$defs/x"},
        },
        "$defs": {"x": {"type": "integer"}, "y": {"$anchor": "here", "type": "string"}},
    }
    found = compile_embedded(schema).check({"a": "1", "b": 1, "c": "1"})
    assert [v.field for v in found] == ["/a", "/b", "/c"]


@pytest.mark.parametrize(
    "pattern", ["^(a+)+$", "(a|a)*b", "(a*)*b", "^(\\w+\\s?)*$", "(.*)\\1", "(?<=a)b", "(a{1,1000}){1,1000}"]
)
@pytest.mark.parametrize("keyword", ["pattern", "patternProperties"])
def test_a_pattern_without_bounds_is_refused(pattern: str, keyword: str) -> None:
    schema = {"pattern": pattern} if keyword == "pattern" else {"patternProperties": {pattern: True}}
    assert only(schema).rule == "descriptor/schema-unsafe-pattern"
    (refused,) = bounded(schema, "a" * 30 + "!")
    assert refused.rule == "descriptor/schema-unsafe-pattern"


def nested(depth: int, keyword: str = "not") -> Any:
    schema: Any = {"type": "string"}
    for _ in range(depth):
        schema = {keyword: schema}
    return schema


def blow_up(keyword: str, parts: int) -> dict[str, Any]:
    """Make a schema in which each definition applies the next one twice to the same value."""
    names = [f"d{index}" for index in range(parts)]
    pairs = zip(names, [*names[1:], "last"], strict=True)
    defs: dict[str, Any] = {name: {keyword: [{"$ref": f"#/$defs/{after}"}] * 2} for name, after in pairs}
    return {"$ref": "#/$defs/d0", "$defs": {**defs, "last": {"type": "string"}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"allOf": [{"$ref": "#"}]},
        {"$ref": "#/$defs/a", "$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"$ref": "#/$defs/a"}}},
        nested(900, "items"),
        nested(50_000),
        blow_up("allOf", 30),
        blow_up("anyOf", 30),
        blow_up("oneOf", 30),
        {"enum": list(range(30_000))},
        {"description": "x" * 500_000},
        {"properties": {f"p{index}": {} for index in range(30_000)}},
    ],
    ids=range(11),
)
def test_a_schema_without_measure_is_refused_at_once(schema: Any) -> None:
    started = time.perf_counter()
    violation = only(schema)
    assert violation.rule == "descriptor/schema-too-complex"
    assert time.perf_counter() - started < SOON_S
    assert len(json.dumps(violation.to_dict())) < 1000


TREE = {"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}


def test_work_that_grows_with_the_depth_of_the_value_ends_in_a_finding() -> None:
    value: Any = "leaf"
    for _ in range(40):
        value = [value]
    (violation,) = bounded(TREE, value)
    assert (violation.field, violation.rule) == ("/inputs/x", "descriptor/schema-too-complex")
    assert violation.message == "The check took more work than it may and was given up"


def test_a_value_nested_without_measure_ends_in_a_finding() -> None:
    value: Any = {}
    for _ in range(100_000):
        value = {"child": value}
    (violation,) = bounded({"properties": {"child": {"$ref": "#"}}, "additionalProperties": False}, value)
    assert violation.rule == "descriptor/schema-too-complex"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"uniqueItems": True}, [[index] for index in range(50_000)]),
        ({"uniqueItems": True}, [{"a": index % 7, "b": [index]} for index in range(30_000)]),
        ({"items": {"enum": [[index] * 50 for index in range(200)]}}, [[index] * 50 for index in range(200)] * 5),
        ({"multipleOf": 0.01}, 19.99),
        ({"multipleOf": 1e-300}, 1e300),
        ({"multipleOf": 3}, 3 * 10**5000),
        ({"pattern": "^([a-z]+-)*[a-z]+$"}, "ab-" * 30_000 + "c"),
        ({"contains": {"const": 5}, "minContains": 1}, list(range(20_000))),
        (
            {"unevaluatedProperties": False, "anyOf": [{"properties": {f"a{index}": True}} for index in range(200)]},
            {f"a{index}": 1 for index in range(200)},
        ),
    ],
    ids=range(9),
)
def test_a_large_value_that_fits_passes_in_bounded_time(schema: Any, value: Any) -> None:
    assert bounded(schema, value) == []


@pytest.mark.parametrize(("value", "fits"), [(19.99, True), (0.07, True), (19.995, False), (1e-9, False)])
def test_a_multiple_is_told_by_the_decimals_as_they_are_written(value: float, fits: bool) -> None:
    assert (compile_embedded({"multipleOf": 0.01}).check(value) == []) == fits


@pytest.mark.parametrize(
    ("schema", "value", "field", "rule", "message"),
    [
        ({"minimum": 1}, 0, "", "schema/range", "Number is too small"),
        (
            {"additionalProperties": False, "properties": {"name": {}}},
            {"nam": 1},
            "/nam",
            "schema/unexpected",
            "Unexpected field",
        ),
        ({"items": {"type": "string"}}, ["a", 1], "/1", "schema/type", "Wrong type: integer"),
        ({"const": {"a": 1}}, {"a": 2}, "", "schema/enum", "Invalid value"),
        ({"propertyNames": {"maxLength": 2}}, {"abc": 1}, "/abc", "schema/length", "Too many characters: 3 characters"),
        ({"not": {"type": "string"}}, "a", "", "schema/form", "Value has a form that is ruled out"),
        (False, 1, "", "schema/unexpected", "No value is allowed here"),
        (
            {"oneOf": [{"type": "integer"}, {"minimum": 0}]},
            1,
            "",
            "schema/form",
            "Value fits several forms of which it may fit one",
        ),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "a",
            "",
            "schema/form",
            "Value fits none of the forms that are allowed",
        ),
        (
            {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]},
            "ab",
            "",
            "schema/length",
            "Too many characters: 2 characters",
        ),
        ({"contains": {"const": 1}}, [2], "", "schema/form", "0 of the items have the form that is asked for"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "/b", "schema/required", "Required field is missing"),
        ({"format": "email"}, "a@", "", "schema/format", "Nothing stands after the @"),
        ({"pattern": "^\\d+$"}, "\u0661", "", "schema/pattern", NO_FORM),
        ({"pattern": "^abc$"}, "abc\n", "", "schema/pattern", NO_FORM),
        ({"type": "array"}, (1,), "", "schema/type", "Wrong type: Python tuple"),
        ({"type": "object"}, {1: 2}, "/1", "schema/type", "A member's name is no string"),
        ({"type": "number"}, float("nan"), "", "schema/type", "Wrong type: number"),
    ],
    ids=lambda part: str(part)[:40],
)
def test_a_value_that_does_not_fit_is_told_in_our_words(
    schema: Any, value: Any, field: str, rule: str, message: str
) -> None:
    (violation,) = compile_embedded(schema).check(value, "/output")
    assert (violation.field, violation.rule, violation.message) == (f"/output{field}", rule, message)


def test_an_unusable_schema_lets_no_value_pass_and_says_why() -> None:
    (violation,) = compile_embedded({"properties": {"a": {"type": "str"}}}).check({}, "/inputs/x")
    assert (violation.field, violation.rule) == ("/inputs/x", "descriptor/schema-invalid")
    assert violation.details == {"schema_field": "/properties/a/type"}


def test_a_schema_that_json_cannot_write_is_refused_all_the_same() -> None:
    assert compile_embedded({"enum": [{1, 2}], "type": object()}).check(1)
    assert check_embedded({5: 1}, at=AT)[0].message == "A keyword is no string"


@pytest.mark.parametrize("form", ["a{%d}b", "a{%d}", "(a|b){5%d}", "(?:a?){%d}x"])
def test_very_many_counted_repeats_are_given_up_in_bounded_time(form: str) -> None:
    schema = {"anyOf": [{"pattern": form % count} for count in range(100, 3000)]}
    began = time.perf_counter()
    findings = check_embedded(schema, at="")
    assert time.perf_counter() - began < 5
    assert [v.rule for v in findings].count("descriptor/schema-too-complex") == 1


def test_patterns_that_are_refused_unbuilt_do_not_hide_each_other() -> None:
    findings = check_embedded({"anyOf": [{"pattern": rf"(a)\1{'b' * count}"} for count in range(20)]}, at="")
    assert [v.rule for v in findings] == ["descriptor/schema-unsafe-pattern"] * 20
