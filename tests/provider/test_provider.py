"""The small provider, asked over a real connection."""

import contextlib
import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from skillproto.errors import ExecutionFailed, UsageError
from skillproto.provider import Fault, RunningProvider, create_app, running_provider
from skillproto.validation import check

INPUTS = {"text": "Hola, mundo. Hola otra vez.", "language": "es"}


def body(inputs: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "caller": {"id": "tests", "type": "service"},
        "skill_id": "org.example.text-statistics",
        "inputs": INPUTS if inputs is None else inputs,
        **more,
    }


def start(provider: RunningProvider, json: Any = None, **options: Any) -> httpx.Response:
    return httpx.post(provider.descriptor["endpoint"]["url"], json=body() if json is None else json, **options)


def get(provider: RunningProvider, path: str, **options: Any) -> httpx.Response:
    return httpx.get(provider.base_url + path, **options)


@pytest.fixture(scope="module")
def plain() -> Iterator[RunningProvider]:
    with running_provider() as provider:
        yield provider


def test_the_three_steps_give_the_output(plain: RunningProvider) -> None:
    accepted = start(plain)
    assert (accepted.status_code, accepted.json()["status"]) == (202, "accepted")
    path = f"/executions/{accepted.json()['execution_id']}"
    assert get(plain, path).json()["status"] == "completed"
    output = get(plain, path + "/result").json()["output"]
    assert output["summary"] == "5 palabras en 2 frases"
    assert output["most_frequent"][0] == {"word": "hola", "count": 2}


def test_the_index_the_descriptor_and_the_output_fit_their_schemas(plain: RunningProvider) -> None:
    index = get(plain, "/.well-known/skill-sharing").json()
    assert check(index, "index") == []
    descriptor = httpx.get(index["skills"][0]["descriptor_url"]).json()
    assert check(descriptor) == []
    assert descriptor == plain.descriptor


@pytest.mark.parametrize(
    ("inputs", "field"),
    [
        ({}, "/inputs/text"),
        ({"text": 5}, "/inputs/text"),
        ({"text": "hi", "language": "fr"}, "/inputs/language"),
        ({"text": "hi", "top": 21}, "/inputs/top"),
    ],
    ids=["missing", "type", "enum", "schema"],
)
def test_inputs_that_do_not_fit_are_a_validation_error(
    plain: RunningProvider, inputs: dict[str, Any], field: str
) -> None:
    reply = start(plain, body(inputs))
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (400, "VALIDATION_ERROR")
    assert [violation["field"] for violation in error["details"]["violations"]] == [field]


def test_a_body_that_is_no_request_is_a_validation_error(plain: RunningProvider) -> None:
    assert start(plain, {"inputs": {}}).json()["error"]["code"] == "VALIDATION_ERROR"
    reply = httpx.post(plain.descriptor["endpoint"]["url"], content=b"{")
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "VALIDATION_ERROR")


def test_a_body_above_the_limit_is_refused(plain: RunningProvider) -> None:
    reply = httpx.post(plain.descriptor["endpoint"]["url"], content=b"x" * (1 << 20) + b"y")
    assert reply.status_code == 413


@pytest.mark.parametrize(
    "path", ["/nowhere", "/executions/none", "/executions/none/result", "/skills/x/descriptor.json"]
)
def test_what_does_not_exist_is_skill_not_found(plain: RunningProvider, path: str) -> None:
    reply = get(plain, path)
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "SKILL_NOT_FOUND")


def test_one_key_starts_one_execution(plain: RunningProvider) -> None:
    key = {"Idempotency-Key": "key-1"}
    first, again, other = start(plain, headers=key), start(plain, headers=key), start(plain)
    assert first.json() == again.json()
    assert first.json() != other.json()


def test_one_key_for_two_requests_is_refused(plain: RunningProvider) -> None:
    key = {"Idempotency-Key": "key-2"}
    start(plain, headers=key)
    assert start(plain, body({"text": "another"}), headers=key).status_code == 409


def test_a_skill_with_a_key_asks_for_it() -> None:
    with running_provider(api_key="k-12345") as provider:
        refused = start(provider)
        assert (refused.status_code, refused.json()["error"]["code"]) == (401, "AUTH_REQUIRED")
        assert refused.headers["www-authenticate"].startswith("ApiKey")
        assert start(provider, headers={"X-API-Key": "wrong"}).status_code == 401
        assert start(provider, headers={"X-API-Key": "k-12345"}).status_code == 202
        assert provider.descriptor["access"] == "restricted"


def test_a_private_skill_is_listed_only_with_its_key() -> None:
    with running_provider(api_key="k-12345") as known:
        private = known.descriptor | {"access": "private"}
    with running_provider(descriptor=private, api_key="k-12345") as provider:
        assert get(provider, "/.well-known/skill-sharing").json()["skills"] == []
        listed = get(provider, "/.well-known/skill-sharing", headers={"X-API-Key": "k-12345"}).json()["skills"]
        assert [entry["access"] for entry in listed] == ["private"]
        assert httpx.get(provider.descriptor_url).status_code == 401


def test_faults_are_used_up_in_their_order() -> None:
    with running_provider(faults=[503, "504", Fault(429, headers={"Retry-After": "7"}), 401, 403, 422]) as provider:
        replies = [start(provider) for _ in range(7)]
    assert [reply.status_code for reply in replies] == [503, 504, 429, 401, 403, 422, 202]
    assert [reply.json()["error"]["code"] for reply in replies[:-1]] == [
        "ENDPOINT_UNREACHABLE",
        "EXECUTION_TIMEOUT",
        "ENDPOINT_UNREACHABLE",
        "AUTH_REQUIRED",
        "PERMISSION_DENIED",
        "VERSION_INCOMPATIBLE",
    ]
    assert replies[2].headers["retry-after"] == "7"


