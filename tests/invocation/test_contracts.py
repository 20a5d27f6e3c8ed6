import json
from typing import Any

import pytest

from skillproto.errors import ErrorCode, RetryHint, ValidationFailed, is_retryable
from skillproto.invocation.contracts import register_contract
from skillproto.invocation.failures import Answer, Failure
from skillproto.invocation.replies import Reply, read_reply
from tests.support.bodies import FASTAPI, PAGE, SYSTEM, asixto, envelope, error_of, json_rpc, reply_of, tool_result


@pytest.mark.parametrize(
    ("body", "code", "retried", "details"),
    [
        (asixto("NOT_FOUND"), "EXECUTION_FAILED", False, {"error_type": "NOT_FOUND", "category": "validation"}),
        (asixto("VALIDATION"), "EXECUTION_FAILED", False, {"error_type": "VALIDATION", "category": "validation"}),
        (asixto("PERMISSION"), "EXECUTION_FAILED", False, {"error_type": "PERMISSION", "category": "permission"}),
        (asixto("SYSTEM"), "EXECUTION_FAILED", True, {"error_type": "SYSTEM", "category": "transient"}),
        (asixto("BLOCKER"), "EXECUTION_FAILED", False, {"error_type": "BLOCKER", "category": "business"}),
        (asixto("UNKNOWN"), "UNKNOWN", False, {"error_type": "UNKNOWN", "http_status": 200}),
        (asixto("system"), "UNKNOWN", False, {"error_type": "UNKNOWN", "http_status": 200}),
        ({"error": {"error_type": None}}, "UNKNOWN", False, {"error_type": "UNKNOWN", "http_status": 200}),
        ({"error": {"error_type": ["SYSTEM"]}}, "UNKNOWN", False, {"error_type": "UNKNOWN", "http_status": 200}),
        ({"error_type": "SYSTEM"}, "EXECUTION_FAILED", True, {"error_type": "SYSTEM", "category": "transient"}),
        (
            {"error_type": "LATE", "user_message": "No."},
            "UNKNOWN",
            False,
            {"error_type": "UNKNOWN", "http_status": 200},
        ),
        (tool_result(), "EXECUTION_FAILED", False, {}),
        (tool_result(errorCategory="transient"), "EXECUTION_FAILED", True, {"category": "transient"}),
        (
            tool_result(errorCategory="transient", isRetryable=False),
            "EXECUTION_FAILED",
            False,
            {"category": "transient"},
        ),
        (
            tool_result(errorCategory="validation", isRetryable=True),
            "EXECUTION_FAILED",
            True,
            {"category": "validation"},
        ),
        (tool_result(errorCategory="business", isRetryable=True), "EXECUTION_FAILED", False, {"category": "business"}),
        (tool_result(errorCategory="transient", isRetryable="no"), "EXECUTION_FAILED", True, {"category": "transient"}),
        (tool_result(errorCategory="cosmic", isRetryable=True), "EXECUTION_FAILED", True, {}),
        (tool_result(isRetryable=1), "EXECUTION_FAILED", False, {}),
        ({"isError": True, "_meta": "transient"}, "EXECUTION_FAILED", False, {}),
        ({"jsonrpc": "2.0", "id": 1, "result": tool_result(isRetryable=True)}, "EXECUTION_FAILED", True, {}),
        ({"error": {}}, "EXECUTION_FAILED", False, {}),
        ({"error": "it broke"}, "EXECUTION_FAILED", False, {}),
        ({"error": True}, "EXECUTION_FAILED", False, {}),
        (envelope("QUOTA", retryable=True), "EXECUTION_FAILED", True, {"provider_code": "QUOTA"}),
        (envelope("QUOTA", details={"retryable": False}), "EXECUTION_FAILED", False, {"provider_code": "QUOTA"}),
        (envelope("EXECUTION_TIMEOUT"), "EXECUTION_TIMEOUT", True, {}),
        (envelope("AUTH_REQUIRED", retryable=True), "AUTH_REQUIRED", False, {}),
    ],
    ids=str,
)
def test_a_failure_inside_a_success_is_a_failure(body: Any, code: str, retried: bool, details: dict[str, Any]) -> None:
    error = error_of(200, body)
    assert (error.code, is_retryable(error)) == (code, retried)
    error.details.pop("retryable", None)
    assert error.details == details


