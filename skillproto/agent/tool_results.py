"""Hand a call's outcome to a model, in the shape that its framework reads.

Pure. What is written in any style is read back by `read_reply`: an error as the same code with the same
word on trying again, a success as the same output. Of an error only chosen facts go out, so
that neither secrets nor the inside of a system reach a model.
"""

import json
import re
from typing import Literal, get_args

from skillproto.agent.kinds import category_of, error_type_of, told_type_of
from skillproto.agent.reactions import reaction
from skillproto.agent.user_messages import user_message, words_for_models
from skillproto.agent.violations_out import list_violations, told_violations
from skillproto.agent.wording import LOCALES, Locale
from skillproto.errors import SkillError, UsageError, is_retryable
from skillproto.invocation.contracts import tell_failure
from skillproto.invocation.decoding import decode
from skillproto.invocation.failures import Answer
from skillproto.invocation.replies import Reply
from skillproto.invocation.tool_messages import OUTPUT_MARK, STRUCTURED, WRAPPED, WRAPPER
from skillproto.invocation.wire import Result
from skillproto.violations import JSONValue

Style = Literal["mcp", "anthropic", "openai", "asixto"]
STYLES: tuple[Style, ...] = get_args(Style)


def to_tool_result(
    outcome: SkillError | Result | JSONValue,
    style: Style,
    *,
    call_id: str | None = None,
    locale: Locale | None = None,
) -> dict[str, JSONValue]:
    """Write the outcome of a call as a model's framework expects it.

    Args:
        outcome: the error that a call raised, its `Result`, a `Reply`, or the output itself as JSON.
            An output that is empty, false or null is a success like any other.
        style: "mcp" gives a CallToolResult, "anthropic" a `tool_result` block, "openai" a tool
            message, "asixto" the body of a tool's reply.
        call_id: the id of the model's tool call; needed for "anthropic" and "openai".
        locale: the language of what is written for users: "en" or "es". None means Spanish for
            "asixto", which asks for it, and English for the others.

    Returns:
        A JSON object of the caller's own.

    Raises:
        UsageError: the style or the locale is not known, the `call_id` is missing, or the
            output is no JSON.

    Source: MCP, tool results; Asixto 06.

    >>> to_tool_result([], "openai", call_id="c1")
    {'role': 'tool', 'tool_call_id': 'c1', 'content': '[]'}
    >>> to_tool_result(SkillError("PERMISSION_DENIED", "no"), "asixto")["error"]["error_type"]
    'PERMISSION'
    """
    if style not in STYLES:
        raise UsageError(f"no style {style!r}; there are: {', '.join(STYLES)}")
    if locale not in (None, *LOCALES):
        raise UsageError(f"no sentences in the locale {locale!r}; there are: {', '.join(LOCALES)}")
    if style in ("anthropic", "openai") and not (call_id and isinstance(call_id, str)):
        raise UsageError(f"the style {style!r} needs the call_id of the tool call that it answers")
    if isinstance(outcome, SkillError):
        return _failure(outcome, style, call_id, locale or ("es" if style == "asixto" else "en"))
    output = outcome.output if isinstance(outcome, Result | Reply) else outcome
    output = json.loads(_to_text(output))  # a copy, and the proof that it is JSON
    match style:
        case "mcp":
            return _mcp_output(output)
        case "asixto":
            return _asixto_output(output)
        case _:
            return _message(style, call_id, carried_text(output), is_error=False)


def _failure(error: SkillError, style: Style, call_id: str | None, locale: Locale) -> dict[str, JSONValue]:
    match style:
        case "mcp":
            return _mcp_error(error, locale)
        case "asixto":
            return _asixto_error(error, locale)
        case _:
            return _message(style, call_id, _to_text(_envelope(error, locale)), is_error=True)


def _message(style: Style, call_id: str | None, content: str, *, is_error: bool) -> dict[str, JSONValue]:
    if style == "openai":
        return {"role": "tool", "tool_call_id": call_id, "content": content}
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, "is_error": is_error}


# Successes.


def _mcp_output(output: JSONValue) -> dict[str, JSONValue]:
    is_object = isinstance(output, dict)
    meta: dict[str, JSONValue] = {"resultCount": len(output)} if isinstance(output, list) else {}
    return {
        "content": [{"type": "text", "text": output if isinstance(output, str) else _to_text(output)}],
        "structuredContent": output if is_object else {"result": output},
        "isError": False,
        "_meta": {**meta, OUTPUT_MARK: STRUCTURED if is_object else WRAPPED},
    }


