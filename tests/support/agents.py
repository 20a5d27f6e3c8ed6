"""Skills, clients and steps to test agents with: one script for the blocking client, asyncio and trio."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import anyio

from skillproto import AsyncSkillClient, SkillClient
from skillproto.agent.dispatch_core import ToolAnswer
from skillproto.agent.skill_set import SkillSet
from skillproto.testing import ScriptedTransport, SentRequest, Step, output, reply, sample_descriptor

ORIGIN = "https://skill.example"


def skill(name: str, **changes: Any) -> dict[str, Any]:
    """A skill `com.example.NAME` that lives at /NAME and takes a text."""
    endpoint = {"url": f"{ORIGIN}/{name}", "status_url": f"{ORIGIN}/{name}/s", "result_url": f"{ORIGIN}/{name}/r"}
    return sample_descriptor(
        id=f"com.example.{name}", name=name.title(), endpoint=endpoint | changes.pop("endpoint", {}), **changes
    )


def tool_use(id_: str, name: str, **inputs: Any) -> dict[str, Any]:
    """A call as Anthropic writes it, of the skill `com.example.NAME`."""
    return {"type": "tool_use", "id": id_, "name": f"com_example_{name}", "input": inputs}


def by_path(**steps: Step | Callable[[SentRequest], Step]) -> ScriptedTransport:
    """Answer each request by the skill that it is for; one without a step fails."""

    def choose(request: SentRequest) -> Step:
        step = steps.get(request.url.removeprefix(f"{ORIGIN}/"), reply(404))
        return step(request) if callable(step) else step

    return ScriptedTransport(choose)


def echo(request: SentRequest) -> Step:
    """Give back the text."""
    return output(request.json()["inputs"]["text"])


Use = Callable[..., Any]


class Driver:
    """Runs the same code with the blocking client, or with the async one on a backend."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def is_async(self) -> bool:
        return self.name != "sync"

    def with_set(
        self, descriptors: Iterable[Any], use: Callable[[Any], Any], *, client: Any = None, **options: Any
    ) -> Any:
        """Make a set and give what `use` gives of it, awaited where it is awaitable."""
        client = {"caller_id": "tests", **(client or {})}
        if not self.is_async:
            with SkillClient(**client) as blocking:
                return use(SkillSet(descriptors, blocking, **options))

        async def main() -> Any:
            async with AsyncSkillClient(**client) as async_client:
                return await use(SkillSet(descriptors, async_client, **options))

        return anyio.run(main, backend=self.name)

    def dispatch(
        self,
        descriptors: Iterable[Any],
        calls: Iterable[Any],
        transport: Any,
        timeout_ms: int | None = None,
        **options: Any,
    ) -> tuple[ToolAnswer, ...]:
        client = {"transport": transport, **options.pop("client", {})}
        answers: tuple[ToolAnswer, ...] = self.with_set(
            descriptors, lambda skills: skills.dispatch(calls, timeout_ms), client=client, **options
        )
        return answers


@contextmanager
def cancelling_after(seconds: float, cancel: Callable[[], object]) -> Iterator[None]:
    """Call a function from another thread after a while."""
    timer = threading.Timer(seconds, cancel)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
