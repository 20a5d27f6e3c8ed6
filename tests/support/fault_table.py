"""The faults that the client is tried against, and what must come of each, as one table.

The tests run every row with every driver; docs/faults.md is written from it.
"""

import gzip
import json
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from skillproto.errors import ErrorCode
from tests.support import faults
from tests.support.fault_places import (
    Opening,
    accepting,
    answer_in_plain_text,
    at,
    behind,
    hang_up,
    hang_up_at_once,
    hanging_look_up,
    refusing,
    say_nothing,
    served,
    served_anew,
    silent,
)
from tests.support.faults import Exchange, Step, by_path, reply

UNREACHABLE = ErrorCode.ENDPOINT_UNREACHABLE
TIMEOUT = ErrorCode.EXECUTION_TIMEOUT
UNKNOWN = ErrorCode.UNKNOWN

ATTEMPTS = 2
"""How often a call of the matrix may be tried."""

SHORT_MS = 250


class Fault(NamedTuple):
    """One fault, and what must come of a call that meets it.

    Attributes:
        code: of the error; None where the call succeeds all the same.
        reason: `details.reason` of the error.
        requests: so many must reach the server, polls included; None where no server reads any.
        attempts: how often the start is tried.
        may_have_run: whether the error says that the skill may have run; None where that is by chance.
        timeout_ms: what the caller allows for everything.
        least_s: the call must take as long, since somebody asked for a wait.
    """

    group: str
    name: str
    opening: Opening
    code: ErrorCode | None
    reason: str | None = None
    requests: int | None = 1
    attempts: int = 1
    may_have_run: bool | None = False
    timeout_ms: int = 5000
    least_s: float = 0.0


GOOD = reply(200, {"output": "hi"})
ACCEPTED = reply(202, {"execution_id": "e1", "status": "accepted"})
COMPLETED = reply(200, {"status": "completed"})
PAGE = "<html><h1>Something went wrong</h1></html>"
JSON = {"Content-Type": "application/json"}


def once_more(step: Step) -> Opening:
    """A server that does this once, then all is well."""
    return served([step, GOOD])


def raw(*parts: bytes) -> Opening:
    return served([faults.raw(b"".join(parts))])


def head(*lines: bytes) -> bytes:
    return b"\r\n".join([b"HTTP/1.1 200 OK", *lines, b"", b""])


def drip_header(exchange: Exchange) -> bool:
    exchange.send(b"HTTP/1.1 200 OK\r\n")
    while exchange.pause(0.02):
        exchange.send(b"X-More: 1\r\n")
    return False


def endless_hints(exchange: Exchange) -> bool:
    while not exchange.stopping.is_set():
        exchange.send(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 500)
    return False


def packed(data: bytes, encoding: str) -> Step:
    return reply(200, data, {**JSON, "Content-Encoding": encoding})


def execution(**steps: Any) -> Opening:
    """A skill that accepts, is asked for its state and has a result; the steps stand in for these three."""
    every: dict[str, Any] = {"invoke": ACCEPTED, "status": COMPLETED, "result": GOOD, **steps}
    paths = {"invoke": "/invoke", "status": "/status/e1", "result": "/result/e1"}
    return served_anew(lambda: by_path({paths[name]: step for name, step in every.items()}))