@pytest.mark.parametrize("empty", [None, False, "", 0, []])
def test_an_error_that_is_nothing_is_none(empty: Any) -> None:
    assert reply_of(200, {"error": empty, "output": 1}).output == 1


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "{}",
        '""',
        "null",
        "0",
        "false",
        '{"content": []}',
        '{"content": [], "isError": false}',
        '{"isError": false, "_meta": {"resultCount": 0, "errorCategory": "transient", "isRetryable": true}}',
        '{"resultados": [], "total": 0}',
        '{"total": 0}',
        '{"error_type": null, "total": 0}',
        '{"error_type": "none of ours", "total": 0}',
        '{"isError": "true"}',
        '{"code": "ABC", "retryable": false}',
        '{"detail": [{"loc": ["a"], "msg": "b"}]}',
        '{"violations": []}',
        '{"jsonrpc": "2.0", "id": 1, "result": {"content": [], "isError": false}}',
        "\ufeff[]",
    ],
)
def test_an_empty_result_is_a_success(body: str) -> None:
    for form in (body, body.encode()):
        reply = read_reply(200, {}, form)
        assert isinstance(reply, Reply)
        assert reply.value == reply.output == json.loads(body.removeprefix("\ufeff"))
        assert reply.is_finished
        assert reply.has_output
        assert not reply.is_execution


def test_the_message_of_a_tool_is_its_text_else_its_description() -> None:
    assert error_of(200, tool_result(description="Ask a day before")).message == "It cannot be done"
    alone = error_of(200, {"isError": True, "_meta": {"description": "Ask a day before", "errorCode": "E1"}})
    assert alone.message == "Ask a day before"
    assert alone.details == {"provider_code": "E1", "description": "Ask a day before"}


def test_what_a_tool_adds_to_its_meta_is_kept() -> None:
    error = error_of(200, tool_result(errorCategory="business", errorCode="LIMIT", maxAllowed=30, requested=50))
    assert error.details == {
        "category": "business",
        "provider_code": "LIMIT",
        "meta": {"maxAllowed": 30, "requested": 50},
    }


def test_a_user_message_becomes_the_message() -> None:
    assert error_of(200, SYSTEM).message == "Ahora no puedo consultarlo."


def test_a_known_code_in_the_details_decides() -> None:
    told = {
        "error_type": "VALIDATION",
        "user_message": "m",
        "details": {"code": "VERSION_INCOMPATIBLE", "upgrade_url": "u"},
    }
    error = error_of(200, {"error": told})
    assert error.code is ErrorCode.VERSION_INCOMPATIBLE
    assert error.details == {"upgrade_url": "u", "error_type": "VALIDATION", "category": "validation"}
    tool = error_of(200, tool_result(errorCategory="transient", errorCode="EXECUTION_TIMEOUT"))
    assert tool.code is ErrorCode.EXECUTION_TIMEOUT


def test_what_a_body_calls_invalid_is_not_retried_under_a_503() -> None:
    for body in (asixto("VALIDATION"), tool_result(errorCategory="validation"), asixto("BLOCKER")):
        assert not is_retryable(error_of(503, body))
    assert is_retryable(error_of(503, SYSTEM))
    assert not is_retryable(error_of(503, tool_result(errorCategory="transient", isRetryable=False)))


# The envelope.


def test_an_envelope_is_read_whole() -> None:
    body = envelope(
        "EXECUTION_TIMEOUT",
        "Skill execution exceeded the configured timeout of 30000ms",
        details={"timeout_ms": 30000, "elapsed_ms": 30001},
        retry={"suggested_delay_ms": 5000, "max_attempts": 3},
    )
    error = error_of(504, body, {"X-Request-Id": "r-1"})
    assert error.to_dict() == body
    assert error.retry == RetryHint(5000, 3)
    assert error.request_id == "r-1"


def test_the_protocols_own_violations_come_out_to_the_letter() -> None:
    violations: list[dict[str, Any]] = [
        {
            "field": "/capability_type",
            "expected": "one of: plugin, api, knowledge, task",
            "actual": "unknown_type",
            "message": "Invalid enum value",
        },
        {
            "field": "/endpoint/url",
            "expected": "string (URI format)",
            "actual": None,
            "message": "Required field is missing",
        },
    ]
    body = envelope("VALIDATION_ERROR", "Skill descriptor validation failed", details={"violations": violations})
    error = error_of(400, body)
    assert isinstance(error, ValidationFailed)
    told = [{key: each.to_dict()[key] for key in violations[0]} for each in error.violations]
    assert told == violations
    assert [each["field"] for each in error.details["violations"]] == ["/capability_type", "/endpoint/url"]


