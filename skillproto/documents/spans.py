"""Where each value of a document stands in its text, and the way there along a JSON Pointer.

The values lie in flat lists, in the order of the text: a large document has a million of
them, and as many small objects would keep the garbage collector busy. Both formats fill it.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import TypeAlias


class Shape(IntEnum):
    """What a value is made of."""

    SCALAR = 0
    ARRAY = 1
    OBJECT = 2


_LONGEST_INDEX = 9
_Children: TypeAlias = dict[str, int] | Sequence[int]


class SpanTree:
    """The values of one document, each known by its number in the order of the text.

    Attributes:
        starts, ends: index of a value's first character, and behind its last. In YAML the anchor
            and the tag before a value belong to it.
        names: its name where it is a member of an object.
        name_starts, name_ends: where that name stands.

    >>> tree = SpanTree()
    >>> tree.open(0, Shape.ARRAY), tree.leaf(1, 2), tree.leaf(4, 5), tree.close(6)
    (0, 1, 2, 0)
    >>> node, whole = tree.find("/1")
    >>> tree.starts[node], whole
    (4, True)
    """

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.names: list[str | None] = []
        self.name_starts: list[int] = []
        self.name_ends: list[int] = []
        self._shapes: list[Shape] = []
        self._behind: list[int] = []
        self._open: list[int] = []
        self._same_as: dict[int, int] = {}
        self._children: dict[int, _Children] = {}
        self._name: tuple[str | None, int, int] = (None, -1, -1)

    def name(self, name: str, start: int, end: int) -> None:
        """Note the name of the value that is added next."""
        self._name = (name, start, end)

    def leaf(self, start: int, end: int, shape: Shape = Shape.SCALAR) -> int:
        """Add a value that holds no other, and give its number."""
        node = len(self.starts)
        name, name_start, name_end = self._name
        self.starts.append(start)
        self.ends.append(end)
        self.names.append(name)
        self.name_starts.append(name_start)
        self.name_ends.append(name_end)
        self._shapes.append(shape)
        self._behind.append(node + 1)
        if name is not None:
            self._name = (None, -1, -1)
        return node

    def open(self, start: int, shape: Shape) -> int:
        """Add an array or object; what is added up to its close lies inside it."""
        node = self.leaf(start, start, shape)
        self._open.append(node)
        return node

    def close(self, end: int) -> int:
        """End the innermost array or object that is open."""
        node = self._open.pop()
        self.ends[node] = end
        self._behind[node] = len(self.starts)
        return node

    def alias(self, start: int, end: int, same_as: int) -> int:
        """Add a value that repeats one before it: its members stand where those of the other do."""
        node = self.leaf(start, end, self._shapes[same_as])
        self._same_as[node] = self._same_as.get(same_as, same_as)
        return node

    def is_scalar(self, node: int) -> bool:
        return self._shapes[node] is Shape.SCALAR

    def find(self, field: str) -> tuple[int, bool]:
        """Follow a JSON Pointer as far as the document has it, and say whether that is all the way."""
        node = 0
        for token in tokens(field):
            child = self._child(self._same_as.get(node, node), token)
            if child is None:
                return node, False
            node = child
        return node, True

    def _child(self, node: int, token: str) -> int | None:
        children = self._children_of(node)
        if isinstance(children, dict):
            return children.get(token)
        if not (token.isascii() and token.isdigit() and len(token) <= _LONGEST_INDEX):
            return None
        index = int(token)
        return children[index] if index < len(children) else None

    def _children_of(self, node: int) -> _Children:
        known = self._children.get(node)
        if known is None:
            nodes, child = [], node + 1
            while child < self._behind[node]:
                nodes.append(child)
                child = self._behind[child]
            is_object = self._shapes[node] is Shape.OBJECT
            known = {self.names[child] or "": child for child in nodes} if is_object else nodes
            self._children[node] = known
        return known


def tokens(field: str) -> list[str]:
    """Split a JSON Pointer into its parts.

    >>> tokens("/a~1b/0")
    ['a/b', '0']
    """
    return [token.replace("~1", "/").replace("~0", "~") for token in field.split("/")[1:]]
