"""One table over codes, styles and policies: what a provider answers, and what a model gets to read.

The shapes are written out by hand. Each row is tried under every policy, so that a policy changes who
hears of a failure, and never what is heard; and each shape is read by the vendors' own SDKs.
"""

import json
from typing import Any, NamedTuple

import pytest
from anthropic.types import ToolResultBlockParam
from mcp.types import CallToolResult, TextContent
from openai.types.chat import ChatCompletionToolMessageParam
from openai.types.responses.response_input_item_param import FunctionCallOutput
from pydantic import TypeAdapter

from skillproto import ErrorCode, Reply, RetryPolicy, SkillClient, SkillError, is_retryable, read_reply, to_tool_result
from skillproto.agent.dispatch_core import ToolAnswer
from skillproto.agent.policies import OnError
from skillproto.agent.skill_set import SkillSet
from skillproto.agent.tool_results import STYLES, Style
from skillproto.testing import Step, reply
from tests.support.agents import by_path, skill, tool_use

POLICIES: tuple[OnError, ...] = ("fail-run", "return-to-model", "recover")


class Row(NamedTuple):
    """What the provider answers, and what follows.

    `why` stands behind the message in every style but Asixto's; `lines` behind it, in MCP's text.
    """

    code: str
    step: Step
    recovers: bool
    category: str | None
    retryable: bool
    message: str
    user_message: str
    spanish: str
    action: str
    why: str
    error_type: str
    details: dict[str, Any] = {}  # noqa: RUF012 - a NamedTuple default, never changed
    retry: dict[str, int] | None = None
    lines: tuple[str, ...] = ()
    inputs: dict[str, Any] = {"text": "Hi"}  # noqa: RUF012


