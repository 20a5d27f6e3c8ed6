"""Read what a token endpoint answered: a token, or the reason that there is none.

Pure, and total. Nothing of a reply is shown but its error code and description, both masked.

Source: RFC 6749 sections 5.1 and 5.2.
"""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

from skillproto.errors import CODE_OF_STATUS, ErrorCode, RetryHint, SkillError
from skillproto.invocation.auth import is_header_value
from skillproto.invocation.excerpts import excerpt
from skillproto.invocation.hints import read_retry_after
from skillproto.invocation.wire import Replied
from skillproto.redaction import hide, known_forms
from skillproto.violations import JSONValue

LIMIT_BYTES = 64 * 1024
"""A reply of a token endpoint beyond this is not read."""

_LONGEST_LIFE_S = 10 * 365 * 24 * 3600
_DESCRIPTION_CHARS = 200
_OAUTH_ERROR = re.compile(r"[a-z_]{1,60}")
_LATER = ("temporarily_unavailable", "server_error", "slow_down")
_NOT_ALLOWED = ("unauthorized_client", "access_denied", "invalid_scope")
_PASSING = (408, 429, 502, 503, 504)


class NewToken(NamedTuple):
    """A token as it was given; `life_s` is None when the reply does not tell how long it lives."""

    text: str
    life_s: float | None


def read_token(reply: Replied, origin: str, secrets: Sequence[str] = ()) -> NewToken | SkillError:
    """Read a reply.

    Args:
        reply: of the token endpoint, its body within `LIMIT_BYTES`.
        origin: of the token endpoint, to be named.
        secrets: what must not be shown.

    >>> read_token(Replied(200, (), b'{"access_token": "t", "token_type": "Bearer", "expires_in": 60}'), "")
    NewToken(text='t', life_s=60)
    >>> read_token(Replied(401, (), b'{"error": "invalid_client"}'), "https://login.example")
    AuthRequired('AUTH_REQUIRED', 'No access token was got: https://login.example refuses the client (invalid_client)')
    """
    members = _members(reply)
    if not 200 <= reply.status < 300:
        return _refusal(reply, members, origin, known_forms(secrets))
    text = members.get("access_token")
    kind = members.get("token_type", "bearer")
    if isinstance(text, str) and is_header_value(text) and isinstance(kind, str) and kind.lower() == "bearer":
        return NewToken(text, _life_s(members.get("expires_in")))
    why = f"{origin} answered without a bearer token in JSON that can be used"
    return _failure(ErrorCode.UNKNOWN, why, reply, reason=reply.reason or "no_token")


def _members(reply: Replied) -> dict[str, JSONValue]:
    if reply.reason is not None or len(reply.body) > LIMIT_BYTES:
        return {}
    try:
        value = json.loads(reply.body.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _life_s(value: JSONValue) -> float | None:
    """Some servers write the number as a text; what makes no sense is as if it were not there."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,10}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if 0 <= value <= _LONGEST_LIFE_S else None


def _refusal(reply: Replied, members: dict[str, JSONValue], origin: str, forms: tuple[str, ...]) -> SkillError:
    told = members.get("error")
    word = told if isinstance(told, str) and _OAUTH_ERROR.fullmatch(told) else None
    word = word if word is None or hide(word, forms) == word else None
    told = members.get("error_description")
    description = excerpt(str(hide(told, forms)), _DESCRIPTION_CHARS) if word and isinstance(told, str) else None
    code, why, reason = _meaning(reply.status, word)
    why = f"{origin} {why}" + (f" ({word})" if word else "") + (f": {description}" if description else "")
    error = _failure(code, why, reply, reason=reason, oauth_error=word)
    delay_ms = read_retry_after({name.lower(): value for name, value in reply.headers})
    error.retry = None if delay_ms is None else RetryHint(delay_ms)
    return error


def _meaning(status: int, word: str | None) -> tuple[ErrorCode, str, str]:
    if 300 <= status < 400:
        return ErrorCode.UNKNOWN, "redirects elsewhere, where the client's secret is not sent", "redirect"
    if status in _PASSING or word in _LATER:
        code = CODE_OF_STATUS.get(status) if status in _PASSING else None
        return code or ErrorCode.ENDPOINT_UNREACHABLE, f"gives no tokens at the moment (status {status})", "no_token"
    if not 400 <= status < 500:
        return ErrorCode.UNKNOWN, f"failed with status {status}", "no_token"
    if word in _NOT_ALLOWED or (word is None and status == 403):
        return ErrorCode.PERMISSION_DENIED, "does not allow the client this token", "token_refused"
    return ErrorCode.AUTH_REQUIRED, "refuses the client", "token_refused"


def _failure(code: ErrorCode, why: str, reply: Replied, **details: str | None) -> SkillError:
    known: dict[str, JSONValue] = {name: value for name, value in details.items() if value is not None}
    error = SkillError(code, f"No access token was got: {why}", details={**known, "step": "token"})
    error.http_status = reply.status
    return error
