import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.errors import ErrorCode, RetryHint, SkillError, is_retryable
from skillproto.invocation.replies import MAX_DEPTH, Reply, read_reply
from tests.support.bodies import PAGE, asixto, envelope, error_of, json_rpc, reply_of, tool_result


@pytest.mark.parametrize(
    ("status", "body", "state", "finished", "output"),
    [
        (202, {"execution_id": "e1", "status": "accepted"}, "accepted", False, None),
        (202, {"execution_id": "e1"}, "accepted", False, None),
        (200, {"execution_id": "e1"}, "accepted", False, None),
        (202, {}, "accepted", False, {}),
        (200, {"status": "running"}, "running", False, None),
        (200, {"status": "queued"}, "queued", False, None),
        (200, {"status": "completed"}, "completed", True, None),
        (200, {"status": "completed", "output": 0}, "completed", True, 0),
        (200, {"output": None}, "completed", True, None),
        (200, {"status": 7, "total": 0}, "completed", True, {"status": 7, "total": 0}),
    ],
)
def test_each_state_is_told(status: int, body: Any, state: str, finished: bool, output: Any) -> None:
    reply = reply_of(status, body)
    assert (reply.state, reply.is_finished, reply.output) == (state, finished, output)
    assert reply.execution_id == body.get("execution_id")
    assert reply.has_output == ("output" in body or not reply.is_execution)


def test_a_reply_without_a_body_has_no_output() -> None:
    assert read_reply(204, {}, b"") == Reply(None, 204)


@pytest.mark.parametrize("id_", ["", 7, None, "x" * 201])
def test_an_execution_id_that_is_none_is_ignored(id_: Any) -> None:
    assert reply_of(202, {"execution_id": id_, "status": "accepted"}).execution_id is None


def test_the_longer_of_both_waits_counts_between_polls() -> None:
    body = {"status": "running", "poll_interval_ms": 1500}
    assert reply_of(200, body).poll_after_ms == 1500
    assert reply_of(200, body, {"Retry-After": "1"}).poll_after_ms == 1500
    assert reply_of(202, body, {"retry-after": "2"}).poll_after_ms == 2000
    assert reply_of(200, {"status": "running", "poll_interval_ms": -1}).poll_after_ms is None


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (None, "EXECUTION_FAILED", "The skill reported a failure without saying why; ask its provider"),
        (envelope("EXECUTION_TIMEOUT", "late")["error"], "EXECUTION_TIMEOUT", "late"),
        (envelope("MINE", "own")["error"], "EXECUTION_FAILED", "own"),
        (asixto("BLOCKER")["error"], "EXECUTION_FAILED", "No se puede."),
        ("it broke", "EXECUTION_FAILED", "it broke"),
    ],
)
def test_the_error_of_a_failed_execution_decides(error: Any, code: str, message: str) -> None:
    failure = error_of(200, {"execution_id": "e1", "status": "failed", "error": error})
    assert (failure.code, failure.message) == (code, message)
    assert (failure.details["state"], failure.details["execution_id"]) == ("failed", "e1")


def test_a_cancelled_execution_is_cancelled_whatever_its_error_says() -> None:
    error = error_of(200, {"status": "cancelled", "error": {"message": "The owner stopped it"}})
    assert (error.code, error.message, error.details) == ("CANCELLED", "The owner stopped it", {"state": "cancelled"})


