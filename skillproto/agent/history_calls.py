"""Which answer belongs to which tool call of a conversation, whatever vendor's shape it has.

Pure. Reads JSON and the objects of the vendors' SDKs alike, and changes neither.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from skillproto.errors import UsageError
from skillproto.invocation.excerpts import excerpt

_SHOWN = 80


class Part(NamedTuple):
    """A tool call or an answer, and where it stands.

    Attributes:
        place: the message or item, counted from 0.
        call_id: the id that both sides bear.
        name: of the tool; None in an answer.
        raw: the block, message or item itself.
        kind: where a vendor has several kinds of calls, which one; an answer is to a call of its own kind.
    """

    place: int
    call_id: str
    name: str | None
    raw: Any
    kind: str = ""


class Pairs:
    """Calls with their answers, as far as they have one.

    Attributes:
        answers: for each call, by its index in `calls`, the first answer of its kind after it; in the answers' order.
        strays: answers without a call before them, and second answers; nobody wants them.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self.calls: list[Part] = []
        self.answers: dict[int, Part] = {}
        self.strays: list[Part] = []
        self._at: dict[int, dict[tuple[str, str], int]] = {}
        latest: dict[tuple[str, str], int] = {}
        for part in parts:
            known_by = (part.kind, part.call_id)
            if part.name is not None:
                self._at.setdefault(part.place, {})[known_by] = latest[known_by] = len(self.calls)
                self.calls.append(part)
            elif (index := latest.get(known_by)) is None or index in self.answers:
                self.strays.append(part)
            else:
                self.answers[index] = part

    def calls_at(self, place: int) -> list[int]:
        """Give the calls of a message, as indexes, each id of a kind once."""
        return sorted(self._at.get(place, {}).values())


def get(value: Any, name: str) -> Any:
    """Give a member of a JSON object or of an SDK's object; None where there is none.

    >>> get({"type": "tool_use"}, "type"), get("text", "type")
    ('tool_use', None)
    """
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def get_list(value: Any, name: str) -> list[Any]:
    """Give a member that is a list; an empty one for anything else.

    >>> get_list({"content": "text"}, "content")
    []
    """
    found = get(value, name)
    return list(found) if isinstance(found, list | tuple) else []


def id_of(value: Any, name: str, place: int) -> str:
    """Give the id of a call or an answer.

    Raises:
        UsageError: there is none, so that no answer can be matched.
    """
    found = get(value, name)
    if not isinstance(found, str) or not found:
        raise UsageError(f"message {place} has a tool call or an answer without {name}, which cannot be matched")
    return found


def name_of(value: Any) -> str:
    """Give the name of the tool that is called, short enough to show."""
    found = get(value, "name")
    return excerpt(found, _SHOWN) if isinstance(found, str) else ""
