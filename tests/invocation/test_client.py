"""The clients on real sockets: sync, asyncio and trio alike."""

import gc
import json
import threading
import time
from typing import Any

import anyio
import pytest

from skillproto import (
    AsyncSkillClient,
    Descriptor,
    ErrorCode,
    RetryPolicy,
    SkillClient,
    SkillError,
    UsageError,
    ValidationFailed,
    VersionIncompatible,
)
from skillproto.invocation.events import Event
from tests.support import faults
from tests.support.drivers import Invoke, descriptor
from tests.support.faults import FaultServer, Step, by_path, reply

QUICK = RetryPolicy(initial_delay_ms=40, jitter=0)
MARGIN_S = 0.5  # a loaded machine wakes a thread this late; what would be wrong takes seconds


def failure(status: int, code: str, **extra: Any) -> Step:
    return reply(status, {"error": {"code": code, "message": "No", **extra}})


# The ways to a result.


def test_a_one_step_answer_is_the_result(invoke: Invoke) -> None:
    with FaultServer([reply(200, {"output": "hi"})]) as server:
        result = invoke(descriptor(server.url))
    assert (result.output, result.execution_id, result.attempts) == ("hi", None, 1)


def test_the_three_steps_lead_to_the_result(invoke: Invoke) -> None:
    steps: dict[str, Any] = {
        "/invoke": reply(202, {"execution_id": "e/1", "status": "accepted"}),
        "/status/e%2F1": [reply(200, {"status": "running"}), reply(200, {"status": "completed"})],
        "/result/e%2F1": reply(200, {"output": "done"}),
    }
    with FaultServer(by_path(steps)) as server:
        result = invoke(descriptor(server.url))
        methods = [(request.method, request.path) for request in server.requests]
    assert (result.output, result.execution_id, result.polls) == ("done", "e/1", 2)
    assert methods == [("POST", "/invoke"), *[("GET", "/status/e%2F1")] * 2, ("GET", "/result/e%2F1")]


def test_the_request_says_who_calls_what_with_which_inputs_and_time(invoke: Invoke) -> None:
    with FaultServer([reply(200, {"output": "hi"})]) as server:
        invoke(descriptor(server.url), {"text": "hóla", "times": 2}, 4000)
        (request,) = server.requests
    assert request.json() == {
        "caller": {"id": "tests", "type": "service"},
        "skill_id": "com.example.echo-v1",
        "inputs": {"text": "hóla", "times": 2},
        "context": {"timeout_ms": 4000},
    }
    assert request.headers["content-type"] == "application/json"
    assert len(request.headers["idempotency-key"]) == 36


def test_a_typed_descriptor_is_as_good_as_a_plain_one(invoke: Invoke) -> None:
    with FaultServer([reply(200, {"output": "hi"})]) as server:
        assert invoke(Descriptor.load(descriptor(server.url))).output == "hi"


def test_an_execution_is_resumed_by_its_id_without_a_new_start(invoke: Invoke) -> None:
    steps = {"/status/e1": reply(200, {"status": "completed"}), "/result/e1": reply(200, {"output": "late"})}
    with FaultServer(by_path(steps)) as server:
        result = invoke(descriptor(server.url), resume="e1")
        assert [request.method for request in server.requests] == ["GET", "GET"]
    assert (result.output, result.attempts) == ("late", 0)


# Retrying.


def test_503_then_504_then_success_takes_three_attempts_under_one_key(invoke: Invoke) -> None:
    script = [failure(503, "ENDPOINT_UNREACHABLE"), failure(504, "EXECUTION_TIMEOUT"), reply(200, {"output": "hi"})]
    with FaultServer(script) as server:
        result = invoke(descriptor(server.url), policy=QUICK)
        keys = {request.headers["idempotency-key"] for request in server.requests}
        bodies = {request.body for request in server.requests}
        gaps = [b.at_s - a.at_s for a, b in zip(server.requests, server.requests[1:], strict=False)]
    assert (result.attempts, len(keys), len(bodies)) == (3, 1, 1)
    assert gaps[0] >= 0.04
    assert gaps[1] >= 0.08


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, "AUTH_REQUIRED"), (403, "PERMISSION_DENIED"), (404, "SKILL_NOT_FOUND"), (422, "VERSION_INCOMPATIBLE")],
)
def test_what_is_never_retried_is_sent_once_even_with_a_hint(invoke: Invoke, status: int, code: str) -> None:
    hint = {"retry": {"suggested_delay_ms": 1, "max_attempts": 5}}
    with FaultServer([failure(status, code, **hint)]) as server:
        with pytest.raises(SkillError) as caught:
            invoke(descriptor(server.url), policy=QUICK)
        assert len(server.requests) == 1
    assert (caught.value.code, caught.value.http_status, caught.value.attempts) == (code, status, 1)


