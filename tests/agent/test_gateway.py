"""What gateways and model providers answer, each read into one error that can be acted on."""

import json
from http import HTTPStatus
from typing import Any

import httpx
import pytest

from skillproto.agent.gateway import (
    GatewayFacts,
    from_gateway,
    gateway_facts,
    is_context_overflow,
    read_gateway,
)
from skillproto.agent.gateway_words import speaks_of_overflow
from skillproto.agent.reactions import reaction
from skillproto.errors import ErrorCode, RetryHint, SkillError, is_retryable, retry_after_ms
from skillproto.invocation.replies import Reply

OPENAI_OVERFLOW = {
    "error": {
        "message": "This model's maximum context length is 8192 tokens. However, you requested 8227 tokens.",
        "type": "invalid_request_error",
        "param": "messages",
        "code": "context_length_exceeded",
    }
}
ANTHROPIC_OVERFLOW = {
    "type": "error",
    "error": {"type": "invalid_request_error", "message": "prompt is too long: 208310 tokens > 200000 maximum"},
    "request_id": "req_011",
}
GEMINI_OVERFLOW = {
    "error": {
        "code": 400,
        "message": "The input token count (1091639) exceeds the maximum number of tokens allowed (1048576).",
        "status": "INVALID_ARGUMENT",
    }
}
OPENROUTER_UPSTREAM = {
    "error": {
        "code": 429,
        "message": "Provider returned error",
        "metadata": {
            "provider_name": "Anthropic",
            "raw": '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
        },
    },
    "user_id": "user_1",
}


def openai(kind: str | None, code: str | None, message: str = "m") -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropic(kind: str, message: str = "m", **details: Any) -> dict[str, Any]:
    inner = {"type": kind, "message": message, **({"details": details} if details else {})}
    return {"type": "error", "error": inner, "request_id": "req_1"}


def google(code: int, status: str, message: str = "m", *details: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, **({"details": details} if details else {})}}


def read(status: int, body: Any, **headers: str) -> SkillError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    outcome = read_gateway(status, named, body if isinstance(body, str | bytes) else json.dumps(body))
    assert isinstance(outcome, SkillError)
    return outcome


SPENT = anthropic("invalid_request_error", "no", error_code="contract_spend_limit_reached")
NESTED = {"error": {"message": json.dumps(GEMINI_OVERFLOW), "code": 400, "status": "Bad Request"}}


