"""`skillproto mcp` as a real process, with the official MCP SDK as the host that calls it."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from skillproto.invocation.journal import Journal
from skillproto.provider import RunningProvider, running_provider
from tests.cli.support import bad, run, script, write

TOOL = "org_example_text-statistics"


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningProvider]:
    with running_provider() as running:
        yield running


@pytest.fixture(scope="module")
def descriptor(provider: RunningProvider, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("mcp") / "skill.json", provider.descriptor)


@asynccontextmanager
async def host(*args: object) -> AsyncIterator[Client]:
    server = StdioServerParameters(command=sys.executable, args=["-m", "skillproto", "mcp", *map(str, args)])
    async with Client(server) as client:
        yield client


def with_host(work: Callable[[Client], Awaitable[Any]], *args: object) -> Any:
    async def main() -> Any:
        async with host(*args) as client:
            return await work(client)

    return anyio.run(main)


def words(result: CallToolResult) -> str:
    return "\n".join(part.text for part in result.content if isinstance(part, TextContent))


ASKED: dict[str, tuple[str, dict[str, Any], list[Any]]] = {
    "fine": (TOOL, {"text": "Hola, mundo.", "language": "es"}, []),
    "inputs": (TOOL, {"text": 5}, []),
    "no credentials": (TOOL, {"text": "a"}, [401]),
    "failed": (TOOL, {"text": "a"}, ["failed"]),
    "versions": (TOOL, {"text": "a"}, [422]),
    "unknown tool": ("org_example_text-statistcs", {}, []),
    "tried again": (TOOL, {"text": "hola"}, [503]),
    "given up": (TOOL, {"text": "hola"}, ["hang"]),
    "after that": (TOOL, {"text": "hola"}, []),
}
"""What a host asks for, one after the other, and the faults that it meets at the provider."""


class Session(NamedTuple):
    """What a host was told in one session: of the tools, of each call, and how often the skill was started for it."""

    tools: list[Any]
    answers: dict[str, Any]
    starts: dict[str, int]


@pytest.fixture(scope="module")
def session(provider: RunningProvider, descriptor: Path) -> Session:
    async def work(client: Client) -> Session:
        told = Session((await client.list_tools()).tools, {}, {})
        for name, (tool, arguments, faults) in ASKED.items():
            provider.requests.clear()
            provider.state.starts.extend(faults)
            limit_s = 1.5 if name == "given up" else 20
            try:
                told.answers[name] = await client.call_tool(tool, arguments, read_timeout_seconds=limit_s)
            except MCPError as error:
                told.answers[name] = error
            told.starts[name] = len(provider.starts)
        return told

    session: Session = with_host(work, descriptor)
    return session


def test_a_host_is_told_of_the_tools_and_gets_what_the_skill_gave(session: Session) -> None:
    (tool,) = session.tools
    assert (tool.name, tool.title, tool.input_schema["required"]) == (TOOL, "Text statistics", ["text"])
    assert tool.input_schema["properties"]["language"]["enum"] == ["en", "es"]
    result = session.answers["fine"]
    assert result.is_error is False
    assert result.structured_content["summary"] == "2 palabras en 1 frase"
    assert json.loads(words(result)) == result.structured_content


@pytest.mark.parametrize(
    ("name", "meta", "said"),
    [
        ("inputs", {"errorCode": "VALIDATION_ERROR", "errorCategory": "validation"}, "/inputs/text"),
        ("no credentials", {"errorCode": "AUTH_REQUIRED", "errorCategory": "permission"}, ""),
        ("failed", {"errorCode": "EXECUTION_FAILED"}, "could not finish"),
        ("versions", {"errorCode": "VERSION_INCOMPATIBLE", "errorCategory": "validation"}, ""),
        ("unknown tool", {"errorCode": "SKILL_NOT_FOUND"}, ""),
    ],
)
def test_a_failure_is_a_result_that_the_model_sees(
    session: Session, name: str, meta: dict[str, str], said: str
) -> None:
    result = session.answers[name]
    assert result.is_error is True
    assert {key: result.meta[key] for key in meta} == meta
    assert result.meta["isRetryable"] is False
    assert result.meta["description"]
    assert said in words(result)
    assert session.starts[name] == (0 if name in ("inputs", "unknown tool") else 1)


def test_a_passing_fault_is_tried_again_here(session: Session) -> None:
    assert (session.answers["tried again"].structured_content["words"], session.starts["tried again"]) == (1, 2)


def test_a_call_that_the_host_gives_up_leaves_the_bridge_fit(session: Session) -> None:
    assert isinstance(session.answers["given up"], MCPError)
    assert session.answers["after that"].structured_content["words"] == 1


def test_many_calls_at_a_time_get_each_its_own_answer_and_stand_in_the_journal(
    descriptor: Path, tmp_path: Path
) -> None:
    async def work(client: Client) -> dict[int, int]:
        counted: dict[int, int] = {}

        async def call(n: int) -> None:
            result = await client.call_tool(TOOL, {"text": "a " * n})
            counted[n] = result.structured_content["words"]

        async with anyio.create_task_group() as group:
            for n in range(1, 13):
                group.start_soon(call, n)
        return counted

    path = tmp_path / "calls.db"
    assert with_host(work, descriptor, "--journal", path) == {n: n for n in range(1, 13)}
    with Journal(path) as journal:
        assert list(journal.open_calls()) == []


def test_it_ends_with_its_host_and_says_nothing_else_on_the_standard_output(descriptor: Path) -> None:
    ran = subprocess.run([script(), "mcp", descriptor], input=b"", capture_output=True, timeout=30, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}},
}


def test_a_host_that_is_gone_is_no_fault_of_ours(descriptor: Path) -> None:
    ends = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([script(), "mcp", descriptor], **ends) as bridge:  # type: ignore[call-overload]
        bridge.stdout.close()
        bridge.stdin.write(json.dumps(HELLO).encode() + b"\n")
        bridge.stdin.close()
        assert bridge.wait(30) == 141
        assert bridge.stderr.read() == b""


def test_a_damaged_journal_is_told_before_anything_is_served(descriptor: Path, tmp_path: Path) -> None:
    path = tmp_path / "calls.db"
    Journal(path).close()
    connection = sqlite3.connect(path)
    connection.execute("DROP TABLE skills")
    connection.close()
    ran = run("mcp", descriptor, "--journal", path)
    assert (ran.code, ran.out) == (3, "")
    assert "The journal could not be read" in ran.err


def test_a_descriptor_that_cannot_be_served_is_told_on_the_standard_error(tmp_path: Path) -> None:
    broken = run("mcp", write(tmp_path / "bad.json", bad()))
    assert (broken.code, broken.out, "VALIDATION_ERROR" in broken.err) == (1, "", True)
    missing = run("mcp", tmp_path / "none.json")
    assert (missing.code, missing.out, "none.json" in missing.err) == (3, "", True)
    assert run("mcp", "-").code == 2


def test_that_there_are_many_tools_is_said_once(provider: RunningProvider, tmp_path: Path) -> None:
    paths = []
    for n in range(6):
        skill = provider.descriptor | {"id": f"org.example.skill-{n}"}
        paths.append(write(tmp_path / f"{n}.json", skill))
    ran = subprocess.run([script(), "mcp", *paths], input=b"", capture_output=True, timeout=30, check=False)
    assert ran.stderr.decode().count("This agent carries 6 tools") == 1
