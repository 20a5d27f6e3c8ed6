"""Temporal's own library: activities, its errors on the wire, and its policy."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity, common
from temporalio.api.failure.v1 import Failure
from temporalio.converter import DataConverter
from temporalio.exceptions import ActivityError, ApplicationError, RetryState
from temporalio.testing import ActivityEnvironment

from skillproto import AsyncSkillClient, ErrorCode, RetryHint, RetryPolicy, SkillClient, SkillError, ValidationFailed
from skillproto.engines.temporal import error_of, hands_over, idempotency_key, retry_policy, to_application_error
from skillproto.engines.verdicts import NEVER_RETRIED
from skillproto.provider import RunningProvider, running_provider

ONCE = RetryPolicy(max_attempts=1)


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningProvider]:
    with running_provider() as running:
        yield running


@pytest.fixture(params=["sync", "async"])
def count(request: pytest.FixtureRequest, provider: RunningProvider) -> Callable[..., Any]:
    """Run the activity as Temporal does, with its own data about the try."""

    @activity.defn(name="count")
    @hands_over
    def count_sync(text: str) -> Any:
        with SkillClient(caller_id="tests", policy=ONCE) as client:
            return client.invoke(provider.descriptor, {"text": text}, idempotency_key=idempotency_key()).output

    @activity.defn(name="count")
    @hands_over
    async def count_async(text: str) -> Any:
        async with AsyncSkillClient(caller_id="tests", policy=ONCE) as client:
            result = await client.invoke(provider.descriptor, {"text": text}, idempotency_key=idempotency_key())
            return result.output

    def run(text: str, **info: Any) -> Any:
        environment = ActivityEnvironment()
        environment.info = replace(environment.info, **info)
        if request.param == "sync":
            return environment.run(count_sync, text)
        return asyncio.run(environment.run(count_async, text))

    return run


def test_an_activity_gives_what_the_skill_gave(count: Any) -> None:
    assert count("hola")["words"] == 1


def test_every_try_of_an_activity_has_one_key(count: Any, provider: RunningProvider) -> None:
    provider.requests.clear()
    for info in ({"attempt": 1}, {"attempt": 2}, {"activity_id": "another"}, {"workflow_run_id": "another"}):
        count("hola", **info)
    keys = [request.headers["idempotency-key"] for request in provider.starts]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


@pytest.mark.parametrize(
    ("fault", "attempt", "policy", "code", "non_retryable", "delay_s"),
    [
        (401, 1, retry_policy(), "AUTH_REQUIRED", True, None),
        (503, 1, retry_policy(), "ENDPOINT_UNREACHABLE", False, (1, 1.25)),
        (503, 3, retry_policy(), "ENDPOINT_UNREACHABLE", False, (4, 5)),
        (503, 4, retry_policy(), "ENDPOINT_UNREACHABLE", True, None),
        (503, 5, None, "ENDPOINT_UNREACHABLE", False, (16, 20)),
        (503, 2, common.RetryPolicy(backoff_coefficient=1.0), "ENDPOINT_UNREACHABLE", False, None),
        (503, 900, common.RetryPolicy(backoff_coefficient=9.0), "ENDPOINT_UNREACHABLE", False, None),
        (500, 1, retry_policy(), "UNKNOWN", True, None),
        ("failed", 1, retry_policy(), "EXECUTION_FAILED", True, None),
    ],
)
def test_a_failure_says_whether_and_when_to_try_again(
    count: Any,
    provider: RunningProvider,
    fault: Any,
    attempt: int,
    policy: Any,
    code: str,
    non_retryable: bool,
    delay_s: tuple[float, float] | None,
) -> None:
    provider.state.starts.extend([fault])
    with pytest.raises(ApplicationError) as caught:
        count(f"hola {fault} {attempt}", attempt=attempt, retry_policy=policy, activity_id=f"{fault} {attempt} {code}")
    told = caught.value
    assert (told.type, told.non_retryable) == (code, non_retryable)
    assert isinstance(told.__cause__, SkillError)
    if delay_s is None:
        assert told.next_retry_delay is None
    else:
        assert told.next_retry_delay is not None
        assert delay_s[0] <= told.next_retry_delay.total_seconds() <= delay_s[1]


def test_a_hint_of_the_reply_makes_the_wait_longer_whatever_the_policy() -> None:
    @activity.defn
    @hands_over
    def busy() -> None:
        raise SkillError("ENDPOINT_UNREACHABLE", "Busy", retry=RetryHint(30_000))

    environment = ActivityEnvironment()
    for policy in (retry_policy(RetryPolicy(jitter=0)), common.RetryPolicy(backoff_coefficient=3.0)):
        environment.info = replace(environment.info, retry_policy=policy)
        with pytest.raises(ApplicationError) as caught:
            environment.run(busy)
        assert caught.value.next_retry_delay is not None
        assert 30 <= caught.value.next_retry_delay.total_seconds() <= 37.5


def over_the_wire(error: BaseException) -> BaseException:
    """Write a failure as the protobuf that goes to a server, and read it as a workflow does."""
    converter = DataConverter.default
    failure = Failure()
    converter.failure_converter.to_failure(error, converter.payload_converter, failure)
    read = Failure.FromString(failure.SerializeToString())
    return converter.failure_converter.from_failure(read, converter.payload_converter)


@pytest.mark.parametrize("code", ErrorCode)
def test_an_error_comes_through_the_wire_as_the_same_error(code: ErrorCode) -> None:
    error = SkillError(code, "what happened", details={"reason": "x"}, retry=RetryHint(5000, 2))
    read = over_the_wire(to_application_error(error))
    assert isinstance(read, ApplicationError)
    assert (read.type, read.message) == (code.value, "what happened")
    assert read.non_retryable is (not code.retryable)
    assert read.next_retry_delay == (read.next_retry_delay if code.retryable else None)
    wrapped = ActivityError(
        "failed",
        scheduled_event_id=1,
        started_event_id=2,
        identity="",
        activity_type="",
        activity_id="",
        retry_state=RetryState.NON_RETRYABLE_FAILURE,
    )
    wrapped.__cause__ = read
    told = error_of(wrapped)
    assert told is not None
    assert (type(told), told.to_dict()) == (type(error), error.to_dict())


def test_violations_come_through_the_wire(provider: RunningProvider) -> None:
    with SkillClient(caller_id="tests") as client, pytest.raises(ValidationFailed) as caught:
        client.invoke(provider.descriptor, {"text": ""})
    told = error_of(over_the_wire(to_application_error(caught.value)))
    assert isinstance(told, ValidationFailed)
    assert [found.field for found in told.violations] == ["/inputs/text"]


@pytest.mark.parametrize("failure", [None, ValueError("x"), ApplicationError("x"), ApplicationError("x", {"error": 5})])
def test_a_failure_of_something_else_is_none_of_ours(failure: BaseException | None) -> None:
    assert error_of(failure) is None


def test_the_policy_says_what_ours_says() -> None:
    told = retry_policy(RetryPolicy(initial_delay_ms=200, max_attempts=7, max_delay_ms=9000))
    assert (told.initial_interval, told.backoff_coefficient) == (timedelta(milliseconds=200), 2.0)
    assert (told.maximum_interval, told.maximum_attempts) == (timedelta(seconds=9), 7)
    assert told.non_retryable_error_types == list(NEVER_RETRIED)
    assert len(NEVER_RETRIED) == 6
    assert {"EXECUTION_FAILED", "UNKNOWN"}.isdisjoint(NEVER_RETRIED)  # for these the reply decides