@pytest.mark.parametrize(
    ("status", "body"),
    [
        pytest.param(400, OPENAI_OVERFLOW, id="openai"),
        pytest.param(400, openai("invalid_request_error", None, OPENAI_OVERFLOW["error"]["message"]), id="no_code"),
        pytest.param(
            400,
            openai("invalid_request_error", "x", "Your input exceeds the context window of this model. Please adjust."),
            id="openai_responses",
        ),
        pytest.param(400, ANTHROPIC_OVERFLOW, id="anthropic"),
        pytest.param(
            400,
            anthropic("invalid_request_error", "input length and `max_tokens` exceed context limit: 189 + 20 > 200"),
            id="anthropic_with_max_tokens",
        ),
        pytest.param(413, anthropic("request_too_large", "Request exceeds the maximum size"), id="anthropic_bytes"),
        pytest.param(400, GEMINI_OVERFLOW, id="gemini"),
        pytest.param(400, [GEMINI_OVERFLOW], id="gemini_in_a_list"),
        pytest.param(500, NESTED, id="gemini_as_text_under_another_status"),
        pytest.param(400, {"message": "Input is too long for requested model."}, id="bedrock"),
        pytest.param(
            400,
            {"__type": "ValidationException", "message": "400 Bad Request: Too many input tokens. Max input tokens: 8"},
            id="bedrock_titan",
        ),
        pytest.param(
            400,
            {"error": {"code": 400, "message": "This endpoint's maximum context length is 32768 tokens."}},
            id="openrouter",
        ),
        pytest.param(
            400,
            {
                "error": {
                    "code": 400,
                    "message": "Provider returned error",
                    "metadata": {"raw": json.dumps(OPENAI_OVERFLOW)},
                }
            },
            id="openrouter_upstream",
        ),
        pytest.param(200, {"error": {"code": 400, "message": "prompt is too long"}}, id="inside_a_200"),
        pytest.param(
            400,
            {
                "error": {
                    "type": "exceed_context_size_error",
                    "message": "the request exceeds the available context size",
                }
            },
            id="llama_cpp",
        ),
        pytest.param(400, {"error": "prompt too long; exceeded max context length by 4 tokens"}, id="ollama"),
        pytest.param(
            400,
            {"code": 400, "message": "The input (9 tokens) is longer than the model's context length (8 tokens)"},
            id="together",
        ),
        pytest.param(
            400,
            {"message": "Prompt contains 9 tokens, too large for model with 8 maximum context length"},
            id="mistral",
        ),
        pytest.param(413, "<html><h1>413 Request Entity Too Large</h1></html>", id="a_proxy"),
        pytest.param(413, "", id="nothing_but_the_status"),
    ],
)
def test_a_conversation_that_is_too_long_is_recognised(status: int, body: Any) -> None:
    error = read(status, body)
    assert is_context_overflow(error)
    assert (error.code, error.details["reason"]) == (ErrorCode.VALIDATION_ERROR, "context_overflow")
    assert (is_retryable(error), reaction(error).action) == (False, "correct-input")


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (
            429,
            openai(
                "tokens", "rate_limit_exceeded", "Request too large for m on tokens per min (TPM): Limit 3, Requested 4"
            ),
        ),
        (429, {"message": "Too many tokens, please wait before trying again."}),
        (400, {"__type": "ThrottlingException", "message": "Too many tokens, please wait before trying again."}),
        (
            429,
            google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota: input token count exceeds the limit"),
        ),
        (400, openai("invalid_request_error", None, "Invalid token format")),
        (400, openai("invalid_request_error", None, "max_tokens must be at least 1")),
        (400, anthropic("invalid_request_error", "messages: context must be a list")),
        (401, anthropic("authentication_error", "prompt is too long")),
        (503, {"error": {"code": 503, "message": "The server is overloaded"}}),
    ],
    ids=str,
)
def test_what_only_speaks_of_tokens_is_no_overflow(status: int, body: Any) -> None:
    assert not is_context_overflow(read(status, body))


