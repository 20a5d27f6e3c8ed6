"""Errors of model gateways and model providers, told in our codes.

Reads what they answer, and the exceptions of their SDKs, of which it imports none: an exception is read by the
attributes that such exceptions have. Afterwards `is_retryable`, `retry_after_ms` and `reaction` work on them as
on every other error.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from skillproto.agent.gateway_bodies import Told, read_ms, read_told
from skillproto.agent.gateway_words import CONTEXT_OVERFLOW, OVERFLOW, Meaning, meaning_of
from skillproto.errors import ErrorCode, RetryHint, SkillError
from skillproto.invocation.excerpts import excerpt
from skillproto.invocation.hints import later
from skillproto.invocation.replies import Reply, read_reply
from skillproto.redaction import hide, known_forms
from skillproto.violations import JSONValue

Headers = Mapping[str, str] | Sequence[tuple[str, str]]

_SHOWN_CHARS = 200
_MOST_SHOWN = 20


class GatewayFacts(NamedTuple):
    """What a gateway says about a failure, beside the code.

    Attributes:
        status: the HTTP status; None where none came.
        code: the gateway's or the provider's own name for the failure, or None.
        request_id: its name for the request, or None.
        reason: its own word for the reason, else ours (such as "rate_limited"), or None.
        failed_providers: the providers that it tried in vain, in order.
        failed_statuses: their HTTP statuses, as far as it tells them.
        generation_id: its name for what was to be generated, or None.
        error_origin: who failed, such as "user", "gateway" or "upstream", or None.
    """

    status: int | None
    code: str | None
    request_id: str | None
    reason: str | None
    failed_providers: tuple[str, ...] = ()
    failed_statuses: tuple[int, ...] = ()
    generation_id: str | None = None
    error_origin: str | None = None


def gateway_facts(error: SkillError) -> GatewayFacts:
    """Give what a gateway said, from an error that `from_gateway` or `read_gateway` gave.

    >>> body = b'{"error": {"code": 503, "message": "None left"}, "failed_providers": ["a", "b"]}'
    >>> gateway_facts(read_gateway(503, {"X-Request-Id": "r1"}, body))[:5]
    (503, None, 'r1', 'overloaded', ('a', 'b'))
    """
    told = error.details
    return GatewayFacts(
        error.http_status,
        _text(told.get("provider_code")),
        error.request_id,
        _text(told.get("provider_reason")) or _text(told.get("reason")),
        tuple(each for each in _items(told.get("failed_providers")) if isinstance(each, str)),
        tuple(each for each in _items(told.get("failed_statuses")) if isinstance(each, int)),
        _text(told.get("generation_id")),
        _text(told.get("error_origin")),
    )


def _text(value: JSONValue) -> str | None:
    return value if isinstance(value, str) and value else None


def _items(value: JSONValue) -> list[JSONValue]:
    return value if isinstance(value, list) else []


def is_context_overflow(error: BaseException) -> bool:
    """Say whether a call failed because the conversation is longer than the model can read.

    Args:
        error: a `SkillError`, or an exception of a provider's SDK.

    >>> is_context_overflow(SkillError("UNKNOWN", "prompt is too long: 9 tokens > 8 maximum", http_status=400))
    True
    """
    if not isinstance(error, SkillError):
        error = from_gateway(error)
    if error.details.get("reason") == CONTEXT_OVERFLOW:
        return True
    if error.http_status is None or error.code not in _OPEN:
        return False
    names = [str(error.details.get("provider_code") or "")]
    return meaning_of(names, [error.message], error.http_status) is OVERFLOW


_OPEN = (ErrorCode.UNKNOWN, ErrorCode.VALIDATION_ERROR, ErrorCode.EXECUTION_FAILED, ErrorCode.VERSION_INCOMPATIBLE)


def read_gateway(
    status: int, headers: Headers, body: bytes | str | None, *, now: float | None = None, secrets: Iterable[str] = ()
) -> Reply | SkillError:
    """Read what a model gateway or a model provider answered.

    Args:
        status: the HTTP status; that of a stream that broke off inside is 200.
        headers: of the reply, names in any case.
        body: as received.
        now: seconds since 1970, for a `Retry-After` date; None looks at the clock.
        secrets: what the error must not show.

    Returns:
        A `Reply` for an answer that tells no failure, else the `SkillError`: its `details.reason`
        says what happened, `provider_code` how the other side calls it.

    >>> body = b'{"error": {"message": "Too long", "type": "invalid_request_error", "code": "context_length_exceeded"}}'
    >>> error = read_gateway(400, {}, body)
    >>> error.code.value, error.details["reason"]
    ('VALIDATION_ERROR', 'context_overflow')
    """
    told, secrets = read_told(status, body), tuple(secrets)
    outcome = read_reply(told.http_status, headers, told.body, now=now, secrets=secrets)
    if isinstance(outcome, Reply):
        return outcome
    named = {name.lower(): value for name, value in (headers.items() if isinstance(headers, Mapping) else headers)}
    forms = known_forms(secrets)
    return _refined(outcome, told._replace(texts=hide(told.texts, forms), facts=hide(dict(told.facts), forms)), named)


def _refined(error: SkillError, told: Told, headers: Mapping[str, str]) -> SkillError:
    meaning = meaning_of(told.names, told.texts, told.http_status if told.http_status >= 400 else None)
    code = meaning.code if meaning else error.code
    details = {**error.details, **told.facts, **({"reason": meaning.reason} if meaning else {})}
    if meaning is not None and meaning.code is ErrorCode.EXECUTION_FAILED:
        details["category"] = "business"
    return SkillError(
        code,
        _words(error.message, told.texts),
        details=details,
        retry=_hint(error.retry, headers, told.wait_ms),
        http_status=error.http_status,
        request_id=error.request_id or next(filter(None, map(headers.get, _REQUEST_IDS)), None),
        retryable=_may_retry(meaning, error, headers.get("x-should-retry")),
    )


def _words(message: str, texts: Iterable[str]) -> str:
    """Prefer a sentence to a name that stands alone."""
    return message if " " in message else next((excerpt(text) for text in texts if " " in text.strip()), message)


_REQUEST_IDS = ("x-gateway-request-id", "x-amzn-requestid", "apim-request-id", "x-goog-request-id")


def _may_retry(meaning: Meaning | None, error: SkillError, should: str | None) -> bool | None:
    if meaning is not None and not meaning.retryable:
        return False
    if should in ("true", "false"):
        return should == "true"
    return error.retryable if error.retryable is not None or meaning is None else meaning.retryable


def _hint(told: RetryHint | None, headers: Mapping[str, str], wait_ms: int | None) -> RetryHint | None:
    header_ms = read_ms(headers.get("retry-after-ms", "").strip(), 1)
    delay_ms = later(told.suggested_delay_ms if told else None, header_ms, wait_ms)
    return RetryHint.read({"suggested_delay_ms": delay_ms, "max_attempts": told.max_attempts if told else None})


# Exceptions.


def from_gateway(error: BaseException, *, secrets: Iterable[str] = ()) -> SkillError:
    """Tell an exception of a model provider's SDK in our codes.

    Reads `status_code` (or `status`), `response`, `headers`, `body` and `request_id`, as the exceptions of the
    OpenAI and Anthropic SDKs have them, those of httpx, of Google's SDK, and botocore's `response`.

    Args:
        error: the exception; it becomes the `__cause__`. A `SkillError` is given back as it is.
        secrets: what the error must not show.

    >>> from_gateway(TimeoutError()).code
    <ErrorCode.EXECUTION_TIMEOUT: 'EXECUTION_TIMEOUT'>
    """
    if isinstance(error, SkillError):
        return error
    secrets = tuple(secrets)
    seen = _Seen.of(error)
    if seen.status is None and seen.body is None:
        told = _without_reply(error, secrets)
    else:
        body = seen.body if seen.body not in (None, b"", "") else _spoken(error)
        outcome = read_gateway(seen.status or 200, seen.headers, _encoded(body), secrets=secrets)
        told = outcome if isinstance(outcome, SkillError) else _unclear(seen.status)
    told.http_status = seen.status
    told.request_id = told.request_id or (excerpt(seen.request_id, _SHOWN_CHARS) if seen.request_id else None)
    facts = hide(seen.facts, known_forms(secrets))
    told.details |= {name: _bounded(value) for name, value in facts.items() if name not in told.details}
    told.__cause__ = error
    return told


_OF_THE_NETWORK = ("Connect", "NetworkError", "RemoteProtocolError", "ProxyError")
_OF_FILES = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError, NotADirectoryError)


def _is_of_the_network(error: BaseException) -> bool:
    """Say whether a system's error can be one of a connection; that a file is missing does not pass."""
    return isinstance(error, OSError) and not isinstance(error, _OF_FILES)


