"""Prove that every value that fits some schemas also fits another, or say what stands in the way.

A proof is sound: where nothing stands in the way, containment holds. What stands in the way is either certain, a
value was allowed and is not, or it could not be decided. The work is counted against a budget, so that no schema
makes it long. Pure.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from skillproto.publishing.comparison.facts import Facts
from skillproto.publishing.comparison.parts import Node, Nodes, Parts
from skillproto.publishing.comparison.phrases import plain_value, value_phrase
from skillproto.publishing.comparison.regexes import Machines
from skillproto.publishing.comparison.sameness import Sameness
from skillproto.validation.budget import Budget
from skillproto.validation.patterns import compile_pattern
from skillproto.violations import JSONValue, pointer

_MOST_REASONS = 50


class Reason(NamedTuple):
    """Why containment does not hold, or was not proven.

    Attributes:
        field: pointer of the keyword that stands in the way, in its descriptor.
        keyword: the keyword itself.
        what: the values that it refuses, as a phrase in the plural.
        is_certain: whether such a value was allowed before; False where that could not be decided.
        example: such a value as text, or "" where none is known.
    """

    field: str
    keyword: str
    what: str
    is_certain: bool
    example: str = ""


Check = Callable[["Containment", Facts, Node, Any], Iterator[Reason]]


class Containment:
    """Compares schemas of one pair of descriptors.

    Args:
        parts: where every node stands.
        budget: what the work is counted against.
        fits: says whether a value fits a node, given the schema around it.
        checks: what each keyword asks.
    """

    def __init__(
        self,
        parts: Parts,
        budget: Budget,
        fits: Callable[[JSONValue, Any, Node], bool],
        checks: Mapping[str, Check],
    ) -> None:
        self.parts = parts
        self.budget = budget
        self.same = Sameness(parts, budget)
        self._fits = fits
        self._checks = checks
        self.machines = Machines(budget)
        self._open: set[tuple[frozenset[int], int]] = set()
        self._proven: set[tuple[frozenset[int], int]] = set()
        self._assumptions = 0
        self._kept: list[Any] = []

    def reasons(self, nodes: Nodes, target: Node) -> list[Reason]:
        """Give what keeps the values that fit all of `nodes` from fitting `target`; none is a proof.

        Two schemas that refer to themselves are compared with the assumption that their inner values are
        contained: values end, so that what holds on every step inwards holds.

        Raises:
            BudgetSpent: that took more work than it may.
        """
        if not target:
            return []
        key = (frozenset(map(id, nodes)), id(target))
        if key in self._proven:
            return []
        if key in self._open:
            self._assumptions += 1
            return []
        before = self._assumptions
        self._open.add(key)
        found = _distinct(self.apply(self.facts(nodes), target))
        self._open.discard(key)
        if not found and self._assumptions == before:
            self._proven.add(key)
        return found

    def facts(self, nodes: Nodes, expanded: frozenset[int] = frozenset()) -> Facts:
        """Collect what holds for every value that fits all nodes."""
        found: list[Node] = []
        seen: set[int] = set()
        waiting = list(reversed(nodes))
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            self.budget.spend()
            found.append(node)
            waiting.extend(reversed(node.get("allOf", ())))
            if "$ref" in node:
                waiting.append(self.parts.target(node))
        return Facts(nodes, found, expanded, self.matches)

    def narrowed(self, facts: Facts, *more: Node, expanded: int | None = None) -> Facts:
        """Add nodes to facts."""
        self._kept.extend(more)  # an id says nothing once its object is gone
        done = facts.expanded if expanded is None else facts.expanded | {expanded}
        return self.facts((*facts.nodes, *more), done)

    def apply(self, facts: Facts, target: Node) -> list[Reason]:
        """Compare with one node, for one and the same value."""
        self.budget.spend()
        if not target or facts.is_nothing or any(self.same.of(part, target) for part in facts.parts):
            return []
        values = facts.first_values()
        if values is not None:
            return self._listed(facts, values, target)
        if self.is_empty(facts):
            return []
        found = _distinct(self._keywords(facts, target))
        if found and facts.choices:
            return self._branches(facts, facts.choices[0], target)
        return found

    def _branches(self, facts: Facts, branches: list[Node], target: Node) -> list[Reason]:
        """Compare each alternative that a value may take by itself."""
        found: list[Reason] = []
        for branch in branches:
            found += self.apply(self.narrowed(facts, branch, expanded=id(branches)), target)
        return _distinct(found)

    def _keywords(self, facts: Facts, target: Node) -> Iterator[Reason]:
        for keyword, value in target.items():
            check = self._checks.get(keyword)
            if check is not None:
                yield from check(self, facts, target, value)

    def _listed(self, facts: Facts, values: list[Any], target: Node) -> list[Reason]:
        found: list[Reason] = []
        for value in values:
            if len(found) < _MOST_REASONS and not self.fits(value, target):
                is_certain = all(self.fits(value, node) for node in facts.nodes)
                if is_certain or self.parts.has_formats:  # a format may keep it out here, and let it in elsewhere
                    found.append(self._refused(value, target, is_certain=is_certain))
        return _distinct(found)

    def _refused(self, value: Any, target: Node, *, is_certain: bool) -> Reason:
        parts = self.facts((target,)).parts
        refusing = next((part for part in parts if "enum" in part or "const" in part), target)
        keyword = next((word for word in ("enum", "const", "type") if word in refusing), "value")
        return self.reason(refusing, keyword, value_phrase(value), certain=is_certain)

    def fits(self, value: Any, node: Node) -> bool:
        """Say whether a value fits a node.

        Raises:
            BudgetSpent: that took more work than it may.
        """
        self.budget.spend()
        return not node or self._fits(value, self.parts.root(node), node)

    def is_empty(self, facts: Facts, depth: int = 0) -> bool:
        """Say whether surely no value fits. False says nothing."""
        if facts.is_nothing:
            return True
        self.budget.spend()
        values = facts.first_values()
        if values is not None and not self.parts.has_formats:
            return not any(all(self.fits(value, node) for node in facts.nodes) for value in values)
        return all(facts.empty_kind(kind) or self._has_no(facts, kind, depth) for kind in facts.kinds)

    def _has_no(self, facts: Facts, kind: str, depth: int) -> bool:
        if kind != "object" or depth >= _DEEPEST:
            return False
        return any(self.is_empty(self.facts(facts.member(name)), depth + 1) for name in facts.required)

    def are_apart(self, facts: Facts, node: Node) -> bool:
        """Say whether surely no value fits both. False says nothing."""
        if any("not" in part and self.same.of(part["not"], node) for part in facts.parts):
            return True
        return self.is_empty(self.narrowed(facts, node))

    def tells_apart(self, value: Any, facts: Facts, node: Node, *keywords: str) -> bool:
        """Say whether a value surely fits the nodes of the facts, and some keywords of a node refuse it."""
        alone = self.parts.add({word: node[word] for word in keywords if word in node}, "", self.parts.root(node))
        return not self.fits(value, alone) and all(self.fits(value, own) for own in facts.nodes)

    def matches(self, pattern: str, name: str) -> bool:
        """Say whether a pattern matches somewhere in a name."""
        return compile_pattern(pattern).search(name, self.budget)

    def reason(
        self,
        node: Node,
        keyword: str,
        what: str,
        *,
        certain: bool,
        below: tuple[str | int, ...] = (),
        example: str | None = None,
    ) -> Reason:
        """Make a reason at a keyword of a node; a text that shows it may come along."""
        path = () if keyword == "value" else (keyword, *below)
        shown = "" if example is None else plain_value(example)
        return Reason(self.parts.field(node) + pointer(path), keyword, what, certain, shown)


_DEEPEST = 4


def _distinct(reasons: "Iterator[Reason] | list[Reason]") -> list[Reason]:
    """Leave out repeats, and all beyond a bound; the certain one of two stays."""
    found: dict[tuple[str, str, str], Reason] = {}
    for reason in reasons:
        key = reason[:3]
        if key not in found and len(found) >= _MOST_REASONS:
            break
        if key not in found or reason.is_certain:
            found[key] = reason
    return list(found.values())
