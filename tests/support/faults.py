"""A loopback HTTP server on raw sockets that misbehaves on demand, for tests of clients.

Each request takes the next step of a script; a step writes what it likes on the socket.
Nothing here uses an HTTP library, so that what goes over the wire is exactly what the
step says. The server listens on a free port, gives each connection a thread, and is gone
when its `with` block ends. The block may stand in a synchronous or an asynchronous test.

    with FaultServer([reply(503), reset_before_reply(), reply(200, {"output": 1})]) as server:
        client.get(server.url)
    assert len(server.requests) == 3
"""

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import repeat
from typing import Any, Self
from zlib import compressobj

from tests.support.fault_wire import MOMENT_S, Certificates, read_request
from tests.support.fault_wire import TLS as TLS
from tests.support.fault_wire import Exchange as Exchange
from tests.support.fault_wire import Request as Request
from tests.support.fault_wire import refusing_url as refusing_url
from tests.support.fault_wire import silent_url as silent_url

Body = bytes | str | Mapping[str, Any] | list[Any] | None
Headers = Mapping[str, str] | Sequence[tuple[str, str]]


Step = Callable[[Exchange], bool]
"""Answers one request; True keeps the connection open for the next."""

Script = Sequence[Step] | Callable[[Request], Step]


def _encode(body: Body) -> tuple[bytes, str | None]:
    match body:
        case None:
            return b"", None
        case bytes():
            return body, "application/octet-stream"
        case str():
            return body.encode(), "text/html; charset=utf-8"
        case _:
            return json.dumps(body).encode(), "application/json"


