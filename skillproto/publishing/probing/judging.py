"""Judge one request to a skill by what came back. Pure: the same exchange always gives the same findings.

Each finding carries the request and the reply that it was judged by, short and without secrets.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple, Self

from skillproto.errors import is_envelope_body
from skillproto.invocation.excerpts import excerpt, seen, shown
from skillproto.redaction import safe_url
from skillproto.rules import probing as rules
from skillproto.rules.model import Rule
from skillproto.violations import JSONValue, Violation

Asked = Literal["start", "unknown-execution"]
Access = Literal["public", "restricted", "private"]

_RULE_OF: Mapping[str, Rule] = {
    "tls": rules.TLS_INVALID,
    "timeout": rules.SLOW,
    "redirect": rules.REDIRECT,
    "private-address": rules.PRIVATE_ADDRESS,
    "too-large": rules.ERROR_SHAPE,
}
_EXPECTED = {
    rules.TLS_INVALID.id: "a certificate that callers accept",
    rules.SLOW.id: "a reply before callers give up",
    rules.REDIRECT.id: "an answer at this address",
    rules.PRIVATE_ADDRESS.id: "a name that leads to public addresses alone",
    rules.UNREACHABLE.id: "an address that answers",
    rules.ERROR_SHAPE.id: "a short refusal",
}
_TOLD_HEADERS = ("content-type", "location", "retry-after", "server", "www-authenticate")
_BODY_CHARS = 400
_GATEWAY = (502, 503, 504)
_COUNTS = ("total", "resultCount", "result_count", "count", "total_count")
_LISTS = ("items", "results", "data", "output", "skills", "entries", "records")


class Exchange(NamedTuple):
    """One request to a skill, and what came back.

    Attributes:
        asked: "start" is a request to run without credentials and with inputs of the wrong type;
            "unknown-execution" asks for an execution that was made up.
        field: JSON Pointer of the address in the descriptor.
        method, url: of the request.
        access: of the skill.
        status: of the reply; None when none came.
        headers: of the reply, names in lower case.
        body: the parsed JSON, or the start of what is no JSON as a text.
        is_json: whether the body is JSON.
        elapsed_ms: how long it took.
        failure: why no reply came, as a short word; None when one came.
        words: what is known of the failure, for people.
        moved: whether the reply came from another address than the one that was asked.
        certificate_days: for how many days the server's certificate is still good; None over plain http.
    """

    asked: Asked
    field: str
    method: str
    url: str
    access: Access = "restricted"
    status: int | None = None
    headers: Mapping[str, str] = {}
    body: JSONValue = None
    is_json: bool = True
    elapsed_ms: int = 0
    failure: str | None = None
    words: str = ""
    moved: bool = False
    certificate_days: float | None = None

    @classmethod
    def read(cls, members: Mapping[str, Any]) -> Self:
        """Make one from a JSON object with the attributes' names; those that it does not know are left out.

        >>> members = {"asked": "start", "field": "/a", "method": "POST", "url": "u", "headers": {"A": "b"}}
        >>> Exchange.read(members).headers
        {'a': 'b'}
        """
        known = {name: value for name, value in members.items() if name in cls._fields}
        known["headers"] = {name.lower(): str(value) for name, value in members.get("headers", {}).items()}
        return cls(**known)

    @property
    def is_public(self) -> bool:
        """Whether everybody may call the skill."""
        return self.access == "public"

    def to_details(self) -> dict[str, JSONValue]:
        """Give the request and the reply, short and without secrets."""
        request = {"method": self.method, "url": excerpt(safe_url(self.url), _BODY_CHARS), "credentials": "none"}
        if self.status is None:
            return {"request": request, "reply": None, "failure": self.failure, "elapsed_ms": self.elapsed_ms}
        body = shown(self.body, _BODY_CHARS) if self.is_json else seen(str(self.body))
        headers = {
            name: excerpt(safe_url(value) if name == "location" else value, _BODY_CHARS)
            for name, value in self.headers.items()
            if name in _TOLD_HEADERS
        }
        reply: dict[str, JSONValue] = {"status": self.status, "headers": headers, "body": body}
        return {"request": request, "reply": reply, "elapsed_ms": self.elapsed_ms}


def judge(
    exchange: Exchange, *, slow_ms: float = rules.SLOW_MS, expiring_days: float = rules.EXPIRING_DAYS
) -> Iterator[Violation]:
    """Find what is wrong with how a skill answered.

    Args:
        exchange: what was asked and what came back.
        slow_ms: a reply that took longer comes too late.
        expiring_days: a certificate that is good for less is about to expire.

    >>> [v.rule for v in judge(Exchange("start", "/endpoint/url", "POST", "https://a.example/", status=202))]
    ['probe/open-door']
    """
    if exchange.failure is not None:
        yield _failed(exchange)
        return
    days = exchange.certificate_days
    if days is not None and days < expiring_days:
        yield _found(rules.TLS_EXPIRING, exchange, f"a certificate good for {expiring_days:g} days", round(days, 1),
                     f"The certificate expires in {max(days, 0):.0f} days")  # fmt: skip
    if exchange.elapsed_ms > slow_ms:
        yield _found(rules.SLOW, exchange, f"a reply within {slow_ms:g} ms", exchange.elapsed_ms,
                     f"To refuse this request took {exchange.elapsed_ms} ms")  # fmt: skip
    if exchange.moved or 300 <= (exchange.status or 0) < 400:
        yield _found(rules.REDIRECT, exchange, _EXPECTED[rules.REDIRECT.id], exchange.status,
                     "The address redirects to another one, where no credentials are sent")  # fmt: skip
    elif exchange.status in _GATEWAY:
        yield _found(rules.UNREACHABLE, exchange, _EXPECTED[rules.UNREACHABLE.id], exchange.status,
                     f"What stands before the skill answers {exchange.status}, so that it is not reached")  # fmt: skip
    elif exchange.asked == "start":
        yield from _of_start(exchange)
    else:
        yield from _of_unknown(exchange)


def _failed(exchange: Exchange) -> Violation:
    rule = _RULE_OF.get(str(exchange.failure), rules.UNREACHABLE)
    words = exchange.words or f"No reply came ({exchange.failure})"
    return _found(rule, exchange, _EXPECTED[rule.id], None, words)


def _of_start(exchange: Exchange) -> Iterator[Violation]:
    status = exchange.status or 0
    if 200 <= status < 300 and not _tells_failure(exchange.body):
        if not exchange.is_public:
            yield _found(rules.OPEN_DOOR, exchange, "401, or another refusal", status,
                         f"A {exchange.access} skill accepted a request without credentials")  # fmt: skip
        return
    yield from _of_refusal(exchange, rules.ERROR_SHAPE)


def _of_unknown(exchange: Exchange) -> Iterator[Violation]:
    status = exchange.status or 0
    if status in (401, 403) and not exchange.is_public:
        yield from _of_refusal(exchange, rules.ERROR_SHAPE)
    elif status == 404 or _tells_failure(exchange.body):
        yield from _of_refusal(exchange, rules.NOT_FOUND_SHAPE, wanted_code="SKILL_NOT_FOUND")
    else:
        yield _found(rules.NOT_FOUND_SHAPE, exchange, "404 with SKILL_NOT_FOUND", status,
                     f"An execution that does not exist is answered with {status}")  # fmt: skip


def _of_refusal(exchange: Exchange, shape: Rule, wanted_code: str | None = None) -> Iterator[Violation]:
    if exchange.status == 401 and not exchange.headers.get("www-authenticate", "").strip():
        yield _found(rules.NO_CHALLENGE, exchange, "WWW-Authenticate", None,
                     "The 401 does not say which credentials are wanted")  # fmt: skip
    if _is_empty_result(exchange.body):
        yield _found(rules.EMPTY_AS_ERROR, exchange, "200 with the empty result", exchange.status,
                     f"An empty result is answered with {exchange.status}")  # fmt: skip
        return
    error = exchange.body.get("error") if isinstance(exchange.body, dict) else None
    if is_envelope_body(error):
        if wanted_code is not None and error["code"] != wanted_code:
            yield _found(shape, exchange, wanted_code, excerpt(str(error["code"]), 60),
                         "An execution that does not exist is told by another code")  # fmt: skip
    elif not _is_told_otherwise(exchange.body):
        yield _found(shape, exchange, 'an envelope {"error": {"code", "message"}}', exchange.status,
                     f"The refusal with {exchange.status} is no error envelope")  # fmt: skip


def _tells_failure(body: JSONValue) -> bool:
    return isinstance(body, dict) and (isinstance(body.get("error"), dict) or _is_told_otherwise(body))


def _is_told_otherwise(body: JSONValue) -> bool:
    """Say whether a failure is told in one of the other forms that clients read: Asixto's or MCP's."""
    return isinstance(body, dict) and (body.get("isError") is True or isinstance(body.get("error_type"), str))


def _is_empty_result(body: JSONValue) -> bool:
    if isinstance(body, list):
        return not body
    if not isinstance(body, dict) or "error" in body or _is_told_otherwise(body):
        return False
    is_zero = any(body.get(name) == 0 and not isinstance(body.get(name), bool) for name in _COUNTS)
    return is_zero or any(body.get(name) == [] for name in _LISTS)


def _found(rule: Rule, exchange: Exchange, expected: str, actual: JSONValue, message: str) -> Violation:
    return rule.found(exchange.field, expected, actual, message, details=exchange.to_details())


def body_of(data: bytes) -> tuple[JSONValue, bool]:
    """Read a reply's body: its JSON value, or the start of its text.

    >>> body_of(b"[]"), body_of(b"<html>")
    (([], True), ('<html>', False))
    """
    try:
        return json.loads(data), True
    except (ValueError, RecursionError):
        return data[:4096].decode("utf-8", "replace"), False
