"""A transport that answers by a script, for blocking and async clients of httpx and httpx2.

Nothing goes over a network. Time passes on the `FakeTime` that it is given, else for real.
"""

import json
import socket
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from functools import cache
from math import inf
from threading import Lock
from types import ModuleType
from typing import Any, NamedTuple, Self

import anyio

from skillproto.invocation._carriers import family_of
from skillproto.redaction import safe_url
from skillproto.testing.clocks import FakeTime
from skillproto.testing.steps import Answer, Fault, FaultKind, Step
from skillproto.violations import JSONValue


class SentRequest(NamedTuple):
    """A request as the transport got it.

    Attributes:
        headers: by their names in lower case.
        at_s: when it came, on the clock of the `FakeTime`; 0 without one.
    """

    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    at_s: float = 0.0

    def json(self) -> JSONValue:
        """Give the parsed body.

        >>> SentRequest("POST", "https://skill.example/run", {}, b'{"inputs": {}}').json()
        {'inputs': {}}
        """
        value: JSONValue = json.loads(self.body)
        return value


Script = Iterable[Step] | Callable[[SentRequest], Step]


class ScriptedTransport:
    """Answers each request with the next step of a script, and keeps the requests.

    Pass it to a `SkillClient` or an `AsyncSkillClient` as `transport=`, or to a client of httpx
    or httpx2. A request after the last step is an AssertionError, since a test that sends more
    than it planned should not pass.

    Args:
        script: steps, taken one by one, so that `itertools.cycle(...)` is fine; or a function
            that gives the step for a request, for example by its address.
        time: the clock that answers and hangs take their time from; None lets them really wait.

    Attributes:
        requests: every request so far, in order.

    >>> from skillproto import SkillClient
    >>> from skillproto.testing import output, reply, sample_descriptor
    >>> transport = ScriptedTransport(lambda request: output("hola") if request.method == "POST" else reply(404))
    >>> with SkillClient(caller_id="docs", transport=transport) as client:
    ...     client.invoke(sample_descriptor(), {"text": "hello"}).output
    'hola'
    >>> transport.requests[0].json()["inputs"]
    {'text': 'hello'}
    """

    def __init__(self, script: Script, *, time: FakeTime | None = None) -> None:
        self.requests: list[SentRequest] = []
        self._choose = script if callable(script) else _in_turn(script)
        self._time = time
        self._lock = Lock()

    def handle_request(self, request: Any) -> Any:
        """Answer a request of a blocking client; called by the HTTP library."""
        step = self._next(request, request.read())
        wait_s, error = _plan(step, request)
        self._pass(wait_s)
        if error is not None:
            raise error
        return _response(self, step, request)

    async def handle_async_request(self, request: Any) -> Any:
        """Answer a request of an async client; called by the HTTP library."""
        step = self._next(request, await request.aread())
        wait_s, error = _plan(step, request)
        await self._pass_async(wait_s)
        if error is not None:
            raise error
        return _response(self, step, request)

    def _next(self, request: Any, body: bytes) -> Step:
        headers = {name.lower(): value for name, value in request.headers.items()}
        now = self._time.now if self._time is not None else 0.0
        sent = SentRequest(request.method, str(request.url), headers, body, now)
        with self._lock:
            self.requests.append(sent)
            try:
                return self._choose(sent)
            except StopIteration:
                raise AssertionError(
                    f"the script is over, and request {len(self.requests)} came: {sent.method} {safe_url(sent.url)}"
                ) from None

    def _pass(self, seconds: float) -> None:
        if self._time is not None:
            self._time.advance(seconds)
        elif seconds:
            time.sleep(seconds)

    async def _pass_async(self, seconds: float) -> None:
        if self._time is not None:
            self._time.advance(seconds)
        await anyio.sleep(0 if self._time is not None else seconds)

    def close(self) -> None:
        """Do nothing: there is no connection."""

    async def aclose(self) -> None:
        """Do nothing: there is no connection."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        return


def _in_turn(script: Iterable[Step]) -> Callable[[SentRequest], Step]:
    steps = iter(script)
    return lambda request: next(steps)


_UNTIL_THE_LIMIT = ("connect_timeout", "read_timeout")


def _plan(step: Step, request: Any) -> tuple[float, Exception | None]:
    """Say how long a step takes within the request's own limit, and what it raises then."""
    limit_s = _limit_s(request)
    is_endless = isinstance(step, Fault) and step.kind in _UNTIL_THE_LIMIT
    if limit_s == inf and is_endless:
        raise AssertionError("a request without a time limit would wait for ever")
    if is_endless or step.after_s >= limit_s:
        kind = step.kind if isinstance(step, Fault) and is_endless else "read_timeout"
        return limit_s, _error(kind, request)
    return step.after_s, _error(step.kind, request) if isinstance(step, Fault) else None


