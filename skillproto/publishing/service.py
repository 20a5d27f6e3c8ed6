"""The check before publishing over HTTP, for registries in other languages: an ASGI application.

Needs the extra `provider`. Bodies, time and work at once are bounded; what goes wrong inside is told in an
error envelope, never as a traceback and never as a finding.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from skillproto import __version__
from skillproto.documents import Limits
from skillproto.errors import CODE_OF_STATUS, ErrorCode, SkillError, UsageError
from skillproto.publishing.check import Probe
from skillproto.publishing.exchange import CheckRequest, reply_of
from skillproto.publishing.openapi import openapi_document
from skillproto.publishing.state import RegistryState
from skillproto.rules import RULE_PACK_VERSION
from skillproto.violations import JSONValue

MAX_BYTES = 4 * 1024 * 1024
TIMEOUT_S = 10.0
AT_ONCE = 8
LONGEST_S = 86_400.0
LONGEST_PROBE_S = 240.0
"""A check that asks the skill itself has so much more; its requests end sooner by their own bounds."""

State = RegistryState | Callable[[], RegistryState] | None


class Limited:
    """What a service allows.

    Args:
        max_bytes: of a request's body.
        timeout_s: for a body to come in, and for a check to end; a probe has its own bounds besides.
        at_once: checks under way; more are asked to come again.
    """

    def __init__(self, max_bytes: int, timeout_s: float, at_once: int) -> None:
        if max_bytes < 1 or not 0 < timeout_s <= LONGEST_S or at_once < 1:
            raise UsageError(f"max_bytes, timeout_s and at_once must be above 0, timeout_s up to {LONGEST_S:g}")
        self.max_bytes, self.timeout_s, self.at_once = max_bytes, timeout_s, at_once
        self.documents = Limits(max_bytes=max_bytes)


class _Service:
    def __init__(self, state: State, probe: Probe | None, limited: Limited) -> None:
        self._state, self._probe, self._limited = state, probe, limited
        self._running = 0

    async def check(self, request: Request) -> Response:
        if self._running >= self._limited.at_once:
            raise HTTPException(503, "As many checks as are allowed are under way; come again", {"Retry-After": "1"})
        self._running += 1
        body = await self._body(request)
        asked: list[CheckRequest] = []
        task = asyncio.ensure_future(asyncio.to_thread(self._answer, body, asked))
        task.add_done_callback(self._ended)
        try:
            return _json(await self._in_time(task, asked))
        except TimeoutError:
            raise HTTPException(504, "The check took longer than is allowed") from None

    async def _in_time(self, task: "asyncio.Future[JSONValue]", asked: list[CheckRequest]) -> JSONValue:
        """Wait for a check; one that asks the skill itself has as long as the bounds of its requests."""
        try:
            return await asyncio.wait_for(asyncio.shield(task), self._limited.timeout_s)
        except TimeoutError:
            if not any(each.probe for each in asked):
                raise
            return await asyncio.wait_for(asyncio.shield(task), LONGEST_PROBE_S)

    async def _body(self, request: Request) -> bytes:
        try:
            async with asyncio.timeout(self._limited.timeout_s):
                return await self._read(request)
        except TimeoutError:
            self._running -= 1
            raise HTTPException(408, "The request did not come in time") from None
        except BaseException:
            self._running -= 1
            raise

    async def _read(self, request: Request) -> bytes:
        most = self._limited.max_bytes
        if int(request.headers.get("content-length") or 0) > most:
            raise HTTPException(413, f"A request may have {most} bytes")
        body = bytearray()
        async for piece in request.stream():
            body += piece
            if len(body) > most:
                raise HTTPException(413, f"A request may have {most} bytes")
        return bytes(body)

    def _ended(self, task: "asyncio.Future[JSONValue]") -> None:
        self._running -= 1
        if not task.cancelled():
            task.exception()

    def _answer(self, body: bytes, told: list[CheckRequest]) -> JSONValue:
        asked = self._read_request(body)
        told.append(asked)
        if asked.probe and self._probe is None:
            raise HTTPException(403, "options.probe: going on the network is not turned on here")
        try:
            known = self._state() if callable(self._state) else self._state
        except Exception as error:
            message = f"The registry's state could not be read ({type(error).__name__})"
            raise HTTPException(503, message) from error
        return reply_of(asked.check(state=known, probe=self._probe))

    def _read_request(self, body: bytes) -> CheckRequest:
        try:
            asked = CheckRequest.read(json.loads(body), limits=self._limited.documents)
        except UsageError as error:
            raise HTTPException(400, str(error)) from None
        except (ValueError, RecursionError):
            raise HTTPException(400, "The body is not JSON") from None
        if self._state is not None and (asked.state is not None or asked.proofs or asked.allow):
            raise HTTPException(
                403,
                "state, options.proofs and options.allow are for whoever runs this service to say, which has a state",
            )
        return asked


def create_service(
    state: State = None,
    probe: Probe | None = None,
    *,
    max_bytes: int = MAX_BYTES,
    timeout_s: float = TIMEOUT_S,
    at_once: int = AT_ONCE,
) -> Starlette:
    """Make the application: `POST /v1/check`, `GET /health`, `GET /openapi.json`.

    Args:
        state: what the registry knows, or a function that gives it for each request; what it raises is
            answered with 503. None lets each request say it.
        probe: asks skills at their addresses where a request wants it; None refuses such requests.
        max_bytes: of a request's body.
        timeout_s: for a body to come in, and for a check to end.
        at_once: checks under way; more are answered with 503.

    Raises:
        UsageError: a bound that is none.

    >>> [route.path for route in create_service().routes]
    ['/v1/check', '/health', '/openapi.json']
    """
    service = _Service(state, probe, Limited(max_bytes, timeout_s, at_once))
    return Starlette(
        routes=[
            Route("/v1/check", service.check, methods=["POST"]),
            Route("/health", _health),
            Route("/openapi.json", _openapi),
        ],
        exception_handlers={HTTPException: _told, ClientDisconnect: _gone, Exception: _crashed},
    )


def _json(value: JSONValue) -> Response:
    """Write a reply in ASCII, so that a text that is no Unicode can stand in it."""
    return Response(json.dumps(value), media_type="application/json")


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "version": __version__, "rule_pack_version": RULE_PACK_VERSION})


async def _openapi(request: Request) -> Response:
    return JSONResponse(openapi_document(str(request.base_url).rstrip("/")))


async def _told(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - Starlette calls it for this class alone
    code = ErrorCode.VALIDATION_ERROR if error.status_code == 400 else CODE_OF_STATUS.get(error.status_code)
    return _envelope(code or ErrorCode.UNKNOWN, str(error.detail), error.status_code, error.headers)


async def _gone(request: Request, error: Exception) -> Response:
    return _envelope(ErrorCode.CANCELLED, "The request ended before it was complete", 400)


async def _crashed(request: Request, error: Exception) -> Response:
    return _envelope(ErrorCode.UNKNOWN, f"The check could not be carried out ({type(error).__name__})", 500)


def _envelope(code: ErrorCode, message: str, status: int, headers: Any = None) -> Response:
    error = SkillError(code, message, details={"http_status": status, "reason": "could-not-be-carried-out"})
    return JSONResponse(error.to_dict(), status_code=status, headers=headers)
