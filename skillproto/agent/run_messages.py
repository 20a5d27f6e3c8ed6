"""Read what a model replied, and write what it is told next, in each vendor's messages.

Pure. A run keeps its messages as JSON, in the vendor's own shape, so that they can be stored and
sent again as they are.

    anthropic           content blocks; the answers in one user message
    openai              a message, or a whole completion; one tool message for each answer
    openai-responses    the items of a response's output; one function_call_output for each answer
    mcp                 the messages of sampling; the answers in one user message
    asixto              {"role", "content", "tool_calls": [{"id", "name", "arguments"}]}
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from skillproto.agent.definitions import DefinitionStyle
from skillproto.agent.dispatch_calls import ToolCall, plain
from skillproto.agent.dispatch_core import ToolAnswer
from skillproto.agent.wording import Locale
from skillproto.errors import UsageError, ValidationFailed
from skillproto.validation.embedded import EmbeddedSchema
from skillproto.validation.shown import shown
from skillproto.violations import JSONValue, Violation, type_name

End = Literal["said", "cut", "filtered", "paused"]

STOPPED: Mapping[str, str] = {"cut": "length", "filtered": "content_filter"}
"""The ends that are no last word, with the reason that a run stops for."""


class Turn(NamedTuple):
    """What a model replied.

    Attributes:
        messages: to be appended to the conversation.
        calls: the tool calls, in the vendor's shape; one that was cut off as a `ToolCall` that says so.
        text: what it said, joined.
        end: "said" for a last word where there are no calls, "cut" where the text reached a limit of the
            model, "filtered" where a filter kept it back, "paused" where the model is to be asked again with
            what it has so far.
    """

    messages: list[JSONValue]
    calls: list[JSONValue]
    text: str
    end: End = "said"


def invalid_output(field: str, expected: str, actual: JSONValue, message: str) -> ValidationFailed:
    """Make the error of a model's reply that breaks its contract: `target` is `agent_output`.

    >>> str(invalid_output("", "object", 5, "Wrong type: integer"))
    'VALIDATION_ERROR: Invalid agent output: Wrong type: integer'
    """
    violation = Violation(field, expected, shown(actual), message, "schema/type")
    return _agent_output([violation], message)


def _agent_output(violations: list[Violation], message: str) -> ValidationFailed:
    error = ValidationFailed.of(violations, f"Invalid agent output: {message}")
    error.details["target"] = "agent_output"
    return error


def as_json(value: Any) -> JSONValue:
    """Give a copy of a value as JSON, also of the objects of SDKs inside it.

    Raises:
        ValueError: something in it is no JSON.

    >>> as_json({"a": (1, 2)})
    {'a': [1, 2]}
    """
    try:
        return json.loads(json.dumps(plain(value), default=_inner, allow_nan=False))
    except (TypeError, RecursionError) as error:
        raise ValueError("not JSON") from error


def _inner(value: Any) -> Any:
    inner = plain(value)
    if inner is value:
        raise TypeError(type(value).__name__)
    return inner


def user_message_of(text: str, style: DefinitionStyle) -> dict[str, JSONValue]:
    """Write what a person says.

    >>> user_message_of("hi", "mcp")
    {'role': 'user', 'content': {'type': 'text', 'text': 'hi'}}
    """
    return {"role": "user", "content": {"type": "text", "text": text} if style == "mcp" else text}


def as_messages(given: str | Sequence[Any], style: DefinitionStyle) -> list[JSONValue]:
    """Give the messages that a run begins with.

    Raises:
        UsageError: it is neither a text nor a list of messages.
    """
    if isinstance(given, str):
        return [user_message_of(given, style)]
    try:
        messages = as_json(list(given)) if isinstance(given, Sequence) else None
    except ValueError:
        messages = None
    if messages is None or not all(isinstance(message, dict) for message in messages):
        raise UsageError("give a text, or a list of messages that are JSON objects")
    return list(messages)


def read_turn(reply: Any, style: DefinitionStyle) -> Turn:
    """Read what a model callable returned: JSON, or an object of the vendor's SDK.

    Raises:
        ValidationFailed: it is no reply in this style; `target` is `agent_output`.

    >>> read_turn({"role": "assistant", "content": "hola"}, "openai").text
    'hola'
    """
    try:
        told = as_json(reply)
    except ValueError:
        raise invalid_output("", "object", None, f"A model replied with a Python {type(reply).__name__}") from None
    if not isinstance(told, dict):
        raise invalid_output("", "object", told, f"Wrong type: {type_name(told)}")
    match style:
        case "anthropic":
            return _blocks(told, told.get("content"))
        case "mcp":
            content = told.get("content")
            return _blocks(told, [content] if isinstance(content, dict) else content)
        case "openai":
            return _chat(told)
        case "openai-responses":
            return _responses(told)
        case _:
            return _plain_message(told)


def _require_assistant(message: Mapping[str, JSONValue]) -> None:
    if message.get("role", "assistant") != "assistant":
        raise invalid_output("/role", "assistant", message["role"], "The reply is not the assistant's")


def _blocks(told: dict[str, JSONValue], content: JSONValue) -> Turn:
    _require_assistant(told)
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(blocks, list) or not all(map(_is_block, blocks)):
        raise invalid_output("/content", "list of content blocks", content, "The reply has no content")
    calls: list[Any] = [block for block in blocks if block["type"] == "tool_use"]
    why = told.get("stop_reason", told.get("stopReason"))
    end: End = _ENDS.get(why, "said") if isinstance(why, str) else "said"
    if end == "cut" and calls and calls[-1] is blocks[-1]:
        calls[-1] = ToolCall(calls[-1].get("id"), calls[-1].get("name"), None, _CUT_OFF)
    return Turn([{"role": "assistant", "content": told["content"]}], calls, _text(blocks), end)


_CUT_OFF = Violation(
    "/inputs",
    "whole arguments",
    None,
    "The arguments were cut off at the model's limit",
    "document/syntax",
    hint="Make the call again, with less text around it",
)
"""What is wrong with a call that ends where the text does: SDKs give as much of its input as there is."""


_ENDS: dict[str, End] = {
    "max_tokens": "cut",
    "maxTokens": "cut",
    "model_context_window_exceeded": "cut",
    "refusal": "filtered",
    "pause_turn": "paused",
}


def _is_block(value: JSONValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _text(blocks: Iterable[Mapping[str, JSONValue]]) -> str:
    texts = (block.get("text", block.get("refusal")) for block in blocks)
    return "".join(text for text in texts if isinstance(text, str))


def _chat(told: dict[str, JSONValue]) -> Turn:
    end: End = "said"
    if "choices" in told:
        choices = told["choices"]
        first = choices[0] if isinstance(choices, list) and choices else None
        first = first if isinstance(first, dict) else {}
        told, end = first.get("message", {}), _CHAT_ENDS.get(str(first.get("finish_reason")), "said")
        if not isinstance(told, dict) or not told:
            raise invalid_output("/choices", "list with a message", choices, "The completion has no message")
    _require_assistant(told)
    if not {"content", "tool_calls", "refusal"} & set(told):
        raise invalid_output("/content", "string", None, "The reply has neither content nor tool calls")
    content, calls = told.get("content"), told.get("tool_calls") or []
    if not isinstance(calls, list) or not isinstance(content, str | list | None):
        raise invalid_output("/tool_calls", "list of tool calls", calls, "The reply has no list of tool calls")
    if isinstance(content, list) and not all(map(_is_block, content)):
        raise invalid_output("/content", "list of content parts", content, "The reply has no content")
    text = content if isinstance(content, str) else _text(content or ())
    message = {"role": "assistant", "content": content, **told}
    refusal = told.get("refusal")
    said = text or (refusal if isinstance(refusal, str) else "")
    return Turn([message], calls, said, end)


_CHAT_ENDS: dict[str, End] = {"length": "cut", "content_filter": "filtered"}


def _responses(told: dict[str, JSONValue]) -> Turn:
    items = told.get("output")
    if not isinstance(items, list) or not all(map(_is_block, items)):
        raise invalid_output("/output", "list of items", items, "The response has no output")
    said = [item for item in items if item["type"] == "message" and isinstance(item.get("content"), list)]
    text = "".join(_text(filter(_is_block, item["content"])) for item in said)
    calls = [item for item in items if item["type"] in ("function_call", "custom_tool_call")]  # none may stay open
    return Turn(items, calls, text, _end_of_response(told))


def _end_of_response(told: dict[str, JSONValue]) -> End:
    if told.get("status") != "incomplete":
        return "said"
    details = told.get("incomplete_details")
    is_filtered = isinstance(details, dict) and details.get("reason") == "content_filter"
    return "filtered" if is_filtered else "cut"


def _plain_message(told: dict[str, JSONValue]) -> Turn:
    _require_assistant(told)
    content, calls = told.get("content"), told.get("tool_calls") or []
    if not isinstance(content, str | None) or not isinstance(calls, list) or not {"content", "tool_calls"} & set(told):
        raise invalid_output("/content", "string", content, "The reply has neither content nor tool calls")
    return Turn([{"role": "assistant", **told}], calls, content or "")


def answer_messages(answers: Sequence[ToolAnswer], style: DefinitionStyle, locale: Locale) -> list[JSONValue]:
    """Write the answers to the calls of one turn, in the order of the calls."""
    written: list[JSONValue] = [answer.to(style, locale=locale) for answer in answers]
    match style:
        case "anthropic":
            return [{"role": "user", "content": written}]
        case "mcp":
            pairs = zip(answers, written, strict=True)
            blocks = [{"type": "tool_result", "toolUseId": answer.call.id, **told} for answer, told in pairs]
            return [{"role": "user", "content": blocks}]
        case "asixto":
            pairs = zip(answers, written, strict=True)
            return [{"role": "tool", "tool_call_id": answer.call.id, "content": told} for answer, told in pairs]
        case _:
            return written


def read_output(text: str, schema: EmbeddedSchema | None) -> JSONValue:
    """Give the final output: the text, or with a schema the JSON in it.

    Raises:
        ValidationFailed: the text is no JSON, or does not fit; `target` is `agent_output`.
    """
    if schema is None:
        return text
    try:
        output = json.loads(text)
    except (ValueError, RecursionError):
        raise invalid_output("/output", "JSON", text, "The final text is not JSON") from None
    violations = schema.check(output, "/output")
    if violations:
        raise _agent_output(violations, violations[0].message)
    return output
