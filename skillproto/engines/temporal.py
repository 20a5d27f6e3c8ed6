"""Temporal: activities whose retries follow the classification of what failed. Needs the extra `temporal`.

@activity.defn
@hands_over
async def translate(text: str) -> str:
return (await client.invoke(SKILL, {"text": text}, idempotency_key=idempotency_key())).output

await workflow.execute_activity(translate, text, retry_policy=retry_policy(), ...)
"""

import inspect
import math
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, TypeVar

from temporalio import activity, common
from temporalio.exceptions import ApplicationError

from skillproto.engines.verdicts import NEVER_RETRIED, judge, key_of
from skillproto.errors import SkillError, UsageError, retry_after_ms
from skillproto.invocation.preparation import LONGEST_TIMEOUT_MS
from skillproto.invocation.retry import RetryPolicy

_MOST_ATTEMPTS = 1000
_DOUBLING = 2.0

_Function = TypeVar("_Function", bound=Callable[..., Any])


def retry_policy(policy: RetryPolicy | None = None) -> common.RetryPolicy:
    """Give a policy in Temporal's terms, for `workflow.execute_activity`.

    Its attempts are those of the activity: let the client inside make one each, or they multiply.

    >>> retry_policy(RetryPolicy(max_attempts=3)).maximum_attempts
    3
    >>> "AUTH_REQUIRED" in retry_policy().non_retryable_error_types
    True
    """
    policy = policy or RetryPolicy()
    return common.RetryPolicy(
        initial_interval=timedelta(milliseconds=max(policy.initial_delay_ms, 1)),
        backoff_coefficient=_DOUBLING,
        maximum_interval=timedelta(milliseconds=max(policy.max_delay_ms, policy.initial_delay_ms, 1)),
        maximum_attempts=policy.max_attempts,
        non_retryable_error_types=list(NEVER_RETRIED),
    )


def to_application_error(error: SkillError, attempt: int = 1, policy: RetryPolicy | None = None) -> ApplicationError:
    """Write an error as Temporal's: the code as its type, the envelope as its detail.

    Args:
        error: what a call raised.
        attempt: the try that failed, as `activity.info().attempt` counts them.
        policy: gives the wait before the next try, which the reply's hint makes longer.

    >>> told = to_application_error(SkillError("VALIDATION_ERROR", "No text"))
    >>> told.type, told.non_retryable, told.next_retry_delay
    ('VALIDATION_ERROR', True, None)
    """
    verdict = judge(error, attempt, policy or RetryPolicy())
    return _written(error, verdict.is_retried, verdict.delay_s)


def _written(error: SkillError, is_retried: bool, delay_s: float | None) -> ApplicationError:
    return ApplicationError(
        error.message,
        error.to_dict(),
        type=error.code.value,
        non_retryable=not is_retried,
        next_retry_delay=timedelta(seconds=delay_s) if is_retried and delay_s is not None else None,
    )


def error_of(failure: BaseException | None) -> SkillError | None:
    """Give the `SkillError` that an activity failed with, as a workflow or its caller sees the failure.

    Args:
        failure: an `ApplicationError`, or one of the errors that Temporal wraps around it.

    Returns:
        None where something else failed.
    """
    while failure is not None:
        if isinstance(failure, ApplicationError):
            for detail in failure.details:
                try:
                    return SkillError.from_dict(detail)
                except UsageError:
                    continue
        failure = failure.__cause__
    return None


def idempotency_key() -> str:
    """Give the key for the call that the running activity makes: the same on every try of it.

    Raises:
        RuntimeError: no activity is running.
    """
    info = activity.info()
    return key_of("temporal", info.namespace, str(info.workflow_run_id or info.activity_run_id), info.activity_id)


def hands_over(function: _Function) -> _Function:
    """Have an activity's `SkillError` leave as `to_application_error` writes it; stands below `@activity.defn`."""
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            try:
                return await function(*args, **kwargs)
            except SkillError as error:
                raise _told(error) from error

        return run_async  # type: ignore[return-value]

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except SkillError as error:
            raise _told(error) from error

    return run  # type: ignore[return-value]


def _told(error: SkillError) -> ApplicationError:
    info = activity.info()
    given = info.retry_policy
    if given is None:
        return to_application_error(error, info.attempt, RetryPolicy(max_attempts=_MOST_ATTEMPTS))
    if given.backoff_coefficient == _DOUBLING:
        return to_application_error(error, info.attempt, _policy_of(given))
    verdict = judge(error, info.attempt, RetryPolicy(max_attempts=given.maximum_attempts or _MOST_ATTEMPTS))
    hint_s = (retry_after_ms(error) or 0) / 1000
    return _written(error, verdict.is_retried, hint_s if hint_s > _own_wait_s(given, info.attempt) else None)


def _policy_of(given: common.RetryPolicy) -> RetryPolicy:
    """Read the policy that the workflow chose, as far as ours can say it."""
    return RetryPolicy(
        initial_delay_ms=min(_ms(given.initial_interval), LONGEST_TIMEOUT_MS),
        max_attempts=min(given.maximum_attempts or _MOST_ATTEMPTS, _MOST_ATTEMPTS),
        max_delay_ms=min(_longest_ms(given), LONGEST_TIMEOUT_MS),
    )


def _own_wait_s(given: common.RetryPolicy, attempt: int) -> float:
    try:
        grown_ms = _ms(given.initial_interval) * given.backoff_coefficient ** (attempt - 1)
    except OverflowError:
        grown_ms = math.inf
    return min(grown_ms, _longest_ms(given)) / 1000


def _longest_ms(given: common.RetryPolicy) -> int:
    return 100 * _ms(given.initial_interval) if given.maximum_interval is None else _ms(given.maximum_interval)


def _ms(time: timedelta) -> int:
    return round(time.total_seconds() * 1000)