@pytest.mark.parametrize(
    ("status", "body", "code", "reason", "retried"),
    [
        (429, openai("tokens", "rate_limit_exceeded"), "ENDPOINT_UNREACHABLE", "rate_limited", True),
        (429, openai("insufficient_quota", "insufficient_quota"), "PERMISSION_DENIED", "quota_exhausted", False),
        (401, openai("invalid_request_error", "invalid_api_key"), "AUTH_REQUIRED", "invalid_credentials", False),
        (404, openai("invalid_request_error", "model_not_found"), "SKILL_NOT_FOUND", "model_not_found", False),
        (500, openai("server_error", None), "UNKNOWN", "server_error", True),
        (503, openai("server_error", None), "UNKNOWN", "server_error", True),
        (400, openai("invalid_request_error", "unsupported_parameter"), "UNKNOWN", "invalid_request", False),
        (422, openai("invalid_request_error", None), "UNKNOWN", "invalid_request", False),
        (400, openai(None, "content_filter"), "EXECUTION_FAILED", "content_policy", False),
        (529, anthropic("overloaded_error", "Overloaded"), "ENDPOINT_UNREACHABLE", "overloaded", True),
        (200, anthropic("overloaded_error", "Overloaded"), "ENDPOINT_UNREACHABLE", "overloaded", True),
        (500, anthropic("api_error"), "UNKNOWN", "server_error", True),
        (504, anthropic("timeout_error"), "EXECUTION_TIMEOUT", "timeout", True),
        (429, anthropic("rate_limit_error"), "ENDPOINT_UNREACHABLE", "rate_limited", True),
        (402, anthropic("billing_error"), "PERMISSION_DENIED", "quota_exhausted", False),
        (403, anthropic("permission_error"), "PERMISSION_DENIED", "not_allowed", False),
        (400, SPENT, "PERMISSION_DENIED", "quota_exhausted", False),
        (429, google(429, "RESOURCE_EXHAUSTED"), "ENDPOINT_UNREACHABLE", "rate_limited", True),
        (503, google(503, "UNAVAILABLE"), "ENDPOINT_UNREACHABLE", "overloaded", True),
        (504, google(504, "DEADLINE_EXCEEDED"), "EXECUTION_TIMEOUT", "timeout", True),
        (403, google(403, "PERMISSION_DENIED"), "PERMISSION_DENIED", "not_allowed", False),
        (400, google(400, "INVALID_ARGUMENT"), "UNKNOWN", "invalid_request", False),
        (429, OPENROUTER_UPSTREAM, "ENDPOINT_UNREACHABLE", "overloaded", True),
        (402, {"error": {"code": 402, "message": "No credits"}}, "PERMISSION_DENIED", "quota_exhausted", False),
        (200, {"error": {"code": 502, "message": "Model is down"}}, "ENDPOINT_UNREACHABLE", "upstream_failed", True),
        (502, "<html>Bad gateway</html>", "ENDPOINT_UNREACHABLE", "upstream_failed", True),
        (409, {}, "UNKNOWN", "server_error", True),
        (418, {}, "UNKNOWN", None, False),
    ],
    ids=str,
)  # fmt: skip
def test_a_failure_means_one_thing(status: int, body: Any, code: str, reason: str | None, retried: bool) -> None:
    error = read(status, body)
    assert (error.code.value, error.details.get("reason"), is_retryable(error)) == (code, reason, retried)


def test_a_gateway_says_who_failed_and_how_the_request_is_called() -> None:
    body = {
        "generation_id": "G-1",
        "status_code": 502,
        "error": "upstream_error",
        "error_type": "system",
        "error_origin": "upstream",
        "reason": "all_candidates_failed",
        "description": "Every provider failed",
        "failure_sample": [{"provider": "alpha", "status": 503}, {"provider": "beta", "status": 429}],
    }
    error = read(502, body, X_Gateway_Request_Id="req_9")
    assert gateway_facts(error) == GatewayFacts(
        502, "upstream_error", "req_9", "all_candidates_failed", ("alpha", "beta"), (503, 429), "G-1", "upstream"
    )
    assert (error.message, is_retryable(error)) == ("Every provider failed", True)


@pytest.mark.parametrize(
    "body",
    [
        {"status": 503, "code": "no_provider", "message": "m", "failedProviders": ["alpha", "beta"]},
        {"error": {"code": 503, "message": "m"}, "failed_providers": [{"name": "alpha"}, {"name": "beta"}]},
        {"error": {"code": 503, "message": "m", "metadata": {"previous_errors": [
            {"provider_name": "alpha", "code": 429}, {"provider_name": "beta", "code": 503}]}}},
        {"error": {"code": 503, "message": "m", "attempts": [
            {"provider": "alpha", "success": False}, {"provider": "gamma", "success": True}, {"provider": "beta"}]}},
    ],
    ids=["names", "objects", "earlier_errors", "attempts"],
)  # fmt: skip
def test_the_providers_that_failed_are_named_however_a_gateway_writes_them(body: Any) -> None:
    assert gateway_facts(read(503, body)).failed_providers == ("alpha", "beta")


RETRY_INFO = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}