def _limit_s(request: Any) -> float:
    """Give the time that the client allows: here it bounds the whole answer, not each read of it."""
    given = request.extensions.get("timeout", {}).get("read")
    return inf if given is None else float(given)


_CLASSES: dict[FaultKind, tuple[str, Callable[[], Exception] | None]] = {
    "refused": ("ConnectError", lambda: ConnectionRefusedError("refused by the script")),
    "unknown_host": ("ConnectError", lambda: socket.gaierror(socket.EAI_NONAME, "unknown, says the script")),
    "busy_resolver": ("ConnectError", lambda: socket.gaierror(socket.EAI_AGAIN, "busy, says the script")),
    "bad_certificate": ("ConnectError", lambda: ssl.SSLCertVerificationError("not trusted, says the script")),
    "connect_timeout": ("ConnectTimeout", None),
    "reset": ("ReadError", lambda: ConnectionResetError("reset by the script")),
    "closed": ("RemoteProtocolError", None),
    "read_timeout": ("ReadTimeout", None),
}


def _error(kind: FaultKind, request: Any) -> Exception:
    name, cause = _CLASSES[kind]
    error: Exception = getattr(family_of(request), name)(f"{kind}, by the script", request=request)
    error.__cause__ = cause() if cause is not None else None
    return error


def _response(transport: ScriptedTransport, step: Step, request: Any) -> Any:
    assert isinstance(step, Answer)  # noqa: S101 - a fault has raised already
    family = family_of(request)
    body = _body_class(family)(transport, step, request)
    return family.Response(step.status, headers=list(step.headers), stream=body, request=request)


@cache
def _body_class(family: ModuleType) -> Any:
    """Make the class of reply bodies that a family's clients take."""

    class Body(family.SyncByteStream, family.AsyncByteStream):  # type: ignore[misc,name-defined]
        def __init__(self, transport: ScriptedTransport, step: Answer, request: Any) -> None:
            self._transport = transport
            self._step = step
            self._request = request
            self._left_s = _limit_s(request) - step.after_s

        def __iter__(self) -> Iterator[bytes]:
            for piece in _pieces(self._step):
                self._transport._pass(self._take(self._step.interval_s))
                self._require_time()
                yield piece
            self._end()

        def __aiter__(self) -> AsyncIterator[bytes]:
            return _AsyncPieces(_pieces(self._step), self._wait, self._end)

        async def _wait(self) -> None:
            await self._transport._pass_async(self._take(self._step.interval_s))
            self._require_time()

        def _take(self, seconds: float) -> float:
            taken = min(seconds, self._left_s)
            self._left_s -= seconds
            return taken

        def _require_time(self) -> None:
            if self._left_s <= 0:
                raise _error("read_timeout", self._request)

        def _end(self) -> None:
            if self._step.is_cut:
                raise _error("closed", self._request)

    return Body


class _AsyncPieces:
    """Unlike an async generator it leaves nothing to clean up when it is dropped half-way."""

    def __init__(self, pieces: Iterator[bytes], wait: Callable[[], Awaitable[None]], end: Callable[[], None]) -> None:
        self._pieces = pieces
        self._wait = wait
        self._end = end

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        for piece in self._pieces:
            await self._wait()
            return piece
        self._end()
        raise StopAsyncIteration


def _pieces(step: Answer) -> Iterator[bytes]:
    size = step.piece_bytes or len(step.body) or 1
    for start in range(0, len(step.body), size):
        yield step.body[start : start + size]
