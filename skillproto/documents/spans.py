"""Where each value of a document stands in its text, as a tree of the value's own shape.

Pure: both formats build such a tree, and a JSON Pointer finds its way through it.
"""

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias


class Span(NamedTuple):
    """The stretch of text that holds one value: indexes of its first character and behind its last.

    Attributes:
        start, end: the value, with a YAML anchor or tag that stands before it.
        members: for an object, each key's start and end and the member's span; the last of equal keys.
        items: for an array, the spans of its values.
    """

    start: int
    end: int
    members: "dict[str, Member] | None" = None
    items: "list[Span] | None" = None


class Member(NamedTuple):
    """A member of an object: where its key stands, and its value."""

    key_start: int
    key_end: int
    value: Span


Step: TypeAlias = Member | Span


def tokens(field: str) -> list[str]:
    """Split a JSON Pointer into its parts.

    >>> tokens("/a~1b/0")
    ['a/b', '0']
    """
    return [token.replace("~1", "/").replace("~0", "~") for token in field.split("/")[1:]]


def child(span: Span, token: str) -> Step | None:
    """Take one step down: a member, an item, or None where there is no such value."""
    if span.members is not None:
        return span.members.get(token)
    if span.items is not None and token.isascii() and token.isdigit() and len(token) <= _LONGEST_INDEX:
        index = int(token)
        return span.items[index] if index < len(span.items) else None
    return None


def walk(root: Span, field: str) -> Iterator[Step]:
    """Give each step from the root towards a pointer, as far as the text has it.

    >>> [step.start for step in walk(Span(0, 4, items=[Span(1, 2)]), "/0/x") if isinstance(step, Span)]
    [0, 1]
    """
    span = root
    yield root
    for token in tokens(field):
        step = child(span, token)
        if step is None:
            return
        yield step
        span = step.value if isinstance(step, Member) else step


_LONGEST_INDEX = 9
