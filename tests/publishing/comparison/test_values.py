"""Schemas of a parameter and an output, before and after: what is told, and how sure it is."""

import json
import time
from typing import Any

import pytest

from skillproto import diff
from skillproto.publishing.comparison import Comparison
from skillproto.validation import check_embedded
from tests.rules.support import with_members

Schema = Any


def of_input(old: Schema, new: Schema, kind: str = "object") -> Comparison:
    """Compare two schemas of a required parameter."""
    pair = [{"name": "p", "type": kind, "required": True, "schema": schema} for schema in (old, new)]
    return diff(*(with_members(inputs=[each]) for each in pair))


def of_output(old: Schema, new: Schema, kind: str = "object") -> Comparison:
    return diff(*(with_members(output={"type": kind, "schema": schema}) for schema in (old, new)))


def rules(found: Comparison) -> list[str]:
    return [each.rule.removeprefix("diff/") for each in found.changes]


TREE = {"properties": {"value": {"type": "string", "maxLength": 9}, "next": {"$ref": "#"}}}
LOOSER_TREE = {
    "properties": {"next": {"$ref": "#/$defs/n"}, "value": {"type": "string"}},
    "$defs": {"n": {"$ref": "#"}},
}
CARD = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "card"}, "number": {"type": "string"}}}
CASH = {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "cash"}}}

CONTAINED = [
    ("enum-grown", {"enum": ["a"]}, {"enum": ["a", "b"]}, "string"),
    ("enum-of-other-spelling", {"enum": [1]}, {"enum": [1.0, 2]}, "number"),
    ("const-to-enum", {"const": "a"}, {"enum": ["a", "b"]}, "string"),
    ("enum-within-bounds", {"enum": [1, 5]}, {"minimum": 1, "maximum": 5}, "integer"),
    ("enum-within-a-pattern", {"enum": ["ab"]}, {"pattern": "^a"}, "string"),
    ("integer-to-number", {"type": "integer"}, {"type": "number"}, "number"),
    ("one-type-to-two", {"type": "string"}, {"type": ["string", "null"]}, "string"),
    ("open-bound-of-integers", {"exclusiveMinimum": 0}, {"minimum": 1}, "integer"),
    ("half-of-integers", {"minimum": 0.5}, {"minimum": 1}, "integer"),
    ("open-bound-to-closed", {"exclusiveMaximum": 5}, {"maximum": 5}, "number"),
    ("multiples", {"multipleOf": 6}, {"multipleOf": 3}, "number"),
    ("every-integer", {"type": "integer"}, {"multipleOf": 1}, "integer"),
    ("length", {"minLength": 3, "maxLength": 5}, {"minLength": 2}, "string"),
    ("same-pattern", {"pattern": "^a", "minLength": 4}, {"pattern": "^a"}, "string"),
    ("wider-pattern", {"pattern": "^[a-z]{2}$"}, {"pattern": "^[a-z]{2,3}(-[A-Z]{2})?$"}, "string"),
    ("pattern-with-a-length", {"pattern": "^[a-z]+$", "maxLength": 3}, {"pattern": "^[a-z]{1,3}$"}, "string"),
    ("two-patterns", {"pattern": "^a", "allOf": [{"pattern": "b$"}]}, {"pattern": "^[^c]"}, "string"),
    ("digits-to-all-digits", {"pattern": "^[0-9]{4}$"}, {"pattern": r"^\d{4}$"}, "string"),
    ("pattern-is-long-enough", {"pattern": "^[A-Z]{3}"}, {"minLength": 3}, "string"),
    ("same-format", {"format": "uri", "maxLength": 4}, {"format": "uri"}, "string"),
    ("required-names-count", {"required": ["a", "b"]}, {"minProperties": 2}, "object"),
    ("closed-names-count", {"properties": {"a": {}}, "additionalProperties": False}, {"maxProperties": 1}, "object"),
    ("no-member-of-a-closed-object", {"additionalProperties": False}, {"properties": {"a": False}}, "object"),
    ("dependent-closure", {"required": ["a"], "dependentRequired": {"a": ["b"]}}, {"required": ["b"]}, "object"),
    ("prefix-to-items", {"prefixItems": [{"const": 1}], "items": False}, {"items": {"type": "integer"}}, "array"),
    ("closed-prefix-counts", {"prefixItems": [{}, {}], "items": False}, {"maxItems": 2}, "array"),
    ("one-item-is-unique", {"maxItems": 1}, {"uniqueItems": True}, "array"),
    ("wider-contains", {"contains": {"const": 1}}, {"contains": {"type": "integer"}}, "array"),
    ("branch-of-a-choice", CARD, {"anyOf": [CASH, CARD]}, "object"),
    ("each-branch-fits", {"anyOf": [{"const": 1}, {"const": "a"}]}, {"type": ["integer", "string"]}, "integer"),
    ("a-branch-more", {"oneOf": [CARD]}, {"oneOf": [CARD, CASH]}, "object"),
    ("types-split", {"type": ["integer", "string"]}, {"anyOf": [{"type": "string"}, {"type": "number"}]}, "integer"),
    ("apart-from-not", {"type": "string"}, {"not": {"type": "array"}}, "string"),
    ("all-of-joined", {"allOf": [{"minimum": 1}, {"maximum": 2}]}, {"minimum": 1, "maximum": 3}, "number"),
    ("reference-or-not", {"$ref": "#/$defs/a", "$defs": {"a": {"maxLength": 2}}}, {"maxLength": 3}, "string"),
    ("tree", TREE, LOOSER_TREE, "object"),
    ("condition-that-is-met", {"const": 5}, {"if": {"type": "integer"}, "then": {"minimum": 5}}, "integer"),
    ("nothing", False, {"const": 1}, "integer"),
    ("everything", {"pattern": "x"}, True, "string"),
    ("names", {"propertyNames": {"maxLength": 2}}, {"propertyNames": {"maxLength": 3}}, "object"),
    ("pattern-of-names", {"patternProperties": {"^x": {"const": 1}}, "additionalProperties": False},
     {"additionalProperties": {"type": "integer"}}, "object"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "kind"), [pytest.param(*case[1:], id=case[0]) for case in CONTAINED])
