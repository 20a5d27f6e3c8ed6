"""Call a skill with each of the three drivers, from an ordinary test."""

from collections.abc import Callable
from typing import Any, Protocol

import anyio

from skillproto import AsyncSkillClient, Result, SkillClient

DRIVERS = ("sync", "asyncio", "trio")


def descriptor(url: str, **changes: Any) -> dict[str, Any]:
    """A valid descriptor for a server under test; its status and result live beside the endpoint."""
    origin = url.rpartition("/")[0]
    endpoint = {"url": url, "status_url": f"{origin}/status", "result_url": f"{origin}/result/{{execution_id}}"}
    return {
        "protocol": {"version": "1.0.0"},
        "id": "com.example.echo-v1",
        "name": "Echo",
        "version": "1.2.0",
        "capability_type": "api",
        "description": "Gives back what it gets.",
        "provider": {"name": "Example"},
        "endpoint": endpoint | changes.pop("endpoint", {}),
        "inputs": [{"name": "text", "type": "string", "required": True}, {"name": "times", "type": "integer"}],
        "output": changes.pop("output", {"type": "string"}),
        "auth": {"type": "none"},
        "access": "public",
        **changes,
    }


class Invoke(Protocol):
    """One call with a client of its own, whatever drives it."""

    name: str

    def __call__(
        self, skill: Any, inputs: Any = None, timeout_ms: Any = 5000, *, resume: str | None = None, **options: Any
    ) -> Result: ...


class Sync:
    name = "sync"

    def __call__(
        self, skill: Any, inputs: Any = None, timeout_ms: Any = 5000, *, resume: str | None = None, **options: Any
    ) -> Result:
        with SkillClient(caller_id="tests", **options) as client:
            if resume is not None:
                return client.resume(skill, resume).result(timeout_ms)
            return client.invoke(skill, inputs if inputs is not None else {"text": "hi"}, timeout_ms)


class Async:
    def __init__(self, backend: str) -> None:
        self.name = backend

    def __call__(
        self, skill: Any, inputs: Any = None, timeout_ms: Any = 5000, *, resume: str | None = None, **options: Any
    ) -> Result:
        async def main() -> Result:
            async with AsyncSkillClient(caller_id="tests", **options) as client:
                if resume is not None:
                    return await client.resume(skill, resume).result(timeout_ms)
                return await client.invoke(skill, inputs if inputs is not None else {"text": "hi"}, timeout_ms)

        return anyio.run(main, backend=self.name)


INVOKERS: dict[str, Callable[[], Invoke]] = {
    "sync": Sync,
    "asyncio": lambda: Async("asyncio"),
    "trio": lambda: Async("trio"),
}