@pytest.mark.parametrize("body", [envelope("AUTH_REQUIRED", ""), envelope("AUTH_REQUIRED", " \n")])
def test_an_envelope_with_a_blank_message_gets_words_of_ours(body: Any) -> None:
    assert error_of(401, body).message.startswith("The skill asks for valid credentials; ")


@pytest.mark.parametrize("status", [200, 401, 403, 404, 408, 422, 429, 500, 503])
def test_words_of_ours_say_what_to_do(status: int) -> None:
    assert ";" in error_of(status, PAGE).message


def test_a_limited_rate_has_a_reason_and_is_retried() -> None:
    error = error_of(429, PAGE, {"Retry-After": "3"})
    assert error.details["reason"] == "rate_limited"
    assert error.retry == RetryHint(3000)
    assert is_retryable(error)


def test_a_challenge_is_kept() -> None:
    assert error_of(401, None, {"WWW-Authenticate": 'Bearer realm="x"'}).details == {"challenge": 'Bearer realm="x"'}


# Validation reports and versions.


@pytest.mark.parametrize("status", [400, 422])
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(FASTAPI, [("/inputs/n", "Too big")], id="fastapi"),
        pytest.param({"detail": [{"loc": ["query", "a/b", 0], "msg": "m"}]}, [("/query/a~1b/0", "M")], id="query"),
        pytest.param(
            {"type": "t", "title": "Bad", "errors": [{"pointer": "#/age", "detail": "must be positive"}]},
            [("/age", "Must be positive")],
            id="problem_errors",
        ),
        pytest.param(
            {"title": "Bad", "invalid-params": [{"name": "age", "reason": "no"}, {"name": "a.b[0]", "reason": "no"}]},
            [("/age", "No"), ("/a/b/0", "No")],
            id="invalid_params",
        ),
        pytest.param(
            {"title": "Bad", "errors": {"Inputs.Name": ["one", "two"], "$.x": ["three"]}},
            [("/Inputs/Name", "One"), ("/Inputs/Name", "Two"), ("/x", "Three")],
            id="map_of_texts",
        ),
        pytest.param({"violations": [{"field": "/a", "message": "m"}]}, [("/a", "M")], id="violations"),
        pytest.param({"error": {"violations": [{"field": "/a", "message": "m"}]}}, [("/a", "M")], id="in_error"),
        pytest.param(
            envelope("BAD_INPUT", details={"violations": [{"field": "", "message": "m"}]}),
            [("", "M")],
            id="envelope_of_an_unknown_code",
        ),
    ],
)
def test_a_report_of_what_is_wrong_is_a_validation_error(status: int, body: Any, expected: list[Any]) -> None:
    error = error_of(status, body)
    assert isinstance(error, ValidationFailed)
    assert [(each.field, each.message) for each in error.violations] == expected
    assert error.details["violations"] == [each.to_dict() for each in error.violations]
    assert not is_retryable(error)


def test_the_violations_of_invalid_params_are_read_too() -> None:
    error = error_of(200, json_rpc(-32602, violations=[{"field": "/a", "message": "m"}]))
    assert isinstance(error, ValidationFailed)
    assert [each.field for each in error.violations] == ["/a"]


@pytest.mark.parametrize(
    "body",
    [{"detail": "no"}, {"detail": [{"loc": ["a"]}]}, {"errors": {"a": "b"}}, {"errors": []}, {"violations": [1]}],
)
def test_a_422_with_something_else_is_about_versions(body: Any) -> None:
    assert error_of(422, body).code is ErrorCode.VERSION_INCOMPATIBLE


@pytest.mark.parametrize(
    "wrap", [lambda told: told, lambda told: {"error": told}, lambda told: {"error": {"details": told}}]
)
def test_what_a_body_says_about_versions_is_kept(wrap: Any) -> None:
    told = {"descriptor_version": "2.0.0", "consumer_supported_range": "1.x.x", "upgrade_url": "https://a.example/up"}
    assert error_of(422, wrap(told)).details == told