def _asixto_output(output: JSONValue) -> dict[str, JSONValue]:
    return {"output": output, **({"total": len(output)} if isinstance(output, list) else {})}


def carried_text(output: JSONValue) -> str:
    """Write an output as the content of a message.

    A text goes as it is, unless it could be taken for JSON or for nothing; what could be
    taken for an error stands alone under "output".

    >>> carried_text("hola"), carried_text("7"), carried_text({"error": "none of ours"})
    ('hola', '"7"', '{"output":{"error":"none of ours"}}')
    """
    if isinstance(output, str) and _is_plain(output):
        return output
    if isinstance(output, dict) and (set(output) == {WRAPPER} or tell_failure(Answer(200, {}, output)) is not None):
        output = {WRAPPER: output}
    return _to_text(output)


def _is_plain(text: str) -> bool:
    if not text.strip() or not text.isprintable():
        return False
    try:
        decode(text)
    except ValueError:
        return True
    return False


def _to_text(value: JSONValue) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError("an output must be JSON: objects, arrays, texts, finite numbers, true, false, null") from error
    return text if text.isascii() or _is_encodable(text) else json.dumps(value, separators=(",", ":"))


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False  # a lone surrogate
    return True


# Errors.


def _mcp_error(error: SkillError, locale: Locale) -> dict[str, JSONValue]:
    details = _details(error)
    category = details.pop("category", None)
    texts = [words_for_models(error) or user_message(error, locale)]
    texts.append("\n".join([reaction(error).why, *list_violations(error)]))
    meta = {
        "errorCategory": category,
        "isRetryable": is_retryable(error),
        "errorCode": error.code.value,
        "description": user_message(error, locale),
        "details": details or None,
        "retry": error.retry.to_dict() if error.retry is not None else None,
    }
    return {
        "content": [{"type": "text", "text": text} for text in texts],
        "isError": True,
        "_meta": {key: value for key, value in meta.items() if value is not None},
    }


def _envelope(error: SkillError, locale: Locale) -> dict[str, JSONValue]:
    advice = reaction(error)
    told = {
        "code": error.code.value,
        "message": words_for_models(error) or user_message(error, locale),
        "user_message": user_message(error, locale),
        "retryable": is_retryable(error),
        "next": advice.action,
        "why": advice.why,
        "details": _details(error) or None,
        "retry": error.retry.to_dict() if error.retry is not None else None,
    }
    return {"error": {key: value for key, value in told.items() if value is not None}}


def _asixto_error(error: SkillError, locale: Locale) -> dict[str, JSONValue]:
    details = {"code": error.code.value, "retryable": is_retryable(error), **_details(error)}
    details.pop("error_type", None)
    if error.retry is not None:
        details["retry"] = error.retry.to_dict()
    told = {"error_type": error_type_of(error), "user_message": user_message(error, locale), "details": details}
    return {"error": told}


_WORD = re.compile(r"[a-z][a-z_]{0,40}")
_WORDS = ("reason", "target", "state")
_NUMBERS = ("timeout_ms", "elapsed_ms")
_VERSIONS = ("descriptor_version", "consumer_supported_range")
_VERSION = re.compile(r"[0-9]{1,5}(?:\.(?:[0-9]{1,5}|x)){0,2}")


def _details(error: SkillError) -> dict[str, JSONValue]:
    """Choose what may go out: what kind of failure it is, short words of a known form, numbers, and violations."""
    told = error.details
    details: dict[str, JSONValue] = {"category": category_of(error), "error_type": told_type_of(error)}
    details |= {name: told[name] for name in _WORDS if _fits(_WORD, told.get(name))}
    details |= {name: told[name] for name in _VERSIONS if _fits(_VERSION, told.get(name))}
    details |= {name: told[name] for name in _NUMBERS if type(told.get(name)) in (int, float)}
    details["may_have_run"] = True if told.get("may_have_run") is True else None
    details["violations"] = told_violations(error) or None
    return {name: value for name, value in details.items() if value is not None}


def _fits(form: re.Pattern[str], value: JSONValue) -> bool:
    return isinstance(value, str) and form.fullmatch(value) is not None