def _bounded(value: JSONValue) -> JSONValue:
    """Give a text, or the texts and numbers of a list, short enough to show."""
    if isinstance(value, str):
        return excerpt(value, _SHOWN_CHARS)
    if isinstance(value, list):
        return [_bounded(each) for each in value[:_MOST_SHOWN] if isinstance(each, str | int)]
    return value


def _unclear(status: int | None) -> SkillError:
    return SkillError(ErrorCode.UNKNOWN, "The model gateway failed without saying why", http_status=status)


def _encoded(body: JSONValue) -> bytes | str | None:
    return body if isinstance(body, bytes | str | None) else json.dumps(body, default=str)


def _spoken(error: BaseException) -> JSONValue:
    """Let the name and the words of an exception stand for the body that it does not carry."""
    return {"error": {"type": type(error).__name__, "message": excerpt(str(error)) or "No word on why"}}


def _without_reply(error: BaseException, secrets: Iterable[str]) -> SkillError:
    names = [kind.__name__ for kind in type(error).__mro__ if kind not in (BaseException, Exception, object)]
    if any("Cancel" in name for name in names):
        return SkillError(ErrorCode.CANCELLED, "The call of the model was cancelled", details={"reason": "caller"})
    if any("Timeout" in name for name in names):
        return SkillError(
            ErrorCode.EXECUTION_TIMEOUT, "The model did not answer in time", details={"reason": "timeout"}
        )
    if any(word in name for name in names for word in _OF_THE_NETWORK) or _is_of_the_network(error):
        words = "The model gateway cannot be reached"
        return SkillError(ErrorCode.ENDPOINT_UNREACHABLE, words, details={"reason": "unreachable"})
    if meaning_of(names, [str(error)], None) is None:
        return _unclear(None)
    outcome = read_gateway(200, {}, _encoded(_spoken(error)), secrets=secrets)
    return outcome if isinstance(outcome, SkillError) else _unclear(None)