def test_a_schema_that_allows_all_that_it_did_breaks_no_input(old: Schema, new: Schema, kind: str) -> None:
    assert of_input(old, new, kind).of_level("breaking") == []
    assert of_output(new, old, kind).of_level("breaking") == []


BROKEN = [
    ("enum", {"enum": ["a", "b"]}, {"enum": ["a"]}, "string", "enum-shrunk", "/enum"),
    ("type", {"type": "number"}, {"type": "integer"}, "number", "type-narrowed", "/type"),
    ("length", {"maxLength": 9}, {"maxLength": 5}, "string", "bounds-narrowed", "/maxLength"),
    ("bound", {}, {"minimum": 1}, "number", "bounds-narrowed", "/minimum"),
    ("multiples", {"multipleOf": 3}, {"multipleOf": 6}, "number", "bounds-narrowed", "/multipleOf"),
    ("pattern", {"pattern": "^[a-z]+$"}, {"pattern": "^[a-c]+$"}, "string", "schema-narrowed", "/pattern"),
    ("no-pattern-before", {"maxLength": 5}, {"pattern": "^a"}, "string", "schema-narrowed", "/pattern"),
    ("length-beyond-a-pattern", {"pattern": "^a+$"}, {"maxLength": 5}, "string", "bounds-narrowed", "/maxLength"),
    ("format", {}, {"format": "date"}, "string", "schema-narrowed", "/format"),
    ("required", {}, {"required": ["a"]}, "object", "schema-narrowed", "/required/0"),
    ("closed", {}, {"additionalProperties": False}, "object", "schema-narrowed", "/additionalProperties"),
    ("member-of-an-open-object", {}, {"properties": {"a": {"type": "string"}}}, "object", "type-narrowed",
     "/properties/a/type"),
    ("item", {"items": {"type": "number"}}, {"items": {"type": "integer"}}, "array", "type-narrowed", "/items/type"),
    ("value-beyond-a-bound", {"enum": [1, 9]}, {"maximum": 5}, "integer", "schema-narrowed", ""),
    ("false", {"type": "string"}, False, "string", "schema-narrowed", ""),
    ("tree", LOOSER_TREE, TREE, "object", "bounds-narrowed", "/properties/value/maxLength"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "kind", "rule", "at"), [pytest.param(*case[1:], id=case[0]) for case in BROKEN])
