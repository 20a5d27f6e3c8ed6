"""The errors that the client itself finds: no reply, no time, no way to the result."""

from collections.abc import Iterable

from skillproto.errors import ErrorCode, SkillError, ValidationFailed
from skillproto.invocation.wire import Lost
from skillproto.redaction import mask, mask_text
from skillproto.violations import Violation

OFTEN_FAILED = "the endpoint has failed too often lately"
CALLER = "caller"

_LOST_WORDS = {
    "refused": "The endpoint refuses connections",
    "reset": "The connection was lost before the reply was complete",
    "dns": "The endpoint's host name cannot be resolved",
    "tls": "No trusted TLS connection can be made to the endpoint: its certificate or protocol is not accepted",
    "protocol": "The endpoint does not answer in HTTP",
}


def lost(event: Lost, limit_s: float, took_s: float) -> SkillError:
    """Tell that no reply came, and why."""
    if event.reason == "timeout":
        limit_ms = round(limit_s * 1000)
        details = {"reason": "timeout", "timeout_ms": limit_ms, "elapsed_ms": round(took_s * 1000)}
        return SkillError(ErrorCode.EXECUTION_TIMEOUT, f"No reply within {limit_ms} ms", details=details)
    words = _LOST_WORDS.get(event.reason, "The endpoint cannot be reached")
    retryable = None if event.again else False
    return SkillError(ErrorCode.ENDPOINT_UNREACHABLE, words, details={"reason": event.reason}, retryable=retryable)


def out_of_time(timeout_ms: int, elapsed_ms: int) -> SkillError:
    """Tell that the caller's deadline came; nothing is tried after it."""
    return SkillError(
        ErrorCode.EXECUTION_TIMEOUT,
        f"No result within the {timeout_ms} ms that the caller allows",
        details={"reason": "deadline", "timeout_ms": timeout_ms, "elapsed_ms": elapsed_ms},
        retryable=False,
    )


def in_line(error: SkillError) -> SkillError:
    """Note in an error that the time ran out before a place to send from was free."""
    error.details["queued"] = True
    error.add_note("It stood in line: max_concurrency requests of this client to the endpoint were under way.")
    return error


def cancelled() -> SkillError:
    """Tell that the caller cancelled the call."""
    return SkillError(ErrorCode.CANCELLED, "The caller cancelled the call", details={"reason": CALLER})


def circuit_open(blocked_s: float) -> SkillError:
    """Tell that nothing was sent, since the endpoint keeps failing."""
    return SkillError(
        ErrorCode.ENDPOINT_UNREACHABLE,
        f"Not sent: {OFTEN_FAILED}; the next try is made in {blocked_s:.1f} s",
        details={"reason": "circuit_open", "blocked_ms": round(blocked_s * 1000)},
    )


def lost_sight(why: str, reason: str) -> SkillError:
    """Tell that an execution was accepted but its result cannot be had."""
    return SkillError(
        ErrorCode.UNKNOWN,
        f"The execution was accepted, but its result cannot be had: {why}",
        details={"reason": reason},
    )


def own_end(error: SkillError) -> str:
    """Give the state in which an execution ended, where the error tells one; raise any other error."""
    state = error.details.get("state")
    if state not in ("failed", "cancelled"):
        raise error
    return str(state)


def gave_up(error: SkillError, why: str) -> SkillError:
    """Note in an error why it was not tried again."""
    error.details["gave_up"] = why
    error.add_note(f"Not tried again: {why}.")
    return error


def without_secrets(error: SkillError, secrets: Iterable[str]) -> SkillError:
    """Mask in an error what must not be shown, its violations included."""
    secrets = tuple(secrets)
    error.message = mask_text(error.message, secrets)
    error.args = (error.message,)
    error.details = mask(error.details, secrets)
    if isinstance(error, ValidationFailed) and secrets:
        error.violations = tuple(Violation(**mask(found._asdict(), secrets)) for found in error.violations)
    return error


def is_outage(error: SkillError) -> bool:
    """Say whether an error means that the endpoint does not work, rather than that it says no.

    >>> is_outage(SkillError("ENDPOINT_UNREACHABLE", "503")), is_outage(SkillError("AUTH_REQUIRED", "401"))
    (True, False)
    """
    outage = error.code in (ErrorCode.ENDPOINT_UNREACHABLE, ErrorCode.EXECUTION_TIMEOUT)
    return outage and error.details.get("reason") != "rate_limited"
