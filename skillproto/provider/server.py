"""A provider that runs in this process, on a free port of the loopback interface.

It runs in a thread of its own and stops, connections and all, when its block ends.
"""

import asyncio
import logging
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import uvicorn

from skillproto.errors import SkillprotoError
from skillproto.provider import skill as text_statistics
from skillproto.provider.app import ProviderState, Recorded, create_app
from skillproto.provider.executions import Skill
from skillproto.provider.faults import Fault
from skillproto.violations import JSONValue

_START_LIMIT_S = 10
_LOGGERS = ("uvicorn", "uvicorn.error", "uvicorn.access", "uvicorn.asgi")


class RunningProvider:
    """A provider at work.

    Attributes:
        base_url: where it answers, such as "http://127.0.0.1:41327".
        descriptor: of its skill, with addresses that lead to it.
        state: the faults to come, which can be extended while it runs.
    """

    def __init__(self, base_url: str, state: ProviderState) -> None:
        self.base_url = base_url
        self.state = state
        self.descriptor = state.descriptor

    @property
    def descriptor_url(self) -> str:
        """Where it serves the descriptor."""
        return f"{self.base_url}/skills/{self.descriptor['id']}/descriptor.json"

    @property
    def requests(self) -> list[Recorded]:
        """Every request so far, in the order of their coming."""
        return self.state.requests

    @property
    def starts(self) -> list[Recorded]:
        """The requests to start an execution."""
        return [request for request in self.requests if request.method == "POST"]


class _Server(uvicorn.Server):
    """A uvicorn server that says when it is up, and can be stopped from another thread."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.up = threading.Event()
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        self.loop = asyncio.get_running_loop()
        self.up.set()

    def stop(self) -> None:
        self.should_exit = True
        if self.loop is not None:
            self.loop.call_soon_threadsafe(self._drop_connections)

    def _drop_connections(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()


@contextmanager
def running_provider(
    faults: Iterable[int | str | Fault] = (),
    *,
    descriptor: dict[str, JSONValue] | None = None,
    skill: Skill = text_statistics.run,
    api_key: str | None = None,
    duration_ms: float = 0,
    poll_faults: Iterable[int | str | Fault] = (),
    result_faults: Iterable[int | str | Fault] = (),
) -> Iterator[RunningProvider]:
    """Run a provider of one skill for as long as the block lasts.

    Args:
        faults: what the requests that start an execution meet, one after the other: a
            status, a name of `faults.KINDS`, or a `Fault`. Served normally afterwards.
        descriptor: of the skill; its `endpoint` is pointed at this provider. None means
            the text statistics that come with it.
        skill: what the skill does; it gets checked inputs and may raise a `SkillError`.
        api_key: the key that callers must show, or None for a skill open to all.
        duration_ms: how long each execution takes.
        poll_faults: as `faults`, for requests of a status.
        result_faults: as `faults`, for requests of a result.

    Raises:
        UsageError: a fault that does not exist.
        SkillprotoError: the server did not come up.

    >>> with running_provider(faults=[503]) as provider:
    ...     provider.base_url.startswith("http://127.0.0.1:")
    True
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        base_url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        app = create_app(
            None if descriptor is None else _pointed_at(base_url, descriptor),
            faults,
            base_url=base_url,
            skill=skill,
            api_key=api_key,
            duration_ms=duration_ms,
            poll_faults=poll_faults,
            result_faults=result_faults,
        )
        with _quiet(), _serving(app, listener):
            yield RunningProvider(base_url, app.state.provider)


def _pointed_at(base_url: str, descriptor: dict[str, JSONValue]) -> dict[str, JSONValue]:
    addresses = text_statistics.descriptor(base_url, skill_id=descriptor["id"])["endpoint"]
    return descriptor | {"endpoint": addresses | {"timeout_ms": descriptor["endpoint"].get("timeout_ms", 30000)}}


@contextmanager
def _serving(app: object, listener: socket.socket) -> Iterator[None]:
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    thread = threading.Thread(target=server.run, args=([listener],), name="skillproto-provider", daemon=True)
    thread.start()
    try:
        if not server.up.wait(_START_LIMIT_S):
            raise SkillprotoError(f"the provider did not start within {_START_LIMIT_S} s")
        yield
    finally:
        server.stop()
        thread.join()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the server's own log off the terminal, where the faults would look like failures."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
