"""The real exceptions of the OpenAI and Anthropic SDKs, raised against a server on loopback."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import anthropic
import openai
import pytest

from skillproto.agent.gateway import from_gateway, gateway_facts, is_context_overflow
from skillproto.errors import ErrorCode, SkillError, is_retryable, retry_after_ms

OVERFLOW = {
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
}
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_2"}
RATE = {"error": {"message": "Slower", "type": "tokens", "param": None, "code": "rate_limit_exceeded"}}


class Gateway:
    """Answers every request with what it was last told to."""

    def __init__(self) -> None:
        self.status, self.headers, self.body = 500, {}, b""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(outer.status)
                for name, value in {"Content-Length": str(len(outer.body)), **outer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *args: Any) -> None: ...

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    headers: dict[str, str]

    def answers(self, status: int, body: Any, **headers: str) -> None:
        self.status, self.body = status, body if isinstance(body, bytes) else json.dumps(body).encode()
        self.headers = {"Content-Type": "application/json"} | {k.replace("_", "-"): v for k, v in headers.items()}


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    made = Gateway()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


def openai_error(url: str, *, stream: bool = False, timeout_s: float = 10) -> Exception:
    with openai.OpenAI(api_key="sk-my-key", base_url=url, max_retries=0, timeout=timeout_s) as client:
        try:
            answer = client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "x"}], stream=stream
            )
            for _ in answer if stream else ():
                pass
        except openai.OpenAIError as error:
            return error
    raise AssertionError("no error")


def anthropic_error(url: str, *, stream: bool = False, timeout_s: float = 10) -> Exception:
    with anthropic.Anthropic(api_key="sk-my-key", base_url=url, max_retries=0, timeout=timeout_s) as client:
        try:
            answer = client.messages.create(
                model="m", max_tokens=1, messages=[{"role": "user", "content": "x"}], stream=stream
            )
            for _ in answer if stream else ():
                pass
        except anthropic.AnthropicError as error:
            return error
    raise AssertionError("no error")


@pytest.mark.parametrize(
    ("raised", "body", "name"),
    [
        (openai_error, OVERFLOW, "context_length_exceeded"),
        (anthropic_error, ANTHROPIC_OVERFLOW, "invalid_request_error"),
    ],
    ids=["openai", "anthropic"],
)
def test_a_context_that_is_too_long(gateway: Gateway, raised: Any, body: Any, name: str) -> None:
    gateway.answers(400, body, x_request_id="req_1", request_id="req_1")
    exception = raised(gateway.url)
    assert type(exception).__name__ == "BadRequestError"
    assert is_context_overflow(exception)
    error = from_gateway(exception)
    assert (error.code, error.http_status, error.request_id) == (ErrorCode.VALIDATION_ERROR, 400, "req_1")
    assert (gateway_facts(error).code, error.__cause__) == (name, exception)


@pytest.mark.parametrize("raised", [openai_error, anthropic_error], ids=["openai", "anthropic"])
@pytest.mark.parametrize(
    ("status", "code", "retried"),
    [
        (400, "UNKNOWN", False),
        (401, "AUTH_REQUIRED", False),
        (403, "PERMISSION_DENIED", False),
        (404, "SKILL_NOT_FOUND", False),
        (409, "UNKNOWN", True),
        (413, "VALIDATION_ERROR", False),
        (422, "UNKNOWN", False),
        (429, "ENDPOINT_UNREACHABLE", True),
        (500, "UNKNOWN", True),
        (502, "ENDPOINT_UNREACHABLE", True),
        (503, "ENDPOINT_UNREACHABLE", True),
        (504, "EXECUTION_TIMEOUT", True),
        (529, "ENDPOINT_UNREACHABLE", True),
    ],
)
def test_every_status_error(gateway: Gateway, raised: Any, status: int, code: str, retried: bool) -> None:
    gateway.answers(status, b"<html>something</html>", Retry_After="3", Content_Type="text/html")
    error = from_gateway(raised(gateway.url))
    assert (error.code.value, error.http_status, is_retryable(error)) == (code, status, retried)
    assert retry_after_ms(error) == 3000
    assert "sk-my-key" not in repr(vars(error))


def test_a_rate_limit_with_its_wait_in_milliseconds(gateway: Gateway) -> None:
    gateway.answers(429, RATE, retry_after_ms="1250", x_request_id="req_3")
    error = from_gateway(openai_error(gateway.url))
    assert (retry_after_ms(error), error.details["reason"], error.request_id) == (1250, "rate_limited", "req_3")
    assert error.details["provider_code"] == "rate_limit_exceeded"


def test_the_providers_word_against_a_retry_counts(gateway: Gateway) -> None:
    gateway.answers(500, {}, x_should_retry="false")
    assert not is_retryable(from_gateway(openai_error(gateway.url)))


def test_a_stream_of_anthropics_that_breaks_off(gateway: Gateway) -> None:
    event = f"event: error\ndata: {json.dumps(OVERLOADED)}\n\n".encode()
    gateway.answers(200, event, Content_Type="text/event-stream")
    error = from_gateway(anthropic_error(gateway.url, stream=True))
    assert (error.code, error.http_status, is_retryable(error)) == (ErrorCode.ENDPOINT_UNREACHABLE, 200, True)
    assert (error.message, error.request_id) == ("Overloaded", "req_2")


def test_a_stream_of_openais_that_breaks_off(gateway: Gateway) -> None:
    gateway.answers(200, f"data: {json.dumps(OVERFLOW)}\n\n".encode(), Content_Type="text/event-stream")
    exception = openai_error(gateway.url, stream=True)
    assert type(exception) is openai.APIError
    assert is_context_overflow(exception)
    assert from_gateway(exception).http_status is None


@pytest.mark.parametrize("raised", [openai_error, anthropic_error], ids=["openai", "anthropic"])
def test_nobody_there_and_nobody_answering(raised: Any) -> None:
    with HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as silent:  # accepts, and never answers
        late = from_gateway(raised(f"http://127.0.0.1:{silent.server_port}", timeout_s=0.2))
        port = silent.server_port
    refused = from_gateway(raised(f"http://127.0.0.1:{port}"))
    assert (late.code, refused.code) == (ErrorCode.EXECUTION_TIMEOUT, ErrorCode.ENDPOINT_UNREACHABLE)
    assert is_retryable(late)
    assert is_retryable(refused)
    assert isinstance(late.__cause__, Exception)
    assert not isinstance(late.__cause__, SkillError)
