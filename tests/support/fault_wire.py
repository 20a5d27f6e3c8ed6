"""What a misbehaving server works with: requests as they came, connections, certificates."""

import json
import select
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, assert_never

TLS = Literal["verified", "self_signed", "unknown_ca", "wrong_host", "expired"]
MOMENT_S = 0.02


class Request(NamedTuple):
    """One request as it came over the wire.

    Attributes:
        method, path: of the request line; the path keeps its query.
        headers: names in lower case; of a repeated name the last.
        raw_headers: every header line, as sent.
        body: unchunked.
        at_s: `time.monotonic()` when it had been read.
        connection: 1 for the first connection of the server.
    """

    method: str
    path: str
    headers: dict[str, str]
    raw_headers: list[tuple[str, str]]
    body: bytes
    at_s: float
    connection: int

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Exchange:
    """What a step works with: the connection, the request, and the server's end."""

    socket: socket.socket
    request: Request
    stopping: threading.Event

    def send(self, *parts: bytes) -> None:
        self.socket.sendall(b"".join(parts))

    def pause(self, seconds: float) -> bool:
        """Wait; give False as soon as the server stops or the client has gone."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if self.stopping.wait(min(left, MOMENT_S)) or self._client_has_gone():
                return False
        return True

    def _client_has_gone(self) -> bool:
        if isinstance(self.socket, ssl.SSLSocket):
            return self._peek_is_empty(0)
        return self._peek_is_empty(socket.MSG_PEEK)

    def _peek_is_empty(self, flags: int) -> bool:
        if not select.select([self.socket], [], [], 0)[0]:
            return False
        try:
            return self.socket.recv(1, flags) == b""
        except OSError:
            return True


def read_request(stream: Any, number: int) -> Request | None:
    line = stream.readline().decode("latin-1").split()
    if len(line) != 3:
        return None
    raw_headers = []
    while (text := stream.readline().decode("latin-1").rstrip("\r\n")) != "":
        name, _, value = text.partition(":")
        raw_headers.append((name, value.strip()))
    headers = {name.lower(): value for name, value in raw_headers}
    body = _read_body(stream, headers)
    return Request(line[0], line[1], headers, raw_headers, body, time.monotonic(), number)


def _read_body(stream: Any, headers: Mapping[str, str]) -> bytes:
    if headers.get("transfer-encoding") != "chunked":
        return bytes(stream.read(int(headers.get("content-length", 0))))
    parts = []
    while size := int(stream.readline(), 16):
        parts.append(stream.read(size))
        stream.readline()
    stream.readline()
    return b"".join(parts)


class Certificates:
    """A throw-away authority, and a server certificate that is good or bad as asked."""

    def __init__(self, kind: TLS) -> None:
        import trustme

        self._trusted = trustme.CA()
        self._server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        match kind:
            case "verified":
                self._trusted.issue_cert("127.0.0.1", "localhost").configure_cert(self._server)
            case "wrong_host":
                self._trusted.issue_cert("elsewhere.example").configure_cert(self._server)
            case "unknown_ca":
                trustme.CA().issue_cert("127.0.0.1", "localhost").configure_cert(self._server)
            case "expired":
                self._trusted.issue_cert("127.0.0.1", not_after=_long_ago()).configure_cert(self._server)
            case "self_signed":
                self._use(trustme.CA())
            case _:
                assert_never(kind)

    def _use(self, authority: Any) -> None:
        with authority.cert_pem.tempfile() as certificate, authority.private_key_pem.tempfile() as key:
            self._server.load_cert_chain(certificate, key)

    def server_context(self) -> ssl.SSLContext:
        return self._server

    def client_context(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        self._trusted.configure_trust(context)
        return context


def _long_ago() -> Any:
    from datetime import UTC, datetime

    return datetime(2001, 1, 1, tzinfo=UTC)


@contextmanager
def refusing_url() -> Iterator[str]:
    """Give an address whose port is taken but refuses every connection."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}/invoke"


@contextmanager
def silent_url() -> Iterator[str]:
    """Give an address where connecting takes for ever: the queue of the port is full."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        waiting = [socket.socket() for _ in range(3)]
        for each in waiting:
            each.setblocking(False)
            with suppress(BlockingIOError):
                each.connect(address)
        try:
            time.sleep(MOMENT_S)
            yield f"http://127.0.0.1:{address[1]}/invoke"
        finally:
            for each in waiting:
                each.close()
