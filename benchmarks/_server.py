"""A bare loopback server in a process of its own: as little work for each request as asyncio allows.

    python -m benchmarks._server

Prints its port, and serves until its standard input ends. What it answers is told by the path:

- /now: the result at once; /after/50: the same after 50 ms;
- /hold: the result when /release is asked for; /held tells how many wait;
- /jobs/5000: 202, an execution that is finished after 5,000 ms; /jobs/5000/ID tells its state,
  with /jobs/hint/5000 the provider also asks to be left alone until then;
- /chat/completions: what the openai client reads.
"""

import asyncio
import json
import sys
import time
from asyncio import Transport
from collections.abc import Iterator
from contextlib import contextmanager
from subprocess import PIPE, Popen

OUTPUT = {"text": "Buenos dias", "source_language": "en", "confidence": 0.98}
_CHAT = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Buenos dias"}}],
}


def _reply(body: object, status: str = "200 OK", headers: str = "") -> bytes:
    content = json.dumps(body).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}Content-Length: {len(content)}\r\n\r\n"
    return head.encode() + content


_FINISHED = _reply({"output": OUTPUT})
_COMPLETED = _reply({"status": "completed", "output": OUTPUT})
_RUNNING = _reply({"status": "running"})
_COMPLETION = _reply(_CHAT)
_held: list[Transport] = []


class Connection(asyncio.Protocol):
    """Reads requests one after the other; knows no chunks, no pipelining and no faults."""

    def __init__(self) -> None:
        self._read = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, ended, body = self._read.partition(b"\r\n\r\n")
        if ended and len(body) >= _length(head):
            self._read = b""
            self._answer(head.split(b" ", 2)[1].decode("ascii"), posted=head.startswith(b"POST"))

    def _answer(self, path: str, *, posted: bool) -> None:
        _, step, *rest = path.split("/")
        match step:
            case "after":
                loop = asyncio.get_running_loop()
                loop.call_later(int(rest[0]) / 1000, self._transport.write, _FINISHED)
            case "hold":
                _held.append(self._transport)
            case "held":
                self._transport.write(_reply({"held": len(_held)}))
            case "release":
                for transport in _held:
                    transport.write(_FINISHED)
                self._transport.write(_reply({"released": len(_held)}))
                _held.clear()
            case "jobs":
                self._transport.write(_job(rest, posted=posted))
            case "chat":
                self._transport.write(_COMPLETION)
            case _:
                self._transport.write(_FINISHED)


def _length(head: bytes) -> int:
    _, found, rest = head.lower().partition(b"content-length:")
    return int(rest.split(b"\r\n", 1)[0]) if found else 0


def _job(rest: list[str], *, posted: bool) -> bytes:
    now_ms = round(time.monotonic() * 1000)
    takes_ms = int(rest[1] if rest[0] == "hint" else rest[0])
    if posted:
        wait = {"poll_interval_ms": takes_ms} if rest[0] == "hint" else {}
        return _reply({"execution_id": str(now_ms), "status": "accepted", **wait}, "202 Accepted")
    return _COMPLETED if now_ms - int(rest[-1]) >= takes_ms else _RUNNING


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)


@contextmanager
def serving() -> Iterator[str]:
    """Run the server for the length of the block, and give its address."""
    with Popen([sys.executable, "-m", "benchmarks._server"], stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        finally:
            process.stdin.close()


if __name__ == "__main__":
    asyncio.run(_serve())
