"""A real Celery worker: what is tried again and when, and what the caller of a task is told."""

import logging
import pickle
import time
from collections.abc import Iterator
from typing import Any

import pytest
from celery import Celery
from celery.contrib.testing.worker import start_worker

from skillproto import AuthRequired, ErrorCode, RetryHint, RetryPolicy, SkillClient, SkillError, ValidationFailed
from skillproto.engines.celery import SkillTask, TaskFailed
from skillproto.provider import Fault, RunningProvider, running_provider

ONCE = RetryPolicy(max_attempts=1)


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningProvider]:
    with running_provider() as running:
        yield running


@pytest.fixture(scope="module")
def app(provider: RunningProvider) -> Iterator[Celery]:
    app = Celery("tests", broker="memory://", backend="cache+memory://", set_as_current=False)
    app.conf.update(
        worker_hijack_root_logger=False,
        broker_connection_retry_on_startup=False,
        broker_transport_options={"polling_interval": 0.01},
        worker_timer_precision=0.01,
    )
    policy = RetryPolicy(initial_delay_ms=30, max_attempts=3, jitter=0)

    def count(self: Any, text: str) -> Any:
        with SkillClient(caller_id="tests", policy=ONCE) as client:
            return client.invoke(provider.descriptor, {"text": text}, idempotency_key=self.idempotency_key).output

    def crash() -> None:
        raise KeyError("a fault of the program")

    app.task(count, base=SkillTask, bind=True, name="count", shared=False, skill_policy=policy)
    app.task(crash, base=SkillTask, name="crash", shared=False)

    root = logging.getLogger()
    level = root.level
    with start_worker(app, pool="solo", perform_ping_check=False, loglevel="CRITICAL"):
        yield app
    root.setLevel(level)  # which the worker has set for the whole process


def run(app: Celery, provider: RunningProvider, *faults: int | str | Fault, **inputs: Any) -> tuple[Any, list[Any]]:
    """Run the task, and give its outcome with the requests that were made to start the skill."""
    provider.requests.clear()
    provider.state.starts.extend(faults)
    result = app.tasks["count"].apply_async(kwargs={"text": "hola", **inputs})
    try:
        return result.get(timeout=10, interval=0.01), list(provider.starts)
    except TaskFailed as failed:
        return failed, list(provider.starts)


def test_a_task_gives_what_the_skill_gave(app: Celery, provider: RunningProvider) -> None:
    output, starts = run(app, provider)
    assert (output["words"], len(starts)) == (1, 1)


def test_a_passing_fault_is_tried_again_after_the_wait_and_under_the_same_key(
    app: Celery, provider: RunningProvider
) -> None:
    began = time.monotonic()
    output, starts = run(app, provider, 503, 504)
    assert (output["words"], len(starts)) == (1, 3)
    assert time.monotonic() - began >= 0.03 + 0.06
    keys = {request.headers["idempotency-key"] for request in starts}
    assert len(keys) == 1
    _, others = run(app, provider)
    assert {request.headers["idempotency-key"] for request in others}.isdisjoint(keys)


def test_the_wait_is_never_shorter_than_the_reply_asks_for(app: Celery, provider: RunningProvider) -> None:
    began = time.monotonic()
    output, starts = run(app, provider, Fault(503, retry=RetryHint(400, 2)))
    assert (output["words"], len(starts)) == (1, 2)
    assert time.monotonic() - began >= 0.4


@pytest.mark.parametrize(
    ("faults", "code", "starts"),
    [
        ([401], ErrorCode.AUTH_REQUIRED, 1),
        ([403], ErrorCode.PERMISSION_DENIED, 1),
        (["failed"], ErrorCode.EXECUTION_FAILED, 1),
        ([Fault(503, retry=RetryHint(1, 0))], ErrorCode.ENDPOINT_UNREACHABLE, 1),
        ([503, 503, 503], ErrorCode.ENDPOINT_UNREACHABLE, 3),
    ],
    ids=["no credentials", "no access", "the skill failed", "the reply allows none", "too often"],
)
def test_the_last_error_comes_through_the_result_backend(
    app: Celery, provider: RunningProvider, faults: list[Any], code: ErrorCode, starts: int
) -> None:
    failed, made = run(app, provider, *faults)
    assert isinstance(failed, TaskFailed)
    assert (failed.error.code, len(made)) == (code, starts)
    assert str(failed).startswith(f"{code}: ")


def test_inputs_that_do_not_fit_end_the_task_with_their_violations(app: Celery, provider: RunningProvider) -> None:
    failed, made = run(app, provider, text="")
    assert isinstance(failed.error, ValidationFailed)
    assert ([found.field for found in failed.error.violations], made) == (["/inputs/text"], [])


def test_a_fault_of_the_program_is_left_to_celery(app: Celery) -> None:
    with pytest.raises(KeyError, match="a fault of the program"):
        app.tasks["crash"].delay().get(timeout=10)


def test_a_task_called_directly_tells_the_same() -> None:
    app = Celery("direct", set_as_current=False)

    def refuse() -> None:
        raise SkillError("AUTH_REQUIRED", "Sign in")

    with pytest.raises(TaskFailed) as caught:
        app.task(refuse, base=SkillTask, shared=False)()
    assert isinstance(caught.value.error, AuthRequired)


def test_a_task_called_directly_has_a_key_of_its_own_each_time() -> None:
    app = Celery("direct", set_as_current=False)

    def keys(self: Any, *, nested: bool = False) -> set[str]:
        own = {self.idempotency_key, self.idempotency_key}
        return own | self() if nested else own

    task = app.task(keys, base=SkillTask, bind=True, shared=False)
    assert task.idempotency_key
    assert [len(task()), len(task() | task()), len(task(nested=True))] == [1, 2, 2]


def test_a_backend_that_pickles_gives_the_same_error() -> None:
    failed = pickle.loads(pickle.dumps(TaskFailed(SkillError("AUTH_REQUIRED", "Sign in").to_dict())))
    assert (type(failed), type(failed.error), str(failed)) == (TaskFailed, AuthRequired, "AUTH_REQUIRED: Sign in")
