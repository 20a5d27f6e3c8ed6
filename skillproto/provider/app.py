"""A small provider as an ASGI app: index, descriptor, start, status and result, and faults on demand.

It speaks the protocol as `skillproto` reads it, for tests of consumers and for demonstrations.
It keeps everything in memory; it is no server for the public.
"""

import hmac
import json
import time
from collections.abc import Iterable
from typing import NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from skillproto import validation
from skillproto.errors import CODE_OF_STATUS, ErrorCode, SkillError, ValidationFailed
from skillproto.provider import skill as text_statistics
from skillproto.provider.connection import Broken
from skillproto.provider.executions import Execution, Executions, Skill
from skillproto.provider.faults import Fault, Script
from skillproto.violations import JSONValue

LARGEST_BODY_BYTES = 1 << 20
WELL_KNOWN = "/.well-known/skill-sharing"
_INDEX_MEMBERS = ("id", "name", "capability_type", "description", "access", "version")
_WIRE = frozenset({"reset", "close", "cut", "hang", "drip"})


class Recorded(NamedTuple):
    """One request as the provider saw it; the names of headers in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def json(self) -> JSONValue:
        """Give the body as JSON."""
        return json.loads(self.body)


class ProviderState:
    """What a provider knows: its skill, the faults to come, and what it was asked.

    Attributes:
        descriptor: of the one skill that it offers.
        requests: every request, in the order of their coming.
        starts, polls, results: the faults for the three steps; each a `Script`.
    """

    def __init__(
        self,
        descriptor: dict[str, JSONValue],
        skill: Skill,
        *,
        api_key: str | None,
        duration_ms: float,
        starts: Script,
        polls: Script,
        results: Script,
    ) -> None:
        self.descriptor = descriptor
        self.executions = Executions(skill, duration_ms)
        self.requests: list[Recorded] = []
        self.starts, self.polls, self.results = starts, polls, results
        self._api_key = api_key

    def has_key(self, request: Request) -> bool:
        """Say whether a request shows the right credentials; always when none are asked for."""
        if self._api_key is None:
            return True
        auth = self.descriptor["auth"]
        if auth["type"] == "oauth2":
            given = request.headers.get("authorization", "").removeprefix("Bearer ")
        else:
            given = request.headers.get(auth.get("header", "X-API-Key"), "")
        return hmac.compare_digest(given.encode(), self._api_key.encode())


def create_app(
    descriptor: dict[str, JSONValue] | None = None,
    faults: Iterable[int | str | Fault] = (),
    *,
    base_url: str = "http://127.0.0.1:8000",
    skill: Skill = text_statistics.run,
    api_key: str | None = None,
    duration_ms: float = 0,
    poll_faults: Iterable[int | str | Fault] = (),
    result_faults: Iterable[int | str | Fault] = (),
) -> Starlette:
    """Make a provider of one skill.

    Args:
        descriptor: of the skill; None means the text statistics that come with it. The
            paths of its endpoint should be those of `running_provider().descriptor`.
        faults: what the requests that start an execution meet, one after the other: a
            status, a name of `faults.KINDS`, or a `Fault`. Served normally afterwards.
        base_url: where the app will answer; stands in the descriptor.
        skill: what the skill does; it gets checked inputs and may raise a `SkillError`.
        api_key: the key that callers must show, or None for a skill open to all.
        duration_ms: how long each execution takes.
        poll_faults: as `faults`, for requests of a status.
        result_faults: as `faults`, for requests of a result.

    Returns:
        An ASGI app; its `state.provider` is a `ProviderState`.

    Raises:
        UsageError: a fault that does not exist.

    Source: SSP 9.3 for the errors; the steps of an invocation.

    >>> create_app(faults=[503, "reset"]).state.provider.descriptor["id"]
    'org.example.text-statistics'
    """
    if descriptor is None:
        descriptor = text_statistics.descriptor(base_url, api_key=api_key is not None)
    app = Starlette(
        routes=[
            Route(WELL_KNOWN, _index),
            Route("/skills/{skill_id}/descriptor.json", _descriptor),
            Route("/skills/{skill_id}/executions", _start, methods=["POST"]),
            Route("/executions/{execution_id}", _status),
            Route("/executions/{execution_id}/result", _result),
        ],
        exception_handlers={HTTPException: _http_error, SkillError: _skill_error},
    )
    app.state.provider = ProviderState(
        descriptor,
        skill,
        api_key=api_key,
        duration_ms=duration_ms,
        starts=Script(faults),
        polls=Script(poll_faults),
        results=Script(result_faults),
    )
    return app


async def _index(request: Request) -> Response:
    state = await _record(request)
    descriptor = state.descriptor
    url = str(request.url.replace(path=f"/skills/{descriptor['id']}/descriptor.json", query="", fragment=""))
    entry = {name: descriptor[name] for name in _INDEX_MEMBERS} | {"descriptor_url": url}
    hidden = descriptor["access"] == "private" and not state.has_key(request)
    provider = {key: value for key, value in descriptor["provider"].items() if key in ("name", "url")}
    return JSONResponse({"protocol": descriptor["protocol"], "provider": provider, "skills": [] if hidden else [entry]})


async def _descriptor(request: Request) -> Response:
    state = await _record(request)
    _require_skill(state, request)
    if state.descriptor["access"] == "private":
        _require_key(state, request)
    return JSONResponse(state.descriptor)


async def _start(request: Request) -> Response:
    state = await _record(request)
    fault = state.starts.next()
    if fault.kind not in ("ok", "lost", "failed", "stuck"):
        return _faulty(fault)
    _require_skill(state, request)
    _require_key(state, request)
    body = _checked(state, state.requests[-1].body)
    execution = _execution(state, body, request.headers.get("idempotency-key"), fault.kind)
    if fault.kind == "lost":
        return Broken("reset", None)
    return JSONResponse({"execution_id": execution.id, "status": "accepted"}, status_code=202)


async def _status(request: Request) -> Response:
    state = await _record(request)
    fault = state.polls.next()
    if fault.kind != "ok":
        return _faulty(fault)
    return JSONResponse(_find(state, request).state(_now_ms()))


async def _result(request: Request) -> Response:
    state = await _record(request)
    fault = state.results.next()
    if fault.kind != "ok":
        return _faulty(fault)
    execution = _find(state, request)
    result = execution.result(_now_ms())
    return JSONResponse(execution.state(_now_ms()), status_code=202) if result is None else JSONResponse(result)


async def _record(request: Request) -> ProviderState:
    state: ProviderState = request.app.state.provider
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > LARGEST_BODY_BYTES:
            raise HTTPException(413, f"A request may have {LARGEST_BODY_BYTES} bytes; send less")
    state.requests.append(Recorded(request.method, request.url.path, dict(request.headers), body))
    return state


def _faulty(fault: Fault) -> Response:
    if fault.kind in _WIRE:
        return Broken(fault.kind, {"execution_id": "exec-0000000000000000", "status": "accepted"})
    if fault.kind == "html":
        return HTMLResponse("<!doctype html><title>Maintenance</title><p>We will be back soon.</p>")
    if fault.kind == "empty":
        return Response(b"")
    return JSONResponse(fault.body_of(), status_code=fault.status or 500, headers=dict(fault.headers))


def _require_skill(state: ProviderState, request: Request) -> None:
    if request.path_params["skill_id"] != state.descriptor["id"]:
        raise SkillError(ErrorCode.SKILL_NOT_FOUND, "No skill has this id", http_status=404)


def _require_key(state: ProviderState, request: Request) -> None:
    if not state.has_key(request):
        raise SkillError(ErrorCode.AUTH_REQUIRED, "Valid credentials are needed", http_status=401)


def _find(state: ProviderState, request: Request) -> Execution:
    _require_key(state, request)
    execution = state.executions.get(request.path_params["execution_id"])
    if execution is None:
        raise SkillError(ErrorCode.SKILL_NOT_FOUND, "No execution has this id", http_status=404)
    return execution


def _checked(state: ProviderState, raw: bytes) -> dict[str, JSONValue]:
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        raise SkillError(ErrorCode.VALIDATION_ERROR, "The body is not JSON", http_status=400) from None
    violations = validation.check(body, "invocation-request")
    if not violations:
        violations = validation.check_inputs(state.descriptor["inputs"], body["inputs"])
    if violations:
        error = ValidationFailed.of(violations, "The request does not fit the skill")
        error.http_status = 400
        raise error
    return dict(body)


def _execution(state: ProviderState, body: dict[str, JSONValue], key: str | None, ending: str) -> Execution:
    known = state.executions.known(key)
    if known is None:
        return state.executions.start(body, key=key, now_ms=_now_ms(), ending=ending)
    if known.request != body:
        message = "This Idempotency-Key was used for another request; give each request its own"
        raise SkillError(ErrorCode.VALIDATION_ERROR, message, http_status=409)
    return known


async def _skill_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, SkillError)  # noqa: S101 - Starlette calls it for this class alone
    headers = {"WWW-Authenticate": _challenge(request)} if error.code is ErrorCode.AUTH_REQUIRED else None
    return JSONResponse(error.to_dict(), status_code=error.http_status or 500, headers=headers)


def _challenge(request: Request) -> str:
    auth = request.app.state.provider.descriptor["auth"]
    return 'Bearer realm="skills"' if auth["type"] == "oauth2" else 'ApiKey realm="skills"'


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - Starlette calls it for this class alone
    code = CODE_OF_STATUS.get(error.status_code, ErrorCode.UNKNOWN)
    envelope = SkillError(code, str(error.detail), details={"http_status": error.status_code}).to_dict()
    return JSONResponse(envelope, status_code=error.status_code, headers=error.headers)


def _now_ms() -> float:
    return time.monotonic() * 1000
