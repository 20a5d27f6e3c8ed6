"""Say in a short phrase what a schema wants: "string (URI format)", "integer from 1 to 10". Pure."""

from typing import Any

from skillproto.validation.formats import FORMAT_NAMES
from skillproto.validation.references import find_local
from skillproto.validation.shown import listed, phrase, short_text

_MOST_REFERENCES = 20
_LONGEST_PHRASE = 200
_LARGEST_COUNT = 10**15
_NOUNS = {"string": "characters", "array": "items", "object": "members"}
_SIZES = {
    "string": ("minLength", "maxLength"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}


def describe(schema: Any, root: Any, *, sizes: bool = False) -> str:
    """Say what a schema wants.

    Args:
        schema: the schema, or a part of one.
        root: the whole schema, in which references are followed.
        sizes: whether lengths belong into the phrase.

    >>> describe({"type": "string", "format": "uri"}, {}), describe({"enum": ["a", "b"]}, {})
    ('string (URI format)', 'one of: a, b')
    """
    schema = resolved(schema, root)
    if "enum" in schema:
        return f"one of: {listed(schema['enum'])}"
    if "const" in schema:
        return phrase(schema["const"])
    types = type_names(schema)
    if types == ["string"]:
        return _text(schema, sizes=sizes)
    if types in (["integer"], ["number"]):
        return f"{types[0]}{range_of(schema)}"
    if len(types) == 1 and sizes and types[0] in _SIZES:
        return f"{types[0]}{_size(types[0], schema)}"
    if not types and isinstance(schema.get("title"), str):
        return short_text(schema["title"], 60)
    return " or ".join(types) if types else _branches(schema, root)


def resolved(schema: Any, root: Any) -> dict[str, Any]:
    """Give a schema with what its reference names put in.

    >>> resolved({"$ref": "#/$defs/x", "title": "t"}, {"$defs": {"x": {"type": "string"}}})
    {'type': 'string', '$ref': '#/$defs/x', 'title': 't'}
    """
    merged: dict[str, Any] = {}
    for _ in range(_MOST_REFERENCES):
        if not isinstance(schema, dict):
            break
        merged = {**schema, **merged}
        if "$ref" not in schema:
            break
        try:
            schema = find_local(root, schema["$ref"])
        except LookupError:
            break
    return merged


def type_names(schema: dict[str, Any]) -> list[str]:
    """Give the types that a schema names; none for any.

    >>> type_names({"type": ["object", "boolean"]})
    ['object', 'boolean']
    """
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def range_of(schema: dict[str, Any]) -> str:
    """Write the bounds of a number, with a space before; nothing where there are none.

    >>> range_of({"minimum": 1, "maximum": 10}), range_of({"exclusiveMinimum": 0})
    (' from 1 to 10', ' greater than 0')
    """
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        text = f" from {phrase(least)} to {phrase(most)}"
    elif least is not None or most is not None:
        text = f" of at least {phrase(least)}" if most is None else f" of at most {phrase(most)}"
    else:
        text = ""
    for keyword, words in (("exclusiveMinimum", "greater than"), ("exclusiveMaximum", "less than")):
        if keyword in schema:
            text += f"{' and' if text else ''} {words} {phrase(schema[keyword])}"
    return text + (f", a multiple of {phrase(schema['multipleOf'])}" if "multipleOf" in schema else "")


def _text(schema: dict[str, Any], *, sizes: bool) -> str:
    if sizes:
        return f"string{_size('string', schema)}"
    if isinstance(schema.get("format"), str) and schema["format"] in FORMAT_NAMES:
        return f"string ({FORMAT_NAMES[schema['format']]} format)"
    if isinstance(schema.get("title"), str):
        return f"string ({short_text(schema['title'], 60)})"
    return "string"


def _size(kind: str, schema: dict[str, Any]) -> str:
    least, most = (schema.get(keyword) for keyword in _SIZES[kind])
    noun = _NOUNS[kind]
    if least is not None and most is not None:
        return f" of {_count(least)} to {_count(most)} {noun}"
    if least is not None:
        return f" of at least {_count(least)} {noun if least != 1 else noun[:-1]}"
    return f" of at most {_count(most)} {noun if most != 1 else noun[:-1]}" if most is not None else ""


def _count(number: float) -> str:
    return f"{int(number):,}" if number < _LARGEST_COUNT else phrase(number)


def _branches(schema: dict[str, Any], root: Any) -> str:
    for keyword in ("anyOf", "oneOf"):
        branches = [resolved(branch, root) for branch in schema.get(keyword, [])[:5]]
        if branches and all("type" in branch or "enum" in branch or "const" in branch for branch in branches):
            return " or ".join(dict.fromkeys(describe(branch, root) for branch in branches))[:_LONGEST_PHRASE]
    return "another value" if schema.get("not") == {} else "any value"
