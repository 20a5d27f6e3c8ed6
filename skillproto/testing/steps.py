"""What a scripted transport can be told to do with a request: values, made by short functions."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from skillproto.errors import UsageError
from skillproto.violations import JSONValue

Headers = Mapping[str, str] | Sequence[tuple[str, str]]

FaultKind = Literal[
    "refused", "unknown_host", "busy_resolver", "bad_certificate", "connect_timeout", "reset", "closed", "read_timeout"
]

FAULTS: Mapping[FaultKind, str] = {
    "refused": "nobody listens at the endpoint's port",
    "unknown_host": "the host name does not exist",
    "busy_resolver": "the name server says: try again",
    "bad_certificate": "the certificate is not trusted",
    "connect_timeout": "no connection comes about until the attempt's time is over",
    "reset": "the connection is reset after the request was sent",
    "closed": "the connection ends after the request was sent, without a reply",
    "read_timeout": "the request is sent and no reply comes until the attempt's time is over",
}
"""The faults without a reply, and what each means."""


class Answer(NamedTuple):
    """A step: a reply.

    Attributes:
        body: as it goes over the wire.
        after_s: so much time passes first.
        is_cut: the connection ends after the body, which was to be longer.
        piece_bytes: the body comes in pieces of so many bytes; None means in one.
        interval_s: so much time passes before each piece.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    after_s: float = 0.0
    is_cut: bool = False
    piece_bytes: int | None = None
    interval_s: float = 0.0


class Fault(NamedTuple):
    """A step: no reply comes."""

    kind: FaultKind
    after_s: float = 0.0


Step = Answer | Fault


def reply(status: int = 200, body: JSONValue | bytes = None, headers: Headers = (), *, after_s: float = 0.0) -> Answer:
    """Answer with a status and a body.

    Args:
        status: the HTTP status.
        body: written as JSON; bytes go as they are, and None is an empty body.
        headers: further ones, over those that fit the body.
        after_s: so much time passes first.

    >>> reply(503, {"error": {"code": "ENDPOINT_UNREACHABLE", "message": "Busy"}}, {"Retry-After": "2"}).status
    503
    """
    content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    given = list(headers.items() if isinstance(headers, Mapping) else headers)
    names = {name.lower() for name, _ in given}
    usual = [("Content-Type", "application/json")] if content and not isinstance(body, bytes) else []
    usual.append(("Content-Length", str(len(content))))
    return Answer(status, (*given, *(pair for pair in usual if pair[0].lower() not in names)), content, after_s)


def output(value: JSONValue, *, after_s: float = 0.0) -> Answer:
    """Answer with the skill's output: the end of a call that went well.

    >>> output({"n": 1}).body
    b'{"output": {"n": 1}}'
    """
    return reply(200, {"output": value}, after_s=after_s)


def accepted(execution_id: str = "e1", headers: Headers = (), *, after_s: float = 0.0) -> Answer:
    """Answer that the skill was started, and that its state can be asked for.

    >>> accepted("e7", {"Retry-After": "2"}).status
    202
    """
    return reply(202, {"execution_id": execution_id, "status": "accepted"}, headers, after_s=after_s)


def state(word: str, headers: Headers = (), *, after_s: float = 0.0) -> Answer:
    """Answer how an execution stands, such as "running", "completed" or "failed".

    >>> state("running").body
    b'{"status": "running"}'
    """
    return reply(200, {"status": word}, headers, after_s=after_s)


def cut_short(body: bytes = b'{"output": "', status: int = 200, *, after_s: float = 0.0) -> Answer:
    """Answer with a first part of a body, then end the connection.

    >>> cut_short().is_cut
    True
    """
    return reply(status, body, {"Content-Length": str(len(body) + 1)}, after_s=after_s)._replace(is_cut=True)


def drip(body: JSONValue | bytes, interval_s: float = 0.1, piece_bytes: int = 1, status: int = 200) -> Answer:
    """Answer with a body that comes in small pieces, with time between them.

    >>> drip({"output": "slow"}, interval_s=1).interval_s
    1
    """
    if piece_bytes < 1:
        raise UsageError(f"piece_bytes must be at least 1, not {piece_bytes!r}")
    return reply(status, body)._replace(piece_bytes=piece_bytes, interval_s=interval_s)


def fault(kind: FaultKind, *, after_s: float = 0.0) -> Fault:
    """Give no reply, in one of the ways of `FAULTS`.

    Raises:
        UsageError: there is no such fault.

    >>> fault("reset", after_s=0.2)
    Fault(kind='reset', after_s=0.2)
    """
    if kind not in get_args(FaultKind):
        raise UsageError(f"fault must be one of {', '.join(FAULTS)}, not {kind!r}")
    return Fault(kind, after_s)


def hang() -> Fault:
    """Give no reply until the attempt's time is over.

    >>> hang().kind
    'read_timeout'
    """
    return Fault("read_timeout")
