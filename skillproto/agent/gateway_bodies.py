"""What the body of a gateway's or a model provider's error tells, in the forms that are in use.

Pure. A provider's error comes inside a gateway's one as an object, as JSON in a text (OpenRouter's `metadata.raw`,
Google's message), or in a list of one; all of them are looked at.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skillproto.invocation.decoding import decode
from skillproto.invocation.excerpts import excerpt
from skillproto.invocation.hints import whole_ms
from skillproto.violations import JSONValue

_DEEPEST = 4
_MOST_PROVIDERS = 20
_NAME_CHARS = 100
_LONGEST_S = 10**9
_DECIMAL = re.compile(r"[0-9]{1,15}(?:\.[0-9]{1,15})?")
_WRAPPING = ("error", "metadata", "raw", "message", "upstream_error", "body")
_NAMING = ("code", "type", "status", "error", "error_code", "reason", "error_type", "errorType", "__type")
_SPEAKING = ("message", "description", "detail", "errorMessage", "error")
_ATTEMPTS = ("previous_errors", "failure_sample", "attempts", "attempt_errors", "attemptErrors")


class Told(NamedTuple):
    """What a body tells.

    Attributes:
        http_status: the status that counts: that of a failure inside a 200, where the body names it.
        body: what `read_reply` is to read.
        names: all the names that it gives the failure, at every depth.
        texts: all its messages.
        wait_ms: come back no sooner than this, or None.
        facts: further details of the error.
    """

    http_status: int
    body: bytes | str | None
    names: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    wait_ms: int | None = None
    facts: Mapping[str, JSONValue] = {}


def read_told(status: int, body: bytes | str | None) -> Told:
    """Read the body of a failure.

    >>> read_told(400, b'[{"error": {"code": 400, "message": "No", "status": "INVALID_ARGUMENT"}}]').names
    ('INVALID_ARGUMENT',)
    """
    value = _parsed(body)
    is_list = isinstance(value, list) and len(value) == 1
    value = value[0] if is_list else value
    if not isinstance(value, dict):
        return Told(status, body, texts=(_as_text(body)[:4000],) if status >= 400 else ())
    levels = tuple(_levels(value))
    return Told(
        _status(status, levels),
        json.dumps(value) if is_list else body,
        tuple(_found(levels, _NAMING)),
        tuple(_found(levels, _SPEAKING)),
        _wait_ms(levels),
        _facts(levels),
    )


def _as_text(body: bytes | str | None) -> str:
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else body or ""


def _parsed(body: bytes | str | None) -> JSONValue:
    try:
        return decode(_as_text(body))
    except ValueError:
        return None


def _levels(value: JSONValue, depth: int = 0) -> Iterator[Mapping[str, JSONValue]]:
    """Give the object and the errors inside it, the outermost first."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        value = _parsed(value)
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    yield value
    for name in _WRAPPING:
        if isinstance(value.get(name), dict | str | list):
            yield from _levels(value[name], depth + 1)
    details = value.get("details")
    if isinstance(details, dict):
        yield details


def _found(levels: tuple[Mapping[str, JSONValue], ...], members: tuple[str, ...]) -> Iterator[str]:
    for level in levels:
        for member in members:
            value = level.get(member)
            if isinstance(value, str) and value.strip():
                yield value[:4000]


def _status(status: int, levels: tuple[Mapping[str, JSONValue], ...]) -> int:
    if status != 200:
        return status
    inside = (level.get(name) for level in levels[1:] for name in ("code", "status", "status_code"))
    return next((each for each in inside if type(each) is int and 400 <= each <= 599), status)


def _wait_ms(levels: tuple[Mapping[str, JSONValue], ...]) -> int | None:
    for level in levels:
        for each in level["details"] if isinstance(level.get("details"), list) else ():
            delay = each.get("retryDelay") if isinstance(each, dict) else None
            if isinstance(delay, str) and delay.endswith("s"):
                return read_ms(delay[:-1], 1000)
        seconds = level.get("retry_after_seconds", level.get("retry_after"))
        if type(seconds) in (int, float) and abs(seconds) < _LONGEST_S:
            return whole_ms(round(seconds * 1000))
    return None


def read_ms(text: str, unit_ms: int) -> int | None:
    """Read a wait that is written as a decimal number; None for anything else.

    >>> read_ms("1.5", 1000), read_ms("9" * 400, 1), read_ms("soon", 1)
    (1500, None, None)
    """
    return whole_ms(round(float(text) * unit_ms)) if _DECIMAL.fullmatch(text) else None


def _facts(levels: tuple[Mapping[str, JSONValue], ...]) -> dict[str, JSONValue]:
    providers: list[str] = []
    statuses: list[int] = []
    for name, status in _failed(levels):
        if name not in providers and len(providers) < _MOST_PROVIDERS:
            providers.append(excerpt(name, _NAME_CHARS))
            statuses += [status] if status else []
    code = next(_codes(levels), None)
    facts = {"failed_providers": providers or None, "failed_statuses": statuses or None, "provider_code": code}
    return {name: value for name, value in facts.items() if value is not None}


def _codes(levels: tuple[Mapping[str, JSONValue], ...]) -> Iterator[str]:
    for level in levels[1:] or levels:
        told = (level.get(name) for name in ("code", "error_code", "status", "type"))
        yield from (excerpt(each, _NAME_CHARS) for each in told if isinstance(each, str) and each)
    top = levels[0].get("error")
    if isinstance(top, str) and " " not in top:
        yield excerpt(top, _NAME_CHARS)


def _failed(levels: tuple[Mapping[str, JSONValue], ...]) -> Iterator[tuple[str, int | None]]:
    for level in levels:
        for name in ("failed_providers", "failedProviders"):
            yield from _entries(level.get(name))
        for name in _ATTEMPTS:
            yield from _entries(level.get(name))
        if isinstance(level.get("provider_name"), str):
            yield level["provider_name"], None


def _entries(value: JSONValue) -> Iterator[tuple[str, int | None]]:
    for each in value[:_MOST_PROVIDERS] if isinstance(value, list) else ():
        if isinstance(each, str):
            yield each, None
        elif isinstance(each, dict) and each.get("success") is not True:
            name = each.get("provider_name") or each.get("provider") or each.get("name")
            status = each.get("status") or each.get("statusCode") or each.get("code")
            if isinstance(name, str):
                yield name, status if type(status) is int else None