# What cannot be read.


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(b"", "empty_body", id="empty"),
        pytest.param(b" \r\n", "empty_body", id="blank"),
        pytest.param(PAGE, "not_json", id="page"),
        pytest.param(b'{"output": ', "not_json", id="half"),
        pytest.param(b"{} {}", "not_json", id="two"),
        pytest.param(b'{"output": NaN}', "not_json", id="nan"),
        pytest.param(b"[Infinity]", "not_json", id="infinity"),
        pytest.param(b"1e400", "not_json", id="overflow"),
        pytest.param(b"9" * 5000, "not_json", id="long_integer"),
        pytest.param(b'{"output": "\xff"}', "bad_encoding", id="latin1"),
        pytest.param('{"output": 1}'.encode("utf-16"), "bad_encoding", id="utf16"),
        pytest.param(b"[" * 100_000 + b"]" * 100_000, "too_deep", id="deep"),
        pytest.param(b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "too_deep", id="one_too_deep"),
    ],
)
def test_what_is_no_json_is_unknown_with_what_was_seen(body: Any, reason: str) -> None:
    error = error_of(200, body)
    assert (error.code, error.details["reason"], is_retryable(error)) == (ErrorCode.UNKNOWN, reason, False)
    assert error.details["http_status"] == 200
    assert ("seen" in error.details) == bool(body.strip())


def test_the_deepest_allowed_body_is_read() -> None:
    assert isinstance(read_reply(200, {}, b"[" * MAX_DEPTH + b"]" * MAX_DEPTH), Reply)
    assert isinstance(read_reply(200, {}, b"[" + b"{}," * 1000 + b'"[[[["]'), Reply)


@pytest.mark.parametrize("reason", ["cut_short", "too_large", "bad_encoding"])
def test_what_the_driver_could_not_read_whole_is_no_success(reason: str) -> None:
    outcome = read_reply(200, {}, b'{"output": 1}', unreadable=reason)
    assert isinstance(outcome, SkillError)
    assert outcome.details == {"reason": reason, "seen": '{"output": 1}', "http_status": 200}
    late = read_reply(503, {"Retry-After": "1"}, b'{"outp', unreadable=reason)
    assert isinstance(late, SkillError)
    assert (late.code, late.retry) == (ErrorCode.ENDPOINT_UNREACHABLE, RetryHint(1000))


def test_a_body_beyond_the_limit_is_not_read() -> None:
    assert isinstance(read_reply(200, {}, b"[1,2]", limit_bytes=5), Reply)
    outcome = read_reply(200, {}, b"[1,2] ", limit_bytes=5)
    assert isinstance(outcome, SkillError)
    assert outcome.details["reason"] == "too_large"


def test_a_redirect_names_its_target_without_secrets() -> None:
    error = error_of(307, None, {"Location": "https://ann:pw@b.example/x?key=1"})
    assert error.details == {"reason": "redirect", "location": "https://b.example/x", "http_status": 307}
    assert not is_retryable(error)


def test_secrets_of_known_form_are_masked_in_all_that_is_kept() -> None:
    token = "ghp_" + "a" * 36
    body = envelope("X", f"call with {token}", details={"password": "p", "note": token, token: 1})
    texts = [
        str(error_of(200, body).to_dict()),
        str(error_of(500, f"<p>{token}</p>").details),
        str(error_of(200, tool_result(description=token, extra=token)).details),
        str(error_of(422, {"detail": [{"loc": [token], "msg": token}]}).to_dict()),
        str(error_of(401, None, {"WWW-Authenticate": "Bearer " + "a" * 40, "X-Request-Id": token}).__dict__),
        str(error_of(200, {"error": "x" * 480 + " " + token}).message),
    ]
    assert [text for text in texts if "ghp_" in text or "aaaa" in text] == []


def test_control_characters_of_a_message_do_not_reach_a_terminal() -> None:
    assert error_of(200, {"error": "a\x1b[31mb\x07\x9bc"}).message == "a [31mb  c"


# Request ids.


@pytest.mark.parametrize(
    ("headers", "body", "expected"),
    [
        ({"X-Request-Id": "h1", "Request-Id": "h2"}, {"request_id": "b"}, "h1"),
        ({"request-id": "h2", "x-correlation-id": "h3"}, {}, "h2"),
        ({"X-Correlation-ID": "h3"}, {}, "h3"),
        ({}, {"request_id": "b"}, "b"),
        ({}, {"error": {"request_id": "e", "code": "X", "message": "m"}}, "e"),
        ({"X-Request-Id": " "}, {"request_id": 5}, None),
    ],
)
def test_a_request_id_is_found(headers: dict[str, str], body: Any, expected: str | None) -> None:
    for status in (200, 500):
        assert read_reply(status, headers, json.dumps(body)).request_id == expected
        assert read_reply(status, list(headers.items()), json.dumps(body)).request_id == expected


