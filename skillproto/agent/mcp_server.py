"""Expose a set of skills as an MCP server, so that any host that speaks MCP can call them.

Needs the extra `mcp`. Every failure of a skill is a result with `isError` and `_meta`, never an
error of the protocol, so that the model sees it.
"""

import logging
import warnings
from collections.abc import Mapping
from typing import Any

from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server

from skillproto import __version__
from skillproto.agent.dispatch_calls import ToolCall
from skillproto.agent.skill_set import SkillSet, TooManyTools
from skillproto.agent.tool_results import to_tool_result
from skillproto.errors import ErrorCode, SkillError
from skillproto.invocation.client import AsyncSkillClient
from skillproto.violations import JSONValue

_log = logging.getLogger("skillproto")


def create_server(
    skills: SkillSet[AsyncSkillClient], *, name: str = "skillproto", timeout_ms: int | None = None
) -> Server[Any]:
    """Make an MCP server whose tools are the skills of a set.

    Inputs are checked before anything is sent, outputs when they came. A call that the host
    cancels is cancelled. The policies of the set do not matter here: the host has the model, and every
    failure is handed to it.

    Args:
        skills: with an `AsyncSkillClient`.
        name: how the server calls itself.
        timeout_ms: each call may take so long; None means its descriptor's own time.

    Source: MCP, tools; its results and their errors.
    """
    tools = tool_definitions(skills)

    async def list_tools(
        context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in tools])

    async def call_tool(
        context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        call = ToolCall(str(context.request_id), params.name, params.arguments or {})
        return types.CallToolResult.model_validate(await answer(skills, call, timeout_ms))

    return Server(name, version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def tool_definitions(skills: SkillSet[Any]) -> list[dict[str, JSONValue]]:
    """Give the definitions of a set's tools; that there are many is logged, once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TooManyTools)
        definitions = skills.definitions("mcp")
    for warning in caught:
        _log.warning("%s", warning.message)
    return definitions


async def answer(
    skills: SkillSet[AsyncSkillClient], call: ToolCall, timeout_ms: int | None = None
) -> Mapping[str, JSONValue]:
    """Make one call, and give its outcome as MCP's CallToolResult in JSON, whatever happens."""
    try:
        (told,) = await skills.dispatch([call], timeout_ms)
    except SkillError as error:
        return to_tool_result(error, "mcp")
    except Exception:
        _log.exception("A tool call broke off")
        broken = SkillError(ErrorCode.UNKNOWN, "The call broke off inside the bridge", details={"reason": "internal"})
        return to_tool_result(broken, "mcp")
    return told.to("mcp")


async def serve_stdio(server: Server[Any]) -> None:
    """Serve over the standard input and output until the host closes them."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())