def test_a_schema_that_refuses_what_it_allowed_breaks_an_input(
    old: Schema, new: Schema, kind: str, rule: str, at: str
) -> None:
    (broken,) = of_input(old, new, kind).of_level("breaking")
    assert (broken.rule, broken.decided) == (f"diff/input-{rule}", True)
    assert broken.pointer == f"/inputs/0/schema{at}"


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        pytest.param({}, {"not": {"minLength": 3, "pattern": "ab"}}, "string", id="not"),
        pytest.param({"pattern": "^(?=.*a)b+"}, {"pattern": "^(?=.*a)b*"}, "string", id="look-ahead"),
        pytest.param({"pattern": r"^\d$"}, {"pattern": "^[0-9]$"}, "string", id="digits-that-python-reads-otherwise"),
        pytest.param(
            {"properties": {"a": {}}, "additionalProperties": False},
            {"properties": {"a": {}}, "unevaluatedProperties": False},
            "object",
            id="unevaluated",
        ),
        pytest.param({"multipleOf": 0.02}, {"multipleOf": 0.01}, "number", id="fractions"),
        pytest.param({"not": {"const": 3}}, {"oneOf": [{"minimum": 3}, {"maximum": 3}]}, "number", id="one-of"),
    ],
)
def test_what_cannot_be_decided_says_so_and_breaks_unless_it_is_allowed(old: Schema, new: Schema, kind: str) -> None:
    found = of_input(old, new, kind)
    undecided = found.of_level("breaking")
    assert {(each.rule, each.decided) for each in undecided} == {("diff/input-undecided", False)}
    assert "cannot be decided" in undecided[0].message
    pair = [{"name": "p", "type": kind, "required": True, "schema": schema} for schema in (old, new)]
    lax = diff(*(with_members(inputs=[each]) for each in pair), allow_undecided=True)
    assert (lax.is_breaking, lax.bump) == (False, "minor")


@pytest.mark.parametrize(
    ("old", "new", "kind", "example"),
    [
        pytest.param({"minProperties": 1}, {"unevaluatedProperties": False}, "object", '{"', id="unevaluated"),
        pytest.param({"maxItems": 3}, {"uniqueItems": True}, "array", "[", id="unique"),
        pytest.param({}, {"not": {"minLength": 3, "pattern": "aa"}}, "string", '"aa', id="not"),
        pytest.param({"minimum": 0}, {"anyOf": [{"minimum": 5}, {"maximum": 4}]}, "number", "4.5", id="gap"),
        pytest.param({"pattern": "^(?=.*a)b*"}, {"pattern": "^(?=.*a)b+"}, "string", '"a', id="look-ahead"),
    ],
)
def test_a_value_that_is_tried_can_decide_what_keywords_do_not(
    old: Schema, new: Schema, kind: str, example: str
) -> None:
    (broken, *_) = of_input(old, new, kind).of_level("breaking")
    assert (broken.decided, f"such as {example}" in broken.message) == (True, True)


def test_an_example_of_the_parameter_can_decide() -> None:
    old = {"name": "p", "type": "string", "examples": ["xaz"], "schema": {"pattern": "^(?=.*z)x"}}
    new = {**old, "schema": {"pattern": "^(?=.*z)x[^a]"}}
    (broken, *_) = diff(with_members(inputs=[old]), with_members(inputs=[new])).of_level("breaking")
    assert (broken.decided, 'such as "xaz"' in broken.message) == (True, True)


def test_an_output_that_grew_breaks_and_one_that_shrank_does_not() -> None:
    assert rules(of_output({"enum": ["a"]}, {"enum": ["a", "b"]}, "string")) == ["output-enum-grown"]
    assert rules(of_output({"enum": ["a", "b"]}, {"enum": ["a"]}, "string")) == ["output-enum-shrunk"]
    assert rules(of_output({"required": ["a"]}, {})) == ["output-schema-widened"]


def test_an_output_may_have_members_that_nobody_named_before() -> None:
    found = of_output({"properties": {"a": {}}}, {"properties": {"a": {}, "b": {"type": "string"}}})
    assert not found.is_breaking


def test_a_member_of_an_open_object_that_gets_a_type_is_one_break() -> None:
    (broken,) = of_input({}, {"properties": {"a": {"type": "string"}}}).changes
    assert broken.message == "Values of another type than string were accepted and are refused now"


def test_the_same_in_other_words_is_cosmetic() -> None:
    found = of_input(
        {"type": "string", "title": "T", "minLength": 2}, {"allOf": [{"minLength": 2}], "type": "string"}, "string"
    )
    assert [(each.rule, each.level, each.needs) for each in found.changes] == [("diff/rewritten", "cosmetic", "patch")]


def test_a_change_both_ways_is_told_both_ways() -> None:
    found = of_input({"enum": ["a", "b"]}, {"enum": ["b", "c"]}, "string")
    assert rules(found) == ["input-enum-shrunk", "input-enum-grown"]
    assert ['the value "a"' in found.changes[0].message.lower(), '"c"' in found.changes[1].message] == [True, True]


def nested(depth: int, leaf: Schema) -> Schema:
    for _ in range(depth):
        leaf = {"properties": {"a": leaf}, "anyOf": [{"required": ["a"]}, {"maxProperties": 0}]}
    return leaf


