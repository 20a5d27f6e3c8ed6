import time
from typing import Any

import pytest

from skillproto.rules import validate
from skillproto.validation import check_inputs
from tests.rules.support import example, rules_of, with_members, with_parameter


def only(rule: str, field: str, **parameter: Any) -> None:
    (violation,) = validate(with_parameter(**parameter))
    assert (violation.rule, violation.field) == (f"descriptor/{rule}", field)


NULLABLE = {"type": ["string", "null"], "maxLength": 3}


@pytest.mark.parametrize(
    "parameter",
    [
        {"default": 7},
        {"type": "integer", "default": "7"},
        {"type": "integer", "default": 1.5},
        {"type": "number", "default": True},
        {"type": "boolean", "default": 1},
        {"type": "object", "default": []},
        {"type": "array", "default": {}},
        {"default": "c", "enum": ["a", "b"]},
        {"default": "long", "schema": NULLABLE},
        {"required": False, "default": "long", "schema": NULLABLE},
    ],
)
def test_a_default_that_the_parameter_refuses_is_one_error(parameter: dict[str, Any]) -> None:
    only("default-type", "/inputs/0/default", **parameter)


@pytest.mark.parametrize(
    "parameter",
    [
        {"default": "x"},
        {"default": ""},
        {"default": None},
        {"type": "integer", "default": 1.0},
        {"type": "number", "default": 2},
        {"type": "boolean", "default": False},
        {"default": "a", "enum": ["a", "b"]},
        {"default": "abc", "schema": NULLABLE},
        {"default": None, "schema": NULLABLE},
        {"type": "array", "default": ["a"], "schema": {"type": ["array", "null"], "items": {"type": "string"}}},
    ],
)
def test_a_default_that_fits_is_fine(parameter: dict[str, Any]) -> None:
    assert validate(with_parameter(**parameter)) == []


def test_a_fault_inside_a_default_is_pointed_at() -> None:
    schema = {"type": ["array", "null"], "items": {"type": "string"}}
    only("default-type", "/inputs/0/default/1", type="array", default=["a", 2], schema=schema)


def test_a_default_of_null_is_refused_where_the_parameter_is_required() -> None:
    violations = validate(with_parameter(required=True, default=None))
    assert rules_of(violations) == ["descriptor/default-on-required", "descriptor/default-type"]
    assert [violation.severity for violation in violations] == ["warning", "error"]


@pytest.mark.parametrize(
    ("parameter", "field"),
    [
        ({"enum": ["a", 2]}, "/inputs/0/enum/1"),
        ({"enum": ["a", "b", "a"]}, "/inputs/0/enum/2"),
        ({"type": "number", "enum": [1, 1.0]}, "/inputs/0/enum/1"),
        ({"enum": ["abc", "long"], "schema": NULLABLE}, "/inputs/0/enum/1"),
        ({"required": True, "enum": [None]}, "/inputs/0/enum/0"),
    ],
)
def test_a_value_of_an_enum_that_can_never_be_given_is_an_error(parameter: dict[str, Any], field: str) -> None:
    only("enum-type", field, **parameter)


@pytest.mark.parametrize(
    "parameter",
    [{"enum": ["a", None]}, {"type": "boolean", "enum": [True]}, {"type": "array", "enum": [[1], [True]]}],
)
def test_an_enum_that_fits_is_fine(parameter: dict[str, Any]) -> None:
    assert validate(with_parameter(**parameter)) == []


@pytest.mark.parametrize(
    ("parameter", "field"),
    [
        ({"examples": ["a", 2]}, "/inputs/0/examples/1"),
        ({"examples": ["c"], "enum": ["a"]}, "/inputs/0/examples/0"),
        ({"examples": ["long"], "schema": NULLABLE}, "/inputs/0/examples/0"),
    ],
)
def test_an_example_that_the_skill_would_refuse_is_an_error(parameter: dict[str, Any], field: str) -> None:
    only("example-type", field, **parameter)


def test_the_second_parameter_of_a_name_is_the_one_that_is_reported() -> None:
    inputs = [{"name": name, "type": "string"} for name in ("a", "b", "a", "a")]
    violations = validate(with_members(inputs=inputs))
    assert [(v.rule, v.field) for v in violations] == [
        ("descriptor/duplicate-input", "/inputs/2/name"),
        ("descriptor/duplicate-input", "/inputs/3/name"),
    ]
    assert "/inputs/0" in violations[1].message


@pytest.mark.parametrize(
    ("kind", "schema"),
    [
        ("string", {"type": "integer"}),
        ("string", {"type": ["integer", "null"]}),
        ("array", {"type": "object"}),
        ("integer", {"type": "string"}),
    ],
)
def test_a_schema_that_leaves_no_room_for_the_type_is_an_error(kind: str, schema: dict[str, Any]) -> None:
    violations = validate(with_parameter(type=kind, required=True, schema=schema))
    assert [(v.rule, v.field) for v in violations] == [("descriptor/schema-type", "/inputs/0/schema/type")]