def envelope(code: str, **rest: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": "for developers, at db-3.internal:5432", **rest}}


def asixto(kind: str, words: str) -> dict[str, Any]:
    return {"error": {"error_type": kind, "user_message": words, "details": {"trace": "s3cr3t"}}}


TRANSIENT = "The failure is technical and may pass, so the same call can succeed later."
PERSON = "This caller may not do it, so hand over to a person; on the telephone, offer to transfer."
BREACH = "The answer breaks its own contract, so another call gives the same and whoever provides it has to repair it."
CORRECT = "The input is not accepted as it is, so correct what is named and call again."

ROWS = {
    "VALIDATION_ERROR, found before anything is sent": Row(
        code="VALIDATION_ERROR",
        step=reply(500),
        inputs={"text": 7},
        recovers=True,
        category="validation",
        retryable=False,
        message="Some of the details need a correction before I can continue.",
        user_message="Some of the details need a correction before I can continue.",
        spanish="Para continuar, hace falta corregir algunos datos.",
        action="correct-input",
        why=CORRECT,
        error_type="VALIDATION",
        details={
            "target": "tool_input",
            "violations": [
                {"field": "/inputs/text", "expected": "string", "actual": 7, "message": "Wrong type: integer"}
            ],
        },
        lines=("/inputs/text: Wrong type: integer; expected string",),
    ),
    "VALIDATION_ERROR, told by the provider": Row(
        code="VALIDATION_ERROR",
        step=reply(422, {"detail": [{"loc": ["body", "inputs", "text"], "msg": "KeyError in orders.py", "type": "x"}]}),
        recovers=True,
        category="validation",
        retryable=False,
        message="Some of the details need a correction before I can continue.",
        user_message="Some of the details need a correction before I can continue.",
        spanish="Para continuar, hace falta corregir algunos datos.",
        action="correct-input",
        why=CORRECT,
        error_type="VALIDATION",
        details={
            "target": "tool_input",
            "violations": [
                {
                    "field": "/inputs/text",
                    "expected": "a value that the provider accepts",
                    "actual": None,
                    "message": "This value is not accepted",
                }
            ],
        },
        lines=("/inputs/text: This value is not accepted; expected a value that the provider accepts",),
    ),
    "VALIDATION_ERROR, of the output": Row(
        code="VALIDATION_ERROR",
        step=reply(200, {"output": {"words": 7}}),
        recovers=False,
        category="validation",
        retryable=False,
        message="I can't give a reliable answer right now.",
        user_message="I can't give a reliable answer right now.",
        spanish="En este momento no puedo dar una respuesta confiable.",
        action="escalate",
        why=BREACH,
        error_type="VALIDATION",
        details={
            "target": "tool_output",
            "violations": [
                {"field": "/output", "expected": "string", "actual": {"words": 7}, "message": "Wrong type: object"}
            ],
        },
        lines=("/output: Wrong type: object; expected string",),
    ),
    "AUTH_REQUIRED": Row(
        code="AUTH_REQUIRED",
        step=reply(401, envelope("AUTH_REQUIRED"), {"WWW-Authenticate": 'Bearer realm="orders"'}),
        recovers=False,
        category="permission",
        retryable=False,
        message="To continue, access has to be confirmed first.",
        user_message="To continue, access has to be confirmed first.",
        spanish="Para continuar, primero hay que confirmar el acceso.",
        action="authenticate",
        why="The call needs valid credentials, so get or renew them before calling again.",
        error_type="PERMISSION",
    ),
    "PERMISSION_DENIED": Row(
        code="PERMISSION_DENIED",
        step=reply(403, envelope("PERMISSION_DENIED")),
        recovers=False,
        category="permission",
        retryable=False,
        message="I don't have permission to do that.",
        user_message="I don't have permission to do that.",
        spanish="No tengo autorización para hacer eso.",
        action="escalate",
        why=PERSON,
        error_type="PERMISSION",
    ),
    "SKILL_NOT_FOUND": Row(
        code="SKILL_NOT_FOUND",
        step=reply(404, envelope("SKILL_NOT_FOUND")),
        recovers=True,
        category="validation",
        retryable=False,
        message="I can't do that from here.",
        user_message="I can't do that from here.",
        spanish="Desde aquí no puedo hacer eso.",
        action="identify-again",
        why="No skill is known under this id or address, so verify which skill is meant.",
        error_type="NOT_FOUND",
    ),
    "EXECUTION_TIMEOUT": Row(
        code="EXECUTION_TIMEOUT",
        step=reply(504, envelope("EXECUTION_TIMEOUT", details={"timeout_ms": 1000, "elapsed_ms": 1200})),
        recovers=False,
        category="transient",
        retryable=True,
        message="This is taking longer than expected. Shall we try again?",
        user_message="This is taking longer than expected. Shall we try again?",
        spanish="Esto está tardando más de lo esperado. ¿Lo intentamos de nuevo?",
        action="retry",
        why=TRANSIENT,
        error_type="SYSTEM",
        details={"timeout_ms": 1000, "elapsed_ms": 1200},
    ),
    "ENDPOINT_UNREACHABLE": Row(
        code="ENDPOINT_UNREACHABLE",
        step=reply(503, envelope("ENDPOINT_UNREACHABLE", retry={"suggested_delay_ms": 5000, "max_attempts": 3})),
        recovers=False,
        category="transient",
        retryable=True,
        message="I can't do that right now. Shall we try again?",
        user_message="I can't do that right now. Shall we try again?",
        spanish="No puedo hacerlo en este momento. ¿Lo intentamos de nuevo?",
        action="retry",
        why=TRANSIENT,
        error_type="SYSTEM",
        retry={"suggested_delay_ms": 5000, "max_attempts": 3},
    ),
    "ENDPOINT_UNREACHABLE, rate limited": Row(
        code="ENDPOINT_UNREACHABLE",
        step=reply(429, envelope("TOO_MANY")),
        recovers=False,
        category="transient",
        retryable=True,
        message="There are many requests at the moment. Shall we try again in a little while?",
        user_message="There are many requests at the moment. Shall we try again in a little while?",
        spanish="Hay muchas solicitudes en este momento. ¿Lo intentamos de nuevo en un rato?",
        action="retry",
        why=TRANSIENT,
        error_type="SYSTEM",
        details={"reason": "rate_limited"},
    ),
    "VERSION_INCOMPATIBLE": Row(
        code="VERSION_INCOMPATIBLE",
        step=reply(
            422,
            envelope(
                "VERSION_INCOMPATIBLE",
                details={
                    "descriptor_version": "2.0.0",
                    "consumer_supported_range": "1.x.x",
                    "upgrade_url": "https://user:pw@a.example",
                },
            ),
        ),
        recovers=False,
        category="validation",
        retryable=False,
        message="That option will be available again after an update.",
        user_message="That option will be available again after an update.",
        spanish="Esa opción volverá a estar disponible después de una actualización.",
        action="escalate",
        why="The protocol versions do not fit, so somebody has to update one of the two sides.",
        error_type="VALIDATION",
        details={"descriptor_version": "2.0.0", "consumer_supported_range": "1.x.x"},
    ),
    "EXECUTION_FAILED, NOT_FOUND": Row(
        code="EXECUTION_FAILED",
        step=reply(200, asixto("NOT_FOUND", "No encontré una cita con esos datos.")),
        recovers=True,
        category="validation",
        retryable=False,
        message="No encontré una cita con esos datos.",
        user_message="I found nothing with those details. Could you check them?",
        spanish="No encontré una cita con esos datos.",
        action="identify-again",
        why="Nothing is known under these details, so verify what identifies it before going on.",
        error_type="NOT_FOUND",
        details={"error_type": "NOT_FOUND"},
    ),
    "EXECUTION_FAILED, SYSTEM": Row(
        code="EXECUTION_FAILED",
        step=reply(200, asixto("SYSTEM", "No tenemos ese producto.")),
        recovers=False,
        category="transient",
        retryable=True,
        message="I can't do that right now. Shall we try again?",
        user_message="I can't do that right now. Shall we try again?",
        spanish="No puedo hacerlo en este momento. ¿Lo intentamos de nuevo?",
        action="retry",
        why=TRANSIENT,
        error_type="SYSTEM",
        details={"error_type": "SYSTEM"},
    ),
    "EXECUTION_FAILED, BLOCKER": Row(
        code="EXECUTION_FAILED",
        step=reply(200, asixto("BLOCKER", "Su cuenta tiene un saldo pendiente.")),
        recovers=False,
        category="business",
        retryable=False,
        message="Su cuenta tiene un saldo pendiente.",
        user_message="Something pending on the account prevents this.",
        spanish="Su cuenta tiene un saldo pendiente.",
        action="change-flow",
        why="Something on the account forbids it, so explain that and go on to settling it.",
        error_type="BLOCKER",
        details={"error_type": "BLOCKER"},
    ),
    "EXECUTION_FAILED, business of MCP": Row(
        code="EXECUTION_FAILED",
        step=reply(
            200,
            {
                "isError": True,
                "content": [{"type": "text", "text": "The maximum discount is 30% per company policy."}],
                "_meta": {"errorCategory": "business", "isRetryable": True, "errorCode": "DISCOUNT_LIMIT_EXCEEDED"},
            },
        ),
        recovers=False,
        category="business",
        retryable=False,
        message="The maximum discount is 30% per company policy.",
        user_message="The maximum discount is 30% per company policy.",
        spanish="Las condiciones vigentes no permiten hacerlo.",
        action="change-flow",
        why="A rule of the business forbids it whatever is sent, so explain it and take another way.",
        error_type="VALIDATION",
    ),
    "CANCELLED": Row(
        code="CANCELLED",
        step=reply(200, {"status": "cancelled"}),
        recovers=False,
        category=None,
        retryable=False,
        message="That was cancelled.",
        user_message="That was cancelled.",
        spanish="Eso se canceló.",
        action="give-up",
        why="The call was cancelled on purpose, so start it again only if it is asked for again.",
        error_type="UNKNOWN",
        details={"state": "cancelled"},
    ),
    "UNKNOWN": Row(
        code="UNKNOWN",
        step=reply(500, b"<h1>Traceback at /srv/app/orders.py with Bearer abcdefghijklmnopqrstuvwxyz</h1>"),
        recovers=False,
        category=None,
        retryable=False,
        message="I could not complete that.",
        user_message="I could not complete that.",
        spanish="No pude completarlo.",
        action="give-up",
        why="Nothing tells what went wrong, so neither a retry nor a correction is known to help.",
        error_type="UNKNOWN",
    ),
}


def known(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value not in (None, {})}


def shape(row: Row, style: Style) -> dict[str, Any]:
    details = {**known(category=row.category), **row.details}
    inner = {
        "error": known(
            code=row.code,
            message=row.message,
            user_message=row.user_message,
            retryable=row.retryable,
            next=row.action,
            why=row.why,
            details=details,
            retry=row.retry,
        )
    }
    outer = {name: value for name, value in details.items() if name != "error_type"}
    match style:
        case "mcp":
            texts = (row.message, "\n".join([row.why, *row.lines]))
            return {
                "content": [{"type": "text", "text": text} for text in texts],
                "isError": True,
                "_meta": known(
                    errorCategory=row.category,
                    isRetryable=row.retryable,
                    errorCode=row.code,
                    description=row.user_message,
                    details=row.details,
                    retry=row.retry,
                ),
            }
        case "anthropic":
            return {"type": "tool_result", "tool_use_id": "c1", "content": inner, "is_error": True}
        case "openai":
            return {"role": "tool", "tool_call_id": "c1", "content": inner}
        case "asixto":
            return {
                "error": {
                    "error_type": row.error_type,
                    "user_message": row.spanish,
                    "details": known(code=row.code, retryable=row.retryable, **outer, retry=row.retry),
                }
            }


def opened(told: dict[str, Any]) -> dict[str, Any]:
    """The same with the JSON that stands in its content read."""
    return {**told, "content": json.loads(told["content"])} if isinstance(told.get("content"), str) else told


def test_the_table_leaves_no_code_out() -> None:
    assert {row.code for row in ROWS.values()} == set(ErrorCode)


def dispatched(row: Row, policy: OnError) -> tuple[ToolAnswer, bool]:
    """The answer to one call, and whether its failure was raised."""
    transport, once = by_path(echo=row.step), RetryPolicy(max_attempts=1)
    with SkillClient(caller_id="tests", transport=transport, policy=once) as client:
        skills = SkillSet([skill("echo")], client, on_error=policy)
        try:
            (answer,) = skills.dispatch([{**tool_use("c1", "echo"), "input": row.inputs}])
        except SkillError as error:
            (answer,) = error.answers
            return answer, True
    return answer, False


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("name", ROWS)
def test_a_failure_is_told_alike_under_every_policy(name: str, policy: OnError, style: Style) -> None:
    row = ROWS[name]
    answer, raised = dispatched(row, policy)
    assert raised is (policy == "fail-run" or (policy == "recover" and not row.recovers))
    told = answer.to(style)
    assert opened(told) == shape(row, style)
    again = read_reply(200, {}, json.dumps(told))
    assert isinstance(again, SkillError)
    assert (again.code, is_retryable(again)) == (row.code, row.retryable)


OUTPUTS: dict[str, tuple[Any, dict[str, Any], str, dict[str, Any]]] = {
    # the output, MCP's structuredContent, the text that a model reads, Asixto's reply
    "a text": ("hola", {"result": "hola"}, "hola", {"output": "hola"}),
    "an object": ({"n": 1}, {"n": 1}, '{"n":1}', {"output": {"n": 1}}),
    "a list": ([1, 2], {"result": [1, 2]}, "[1,2]", {"output": [1, 2], "total": 2}),
    "an empty list": ([], {"result": []}, "[]", {"output": [], "total": 0}),
    "an empty object": ({}, {}, "{}", {"output": {}}),
    "nothing found": (
        {"resultados": [], "total": 0},
        {"resultados": [], "total": 0},
        '{"resultados":[],"total":0}',
        {"output": {"resultados": [], "total": 0}},
    ),
    "null": (None, {"result": None}, "null", {"output": None}),
    "false": (False, {"result": False}, "false", {"output": False}),
    "zero": (0, {"result": 0}, "0", {"output": 0}),
    "an empty text": ("", {"result": ""}, '""', {"output": ""}),
    "a text that is JSON": ("[1]", {"result": "[1]"}, '"[1]"', {"output": "[1]"}),
    "an object like an error": (
        {"error": "none"},
        {"error": "none"},
        '{"output":{"error":"none"}}',
        {"output": {"error": "none"}},
    ),
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_an_output_has_its_shape_and_an_empty_one_is_a_success(name: str) -> None:
    output, structured, text, asixto_reply = OUTPUTS[name]
    mcp = to_tool_result(output, "mcp")
    assert (mcp["isError"], mcp["structuredContent"]) == (False, structured)
    plain = output if isinstance(output, str) else json.dumps(output, separators=(",", ":"))
    assert mcp["content"] == [{"type": "text", "text": plain}]
    assert mcp["_meta"].get("resultCount") == (len(output) if isinstance(output, list) else None)
    assert to_tool_result(output, "anthropic", call_id="t") == {
        "type": "tool_result",
        "tool_use_id": "t",
        "content": text,
        "is_error": False,
    }
    assert to_tool_result(output, "openai", call_id="t") == {"role": "tool", "tool_call_id": "t", "content": text}
    assert to_tool_result(output, "asixto") == asixto_reply


# The vendors' own types.

SAMPLES = [*OUTPUTS, *ROWS]
ANTHROPIC: Any = TypeAdapter(ToolResultBlockParam)
OPENAI: Any = TypeAdapter(ChatCompletionToolMessageParam)
RESPONSES: Any = TypeAdapter(FunctionCallOutput)


def sample(name: str) -> Any:
    if name in OUTPUTS:
        return OUTPUTS[name][0]
    row = ROWS[name]
    return SkillError(row.code, row.message, details=row.details, retryable=row.retryable)


@pytest.mark.parametrize("name", SAMPLES)
def test_the_mcp_sdk_parses_what_is_written(name: str) -> None:
    told = to_tool_result(sample(name), "mcp")
    parsed = CallToolResult.model_validate(told)
    assert parsed.is_error is told["isError"]
    assert [block.text for block in parsed.content if isinstance(block, TextContent)] == [
        block["text"] for block in told["content"]
    ]
    assert parsed.structured_content == told.get("structuredContent")
    again = parsed.model_dump(mode="json", by_alias=True, exclude_none=True)
    assert again["_meta"] == told["_meta"]
    outcome = read_reply(200, {}, json.dumps({"jsonrpc": "2.0", "id": 1, "result": again}))
    if name in ROWS:
        assert isinstance(outcome, SkillError)
        assert (outcome.code, is_retryable(outcome)) == (ROWS[name].code, ROWS[name].retryable)
    else:
        assert isinstance(outcome, Reply)
        assert outcome.output == OUTPUTS[name][0]


@pytest.mark.parametrize("name", SAMPLES)
def test_anthropics_and_openais_types_accept_what_is_written(name: str) -> None:
    styles: tuple[tuple[Any, Style], ...] = ((ANTHROPIC, "anthropic"), (OPENAI, "openai"))
    for adapter, style in styles:
        told = to_tool_result(sample(name), style, call_id="c1")
        assert adapter.validate_python(told, strict=True, extra="forbid") == told
    item = {"type": "function_call_output", "call_id": "c1", "output": told["content"]}
    assert RESPONSES.validate_python(item, strict=True, extra="forbid") == item
