"""The peers of the client, each as one function that posts the same inputs and reads the reply.

Every peer keeps its connection, and runs with the settings that it has by itself. One that is not
installed is left out, and named.
"""

import asyncio
import importlib
import json
import socket
from collections.abc import Awaitable, Callable
from types import ModuleType
from typing import Any

from benchmarks._measure import Call

INPUTS = {"text": "Good morning", "target_language": "es", "format": "plain"}
BODY = {"caller": {"id": "bench", "type": "service"}, "skill_id": "com.example.translate-v1", "inputs": INPUTS}
AsyncCall = Callable[[], Awaitable[object]]


def imported(name: str) -> ModuleType | None:
    """The module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError:
        return None


def _each(makers: dict[str, Callable[[], Any]]) -> tuple[dict[str, Any], list[str]]:
    calls, missing = {}, []
    for name, make in makers.items():
        try:
            calls[name] = make()
        except ModuleNotFoundError:
            missing.append(name)
    return calls, missing


def blocking(base: str) -> tuple[dict[str, Call], list[str]]:
    """Calls that block, and the names of those that are not installed."""
    url = f"{base}/now"
    return _each(
        {
            "httpx.post": lambda: _post(importlib.import_module("httpx").Client(), url),
            "httpx2.post": lambda: _post(importlib.import_module("httpx2").Client(), url),
            "httpware, whole stack": lambda: _post(_httpware(), url),
            "httpx-retries": lambda: _post(_httpx_retries(), url),
            "tenacity around httpx": lambda: importlib.import_module("tenacity").retry(_httpx(url)),
            "stamina around httpx": lambda: importlib.import_module("stamina").retry(on=OSError)(_httpx(url)),
            "backoff around httpx": lambda: _backoff(_httpx(url)),
            "openai": lambda: _openai(base),
            "raw socket": lambda: _raw(base),
        }
    )


def asynchronous(base: str) -> tuple[dict[str, AsyncCall], list[str]]:
    """The same with async calls; they are made within the running loop."""
    url = f"{base}/now"
    return _each(
        {
            "httpx.post": lambda: _apost(importlib.import_module("httpx").AsyncClient(), url),
            "httpx2.post": lambda: _apost(importlib.import_module("httpx2").AsyncClient(), url),
            "httpware, whole stack": lambda: _apost(_async_httpware(), url),
            "aiohttp": lambda: _aiohttp(url),
        }
    )


def _post(client: Any, url: str) -> Call:
    return lambda: client.post(url, json=BODY).json()


def _apost(client: Any, url: str) -> AsyncCall:
    async def call() -> object:
        return (await client.post(url, json=BODY)).json()

    return call


def _httpx(url: str) -> Call:
    return _post(importlib.import_module("httpx").Client(), url)


def _httpware() -> Any:
    httpware = importlib.import_module("httpware")
    stack = [httpware.CircuitBreaker(), httpware.Bulkhead(max_concurrent=100), httpware.Retry()]
    return httpware.Client(middleware=stack)


def _async_httpware() -> Any:
    httpware = importlib.import_module("httpware")
    stack = [
        httpware.AsyncTimeout(timeout=30),
        httpware.AsyncCircuitBreaker(),
        httpware.AsyncBulkhead(max_concurrent=100),
        httpware.AsyncRetry(),
    ]
    return httpware.AsyncClient(middleware=stack)


def _httpx_retries() -> Any:
    transport = importlib.import_module("httpx_retries").RetryTransport()
    return importlib.import_module("httpx").Client(transport=transport)


def _backoff(call: Call) -> Call:
    backoff = importlib.import_module("backoff")
    decorated: Call = backoff.on_exception(backoff.expo, OSError, max_tries=4)(call)
    return decorated


def _openai(base: str) -> Call:
    client = importlib.import_module("openai").OpenAI(api_key="k", base_url=base)
    messages = [{"role": "user", "content": json.dumps(INPUTS)}]
    return lambda: client.chat.completions.create(model="m", messages=messages)


def _raw(base: str) -> Call:
    host, _, port = base.removeprefix("http://").partition(":")
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call() -> object:
        body = json.dumps(BODY).encode()
        connection.sendall(b"POST /now HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        return json.loads(connection.recv(65536).partition(b"\r\n\r\n")[2])

    return call


def _aiohttp(url: str) -> AsyncCall:
    session = importlib.import_module("aiohttp").ClientSession()

    async def call() -> object:
        async with session.post(url, json=BODY) as response:
            return await response.json()

    async def closing() -> None:
        await session.close()

    call.close = closing  # type: ignore[attr-defined]
    return call


async def together(call: AsyncCall, total: int, in_flight: int) -> None:
    """Make so many calls, so many of them at a time."""
    numbers = iter(range(total))

    async def work() -> None:
        for _ in numbers:
            await call()

    await asyncio.gather(*(work() for _ in range(in_flight)))
