"""The official MCP SDK's server, over its streamable HTTP transport: its failures, read from plain POSTs."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent

from skillproto import ErrorCode, SkillError
from skillproto.invocation._carriers import preferred_family
from skillproto.invocation.replies import Reply, read_reply
from tests.support.asgi import serving
from tests.support.drivers import Invoke, descriptor

BOTH = "application/json, text/event-stream"


def _result(text: str, **meta: Any) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True, _meta=meta)


def _server() -> MCPServer:
    server = MCPServer("orders", log_level="CRITICAL")

    @server.tool()
    def add(a: int, b: int) -> int:
        return a + b

    @server.tool()
    def find(text: str) -> list[str]:
        return []

    @server.tool()
    def refuse(order: str) -> str:
        raise ToolError(f"No such order: {order}")

    @server.tool()
    def crash() -> str:
        raise RuntimeError("internals")

    @server.tool()
    def busy() -> CallToolResult:
        return _result("Come back later", errorCategory="transient", isRetryable=True, errorCode="QUOTA")

    @server.tool()
    def closed() -> CallToolResult:
        return _result("The shop is closed", errorCategory="business", isRetryable=True)

    return server


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    """Keep the SDK's log of failures that are meant out of the captured log."""
    loggers = [logging.getLogger(name) for name in ("mcp", "sse_starlette")]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    yield
    for logger in loggers:
        logger.setLevel(logging.NOTSET)


@pytest.fixture(scope="module")
def mcp() -> Iterator[str]:
    """The address of a server that answers in JSON."""
    with serving(_server().streamable_http_app(stateless_http=True, json_response=True)) as origin:
        yield f"{origin}/mcp"


def post(url: str, body: Any, accept: str = BOTH, **headers: str) -> Reply | SkillError:
    http: Any = preferred_family()
    given = {"Accept": accept} | {name.replace("_", "-"): value for name, value in headers.items()}
    answer = http.post(url, json=body, headers=given, trust_env=False)
    return read_reply(answer.status_code, list(answer.headers.items()), answer.content)


def call(url: str, tool: str, accept: str = BOTH, **arguments: Any) -> Reply | SkillError:
    params = {"name": tool, "arguments": arguments}
    return post(url, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, accept)


def failed(outcome: Reply | SkillError) -> SkillError:
    assert isinstance(outcome, SkillError)
    return outcome


def test_a_result_is_a_success(mcp: str) -> None:
    outcome = call(mcp, "add", a=1, b=2)
    assert isinstance(outcome, Reply)
    assert outcome.output["result"]["structuredContent"] == {"result": 3}


def test_an_empty_result_is_a_success(mcp: str) -> None:
    outcome = call(mcp, "find", text="nothing")
    assert isinstance(outcome, Reply)
    assert outcome.output["result"]["content"] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("refuse", {"order": "7"}, "Error executing tool refuse: No such order: 7"),
        ("crash", {}, "Error executing tool crash"),
        ("add", {"a": "x"}, "Error executing tool add: 2 validation errors"),
        ("nope", {}, "Unknown tool: nope"),
    ],
)
def test_a_tool_error_is_a_failed_execution_with_the_tools_own_words(
    mcp: str, tool: str, arguments: dict[str, Any], message: str
) -> None:
    error = failed(call(mcp, tool, **arguments))
    assert (error.code, error.http_status, error.retryable) == (ErrorCode.EXECUTION_FAILED, 200, None)
    assert error.message.startswith(message)


def test_what_a_tool_says_about_its_failure_is_kept(mcp: str) -> None:
    error = failed(call(mcp, "busy"))
    assert (error.code, error.retryable, error.message) == (ErrorCode.EXECUTION_FAILED, True, "Come back later")
    assert (error.details["category"], error.details["provider_code"]) == ("transient", "QUOTA")


def test_a_business_failure_is_not_retried_whatever_its_flag_says(mcp: str) -> None:
    assert failed(call(mcp, "closed")).retryable is False


def test_a_method_that_does_not_exist_is_not_found(mcp: str) -> None:
    error = failed(post(mcp, {"jsonrpc": "2.0", "id": 1, "method": "tools/nope", "params": {}}))
    assert (error.code, error.details["provider_code"]) == (ErrorCode.SKILL_NOT_FOUND, -32601)


def test_a_request_that_is_none_is_an_error_of_the_request(mcp: str) -> None:
    error = failed(post(mcp, {"hello": "world"}))
    assert (error.code.retryable, error.http_status) == (False, 400)


def test_a_server_that_answers_in_events_is_no_success_to_a_plain_reader() -> None:
    with serving(_server().streamable_http_app(stateless_http=True)) as origin:
        error = failed(call(f"{origin}/mcp", "add", a=1, b=2))
        assert (error.code, error.details["reason"]) == (ErrorCode.UNKNOWN, "not_json")
        assert error.details["seen"].startswith("event: message data:")
        error = failed(call(f"{origin}/mcp", "add", accept="application/json", a=1, b=2))
        assert error.http_status == 406


def test_a_session_that_is_needed_and_missing_is_told() -> None:
    with serving(_server().streamable_http_app(json_response=True)) as origin:
        error = failed(call(f"{origin}/mcp", "add", a=1, b=2))
    assert (error.http_status, error.code.retryable) == (400, False)
    assert "session" in error.message.lower()


def test_a_descriptor_that_leads_to_an_mcp_server_ends_in_one_clear_error(invoke: Invoke, mcp: str) -> None:
    with pytest.raises(SkillError) as caught:
        invoke(descriptor(mcp))
    assert (caught.value.attempts, caught.value.http_status) == (1, 400)
    assert caught.value.details["provider_code"] in (-32600, -32700, -32602)
