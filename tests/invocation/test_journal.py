"""What a key that the journal knows means, and which calls stay open in it."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from skillproto import AsyncSkillClient, Event, Result, SkillClient, SkillError, UsageError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.journal import Beginning, Journal
from skillproto.invocation.journal_states import Entry
from skillproto.provider import RunningProvider, running_provider
from skillproto.testing import ScriptedTransport, accepted, sample_descriptor
from tests.support.drivers import DRIVERS
from tests.support.journals import QUICK, entry, resume

SECRET = "a-key-that-nobody-may-read"
Calling = Callable[..., Result]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "calls.db"


@pytest.fixture
def provider() -> Iterator[RunningProvider]:
    with running_provider() as running:
        yield running


@pytest.fixture(params=DRIVERS)
def call(request: pytest.FixtureRequest, path: Path) -> Calling:
    """Make one call with a client of its own and this test's journal, by each driver."""
    backend = request.param

    def invoke(skill: Any, key: str = "k", text: str = "hola", timeout_ms: int = 5000, **options: Any) -> Result:
        options = {"caller_id": "tests", "policy": QUICK, "journal": path, **options}
        if backend == "sync":
            with SkillClient(**options) as client:
                return client.invoke(skill, {"text": text}, timeout_ms, idempotency_key=key)

        async def main() -> Result:
            async with AsyncSkillClient(**options) as client:
                return await client.invoke(skill, {"text": text}, timeout_ms, idempotency_key=key)

        return anyio.run(main, backend=backend)

    return invoke


def failing(calling: Calling, *args: Any, **options: Any) -> SkillError:
    with pytest.raises(SkillError) as caught:
        calling(*args, **options)
    return caught.value


# A key that the journal knows.


def test_a_key_that_has_ended_gives_the_same_result_and_sends_nothing(call: Calling, provider: RunningProvider) -> None:
    events: list[Event] = []
    first = call(provider.descriptor)
    asked = len(provider.requests)
    again = call(provider.descriptor, on_event=events.append)
    assert again == first._replace(history=())
    assert len(provider.requests) == asked
    assert [event.name for event in events] == ["invocation.started", "invocation.completed"]


def test_an_execution_that_failed_fails_again_the_same_way(call: Calling, provider: RunningProvider) -> None:
    provider.state.starts.extend(["failed"])
    first = failing(call, provider.descriptor)
    asked = len(provider.requests)
    again = failing(call, provider.descriptor)
    assert (type(again), again.message, again.code) == (type(first), first.message, first.code)
    assert again.details["execution_id"] == first.details["execution_id"]
    assert len(provider.requests) == asked


@pytest.mark.parametrize("fault", [401, 503])
def test_a_call_that_was_refused_may_be_made_again(
    call: Calling, provider: RunningProvider, path: Path, fault: int
) -> None:
    provider.state.starts.extend([fault] if fault == 401 else [fault] * QUICK.max_attempts)
    failing(call, provider.descriptor)
    assert (entry(path).state, entry(path).may_have_run, entry(path).body) == ("ended", False, None)
    assert call(provider.descriptor).output["words"] == 1
    assert (entry(path).state, entry(path).may_have_run) == ("ended", True)


def test_a_request_without_an_answer_is_made_again_to_the_letter(
    call: Calling, provider: RunningProvider, path: Path
) -> None:
    provider.state.starts.extend(["lost"] * QUICK.max_attempts)
    assert failing(call, provider.descriptor).details["may_have_run"] is True
    assert (entry(path).state, entry(path).may_have_run) == ("ended", True)
    assert resume(path) == []  # the caller was told; nobody sends it again but the caller
    assert call(provider.descriptor, timeout_ms=4000).output["words"] == 1  # another timeout, the same body
    assert len({request.body for request in provider.starts}) == 1
    assert len(provider.state.executions) == 1


@pytest.mark.parametrize("change", ["inputs", "endpoint"])
def test_a_key_of_another_call_is_wrong_usage_and_leaves_that_call_alone(
    call: Calling, provider: RunningProvider, path: Path, change: str
) -> None:
    with SkillClient(caller_id="tests", journal=path) as client:
        client.start(provider.descriptor, {"text": "hola"}, idempotency_key="k")
    skill = provider.descriptor
    if change == "endpoint":
        skill = skill | {"endpoint": skill["endpoint"] | {"url": skill["endpoint"]["url"] + "?v=2"}}
    with pytest.raises(UsageError, match="other inputs or to another endpoint"):
        call(skill, text="hola" if change == "endpoint" else "adios")
    assert (entry(path).state, entry(path).is_busy) == ("accepted", False)


def test_the_same_key_of_another_skill_is_another_call(call: Calling, provider: RunningProvider, path: Path) -> None:
    call(provider.descriptor)
    with running_provider(descriptor=provider.descriptor | {"id": "org.example.other"}) as other:
        assert call(other.descriptor).output["words"] == 1
        assert len(other.starts) == 1


