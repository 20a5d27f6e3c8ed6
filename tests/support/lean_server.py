"""A loopback provider for long loads: a process of its own, nothing kept for a request, one in five goes wrong.

    with lean_server() as server:
        client.invoke(descriptor(server.url), {"text": "a"})       # gives "a" back, sooner or later
    server.stats                                                    # what it was asked, and how it misbehaved

The text that a call sends comes back as its output, at once or through an execution whose id is the text.
"""

import asyncio
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

FAULTS = {"503": 4, "502": 3, "504": 2, "429": 2, "reset": 3, "half": 3, "close": 2, "hang": 1}
"""How often of a hundred requests each fault comes."""

HANG_S = 0.4
ROOT = Path(__file__).parents[2]

_REPLIES = {
    "503": (503, b'{"error":{"code":"ENDPOINT_UNREACHABLE","message":"Busy"}}'),
    "502": (502, b"<html><h1>Bad gateway</h1></html>"),
    "504": (504, b'{"error":{"code":"EXECUTION_TIMEOUT","message":"Late"}}'),
    "429": (429, b'{"error":{"message":"Slower"}}'),
}


class _Connection(asyncio.Protocol):
    def __init__(self, chance: random.Random, stats: Counter[str]) -> None:
        self._chance = chance
        self._stats = stats
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, rest = self._buffer.partition(b"\r\n\r\n")
        if not found:
            return
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        method, path = head.split(b" ", 2)[:2]
        self._answer(method.decode(), path.decode(), rest[:length])

    def _answer(self, method: str, path: str, body: bytes) -> None:
        if path == "/stats":
            self._reply(200, json.dumps(self._stats).encode())
            return
        fault = self._fault()
        self._stats[method] += 1
        if fault is not None:
            self._stats[f"{method} {fault}"] += 1
        match fault:
            case None:
                self._reply(*self._good(path, body))
            case "reset":
                self._transport.abort()
            case "close":
                self._transport.close()
            case "half":
                self._transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")
                self._transport.close()
            case "hang":
                asyncio.get_running_loop().call_later(HANG_S, self._reply, *self._good(path, body))
            case _:
                self._reply(*_REPLIES[fault])

    def _fault(self) -> str | None:
        point = self._chance.random() * 100
        for name, share in FAULTS.items():
            point -= share
            if point < 0:
                return name
        return None

    def _good(self, path: str, body: bytes) -> tuple[int, bytes]:
        place, _, id_ = path[1:].partition("/")
        match place:
            case "status":
                word = "completed" if self._chance.random() < 0.6 else "running"
                return 200, json.dumps({"status": word}).encode()
            case "result":
                return 200, json.dumps({"output": id_}).encode()
        text = json.loads(body)["inputs"]["text"]
        if self._chance.random() < 0.2:
            return 202, json.dumps({"execution_id": text, "status": "accepted"}).encode()
        return 200, json.dumps({"output": text}).encode()

    def _reply(self, status: int, body: bytes) -> None:
        if not self._transport.is_closing():
            head = f"HTTP/1.1 {status} Lean\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            self._transport.write(head.encode() + body)


async def _serve(seed: int) -> None:
    chance, stats = random.Random(seed), Counter[str]()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(chance, stats), "127.0.0.1", 0, backlog=1024)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)  # until the one who started it lets go


class LeanServer:
    """A server under way.

    Attributes:
        stats: filled when the block ends: requests by method, and by method and fault.
    """

    def __init__(self, port: int) -> None:
        self.origin = f"http://127.0.0.1:{port}"
        self.url = f"{self.origin}/invoke"
        self.stats: dict[str, int] = {}

    def read_stats(self) -> None:
        with build_opener(ProxyHandler({})).open(f"{self.origin}/stats", timeout=10) as answer:
            self.stats = json.load(answer)


@contextmanager
def lean_server(seed: int = 0) -> Iterator[LeanServer]:
    """Run the server in a process of its own for as long as the block lasts."""
    command = [sys.executable, "-m", "tests.support.lean_server", str(seed)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            server = LeanServer(int(process.stdout.readline()))
            yield server
            server.read_stats()
        finally:
            process.stdin.close()
            process.stdout.read()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1])))
