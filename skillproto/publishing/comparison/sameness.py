"""Say whether two schemas ask the same, word for word: annotations aside, and references followed. Pure."""

from typing import Any

from skillproto.publishing.comparison.parts import Node, Parts, asked
from skillproto.validation.budget import Budget
from skillproto.validation.canonical import canonical
from skillproto.validation.metaschema import CHILDREN

_SETS = frozenset({"enum", "required", "type"})


class Sameness:
    """Compares nodes, and remembers what it found.

    >>> parts = Parts()
    >>> a, b = (parts.add_schema(schema, "") for schema in ({"type": "string", "title": "A"}, {"type": "string"}))
    >>> Sameness(parts, Budget(100)).of(a, b)
    True
    """

    def __init__(self, parts: Parts, budget: Budget) -> None:
        self._parts = parts
        self._budget = budget
        self._known: dict[tuple[int, int], bool] = {}
        self._assumed: list[tuple[int, int]] = []

    def of(self, one: Node, other: Node) -> bool:
        """Say whether two nodes ask the same in the same words.

        Two that refer to themselves are the same unless a difference is found.

        Raises:
            BudgetSpent: that took more work than it may.
        """
        one, other = self._named(one), self._named(other)
        key = (id(one), id(other))
        if key not in self._known:
            self._budget.spend()
            start = len(self._assumed)
            self._assumed.append(key)
            self._known[key] = True
            if not self._compare(one, other):
                for doubtful in self._assumed[start:]:  # what rested on the assumption goes with it
                    if self._known[doubtful]:
                        del self._known[doubtful]
                del self._assumed[start:]
                self._known[key] = False
        return self._known[key]

    def _named(self, node: Node) -> Node:
        while "$ref" in node and asked(node) == ["$ref"]:
            node = self._parts.target(node)
        return node

    def _compare(self, one: Node, other: Node) -> bool:
        keywords = asked(one)
        return set(keywords) == set(asked(other)) and all(self.under(word, one, other) for word in keywords)

    def under(self, keyword: str, one: Node, other: Node) -> bool:
        """Say whether two nodes say the same under one keyword, absence included."""
        if keyword not in one or keyword not in other:
            return keyword not in one and keyword not in other
        return self._values(keyword, one, other)

    def _values(self, keyword: str, one: Node, other: Node) -> bool:
        left, right = one[keyword], other[keyword]
        if keyword == "$ref":
            return self.of(self._parts.target(one), self._parts.target(other))
        kind = CHILDREN.get(keyword)
        if kind == "schema":
            return self.of(left, right)
        if kind == "list":
            return len(left) == len(right) and all(map(self.of, left, right))
        if kind == "map":
            return left.keys() == right.keys() and all(self.of(left[name], right[name]) for name in left)
        return self._plain(keyword, left, right)

    def _plain(self, keyword: str, left: Any, right: Any) -> bool:
        if keyword in _SETS:
            sides = [side if isinstance(side, list) else [side] for side in (left, right)]
            self._budget.spend((len(sides[0]) + len(sides[1])) // 16)
            return {canonical(value) for value in sides[0]} == {canonical(value) for value in sides[1]}
        texts = canonical(left), canonical(right)
        self._budget.spend((len(texts[0]) + len(texts[1])) // 256)
        return texts[0] == texts[1]
