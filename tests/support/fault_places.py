"""Where a call of the fault matrix goes: a misbehaving server, an address without one, or a real proxy."""

import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from itertools import count
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import ProxyHandler, build_opener

from tests.support import faults
from tests.support.fault_wire import TLS
from tests.support.faults import FaultServer, Script, refusing_url, silent_url
from tests.support.nginx import Nginx

CONTEXT = ssl.create_default_context()
_numbers = count(1)


class Place(NamedTuple):
    """What a call is given, and what can be seen of it there.

    Attributes:
        url: of the endpoint.
        requests: how many requests came, once that number is reached or is known not to be; None where
            nothing counts them.
        is_left: whether no connection stays open.
        verify: what the client trusts.
    """

    url: str
    requests: Callable[[int], int | None] = lambda expected: None
    is_left: Callable[[], bool] = lambda: True
    verify: ssl.SSLContext = CONTEXT


Proxy = Callable[[], Nginx]
"""Gives the running proxy; asked by those alone who need it, since it may not be installed."""

Opening = Callable[[Proxy], AbstractContextManager[Place]]


def served(script: Script, *, tls: TLS | None = None, scheme: str | None = None) -> Opening:
    """A server that answers by a script; another scheme than its own may be asked for."""

    @contextmanager
    def opened(_: Proxy) -> Iterator[Place]:
        with FaultServer(script, tls=tls) as server:
            url = server.url if scheme is None else f"{scheme}://{server.url.partition('://')[2]}"
            verify = server.client_context() if tls else CONTEXT
            yield Place(url, lambda _: len(server.requests), lambda: server.wait_until_closed(2), verify)

    return opened


def served_anew(make: Callable[[], Script]) -> Opening:
    """A server whose script remembers how far it has come, so that each call needs its own."""
    return lambda proxy: served(make())(proxy)


def at(url: str) -> Opening:
    """An address where nothing is."""

    @contextmanager
    def opened(_: Proxy) -> Iterator[Place]:
        yield Place(url)

    return opened


@contextmanager
def refusing(_: Proxy) -> Iterator[Place]:
    """A port that refuses connections."""
    with refusing_url() as url:
        yield Place(url)


@contextmanager
def silent(_: Proxy) -> Iterator[Place]:
    """A port where connecting takes for ever."""
    with silent_url() as url:
        yield Place(url)


@contextmanager
def hanging_look_up(_: Proxy) -> Iterator[Place]:
    """A name whose look-up does not end for as long as the place is open."""
    over = threading.Event()
    look_up = socket.getaddrinfo

    def hang(host: Any, *args: Any, **options: Any) -> Any:
        if host in (HANGING_HOST, HANGING_HOST.encode()):
            over.wait(30)
            raise socket.gaierror(socket.EAI_AGAIN, "the test is over")
        return look_up(host, *args, **options)

    socket.getaddrinfo = hang
    try:
        yield Place(f"https://{HANGING_HOST}/run")
    finally:
        over.set()
        socket.getaddrinfo = look_up
        for thread in threading.enumerate():  # the next call for this name would share the look-up that is ending
            if thread.name == "skillproto-look-up":
                thread.join(5)


HANGING_HOST = "hanging.invalid"


def accepting(greet: Callable[[socket.socket], bool], *, scheme: str = "http") -> Opening:
    """A server that reads no request: each connection is handed to a function, and kept where that says so."""

    @contextmanager
    def opened(_: Proxy) -> Iterator[Place]:
        kept: list[socket.socket] = []
        connections = count()
        with socket.create_server(("127.0.0.1", 0)) as listener:

            def accept() -> None:
                while True:
                    try:
                        connection, _ = listener.accept()
                    except OSError:
                        return
                    next(connections)
                    kept.append(connection) if greet(connection) else connection.close()

            thread = threading.Thread(target=accept, name="fault-server", daemon=True)
            thread.start()
            try:
                url = f"{scheme}://127.0.0.1:{listener.getsockname()[1]}/invoke"
                yield Place(url, lambda _: next(connections), lambda: all(_is_left(each) for each in kept))
            finally:
                listener.shutdown(socket.SHUT_RDWR)
                thread.join(5)
                for each in kept:
                    each.close()

    return opened


def _is_left(connection: socket.socket) -> bool:
    connection.settimeout(2)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        return False
    except OSError:
        pass
    return True


def hang_up(connection: socket.socket) -> bool:
    """Reset a connection as soon as something comes, without reading it."""
    select.select([connection], [], [], 2)
    return hang_up_at_once(connection)


def hang_up_at_once(connection: socket.socket) -> bool:
    """Reset a connection as soon as it is there."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def answer_in_plain_text(connection: socket.socket) -> bool:
    """Say in HTTP what a server says that was spoken to in TLS."""
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
    return True


def say_nothing(connection: socket.socket) -> bool:
    """Keep a connection without a word."""
    return True


def behind(path: str) -> Opening:
    """A location of the proxy; each call has an address of its own below it, to be counted."""

    @contextmanager
    def opened(proxy: Proxy) -> Iterator[Place]:
        nginx = proxy()
        own = f"{path}/{next(_numbers)}"
        if path == _LIMITED:
            _use_up(nginx.url(path))
        yield Place(nginx.url(own), lambda expected: nginx.count(own, expected))

    return opened


_LIMITED = "/limited"
_UPSTREAM = {
    "/slow": faults.never_answer(),
    "/reset": faults.reset_before_reply(),
    "/half": faults.half_body(),
    "/page": faults.reply(200, "<html>Welcome</html>"),
    "/good": faults.reply(200, {"output": "hi"}),
}


@contextmanager
def running_proxy() -> Iterator[Nginx]:
    """Run nginx with everything that the matrix wants to be in front of."""
    with refusing_url() as dead, FaultServer(faults.by_path(_UPSTREAM)) as upstream:
        to = {path: f"rewrite ^ {path} break; proxy_pass {upstream.origin};" for path in _UPSTREAM}
        locations = {
            **to,
            "/dead": f"proxy_pass {dead};",
            "/slow": f"{to['/slow']} proxy_read_timeout 60ms;",
            "/patient": to["/slow"],
            "/small": f"client_max_body_size 10; {to['/good']}",
            _LIMITED: f"limit_req zone=few; {to['/good']}",
        }
        with Nginx(locations, http="limit_req_zone $server_addr zone=few:32k rate=1r/m;") as proxy:
            yield proxy


def _use_up(url: str) -> None:
    """Take the one request a minute that the limit lets through, if nobody has."""
    with suppress(HTTPError):
        build_opener(ProxyHandler({})).open(url, timeout=5).close()