def choices(depth: int, last: Schema) -> Schema:
    """Alternatives that double with every level, when they are written out."""
    definitions: dict[str, Schema] = {"d0": last}
    for level in range(1, depth):
        inner = {"$ref": f"#/$defs/d{level - 1}"}
        definitions[f"d{level}"] = {"anyOf": [{"properties": {"a": inner}}, {"properties": {"b": inner}}]}
    return {"$ref": f"#/$defs/d{depth - 1}", "$defs": definitions}


HOSTILE = [
    ("deep", nested(20, {"minLength": 1}), nested(20, {"minLength": 2})),
    ("huge-enum", {"enum": list(range(9000))}, {"enum": list(range(1, 9001))}),
    ("huge-enum-of-objects", {"enum": [{"a": i} for i in range(4000)]}, {"enum": [{"a": i} for i in range(3999)]}),
    ("doubling-choices", choices(40, {"type": "string"}), choices(40, {"type": "string", "maxLength": 4})),
    ("many-choices", {"anyOf": [{"minLength": i, "pattern": f"a{i}"} for i in range(300)]},
     {"anyOf": [{"minLength": i, "pattern": f"b{i}"} for i in range(300)]}),
    ("one-of-many", {"oneOf": [{"required": [f"m{i}"]} for i in range(300)]},
     {"oneOf": [{"required": [f"m{i}"]} for i in range(1, 301)]}),
    ("choices-of-choices", {"allOf": [{"anyOf": [{"const": i}, {"minLength": i}]} for i in range(60)]},
     {"allOf": [{"anyOf": [{"const": i}, {"minLength": i + 1}]} for i in range(60)]}),
    ("cycles", {"$defs": {f"d{i}": {"properties": {f"p{j}": {"$ref": f"#/$defs/d{j}"} for j in range(12)}}
                          for i in range(12)}, "$ref": "#/$defs/d0"},
     {"$defs": {f"d{i}": {"properties": {f"p{j}": {"$ref": f"#/$defs/d{(j + 1) % 12}"} for j in range(12)}}
                for i in range(12)}, "$ref": "#/$defs/d0"}),
    ("long-chain", {"$defs": {f"d{i}": {"properties": {"a": {"$ref": f"#/$defs/d{i + 1}"}}} for i in range(1200)}
                    | {"d1200": {"type": "string"}}, "$ref": "#/$defs/d0"},
     {"$defs": {f"d{i}": {"properties": {"a": {"$ref": f"#/$defs/d{i + 1}"}}} for i in range(1200)}
      | {"d1200": {"type": "integer"}}, "$ref": "#/$defs/d0"}),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new"), [pytest.param(*case[1:], id=case[0]) for case in HOSTILE])
@pytest.mark.parametrize("kind", ["object", "string"])
def test_a_hostile_schema_is_compared_in_bounded_time(old: Schema, new: Schema, kind: str) -> None:
    started = time.process_time()
    found = of_input(old, new, kind)
    assert time.process_time() - started < 5
    assert len(json.dumps(found.to_dict())) < 200_000


def test_many_plain_parameters_are_all_decided() -> None:
    pairs = [
        [{"name": f"p{i}", "type": "string", "schema": {"type": "string", "maxLength": i + more}} for i in range(1500)]
        for more in (1, 2)
    ]
    found = diff(*(with_members(inputs=each) for each in pairs))
    assert (len(found.changes), {each.rule for each in found.changes}) == (1500, {"diff/input-bounds-widened"})


def test_many_hostile_parameters_share_one_bound() -> None:
    pairs = [
        [{"name": f"p{i}", "type": "object", "schema": choices(30, {"maxLength": limit})} for i in range(15)]
        for limit in (5, 4)
    ]
    started = time.process_time()
    found = diff(*(with_members(inputs=each) for each in pairs))
    assert time.process_time() - started < 8
    assert found.is_breaking


EXTREMES: tuple[Any, ...] = (10**400, -(10**400), 10**5000, 1e308, -1e308, 5e-324, -0.0, 2**53, 2**53 + 1.0, 0.1)
NUMERIC = ("minimum", "exclusiveMaximum", "multipleOf", "maxLength", "minItems", "maxProperties", "const", "default")


@pytest.mark.parametrize("keyword", NUMERIC)
def test_extreme_numbers_are_compared(keyword: str) -> None:
    kind = {"maxLength": "string", "minItems": "array", "maxProperties": "object"}.get(keyword, "number")
    said = [value for value in EXTREMES if not check_embedded({keyword: value}, at="")]
    for old in said:
        for new in said:
            found = of_input({keyword: old, "pattern": "^a{2}"}, {keyword: new}, kind)
            assert json.dumps(found.to_dict())
            assert bool(found.is_breaking) <= (old != new)