@pytest.mark.parametrize(
    ("body", "headers", "delay_ms"),
    [
        ({}, {"Retry_After": "2"}, 2000),
        ({}, {"retry_after_ms": "1250"}, 1250),
        ({}, {"retry_after_ms": "12.5", "retry_after": "1"}, 1000),
        ({}, {"retry_after_ms": "soon"}, None),
        (google(429, "RESOURCE_EXHAUSTED", "m", RETRY_INFO), {}, 34070),
        ({"error": "x", "retry_after_seconds": 3600}, {}, 3_600_000),
        ({"error": "x", "retry_after_seconds": -1}, {}, None),
        ({}, {}, None),
    ],
    ids=str,
)
def test_the_wait_that_is_asked_for_is_kept(body: Any, headers: dict[str, str], delay_ms: int | None) -> None:
    error = read(429, body, **headers)
    assert retry_after_ms(error) == delay_ms
    assert reaction(error).delay_ms == max(1000, delay_ms or 0)


@pytest.mark.parametrize(
    ("status", "flag", "retried"),
    [(500, "false", False), (418, "true", True), (429, "false", False), (401, "true", False)],
)
def test_a_header_may_say_whether_to_try_again(status: int, flag: str, retried: bool) -> None:
    assert is_retryable(read(status, {}, X_Should_Retry=flag)) is retried


def test_a_reply_without_a_failure_stays_a_reply() -> None:
    assert isinstance(read_gateway(200, {}, b'{"choices": []}'), Reply)


def test_a_key_in_a_gateways_words_is_not_shown() -> None:
    body = json.dumps(openai("invalid_request_error", "invalid_api_key", "Incorrect API key provided: my-own-key-1"))
    error = read_gateway(401, {}, body, secrets=["my-own-key-1"])
    assert "my-own-key-1" not in repr(vars(error))


def test_an_error_that_read_reply_gave_is_recognised_too() -> None:
    from skillproto.invocation.replies import read_reply

    for body in (OPENAI_OVERFLOW, ANTHROPIC_OVERFLOW):
        error = read_reply(400, {}, json.dumps(body))
        assert isinstance(error, SkillError)
        assert is_context_overflow(error)


@pytest.mark.parametrize("body", [b"", b"\xff", b"[]", b"[[[[", b'"x"', b"null", b'{"error": null}', b'{"error": []}'])
@pytest.mark.parametrize("status", [200, 400, 500])
def test_no_body_makes_it_raise(status: int, body: bytes) -> None:
    assert isinstance(read_gateway(status, {}, body), Reply | SkillError)


class PhaseoLike(Exception):
    status = 503
    code = "no_provider"
    headers = {"Retry-After": "4"}  # noqa: RUF012
    body = {"error": "no_provider", "description": "None left"}  # noqa: RUF012
    requestId = "req_7"
    reason = "all_failed"
    failedProviders = ["alpha"]  # noqa: RUF012


class BotocoreLike(Exception):
    response = {  # noqa: RUF012
        "Error": {"Code": "ThrottlingException", "Message": "Too many tokens, please wait before trying again."},
        "ResponseMetadata": {"HTTPStatusCode": 429, "RequestId": "aws-1", "HTTPHeaders": {"retry-after": "3"}},
    }


class GoogleLike(Exception):
    code = 400
    status = "INVALID_ARGUMENT"
    details = GEMINI_OVERFLOW


def test_exceptions_of_other_sdks_are_read_by_their_attributes() -> None:
    error = from_gateway(PhaseoLike())
    assert gateway_facts(error) == GatewayFacts(503, "no_provider", "req_7", "all_failed", ("alpha",))
    assert (error.code, error.retry) == (ErrorCode.ENDPOINT_UNREACHABLE, RetryHint(4000))
    error = from_gateway(BotocoreLike())
    assert (error.code.value, error.request_id, error.http_status) == ("ENDPOINT_UNREACHABLE", "aws-1", 429)
    assert (retry_after_ms(error), error.details["provider_code"]) == (3000, "ThrottlingException")
    assert is_context_overflow(GoogleLike())


class ContextWindowExceededError(Exception):
    """As LiteLLM has it: a status and words, and nothing of the reply."""

    status_code = 400


class RateLimitError(Exception): ...


class ResourceExhausted(Exception):
    code = HTTPStatus.TOO_MANY_REQUESTS