def envelope(code: str, **more: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": "No", **more}}


def rows(group: str, *faults_of_it: tuple[Any, ...]) -> list[Fault]:
    """Put the group before each row; a dict at its end holds what is called by name."""
    found = []
    for fault in faults_of_it:
        named = fault[-1] if isinstance(fault[-1], dict) else {}
        found.append(Fault(group, *(fault[:-1] if named else fault), **named))
    return found


AGAIN = {"requests": 2, "attempts": 2}
LOST = {**AGAIN, "may_have_run": True}
LATE = {"timeout_ms": SHORT_MS, "may_have_run": True}
PERHAPS = {"may_have_run": None}
NEVER_SENT = {"requests": None}

CONNECTING = rows(
    "Connecting",
    ("the host's name is not known", at("https://skill.invalid/run"), UNREACHABLE, "dns", NEVER_SENT),
    ("the look-up of the host's name takes for ever", hanging_look_up, TIMEOUT, "deadline",
     NEVER_SENT | {"timeout_ms": SHORT_MS}),
    ("the port refuses connections", refusing, UNREACHABLE, "refused", NEVER_SENT | {"attempts": 2}),
    ("connecting takes for ever", silent, TIMEOUT, "deadline", NEVER_SENT | {"timeout_ms": SHORT_MS}),
    ("the connection is reset at once", accepting(hang_up_at_once), UNREACHABLE, "reset", AGAIN | PERHAPS),
    ("the connection is reset as soon as something is sent", accepting(hang_up), UNREACHABLE, "reset", LOST),
    ("the connection is accepted, and nothing is read", accepting(say_nothing), TIMEOUT, "deadline", LATE),
)  # fmt: skip

TLS_GOOD = served([GOOD], tls="verified")
UNSAFE = {"requests": 0}
SECURING = rows(
    "TLS",
    ("the certificate is good", TLS_GOOD, None),
    ("the certificate has expired", served([GOOD], tls="expired"), UNREACHABLE, "tls", UNSAFE),
    ("the certificate is for another host", served([GOOD], tls="wrong_host"), UNREACHABLE, "tls", UNSAFE),
    ("the certificate is signed by itself", served([GOOD], tls="self_signed"), UNREACHABLE, "tls", UNSAFE),
    ("the authority is not trusted", served([GOOD], tls="unknown_ca"), UNREACHABLE, "tls", UNSAFE),
    ("the server speaks plain HTTP", accepting(answer_in_plain_text, scheme="https"), UNREACHABLE, "tls"),
    ("the server speaks TLS, the address says http", served([GOOD], tls="verified", scheme="http"), UNREACHABLE,
     "reset", UNSAFE | {"attempts": 2, "may_have_run": True}),
    ("the handshake is never answered", accepting(say_nothing, scheme="https"), TIMEOUT, "deadline",
     {"timeout_ms": SHORT_MS}),
    ("the connection is reset in the handshake", accepting(hang_up, scheme="https"), UNREACHABLE, "reset", AGAIN),
)  # fmt: skip

HEADERS = rows(
    "The head of the reply",
    ("reset before a reply", served([faults.reset_before_reply()]), UNREACHABLE, "reset", LOST),
    ("closed before a reply", served([faults.close_before_reply()]), UNREACHABLE, "reset", LOST),
    ("no reply at all", served([faults.never_answer()]), TIMEOUT, "deadline", LATE),
    ("another protocol", raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), UNREACHABLE, "protocol", LOST),
    ("half a status line", raw(b"HTTP/1.1 2"), UNREACHABLE, "protocol", LOST),
    ("a status that is no number", raw(b"HTTP/1.1 OK 200\r\n\r\n"), UNREACHABLE, "protocol", LOST),
    ("half a header", raw(b"HTTP/1.1 200 OK\r\nContent-Ty"), UNREACHABLE, "protocol", LOST),
    ("a header without a name", raw(head(b": x")), UNREACHABLE, "protocol", LOST),
    ("a header that drips", served([drip_header]), TIMEOUT, "deadline", LATE),
    ("one header of 1 MiB", served([faults.huge_header()]), UNREACHABLE, "protocol", LOST),
    ("20,000 headers", raw(head(*[b"X-Many: 1"] * 20_000)), UNREACHABLE, "protocol", LOST),
    ("two lengths that differ", raw(head(b"Content-Length: 2", b"Content-Length: 3"), b"{}"), UNREACHABLE, "protocol",
     LOST),
    ("a length that is no number", raw(head(b"Content-Length: x"), b"{}"), UNREACHABLE, "protocol", LOST),
    ("an early hint, then the reply", raw(b"HTTP/1.1 103 Early Hints\r\n\r\n", head(b"Content-Length: 15"),
                                          b'{"output":"hi"}'), None),
    ("early hints without end", served([endless_hints]), TIMEOUT, "deadline", LATE),
    ("HTTP/1.0", served([faults.http10(200, {"output": "hi"})]), None),
)  # fmt: skip