@pytest.mark.parametrize(
    ("fault", "meets"),
    [
        ("reset", httpx.ReadError),
        ("close", httpx.RemoteProtocolError),
        ("cut", httpx.RemoteProtocolError),
        ("hang", httpx.ReadTimeout),
    ],
)
def test_a_fault_on_the_wire_is_what_its_name_says(fault: str, meets: type[Exception]) -> None:
    with running_provider(faults=[fault]) as provider:
        with pytest.raises(meets):
            start(provider, timeout=0.3)
        assert start(provider).status_code == 202


def test_a_lost_reply_leaves_an_execution_behind() -> None:
    with running_provider(faults=["lost"]) as provider:
        with pytest.raises(httpx.ReadError):
            start(provider, headers={"Idempotency-Key": "key"})
        assert start(provider, headers={"Idempotency-Key": "key"}).status_code == 202
        assert len(provider.state.executions) == 1


def test_a_dripping_body_takes_its_time_and_is_whole() -> None:
    with running_provider(faults=["drip"]) as provider:
        began = time.monotonic()
        assert start(provider, timeout=1).json()["status"] == "accepted"
        assert time.monotonic() - began > 1


@pytest.mark.parametrize("fault", ["html", "empty"])
def test_a_reply_that_is_no_json_comes_with_a_200(fault: str) -> None:
    with running_provider(faults=[fault]) as provider:
        reply = start(provider)
    assert reply.status_code == 200
    with pytest.raises(ValueError, match="Expecting value"):
        reply.json()


@pytest.mark.parametrize(("fault", "state"), [("failed", "failed"), ("stuck", "running")])
def test_an_execution_ends_as_its_fault_says(fault: str, state: str) -> None:
    with running_provider(faults=[fault]) as provider:
        path = f"/executions/{start(provider).json()['execution_id']}"
        assert get(provider, path).json()["status"] == state


def test_a_skill_that_raises_gives_a_failed_execution() -> None:
    def broken(inputs: dict[str, Any]) -> Any:
        raise ExecutionFailed("EXECUTION_FAILED", "No dictionary for this language")

    with running_provider(skill=broken) as provider:
        state = get(provider, f"/executions/{start(provider).json()['execution_id']}").json()
    assert (state["status"], state["error"]["code"]) == ("failed", "EXECUTION_FAILED")


def test_an_execution_takes_its_duration() -> None:
    with running_provider(duration_ms=200) as provider:
        path = f"/executions/{start(provider).json()['execution_id']}"
        assert get(provider, path).json()["status"] == "running"
        assert get(provider, path + "/result").status_code == 202
        time.sleep(0.25)
        assert get(provider, path).json()["status"] == "completed"


def test_an_execution_longer_than_the_callers_time_is_a_timeout() -> None:
    with running_provider(duration_ms=5000) as provider:
        accepted = start(provider, body(context={"timeout_ms": 20}))
        time.sleep(0.05)
        error = get(provider, f"/executions/{accepted.json()['execution_id']}").json()["error"]
    assert (error["code"], error["details"]) == ("EXECUTION_TIMEOUT", {"timeout_ms": 20, "elapsed_ms": 20})


def test_polls_and_results_have_faults_of_their_own() -> None:
    with running_provider(poll_faults=[502], result_faults=[404]) as provider:
        path = f"/executions/{start(provider).json()['execution_id']}"
        assert [get(provider, path).status_code for _ in range(2)] == [502, 200]
        assert [get(provider, path + "/result").status_code for _ in range(2)] == [404, 200]


def test_requests_are_recorded(plain: RunningProvider) -> None:
    start(plain, headers={"X-Mark": "here"})
    request = plain.starts[-1]
    assert (request.method, request.headers["x-mark"], request.json()["inputs"]) == ("POST", "here", INPUTS)


@pytest.mark.parametrize("fault", ["fire", 200, "700", 399])
def test_a_fault_that_does_not_exist_is_refused(fault: int | str) -> None:
    with pytest.raises(UsageError, match="no such fault"):
        create_app(faults=[fault])


def test_it_stops_while_a_request_hangs() -> None:
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        provider = stack.enter_context(running_provider(faults=["hang"]))
        waiting = threading.Thread(target=_start_and_lose, args=(provider,))
        waiting.start()
        while not provider.requests:
            time.sleep(0.01)
        stack.close()
        waiting.join()
    assert time.monotonic() - began < 3


def _start_and_lose(provider: RunningProvider) -> None:
    with contextlib.suppress(httpx.TransportError):
        start(provider, timeout=30)


def test_it_leaves_no_thread_and_no_log_level_behind() -> None:
    level = logging.getLogger("uvicorn.error").level
    threads = set(threading.enumerate())
    with running_provider() as provider:
        base_url = provider.base_url
        start(provider)
    assert set(threading.enumerate()) == threads
    assert logging.getLogger("uvicorn.error").level == level
    with pytest.raises(httpx.ConnectError):
        httpx.get(base_url)


def test_faults_can_be_added_while_it_runs(plain: RunningProvider) -> None:
    plain.state.starts.extend([503])
    assert [start(plain).status_code for _ in range(2)] == [503, 202]
