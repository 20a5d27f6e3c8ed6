"""Turn jsonschema errors into violations, in our own words.

Reads keyword, path, bounds and schema of an error, never its text. One fault gives one
violation: of several keywords that fail on the same value the most telling speaks. Pure.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from skillproto.validation.describe import describe, resolved, type_names
from skillproto.validation.formats import Refusal
from skillproto.validation.names import nearest, version_hint
from skillproto.validation.shown import listed, phrase, short_text, shown
from skillproto.violations import Violation, pointer, type_name

PRIORITY = (
    "schema/type", "schema/null-member", "schema/required", "schema/enum", "schema/format", "schema/pattern",
    "schema/length", "schema/range", "schema/unique", "schema/unexpected", "schema/form",
)  # fmt: skip
"""Which rule speaks where several are broken by the same value: the first."""

_LONGEST_HINT = 300


ValidationError = Any
"""An error of jsonschema: its members have looser types than what stands in them here."""


class Words(NamedTuple):
    """What a finding says about an error."""

    rule: str
    message: str
    expected: str | None = None
    hint: str | None = None
    details: dict[str, Any] = {}  # noqa: RUF012 - a NamedTuple default, never changed
    is_missing: bool = False


def translate(errors: Iterable[ValidationError], root: Any, *, at: str = "") -> list[Violation]:
    """Turn errors into violations, one for each faulty value, in order of pointers.

    Args:
        errors: as the validator gives them.
        root: the schema, in which references are followed.
        at: JSON Pointer of the value that was checked.

    >>> translate([], {})
    []
    """
    found: dict[str, Violation] = {}
    for error in errors:
        for leaf in _leaves(error):
            violation = _violation(leaf, root, at)
            known = found.get(violation.field)
            if known is None or PRIORITY.index(violation.rule) < PRIORITY.index(known.rule):
                found[violation.field] = violation
    return sorted(found.values(), key=lambda violation: violation.sort_key)


def _violation(error: ValidationError, root: Any, at: str) -> Violation:
    path = error.absolute_path
    words = _WORDS.get(str(error.validator), _form)(error, root)
    name = path[-1] if path and isinstance(path[-1], str) else ""
    return Violation(
        field=at + pointer(path),
        expected=describe(error.schema, root) if words.expected is None else words.expected,
        actual=None if words.is_missing else shown(error.instance, name),
        message=short_text(words.message, _LONGEST_HINT),
        rule=words.rule,
        hint=None if words.hint is None else short_text(words.hint, _LONGEST_HINT),
        details=words.details,
    )


def _leaves(error: ValidationError) -> list[ValidationError]:
    """Give the errors to tell: of alternatives those of the one that was meant, where that is plain."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        return [error]
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context:
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    meant = [errors for errors in branches.values() if not any(map(_is_of_another_kind, errors))]
    if len(meant) != 1 and len(branches) > 1:
        return [error]
    return [leaf for inner in (meant or list(branches.values()))[0] for leaf in _leaves(inner)]


def _is_of_another_kind(error: ValidationError) -> bool:
    """Say whether an error of a branch shows that another branch was meant: the type or the tag is wrong."""
    depth = len(error.relative_path)
    return (depth == 0 and error.validator in ("type", "enum", "const")) or (depth == 1 and error.validator == "const")


def _type(error: ValidationError, root: Any) -> Words:
    found = error.instance
    kind = (
        type_name(found)
        if isinstance(found, str | int | float | list | dict | None)
        else f"Python {type(found).__name__}"
    )
    return Words("schema/type", f"Wrong type: {kind}", hint=_type_hint(found, type_names(resolved(error.schema, root))))


def _type_hint(found: Any, wanted: list[str]) -> str | None:
    if isinstance(found, float) and found - found != 0:
        return "JSON has no such number"
    if isinstance(found, tuple) and "array" in wanted:
        return "Give a list"
    if isinstance(found, str):
        if found in ("true", "false") and "boolean" in wanted:
            return f"Write {found} without quotes"
        if (
            {"integer", "number"} & {*wanted}
            and found.isascii()
            and found.replace(".", "", 1).removeprefix("-").isdigit()
        ):
            return "Write the number without quotes"
    if isinstance(found, int | float) and "string" in wanted:
        return "Write it in quotes"
    if "array" in wanted and found is not None:
        return "Put it into a list, in square brackets"
    return None


def _name(error: ValidationError, root: Any) -> Words:
    return Words("schema/type", "A member's name is no string", "string (name of a member)")


def _null(error: ValidationError, root: Any) -> Words:
    return Words(
        "schema/null-member", "null is no value here", hint="Remove it: an optional member without a value is left out"
    )


def _required(error: ValidationError, root: Any) -> Words:
    name = error.absolute_path[-1]
    schema = error.schema if isinstance(error.schema, dict) else {}
    expected = describe(schema.get("properties", {}).get(name, {}), root)
    close = error.validator_value
    if not close:
        return Words("schema/required", "Required field is missing", expected, is_missing=True)
    misspelt = pointer([*list(error.absolute_path)[:-1], close])
    hint = f"Rename {short_text(close, 60)!r} to {name!r}"
    return Words(
        "schema/required", "Required field is missing", expected, hint, {"misspelt": misspelt}, is_missing=True
    )


def _enum(error: ValidationError, root: Any) -> Words:
    values = error.validator_value
    texts = [value for value in values if isinstance(value, str)]
    close = nearest(error.instance, texts) if isinstance(error.instance, str) else None
    return Words("schema/enum", "Invalid enum value", f"one of: {listed(values)}", _meant(close))


