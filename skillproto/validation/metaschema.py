"""What draft 2020-12 asks of a schema itself, told in our own words.

The same verdicts as its metaschema, without loading it. Pure.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

from skillproto.validation.formats import refusal
from skillproto.validation.names import nearest
from skillproto.violations import type_name

DIALECTS = ("https://json-schema.org/draft/2020-12/schema",)
"""What `$schema` may say."""

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")

CHILDREN: Mapping[str, Literal["schema", "list", "map"]] = {
    "allOf": "list",
    "anyOf": "list",
    "oneOf": "list",
    "prefixItems": "list",
    "not": "schema",
    "if": "schema",
    "then": "schema",
    "else": "schema",
    "items": "schema",
    "contains": "schema",
    "additionalProperties": "schema",
    "propertyNames": "schema",
    "unevaluatedItems": "schema",
    "unevaluatedProperties": "schema",
    "contentSchema": "schema",
    "properties": "map",
    "patternProperties": "map",
    "dependentSchemas": "map",
    "$defs": "map",
    "definitions": "map",
}
"""The keywords under which schemas stand: one, a list, or a map of names."""

_ANCHOR = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")


class Problem(NamedTuple):
    """What is wrong with a keyword, at a path inside the schema."""

    path: tuple[str | int, ...]
    message: str
    expected: str
    actual: Any = None
    hint: str | None = None


def form_problems(schema: Any) -> Iterator[Problem]:
    """Give what is wrong with the keywords of one schema; not with the schemas inside it.

    >>> [problem.path for problem in form_problems({"minLength": -1, "type": "text"})]
    [('minLength',), ('type',)]
    """
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield Problem((), f"A schema cannot be {_a(schema)}", "object or boolean", schema)
        return
    for keyword, value in schema.items():
        if not isinstance(keyword, str):
            yield Problem((str(keyword)[:60],), "A keyword is no string", "string", keyword)
        elif keyword in _CHECKS:
            yield from _CHECKS[keyword](keyword, value)
        elif keyword in CHILDREN:
            yield from _child(keyword, value)


def _a(value: Any) -> str:
    name = (
        type_name(value)
        if isinstance(value, str | int | float | list | dict | None)
        else f"Python {type(value).__name__}"
    )
    return {"null": "null"}.get(name, f"{'an' if name[0] in 'aio' else 'a'} {name}")


def _child(keyword: str, value: Any) -> Iterator[Problem]:
    kind = CHILDREN[keyword]
    if kind == "schema" and not isinstance(value, dict | bool):
        hint = "A list of schemas stands in prefixItems" if keyword == "items" and isinstance(value, list) else None
        yield Problem((keyword,), f"{keyword} cannot be {_a(value)}", "a schema: object or boolean", value, hint)
    elif kind == "list" and not (isinstance(value, list) and value):
        found = "empty" if isinstance(value, list) else _a(value)
        yield Problem((keyword,), f"{keyword} cannot be {found}", "a list of at least one schema", value)
    elif kind == "map" and not isinstance(value, dict):
        yield Problem((keyword,), f"{keyword} cannot be {_a(value)}", "an object whose members are schemas", value)


Check = Callable[[str, Any], Iterator[Problem]]


def _wants(expected: str, holds: Callable[[Any], bool]) -> Check:
    def check(keyword: str, value: Any) -> Iterator[Problem]:
        if not holds(value):
            yield Problem((keyword,), f"{keyword} must be {expected}", expected, value, _hint(keyword, value))

    return check


def _hint(keyword: str, value: Any) -> str | None:
    if keyword == "required" and isinstance(value, bool):
        return "Name the member in the list `required` of the schema around it"
    if keyword in ("exclusiveMinimum", "exclusiveMaximum") and isinstance(value, bool):
        return "Write the bound itself here, in place of minimum or maximum"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value - value == 0


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _type(keyword: str, value: Any) -> Iterator[Problem]:
    names = value if isinstance(value, list) else [value]
    expected = f"one of: {', '.join(TYPES)}"
    if not names:
        yield Problem(("type",), "type cannot be an empty list", expected, value)
    for index, name in enumerate(names):
        path = ("type", index) if isinstance(value, list) else ("type",)
        if name not in TYPES if isinstance(name, str) else True:
            close = nearest(name, TYPES) if isinstance(name, str) else None
            yield Problem(path, "There is no such type", expected, name, f"Did you mean {close!r}?" if close else None)
        elif name in names[:index]:
            yield Problem(path, "The type is named twice", "types that differ", name)


def _dependent(keyword: str, value: Any) -> Iterator[Problem]:
    if not isinstance(value, dict):
        yield Problem(
            (keyword,), f"{keyword} cannot be {_a(value)}", "an object whose members are lists of names", value
        )
        return
    for name, names in value.items():
        if not _are_names(names):
            yield Problem((keyword, name), "A list of names is needed", "a list of names that differ", names)


_number = _wants("a number", _is_number)
_count = _wants("a whole number that is not negative", _is_count)
_boolean = _wants("a boolean", lambda value: isinstance(value, bool))
_text = _wants("a string", lambda value: isinstance(value, str))
_list = _wants("a list", lambda value: isinstance(value, list))

_CHECKS: Mapping[str, Check] = {
    "type": _type,
    "enum": _list,
    "examples": _list,
    "multipleOf": _wants("a number greater than 0", lambda value: _is_number(value) and value > 0),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _number),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _count),
    **dict.fromkeys(("minContains", "maxContains"), _count),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _boolean),
    **dict.fromkeys(("title", "description", "$comment", "format", "pattern", "$schema"), _text),
    **dict.fromkeys(("contentEncoding", "contentMediaType"), _text),
    **dict.fromkeys(
        ("$ref", "$dynamicRef"),
        _wants("a reference", lambda value: isinstance(value, str) and refusal("uri-reference", value) is None),
    ),
    **dict.fromkeys(
        ("$anchor", "$dynamicAnchor"),
        _wants("a name", lambda value: isinstance(value, str) and _ANCHOR.fullmatch(value) is not None),
    ),
    "$id": _wants(
        "an address without a fragment", lambda value: isinstance(value, str) and "#" not in value.removesuffix("#")
    ),
    "$vocabulary": _wants("an object", lambda value: isinstance(value, dict)),
    "required": _wants("a list of names that differ", _are_names),
    "dependentRequired": _dependent,
}
