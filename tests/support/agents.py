"""Skills, clients and steps to test agents with: one script for the blocking client, asyncio and trio."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from skillproto import AsyncSkillClient, SkillClient, SkillError
from skillproto.agent.dispatch_core import ToolAnswer
from skillproto.agent.run import Run
from skillproto.agent.run_events import RunEvent
from skillproto.agent.skill_set import SkillSet
from skillproto.agent.states import MemoryState, RunResult
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

    def run(
        self,
        replies: Iterable[Any],
        transport: Any = None,
        *,
        descriptors: Iterable[Any] | None = None,
        use: Callable[[Any], Any] = lambda run: run.start("Go"),
        client: Any = None,
        on_error: Any = "fail-run",
        concurrency: int = 8,
        **options: Any,
    ) -> "Ran":
        """Run an agent whose model gives these replies, raising those that are exceptions."""
        ran = Ran(state=options.pop("state", None) or MemoryState())
        listener, model = options.pop("on_event", None), options.pop("model", None)

        def note(event: RunEvent) -> None:
            ran.events.append(event)
            if listener is not None:
                listener(event)

        def begin(skills: Any) -> Any:
            given = {"style": "anthropic", "state": ran.state, "on_event": note, **options}
            run: Any = Run(skills, model or scripted(replies, ran.asked), **given)
            return use(run)

        try:
            ran.result = self.with_set(
                SKILLS if descriptors is None else descriptors,
                begin,
                client={"transport": transport or by_path(echo=echo), **(client or {})},
                on_error=on_error,
                concurrency=concurrency,
            )
        except BaseException as error:
            ran.error = error
        return ran


@dataclass
class Ran:
    """What a run did; either `result` or `error` is None."""

    state: MemoryState
    events: list[RunEvent] = field(default_factory=list)
    asked: list[list[Any]] = field(default_factory=list)
    result: RunResult | None = None
    error: BaseException | None = None

    @property
    def names(self) -> list[str]:
        return [event.name for event in self.events]

    @property
    def final(self) -> list[str]:
        return [event.name for event in self.events if event.is_final]

    @property
    def given(self) -> RunResult:
        assert self.result is not None, self.error
        return self.result

    @property
    def failed(self) -> SkillError:
        assert isinstance(self.error, SkillError), (self.error, self.result)
        return self.error

    @property
    def saved(self) -> dict[str, Any]:
        (saved,) = self.state.runs.values()
        return saved


def scripted(replies: Iterable[Any], asked: list[list[Any]] | None = None) -> Callable[[Any, Any], Any]:
    """A model that gives one reply after the other; an exception among them is raised."""
    left = iter(replies)

    def model(messages: list[Any], tools: list[Any]) -> Any:
        if asked is not None:
            asked.append(messages)
        reply = next(left, {"content": "done"})
        if isinstance(reply, BaseException):
            raise reply
        return reply

    return model


def wants(*calls: dict[str, Any]) -> dict[str, Any]:
    """A reply, as Anthropic writes it, that asks for these calls."""
    return {"role": "assistant", "content": list(calls)}


def require_no_open_call(messages: list[Any]) -> None:
    blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
    wanted = [block["id"] for block in blocks if block["type"] == "tool_use"]
    answered = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
    assert answered == wanted


def results(messages: list[Any]) -> list[tuple[str, str, bool]]:
    """Give the answers to tool calls as Anthropic has them: id, text, whether it is an error."""
    blocks = [block for message in messages for block in message["content"] if isinstance(block, dict)]
    found = [block for block in blocks if block["type"] == "tool_result"]
    return [(block["tool_use_id"], block["content"], block["is_error"]) for block in found]


SKILLS = [skill("echo"), skill("find"), skill("buy")]


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
