"""What one invocation sends, waits for and gives back, on a fake clock."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.errors import ErrorCode, SkillError, ValidationFailed
from skillproto.invocation.events import FINAL_EVENTS
from skillproto.invocation.prepared import Shared
from skillproto.invocation.retry import Circuit, RetryBudget, RetryPolicy
from skillproto.invocation.wire import Lost, Replied
from tests.support.simulation import Answer, accepted, failure, finished, ready, reply, run, state

NEVER_RETRIED = ["VALIDATION_ERROR", "AUTH_REQUIRED", "PERMISSION_DENIED", "SKILL_NOT_FOUND", "VERSION_INCOMPATIBLE"]
RETRIED = [(408, "EXECUTION_TIMEOUT"), (504, "EXECUTION_TIMEOUT"), (502, "ENDPOINT_UNREACHABLE")]
RETRIED += [(503, "ENDPOINT_UNREACHABLE"), (429, "ENDPOINT_UNREACHABLE")]


# Attempts and waits.


def test_an_answer_at_once_is_the_result_of_one_request() -> None:
    trace = run([finished({"n": 1})])
    assert trace.result is not None
    assert trace.result.output == {"n": 1}
    assert (trace.result.attempts, trace.result.polls, len(trace.sent)) == (1, 0, 1)


@pytest.mark.parametrize("code", NEVER_RETRIED)
@pytest.mark.parametrize("status", [200, 400, 401, 403, 404, 422, 500, 503])
def test_a_code_that_is_never_retried_sends_one_request_whatever_the_reply_suggests(status: int, code: str) -> None:
    trace = run([failure(status, code, suggested_delay_ms=1, max_attempts=9)])
    assert trace.failed.code == code
    assert (len(trace.sent), trace.waits) == (1, [])


@pytest.mark.parametrize(("status", "code"), RETRIED)
def test_a_retryable_code_follows_the_exact_sequence(status: int, code: str) -> None:
    trace = run([failure(status, code)], policy=RetryPolicy(jitter=0, max_attempts=5))
    assert trace.waits == [1, 2, 4, 8]
    assert [at for at, _ in trace.sent] == [0, 1, 3, 7, 15]
    assert trace.failed.code == code
    assert trace.failed.details["gave_up"] == "no attempt is left"


def test_every_attempt_sends_the_same_bytes_under_the_same_key() -> None:
    trace = run([failure(503, "ENDPOINT_UNREACHABLE"), Lost("reset", sent=True), finished()])
    assert trace.result is not None
    assert trace.result.attempts == 3
    assert len({request for _, request in trace.sent}) == 1


def test_the_error_at_the_end_is_the_last_one_and_tells_every_attempt() -> None:
    trace = run([failure(503, "ENDPOINT_UNREACHABLE"), Lost("refused", sent=False), failure(403, "PERMISSION_DENIED")])
    error = trace.failed
    assert (error.code, error.attempts) == (ErrorCode.PERMISSION_DENIED, 3)
    assert [(a.code, a.http_status, a.wait_ms, a.reason) for a in error.history] == [
        (ErrorCode.ENDPOINT_UNREACHABLE, 503, 1000, None),
        (ErrorCode.ENDPOINT_UNREACHABLE, None, 2000, "refused"),
        (ErrorCode.PERMISSION_DENIED, 403, 0, None),
    ]


@pytest.mark.parametrize("lost", [Lost("tls", sent=False, again=False), Lost("dns", sent=False, again=False)])
def test_what_cannot_end_differently_is_tried_once(lost: Lost) -> None:
    trace = run([lost])
    assert (trace.failed.code, len(trace.sent)) == (ErrorCode.ENDPOINT_UNREACHABLE, 1)
    assert trace.failed.details["reason"] == lost.reason


# Hints.


@pytest.mark.parametrize(
    ("answer", "wait_s"),
    [
        (failure(503, "ENDPOINT_UNREACHABLE", suggested_delay_ms=3500), 3.5),
        (reply(503, {}, Retry_After="4"), 4),
        (reply(503, {}, Retry_After="3.5"), 1),
        (failure(503, "ENDPOINT_UNREACHABLE", suggested_delay_ms=20), 1),
    ],
    ids=["envelope", "header", "a fraction is no hint", "below the own delay"],
)
def test_a_hint_is_never_undercut(answer: Replied, wait_s: float) -> None:
    assert run([answer, finished()]).waits == [wait_s]


def test_a_hint_beyond_the_deadline_gives_up_at_once_and_keeps_the_hint() -> None:
    trace = run([failure(503, "ENDPOINT_UNREACHABLE", suggested_delay_ms=60_000)], timeout_ms=5000)
    assert (len(trace.sent), trace.waits, trace.ended_s) == (1, [], 0)
    assert trace.failed.retry is not None
    assert trace.failed.retry.suggested_delay_ms == 60_000
    assert trace.failed.details["gave_up"] == "the next wait does not fit before the deadline"


@pytest.mark.parametrize(("allowed", "requests"), [(0, 1), (1, 2), (2, 3), (9, 4)])
def test_max_attempts_of_a_reply_bounds_the_retries_that_follow_it(allowed: int, requests: int) -> None:
    trace = run([failure(503, "ENDPOINT_UNREACHABLE", max_attempts=allowed)])
    assert len(trace.sent) == requests


@pytest.mark.parametrize("nonsense", [-1, 1.5, 1e300, "3", None, True, [], {}])
def test_a_hint_that_makes_no_sense_is_as_if_absent(nonsense: Any) -> None:
    answer = failure(503, "ENDPOINT_UNREACHABLE", max_attempts=nonsense, suggested_delay_ms=nonsense)
    assert run([answer]).waits == [1, 2, 4]


# The deadline.


def test_an_attempt_that_takes_the_whole_deadline_counts_and_says_so() -> None:
    trace = run([(60, finished())], timeout_ms=5000)
    error = trace.failed
    assert (error.code, error.attempts, trace.ended_s) == (ErrorCode.EXECUTION_TIMEOUT, 1, 5)
    assert error.details == {"reason": "deadline", "timeout_ms": 5000, "elapsed_ms": 5000, "may_have_run": True}


def test_a_timeout_that_the_provider_tells_carries_the_times_too() -> None:
    details = run([(2, reply(504))], policy=RetryPolicy(max_attempts=1), timeout_ms=9000).failed.details
    assert (details["timeout_ms"], details["elapsed_ms"]) == (9000, 2000)


def test_an_attempt_limit_ends_an_attempt_and_leaves_time_for_the_next() -> None:
    policy = RetryPolicy(jitter=0, attempt_timeout_ms=500)
    trace = run([(2, finished()), finished("second")], policy=policy)
    assert trace.result is not None
    assert (trace.result.output, trace.ended_s) == ("second", 1.5)
    assert trace.result.history[0].reason == "timeout"


ANSWERS = st.one_of(
    st.sampled_from([finished(), accepted(), state("running"), state("completed"), state("failed"), state("odd")]),
    st.builds(
        failure,
        st.sampled_from([200, 401, 404, 408, 429, 500, 502, 503, 504]),
        st.sampled_from([*ErrorCode, "QUOTA"]),
        suggested_delay_ms=st.integers(-5, 20_000) | st.floats(),
        max_attempts=st.integers(-2, 6),
    ),
    st.builds(Lost, st.sampled_from(["refused", "reset", "tls", "dns"]), st.booleans(), st.booleans()),
    st.builds(lambda header: reply(503, {}, Retry_After=header), st.text(max_size=5) | st.integers(0, 99).map(str)),
    st.builds(lambda body: Replied(200, (), body), st.binary(max_size=20)),
)


@given(
    script=st.lists(st.tuples(st.floats(0, 8), ANSWERS), min_size=1, max_size=12),
    timeout_ms=st.integers(1, 40_000),
    attempts=st.integers(1, 6),
    chance=st.floats(0, 1),
)
def test_whatever_comes_back_the_bounds_hold(
    script: list[tuple[float, Answer]], timeout_ms: int, attempts: int, chance: float
) -> None:
    policy = RetryPolicy(max_attempts=attempts)
    trace = run(script, policy=policy, timeout_ms=timeout_ms, random=lambda: chance)
    assert len(trace.starts) <= attempts
    assert trace.ended_s <= timeout_ms / 1000 + 1e-6, "something was sent or waited past the deadline"
    assert [event.name for event in trace.events if event.is_final] == [trace.names[-1]]
    assert (trace.result is None) != (trace.error is None)
    outcome = trace.result or trace.failed
    assert outcome.attempts == len(trace.starts) == len(outcome.history)
    for n, attempt in enumerate(outcome.history[:-1], start=1):
        assert attempt.wait_ms >= policy.delay_ms(n)


# Events.


def test_the_events_of_a_call_that_is_retried_and_accepted() -> None:
    trace = run([failure(503, "ENDPOINT_UNREACHABLE"), accepted(), state("running"), state("completed"), finished()])
    assert trace.names == [
        "invocation.started",
        "attempt.started",
        "attempt.failed",
        "retry.scheduled",
        "attempt.started",
        "execution.accepted",
        "attempt.started",
        "execution.polled",
        "attempt.started",
        "execution.polled",
        "attempt.started",
        "invocation.completed",
    ]


def test_a_local_refusal_has_its_events_too_and_sends_nothing() -> None:
    def refuse(resuming: bool) -> Any:
        raise ValidationFailed.of([])

    trace = run([finished()], prepare=refuse)
    assert (trace.names, trace.sent) == (["invocation.started", "invocation.failed"], [])
    assert trace.failed.attempts == 0


def test_a_cancelled_execution_ends_in_the_cancelled_event() -> None:
    trace = run([accepted(), state("cancelled")])
    assert trace.failed.code is ErrorCode.CANCELLED
    assert trace.names[-1] == "invocation.cancelled"


def test_the_final_events_are_three() -> None:
    assert len(FINAL_EVENTS) == 3


# Polling.


def test_a_job_of_50_ms_is_seen_within_a_quarter_of_a_second() -> None:
    trace = run([accepted(), state("completed"), finished()])
    assert trace.ended_s <= 0.25


def test_polls_start_quick_and_grow_to_the_longest_wait_of_the_policy() -> None:
    policy = RetryPolicy(max_poll_delay_ms=5000)
    trace = run([accepted(), state("running")], timeout_ms=60_000, policy=policy)
    assert trace.waits[:5] == pytest.approx([0.2, 0.3, 0.32, 0.4096, 0.524288])
    assert max(trace.waits) == 5


def test_a_hint_of_the_202_or_of_a_status_paces_the_next_poll() -> None:
    running = reply(200, {"status": "running", "poll_interval_ms": 2500})
    trace = run([accepted(Retry_After="1"), running, state("completed"), finished()])
    assert trace.waits == [1, 2.5]


def test_passing_faults_while_polling_are_sat_out_and_never_start_the_execution_again() -> None:
    html = Replied(502, (("Content-Type", "text/html"),), b"<html>Bad gateway</html>")
    empty = Replied(200, (), b"")
    faults: list[Answer] = [html, reply(503), Lost("reset", sent=True), empty]
    trace = run([accepted(), *faults, state("running"), *faults, state("completed"), finished("seen")])
    assert trace.result is not None
    assert (trace.result.output, len(trace.starts)) == ("seen", 1)


def test_so_many_faults_in_a_row_end_the_polling_with_their_code() -> None:
    trace = run([accepted("e7"), reply(503)])
    assert (trace.failed.code, len(trace.sent)) == (ErrorCode.ENDPOINT_UNREACHABLE, 1 + 5)
    assert trace.failed.details["execution_id"] == "e7"


@pytest.mark.parametrize(
    ("status", "code"), [(401, "AUTH_REQUIRED"), (403, "PERMISSION_DENIED"), (404, "SKILL_NOT_FOUND")]
)
def test_a_fault_that_will_not_pass_ends_the_polling_at_once(status: int, code: str) -> None:
    trace = run([accepted(), reply(status)])
    assert (trace.failed.code, len(trace.sent)) == (code, 2)


def test_a_failed_execution_is_not_asked_for_again_even_when_a_retry_may_help() -> None:
    failed = reply(200, {"status": "failed", "error": {"error_type": "SYSTEM", "user_message": "Not now."}})
    trace = run([accepted(), failed])
    assert (trace.failed.code, len(trace.sent)) == (ErrorCode.EXECUTION_FAILED, 2)


def test_an_execution_that_outlives_the_deadline_can_be_resumed_by_its_id() -> None:
    trace = run([accepted("e9"), state("running")], timeout_ms=3000)
    assert trace.failed.code is ErrorCode.EXECUTION_TIMEOUT
    assert trace.failed.details["execution_id"] == "e9"
    assert trace.failed.details["may_have_run"] is True
    resumed = run([state("completed"), finished("late")], resume="e9")
    assert resumed.result is not None
    assert (resumed.result.output, resumed.starts) == ("late", [])


def test_a_status_that_holds_the_output_needs_no_result_request() -> None:
    trace = run([accepted(), reply(200, {"status": "completed", "output": None})])
    assert trace.result is not None
    assert [request.step for _, request in trace.sent] == ["start", "status"]


def test_a_start_that_says_completed_without_an_output_has_its_result_fetched_at_once() -> None:
    trace = run([reply(200, {"execution_id": "e1", "status": "completed"}), finished("there")])
    assert trace.result is not None
    assert (trace.result.output, [request.step for _, request in trace.sent]) == ("there", ["start", "result"])


def test_a_result_that_fails_once_is_fetched_again() -> None:
    trace = run([accepted(), state("completed"), reply(503), finished("again")])
    assert trace.result is not None
    assert trace.result.output == "again"


def test_a_result_that_is_gone_is_an_error_of_its_own_that_keeps_the_execution_id() -> None:
    trace = run([accepted("e3"), state("completed"), reply(404)])
    assert (trace.failed.code, trace.failed.details["reason"]) == (ErrorCode.UNKNOWN, "result_missing")
    assert trace.failed.details["execution_id"] == "e3"


def test_an_accepted_call_without_an_id_is_an_error() -> None:
    trace = run([reply(202, {"status": "accepted"})])
    assert trace.failed.details["reason"] == "no_execution_id"


# What calls share.


def test_a_used_up_budget_raises_the_real_error_with_a_note() -> None:
    shared = Shared(RetryBudget(ratio=0, reserve=0, clock=lambda: 0.0))
    trace = run([failure(503, "ENDPOINT_UNREACHABLE")], shared=shared)
    assert (trace.failed.http_status, len(trace.sent)) == (503, 1)
    assert trace.failed.__notes__ == ["Not tried again: the retry budget of this client is used up."]


def test_an_open_circuit_sends_nothing() -> None:
    circuit = Circuit(failures=1, clock=lambda: 0.0)
    circuit.failed()
    trace = run([finished()], shared=Shared(circuit=circuit))
    assert (trace.failed.details["reason"], trace.sent) == ("circuit_open", [])


def test_a_total_outage_costs_at_most_a_fifth_more_requests() -> None:
    shared = Shared(RetryBudget(clock=lambda: 0.0), Circuit(clock=lambda: 0.0))
    requests = sum(len(run([reply(503)], shared=shared).sent) for _ in range(1000))
    assert requests <= 1200


def test_a_timeout_tells_its_limit_and_its_length_whoever_found_it() -> None:
    trace = run([reply(504)], policy=RetryPolicy(jitter=0, max_attempts=2), timeout_ms=5000)
    assert (trace.failed.details["timeout_ms"], trace.failed.details["elapsed_ms"]) == (5000, 1000)
    told = reply(504, {"error": {"code": "EXECUTION_TIMEOUT", "message": "Late", "details": {"timeout_ms": 7}}})
    trace = run([told], policy=RetryPolicy(max_attempts=1))
    assert (trace.failed.details["timeout_ms"], trace.failed.details["elapsed_ms"]) == (7, 0)


# Secrets.


def test_a_secret_that_comes_back_is_masked_in_the_error() -> None:
    echo = reply(
        403, {"error": {"code": "PERMISSION_DENIED", "message": "no: hunter2!", "details": {"got": "hunter2!"}}}
    )
    trace = run([echo], prepare=lambda resuming: ready(secrets=("hunter2!",)))
    shown = f"{trace.failed!r} {trace.failed} {trace.failed.to_dict()} {trace.events}"
    assert "hunter2!" not in shown
    assert isinstance(trace.failed, SkillError)