GZIP = gzip.compress(b'{"output": "hi"}')
BODIES = rows(
    "The body of the reply",
    ("half a body, then closed", served([faults.half_body()]), UNKNOWN, "cut_short"),
    ("half a body, then reset", served([faults.reset_during_body()]), UNREACHABLE, "reset", LOST),
    ("half a body of HTTP/1.0", raw(b'HTTP/1.0 200 OK\r\n\r\n{"output": "'), UNKNOWN, "not_json"),
    ("half the chunks", served([faults.half_chunks()]), UNKNOWN, "cut_short"),
    ("a chunk whose length is no number", served([faults.bad_chunk()]), UNKNOWN, "cut_short"),
    ("a body that drips", served([faults.drip(interval_s=0.02, times=200)]), TIMEOUT, "deadline", LATE),
    ("a length that is too small", raw(head(b"Content-Length: 5"), b'{"output": "hi"}'), UNKNOWN, "not_json"),
    ("a body without end", served([faults.endless()]), UNKNOWN, "too_large"),
    ("a gzip bomb", served([faults.gzip_bomb()]), UNKNOWN, "too_large"),
    ("gzip that is none", served([packed(b'{"output": "hi"}', "gzip")]), UNKNOWN, "bad_encoding"),
    ("half of the gzip", served([packed(GZIP[:-9], "gzip")]), UNKNOWN, "cut_short"),
    ("an encoding that was not asked for", served([packed(b"\x0b\x02\x80hi\x03", "br")]), UNKNOWN, "bad_encoding"),
    ("gzip", served([packed(GZIP, "gzip")]), None),
    ("deflate", served([packed(zlib.compress(b'{"output": "hi"}'), "deflate")]), None),
    ("an empty body", served([reply(200)]), UNKNOWN, "empty_body"),
    ("a page", served([reply(200, PAGE)]), UNKNOWN, "not_json"),
    ("text that is not UTF-8", served([reply(200, b'{"output": "\xff"}', JSON)]), UNKNOWN, "bad_encoding"),
    ("half of the JSON", served([reply(200, b'{"output": ', JSON)]), UNKNOWN, "not_json"),
    ("100,000 arrays in one another", served([reply(200, b"[" * 100_000, JSON)]), UNKNOWN, "too_deep"),
    ("an output of another type", served([reply(200, {"output": 5})]), ErrorCode.VALIDATION_ERROR),
)

HERE = {"Location": "/invoke"}
STATUSES = rows(
    "What the reply says",
    ("a redirect to another origin", served([faults.redirect("https://elsewhere.example/")]), UNKNOWN, "redirect"),
    ("a redirect to itself", served([reply(302, None, HERE)]), UNKNOWN, "redirect"),
    ("401", served([reply(401, PAGE)]), ErrorCode.AUTH_REQUIRED),
    ("403", served([reply(403, PAGE)]), ErrorCode.PERMISSION_DENIED),
    ("404", served([reply(404, PAGE)]), ErrorCode.SKILL_NOT_FOUND),
    ("408", once_more(reply(408)), None, AGAIN),
    ("410", served([reply(410, PAGE)]), UNKNOWN),
    ("422", served([reply(422)]), ErrorCode.VERSION_INCOMPATIBLE),
    ("500", served([reply(500, PAGE)]), UNKNOWN),
    ("503 with 1 MiB of text", once_more(reply(503, "x" * 2**20)), None, AGAIN),
    ("503 again and again", served([reply(503)]), UNREACHABLE, AGAIN),
    ("503 that allows no further attempt", served([reply(503, envelope("ENDPOINT_UNREACHABLE", retry={
        "max_attempts": 0}))]), UNREACHABLE),
    ("503 that says AUTH_REQUIRED", served([reply(503, envelope("AUTH_REQUIRED"))]), ErrorCode.AUTH_REQUIRED),
    ("200 that says EXECUTION_TIMEOUT", once_more(reply(200, envelope("EXECUTION_TIMEOUT"))), None, AGAIN),
    ("200 that says SYSTEM", once_more(reply(200, {"error": {"error_type": "SYSTEM"}})), None, AGAIN),
    ("200 that says that it failed", served([reply(200, {"isError": True})]), ErrorCode.EXECUTION_FAILED),
)  # fmt: skip

