"""The options of a client: what can never work is refused at once, by name."""

from typing import Any

import anyio
import httpx
import pytest

from skillproto import AsyncSkillClient, SkillClient, UsageError, ValidationFailed
from tests.support.drivers import descriptor

SKILL = descriptor("https://skill.example/run")


def answer(request: httpx.Request) -> httpx.Response:
    assert request.url == "https://skill.example/run"
    return httpx.Response(200, json={"output": "hi"})


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"caller_id": ""}, "caller_id"),
        ({"caller_id": None}, "caller_id"),
        ({"caller_id": "x" * 201}, "caller_id"),
        ({"caller_id": "a\ud800"}, "caller_id"),
        ({"caller_type": "robot"}, "caller_type"),
        ({"policy": 3}, "policy"),
        ({"on_event": "print"}, "on_event"),
        ({"max_reply_bytes": 0}, "max_reply_bytes"),
        ({"transport": object()}, "transport"),
        ({"credentials": 5}, "credentials"),
    ],
)
@pytest.mark.parametrize("kind", [SkillClient, AsyncSkillClient])
def test_an_option_that_can_never_work_is_refused_by_name(kind: Any, options: dict[str, Any], named: str) -> None:
    with pytest.raises(UsageError, match=named):
        kind(**{"caller_id": "tests", **options})


@pytest.mark.parametrize(
    "options",
    [
        {"idempotency_key": "a b"},
        {"idempotency_key": "a\r\nX: y"},
        {"idempotency_key": ""},
        {"trace_id": 7},
        {"trace_id": "\ud800"},
        {"priority": ["high"]},
    ],
    ids=str,
)
def test_an_argument_of_a_call_that_cannot_be_sent_is_refused(options: dict[str, Any]) -> None:
    with SkillClient(caller_id="tests") as client, pytest.raises(UsageError, match=next(iter(options))):
        client.invoke(SKILL, {"text": "x"}, **options)


def test_a_transport_of_the_caller_carries_the_requests() -> None:
    with SkillClient(caller_id="tests", transport=httpx.MockTransport(answer)) as client:
        assert client.invoke(SKILL, {"text": "x"}).output == "hi"


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_an_async_transport_of_the_caller_carries_the_requests(backend: str) -> None:
    async def main() -> None:
        async with AsyncSkillClient(caller_id="tests", transport=httpx.MockTransport(answer)) as client:
            assert (await client.invoke(SKILL, {"text": "x"})).output == "hi"

    anyio.run(main, backend=backend)


def test_a_client_of_the_caller_adds_its_own_headers_and_stays_open() -> None:
    seen: list[httpx.Request] = []

    def record(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return answer(request)

    with httpx.Client(transport=httpx.MockTransport(record), headers={"X-Team": "search"}) as own:
        with SkillClient(caller_id="tests", transport=own) as client:
            assert client.invoke(SKILL, {"text": "x"}).output == "hi"
        assert not own.is_closed
    assert seen[0].headers["x-team"] == "search"


def test_a_sync_transport_is_refused_by_an_async_client() -> None:
    with pytest.raises(UsageError, match="async"):
        AsyncSkillClient(caller_id="tests", transport=httpx.HTTPTransport())


@pytest.mark.parametrize("inputs", [["text"], "text", 5, [("text", "x")], iter([])])
def test_inputs_that_are_no_mapping_are_a_violation(inputs: Any) -> None:
    with SkillClient(caller_id="x") as client, pytest.raises(ValidationFailed) as raised:
        client.invoke(descriptor("http://127.0.0.1:9/"), inputs)
    assert [(found.field, found.expected) for found in raised.value.violations] == [("/inputs", "object")]
    assert raised.value.attempts == 0
