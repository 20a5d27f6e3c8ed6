"""Tokens by OAuth 2 client credentials, on real sockets with each driver."""

import threading
import time
from base64 import b64decode
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qs

import anyio
import pytest

from skillproto import AsyncSkillClient, ErrorCode, RetryPolicy, SkillClient, SkillError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.events import Event
from skillproto.invocation.oauth import ClientCredentials
from tests.support import faults
from tests.support.drivers import Invoke, descriptor
from tests.support.faults import FaultServer, Step, by_path, reply

QUICK = RetryPolicy(initial_delay_ms=20, jitter=0)
SECRET = "s3cret-of-the-client"
CHALLENGE = {"WWW-Authenticate": 'Bearer realm="skills", error="invalid_token", error_description="It expired"'}
DONE = reply(200, {"output": "hi"})


def token(text: str = "t0ken-number-1", **more: Any) -> Step:
    return reply(200, {"access_token": text, "token_type": "Bearer", **more})


def oauth_skill(server: FaultServer, **changes: Any) -> dict[str, Any]:
    oauth2 = {"token_url": server.origin + "/token", "scopes": {"skills:run": "call skills", "echo": "call this one"}}
    return descriptor(server.url, auth={"type": "oauth2", "oauth2": oauth2}, access="restricted", **changes)


def client_of(**more: Any) -> ClientCredentials:
    return ClientCredentials("agent", SECRET, **more)


def paths(server: FaultServer) -> list[str]:
    return [request.path for request in server.requests]


def tokens_sent(server: FaultServer) -> list[str | None]:
    return [request.headers.get("authorization") for request in server.requests if request.path != "/token"]


# With each driver.


def test_a_token_is_got_first_and_sent_to_the_skill(invoke: Invoke) -> None:
    with FaultServer(by_path({"/token": token(expires_in=3600), "/invoke": DONE})) as server:
        result = invoke(oauth_skill(server), credentials=client_of())
        asked, called = server.requests
    assert (result.output, result.attempts) == ("hi", 1)
    assert parse_qs(asked.body.decode()) == {"grant_type": ["client_credentials"], "scope": ["skills:run echo"]}
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"
    assert b64decode(asked.headers["authorization"].removeprefix("Basic ")).decode() == f"agent:{SECRET}"
    assert called.headers["authorization"] == "Bearer t0ken-number-1"


def test_one_token_serves_all_requests_of_an_execution(invoke: Invoke) -> None:
    steps: dict[str, Any] = {
        "/token": token(),
        "/invoke": reply(202, {"execution_id": "e1", "status": "accepted", "poll_interval_ms": 1}),
        "/status/e1": [reply(200, {"status": "running", "poll_interval_ms": 1}), reply(200, {"status": "completed"})],
        "/result/e1": DONE,
    }
    with FaultServer(by_path(steps)) as server:
        invoke(oauth_skill(server), credentials=client_of())
        assert Counter(paths(server))["/token"] == 1
        assert tokens_sent(server) == ["Bearer t0ken-number-1"] * 4


def test_a_token_that_is_refused_as_invalid_is_got_anew_and_the_request_sent_again(invoke: Invoke) -> None:
    events: list[Event] = []
    steps: dict[str, Any] = {
        "/token": [token("old-token"), token("new-token")],
        "/invoke": [reply(401, None, CHALLENGE), DONE],
    }
    with FaultServer(by_path(steps)) as server:
        result = invoke(oauth_skill(server), credentials=client_of(), on_event=events.append)
        assert tokens_sent(server) == ["Bearer old-token", "Bearer new-token"]
        assert len({request.headers["idempotency-key"] for request in server.requests if request.path != "/token"}) == 1
    assert (result.output, result.attempts) == ("hi", 2)
    assert [attempt.code for attempt in result.history] == [ErrorCode.AUTH_REQUIRED, None]
    assert [event.name for event in events] == [
        "invocation.started",
        "attempt.started",
        "attempt.failed",
        "attempt.started",
        "invocation.completed",
    ]


def test_a_token_that_expires_while_polling_is_got_anew(invoke: Invoke) -> None:
    steps: dict[str, Any] = {
        "/token": [token("old-token"), token("new-token")],
        "/status/e1": [reply(401, None, CHALLENGE), reply(200, {"status": "completed"})],
        "/result/e1": DONE,
    }
    with FaultServer(by_path(steps)) as server:
        assert invoke(oauth_skill(server), resume="e1", credentials=client_of()).output == "hi"
        assert tokens_sent(server) == ["Bearer old-token", *["Bearer new-token"] * 2]