def test_versions_in_json_rpc_are_kept() -> None:
    error = error_of(400, json_rpc(-32602, "Unsupported protocol version", supported=["2024-11-05"], requested="1.0.0"))
    assert error.code is ErrorCode.VERSION_INCOMPATIBLE
    assert error.details["provider_supported"] == ["2024-11-05"]
    assert error.details["provider_code"] == -32602


def test_an_unknown_tool_is_a_skill_that_is_not_found() -> None:
    assert error_of(200, json_rpc(-32602, "Unknown tool: translate")).code is ErrorCode.SKILL_NOT_FOUND


# Other contracts.


def test_declared_problem_details_are_a_failure_even_under_a_success() -> None:
    body = {"title": "Out of stock", "detail": "None is left", "status": 503, "instance": "/orders/1"}
    error = error_of(200, body, {"Content-Type": "application/problem+json; charset=utf-8"})
    assert (error.code, error.message) == (ErrorCode.EXECUTION_FAILED, "None is left")
    assert error.details == {"problem": {"title": "Out of stock", "status": 503, "instance": "/orders/1"}}


def test_a_gateways_facts_are_kept() -> None:
    body = {
        "status": 502,
        "code": "all_providers_failed",
        "message": "No provider answered",
        "request_id": "req-7",
        "retryable": False,
        "failedProviders": ["a", "b"],
        "failed_statuses": [500, 503],
        "reason": "upstream",
    }
    error = error_of(502, body)
    assert (error.code, error.request_id, is_retryable(error)) == (ErrorCode.ENDPOINT_UNREACHABLE, "req-7", False)
    assert error.details == {
        "provider_code": "all_providers_failed",
        "failed_providers": ["a", "b"],
        "failed_statuses": [500, 503],
        "provider_reason": "upstream",
    }
    inside = error_of(200, body)
    assert (inside.code, inside.details["provider_status"]) == (ErrorCode.EXECUTION_FAILED, 502)


def test_an_oauth_error_keeps_its_code_and_its_words() -> None:
    error = error_of(401, {"error": "invalid_token", "error_description": "The token expired"})
    assert (error.code, error.message) == (ErrorCode.AUTH_REQUIRED, "The token expired")
    assert error.details["provider_code"] == "invalid_token"


def test_the_words_of_an_error_in_no_agreed_form_are_used() -> None:
    error = error_of(500, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})
    assert (error.code, error.message) == (ErrorCode.UNKNOWN, "Overloaded")
    assert error.details == {"provider_code": "overloaded_error", "http_status": 500}


def test_a_registered_contract_is_asked_first_and_can_be_taken_out() -> None:
    def sold_out(answer: Answer) -> Failure | None:
        return Failure(ErrorCode.EXECUTION_FAILED, "Sold out", retryable=True) if "sold" in answer.members else None

    undo = register_contract(sold_out)
    try:
        error = error_of(200, {"sold": 1, **envelope("AUTH_REQUIRED")})
        assert (error.code, error.message, error.retryable) == (ErrorCode.EXECUTION_FAILED, "Sold out", True)
        assert reply_of(200, {"output": 1}).output == 1
    finally:
        undo()
    undo()
    assert error_of(200, {"sold": 1, **envelope("AUTH_REQUIRED")}).code is ErrorCode.AUTH_REQUIRED


def test_a_registered_contract_that_raises_is_contained(caplog: pytest.LogCaptureFixture) -> None:
    def broken(answer: Answer) -> Failure | None:
        raise LookupError("oops")

    undo = register_contract(broken)
    try:
        assert reply_of(200, {"output": 1}).output == 1
    finally:
        undo()
    assert "without it" in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        {"error_type": "rare"},
        {"error_type": "rare", "user_message": None},
        {"error_type": 7, "user_message": "Seen often"},
        {"output": {"n": 1}, "error_type": "rare", "user_message": "Seen often"},
        {"output": {"error_type": "SYSTEM", "user_message": "Seen often"}},
    ],
    ids=["no words", "null words", "no text", "beside an output", "inside an output"],
)
def test_an_output_that_speaks_of_types_of_errors_is_no_failure(body: Any) -> None:
    assert isinstance(read_reply(200, {}, json.dumps(body).encode()), Reply)
