"""The keywords that look into arrays and objects, and those that combine schemas. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from skillproto.publishing.comparison.containment import Check, Containment, Reason
from skillproto.publishing.comparison.facts import Facts
from skillproto.publishing.comparison.parts import NOTHING, Node, Nodes
from skillproto.publishing.comparison.phrases import quoted

_MOST_ITEMS = 1_000_000
_UNDECIDED = "values that it does not allow"


def _required(engine: Containment, facts: Facts, node: Node, names: Any) -> Iterator[Reason]:
    if "object" in facts.kinds:
        for i, name in enumerate(names):
            if name not in facts.required:
                what = f"objects without the member {quoted(name)}"
                yield engine.reason(node, "required", what, certain=facts.is_plain, below=(i,))


def _dependent_required(engine: Containment, facts: Facts, node: Node, needed: Any) -> Iterator[Reason]:
    for name, names in needed.items():
        if "object" in facts.kinds and not _is_barred(engine, facts, name):
            having = engine.narrowed(facts, {"required": [name]})
            missing = [each for each in names if each not in having.required]
            for each in missing:
                what = f"objects with the member {quoted(name)} and without {quoted(each)}"
                yield engine.reason(node, "dependentRequired", what, certain=facts.is_plain, below=(name,))


def _dependent_schemas(engine: Containment, facts: Facts, node: Node, schemas: Any) -> Iterator[Reason]:
    for name, schema in schemas.items():
        if "object" in facts.kinds and not _is_barred(engine, facts, name):
            yield from engine.apply(engine.narrowed(facts, {"type": "object", "required": [name]}), schema)


def _is_barred(engine: Containment, facts: Facts, name: str) -> bool:
    return engine.is_empty(engine.facts(facts.member(name)))


def _properties(engine: Containment, facts: Facts, node: Node, properties: Any) -> Iterator[Reason]:
    if "object" in facts.kinds:
        for name, schema in properties.items():
            yield from _member(engine, facts.member(name), schema, facts, node, ("properties", name))


def _pattern_properties(engine: Containment, facts: Facts, node: Node, patterns: Any) -> Iterator[Reason]:
    if "object" not in facts.kinds:
        return
    for pattern, schema in patterns.items():
        path = ("patternProperties", pattern)
        for name in facts.named:
            if engine.matches(pattern, name):
                yield from _member(engine, facts.member(name), schema, facts, node, path)
        for way in facts.matching(pattern):
            yield from _member(engine, way, schema, facts, node, path)


def _additional_properties(engine: Containment, facts: Facts, node: Node, schema: Any) -> Iterator[Reason]:
    if "object" not in facts.kinds:
        return
    known, patterns = node.get("properties", {}), node.get("patternProperties", {})
    path = ("additionalProperties",)
    for name in facts.named:
        if name not in known and not any(engine.matches(pattern, name) for pattern in patterns):
            yield from _member(engine, facts.member(name), schema, facts, node, path, f"the member {quoted(name)}")
    for way in facts.others(frozenset(patterns)):
        yield from _member(engine, way, schema, facts, node, path)


def _member(
    engine: Containment,
    nodes: Nodes,
    schema: Node,
    facts: Facts,
    node: Node,
    path: tuple[str | int, ...],
    called: str = "members that are not named",
) -> Iterator[Reason]:
    """Compare one member; where it may not be at all, say so in a word."""
    if schema != NOTHING:
        for reason in engine.reasons(nodes, schema):
            yield reason._replace(is_certain=reason.is_certain and facts.is_plain)
    elif not engine.is_empty(engine.facts(nodes)):
        called = f"the member {quoted(str(path[1]))}" if path[0] == "properties" else called
        yield engine.reason(node, str(path[0]), f"objects with {called}", certain=facts.is_plain, below=path[1:])


def _property_names(engine: Containment, facts: Facts, node: Node, schema: Any) -> Iterator[Reason]:
    if "object" not in facts.kinds or any(engine.same.of(own, schema) for own in facts.each("propertyNames")):
        return
    names = engine.narrowed(engine.facts(tuple(facts.each("propertyNames"))), {"type": "string"})
    if engine.apply(names, schema) == []:
        return
    is_open = any(not engine.is_empty(engine.facts(way)) for way in facts.others(frozenset()))
    for name in facts.named:
        if not engine.fits(name, schema) and not _is_barred(engine, facts, name):
            what = f"objects with the member {quoted(name)}"
            yield engine.reason(node, "propertyNames", what, certain=facts.is_plain)
    if is_open:
        yield engine.reason(node, "propertyNames", "objects with members of other names", certain=False)


def _prefix_items(engine: Containment, facts: Facts, node: Node, schemas: Any) -> Iterator[Reason]:
    if "array" in facts.kinds:
        for schema, index in zip(schemas, range(_longest(engine, facts)), strict=False):
            yield from _item(engine, facts, schema, index)


def _items(engine: Containment, facts: Facts, node: Node, schema: Any) -> Iterator[Reason]:
    if "array" not in facts.kinds:
        return
    start = len(node.get("prefixItems", ()))
    last = max(start, facts.longest_prefix)
    for index in range(start, min(last + 1, _longest(engine, facts))):
        if schema != NOTHING:
            yield from _item(engine, facts, schema, index)
        elif not engine.is_empty(engine.facts(facts.item(index))):
            yield engine.reason(node, "items", f"arrays of more than {start} items", certain=facts.is_plain)
            return


def _longest(engine: Containment, facts: Facts) -> int:
    """Give how many items may come, as far as they have schemas of their own; none comes after one that cannot be."""
    most = min(facts.most("maxItems"), _MOST_ITEMS)
    for index in range(facts.longest_prefix + 1):
        if index >= most or engine.is_empty(engine.facts(facts.item(index))):
            return int(min(index, most))
    return int(most)


def _item(engine: Containment, facts: Facts, schema: Node, index: int) -> Iterator[Reason]:
    for reason in engine.reasons(facts.item(index), schema):
        yield reason._replace(is_certain=reason.is_certain and facts.is_plain)


def _unique(engine: Containment, facts: Facts, node: Node, wanted: Any) -> Iterator[Reason]:
    if wanted and "array" in facts.kinds and not any(facts.each("uniqueItems")) and facts.most("maxItems") > 1:
        yield engine.reason(node, "uniqueItems", "arrays with an item twice", certain=False)


def _contains(engine: Containment, facts: Facts, node: Node, schema: Any) -> Iterator[Reason]:
    if "array" not in facts.kinds or (node.get("minContains") == 0 and "maxContains" not in node):
        return
    least = node.get("minContains", 1)
    for part in facts.parts:
        if "contains" not in part:
            continue
        if all(engine.same.under(word, part, node) for word in ("contains", "minContains", "maxContains")):
            return
        is_enough = part.get("minContains", 1) >= least and "maxContains" not in node
        if is_enough and not engine.reasons((part["contains"],), schema):
            return
    yield engine.reason(node, "contains", "arrays with too few or too many items of a kind", certain=False)


def _reference(engine: Containment, facts: Facts, node: Node, reference: Any) -> Iterator[Reason]:
    yield from engine.apply(facts, engine.parts.target(node))


def _all_of(engine: Containment, facts: Facts, node: Node, schemas: Any) -> Iterator[Reason]:
    for schema in schemas:
        yield from engine.apply(facts, schema)


def _any_of(engine: Containment, facts: Facts, node: Node, branches: Any) -> Iterator[Reason]:
    if _has_same(engine, facts, node, "anyOf"):
        return
    for kind, part in _by_kind(engine, facts):
        if facts.choices or not any(not engine.apply(part, branch) for branch in branches):
            yield engine.reason(node, "anyOf", f"{_of_kind(kind)} that fit none of the alternatives", certain=False)


def _by_kind(engine: Containment, facts: Facts) -> Iterator[tuple[str, Facts]]:
    """Give the facts for each kind of value by itself; where branches are still to be taken, that comes first."""
    for kind in facts.kinds:
        part = engine.narrowed(facts, {"type": kind}) if len(facts.kinds) > 1 else facts
        if facts.choices or not engine.is_empty(part):
            yield kind, part
        if facts.choices:
            return


def _of_kind(kind: str) -> str:
    return f"values of type {kind}"


def _one_of(engine: Containment, facts: Facts, node: Node, branches: Any) -> Iterator[Reason]:
    if _has_same(engine, facts, node, "oneOf"):
        return
    for kind, part in _by_kind(engine, facts):
        if facts.choices or not _finds_one(engine, part, branches):
            what = f"{_of_kind(kind)} that do not fit exactly one of the alternatives"
            yield engine.reason(node, "oneOf", what, certain=False)


def _finds_one(engine: Containment, facts: Facts, branches: list[Node]) -> bool:
    """Say whether all values surely fit one branch and no other."""
    for branch in branches:
        if not engine.apply(facts, branch):
            return all(other is branch or engine.are_apart(facts, other) for other in branches)
    return False


def _not(engine: Containment, facts: Facts, node: Node, schema: Any) -> Iterator[Reason]:
    if not schema:
        yield engine.reason(node, "not", "all values", certain=facts.is_plain)
    elif not engine.are_apart(facts, schema):
        yield engine.reason(node, "not", _UNDECIDED, certain=False)


def _if(engine: Containment, facts: Facts, node: Node, condition: Any) -> Iterator[Reason]:
    words = ("if", "then", "else")
    if any(all(engine.same.under(word, part, node) for word in words) for part in facts.parts):
        return
    held = engine.narrowed(facts, condition)
    found = [] if engine.is_empty(held) else engine.apply(held, node.get("then", {}))
    if engine.apply(facts, condition):
        found += engine.apply(facts, node.get("else", {}))
    for reason in found:
        yield reason._replace(is_certain=False)


def _unevaluated(keyword: str, kind: str) -> Check:
    """What others have looked at depends on the whole schema, so only the same schema surely asks the same."""

    def check(engine: Containment, facts: Facts, node: Node, schema: Any) -> Iterator[Reason]:
        if schema and kind in facts.kinds:
            yield engine.reason(node, keyword, _UNDECIDED, certain=False)

    return check


def _has_same(engine: Containment, facts: Facts, node: Node, keyword: str) -> bool:
    return any(keyword in part and engine.same.under(keyword, part, node) for part in facts.parts)


STRUCTURE: Mapping[str, Check] = {
    "required": _required,
    "dependentRequired": _dependent_required,
    "dependentSchemas": _dependent_schemas,
    "properties": _properties,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "propertyNames": _property_names,
    "prefixItems": _prefix_items,
    "items": _items,
    "uniqueItems": _unique,
    "contains": _contains,
    "unevaluatedProperties": _unevaluated("unevaluatedProperties", "object"),
    "unevaluatedItems": _unevaluated("unevaluatedItems", "array"),
    "$ref": _reference,
    "allOf": _all_of,
    "anyOf": _any_of,
    "oneOf": _one_of,
    "not": _not,
    "if": _if,
}
