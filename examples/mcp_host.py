"""A host that speaks MCP calls skills through `skillproto mcp`, with the official MCP SDK.

Starts a small provider in this process and the bridge as a child of it. Needs the extras:
pip install 'skillproto[mcp,provider]'.

    python examples/mcp_host.py
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import anyio
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from skillproto.provider import running_provider


def told(result: CallToolResult) -> str:
    """What a model would read."""
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


async def talk(descriptor: Path) -> None:
    bridge = StdioServerParameters(command=sys.executable, args=["-m", "skillproto", "mcp", str(descriptor)])
    async with Client(bridge) as client:
        (tool,) = (await client.list_tools()).tools
        print(tool.name, "needs", tool.input_schema["required"])

        counted: Any = await client.call_tool(tool.name, {"text": "Hola, mundo.", "language": "es"})
        print(counted.structured_content["summary"])

        for arguments in ({"text": "Hola", "top": "3"}, {"text": "Hola"}):
            failed: Any = await client.call_tool(tool.name, arguments)
            print(failed.meta["errorCategory"], failed.meta["errorCode"], "-", told(failed).splitlines()[0])


def main() -> None:
    with running_provider(faults=["ok", 403]) as provider, tempfile.TemporaryDirectory() as directory:
        descriptor = Path(directory) / "skill.json"
        descriptor.write_text(json.dumps(provider.descriptor), encoding="utf-8")
        anyio.run(talk, descriptor)


if __name__ == "__main__":
    main()
