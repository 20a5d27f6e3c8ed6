"""Replies that go wrong on the wire: reset, cut short, never sent.

The only module that reaches below ASGI, to the transport of the server's connection.
"""

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from typing import cast

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from skillproto.violations import JSONValue

DRIP_S = 0.05
_RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Broken(Response):
    """A reply that breaks in the way that a kind of fault says.

    Attributes:
        kind: "reset", "close", "cut", "hang" or "drip".
        whole: the body that would have been sent.
    """

    def __init__(self, kind: str, whole: JSONValue) -> None:
        super().__init__()
        self.kind = kind
        self.whole = JSONResponse(whole).body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Break the reply; comes back once the connection is gone."""
        steps: dict[str, Callable[[Receive, Send], Awaitable[None]]] = {
            "reset": self._reset,
            "close": self._close,
            "cut": self._cut,
            "drip": self._drip,
            "hang": self._hang,
        }
        await steps[self.kind](receive, send)

    async def _reset(self, receive: Receive, send: Send) -> None:
        transport = _transport(receive)
        connection = cast("socket.socket", transport.get_extra_info("socket"))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_ON_CLOSE)
        transport.abort()
        await _gone(receive)

    async def _close(self, receive: Receive, send: Send) -> None:
        _transport(receive).close()
        await _gone(receive)

    async def _cut(self, receive: Receive, send: Send) -> None:
        await self._head(send)
        half = self.whole[: len(self.whole) // 2]
        await send({"type": "http.response.body", "body": bytes(half), "more_body": True})
        await self._close(receive, send)

    async def _drip(self, receive: Receive, send: Send) -> None:
        await self._head(send)
        for at in range(len(self.whole)):
            last = at == len(self.whole) - 1
            await send({"type": "http.response.body", "body": bytes(self.whole[at : at + 1]), "more_body": not last})
            if last or await _gone_within(receive, DRIP_S):
                return

    async def _hang(self, receive: Receive, send: Send) -> None:
        await _gone(receive)

    async def _head(self, send: Send) -> None:
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(self.whole)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})


def _transport(receive: Receive) -> asyncio.Transport:
    """Find the connection behind an ASGI call of uvicorn.

    Raises:
        RuntimeError: the app is served by something else.
    """
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is None:
        raise RuntimeError("faults on the wire need uvicorn as the server; serve the app with running_provider()")
    return cast("asyncio.Transport", transport)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _gone_within(receive: Receive, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            await _gone(receive)
    except TimeoutError:
        return False
    return True