def test_retry_after_is_not_undercut(invoke: Invoke) -> None:
    with FaultServer([reply(503, None, {"Retry-After": "1"}), reply(200, {"output": "hi"})]) as server:
        invoke(descriptor(server.url), policy=QUICK)
        first, second = server.requests
    assert second.at_s - first.at_s >= 0.99


def test_a_second_attempt_goes_ahead_after_a_large_failure(invoke: Invoke) -> None:
    with FaultServer([reply(503, "x" * 2**20), reply(200, {"output": "hi"})]) as server:
        assert invoke(descriptor(server.url), policy=QUICK).attempts == 2


# Faults of the transport: each has its code, closes its connection, and is no exception of the library.

FAULTS: dict[str, tuple[Step, ErrorCode, str | None]] = {
    "reset before the answer": (faults.reset_before_reply(), ErrorCode.ENDPOINT_UNREACHABLE, "reset"),
    "closed before the answer": (faults.close_before_reply(), ErrorCode.ENDPOINT_UNREACHABLE, "reset"),
    "reset during the answer": (faults.reset_during_body(), ErrorCode.ENDPOINT_UNREACHABLE, "reset"),
    "half a body": (faults.half_body(), ErrorCode.UNKNOWN, "cut_short"),
    "half the chunks": (faults.half_chunks(), ErrorCode.UNKNOWN, "cut_short"),
    "a bad chunk": (faults.bad_chunk(), ErrorCode.UNKNOWN, "cut_short"),
    "no http": (faults.raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), ErrorCode.ENDPOINT_UNREACHABLE, "protocol"),
    "a huge header": (faults.huge_header(), ErrorCode.ENDPOINT_UNREACHABLE, "protocol"),
    "no answer": (faults.never_answer(), ErrorCode.EXECUTION_TIMEOUT, "deadline"),
    "a dripping answer": (faults.drip(), ErrorCode.EXECUTION_TIMEOUT, "deadline"),
    "an endless answer": (faults.endless(), ErrorCode.UNKNOWN, "too_large"),
    "a gzip bomb": (faults.gzip_bomb(), ErrorCode.UNKNOWN, "too_large"),
    "a redirect": (faults.redirect("http://127.0.0.2:9/"), ErrorCode.UNKNOWN, "redirect"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_of_the_transport_has_its_code_and_leaves_no_connection(invoke: Invoke, name: str) -> None:
    step, code, reason = FAULTS[name]
    events: list[Event] = []
    with FaultServer([step]) as server:
        began = time.monotonic()
        with pytest.raises(SkillError) as caught:
            invoke(descriptor(server.url), timeout_ms=500, policy=RetryPolicy(max_attempts=1), on_event=events.append)
        took_s = time.monotonic() - began
        assert server.wait_until_closed(2), "a connection was left open"
        assert len(server.requests) == 1
    assert (caught.value.code, caught.value.details["reason"]) == (code, reason)
    assert took_s < 0.5 + MARGIN_S
    assert sum(event.is_final for event in events) == 1


def test_a_refused_connection_is_unreachable_and_is_tried_again(invoke: Invoke) -> None:
    with faults.refusing_url() as url, pytest.raises(SkillError) as caught:
        invoke(descriptor(url), policy=QUICK)
    error = caught.value
    assert (error.code, error.details["reason"], error.attempts) == (ErrorCode.ENDPOINT_UNREACHABLE, "refused", 4)
    assert "may_have_run" not in error.details


def test_a_connection_that_never_comes_about_ends_at_the_deadline(invoke: Invoke) -> None:
    with faults.silent_url() as url:
        began = time.monotonic()
        with pytest.raises(SkillError) as caught:
            invoke(descriptor(url), timeout_ms=400)
        assert time.monotonic() - began < 0.4 + MARGIN_S
    assert caught.value.code is ErrorCode.EXECUTION_TIMEOUT
    assert "may_have_run" not in caught.value.details


@pytest.mark.parametrize("tls", ["self_signed", "unknown_ca", "wrong_host", "expired"])
def test_a_certificate_that_does_not_verify_is_tried_once(invoke: Invoke, tls: faults.TLS) -> None:
    with FaultServer([reply(200, {"output": "hi"})], tls=tls) as server:
        with pytest.raises(SkillError) as caught:
            invoke(descriptor(server.url), verify=server.client_context(), policy=QUICK)
        assert (server.connections, server.requests) == (1, [])
    assert (caught.value.code, caught.value.details["reason"]) == (ErrorCode.ENDPOINT_UNREACHABLE, "tls")


def test_a_good_certificate_is_accepted(invoke: Invoke) -> None:
    with FaultServer([reply(200, {"output": "hi"})], tls="verified") as server:
        assert invoke(descriptor(server.url), verify=server.client_context()).output == "hi"


def test_an_unknown_host_is_unreachable(invoke: Invoke) -> None:
    with pytest.raises(SkillError) as caught:
        invoke(descriptor("https://skill.invalid/run"), policy=QUICK)
    assert (caught.value.code, caught.value.details["reason"]) == (ErrorCode.ENDPOINT_UNREACHABLE, "dns")


def test_a_connection_that_the_server_closed_meanwhile_is_no_fault() -> None:
    once = RetryPolicy(max_attempts=1)
    with FaultServer([faults.close_kept_connection({"output": "hi"})]) as server:
        skill = descriptor(server.url)
        with SkillClient(caller_id="tests", policy=once) as client:
            assert {client.invoke(skill, {"text": "x"}).attempts for _ in range(20)} == {1}


def test_a_start_that_was_lost_after_sending_says_that_it_may_have_run(invoke: Invoke) -> None:
    with FaultServer([faults.reset_before_reply()]) as server:
        with pytest.raises(SkillError) as caught:
            invoke(descriptor(server.url), policy=QUICK)
        assert len({request.headers["idempotency-key"] for request in server.requests}) == 1
    assert caught.value.details["may_have_run"] is True


# What is checked locally.


def test_a_wrong_input_is_refused_before_anything_is_sent(invoke: Invoke) -> None:
    with FaultServer() as server:
        with pytest.raises(ValidationFailed) as caught:
            invoke(descriptor(server.url), {"text": 5, "tims": 1})
        assert server.connections == 0
    assert [violation.field for violation in caught.value.violations] == ["/inputs/text", "/inputs/tims"]
    assert caught.value.attempts == 0


@pytest.mark.parametrize(
    "value", [iter("ab"), open, {1}, float("nan"), b"bytes", {"a": object()}], ids=lambda value: type(value).__name__
)
def test_an_input_that_is_no_json_is_refused_with_its_name(invoke: Invoke, value: Any) -> None:
    with FaultServer() as server:
        with pytest.raises(ValidationFailed) as caught:
            invoke(descriptor(server.url), {"text": value})
        assert server.connections == 0
    assert caught.value.violations[0].field == "/inputs/text"


def test_an_output_that_breaks_the_descriptor_is_a_validation_error(invoke: Invoke) -> None:
    with FaultServer([reply(200, {"output": 5})]) as server, pytest.raises(ValidationFailed) as caught:
        invoke(descriptor(server.url))
    assert [violation.field for violation in caught.value.violations] == ["/output"]
    assert caught.value.attempts == 1


def test_another_major_version_is_refused_before_anything_is_sent(invoke: Invoke) -> None:
    with FaultServer() as server:
        with pytest.raises(VersionIncompatible) as caught:
            invoke(descriptor(server.url, protocol={"version": "2.0.0"}))
        assert server.connections == 0
    assert caught.value.details["descriptor_version"] == "2.0.0"
    assert caught.value.details["consumer_supported_range"] == "1.x.x"


def test_plain_http_is_for_loopback_only(invoke: Invoke) -> None:
    with pytest.raises(SkillError) as caught:
        invoke(descriptor("http://skill.example/run"))
    assert caught.value.attempts == 0
    assert "https" in caught.value.message


@pytest.mark.parametrize("timeout_ms", [0, -1, 1.5, "5", True])
def test_a_timeout_that_makes_no_sense_is_a_usage_error(invoke: Invoke, timeout_ms: Any) -> None:
    with pytest.raises(UsageError, match="timeout_ms"):
        invoke(descriptor("http://127.0.0.1:9/"), timeout_ms=timeout_ms)


# Credentials.

KEYED = {"auth": {"type": "api_key", "header": "X-Echo-Key"}, "access": "restricted"}
SECRET = "k-1234567890-secret"


def test_credentials_go_to_the_own_origin_in_the_header_that_the_descriptor_names(invoke: Invoke) -> None:
    with FaultServer([reply(200, {"output": "hi"})]) as server:
        invoke(descriptor(server.url, **KEYED), credentials=SECRET)
        assert server.requests[0].headers["x-echo-key"] == SECRET
        assert SECRET.encode() not in server.requests[0].body


def test_credentials_never_go_to_another_origin(invoke: Invoke) -> None:
    start = reply(202, {"execution_id": "e1", "status": "accepted"})
    done = reply(200, {"status": "completed", "output": "hi"})
    with FaultServer([done]) as other, FaultServer([start]) as server:
        endpoint = {"status_url": other.origin + "/status"}
        assert invoke(descriptor(server.url, endpoint=endpoint, **KEYED), credentials=SECRET).output == "hi"
        assert "x-echo-key" in server.requests[0].headers
        assert SECRET not in json.dumps(other.requests[0].raw_headers)


def test_credentials_never_follow_a_redirect(invoke: Invoke) -> None:
    with FaultServer([reply(200, {"output": "hi"})]) as other:
        with FaultServer([faults.redirect(other.url)]) as server, pytest.raises(SkillError):
            invoke(descriptor(server.url, **KEYED), credentials=SECRET)
        assert other.connections == 0


def test_a_secret_shows_nowhere(invoke: Invoke) -> None:
    events: list[Event] = []
    echo = {"error": {"code": "PERMISSION_DENIED", "message": f"bad {SECRET}", "details": {"h": [SECRET]}}}
    with FaultServer([reply(403, echo)]) as server, pytest.raises(SkillError) as caught:
        invoke(descriptor(server.url, **KEYED), credentials=SECRET, on_event=events.append)
    shown = f"{caught.value!r} {caught.value} {caught.value.to_dict()} {caught.value.history} {events}"
    assert SECRET not in shown
    with SkillClient(caller_id="tests", credentials=SECRET) as client:
        assert SECRET not in repr(client)
        assert SECRET not in repr(vars(client))


def test_missing_credentials_are_found_before_anything_is_sent(invoke: Invoke) -> None:
    with FaultServer() as server:
        with pytest.raises(SkillError) as caught:
            invoke(descriptor(server.url, **KEYED))
        assert server.connections == 0
    assert caught.value.code is ErrorCode.AUTH_REQUIRED


# Listeners, threads, cancellation.


def test_a_listener_that_raises_does_no_harm(invoke: Invoke, caplog: pytest.LogCaptureFixture) -> None:
    def listener(event: Event) -> None:
        raise RuntimeError("listener")

    with FaultServer([reply(200, {"output": "hi"})]) as server:
        assert invoke(descriptor(server.url), on_event=listener).output == "hi"
    assert len(caplog.records) == 1


def test_one_client_serves_many_threads_without_a_mix_up() -> None:
    def echo(request: faults.Request) -> Step:
        return reply(200, {"output": request.json()["inputs"]["text"]})

    outputs: dict[int, Any] = {}
    with FaultServer(echo) as server, SkillClient(caller_id="tests") as client:
        skill = Descriptor.load(descriptor(server.url))

        def work(number: int) -> None:
            outputs[number] = client.invoke(skill, {"text": str(number)}, 20_000).output

        threads = [threading.Thread(target=work, args=(number,)) for number in range(32)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert outputs == {number: str(number) for number in range(32)}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize(
    "step", [faults.never_answer(), faults.drip(), failure(503, "ENDPOINT_UNREACHABLE")], ids=["read", "body", "wait"]
)
def test_a_cancelled_call_ends_at_once_and_leaves_the_client_fit(backend: str, step: Step) -> None:
    events: list[Event] = []

    async def main(server: FaultServer) -> float:
        async with AsyncSkillClient(caller_id="tests", on_event=events.append) as client:
            began = time.monotonic()
            with anyio.move_on_after(0.2) as scope:
                await client.invoke(descriptor(server.url), {"text": "x"}, 10_000)
            took_s = time.monotonic() - began
            assert scope.cancelled_caught
            assert (await client.invoke(descriptor(server.url), {"text": "x"})).output == "fit"
            return took_s

    with FaultServer([step, reply(200, {"output": "fit"})]) as server:
        took_s = anyio.run(main, server, backend=backend)
        assert server.wait_until_closed(2)
    assert took_s < 0.2 + MARGIN_S
    assert [event.name for event in events if event.is_final] == ["invocation.cancelled", "invocation.completed"]


def test_a_client_leaves_no_socket_behind(invoke: Invoke) -> None:
    with FaultServer([reply(200, {"output": "hi"})]) as server:
        invoke(descriptor(server.url))
        gc.collect()
        assert server.wait_until_closed(2)
