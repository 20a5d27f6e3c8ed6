"""Serve the check service on a socket of this machine until a signal ends it."""

import logging
import socket
from collections.abc import Callable
from typing import Any

import uvicorn

from skillproto.errors import UsageError

_KEEP_ALIVE_S = 5
_SHUT_DOWN_S = 5


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, on_up: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_up = on_up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self._on_up()


def serve(app: Any, host: str, port: int, on_up: Callable[[str], None]) -> None:
    """Answer until SIGINT or SIGTERM; requests that are under way are let finish.

    Args:
        app: the ASGI application.
        host: the address to listen on.
        port: of it; 0 chooses a free one.
        on_up: called with the address once it answers.

    Raises:
        UsageError: it cannot listen there.
    """
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise UsageError(f"it cannot listen at {host}:{port}: {error.strerror or type(error).__name__}") from error
    with listener:
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{listener.getsockname()[1]}"
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            log_level=logging.CRITICAL,
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=_KEEP_ALIVE_S,
            timeout_graceful_shutdown=_SHUT_DOWN_S,
        )
        _Server(config, lambda: on_up(url)).run([listener])