@pytest.mark.parametrize(
    ("error", "code", "reason", "retried"),
    [
        (ContextWindowExceededError("my-own-key-1: it is too much"), "VALIDATION_ERROR", "context_overflow", False),
        (ValueError("prompt is too long: 9 tokens > 8 maximum"), "VALIDATION_ERROR", "context_overflow", False),
        (RateLimitError("slower"), "ENDPOINT_UNREACHABLE", "rate_limited", True),
        (ResourceExhausted(""), "ENDPOINT_UNREACHABLE", "rate_limited", True),
    ],
    ids=str,
)
def test_an_exception_without_a_body_is_told_by_its_name_and_words(
    error: Exception, code: str, reason: str, retried: bool
) -> None:
    told = from_gateway(error, secrets=["my-own-key-1"])
    assert (told.code.value, told.details["reason"], is_retryable(told)) == (code, reason, retried)
    assert is_context_overflow(error) is (reason == "context_overflow")
    assert "my-own-key-1" not in repr(vars(told))


class MyConnectError(Exception): ...


@pytest.mark.parametrize(
    ("error", "code", "retried"),
    [
        (TimeoutError(), "EXECUTION_TIMEOUT", True),
        (ConnectionResetError(), "ENDPOINT_UNREACHABLE", True),
        (MyConnectError("https://user:secret@host"), "ENDPOINT_UNREACHABLE", True),
        (httpx.ReadError("secret"), "ENDPOINT_UNREACHABLE", True),
        (httpx.RemoteProtocolError("peer closed, secret"), "ENDPOINT_UNREACHABLE", True),
        (FileNotFoundError(2, "no such file"), "UNKNOWN", False),
        (ValueError("my secret"), "UNKNOWN", False),
    ],
    ids=str,
)
def test_an_exception_without_a_reply_is_told_by_its_kind(error: Exception, code: str, retried: bool) -> None:
    told = from_gateway(error)
    assert (told.code.value, is_retryable(told), told.http_status) == (code, retried, None)
    assert told.__cause__ is error
    assert "secret" not in str(told)


@pytest.mark.parametrize(
    ("headers", "error"),
    [
        ({"retry-after-ms": "9" * 400}, {"message": "Slow down"}),
        ({"retry-after-ms": "1.2.3"}, {"message": "Slow down"}),
        ({}, {"message": "Slow down", "details": [{"retryDelay": f"{'9' * 400}s"}]}),
        ({}, {"message": "Slow down", "retry_after": 1e308}),
        ({}, {"message": "Slow down", "retry_after": -1e308}),
    ],
    ids=["header", "dots", "google", "body", "negative"],
)
def test_a_wait_beyond_all_reason_is_no_wait(headers: dict[str, str], error: dict[str, Any]) -> None:
    told = read_gateway(429, headers, json.dumps({"error": error}))
    assert isinstance(told, SkillError)
    assert (told.code.value, retry_after_ms(told)) == ("ENDPOINT_UNREACHABLE", None)


class TellsTooMuch(Exception):
    status_code = 503
    request_id = "r" * 9000
    reason = "my-own-key-1 " * 1000
    failed_providers: tuple[Any, ...] | list[Any] = ["p" * 5000] * 300 + [object()]


def test_what_an_exception_says_of_a_gateway_is_bounded_and_without_secrets() -> None:
    told = from_gateway(TellsTooMuch(), secrets=["my-own-key-1"])
    assert "my-own-key-1" not in repr(told.details)
    assert len(json.dumps(told.details)) < 10_000
    assert len(told.request_id or "") <= 200


def test_an_error_of_ours_stays_what_it_is() -> None:
    error = SkillError("AUTH_REQUIRED", "Sign in")
    assert from_gateway(error) is error


@pytest.mark.parametrize(
    "text", ["prompt " * 5000, "exceed" + "x" * 5000, "tokens " + "a" * 5000, "input " + " " * 5000 + "tokens"], ids=len
)
def test_a_long_text_is_read_in_no_time(text: str) -> None:
    assert speaks_of_overflow(text) is False
