"""Serve an ASGI application of somebody else on loopback, for as long as a block lasts."""

import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

_UP_WITHIN_S = 20


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.up.set()


@contextmanager
def serving(app: Any) -> Iterator[str]:
    """Give the origin at which the application answers, its start-up and shut-down included."""
    config = uvicorn.Config(
        app, loop="asyncio", ws="none", lifespan="on", log_level=logging.CRITICAL, timeout_graceful_shutdown=2
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = _Server(config)
        thread = threading.Thread(target=server.run, args=([listener],), name="asgi-peer", daemon=True)
        thread.start()
        try:
            if not server.up.wait(_UP_WITHIN_S):
                raise RuntimeError("the application did not start")
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)
