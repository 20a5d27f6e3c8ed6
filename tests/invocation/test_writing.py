"""The head of a request goes out with its body, and never stays behind."""

import asyncio
from typing import Any

import httpx
import pytest

from skillproto.invocation._async_backends import AsyncStream
from skillproto.invocation._streams import Stream

HEAD = b"POST /run HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"


class Wire:
    def __init__(self) -> None:
        self.written: list[bytes] = []

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self.written.append(buffer)

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return b"reply"


class AsyncWire(Wire):
    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # type: ignore[override]
        self.written.append(buffer)

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # type: ignore[override]
        return b"reply"


CASES: list[Any] = [
    pytest.param([HEAD, b"{}", b""], [HEAD + b"{}"], id="a-head-and-its-body-are-one-write"),
    pytest.param([HEAD, b"{", b"}", b""], [HEAD + b"{", b"}"], id="further-pieces-follow-at-once"),
    pytest.param([HEAD, HEAD, b""], [HEAD + HEAD], id="a-body-that-looks-like-a-head-is-a-body"),
    pytest.param([HEAD, b""], [HEAD], id="the-end-of-a-message-sends-the-head"),
    pytest.param([HEAD], [HEAD], id="a-read-sends-the-head"),
    pytest.param([b"GET / HTTP/1.1\r\n\r\n"], [b"GET / HTTP/1.1\r\n\r\n"], id="without-a-body-nothing-waits"),
    pytest.param(
        [HEAD.replace(b" 2\r", b" 0\r")], [HEAD.replace(b" 2\r", b" 0\r")], id="with-an-empty-body-nothing-waits"
    ),
]


@pytest.mark.parametrize(("pieces", "written"), CASES)
def test_what_is_written_when_the_reply_is_read(pieces: list[bytes], written: list[bytes]) -> None:
    wire = Wire()
    stream = Stream(wire, httpx)
    for piece in pieces:
        stream.write(piece)
    assert stream.read(10) == b"reply"
    assert wire.written == written


@pytest.mark.parametrize(("pieces", "written"), CASES)
def test_what_is_written_when_the_reply_is_awaited(pieces: list[bytes], written: list[bytes]) -> None:
    wire = AsyncWire()
    stream = AsyncStream(wire, httpx)

    async def talk() -> bytes:
        for piece in pieces:
            await stream.write(piece)
        return await stream.read(10)

    assert asyncio.run(talk()) == b"reply"
    assert wire.written == written