DATED = {"Date": "Sun, 06 Nov 1994 08:49:37 GMT"}
WAITS: Sequence[tuple[str, dict[str, str], float]] = (
    ("no Retry-After", {}, 0),
    ("0", {"Retry-After": "0"}, 0),
    ("1", {"Retry-After": "1"}, 1),
    ("a date, 1 s after that of the reply", {**DATED, "Retry-After": "Sun, 06 Nov 1994 08:49:38 GMT"}, 1),
    ("a date that has passed", {**DATED, "Retry-After": "Sunday, 06-Nov-94 08:49:36 GMT"}, 0),
    ("a date of the year 99999", {"Retry-After": "Sun, 06 Nov 99999 08:49:37 GMT"}, 0),
    ("-1", {"Retry-After": "-1"}, 0),
    ("1.5", {"Retry-After": "1.5"}, 0),
    ("1e3", {"Retry-After": "1e3"}, 0),
    ("inf", {"Retry-After": "inf"}, 0),
    ("400 digits", {"Retry-After": "9" * 400}, 0),
    ("5, 10", {"Retry-After": "5, 10"}, 0),
    ("a word", {"Retry-After": "soon"}, 0),
    ("nothing", {"Retry-After": ""}, 0),
)
LIMITED = rows(
    "429, and its Retry-After",
    *(
        (name, once_more(reply(429, None, headers)), None, {**AGAIN, "least_s": least})
        for name, headers, least in WAITS
    ),
    ("longer than the caller waits", served([reply(429, None, {"Retry-After": "60"})]), UNREACHABLE, "rate_limited"),
)

POLLING = rows(
    "While an execution runs",
    ("all goes well", execution(), None, {"requests": 3}),
    ("the kept connection is closed after each reply", execution(
        invoke=faults.close_kept_connection(json.loads('{"execution_id": "e1", "status": "accepted"}'), 202),
        status=faults.close_kept_connection({"status": "completed"})), None, {"requests": 3}),
    ("one 502 with a page", execution(status=[reply(502, PAGE), COMPLETED]), None, {"requests": 4}),
    ("one reset", execution(status=[faults.reset_before_reply(), COMPLETED]), None, {"requests": 4}),
    ("one empty body", execution(status=[reply(200), COMPLETED]), None, {"requests": 4}),
    ("three 502 in a row", execution(status=reply(502)), UNREACHABLE, None, {"requests": 4, "may_have_run": True}),
    ("403", execution(status=reply(403)), ErrorCode.PERMISSION_DENIED, None, {"requests": 2, "may_have_run": True}),
    ("404", execution(status=reply(404)), ErrorCode.SKILL_NOT_FOUND, None, {"requests": 2, "may_have_run": True}),
    ("it failed", execution(status=reply(200, {"status": "failed"})), ErrorCode.EXECUTION_FAILED, None,
     {"requests": 2, "may_have_run": True}),
    ("the result is lost once", execution(result=[faults.reset_before_reply(), GOOD]), None, {"requests": 4}),
    ("the result is not known any more", execution(result=reply(404)), UNKNOWN, "result_missing",
     {"requests": 3, "may_have_run": True}),
    ("it outlives the deadline", execution(status=reply(200, {"status": "running"})), TIMEOUT, "deadline",
     {"requests": None, "timeout_ms": SHORT_MS, "may_have_run": True}),
)  # fmt: skip

BEHIND = rows(
    "Behind a real proxy (nginx)",
    ("the server behind it is good", behind("/good"), None),
    ("the server behind it is dead (502)", behind("/dead"), UNREACHABLE, AGAIN),
    ("the server behind it resets (502)", behind("/reset"), UNREACHABLE, AGAIN),
    ("it lets no more through (503)", behind("/limited"), UNREACHABLE, AGAIN),
    ("the server behind it is slow (504)", behind("/slow"), TIMEOUT, AGAIN),
    ("the server behind it is slow, and it is patient", behind("/patient"), TIMEOUT, "deadline", LATE),
    ("the server behind it breaks off", behind("/half"), UNKNOWN, "cut_short"),
    ("the server behind it shows a page", behind("/page"), UNKNOWN, "not_json"),
    ("it finds the request too large (413)", behind("/small"), UNKNOWN),
    ("it knows no such place (404)", behind("/nowhere"), ErrorCode.SKILL_NOT_FOUND),
)

FAULTS = [*CONNECTING, *SECURING, *HEADERS, *BODIES, *STATUSES, *LIMITED, *POLLING, *BEHIND]
