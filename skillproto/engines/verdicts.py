"""Whether an engine should try a job again after an error, and when: the classification, in an engine's terms.

Pure. The same for every engine.

Source: SSP 9.5.
"""

import hashlib
from typing import NamedTuple

from skillproto.errors import ErrorCode, SkillError, is_retryable, retry_after_ms
from skillproto.invocation.retry import RetryPolicy

OFTEN_DECIDED_BY_THE_REPLY = (ErrorCode.EXECUTION_FAILED, ErrorCode.UNKNOWN)

NEVER_RETRIED = tuple(code.value for code in ErrorCode if not code.retryable and code not in OFTEN_DECIDED_BY_THE_REPLY)
"""The codes after which no try makes sense, whatever a reply says."""


class Verdict(NamedTuple):
    """What an engine should do after a try failed.

    Attributes:
        is_retried: whether to try again.
        delay_s: how long to wait before, in seconds; 0 where there is no further try.
    """

    is_retried: bool
    delay_s: float


def judge(error: SkillError, tries: int, policy: RetryPolicy) -> Verdict:
    """Say what to do after so many tries of a job; the first one counts.

    The wait is the policy's for this try, and never shorter than the reply asks for.

    >>> judge(SkillError("ENDPOINT_UNREACHABLE", "503"), 2, RetryPolicy(jitter=0))
    Verdict(is_retried=True, delay_s=2.0)
    >>> judge(SkillError("AUTH_REQUIRED", "401"), 1, RetryPolicy())
    Verdict(is_retried=False, delay_s=0.0)
    """
    allowed_by_reply = error.retry is None or error.retry.max_attempts != 0
    if not is_retryable(error) or tries >= policy.max_attempts or not allowed_by_reply:
        return Verdict(False, 0.0)
    return Verdict(True, policy.wait_ms(tries, hint_ms=retry_after_ms(error)) / 1000)


def key_of(*parts: str) -> str:
    """Make the Idempotency-Key of a job from what names it in its engine, the same on every try.

    >>> key_of("job-1") == key_of("job-1"), len(key_of("job-1", "step-2"))
    (True, 64)
    """
    return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
