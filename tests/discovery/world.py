"""A small internet on loopback: sites with public addresses, and a trap on every other address.

Names are looked up in a table, and a connection to a public address of that table goes to the
site's real socket. A connection to any other address goes to the trap, which counts it.
"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, Self

import trustme

from skillproto.discovery import Fetcher, FetchPolicy

AUTHORITY = trustme.CA()


class Asked(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


Answer = bytes | Callable[[socket.socket, Asked], bytes | None]


def reply(body: bytes = b"", *headers: str, status: int = 200, kind: str = "application/json") -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Type: {kind}", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def redirect(location: str, status: int = 302) -> bytes:
    return reply(b"", f"Location: {location}", status=status)


class Site:
    """A server on loopback; what it answers stands in `answers`, by path."""

    def __init__(self, answers: dict[str, Answer] | None = None, *, names: tuple[str, ...] = ()) -> None:
        self.answers: dict[str, Answer] = answers or {}
        self.asked: list[Asked] = []
        self.connections = 0
        self.at_once = 0
        self.most_at_once = 0
        self._running = 0
        self._lock = threading.Lock()
        self.context = _context(names) if names else None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError):
            connection.settimeout(10)
            if self.context is not None:
                connection = self.context.wrap_socket(connection, server_side=True)
            self._open.add(connection)
            with connection:
                while (asked := _read(connection)) is not None:
                    self.asked.append(asked)
                    with self._counted():
                        answer = self.answers.get(asked.path, reply(b"{}", status=404))
                        given = answer(connection, asked) if callable(answer) else answer
                    if given is None:
                        return
                    connection.sendall(given)
        self._open.discard(connection)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
        yield
        with self._lock:
            self._running -= 1


def _context(names: tuple[str, ...]) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    AUTHORITY.issue_cert(*names).configure_cert(context)
    return context


def _read(connection: socket.socket) -> Asked | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    while len(body) < int(headers.get("content-length", "0")):
        body += connection.recv(65536)
    method, path, _ = first.split(" ", 2)
    return Asked(method, path, headers, body)


class World:
    """The table of names, and the trap behind every address that is not in it."""

    def __init__(self) -> None:
        self.trap = Site()
        self.sites: dict[str, Site] = {}
        self.looked_up: list[str] = []
        self._names: dict[str, list[list[str]]] = {}
        self._places: dict[str, Site] = {}
        self._sites: list[Site] = [self.trap]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        for site in self._sites:
            site.__exit__()

    def site(
        self, name: str, answers: dict[str, Answer] | None = None, *, names: tuple[str, ...] | None = None
    ) -> Site:
        """Put up a site with TLS under a name and a public address of its own."""
        address = f"93.184.216.{len(self._sites)}"
        site = Site(answers, names=names or (name,))
        self._sites.append(site)
        self.sites[name] = site
        self._places[address] = site
        self.name(name, [address])
        return site

    def plain_site(self, name: str, answers: dict[str, Answer] | None = None) -> Site:
        """Put up a site without TLS."""
        address = f"93.184.216.{len(self._sites)}"
        site = Site(answers)
        self._sites.append(site)
        self.sites[name] = site
        self._places[address] = site
        self.name(name, [address])
        return site

    def name(self, name: str, *answers: list[str]) -> None:
        """Let a name lead to addresses; of several lists, each look-up takes the next, the last stays."""
        self._names[name] = list(answers)

    def addresses(self, name: str) -> list[str]:
        return self._names[name][0]

    def resolve(self, host: str, port: int) -> list[str]:
        self.looked_up.append(host)
        answers = self._names.get(host)
        if answers is None:
            raise socket.gaierror(socket.EAI_NONAME, "unknown")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def route(self, address: str, port: int) -> tuple[str, int]:
        return "127.0.0.1", self._places.get(address, self.trap).port

    def trust(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        AUTHORITY.configure_trust(context)
        return context

    def fetcher(self, policy: FetchPolicy | None = None, **options: Any) -> Fetcher:
        return Fetcher(policy, resolver=self.resolve, route=self.route, verify=self.trust(), **options)