def test_a_key_at_work_is_an_error_to_be_tried_again(call: Calling, provider: RunningProvider, path: Path) -> None:
    with Journal(path) as journal, SkillClient(caller_id="tests", journal=journal) as client:
        journal.begin(Beginning(provider.descriptor["id"], "k", _digest(provider), {}, b"{}", 1000, is_claimed=False))
        with pytest.raises(SkillError) as caught:
            client.invoke(provider.descriptor, {"text": "hola"}, idempotency_key="k")
        assert (caught.value.details["reason"], caught.value.retryable) == ("in_progress", True)
        assert failing(call, provider.descriptor).details["reason"] == "in_progress"  # from another journal
    assert provider.starts == []


def _digest(provider: RunningProvider) -> str:
    from skillproto.invocation.journal import digest_of

    return digest_of(provider.descriptor, {"text": "hola"}) or ""


def test_a_result_too_large_to_keep_is_fetched_again(provider: RunningProvider, path: Path) -> None:
    with Journal(path, longest_outcome=50) as journal, SkillClient(caller_id="tests", journal=journal) as client:
        first = client.invoke(provider.descriptor, {"text": "hola"}, idempotency_key="k")
        assert entry(path).outcome is None
        again = client.invoke(provider.descriptor, {"text": "hola"}, idempotency_key="k")
    assert again.output == first.output
    assert len(provider.starts) == 1


# What stays open, and what does not.


def test_an_execution_that_outlives_the_deadline_stays_open_and_is_resumed(call: Calling, path: Path) -> None:
    with running_provider(duration_ms=2000) as slow:
        error = failing(call, slow.descriptor, timeout_ms=700)
        assert error.code == "EXECUTION_TIMEOUT"
        known = entry(path)
        assert (known.state, known.is_busy) == ("accepted", False)
        assert known.execution_id == error.details["execution_id"]
        (outcome,) = resume(path)
        # The provider was told of the deadline and gave up; what counts is that it was asked.
        assert (outcome.error.code, outcome.error.details["state"]) == ("EXECUTION_TIMEOUT", "failed")
        assert (entry(path).state, len(slow.starts)) == ("ended", 1)


def test_a_started_execution_is_open_until_somebody_has_its_result(provider: RunningProvider, path: Path) -> None:
    with SkillClient(caller_id="tests", journal=path) as client:
        execution = client.start(provider.descriptor, {"text": "hola"}, idempotency_key="k")
        assert (entry(path).state, entry(path).body) == ("accepted", None)
        assert execution.status() == "completed"
        assert entry(path).state == "accepted"
        assert execution.result().output["words"] == 1
    assert (entry(path).state, len(provider.starts)) == ("ended", 1)


def test_a_cancelled_call_is_not_sent_again_but_its_execution_is_asked_for(path: Path) -> None:
    with running_provider(["hang", "ok"], duration_ms=400) as slow:
        for key, wait_for in (("hanging", "POST"), ("running", "GET")):
            token = CancelToken()
            _cancel_after(token, slow, wait_for)
            with SkillClient(caller_id="tests", journal=path) as client, pytest.raises(SkillError) as caught:
                client.invoke(slow.descriptor, {"text": key}, cancel=token, idempotency_key=key)
            assert caught.value.code == "CANCELLED"
        hanging, running = entry(path, "hanging"), entry(path, "running")
        assert (hanging.state, hanging.may_have_run) == ("ended", True)
        assert (running.state, running.is_busy) == ("accepted", False)
        starts = len(slow.starts)
        assert [outcome.result.output["words"] for outcome in resume(path)] == [1]
        assert len(slow.starts) == starts


def _cancel_after(token: CancelToken, provider: RunningProvider, method: str) -> None:
    def watch() -> None:
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline and not [each for each in provider.requests if each.method == method]:
            time.sleep(0.005)
        token.cancel()

    threading.Thread(target=watch, daemon=True).start()


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_task_leaves_its_execution_open(path: Path, backend: str) -> None:
    async def main() -> None:
        async with AsyncSkillClient(caller_id="tests", journal=path) as client, anyio.create_task_group() as group:
            group.start_soon(_cancel_once_asked, slow, group.cancel_scope)
            await client.invoke(slow.descriptor, {"text": "hola"}, 20_000, idempotency_key="k")

    with running_provider(duration_ms=20_000) as slow:
        anyio.run(main, backend=backend)
        assert (entry(path).state, entry(path).is_busy) == ("accepted", False)


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_call_whose_descriptor_is_lost_is_told_by_the_async_client_too(
    path: Path, backend: str, provider: RunningProvider
) -> None:
    _leave(path, provider)
    with Journal(path) as journal, journal._writing() as connection:
        connection.execute("UPDATE calls SET descriptor = 'lost'")

    async def main() -> list[Any]:
        async with AsyncSkillClient(caller_id="tests", journal=path) as client, client.resume_journal() as outcomes:
            return [outcome async for outcome in outcomes]

    (outcome,) = anyio.run(main, backend=backend)
    assert outcome.error.details == {"reason": "journal"}
    assert entry(path, outcome.call.idempotency_key).state == "sent"