def _meant(close: str | None) -> str | None:
    return f"Did you mean {short_text(close, 60)!r}?" if close else None


def _const(error: ValidationError, root: Any) -> Words:
    return Words("schema/enum", "Invalid value", phrase(error.validator_value))


def _pattern(error: ValidationError, root: Any) -> Words:
    schema = resolved(error.schema, root)
    title, description = (text if isinstance(text := schema.get(key), str) else "" for key in ("title", "description"))
    details = {"pattern": short_text(error.validator_value, 1000)}
    if schema.get("format") == "uri" or schema.get("format") == "uri-template":
        scheme = error.instance.partition(":")[0]
        return Words("schema/pattern", f"Not a web address: its scheme is {scheme}", None, description, details)
    message = f"Invalid {title[:60] or 'text'}"
    if not error.instance.strip():
        message = "Text is blank" if error.instance else "Text is empty"
    hint = version_hint(error.instance) if title == "SemVer version" else None
    if hint is None and not description:
        message, hint = f"{message}: it does not have the form that the schema asks for", None
    return Words("schema/pattern", message + (f": {_lower(description)}" if description else ""), None, hint, details)


def _lower(sentence: str) -> str:
    sentence = sentence.rstrip(".")
    return sentence[:1].lower() + sentence[1:] if sentence[1:2].islower() or sentence[1:2] == " " else sentence


def _format(error: ValidationError, root: Any) -> Words:
    refused: Refusal = error.validator_value[1]
    return Words("schema/format", refused.reason, hint=refused.hint)


def _length(noun: str) -> Callable[[ValidationError, Any], Words]:
    def words(error: ValidationError, root: Any) -> Words:
        size, bound = len(error.instance), error.validator_value
        unit = noun if size != 1 else noun[:-1]
        if size == 0:
            message = {"characters": "Text is empty", "items": "List is empty", "members": "Object is empty"}[noun]
        else:
            message = f"Too {'many' if size > bound else 'few'} {noun}: {size:,} {unit}"
        return Words("schema/length", message, describe(error.schema, root, sizes=True))

    return words


def _range(error: ValidationError, root: Any) -> Words:
    side = "small" if str(error.validator).endswith("inimum") else "large"
    return Words("schema/range", f"Number is too {side}")


def _multiple(error: ValidationError, root: Any) -> Words:
    return Words("schema/range", f"Number is not a multiple of {phrase(error.validator_value)}")


def _unique(error: ValidationError, root: Any) -> Words:
    first = pointer([*list(error.absolute_path)[:-1], error.validator_value])
    return Words("schema/unique", "Item repeats an earlier one", "items that differ", "Remove it", {"first": first})


def _unexpected(error: ValidationError, root: Any) -> Words:
    schema = error.schema if isinstance(error.schema, dict) else {}
    known = schema.get("properties", {})
    close = nearest(str(error.validator_value), known)
    expected = f"one of the members: {listed(known)}" if known else "no such member"
    return Words("schema/unexpected", "Unexpected field", expected, _meant(close))


def _not(error: ValidationError, root: Any) -> Words:
    if error.validator_value == {}:
        return Words("schema/unexpected", "No value is allowed here", "no value")
    return Words("schema/form", "Value has a form that is ruled out", f"not {describe(error.validator_value, root)}")


def _contains(error: ValidationError, root: Any) -> Words:
    subschema, count = error.validator_value
    schema = error.schema if isinstance(error.schema, dict) else {}
    least, most = schema.get("minContains", 1), schema.get("maxContains")
    bounds = f"at least {phrase(least)}" if most is None else f"{phrase(least)} to {phrase(most)}"
    expected = f"array with {bounds} of: {describe(subschema, root)}"
    return Words("schema/form", f"{count} of the items have the form that is asked for", expected)


def _form(error: ValidationError, root: Any) -> Words:
    """Words for a value that fits none, or several, of the forms that the schema allows."""
    if error.validator == "several":
        return Words("schema/form", "Value fits several forms of which it may fit one")
    wanted = [name for branch in error.validator_value or () for name in _required_names(branch)]
    if wanted and all(inner.validator == "required" and len(inner.relative_path) == 1 for inner in error.context or ()):
        expected = f"at least one of the members: {listed(dict.fromkeys(wanted))}"
        return Words("schema/required", "None of the members that are asked for is there", expected)
    return Words("schema/form", "Value fits none of the forms that are allowed")


def _required_names(branch: Any) -> list[str]:
    return list(branch.get("required", ())) if isinstance(branch, dict) else []


_WORDS: dict[str, Callable[[ValidationError, Any], Words]] = {
    "type": _type,
    "name": _name,
    "null": _null,
    "required": _required,
    "enum": _enum,
    "const": _const,
    "pattern": _pattern,
    "format": _format,
    "minLength": _length("characters"),
    "maxLength": _length("characters"),
    "minItems": _length("items"),
    "maxItems": _length("items"),
    "minProperties": _length("members"),
    "maxProperties": _length("members"),
    "minimum": _range,
    "maximum": _range,
    "exclusiveMinimum": _range,
    "exclusiveMaximum": _range,
    "multipleOf": _multiple,
    "uniqueItems": _unique,
    "unexpected": _unexpected,
    "not": _not,
    "contains": _contains,
}