def test_a_request_is_sent_again_once_only(invoke: Invoke) -> None:
    with FaultServer(by_path({"/token": token(), "/invoke": reply(401, None, CHALLENGE)})) as server:
        with pytest.raises(SkillError) as caught:
            invoke(oauth_skill(server), credentials=client_of(), policy=QUICK)
        assert paths(server) == ["/token", "/invoke"] * 2
    assert (caught.value.code, caught.value.http_status, caught.value.attempts) == (ErrorCode.AUTH_REQUIRED, 401, 2)


@pytest.mark.parametrize(
    "challenge",
    [
        pytest.param({}, id="none"),
        pytest.param({"WWW-Authenticate": "Bearer"}, id="bare"),
        pytest.param({"WWW-Authenticate": 'Bearer error="insufficient_scope"'}, id="scope"),
        pytest.param({"WWW-Authenticate": 'Bearer error_description="no error=invalid_token"'}, id="in_a_text"),
        pytest.param({"WWW-Authenticate": 'DPoP error="invalid_token"'}, id="other_scheme"),
    ],
)
def test_any_other_401_ends_the_call(challenge: dict[str, str]) -> None:
    with FaultServer(by_path({"/token": token(), "/invoke": reply(401, None, challenge)})) as server:
        with pytest.raises(SkillError), SkillClient(caller_id="tests", credentials=client_of()) as client:
            client.invoke(oauth_skill(server), {"text": "hi"})
        assert paths(server) == ["/token", "/invoke"]


def test_a_token_endpoint_that_is_busy_is_asked_again_after_its_wait(invoke: Invoke) -> None:
    steps: dict[str, Any] = {"/token": [reply(503, None, {"Retry-After": "1"}), token()], "/invoke": DONE}
    with FaultServer(by_path(steps)) as server:
        result = invoke(oauth_skill(server), credentials=client_of(), policy=QUICK)
        first, second, _ = server.requests
    assert second.at_s - first.at_s >= 0.99
    assert [(each.code, each.reason) for each in result.history] == [
        (ErrorCode.ENDPOINT_UNREACHABLE, "no_token"),
        (None, None),
    ]


def test_a_token_endpoint_that_says_nothing_ends_at_the_deadline(invoke: Invoke) -> None:
    with FaultServer([faults.drip(interval_s=0.05)]) as server:
        with pytest.raises(SkillError) as caught:
            invoke(oauth_skill(server), timeout_ms=300, credentials=client_of())
        assert server.wait_until_closed()
    assert caught.value.code is ErrorCode.EXECUTION_TIMEOUT
    assert caught.value.details["step"] == "token"
    assert "may_have_run" not in caught.value.details


@pytest.mark.parametrize(
    ("step", "code", "reason"),
    [
        pytest.param(reply(401, {"error": "invalid_client"}), "AUTH_REQUIRED", "token_refused", id="client"),
        pytest.param(reply(400, {"error": "invalid_scope"}), "PERMISSION_DENIED", "token_refused", id="scope"),
        pytest.param(faults.redirect("http://127.0.0.1:9/token"), "UNKNOWN", "redirect", id="redirect"),
        pytest.param(reply(200, "<html>"), "UNKNOWN", "no_token", id="page"),
        pytest.param(faults.gzip_bomb(), "UNKNOWN", "too_large", id="bomb"),
        pytest.param(faults.endless(), "UNKNOWN", "too_large", id="endless"),
        pytest.param(faults.half_body(), "UNKNOWN", "cut_short", id="half"),
    ],
)
def test_a_refusal_of_the_token_endpoint_ends_the_call_before_the_skill_is_called(
    invoke: Invoke, step: Step, code: str, reason: str
) -> None:
    with FaultServer([step]) as server:
        with pytest.raises(SkillError) as caught:
            invoke(oauth_skill(server), credentials=client_of(), policy=QUICK)
        assert paths(server) == ["/token"]
    assert (caught.value.code, caught.value.details["reason"], caught.value.details["step"]) == (code, reason, "token")


