"""What is compared of a value: its schemas, each with the place in its descriptor that it comes from.

Pure. Schemas are looked through and normalised before they come here, so that every reference stays inside.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from skillproto.validation.canonical import canonical
from skillproto.validation.references import find_local
from skillproto.validation.schema_scan import Scan
from skillproto.violations import pointer

Node = dict[str, Any]
"""A schema, after normalisation: an object, never a boolean."""

Nodes = tuple[Node, ...]
"""Schemas that all hold for one value."""

NOTHING: Node = {"not": {}}
"""The schema that nothing fits, as normalisation writes `false`."""

ANNOTATIONS = frozenset(
    {
        "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$defs",
        "definitions", "contentMediaType", "contentEncoding", "contentSchema",
    }
)  # fmt: skip
"""Keywords that ask nothing of a value."""

BOUNDS = frozenset(
    {
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
        "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains",
    }
)  # fmt: skip
"""Keywords that bound a number or a count."""


class Place(NamedTuple):
    """Where a node stands: the schema that its references are looked up in, and its pointer in the descriptor."""

    root: Any
    field: str


class Parts:
    """The nodes of all schemas of a comparison, with their places.

    >>> parts = Parts()
    >>> root = parts.add_schema({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, "/output/schema")
    >>> parts.field(parts.target(root))
    '/output/schema/$defs/a'
    """

    def __init__(self) -> None:
        self._places: dict[int, Place] = {}
        self._kept: list[Node] = []
        self.has_formats = False
        """Whether a schema names a format, which some validators check and others do not."""

    def add(self, node: Node, field: str, root: Any = None) -> Node:
        """Note a node that has no schemas inside."""
        self._places[id(node)] = Place(node if root is None else root, field)
        self._kept.append(node)  # an id says nothing once its object is gone
        return node

    def add_schema(self, schema: Any, field: str) -> Node:
        """Normalise a valid schema and note all of its nodes."""
        root: Node = Scan(schema, field).normalised()
        for at, node in _objects(root):
            self._places[id(node)] = Place(root, field + at)
            self.has_formats = self.has_formats or "format" in node
        self._kept.append(root)
        return root

    def field(self, node: Node) -> str:
        """Give the pointer of a node in its descriptor; "" for one that stands in none."""
        place = self._places.get(id(node))
        return place.field if place is not None else ""

    def root(self, node: Node) -> Any:
        """Give the schema that a node's references are looked up in."""
        place = self._places.get(id(node))
        return place.root if place is not None else node

    def target(self, node: Node) -> Node:
        """Give what the reference of a node names."""
        found: Node = find_local(self.root(node), node["$ref"])
        return found


def _objects(root: Any) -> Iterator[tuple[str, Node]]:
    waiting = [("", root)]
    while waiting:
        at, value = waiting.pop()
        if isinstance(value, dict):
            yield at, value
            waiting.extend((at + pointer([key]), item) for key, item in value.items() if isinstance(item, dict | list))
        elif isinstance(value, list):
            waiting.extend((f"{at}/{i}", item) for i, item in enumerate(value) if isinstance(item, dict | list))


def asked(node: Node) -> list[str]:
    """Give the keywords of a node that ask something of a value, in their order."""
    return [keyword for keyword in node if keyword not in ANNOTATIONS]


def is_equal(one: Any, other: Any) -> bool:
    """Say whether two JSON values are equal as JSON has it: 1 is 1.0, and true is not 1.

    >>> is_equal({"a": 1, "b": 2}, {"b": 2.0, "a": 1}), is_equal(True, 1)
    (True, False)
    """
    try:
        if repr(one) == repr(other):  # by far the most common case, and the quickest to tell
            return True
    except (RecursionError, ValueError):
        pass  # too deep, or an integer of too many digits to be written out
    return canonical(one) == canonical(other)
