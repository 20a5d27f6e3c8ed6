"""Turn what an endpoint answered into an outcome: a reply, or the error that it tells.

Pure, and total: no status, header or body makes it raise. The body outranks the status;
what is no JSON, cut short or too large is never a success.

Source: SSP 9.2 and 9.3; the reading rules beyond them are this project's.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from skillproto.errors import CODE_OF_STATUS, ErrorCode, RetryHint, SkillError, ValidationFailed
from skillproto.invocation.contracts import read_failure
from skillproto.invocation.decoding import MAX_DEPTH as MAX_DEPTH
from skillproto.invocation.decoding import TooDeepError, decode
from skillproto.invocation.excerpts import excerpt, seen, shown
from skillproto.invocation.failures import Answer, Failure, code_where_agreeing, words_of
from skillproto.invocation.hints import later, read_retry_after, whole_ms
from skillproto.invocation.tool_messages import carried_by
from skillproto.redaction import hide, known_forms, safe_url
from skillproto.versions import SUPPORTED_RANGE
from skillproto.violations import JSONValue

LIMIT_BYTES = 10 * 1024 * 1024
"""A body beyond this is not read."""

Unreadable = Literal["empty_body", "not_json", "bad_encoding", "cut_short", "too_large", "too_deep"]

_ID_CHARS = 200
_REQUEST_IDS = ("x-request-id", "request-id", "x-correlation-id")
_BODILESS = (204, 205)


class Reply(NamedTuple):
    """A reply that tells no failure.

    Attributes:
        value: the parsed body, whole; None also for a reply that has none (204, 205).
        http_status: of the reply.
        state: accepted, running, completed, or a word that the protocol does not know, as
            given; such a word counts as running. A body that is no execution is completed.
        has_output: whether the reply carries an output, which may be null.
        output: the output; of a body that is no execution, the body itself; of a message that
            carries a tool's result to a model, what it carries.
        is_execution: whether the body speaks of an execution: it has `status`,
            `execution_id` or `output`. False for a bare value.
        execution_id: names the execution in later requests, or None.
        request_id: the provider's name for the request, or None.
        poll_after_ms: ask again no sooner than this; None when the reply says nothing.

    >>> read_reply(200, {}, b'{"output": [1]}').output
    [1]
    """

    value: JSONValue
    http_status: int
    state: str = "completed"
    has_output: bool = False
    output: JSONValue = None
    is_execution: bool = False
    execution_id: str | None = None
    request_id: str | None = None
    poll_after_ms: int | None = None

    @property
    def is_finished(self) -> bool:
        """Whether the execution is over; failed and cancelled ones are errors, not replies."""
        return self.state == "completed"


def read_reply(
    status: int,
    headers: Mapping[str, str] | Sequence[tuple[str, str]],
    body: bytes | str | None,
    *,
    now: float | None = None,
    unreadable: str | None = None,
    limit_bytes: int = LIMIT_BYTES,
    secrets: Iterable[str] = (),
) -> Reply | SkillError:
    """Read a reply of a skill's endpoint.

    Args:
        status: the HTTP status.
        headers: of the reply, names in any case.
        body: as received and inflated; None for no body.
        now: seconds since 1970, for a `Retry-After` date beside no `Date`; None looks at
            the clock.
        unreadable: why the body is not whole, such as "cut_short" or "too_large"; None for
            a whole one.
        limit_bytes: a longer body is not read.
        secrets: what an error must not show, in whichever form the reply repeats it: the
            credentials of the request. A success is given as it came.

    Returns:
        A `Reply`, or the `SkillError` that the reply tells: returned, not raised. A redirect
        (3xx) is an error whatever its body says, since it is never followed.

    Source: SSP 9.2 and 9.3.

    >>> read_reply(503, {"Retry-After": "2"}, b"<html>busy</html>").retry
    RetryHint(suggested_delay_ms=2000, max_attempts=None)
    >>> read_reply(200, {}, b'{"isError": true, "content": [{"type": "text", "text": "No such order"}]}')
    ExecutionFailed('EXECUTION_FAILED', 'No such order')
    """
    lowered = _lower(headers)
    value, reason = _parse(body or b"", unreadable, limit_bytes)
    answer = Answer(status, lowered, value)
    outcome = _read(answer, body, reason, now)
    forms = known_forms(secrets) if isinstance(outcome, SkillError) else ()
    if not forms:
        return outcome
    # Read once more without the secrets, since what is cut before it is masked may end in half a secret.
    answer = Answer(status, hide(lowered, forms), hide(value, forms))
    return _read(answer, hide(_text(body), forms), reason, now)


def _text(body: bytes | str | None) -> str:
    return body.decode("utf-8", "replace") if isinstance(body, bytes) else body or ""


def _read(answer: Answer, body: bytes | str | None, reason: str | None, now: float | None) -> Reply | SkillError:
    status = answer.http_status
    if 300 <= status < 400:
        return _finish(_redirect(answer), answer, now)
    failure = read_failure(answer) if reason is None else None
    if failure is None and not answer.succeeded:
        failure = Failure(message=words_of(answer.members), details=_seen(body, reason))
    if failure is None and reason is not None and not (status in _BODILESS and reason == "empty_body"):
        details = {"reason": reason, **_seen(body, reason)}
        failure = Failure(ErrorCode.UNKNOWN, _UNREADABLE_WORDS.get(reason, _UNREADABLE_WORDS["not_json"]), details)
    return _finish(failure, answer, now) if failure is not None else _succeed(answer, reason is None, now)


def _lower(headers: Mapping[str, str] | Sequence[tuple[str, str]]) -> dict[str, str]:
    """Names in lower case; the values of a repeated name are joined, as HTTP allows."""
    pairs: Iterable[tuple[str, str]] = headers.items() if isinstance(headers, Mapping) else headers
    lowered: dict[str, str] = {}
    for name, value in pairs:
        name = name.lower()
        lowered[name] = f"{lowered[name]}, {value}" if name in lowered else value
    return lowered


# The body.


def _parse(body: bytes | str, unreadable: str | None, limit_bytes: int) -> tuple[JSONValue, str | None]:
    if unreadable is not None or len(body) > limit_bytes:
        return None, unreadable or "too_large"
    try:
        text = body.removeprefix("\ufeff") if isinstance(body, str) else body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None, "bad_encoding"
    if not text.strip():
        return None, "empty_body"
    try:
        return decode(text), None
    except TooDeepError:
        return None, "too_deep"
    except ValueError:
        return None, "not_json"


def _seen(body: bytes | str | None, reason: str | None) -> dict[str, JSONValue]:
    start = seen(body) if body and reason is not None else ""
    return {"seen": start} if start else {}


# A success.


def _succeed(answer: Answer, has_body: bool, now: float | None) -> Reply:
    members = answer.members
    carried = carried_by(answer.value)
    if carried is not None:
        told = {"has_output": True, "output": carried.output}
        return Reply(answer.value, answer.http_status, request_id=_request_id(answer), **told)
    execution_id = _execution_id(members)
    is_execution = execution_id is not None or isinstance(members.get("status"), str) or "output" in members
    return Reply(
        value=answer.value,
        http_status=answer.http_status,
        state=_state(answer, is_execution),
        has_output="output" in members if is_execution else has_body,
        output=members.get("output") if is_execution else answer.value,
        is_execution=is_execution,
        execution_id=execution_id,
        request_id=_request_id(answer),
        poll_after_ms=later(read_retry_after(answer.headers, now), whole_ms(members.get("poll_interval_ms"))),
    )


def _state(answer: Answer, is_execution: bool) -> str:
    status = answer.members.get("status")
    if isinstance(status, str):
        return excerpt(status, _ID_CHARS)
    if "output" in answer.members:
        return "completed"
    return "accepted" if is_execution or answer.http_status == 202 else "completed"


def _execution_id(members: Mapping[str, JSONValue]) -> str | None:
    given = members.get("execution_id")
    return given if isinstance(given, str) and 0 < len(given) <= _ID_CHARS else None


def _request_id(answer: Answer) -> str | None:
    named = (answer.headers.get(name) for name in _REQUEST_IDS)
    told = (answer.members.get("request_id"), answer.members.get("requestId"), answer.error.get("request_id"))
    given = next((text for text in (*named, *told) if isinstance(text, str) and text.strip()), None)
    return excerpt(given.strip(), _ID_CHARS) if given else None


# A failure.


def _redirect(answer: Answer) -> Failure:
    location = answer.headers.get("location")
    details = {"reason": "redirect", **({"location": safe_url(location)} if location else {})}
    return Failure(ErrorCode.UNKNOWN, _REDIRECT_WORDS, details, retryable=False)


def _finish(failure: Failure, answer: Answer, now: float | None) -> SkillError:
    code = failure.code or _code(failure, answer)
    details = {**_facts(answer), **failure.details, **_certain(code, answer)}
    message = failure.message if failure.message and failure.message.strip() else own_words(code, answer.http_status)
    error = _make(code, excerpt(message), shown(details), failure)
    error.retry = _hint(failure.retry, read_retry_after(answer.headers, now))
    error.http_status = answer.http_status
    error.request_id = _request_id(answer)
    error.retryable = failure.retryable
    return error


def _make(code: ErrorCode, message: str, details: dict[str, JSONValue], failure: Failure) -> SkillError:
    if code is not ErrorCode.VALIDATION_ERROR or not failure.violations:
        return SkillError(code, message, details=details)
    error = ValidationFailed.of(list(failure.violations), message)
    error.details = {**details, **error.details}
    return error


def _code(failure: Failure, answer: Answer) -> ErrorCode:
    if failure.reaction is not None:
        return code_where_agreeing(failure.reaction, answer.http_status)
    by_status = CODE_OF_STATUS.get(answer.http_status)
    return by_status or (ErrorCode.EXECUTION_FAILED if answer.succeeded else ErrorCode.UNKNOWN)


def _hint(told: RetryHint | None, header_ms: int | None) -> RetryHint | None:
    delay_ms = later(told.suggested_delay_ms if told else None, header_ms)
    hint = RetryHint(delay_ms, told.max_attempts if told else None)
    return hint if hint != RetryHint() else None


_TOLD = {
    "descriptor_version": ("descriptor_version",),
    "consumer_supported_range": ("consumer_supported_range",),
    "upgrade_url": ("upgrade_url",),
    "failed_providers": ("failed_providers", "failedProviders"),
    "failed_statuses": ("failed_statuses", "failedStatuses"),
    "generation_id": ("generation_id", "generationId"),
    "error_origin": ("error_origin", "errorOrigin"),
    "provider_reason": ("reason",),
}


def _facts(answer: Answer) -> dict[str, JSONValue]:
    """Keep what helps whatever the contract is: versions, and what a gateway tells about its providers."""
    places = (answer.error, answer.members)
    told = {
        name: next((place[alias] for place in places for alias in aliases if place.get(alias) is not None), None)
        for name, aliases in _TOLD.items()
    }
    return {name: value for name, value in told.items() if value is not None}


def _certain(code: ErrorCode, answer: Answer) -> dict[str, JSONValue]:
    """What the reply itself shows, whatever its details claim."""
    certain: dict[str, JSONValue] = {}
    state = answer.members.get("status")
    if answer.succeeded and state in ("failed", "cancelled"):
        certain["state"] = state
        execution_id = _execution_id(answer.members)
        certain |= {"execution_id": execution_id} if execution_id else {}
    if code is ErrorCode.UNKNOWN:
        certain["http_status"] = answer.http_status
    if answer.http_status == 429 and code is ErrorCode.ENDPOINT_UNREACHABLE:
        certain["reason"] = "rate_limited"
    if answer.http_status == 401 and "www-authenticate" in answer.headers:
        certain["challenge"] = answer.headers["www-authenticate"]
    return certain


# Words of our own, for replies that have none.

_REDIRECT_WORDS = (
    "The endpoint redirects elsewhere, and redirects are not followed, so that no credentials leave; "
    "ask the provider for a descriptor with the new address"
)
_UNREADABLE_WORDS = {
    "empty_body": "The endpoint answered success with an empty body; ask its provider what became of the call",
    "not_json": "The endpoint answered success, but not in JSON; check the endpoint's URL, a page may stand in the way",
    "bad_encoding": "The endpoint's reply cannot be decoded: its text must be UTF-8; tell its provider",
    "cut_short": "The endpoint's reply was cut short, so its result is not known; ask for the result again",
    "too_large": "The endpoint's reply is larger than the limit and was not read; ask for less, or raise the limit",
    "too_deep": "The endpoint's reply is nested too deep and was not read; tell its provider",
}
_CODE_WORDS = {
    ErrorCode.VALIDATION_ERROR: "The provider finds the request invalid; correct the inputs before calling again",
    ErrorCode.AUTH_REQUIRED: "The skill asks for valid credentials; give the client some, or renew them",
    ErrorCode.PERMISSION_DENIED: "These credentials give no access to the skill; ask its provider for access",
    ErrorCode.SKILL_NOT_FOUND: "Nothing is known at this address; check the skill id and the endpoint's URL",
    ErrorCode.EXECUTION_TIMEOUT: "The execution ran past its time; try again later, or allow more time",
    ErrorCode.ENDPOINT_UNREACHABLE: "The endpoint cannot be reached at the moment; try again later",
    ErrorCode.VERSION_INCOMPATIBLE: (
        f"The provider does not accept this call's protocol version; use a descriptor of {SUPPORTED_RANGE}, "
        "or update skillproto"
    ),
    ErrorCode.EXECUTION_FAILED: "The skill reported a failure without saying why; ask its provider",
    ErrorCode.CANCELLED: "The execution was cancelled at the provider; start it again if its result is still wanted",
}


def own_words(code: ErrorCode, http_status: int | None) -> str:
    """Give the words for a failure whose reply has none: they are for whoever builds the caller.

    >>> own_words(ErrorCode.ENDPOINT_UNREACHABLE, 429)
    'The endpoint asks for fewer calls; wait before the next one'
    """
    if http_status == 429 and code is ErrorCode.ENDPOINT_UNREACHABLE:
        return "The endpoint asks for fewer calls; wait before the next one"
    unknown = f"The endpoint answered with status {http_status} and no known reason; ask its provider"
    return _CODE_WORDS.get(code, unknown)