def test_no_secret_leaves_by_an_error_an_event_or_a_repr(invoke: Invoke) -> None:
    events: list[Event] = []
    echo = f"client agent:{SECRET} gave {SECRET[:10]} {SECRET}"
    steps: dict[str, Any] = {
        "/token": [token("t0ken-of-the-call"), reply(400, {"error": "invalid_client", "error_description": echo})],
        "/invoke": reply(401, {"error": {"code": "AUTH_REQUIRED", "message": "not t0ken-of-the-call"}}, CHALLENGE),
    }
    credentials = client_of()
    with FaultServer(by_path(steps)) as server, pytest.raises(SkillError) as caught:
        invoke(oauth_skill(server), credentials=credentials, on_event=events.append)
    error = caught.value
    shown = (str(error), repr(error), str(error.to_dict()), str(error.history), str(events), repr(credentials))
    assert caught.value.details["oauth_error"] == "invalid_client"
    assert [text for text in shown if SECRET in text or "t0ken-of-the-call" in text] == []


# Many calls at a time.


def slow_token(text: str = "t0ken-number-1") -> Step:
    return reply(200, {"access_token": text, "token_type": "bearer", "expires_in": 3600}, delay_s=0.3)


def test_many_threads_share_one_request_for_a_token() -> None:
    with (
        FaultServer(by_path({"/token": slow_token(), "/invoke": DONE})) as server,
        SkillClient(caller_id="tests", credentials=client_of()) as client,
        ThreadPoolExecutor(32) as pool,
    ):
        skill = oauth_skill(server)
        results = list(pool.map(lambda _: client.invoke(skill, {"text": "hi"}).output, range(64)))
        assert results == ["hi"] * 64
        assert Counter(paths(server))["/token"] == 1


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize(("cancel_first", "asked"), [(False, 1), (True, 2)], ids=["all stay", "the first leaves"])
def test_many_tasks_share_one_request_for_a_token(backend: str, cancel_first: bool, asked: int) -> None:
    outputs: list[Any] = []

    async def main(server: FaultServer) -> None:
        skill = oauth_skill(server)
        async with AsyncSkillClient(caller_id="tests", credentials=client_of()) as client:

            async def one(scope: anyio.CancelScope) -> None:
                with scope:
                    outputs.append((await client.invoke(skill, {"text": "hi"})).output)

            first = anyio.CancelScope()
            async with anyio.create_task_group() as group:
                group.start_soon(one, first)
                await anyio.to_thread.run_sync(server.wait_for_requests, 1)
                for _ in range(63):
                    group.start_soon(one, anyio.CancelScope())
                await anyio.sleep(0.05)
                if cancel_first:
                    first.cancel()

    with FaultServer(by_path({"/token": slow_token(), "/invoke": DONE})) as server:
        anyio.run(main, server, backend=backend)
        assert server.wait_until_closed()
        assert Counter(paths(server))["/token"] == asked
    assert outputs == ["hi"] * (63 if cancel_first else 64)


def test_a_refusal_is_shared_by_those_who_waited_for_it() -> None:
    all_wait = threading.Event()
    refusal = faults.hold(all_wait, reply(401, {"error": "invalid_client"}, delay_s=0.2))
    started: list[Event] = []

    def note(event: Event) -> None:
        if event.name == "attempt.started":
            started.append(event)
        if len(started) == 16:
            all_wait.set()

    def outcome(client: SkillClient, skill: Any) -> tuple[str, int]:
        with pytest.raises(SkillError) as caught:
            client.invoke(skill, {"text": "hi"})
        return caught.value.code, id(caught.value)

    with (
        FaultServer([refusal]) as server,
        SkillClient(caller_id="tests", credentials=client_of(), on_event=note) as client,
        ThreadPoolExecutor(16) as pool,
    ):
        outcomes = list(pool.map(lambda _: outcome(client, oauth_skill(server)), range(16)))
        assert len(server.requests) == 1
    assert {code for code, _ in outcomes} == {"AUTH_REQUIRED"}
    assert len({identity for _, identity in outcomes}) == 16


def test_a_cancelled_thread_leaves_the_request_for_a_token_to_others() -> None:
    cancel = CancelToken()
    with (
        FaultServer(by_path({"/token": [faults.never_answer(), token()], "/invoke": DONE})) as server,
        SkillClient(caller_id="tests", credentials=client_of()) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        skill = oauth_skill(server)
        first = pool.submit(client.invoke, skill, {"text": "hi"}, cancel=cancel)
        assert server.wait_for_requests(1)
        second = pool.submit(client.invoke, skill, {"text": "hi"})
        time.sleep(0.05)
        cancel.cancel()
        assert second.result(5).output == "hi"
        with pytest.raises(SkillError) as caught:
            first.result(5)
    assert caught.value.code is ErrorCode.CANCELLED
