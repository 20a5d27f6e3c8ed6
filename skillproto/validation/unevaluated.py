"""The keywords that look at what no other has looked at. Pure."""

from collections.abc import Iterator
from typing import Any

from skillproto.validation.keyword_context import Errors, Keyword, Schema, is_nothing, matches, spend, unexpected
from skillproto.validation.references import find_local


def _unevaluated_properties(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, dict):
        return
    seen = evaluated(validator, instance, schema, skip="unevaluatedProperties")
    for name in [name for name in instance if name not in seen]:
        if is_nothing(subschema):
            yield unexpected(name, instance, schema)
        else:
            yield from validator.descend(instance[name], subschema, path=name)


def _unevaluated_items(validator: Any, subschema: Any, instance: Any, schema: Schema) -> Errors:
    if not isinstance(instance, list):
        return
    seen = evaluated(validator, instance, schema, skip="unevaluatedItems")
    for index, item in enumerate(instance):
        if index not in seen:
            yield from validator.descend(item, subschema, path=index)


def evaluated(validator: Any, instance: Any, schema: Any, *, skip: str = "") -> set[Any]:
    """Give the members or indexes that the schema has looked at.

    What must hold anyway (allOf, $ref, then) counts without a second look: where it does
    not hold, the value is refused for that.
    """
    spend(validator, 1)
    if not isinstance(schema, dict):
        return set()
    own = _own_members if isinstance(instance, dict) else _own_items
    seen: set[Any] = own(validator, instance, schema, skip)
    for branch in _branches(validator, instance, schema):
        seen |= evaluated(validator, instance, branch)
    return seen


def _own_members(validator: Any, instance: dict[str, Any], schema: Schema, skip: str) -> set[Any]:
    if any(name in schema and name != skip for name in ("additionalProperties", "unevaluatedProperties")):
        return set(instance)
    patterns = schema.get("patternProperties", {})
    matched: set[Any] = {name for name in instance if any(matches(validator, pattern, name) for pattern in patterns)}
    return matched.union(name for name in schema.get("properties", {}) if name in instance)


def _own_items(validator: Any, instance: list[Any], schema: Schema, skip: str) -> set[Any]:
    if any(name in schema and name != skip for name in ("items", "unevaluatedItems")):
        return set(range(len(instance)))
    seen = set(range(len(schema.get("prefixItems", ()))))
    if "contains" in schema:
        checker = validator.evolve(schema=schema["contains"])
        seen.update(index for index, item in enumerate(instance) if checker.is_valid(item))
    return seen


def _branches(validator: Any, instance: Any, schema: Schema) -> Iterator[Any]:
    """Give the schemas that are applied to the same value and hold, or would have to."""
    if "$ref" in schema:
        yield find_local(validator.format_checker.root, schema["$ref"])
    yield from schema.get("allOf", ())
    for name in ("anyOf", "oneOf"):
        branches = schema.get(name, ())
        fitting = [branch for branch in branches if validator.evolve(schema=branch).is_valid(instance)]
        yield from fitting or branches
    if "if" in schema:
        held = validator.evolve(schema=schema["if"]).is_valid(instance)
        if held:
            yield schema["if"]
        yield schema.get("then" if held else "else", {})
    if isinstance(instance, dict):
        yield from (branch for name, branch in schema.get("dependentSchemas", {}).items() if name in instance)


UNEVALUATED: dict[str, Keyword] = {
    "unevaluatedProperties": _unevaluated_properties,
    "unevaluatedItems": _unevaluated_items,
}