class _Seen(NamedTuple):
    """What an exception carries of the reply."""

    status: int | None
    headers: Mapping[str, str]
    body: JSONValue
    request_id: str | None
    facts: dict[str, JSONValue]

    @classmethod
    def of(cls, error: BaseException) -> "_Seen":
        response = getattr(error, "response", None)
        if isinstance(response, Mapping):
            return _of_botocore(response)
        headers = getattr(response, "headers", None) or getattr(error, "headers", None)
        facts = {name: _first(error, *aliases) for name, aliases in _FACTS.items()}
        return cls(
            _status_of(error, response),
            {str(name): str(value) for name, value in getattr(headers, "items", tuple)()},
            _body_of(error, response),
            _text(_first(error, "request_id", "requestId")),
            {name: value for name, value in facts.items() if isinstance(value, str | list)},
        )


_FACTS = {
    "provider_reason": ("reason",),
    "failed_providers": ("failed_providers", "failedProviders"),
    "failed_statuses": ("failed_statuses", "failedStatuses"),
    "generation_id": ("generation_id", "generationId"),
    "error_origin": ("error_origin", "errorOrigin"),
}


def _first(owner: object, *names: str) -> JSONValue:
    return next((value for name in names if (value := getattr(owner, name, None)) is not None), None)


def _status_of(error: BaseException, response: object) -> int | None:
    told = (getattr(error, name, None) for name in ("status_code", "status", "http_status", "code"))
    found = (*told, getattr(response, "status_code", None), getattr(response, "status", None))
    return next((int(each) for each in found if isinstance(each, int) and 100 <= each <= 599), None)


def _body_of(error: BaseException, response: object) -> JSONValue:
    body = getattr(error, "body", None)
    if body is None:
        body = getattr(error, "details", None)  # Google's SDK keeps the body there
    if isinstance(body, Mapping):
        return dict(body) if "error" in body or "message" not in body else {"error": dict(body)}
    try:
        content = getattr(response, "content", None)
    except Exception:  # a stream that nobody has read
        content = None
    return content if isinstance(content, bytes | str) and content else body


def _of_botocore(response: Mapping[str, JSONValue]) -> _Seen:
    about = response.get("ResponseMetadata")
    about = about if isinstance(about, Mapping) else {}
    told = response.get("Error")
    told = told if isinstance(told, Mapping) else {}
    status, headers = about.get("HTTPStatusCode"), about.get("HTTPHeaders")
    return _Seen(
        status if isinstance(status, int) else None,
        headers if isinstance(headers, Mapping) else {},
        {"error": {"code": str(told.get("Code")), "message": str(told.get("Message"))}},
        _text(about.get("RequestId")),
        {},
    )
