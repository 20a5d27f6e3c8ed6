"""Prove quickly that a value fits a schema that a descriptor carries. False proves nothing.

The everyday keywords become small functions; a schema that says anything else has no proof,
and its values go to the reference. Each node of a value is looked at a few times at most.
Pure; what the schema says is never run as code.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from skillproto.validation.references import find_local

Proof = Callable[[Any], bool]

_MOST_PARTS = 300
_MOST_LOOKS = 16
_SAID = frozenset(
    {
        "type", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
        "$defs", "definitions", "contentMediaType", "contentEncoding",
    }
)  # fmt: skip
"""What asks nothing of a value, or is tested before the rest."""

_NONE = type(None)
_CLASSES: dict[str, tuple[type, ...]] = {
    "string": (str,), "boolean": (bool,), "object": (dict,), "array": (list,), "null": (_NONE,),
    "integer": (int,), "number": (int, float),
}  # fmt: skip


class _NoProof(Exception):
    """The schema says something that is not proven here."""


def proof_of(schema: Any) -> Proof | None:
    """Give a function that says whether a value surely fits; None where there is none.

    Args:
        schema: a schema that was looked through and normalised.

    >>> fits = proof_of({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer", "minimum": 1}}})
    >>> fits({"a": 1}), fits({"a": 0}), proof_of({"not": {}}) is None
    (True, False, True)
    """
    return proof_in(schema, schema)


def proof_in(root: Any, schema: Any) -> Proof | None:
    """Give such a function for a part of a schema, whose references lead into `root`.

    >>> proof_in({"$defs": {"a": {"type": "null"}}}, {"$ref": "#/$defs/a"})(None)
    True
    """
    try:
        return _Maker(root).proof(schema)
    except _NoProof:
        return None


class _Maker:
    def __init__(self, root: Any) -> None:
        self.root = root
        self.open: list[str] = []
        self.parts = 0
        self.looks = 1

    def proof(self, schema: Any) -> Proof:
        self.parts += 1
        if self.parts > _MOST_PARTS or not isinstance(schema, dict):
            raise _NoProof
        tests = [test for keyword, value in schema.items() for test in self.tests(keyword, value, schema)]
        kinds = _kinds(schema.get("type"))
        if float in kinds:
            tests.append(_is_finite)
        if dict in kinds:
            tests.append(_has_names)
        return partial(_fits, kinds, tests) if "type" in schema else partial(_holds, tests)

    def tests(self, keyword: str, value: Any, schema: dict[str, Any]) -> list[Proof]:
        if keyword in _SAID:
            return []
        make = _MAKERS.get(keyword)
        if make is None:
            raise _NoProof
        test = make(self, value, schema)
        kind = _TYPED.get(keyword)
        is_sure = kind is None or schema.get("type") == kind
        return [test if is_sure else partial(_where, _CLASSES[kind or ""], test)]

    def others(self, value: Any, schema: dict[str, Any]) -> Proof:
        """Make the test of members that are not named."""
        known = frozenset(schema.get("properties", ()))
        if value == {"not": {}}:
            return partial(_has_only, known)
        return partial(_others_fit, known, self.proof(value))

    def branches(self, schemas: list[Any]) -> list[Proof]:
        """Make the proofs of schemas that look at the same value, each of them at all that is in it."""
        self.looks *= len(schemas)
        if self.looks > _MOST_LOOKS:
            raise _NoProof
        made = [self.proof(schema) for schema in schemas]
        self.looks //= len(schemas)
        return made

    def reference(self, reference: str) -> Proof:
        if reference in self.open:
            raise _NoProof
        self.open.append(reference)
        try:
            return self.proof(find_local(self.root, reference))
        finally:
            self.open.pop()


def _kinds(names: Any) -> tuple[type, ...]:
    listed = [names] if isinstance(names, str) else names or []
    return tuple(kind for name in listed for kind in _CLASSES[name])


def _fits(kinds: tuple[type, ...], tests: list[Proof], value: Any) -> bool:
    return type(value) in kinds and all(test(value) for test in tests)


def _holds(tests: list[Proof], value: Any) -> bool:
    return all(test(value) for test in tests)


def _where(kinds: tuple[type, ...], test: Proof, value: Any) -> bool:
    return not isinstance(value, kinds) or test(value)


def _anything(value: Any) -> bool:
    return True


def _is_finite(value: Any) -> bool:
    return type(value) is not float or value - value == 0


def _has_names(value: Any) -> bool:
    return type(value) is not dict or all(type(name) is str for name in value)


def _has_only(known: frozenset[str], value: Any) -> bool:
    return all(name in known for name in value)


def _others_fit(known: frozenset[str], fits: Proof, value: Any) -> bool:
    return all(fits(item) for name, item in value.items() if name not in known)


def _members_fit(parts: list[tuple[str, Proof]], value: Any) -> bool:
    return all(fits(value[name]) for name, fits in parts if name in value)


def _items_fit(fits: Proof, value: Any) -> bool:
    return all(map(fits, value))


def _any_fits(branches: list[Proof], value: Any) -> bool:
    return any(fits(value) for fits in branches)


def _is_among(texts: frozenset[str], value: Any) -> bool:
    return type(value) is str and value in texts


def _has_all(names: list[str], value: Any) -> bool:
    return all(name in value for name in names)


def _differ(value: Any) -> bool:
    return len(value) < 2 or (all(type(item) is str for item in value) and len(set(value)) == len(value))


def _texts(maker: _Maker, values: Any, schema: Any) -> Proof:
    if not all(isinstance(value, str) for value in values):
        raise _NoProof
    return partial(_is_among, frozenset(values))


def _pattern(maker: _Maker, source: str, schema: Any) -> Proof:
    from skillproto.validation.patterns import compile_pattern

    pattern = compile_pattern(source)
    if not pattern.on_re:
        raise _NoProof
    return pattern.search


def _format(maker: _Maker, name: str, schema: Any) -> Proof:
    from skillproto.validation.formats import refusal

    return lambda value: refusal(name, value) is None


def _members(maker: _Maker, properties: Any, schema: Any) -> Proof:
    return partial(_members_fit, [(name, maker.proof(part)) for name, part in properties.items()])


_MAKERS: dict[str, Callable[[_Maker, Any, Any], Proof]] = {
    "enum": _texts,
    "const": lambda maker, value, schema: _texts(maker, [value], schema),
    "minLength": lambda maker, bound, schema: lambda value: len(value) >= bound,
    "maxLength": lambda maker, bound, schema: lambda value: len(value) <= bound,
    "minItems": lambda maker, bound, schema: lambda value: len(value) >= bound,
    "maxItems": lambda maker, bound, schema: lambda value: len(value) <= bound,
    "minProperties": lambda maker, bound, schema: lambda value: len(value) >= bound,
    "maxProperties": lambda maker, bound, schema: lambda value: len(value) <= bound,
    "minimum": lambda maker, bound, schema: lambda value: value >= bound,
    "maximum": lambda maker, bound, schema: lambda value: value <= bound,
    "exclusiveMinimum": lambda maker, bound, schema: lambda value: value > bound,
    "exclusiveMaximum": lambda maker, bound, schema: lambda value: value < bound,
    "pattern": _pattern,
    "format": _format,
    "required": lambda maker, names, schema: partial(_has_all, names),
    "properties": _members,
    "additionalProperties": lambda maker, part, schema: maker.others(part, schema),
    "items": lambda maker, part, schema: partial(_items_fit, maker.proof(part)),
    "uniqueItems": lambda maker, wanted, schema: _differ if wanted else _anything,
    "anyOf": lambda maker, parts, schema: partial(_any_fits, maker.branches(parts)),
    "allOf": lambda maker, parts, schema: partial(_holds, maker.branches(parts)),
    "$ref": lambda maker, reference, schema: maker.reference(reference),
}
_TYPED = {
    **dict.fromkeys(("minLength", "maxLength", "pattern", "format"), "string"),
    **dict.fromkeys(("minItems", "maxItems", "items", "uniqueItems"), "array"),
    **dict.fromkeys(("minProperties", "maxProperties", "properties", "required"), "object"),
    "additionalProperties": "object",
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "number"),
}