async def _cancel_once_asked(provider: RunningProvider, scope: anyio.CancelScope) -> None:
    while not [request for request in provider.requests if request.method == "GET"]:
        await anyio.sleep(0.01)
    scope.cancel()


@pytest.mark.parametrize("trouble", ["unreachable", "no credentials"])
def test_what_a_killed_process_left_stays_open_as_long_as_nobody_could_ask(path: Path, trouble: str) -> None:
    with running_provider(api_key=SECRET) as locked:
        _leave(path, locked)
        with SkillClient(caller_id="tests", journal=path, credentials=SECRET) as client:
            (key,) = [known.key for known in client._journal.open_calls()]  # type: ignore[union-attr]
        if trouble == "unreachable":
            locked.state.starts.extend([503] * QUICK.max_attempts)
        (outcome,) = resume(path, credentials=SECRET if trouble == "unreachable" else None)
        assert outcome.error is not None
        assert (entry(path, key).state, entry(path, key).is_busy) == ("sent", False)
        (outcome,) = resume(path, credentials=SECRET)
        assert (outcome.result.output["words"], len(locked.state.executions)) == (1, 1)


def _leave(path: Path, provider: RunningProvider) -> None:
    """Write a call down as a process that is killed before it sends."""

    class Killed(BaseException):
        pass

    class Dying(Journal):
        def begin(self, call: Beginning) -> Entry | None:
            super().begin(call)
            with self._writing() as connection:
                connection.execute("UPDATE calls SET owner = 'gone', born = 'long ago'")
            raise Killed

    with (
        Dying(path) as journal,
        pytest.raises(Killed),
        SkillClient(caller_id="x", journal=journal, credentials=SECRET) as c,
    ):
        c.invoke(provider.descriptor, {"text": "hola"})


# What goes wrong while it is written.


class Failing(Journal):
    """A journal whose disk is full from one note on."""

    def __init__(self, path: Path, note: str) -> None:
        super().__init__(path)
        setattr(self, note, self._fail)

    def _fail(self, *args: Any, **kwargs: Any) -> Any:
        raise SkillError("UNKNOWN", "The journal could not be written: the disk is full", details={"reason": "journal"})


def test_nothing_is_sent_that_could_not_be_written_down(call: Calling, provider: RunningProvider, path: Path) -> None:
    events: list[Event] = []
    with Failing(path, "begin") as journal:
        error = failing(call, provider.descriptor, journal=journal, on_event=events.append)
    assert (error.code, error.details["reason"], provider.requests) == ("UNKNOWN", "journal", [])
    assert [event.is_final for event in events].count(True) == 1


@pytest.mark.parametrize("note", ["accepted", "ended"])
def test_a_call_that_runs_goes_on_without_its_journal_and_is_found_open(
    call: Calling, provider: RunningProvider, path: Path, note: str, caplog: pytest.LogCaptureFixture
) -> None:
    with Failing(path, note) as journal:
        assert call(provider.descriptor, journal=journal).output["words"] == 1
    assert "The journal could not be written" in caplog.text
    if note == "ended":
        assert entry(path).state == "accepted"


def test_a_journal_that_waits_for_its_disk_does_not_stop_the_event_loop(provider: RunningProvider, path: Path) -> None:
    waited: list[float] = []

    class Slow(Journal):
        def begin(self, call: Beginning) -> Entry | None:
            waited.append(time.monotonic())
            time.sleep(0.5)
            waited.append(time.monotonic())
            return super().begin(call)

    ticks: list[float] = []

    async def tick() -> None:
        while True:
            ticks.append(time.monotonic())
            await anyio.sleep(0.005)

    async def main() -> None:
        with Slow(path) as journal:
            async with AsyncSkillClient(caller_id="x", journal=journal) as client, anyio.create_task_group() as group:
                group.start_soon(tick)
                await client.invoke(provider.descriptor, {"text": "hola"})
                group.cancel_scope.cancel()

    anyio.run(main)
    assert len([moment for moment in ticks if waited[0] < moment < waited[1]]) >= 5


def test_an_execution_id_that_cannot_be_written_ends_the_call_as_without_a_journal(path: Path) -> None:
    transport = ScriptedTransport([accepted("\ud800")])
    with (
        SkillClient(caller_id="tests", journal=path, transport=transport) as client,
        pytest.raises(SkillError) as caught,
    ):
        client.invoke(sample_descriptor(), {"text": "hola"})
    assert caught.value.details["reason"] in ("bad_execution_id", "no_execution_id")


def test_a_client_without_a_journal_loads_no_sqlite_and_has_nothing_to_resume() -> None:
    program = "import sys, skillproto\nskillproto.SkillClient(caller_id='x')\nprint('sqlite3' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=True, env=os.environ)
    assert ran.stdout == b"False\n"
    with SkillClient(caller_id="tests") as client, pytest.raises(UsageError, match="there is no journal"):
        client.resume_journal()


def test_a_closed_journal_says_so(path: Path) -> None:
    journal = Journal(path)
    journal.close()
    with pytest.raises(UsageError, match="the journal is closed"):
        journal.find("k")
