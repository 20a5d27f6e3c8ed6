"""Schemas made at random, changed at random, and the values that tell two of them apart."""

import copy
import random
from collections.abc import Iterator
from typing import Any

Schema = Any
NAMES = ("a", "b", "c")
TEXTS = ("", "a", "b", "ab", "abc", "aaaa", "2026-01-31", "a@example.com", "B", "a\n", "b\n", "ab\n", "\u0663", "1")
PATTERNS = (
    "^a",
    "a",
    "b$",
    "^b$",
    "^[a-c]*$",
    "^[a-z]+$",
    "^.{2}$",
    "^.{1,3}$",
    r"^\d+",
    "^[0-9]",
    r"^\w*$",
    "^$",
    "(a|b){2}",
)
NUMBERS = (-3, -1, 0, 1, 1.5, 2, 2.0, 3, 4, 6, 12, 2.5)
SCALARS: tuple[Any, ...] = (None, True, False, *TEXTS, *NUMBERS)
KINDS = ("string", "number", "integer", "boolean", "object", "array", "null")


class Maker:
    """Makes and changes schemas; a seed always gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)

    def schema(self, depth: int = 2, *, kind: str | None = None, refs: bool = True) -> Schema:
        if kind is None and self.dice.random() < 0.08:
            return self.dice.choice([True, False, {}])
        made: dict[str, Any] = {}
        kind = kind or self.dice.choice(KINDS)
        if self.dice.random() < 0.8:
            others = [self.dice.choice(KINDS) for _ in range(self.dice.choice([0, 0, 0, 1, 2]))]
            made["type"] = list(dict.fromkeys([kind, *others])) if others else kind
        for _ in range(self.dice.choice([0, 1, 1, 2, 3])):
            made |= self.keyword(kind, depth)
        if refs and depth == 2 and self.dice.random() < 0.25:
            made["$defs"] = {"d": self.schema(1, refs=False), "e": self.schema(1, refs=False)}
            made = self.with_reference(made)
        return made

    def with_reference(self, made: dict[str, Any]) -> dict[str, Any]:
        reference = {"$ref": self.dice.choice(["#/$defs/d", "#/$defs/e", "#"])}
        place = self.dice.choice(["properties", "items", "allOf", "anyOf", "additionalProperties"])
        if place == "properties":
            made.setdefault("properties", {})[self.dice.choice(NAMES)] = reference
        elif place in ("allOf", "anyOf"):
            reference = {"$ref": "#/$defs/d"}
            made[place] = [reference, *made.get(place, [])]
        else:
            made[place] = reference
        return made

    def keyword(self, kind: str, depth: int) -> dict[str, Any]:
        dice = self.dice
        general = [
            lambda: {"enum": dice.sample(SCALARS, dice.randint(1, 5))},
            lambda: {"const": dice.choice(SCALARS)},
        ]
        if depth > 0:
            general += [
                lambda: {dice.choice(["allOf", "anyOf", "oneOf"]): self.several(depth)},
                lambda: {"not": self.schema(depth - 1)},
                lambda: {"if": self.schema(depth - 1), "then": self.schema(depth - 1), "else": self.schema(depth - 1)},
            ]
        own = {
            "string": [
                lambda: {"minLength": dice.randint(0, 3)},
                lambda: {"maxLength": dice.randint(0, 4)},
                lambda: {"pattern": dice.choice(PATTERNS)},
                lambda: {"format": dice.choice(["date", "email", "uri"])},
            ],
            "array": self.of_arrays(depth),
            "object": self.of_objects(depth),
        }
        numbers = [
            lambda: {dice.choice(["minimum", "exclusiveMinimum"]): dice.choice(NUMBERS)},
            lambda: {dice.choice(["maximum", "exclusiveMaximum"]): dice.choice(NUMBERS)},
            lambda: {"multipleOf": dice.choice([1, 2, 3, 4, 0.5, 1.5])},
        ]
        chosen = own.get(kind, numbers if kind in ("number", "integer") else general)
        made: dict[str, Any] = dice.choice(general if dice.random() < 0.25 else chosen)()
        return made

    def several(self, depth: int) -> list[Schema]:
        return [self.schema(depth - 1) for _ in range(self.dice.randint(1, 3))]

    def of_arrays(self, depth: int) -> list[Any]:
        dice = self.dice
        return [
            lambda: {"minItems": dice.randint(0, 2)},
            lambda: {"maxItems": dice.randint(0, 3)},
            lambda: {"uniqueItems": dice.random() < 0.7},
            lambda: {"items": self.schema(max(0, depth - 1))},
            lambda: {"prefixItems": self.several(max(1, depth))},
            lambda: {"contains": self.schema(0), "minContains": dice.randint(0, 2)},
            lambda: {"unevaluatedItems": self.schema(0)},
        ]

    def names(self) -> list[str]:
        return self.dice.sample(NAMES, self.dice.randint(1, 2))

    def of_objects(self, depth: int) -> list[Any]:
        dice = self.dice
        names = self.names
        return [
            lambda: {"required": names()},
            lambda: {"properties": {name: self.schema(max(0, depth - 1)) for name in names()}},
            lambda: {"properties": {name: self.schema(max(0, depth - 1)) for name in names()}},
            lambda: {"additionalProperties": dice.choice([False, False, self.schema(max(0, depth - 1))])},
            lambda: {"patternProperties": {dice.choice(["^a", "b", "c$"]): self.schema(0)}},
            lambda: {"propertyNames": self.schema(0, kind="string")},
            lambda: {"minProperties": dice.randint(0, 2)},
            lambda: {"maxProperties": dice.randint(0, 3)},
            lambda: {"dependentRequired": {dice.choice(NAMES): names()}},
            lambda: {"dependentSchemas": {dice.choice(NAMES): self.schema(0, kind="object")}},
            lambda: {"unevaluatedProperties": False},
        ]

    def changed(self, schema: Schema) -> Schema:
        """Change one thing somewhere in a schema."""
        made = copy.deepcopy(schema)
        places = list(_places(made))
        if not places or self.dice.random() < 0.1:
            return self.dice.choice([True, {}, self.schema(1), {"anyOf": [made, self.schema(1)]}, {"allOf": [made]}])
        place = self.dice.choice(places)
        if place and self.dice.random() < 0.6:
            self._change(place, self.dice.choice(list(place)))
        else:
            names = place.get("type", self.dice.choice(KINDS))
            place |= self.keyword(names if isinstance(names, str) else names[0], 1)
        return made

    def _change(self, place: dict[str, Any], keyword: str) -> None:
        value = place[keyword]
        if keyword != "$defs" and self.dice.random() < 0.35:
            del place[keyword]
        elif isinstance(value, bool):
            place[keyword] = not value
        elif isinstance(value, int | float):
            place[keyword] = max(1, value + self.dice.choice([-1, 1])) if "multiple" in keyword else self._step(value)
        elif keyword == "enum" or (keyword == "type" and isinstance(value, list)) or keyword == "required":
            pool: tuple[Any, ...] = {"enum": SCALARS, "type": KINDS}.get(keyword, NAMES)
            value.append(self.dice.choice([each for each in pool if not _is_in(each, value)] or value))
            if self.dice.random() < 0.5 and len(value) > 2:
                value.pop(0)
            place[keyword] = [each for i, each in enumerate(value) if not _is_in(each, value[:i])]
        elif keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
            value.insert(self.dice.randint(0, len(value)), self.schema(1, refs=False))
        elif keyword == "type":
            place[keyword] = self.dice.choice([*KINDS, [value, "null"] if value != "null" else "null"])

    def _step(self, value: float) -> float:
        return max(0, value + self.dice.choice([-1, 1])) if isinstance(value, int) else value + 1


def _is_in(value: Any, values: list[Any]) -> bool:
    return any(type(value) is type(each) and value == each for each in values)


def _places(schema: Schema) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for keyword, value in schema.items():
            if keyword in ("properties", "patternProperties", "$defs", "dependentSchemas"):
                for each in value.values():
                    yield from _places(each)
            elif keyword in ("anyOf", "oneOf", "allOf", "prefixItems"):
                for each in value:
                    yield from _places(each)
            elif keyword not in ("enum", "const", "required", "dependentRequired"):
                yield from _places(value)


def values(dice: random.Random, count: int = 60) -> list[Any]:
    """Give every scalar, and arrays and objects of them, some within each other."""
    made: list[Any] = [*SCALARS, [], {}]
    for _ in range(count):
        made.append([dice.choice(made) for _ in range(dice.randint(1, 3))])
        made.append({name: dice.choice(made) for name in dice.sample([*NAMES, "ab", "x"], dice.randint(1, 3))})
    return made