@pytest.mark.parametrize(
    ("kind", "schema"), [("integer", {"type": "number"}), ("number", {"type": "integer"}), ("string", {})]
)
def test_a_schema_that_leaves_room_is_fine(kind: str, schema: dict[str, Any]) -> None:
    assert validate(with_parameter(type=kind, required=True, schema=schema)) == []


@pytest.mark.parametrize("kind", [{}, {"type": "string"}, [], ["string"], 7, None], ids=str)
def test_a_type_of_any_shape_is_one_finding_and_no_crash(kind: Any) -> None:
    parameter = with_parameter(type=kind, default="a", enum=["a"], examples=["a"], schema={"maxLength": 3})
    findings = [*validate(parameter), *validate(with_members(output={"type": kind, "schema": {"type": "string"}}))]
    assert [v.field for v in findings] == ["/inputs/0/type", "/output/type"]


def test_the_output_is_asked_the_same() -> None:
    violations = validate(with_members(output={"type": "object", "schema": {"type": "array"}}))
    assert [(v.rule, v.field) for v in violations] == [("descriptor/schema-type", "/output/schema/type")]


@pytest.mark.parametrize(
    "schema", [{"type": "string"}, {"maxLength": 3, "type": "string"}, {"enum": ["a", "b"]}, {"not": {"type": "null"}}]
)
def test_an_optional_parameter_whose_schema_refuses_null_is_a_warning(schema: dict[str, Any]) -> None:
    (violation,) = validate(with_parameter(schema=schema))
    assert (violation.rule, violation.severity) == ("descriptor/optional-refuses-null", "warning")
    assert violation.hint == 'Write "type": ["string", "null"]'


@pytest.mark.parametrize(
    "parameter", [{}, {"schema": NULLABLE}, {"schema": {}}, {"required": True, "schema": {"type": "string"}}]
)
def test_an_optional_parameter_that_does_not_refuse_null_is_fine(parameter: dict[str, Any]) -> None:
    assert validate(with_parameter(**parameter)) == []


@pytest.mark.parametrize(
    ("schema", "rule"),
    [
        ({"type": "objct"}, "schema-invalid"),
        ({"$ref": "https://example.com/a.json"}, "schema-remote-ref"),
        ({"$ref": "http://127.0.0.1:9/a"}, "schema-remote-ref"),
        ({"$ref": "file:///etc/passwd"}, "schema-remote-ref"),
        ({"$ref": "other.json"}, "schema-remote-ref"),
        ({"type": "string", "pattern": "^(a+)+$"}, "schema-unsafe-pattern"),
        ({"type": "string", "pattern": "[" * 500}, "schema-invalid"),
        ({"$ref": "#"}, "schema-too-complex"),
    ],
    ids=[
        "a wrong type",
        "https",
        "http",
        "a file",
        "a relative path",
        "a nested repetition",
        "open brackets",
        "a loop",
    ],
)
def test_a_schema_that_cannot_be_used_is_one_finding_in_bounded_time(schema: dict[str, Any], rule: str) -> None:
    began = time.process_time()
    violations = validate(with_parameter(schema=schema, default="x" * 30, examples=["y"]))
    assert time.process_time() - began < 2
    assert rules_of(violations) == [f"descriptor/{rule}"]
    assert violations[0].field.startswith("/inputs/0/schema")


def test_a_schema_nested_900_deep_is_a_finding() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(900):
        schema = {"items": schema}
    violations = validate(example() | {"inputs": [{"name": "p", "type": "array", "schema": schema}]})
    assert rules_of(violations) == ["descriptor/schema-too-complex"]


@pytest.mark.parametrize("name", ["enum", "examples"])
def test_a_list_of_very_many_values_is_a_finding_in_bounded_time(name: str) -> None:
    values = list(range(50_000))
    began = time.process_time()
    schema = {"type": ["integer", "null"], "minimum": 0, "multipleOf": 1}
    violations = validate(with_parameter(type="integer", schema=schema, **{name: values}))
    assert time.process_time() - began < 3
    assert (violations[0].rule, violations[0].field) == ("descriptor/schema-too-complex", f"/inputs/0/{name}")
    assert len(str(violations[0])) < 1000


@pytest.mark.parametrize(
    "parameter", [{"schema": NULLABLE}, {"enum": ["a", None]}, {"schema": NULLABLE, "enum": ["a", None]}]
)
def test_null_may_be_sent_where_the_parameter_allows_it(parameter: dict[str, Any]) -> None:
    assert validate(with_parameter(**parameter)) == []
    assert check_inputs([{"name": "p", "type": "string", **parameter}], {"p": None}) == []


@pytest.mark.parametrize(
    "parameter", [{}, {"schema": {"type": "string"}}, {"enum": ["a"]}, {"schema": NULLABLE, "enum": ["a"]}]
)
def test_null_is_refused_elsewhere_with_advice(parameter: dict[str, Any]) -> None:
    (violation,) = check_inputs([{"name": "p", "type": "string", **parameter}], {"p": None})
    assert violation.rule == "schema/null-member"
    assert "Remove it" in str(violation.hint)
