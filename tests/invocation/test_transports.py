"""A transport or a whole client of the caller: deadline, cancelling and attempts hold for it too."""

import time
from importlib import import_module
from typing import Any

import anyio
import pytest

from skillproto import AsyncSkillClient, RetryPolicy, SkillClient, SkillError
from skillproto.invocation._carriers import FAMILIES
from tests.support import faults
from tests.support.drivers import descriptor
from tests.support.faults import FaultServer, reply

SKILL = descriptor("https://skill.example/run")
MARGIN_S = 0.5  # a loaded machine wakes a thread this late; what would be wrong takes seconds
BACKENDS = ["asyncio", "trio"]


class Sleeper:
    """An async transport that never answers, and bounds nothing by itself."""

    async def handle_async_request(self, request: Any) -> Any:
        await anyio.sleep(30)

    async def aclose(self) -> None: ...


@pytest.mark.parametrize("family", FAMILIES)
def test_a_reset_from_a_transport_that_is_not_watched_is_one_attempt(family: str) -> None:
    http = import_module(family)
    asked = 0

    def fail(request: Any) -> Any:
        nonlocal asked
        asked += 1
        raise http.ReadError("reset", request=request)

    policy = RetryPolicy(initial_delay_ms=1, max_attempts=3)
    client = SkillClient(caller_id="tests", transport=http.MockTransport(fail), policy=policy)
    with client, pytest.raises(SkillError) as caught:
        client.invoke(SKILL, {"text": "x"})
    assert (asked, caught.value.attempts) == (3, 3)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_client_of_the_caller_keeps_the_deadline_while_a_body_drips(family: str) -> None:
    http = import_module(family)
    with FaultServer([faults.drip()]) as server, http.Client(trust_env=False) as own:
        client = SkillClient(caller_id="tests", transport=own)
        began = time.monotonic()
        with pytest.raises(SkillError) as caught:
            client.invoke(descriptor(server.url), {"text": "x"}, 400)
        assert time.monotonic() - began < 0.4 + MARGIN_S
    assert caught.value.details["reason"] == "deadline"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_client_of_the_caller_sends_again_on_a_kept_connection_that_was_closed(family: str) -> None:
    http = import_module(family)
    script = [faults.close_kept_connection({"output": "one"}), reply(200, {"output": "two"})]
    with FaultServer(script) as server, http.Client(trust_env=False) as own:
        client = SkillClient(caller_id="tests", transport=own)
        results = [client.invoke(descriptor(server.url), {"text": "x"}) for _ in range(2)]
    assert [(result.output, result.attempts) for result in results] == [("one", 1), ("two", 1)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("family", FAMILIES)
def test_cancelling_leaves_an_async_client_of_the_caller_at_once_and_fit(family: str, backend: str) -> None:
    http = import_module(family)

    async def main(url: str) -> None:
        async with http.AsyncClient(trust_env=False, limits=http.Limits(max_connections=1)) as own:
            client = AsyncSkillClient(caller_id="tests", transport=own)
            began = time.monotonic()
            with anyio.move_on_after(0.1):
                await client.invoke(descriptor(url), {"text": "x"})
            assert time.monotonic() - began < 0.1 + MARGIN_S
            assert (await client.invoke(descriptor(url), {"text": "x"})).output == "hi"

    with FaultServer([faults.never_answer(), reply(200, {"output": "hi"})]) as server:
        anyio.run(main, server.url, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_foreign_async_transport_is_held_to_the_deadline(backend: str) -> None:
    async def main() -> None:
        client = AsyncSkillClient(caller_id="tests", transport=Sleeper())
        began = time.monotonic()
        with pytest.raises(SkillError) as caught:
            await client.invoke(SKILL, {"text": "x"}, 200)
        assert 0.19 < time.monotonic() - began < 0.2 + MARGIN_S
        assert (caught.value.code, caught.value.details["reason"]) == ("EXECUTION_TIMEOUT", "deadline")

    anyio.run(main, backend=backend)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_foreign_async_transport_is_cancelled_at_once(backend: str) -> None:
    async def main() -> None:
        events: list[Any] = []
        client = AsyncSkillClient(caller_id="tests", transport=Sleeper(), on_event=events.append)
        began = time.monotonic()
        with anyio.move_on_after(0.1):
            await client.invoke(SKILL, {"text": "x"})
        assert time.monotonic() - began < 0.1 + MARGIN_S
        assert [event.name for event in events if event.is_final] == ["invocation.cancelled"]

    anyio.run(main, backend=backend)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("is_early", [True, False], ids=["before the client is made", "after it"])
def test_what_stands_in_for_the_library_in_a_test_is_not_passed_by(
    family: str, is_early: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = import_module(family)
    monkeypatch.setenv("SKILLPROTO_HTTP", family)

    def answer(transport: Any, request: Any) -> Any:
        return http.Response(200, json={"output": "made up"}, request=request)

    if is_early:
        monkeypatch.setattr(http.HTTPTransport, "handle_request", answer)
    with SkillClient(caller_id="tests") as client:
        monkeypatch.setattr(http.HTTPTransport, "handle_request", answer)
        assert client.invoke(SKILL, {"text": "x"}).output == "made up"


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("driver", ["sync", *BACKENDS])
def test_a_request_is_the_same_on_the_wire_whichever_way_it_takes_through_the_library(
    family: str, driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    http = import_module(family)
    monkeypatch.setenv("SKILLPROTO_HTTP", family)
    is_sync = driver == "sync"
    kind = http.HTTPTransport if is_sync else http.AsyncHTTPTransport
    name = "handle_request" if is_sync else "handle_async_request"
    own = getattr(kind, name)
    key = "the-same-key"

    def call(url: str) -> None:
        if is_sync:
            with SkillClient(caller_id="tests") as client:
                client.invoke(descriptor(url), {"text": "ä"}, idempotency_key=key)
            return

        async def main() -> None:
            async with AsyncSkillClient(caller_id="tests") as client:
                await client.invoke(descriptor(url), {"text": "ä"}, idempotency_key=key)

        anyio.run(main, backend=driver)

    with FaultServer([reply(200, {"output": "hi"})]) as server:
        call(server.url + "?a=%20b&c")
        monkeypatch.setattr(kind, name, lambda transport, request: own(transport, request))
        call(server.url + "?a=%20b&c")
        direct, through = server.requests
    assert direct.raw_headers == through.raw_headers
    assert (direct.path, direct.body) == (through.path, through.body)
