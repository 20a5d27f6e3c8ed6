"""Read the tool calls of a model, in whatever shape its vendor writes them.

Pure. What is wrong with the list (no id, the same id twice, no tool call at all) is the
programmer's fault, or the model's, and refused as a whole; what is wrong with the arguments of one
call is that call's failure.

    anthropic            {"type": "tool_use", "id", "name", "input": {...}}; MCP's sampling too
    openai               {"id", "type": "function", "function": {"name", "arguments": "{...}"}}
    openai, responses    {"type": "function_call", "call_id", "name", "arguments": "{...}"}
    mcp                  {"name", "arguments": {...}}, alone or as the params of {"id", "method": "tools/call"}
    asixto               as MCP
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from skillproto.errors import UsageError
from skillproto.invocation.excerpts import excerpt
from skillproto.violations import JSONValue, Violation

_LONGEST_ID = 512
_SHOWN = 80


class ToolCall(NamedTuple):
    """What a model wants done.

    Attributes:
        id: the model's name for the call, to be repeated with its answer.
        name: of the tool, or the id of the skill.
        inputs: the arguments; anything but an object is refused when the call is made.
        broken: what is wrong with arguments that could not be read; None for those that could.
    """

    id: str
    name: str
    inputs: JSONValue
    broken: Violation | None = None

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the call as JSON.

        >>> ToolCall("c1", "search", {"q": "x"}).to_dict()
        {'id': 'c1', 'name': 'search', 'inputs': {'q': 'x'}}
        """
        told: dict[str, JSONValue] = {"id": self.id, "name": self.name, "inputs": self.inputs}
        return told if self.broken is None else told | {"broken": self.broken.to_dict()}

    @classmethod
    def from_dict(cls, told: Mapping[str, JSONValue]) -> "ToolCall":
        """Read what `to_dict` gave.

        >>> ToolCall.from_dict({"id": "c1", "name": "search", "inputs": {}}).name
        'search'
        """
        return cls(told["id"], told["name"], told["inputs"], Violation.from_dict(told.get("broken")))


def read_calls(calls: Iterable[Any]) -> tuple[ToolCall, ...]:
    """Read tool calls of any style; objects of the vendors' SDKs are read as well.

    MCP's bare params have no id, and get one of their place.

    Raises:
        UsageError: something is no tool call, has no id or no name, or two have the same id.

    >>> read_calls([{"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1}'}}])
    (ToolCall(id='c1', name='search', inputs={'q': 1}, broken=None),)
    """
    if isinstance(calls, Mapping | str | ToolCall):
        raise UsageError("give a list of tool calls, not a single one")
    read = tuple(_read(place, call) for place, call in enumerate(calls))
    seen: set[str] = set()
    twice = [call.id for call in read if call.id in seen or seen.add(call.id)]  # type: ignore[func-returns-value]
    if twice:
        raise UsageError(f"each tool call needs an id of its own; given twice: {_listed(twice)}")
    return read


def _listed(ids: Iterable[str]) -> str:
    return ", ".join(repr(excerpt(id_, _SHOWN)) for id_ in dict.fromkeys(ids))


def plain(value: Any) -> Any:
    """Give the JSON of an object of an SDK; what is JSON already is given back.

    >>> plain({"a": 1})
    {'a': 1}
    """
    dump = getattr(value, "model_dump", None)
    return dump(mode="json", by_alias=True, exclude_none=True) if callable(dump) else value


def _read(place: int, given: Any) -> ToolCall:
    if isinstance(given, ToolCall):
        return _checked(place, given.id, given.name, given)
    call = plain(given)
    if not isinstance(call, Mapping):
        raise UsageError(f"call {place} is no tool call but a {type(given).__name__}")
    function, kind = call.get("function"), call.get("type")
    if isinstance(function, Mapping):
        return _with_text(place, call.get("id"), function.get("name"), function.get("arguments"))
    if kind == "function_call":
        return _with_text(place, call.get("call_id"), call.get("name"), call.get("arguments"))
    if kind == "tool_use":
        return _with_value(place, call.get("id"), call.get("name"), call.get("input"))
    if call.get("method") == "tools/call" and isinstance(call.get("params"), Mapping):
        id_ = call.get("id")
        params = call["params"]
        is_number = isinstance(id_, int) and not isinstance(id_, bool)
        return _with_value(place, str(id_) if is_number else id_, params.get("name"), params.get("arguments"))
    if kind is None and "name" in call and "method" not in call:
        return _with_value(place, call.get("id", f"call-{place}"), call.get("name"), call.get("arguments"))
    raise UsageError(f"call {place} has none of the shapes of a tool call; its members are {_listed(map(str, call))}")


def _with_text(place: int, id_: Any, name: Any, text: Any) -> ToolCall:
    if not isinstance(text, str):
        return _with_value(place, id_, name, text)
    if not text.strip():
        return _with_value(place, id_, name, None)
    try:
        inputs = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        violation = Violation(
            field="/inputs",
            expected="JSON object",
            actual=excerpt(text, _SHOWN),
            message="The arguments are not JSON",
            rule="document/syntax",
            hint="Write the arguments as one JSON object",
        )
        return _checked(place, id_, name, ToolCall("", "", None, violation))
    return _with_value(place, id_, name, inputs)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _with_value(place: int, id_: Any, name: Any, inputs: JSONValue) -> ToolCall:
    return _checked(place, id_, name, ToolCall("", "", {} if inputs is None else inputs))


def _checked(place: int, id_: Any, name: Any, call: ToolCall) -> ToolCall:
    if not isinstance(id_, str) or not id_ or len(id_) > _LONGEST_ID:
        raise UsageError(f"call {place} needs an id, a text of 1 to {_LONGEST_ID} characters")
    if not isinstance(name, str) or not name:
        raise UsageError(f"call {place} ({excerpt(id_, _SHOWN)}) needs the name of a tool")
    return call._replace(id=id_, name=name)