# Any reply at all.

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
_WORDS = (
    *("error", "code", "message", "details", "retry", "status", "output", "isError", "_meta", "content", "error_type"),
    *(
        "user_message",
        "jsonrpc",
        "result",
        "data",
        "supported",
        "violations",
        "detail",
        "errors",
        "loc",
        "msg",
        "field",
    ),
    *("execution_id", "poll_interval_ms", "title", "type", "retryable", "errorCategory", "isRetryable", "errorCode"),
    *("field", "description", "request_id", "suggested_delay_ms", "max_attempts"),
)
_VALUES = st.sampled_from(
    ["AUTH_REQUIRED", "SYSTEM", "failed", "cancelled", "transient", "business", "", 1, -32602, 503, True, False, None]
)
_LIKELY = st.recursive(
    _VALUES | _JSON,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS), inner, max_size=6),
    max_leaves=20,
)
_BODIES = st.none() | st.binary(max_size=60) | st.text(max_size=60) | st.builds(json.dumps, _LIKELY)
_NAMES = st.sampled_from(["Retry-After", "Date", "Content-Type", "Location", "X-Request-Id", "WWW-Authenticate"])
_CONTENTS = st.sampled_from(["5", "Sun, 06 Nov 1994 08:49:37 GMT", "application/problem+json", "http://["])
_HEADERS = st.lists(st.tuples(_NAMES | st.text(), _CONTENTS | st.text(max_size=40)), max_size=4)


@given(st.integers(-1, 1000), _HEADERS, _BODIES)
def test_no_reply_at_all_makes_reading_raise(
    status: int, headers: list[tuple[str, str]], body: bytes | str | None
) -> None:
    outcome = read_reply(status, headers, body)
    again = read_reply(status, headers, body)
    if isinstance(outcome, Reply):
        assert 200 <= status < 300
        assert outcome == again
        json.dumps(outcome.value, allow_nan=False)
    else:
        assert isinstance(again, SkillError)
        assert outcome.to_dict() == again.to_dict()
        assert 0 < len(outcome.message) <= 500
        json.dumps(outcome.to_dict(), allow_nan=False, ensure_ascii=False).encode()
        assert type(outcome) is SkillError._classes[outcome.code]


@pytest.mark.parametrize(
    "told",
    [
        pytest.param(["x" * 1000] * 500, id="long_list"),
        pytest.param({f"k{n}" * 50: n for n in range(5000)}, id="many_members"),
        pytest.param("y" * 500_000, id="long_text"),
        pytest.param(10**4000, id="long_number"),
        pytest.param(json.loads("[" * 150 + "]" * 150), id="deep"),
    ],
)
def test_an_error_stays_small_whatever_the_body(told: Any) -> None:
    bodies = (
        envelope("X", "m" * 100_000, details={"told": told}),
        tool_result(errorCode=told, extra=told),
        {"error": {"error_type": "SYSTEM", "details": {"told": told}}},
        json_rpc(-32000, data=told),
        {"detail": [{"loc": ["a" * 1000], "msg": "m" * 10_000, "actual": told}, *[{"loc": [], "msg": "m"}] * 1000]},
        {"violations": [{"field": "f" * 1000, "message": "m" * 1000, "expected": "e" * 1000}] * 1000},
        {"error": told},
    )
    headers = {"X-Request-Id": "r" * 10_000, "WWW-Authenticate": "w" * 10_000, "Location": "http://a/" + "b" * 10_000}
    for text in map(json.dumps, bodies):
        for status in (200, 307, 422, 500):
            outcome = read_reply(status, headers, text)
            if isinstance(outcome, SkillError):
                assert len(json.dumps(outcome.to_dict())) < 60_000
                assert len(outcome.message) <= 500
                assert len(outcome.request_id or "") <= 200
