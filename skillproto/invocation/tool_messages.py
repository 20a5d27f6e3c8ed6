"""Recognise the messages that hand a tool's result to a model, when they come as a body, and take out what they carry.

Pure. Known are Anthropic's `tool_result` block, OpenAI's tool message and `function_call_output`, and an MCP tool
result that says itself where its output stands. What they carry is JSON in a text, or a plain text.
"""

from collections.abc import Mapping
from typing import NamedTuple

from skillproto.invocation.decoding import decode
from skillproto.violations import JSONValue

OUTPUT_MARK = "skillproto/output"
"""The member of an MCP result's `_meta` that holds a JSON Pointer to the output."""

WRAPPER = "output"
"""What would be read as something else than an output stands alone under this name."""

STRUCTURED, WRAPPED = "/structuredContent", "/structuredContent/result"


class Carried(NamedTuple):
    """What a tool message carries.

    Attributes:
        failed: whether it is marked as a failure; None where the form has no mark for that.
        value: the JSON that its text holds, or the text itself where it is no JSON.
    """

    failed: bool | None
    value: JSONValue

    @property
    def output(self) -> JSONValue:
        """The output that a success carries."""
        value = self.value
        return value[WRAPPER] if isinstance(value, dict) and set(value) == {WRAPPER} else value


def carried_by(body: JSONValue) -> Carried | None:
    """Give what a tool message carries; None where the body is none.

    >>> carried_by({"role": "tool", "tool_call_id": "c1", "content": '{"output": []}'}).output
    []
    >>> carried_by({"type": "tool_result", "tool_use_id": "t1", "content": "Too late", "is_error": True})
    Carried(failed=True, value='Too late')
    >>> carried_by({"content": []}) is None
    True
    """
    if not isinstance(body, dict):
        return None
    if body.get("type") == "tool_result" and isinstance(body.get("tool_use_id"), str):
        flag = body.get("is_error")
        return Carried(flag if isinstance(flag, bool) else None, parsed(content_text(body.get("content"))))
    if body.get("type") == "function_call_output" and isinstance(body.get("call_id"), str):
        return Carried(None, parsed(content_text(body.get("output"))))
    if body.get("role") == "tool" and isinstance(body.get("tool_call_id"), str):
        return Carried(None, parsed(content_text(body.get("content"))))
    return _marked(body) if "_meta" in body else _inside_json_rpc(body)


def _inside_json_rpc(body: Mapping[str, JSONValue]) -> Carried | None:
    result = body.get("result") if "jsonrpc" in body else None
    return _marked(result) if isinstance(result, dict) else None


def _marked(result: Mapping[str, JSONValue]) -> Carried | None:
    meta, held = result.get("_meta"), result.get("structuredContent")
    mark = meta.get(OUTPUT_MARK) if isinstance(meta, dict) else None
    if result.get("isError") is True or not isinstance(held, dict):
        return None
    if mark == WRAPPED and "result" in held:
        held = held["result"]
    elif mark != STRUCTURED:
        return None
    return Carried(False, {WRAPPER: held})


def content_text(content: JSONValue) -> str:
    r"""Give the text of a message's content: the content itself, or that of its text blocks.

    >>> content_text([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}])
    'a\nb'
    """
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(b["text"] for b in blocks if isinstance(b, Mapping) and isinstance(b.get("text"), str))


def parsed(text: str) -> JSONValue:
    """Give the JSON that a text holds; the text itself where it is no JSON.

    >>> parsed("[1]"), parsed("one")
    ([1], 'one')
    """
    try:
        return decode(text)
    except ValueError:
        return text
