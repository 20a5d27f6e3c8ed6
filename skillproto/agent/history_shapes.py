"""Where each vendor wants the answers to tool calls, and how one is written there.

Pure. A conversation that is in order comes back as it is, message by message.

    anthropic   tool_use blocks; tool_result blocks first in the user message that follows directly
    openai      tool_calls; one tool message for each, directly behind
    responses   function_call and custom_tool_call items; their outputs directly behind the run of calls
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from skillproto.agent.history_calls import Pairs, Part, get, get_list, id_of, name_of
from skillproto.errors import UsageError
from skillproto.violations import JSONValue

HistoryStyle = Literal["anthropic", "openai", "responses"]
_CALLS = ("function_call", "custom_tool_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_LEFT_OUT = "[The answer to a tool call stood here; the call is not in this conversation.]"


class Shape(NamedTuple):
    """One vendor's shape.

    Attributes:
        parts: finds calls and answers in order.
        rebuild: puts every answer where it belongs, and leaves out those that nobody wants.
        is_in_place: says whether an answer stands where it belongs.
        answer: writes an answer: the call, its text, whether it tells a failure.
    """

    parts: Callable[[Sequence[Any]], Iterator[Part]]
    rebuild: Callable[[Sequence[Any], Pairs, dict[int, Any]], list[Any]]
    is_in_place: Callable[[Sequence[Any], Part, Part], bool]
    answer: Callable[[Part, str, bool], dict[str, JSONValue]]


def style_of(messages: Sequence[Any]) -> HistoryStyle | None:
    """Give the shape that a conversation has; None where it has no tool calls and no answers.

    Raises:
        UsageError: it has parts of several.

    >>> style_of([{"role": "tool", "tool_call_id": "c1", "content": "7"}])
    'openai'
    """
    found = [style for style, shape in SHAPES.items() if next(iter(shape.parts(messages)), None) is not None]
    if len(found) > 1:
        raise UsageError(f"the messages have tool calls in several shapes ({', '.join(found)}); give one conversation")
    return found[0] if found else None


def _placed(pairs: Pairs, place: int, written: dict[int, Any]) -> list[Any]:
    """Give the answers to the calls of a message: those that are there in their order, then the new ones."""
    indexes = pairs.calls_at(place)
    if not indexes:
        return []
    there = [answer.raw for index, answer in pairs.answers.items() if index in indexes]
    return there + [written[index] for index in indexes if index not in pairs.answers]


# Anthropic.


def _anthropic_parts(messages: Sequence[Any]) -> Iterator[Part]:
    for place, message in enumerate(messages):
        role = get(message, "role")
        for block in get_list(message, "content"):
            kind = get(block, "type")
            if role == "assistant" and kind == "tool_use":
                yield Part(place, id_of(block, "id", place), name_of(block), block)
            elif role == "user" and kind == "tool_result":
                yield Part(place, id_of(block, "tool_use_id", place), None, block)


def _anthropic_rebuild(messages: Sequence[Any], pairs: Pairs, written: dict[int, Any]) -> list[Any]:
    rebuilt: list[Any] = []
    due: list[Any] = []
    for place, message in enumerate(messages):
        if get(message, "role") == "user":
            answered = _with_answers(message, due, is_first=not rebuilt)
            rebuilt += [] if answered is None else [answered]
        else:
            rebuilt += [{"role": "user", "content": due}] if due else []
            rebuilt.append(message)
        due = _placed(pairs, place, written) if get(message, "role") == "assistant" else []
    return rebuilt + ([{"role": "user", "content": due}] if due else [])


def _with_answers(message: Any, answers: list[Any], *, is_first: bool) -> Any:
    """Give a user message with these answers before all else and no other ones; None where nothing is left."""
    content = get(message, "content")
    if isinstance(content, str):
        if not answers:
            return message
        blocks: list[Any] = [{"type": "text", "text": content}] if content.strip() else []
    else:
        blocks = get_list(message, "content")
    wanted = answers + [block for block in blocks if get(block, "type") != "tool_result"]
    if len(wanted) == len(blocks) and all(new is old for new, old in zip(wanted, blocks, strict=True)):
        return message
    if not wanted:
        return {**_members(message), "content": _LEFT_OUT} if is_first else None
    return {**_members(message), "content": wanted}


def _members(message: Any) -> dict[str, Any]:
    return dict(message) if isinstance(message, dict) else {"role": get(message, "role")}


def _anthropic_in_place(messages: Sequence[Any], call: Part, answer: Part) -> bool:
    blocks = get_list(messages[answer.place], "content")
    before = blocks[: next(n for n, block in enumerate(blocks) if block is answer.raw)]
    return answer.place == call.place + 1 and all(get(block, "type") == "tool_result" for block in before)


def _anthropic_answer(call: Part, text: str, is_error: bool) -> dict[str, JSONValue]:
    return {"type": "tool_result", "tool_use_id": call.call_id, "content": text, "is_error": is_error}


# OpenAI, chat completions.


def _openai_parts(messages: Sequence[Any]) -> Iterator[Part]:
    for place, message in enumerate(messages):
        match get(message, "role"):
            case "assistant":
                for call in get_list(message, "tool_calls"):
                    name = name_of(get(call, "function") or get(call, "custom"))
                    yield Part(place, id_of(call, "id", place), name, call)
            case "tool":
                yield Part(place, id_of(message, "tool_call_id", place), None, message)


def _openai_rebuild(messages: Sequence[Any], pairs: Pairs, written: dict[int, Any]) -> list[Any]:
    rebuilt: list[Any] = []
    for place, message in enumerate(messages):
        if get(message, "role") != "tool":
            rebuilt.append(message)
            rebuilt += _placed(pairs, place, written)
    return rebuilt


def _openai_in_place(messages: Sequence[Any], call: Part, answer: Part) -> bool:
    return all(get(message, "role") == "tool" for message in messages[call.place + 1 : answer.place])


def _openai_answer(call: Part, text: str, is_error: bool) -> dict[str, JSONValue]:
    return {"role": "tool", "tool_call_id": call.call_id, "content": text}


# OpenAI, responses.


def _responses_parts(items: Sequence[Any]) -> Iterator[Part]:
    run = 0
    for place, item in enumerate(items):
        kind = get(item, "type")
        if kind in _CALLS:  # all of a run stand where it begins, like the calls of one message
            yield Part(run, id_of(item, "call_id", place), name_of(item), item, kind)
            continue
        run = place + 1
        if kind in _OUTPUTS:
            yield Part(place, id_of(item, "call_id", place), None, item, _CALLS[_OUTPUTS.index(kind)])


def _responses_rebuild(items: Sequence[Any], pairs: Pairs, written: dict[int, Any]) -> list[Any]:
    rebuilt: list[Any] = []
    run = 0
    for place, item in enumerate(items):
        if get(item, "type") in _CALLS:
            rebuilt.append(item)
            continue
        rebuilt += _placed(pairs, run, written) if run < place else []
        run = place + 1
        rebuilt += [] if get(item, "type") in _OUTPUTS else [item]
    return rebuilt + (_placed(pairs, run, written) if run < len(items) else [])


def _responses_in_place(items: Sequence[Any], call: Part, answer: Part) -> bool:
    kinds = [get(item, "type") for item in items[call.place + 1 : answer.place]]
    while kinds and kinds[0] in _CALLS:
        kinds.pop(0)
    return all(kind in _OUTPUTS for kind in kinds)


def _responses_answer(call: Part, text: str, is_error: bool) -> dict[str, JSONValue]:
    kind = _OUTPUTS[_CALLS.index(get(call.raw, "type"))]
    return {"type": kind, "call_id": call.call_id, "output": text}


SHAPES: dict[HistoryStyle, Shape] = {
    "anthropic": Shape(_anthropic_parts, _anthropic_rebuild, _anthropic_in_place, _anthropic_answer),
    "openai": Shape(_openai_parts, _openai_rebuild, _openai_in_place, _openai_answer),
    "responses": Shape(_responses_parts, _responses_rebuild, _responses_in_place, _responses_answer),
}