def _head(status: int, headers: Headers, *defaults: tuple[str, str | None], version: str = "1.1") -> bytes:
    given = list(headers.items() if isinstance(headers, Mapping) else headers)
    names = {name.lower() for name, _ in given}
    given += [(name, value) for name, value in defaults if value is not None and name.lower() not in names]
    lines = [f"HTTP/{version} {status} Scripted", *(f"{name}: {value}" for name, value in given)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _reset(connection: socket.socket) -> bool:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def reply(status: int = 200, body: Body = None, headers: Headers = (), delay_s: float = 0) -> Step:
    """Answer properly; a dict or list is sent as JSON, a str as HTML, bytes as they are."""
    data, media_type = _encode(body)
    bodiless = status in (204, 304)
    length = None if bodiless else str(len(data))
    message = _head(status, headers, ("Content-Type", media_type), ("Content-Length", length)) + data

    def step(exchange: Exchange) -> bool:
        if delay_s and not exchange.pause(delay_s):
            return False
        exchange.send(message)
        return True

    return step


def redirect(to: str, status: int = 307) -> Step:
    """Send the client elsewhere."""
    return reply(status, None, {"Location": to})


def reset_before_reply() -> Step:
    """Read the request, then reset the connection (RST)."""
    return lambda exchange: _reset(exchange.socket)


def close_before_reply() -> Step:
    """Read the request, then end the connection without a word (FIN)."""
    return lambda exchange: False


def close_kept_connection(body: Body = None, status: int = 200) -> Step:
    """Answer as if the connection stayed open, then close it."""
    answer = reply(status, body)
    return lambda exchange: answer(exchange) and False


def never_answer() -> Step:
    """Say nothing until the client leaves or the server stops."""
    return lambda exchange: exchange.pause(3600) and False


def hold(until: threading.Event, then: Step) -> Step:
    """Answer with another step once the event is set."""

    def step(exchange: Exchange) -> bool:
        while not until.is_set():
            if not exchange.pause(MOMENT_S):
                return False
        return then(exchange)

    return step


def reset_during_body(sent: bytes = b'{"output": "', announced: int = 1000) -> Step:
    """Send the head and a first part of the body, then reset the connection."""
    head = _head(200, (), ("Content-Type", "application/json"), ("Content-Length", str(announced)))

    def step(exchange: Exchange) -> bool:
        exchange.send(head, sent)
        exchange.pause(2 * MOMENT_S)  # a reset throws away what the client has not read yet
        return _reset(exchange.socket)

    return step


def half_body(sent: bytes = b'{"output": "', announced: int = 1000, status: int = 200) -> Step:
    """Announce more than is sent, then close."""
    head = _head(status, (), ("Content-Type", "application/json"), ("Content-Length", str(announced)))

    def step(exchange: Exchange) -> bool:
        exchange.send(head, sent)
        return False

    return step


def half_chunks(sent: bytes = b'{"output": "') -> Step:
    """Send one good chunk, then close without the last one."""
    head = _head(200, (), ("Content-Type", "application/json"), ("Transfer-Encoding", "chunked"))

    def step(exchange: Exchange) -> bool:
        exchange.send(head, b"%x\r\n" % len(sent), sent, b"\r\n")
        return False

    return step


def bad_chunk() -> Step:
    """Send a chunk whose length is no number."""
    head = _head(200, (), ("Content-Type", "application/json"), ("Transfer-Encoding", "chunked"))

    def step(exchange: Exchange) -> bool:
        exchange.send(head, b"zz\r\n{}\r\n0\r\n\r\n")
        return False

    return step


def drip(chunk: bytes = b" ", interval_s: float = 0.1, times: int = 40, status: int = 200) -> Step:
    """Send the body in pieces, with a wait before each."""
    head = _head(status, (), ("Content-Type", "application/json"), ("Content-Length", str(len(chunk) * times)))

    def step(exchange: Exchange) -> bool:
        exchange.send(head)
        for _ in range(times):
            if not exchange.pause(interval_s):
                return False
            exchange.send(chunk)
        return True

    return step


def endless(chunk: bytes = b" " * 65536, status: int = 200) -> Step:
    """Send a body that never ends, as fast as the client takes it."""
    head = _head(status, (), ("Content-Type", "application/json"), ("Transfer-Encoding", "chunked"))

    def step(exchange: Exchange) -> bool:
        exchange.send(head)
        while not exchange.stopping.is_set():
            exchange.send(b"%x\r\n" % len(chunk), chunk, b"\r\n")
        return False

    return step


@cache
def _bomb(size: int) -> bytes:
    packer = compressobj(9, wbits=31)
    block = b" " * (1 << 20)
    parts = [packer.compress(block) for _ in range(size >> 20)]
    return b"".join([packer.compress(b'"'), *parts, packer.compress(b'"'), packer.flush()])


def gzip_bomb(unpacked_bytes: int = 200 << 20, status: int = 200) -> Step:
    """Send about a thousandth of the size, which unpacks to a JSON string of spaces."""
    return reply(status, _bomb(unpacked_bytes), {"Content-Type": "application/json", "Content-Encoding": "gzip"})


def huge_header(size: int = 1 << 20) -> Step:
    """Send one header of this size."""
    return reply(200, {"output": 1}, {"X-Huge": "x" * size})


def http10(status: int = 200, body: Body = None) -> Step:
    """Answer in HTTP/1.0, the end of the connection being the end of the body."""
    data, media_type = _encode(body)
    head = _head(status, (), ("Content-Type", media_type), version="1.0")

    def step(exchange: Exchange) -> bool:
        exchange.send(head, data)
        return False

    return step


def raw(data: bytes) -> Step:
    """Send these bytes, then close."""

    def step(exchange: Exchange) -> bool:
        exchange.send(data)
        return False

    return step


def by_path(scripts: Mapping[str, Step | Sequence[Step]]) -> Callable[[Request], Step]:
    """Give each path (without its query) a step or a script of its own; other paths get a 404."""
    lines = {path: _in_turn([entry] if callable(entry) else entry) for path, entry in scripts.items()}
    nowhere = repeat(reply(404))
    return lambda request: next(lines.get(request.path.partition("?")[0], nowhere))


def _one_by_one(script: Sequence[Step]) -> Callable[[Request], Step]:
    steps = _in_turn(script or [reply(200, {"output": None})])
    return lambda request: next(steps)


def _in_turn(steps: Sequence[Step]) -> Iterator[Step]:
    yield from steps
    yield from repeat(steps[-1])


class FaultServer:
    """A server that answers by a script.

    Args:
        script: steps, one for each request in the order of arrival, the last one again
            and again; or a function from a request to its step.
        tls: None for plain http. "verified" is a good certificate; the others are bad in
            the way that they say, to a client that uses `client_context()`.

    Attributes:
        requests: every request read, in order.
        connections: how many connections were accepted.
        most_open: the most that were open at the same time.
        failed_handshakes: how many clients left during the TLS handshake.
    """

    def __init__(self, script: Script = (), *, tls: TLS | None = None) -> None:
        self.requests: list[Request] = []
        self.connections = 0
        self.most_open = 0
        self.failed_handshakes = 0
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._stopping = threading.Event()
        self._open: dict[int, socket.socket] = {}
        self._threads: list[threading.Thread] = []
        self._tls = Certificates(tls) if tls else None
        self._choose = script if callable(script) else _one_by_one(script)
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.port: int = self._listener.getsockname()[1]

    @property
    def origin(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return self.origin + "/invoke"

    @property
    def open_connections(self) -> int:
        with self._lock:
            return len(self._open)

    def client_context(self) -> ssl.SSLContext:
        """Give what a client needs to trust the server, if the certificate is good."""
        if self._tls is None:
            raise RuntimeError("this server speaks plain http")
        return self._tls.client_context()

    def wait_for_requests(self, count: int, timeout_s: float = 5) -> bool:
        """Wait until so many requests have come."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.requests) >= count, timeout_s)

    def wait_until_closed(self, timeout_s: float = 5) -> bool:
        """Wait until no connection is open."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, timeout_s)

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Close every connection and the port; a second call does nothing."""
        self._stopping.set()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            connections = list(self._open.values())
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(5)

    def _start(self, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True, name="fault-server")
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._lock:
                self.connections += 1
                number = self.connections
                self._open[number] = connection
                self.most_open = max(self.most_open, len(self._open))
            self._start(self._serve, connection, number)

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            with self._secured(connection) as secured, suppress(OSError, ValueError):
                self._answer(secured, number)
        except OSError:
            self.failed_handshakes += 1
        finally:
            connection.close()
            with self._changed:
                self._open.pop(number, None)
                self._changed.notify_all()

    def _secured(self, connection: socket.socket) -> socket.socket:
        if self._tls is None:
            return connection
        connection.settimeout(5)
        secured = self._tls.server_context().wrap_socket(connection, server_side=True)
        secured.settimeout(None)
        with self._lock:
            self._open[next(key for key, value in self._open.items() if value is connection)] = secured
        return secured

    def _answer(self, connection: socket.socket, number: int) -> None:
        stream = connection.makefile("rb")
        with stream:
            while (request := read_request(stream, number)) is not None:
                with self._changed:
                    self.requests.append(request)
                    step = self._choose(request)
                    self._changed.notify_all()
                if not step(Exchange(connection, request, self._stopping)):
                    return
