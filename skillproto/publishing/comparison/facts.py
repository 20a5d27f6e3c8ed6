"""What is surely true of every value that fits some schemas together.

Everything here is taken from one keyword at a time and never claims too much: what is not understood is left out,
so that the facts describe at least the values that fit, and perhaps more. Pure.
"""

import math
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from skillproto.publishing.comparison.parts import ANNOTATIONS, BOUNDS, NOTHING, Node, Nodes

KINDS = ("null", "boolean", "string", "number", "array", "object")
"""The kinds of JSON values; integers are numbers."""

MOST_VALUES = 2_000
"""Values that are looked at one by one."""

_WHOLE_RANGE = 100
_DEEPEST_EMPTY = 4
_PLAIN = ANNOTATIONS | BOUNDS | {"type", "enum", "const", "properties", "required", "items", "allOf", "$ref"}
_PLAIN |= {"prefixItems", "additionalProperties", "uniqueItems"}


class Limit(NamedTuple):
    """A bound of numbers; `is_open` when the bound itself does not belong to them."""

    value: float
    is_open: bool


class Facts:
    """What holds for every value that fits `parts`.

    Args:
        nodes: the schemas as they were given.
        parts: the same, with what they refer to and hold in allOf.
        expanded: lists of alternatives of which one branch is among the nodes already.
        matches: says whether a pattern matches somewhere in a name.
    """

    def __init__(
        self,
        nodes: Nodes,
        parts: list[Node],
        expanded: frozenset[int],
        matches: Callable[[str, str], bool],
    ) -> None:
        self.nodes = nodes
        self.parts = parts
        self.expanded = expanded
        self._matches = matches

    def each(self, keyword: str) -> list[Any]:
        """Give what each part says under a keyword."""
        return [part[keyword] for part in self.parts if keyword in part]

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of value that may fit."""
        allowed = set(KINDS)
        for names in self.each("type"):
            listed = {names} if isinstance(names, str) else set(names)
            allowed &= {"number" if name == "integer" else name for name in listed}
        return tuple(kind for kind in KINDS if kind in allowed)

    @cached_property
    def is_whole(self) -> bool:
        """Whether every number that fits is an integer."""
        if any(divisor == int(divisor) for divisor in self.each("multipleOf")):
            return True
        lists = [[names] if isinstance(names, str) else names for names in self.each("type")]
        return any("integer" in names and "number" not in names for names in lists)

    @cached_property
    def is_plain(self) -> bool:
        """Whether nothing is asked that these facts do not tell exactly, so that a value beyond them surely fits."""
        return all(keyword in _PLAIN for part in self.parts for keyword in part)

    @cached_property
    def choices(self) -> list[list[Node]]:
        """The lists of alternatives that no branch was taken of yet."""
        found = [part[keyword] for part in self.parts for keyword in ("anyOf", "oneOf") if keyword in part]
        return [branches for branches in found if id(branches) not in self.expanded]

    @cached_property
    def listed(self) -> list[Any] | None:
        """Values among which all that fit are; None where they cannot be listed."""
        lists = [part["enum"] if "enum" in part else [part["const"]] for part in self.parts
                 if "enum" in part or "const" in part]  # fmt: skip
        if lists:
            return min(lists, key=len)
        if set(self.kinds) <= {"null", "boolean"}:
            return [value for kind, value in (("null", None), ("boolean", False), ("boolean", True))
                    if kind in self.kinds]  # fmt: skip
        low, high = self.lowest, self.highest
        if self.kinds == ("number",) and self.is_whole and low and high and high.value - low.value < _WHOLE_RANGE:
            return list(range(int(low.value), int(high.value) + 1))
        return None

    @cached_property
    def lowest(self) -> Limit | None:
        """The bound below the numbers that fit."""
        limits = [Limit(value, False) for value in self.each("minimum")]
        limits += [Limit(value, True) for value in self.each("exclusiveMinimum")]
        best = max(limits, default=None)
        if best is None or not self.is_whole:
            return best
        return Limit(math.floor(best.value) + 1 if best.is_open else math.ceil(best.value), False)

    @cached_property
    def highest(self) -> Limit | None:
        """The bound above the numbers that fit."""
        limits = [Limit(value, False) for value in self.each("maximum")]
        limits += [Limit(value, True) for value in self.each("exclusiveMaximum")]
        best = min(limits, key=lambda limit: (limit.value, not limit.is_open), default=None)
        if best is None or not self.is_whole:
            return best
        return Limit(math.ceil(best.value) - 1 if best.is_open else math.floor(best.value), False)

    def least(self, keyword: str) -> float:
        """Give the smallest count that a `min...` keyword allows."""
        own = max(self.each(keyword), default=0)
        return max(own, len(self.required)) if keyword == "minProperties" else own

    def most(self, keyword: str) -> float:
        """Give the largest count that a `max...` keyword allows."""
        own = min(self.each(keyword), default=math.inf)
        if keyword == "maxItems":
            ends = (len(part.get("prefixItems", ())) for part in self.parts if part.get("items") == NOTHING)
            return min(own, min(ends, default=math.inf))
        if keyword == "maxProperties":
            closed = (len(part.get("properties", ())) for part in self.parts
                      if part.get("additionalProperties") == NOTHING and not part.get("patternProperties"))  # fmt: skip
            return min(own, min(closed, default=math.inf))
        return own

    @cached_property
    def required(self) -> dict[str, None]:
        """The names that every object has, in a fixed order."""
        names = dict.fromkeys(name for listed in self.each("required") for name in listed)
        dependent = self.each("dependentRequired")
        count = -1
        while dependent and count < len(names):
            count = len(names)
            for needed in dependent:
                names |= dict.fromkeys(each for name in list(names) for each in needed.get(name, ()))
        return names

    @cached_property
    def named(self) -> dict[str, None]:
        """The names of members that some part has a schema of its own for."""
        return dict.fromkeys(name for members in self.each("properties") for name in members)

    def member(self, name: str) -> Nodes:
        """Give the schemas that hold for a member of this name."""
        return tuple(node for part in self.parts for node in self._of_part(part, name))

    def _of_part(self, part: Node, name: str) -> Iterator[Node]:
        found = [part["properties"][name]] if name in part.get("properties", ()) else []
        patterns = part.get("patternProperties", {})
        found += [node for pattern, node in patterns.items() if self._matches(pattern, name)]
        if not found and "additionalProperties" in part:
            found = [part["additionalProperties"]]
        yield from found

    def others(self, covered: frozenset[str]) -> list[Nodes]:
        """Give the schemas of members that no part names: one tuple for each way in which they may come about.

        Args:
            covered: patterns whose names are looked at elsewhere.
        """
        ways: list[Nodes] = [()]
        has_patterns = False
        for part in self.parts:
            rest: list[Nodes] = [(part["additionalProperties"],) if "additionalProperties" in part else ()]
            patterns = part.get("patternProperties")
            if patterns and has_patterns:
                continue  # leaving a part out only makes the facts weaker
            if patterns:
                has_patterns = True
                rest += [(node,) for pattern, node in patterns.items() if pattern not in covered]
            ways = [(*way, *more) for way in ways for more in rest]
        return ways

    def matching(self, pattern: str) -> list[Nodes]:
        """Give the schemas of members whose name matches a pattern and that no part names."""
        own = tuple(members[pattern] for members in self.each("patternProperties") if pattern in members)
        return [own] if own else self.others(frozenset())

    def item(self, index: int) -> Nodes:
        """Give the schemas that hold for the item at an index."""
        found = []
        for part in self.parts:
            first = part.get("prefixItems", ())
            if index < len(first):
                found.append(first[index])
            elif "items" in part:
                found.append(part["items"])
        return tuple(found)

    @cached_property
    def longest_prefix(self) -> int:
        """How many items have schemas of their own."""
        return max((len(items) for items in self.each("prefixItems")), default=0)

    @cached_property
    def is_nothing(self) -> bool:
        """Whether a part is the schema that nothing fits, or no kind of value is left."""
        return not self.kinds or any(part.get("not") == {} for part in self.parts)

    def empty_kind(self, kind: str) -> bool:
        """Say whether surely no value of a kind fits, as far as bounds tell."""
        if kind == "number" and self.lowest and self.highest:
            low, high = self.lowest, self.highest
            return low.value > high.value or (low.value == high.value and (low.is_open or high.is_open))
        if kind == "string":
            return self.least("minLength") > self.most("maxLength")
        if kind == "array":
            return self.least("minItems") > self.most("maxItems")
        return kind == "object" and self.least("minProperties") > self.most("maxProperties")

    def first_values(self) -> list[Any] | None:
        """Give the listed values, or None where there are too many to look at each."""
        if self.listed is None or len(self.listed) > MOST_VALUES:
            return None
        return list(islice(self.listed, MOST_VALUES))
