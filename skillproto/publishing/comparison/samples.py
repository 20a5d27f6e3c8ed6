"""Make values that may tell schemas apart: what stands in them, and what lies beside their bounds. Pure."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

from skillproto.publishing.comparison.containment import Containment
from skillproto.publishing.comparison.facts import Facts
from skillproto.publishing.comparison.parts import Node, Nodes
from skillproto.validation.canonical import canonical

MOST = 80
"""Values that are made for one question."""

_MOST_NODES = 60
_MOST_OF_EACH = 6
_LONGEST = 300
_IN_PLACE = ("allOf", "anyOf", "oneOf")
_BRANCHES = ("not", "if", "then", "else")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_FORMATS = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T08:00:00Z",
    "time": "08:00:00Z",
    "email": "a@example.com",
    "uri": "https://example.com/",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uuid": "123e4567-e89b-12d3-a456-426614174000",
}
_LARGE = 1e15
_NEVER = r"[^\s\S]"


def witness(engine: Containment, nodes: Nodes, target: Node) -> Any:
    """Give a value, in a tuple, that fits all nodes and not the target; an empty tuple where none was found.

    Raises:
        BudgetSpent: that took more work than it may.
    """
    for value in islice(candidates(engine, engine.facts(nodes), (target,)), MOST):
        if not engine.fits(value, target) and all(engine.fits(value, node) for node in nodes):
            return (value,)
    return ()


def candidates(engine: Containment, facts: Facts, others: Nodes, depth: int = 2) -> Iterator[Any]:
    """Give values that may fit the facts, made from what the facts and other schemas say; each once."""
    seen: set[str] = set()
    nodes = list(_around(engine, (*facts.nodes, *others)))
    for value in _made(engine, facts, nodes, depth):
        written = canonical(value)
        if written not in seen:
            seen.add(written)
            yield value


def _around(engine: Containment, nodes: Iterable[Node]) -> Iterator[Node]:
    """Give nodes and all that are applied to the same value, up to a bound."""
    waiting = list(reversed(list(nodes)))
    seen: set[int] = set()
    while waiting and len(seen) < _MOST_NODES:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        engine.budget.spend()
        yield node
        waiting.extend(branch for word in _IN_PLACE for branch in node.get(word, ()))
        waiting.extend(node[word] for word in _BRANCHES if word in node)
        if "$ref" in node:
            waiting.append(engine.parts.target(node))


def _made(engine: Containment, facts: Facts, nodes: list[Node], depth: int) -> Iterator[Any]:
    yield from _written(nodes)
    makers: dict[str, Callable[[], Iterator[Any]]] = {
        "null": lambda: iter([None]),
        "boolean": lambda: iter([True, False]),
        "string": lambda: _texts(engine, facts, nodes),
        "number": lambda: _numbers(nodes),
        "array": lambda: _arrays(engine, facts, nodes, depth),
        "object": lambda: _objects(engine, facts, nodes, depth),
    }
    for kind in facts.kinds:
        yield from islice(makers[kind](), MOST // 2)


def _written(nodes: list[Node]) -> Iterator[Any]:
    for node in nodes:
        for word in ("enum", "examples"):
            if isinstance(node.get(word), list):
                yield from node[word][:_MOST_OF_EACH]
        for word in ("const", "default"):
            if word in node:
                yield node[word]


def _texts(engine: Containment, facts: Facts, nodes: list[Node]) -> Iterator[str]:
    yield from ("a", "")
    patterns = facts.each("pattern")
    if patterns:
        text = engine.machines.compare(patterns, _NEVER, (facts.least("minLength"), facts.most("maxLength"))).text
        yield from [] if text is None else [text]
    for node in nodes:
        if node.get("format") in _FORMATS:
            yield _FORMATS[node["format"]]
    for length in _counts(nodes, ("minLength", "maxLength"), _LONGEST):
        yield "a" * length
    yield from ("A", "0", "a b", "aa")


def _counts(nodes: list[Node], words: tuple[str, ...], most: int) -> list[int]:
    said = {int(node[word]) for node in nodes for word in words if word in node}
    return sorted(count for count in {each + step for each in said for step in (-1, 0, 1)} if 0 <= count <= most)


def _numbers(nodes: list[Node]) -> Iterator[float]:
    said = sorted({node[word] for node in nodes for word in _NUMBERS if word in node})[: 2 * _MOST_OF_EACH]
    for number in said:
        yield from (number, number + 1, number - 1)
        if abs(number) < _LARGE:
            yield from (number * 2, number + 0.5)
    yield from (0, 1, -1, 0.5, 2)


def _arrays(engine: Containment, facts: Facts, nodes: list[Node], depth: int) -> Iterator[list[Any]]:
    yield []
    if depth == 0:
        return
    others = tuple(node["items"] for node in nodes if "items" in node)
    items = _fitting(engine, facts.item(0), others, depth)
    rest = _fitting(engine, facts.item(1), others, depth)
    for first in items:
        yield [first]
    if items and rest:
        yield from ([items[0], rest[0]], [items[0], rest[-1]], [items[0], items[0]])
        tail = _fitting(engine, facts.item(max(2, facts.longest_prefix)), others, depth)[:1]
        for count in _counts(nodes, ("minItems", "maxItems"), 20):
            yield ([items[0], rest[0]] + tail * count)[:count]


def _fitting(engine: Containment, nodes: Nodes, others: Nodes, depth: int) -> list[Any]:
    """Give a few values that surely fit, of an item or a member."""
    made = islice(candidates(engine, engine.facts(nodes), others, depth - 1), MOST // 4)
    return [value for value in made if all(engine.fits(value, node) for node in nodes)][:_MOST_OF_EACH]


def _objects(engine: Containment, facts: Facts, nodes: list[Node], depth: int) -> Iterator[dict[str, Any]]:
    least: dict[str, Any] = {}
    for name in islice(facts.required, 2 * _MOST_OF_EACH):
        values = _fitting(engine, facts.member(name), (), depth) if depth else [None, "a", 1, {}, []]
        least[name] = values[0] if values else None
    yield least
    if depth == 0:
        return
    names = dict.fromkeys(name for node in nodes for name in (*node.get("properties", ()), *node.get("required", ())))
    for name in [*islice(names, 2 * _MOST_OF_EACH), "other"]:
        others = tuple(node["properties"][name] for node in nodes if name in node.get("properties", ()))
        for value in _fitting(engine, facts.member(name), others, depth):
            yield {**least, name: value}
    yield {**least, **dict.fromkeys(islice(names, _MOST_OF_EACH), "a")}
