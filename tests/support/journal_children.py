"""A process that makes one call with a journal and is killed at a given point of it."""

import importlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import httpx

from skillproto import AsyncSkillClient, SkillClient
from skillproto.invocation.journal import Journal

POINTS = (
    "before the note",
    "before the send",
    "before the reply",
    "before the id is noted",
    "after the id is noted",
    "while polling",
    "before the end is noted",
    "after the end is noted",
)
"""Where a process can be killed, in the order in which a call comes to them."""


for _name in ("anyio._backends._asyncio", "httpcore._backends.anyio", "jsonschema", "skillproto.invocation.journaled"):
    importlib.import_module(_name)  # once in the server that the children are forked from, not in each child


def die() -> None:
    """End this process as kill -9 does."""
    os.kill(os.getpid(), signal.SIGKILL)


def call_once(descriptor: Any, path: str, key: str, text: str, point: str, is_async: bool) -> None:
    """Make a call and be killed at a point, or by somebody else where the point is none of `POINTS`."""
    prepare_to_die(point)
    if is_async:
        anyio.run(_call_async, descriptor, path, key, text, point)
        return
    with SkillClient(caller_id="tests", journal=path, transport=_Transport(point)) as client:
        Path(f"{path}.{key}").touch()
        client.invoke(descriptor, {"text": text}, idempotency_key=key)


async def _call_async(descriptor: Any, path: str, key: str, text: str, point: str) -> None:
    async with AsyncSkillClient(caller_id="tests", journal=path, transport=_AsyncTransport(point)) as client:
        Path(f"{path}.{key}").touch()
        await client.invoke(descriptor, {"text": text}, idempotency_key=key)


def prepare_to_die(point: str) -> None:
    """Have this process killed where it comes to a point of `POINTS` at which something is noted."""
    match point:
        case "before the note":
            _dying(Journal, "begin", before=True)
        case "before the send":
            _dying(Journal, "begin")
        case "before the id is noted":
            _dying(Journal, "accepted", before=True)
        case "after the id is noted":
            _dying(Journal, "accepted")
        case "before the end is noted":
            _dying(Journal, "ended", before=True)
        case "after the end is noted":
            _dying(Journal, "ended")


def _dying(owner: type, name: str, *, before: bool = False) -> None:
    whole: Callable[..., Any] = getattr(owner, name)

    def last(*args: Any, **kwargs: Any) -> None:
        if not before:
            whole(*args, **kwargs)
        die()

    setattr(owner, name, last)


def _is_the_end(request: httpx.Request, point: str) -> bool:
    return point == ("before the reply" if request.method == "POST" else "while polling")


class _Transport(httpx.HTTPTransport):
    """Sends a request for real, and dies with the reply unread where this is the point."""

    def __init__(self, point: str) -> None:
        super().__init__(verify=False)
        self._point = point

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        reply = super().handle_request(request)
        if _is_the_end(request, self._point):
            die()
        return reply


class _AsyncTransport(httpx.AsyncHTTPTransport):
    """As `_Transport`."""

    def __init__(self, point: str) -> None:
        super().__init__(verify=False)
        self._point = point

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        reply = await super().handle_async_request(request)
        if _is_the_end(request, self._point):
            die()
        return reply
