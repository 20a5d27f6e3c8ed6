"""Tokens on a clock of our own, what a token endpoint may answer, and where a secret may go."""

import json
from collections.abc import Generator
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillproto.errors import AuthRequired, RetryHint, SkillError, UsageError, is_retryable
from skillproto.invocation.auth import ENVIRONMENT_NAME, Credentials
from skillproto.invocation.oauth import ClientCredentials, TokenGrant
from skillproto.invocation.token_replies import LIMIT_BYTES, NewToken, read_token
from skillproto.invocation.wire import Action, Incoming, Lost, Replied, Send, Stopped, Wait, Woke

SKILL = "https://skill.example/run"
AUTH = SimpleNamespace(
    type="oauth2", oauth2=SimpleNamespace(token_url="https://skill.example/token", scopes={"a": "", "b": ""})
)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


Obtaining = Generator[Action, Incoming, SkillError | None]


class Calls:
    """Calls that share one client and one clock, each at whatever point it has come to."""

    def __init__(self, **options: Any) -> None:
        self.clock = Clock()
        self.client = ClientCredentials("agent", "s3cret", **options)

    def begin(self, limit_s: float = 10, auth: Any = AUTH) -> tuple[TokenGrant, Obtaining]:
        grant = self.client.grant(auth, SKILL)
        return grant, grant.obtain(SKILL, self.clock, limit_s)

    def sent(self, obtaining: Obtaining) -> Send:
        action = next(obtaining)
        assert isinstance(action, Send), action
        return action

    def token_of_a_call(self, answer: Incoming | None = None) -> str:
        """Give the token that a whole call gets; an answer is for the request that it must make."""
        grant, obtaining = self.begin()
        if answer is None:
            assert end(obtaining, None) is None
        else:
            self.sent(obtaining)
            assert end(obtaining, answer) is None
        return bearer(grant)


def end(obtaining: Obtaining, event: Incoming | None) -> SkillError | None:
    with pytest.raises(StopIteration) as stopped:
        obtaining.send(event)  # type: ignore[arg-type]
    error: SkillError | None = stopped.value.value
    return error


def bearer(grant: TokenGrant) -> str:
    (header,) = grant.headers("POST", SKILL)
    assert header[0] == "Authorization"
    return header[1].removeprefix("Bearer ")


def issued(text: str, expires_in: Any = 100, **more: Any) -> Replied:
    return Replied(200, (), json.dumps({"access_token": text, "expires_in": expires_in, **more}).encode())


# When a token is got.


def test_a_token_is_used_until_a_fifth_of_its_life_is_left_then_renewed() -> None:
    calls = Calls()
    assert calls.token_of_a_call(issued("first")) == "first"
    calls.clock.now += 79
    assert calls.token_of_a_call() == "first"
    calls.clock.now += 2
    assert calls.token_of_a_call(issued("second")) == "second"
    assert calls.token_of_a_call() == "second"


def test_while_one_call_renews_a_token_the_others_use_the_old_one() -> None:
    calls = Calls()
    calls.token_of_a_call(issued("first"))
    calls.clock.now += 81
    grant, obtaining = calls.begin()
    assert calls.sent(obtaining).limit_s == 5
    assert calls.token_of_a_call() == "first"
    assert end(obtaining, issued("second")) is None
    assert (bearer(grant), calls.token_of_a_call()) == ("second", "second")


@pytest.mark.parametrize("answer", [Lost("refused", sent=False), Lost("timeout", sent=True), Replied(503, (), b"")])
def test_a_token_that_cannot_be_renewed_is_used_until_it_expires(answer: Incoming) -> None:
    calls = Calls()
    calls.token_of_a_call(issued("first"))
    calls.clock.now += 81
    assert calls.token_of_a_call(answer) == "first"
    assert calls.token_of_a_call() == "first"  # not asked again at once
    calls.clock.now += 10
    assert calls.token_of_a_call(answer) == "first"
    calls.clock.now += 9
    _, obtaining = calls.begin()
    calls.sent(obtaining)
    error = end(obtaining, answer)
    assert error is not None
    assert error.details["step"] == "token"


@pytest.mark.parametrize("expires_in", [None, -1, True, "soon", 10**12, float("1e300"), [], "3600 "])
def test_a_life_that_makes_no_sense_is_as_if_it_were_not_told(expires_in: Any) -> None:
    calls = Calls()
    calls.token_of_a_call(issued("first", expires_in))
    calls.clock.now += 10**9
    assert calls.token_of_a_call() == "first"


@pytest.mark.parametrize("expires_in", [3600, 3600.0, "3600"])
def test_a_long_life_is_renewed_a_minute_before_its_end(expires_in: Any) -> None:
    calls = Calls()
    calls.token_of_a_call(issued("first", expires_in))
    calls.clock.now += 3539
    assert calls.token_of_a_call() == "first"
    calls.clock.now += 2
    assert calls.token_of_a_call(issued("second")) == "second"


def test_a_token_without_any_life_serves_the_call_that_got_it() -> None:
    calls = Calls()
    assert calls.token_of_a_call(issued("first", 0)) == "first"
    assert calls.token_of_a_call(issued("second", 0)) == "second"


def test_a_token_counts_from_when_it_was_asked_for() -> None:
    calls = Calls()
    _, obtaining = calls.begin()
    calls.sent(obtaining)
    calls.clock.now += 8
    end(obtaining, issued("first"))
    calls.clock.now += 73
    assert calls.token_of_a_call(issued("second")) == "second"


# Who gets it.


def test_those_who_wait_get_the_token_of_the_one_who_asks() -> None:
    calls = Calls()
    _, first = calls.begin()
    calls.sent(first)
    grant, second = calls.begin()
    assert next(second) == Wait(0.005)
    assert second.send(Woke()) == Wait(0.0075)
    end(first, issued("shared", 0))
    assert end(second, Woke()) is None
    assert bearer(grant) == "shared"


@pytest.mark.parametrize("leave", ["closed", "stopped", "out_of_time"])
def test_where_the_one_who_asks_leaves_the_next_one_asks(leave: str) -> None:
    calls = Calls()
    _, first = calls.begin(0.1)
    calls.sent(first)
    grant, second = calls.begin()
    next(second)
    match leave:
        case "closed":
            first.close()
        case "stopped":
            with pytest.raises(SkillError, match="cancelled"):
                first.send(Stopped())
        case _:
            assert end(first, Lost("timeout", sent=True)) is not None
    assert isinstance(second.send(Woke()), Send)
    assert end(second, issued("own")) is None
    assert bearer(grant) == "own"


def test_those_who_wait_end_with_their_own_time() -> None:
    calls = Calls()
    _, first = calls.begin()
    calls.sent(first)
    _, second = calls.begin(0.004)
    wait = next(second)
    assert isinstance(wait, Wait)
    assert wait.seconds == pytest.approx(0.004)
    calls.clock.now += 0.01
    error = end(second, Woke())
    assert error is not None
    assert (error.code, error.details["timeout_ms"]) == ("EXECUTION_TIMEOUT", 4)


def test_a_refused_token_is_forgotten_unless_another_has_taken_its_place() -> None:
    calls = Calls()
    refusal = Replied(401, (("WWW-Authenticate", 'Basic, bearer scope="a", ERROR=invalid_token'),), b"")
    old, obtaining = calls.begin()
    calls.sent(obtaining)
    end(obtaining, issued("old"))
    late, obtaining = calls.begin()
    end(obtaining, None)
    assert old.heard(refusal)
    assert calls.token_of_a_call(issued("new")) == "new"
    assert late.heard(refusal)
    assert calls.token_of_a_call() == "new"
    assert not late.heard(refusal)  # it has no token now


def test_skills_that_ask_for_other_scopes_have_other_tokens() -> None:
    calls = Calls()
    other = SimpleNamespace(
        type="oauth2", oauth2=SimpleNamespace(token_url=AUTH.oauth2.token_url, scopes={"admin": ""})
    )
    calls.token_of_a_call(issued("small"))
    _, obtaining = calls.begin(auth=other)
    body = calls.sent(obtaining).request.body
    assert body is not None
    assert parse_qs(body.decode())["scope"] == ["admin"]


# Where a secret may go.


def test_a_descriptor_cannot_send_the_secret_to_another_origin() -> None:
    auth = SimpleNamespace(type="oauth2", oauth2=SimpleNamespace(token_url="https://evil.example/token", scopes={}))
    with pytest.raises(AuthRequired) as caught:
        ClientCredentials("agent", "s3cret").grant(auth, SKILL)
    assert caught.value.details == {"reason": "foreign_token_url"}
    named = ClientCredentials("agent", "s3cret", token_url="https://login.example/token").grant(auth, SKILL)
    action = next(named.obtain(SKILL, Clock(), 1))
    assert isinstance(action, Send)
    assert action.request.url == "https://login.example/token"


def test_a_token_goes_to_the_origin_of_the_skill_alone() -> None:
    calls = Calls()
    grant, obtaining = calls.begin()
    calls.sent(obtaining)
    end(obtaining, issued("t0ken"))
    assert grant.headers("GET", "https://status.example/e1") == ()
    elsewhere = calls.client.grant(AUTH, SKILL)
    assert end(elsewhere.obtain("https://status.example/e1", calls.clock, 1), None) is None
    assert elsewhere.headers("GET", SKILL) == ()


def test_the_secret_travels_in_the_body_where_that_is_wanted_with_what_else_is_asked() -> None:
    calls = Calls(auth_method="post", scopes="one two", extra={"audience": "skills"})
    _, obtaining = calls.begin()
    request = calls.sent(obtaining).request
    assert "Authorization" not in dict(request.headers)
    assert parse_qs((request.body or b"").decode()) == {
        "grant_type": ["client_credentials"],
        "scope": ["one two"],
        "audience": ["skills"],
        "client_id": ["agent"],
        "client_secret": ["s3cret"],
    }


@pytest.mark.parametrize("scopes", [[], ""])
def test_no_scope_is_asked_for_where_none_is_wanted(scopes: Any) -> None:
    calls = Calls(scopes=scopes)
    _, obtaining = calls.begin()
    assert b"scope" not in (calls.sent(obtaining).request.body or b"")


@pytest.mark.parametrize("url", ["http://login.example/token", "ftp://login.example", "login.example", ""])
def test_a_token_endpoint_is_reached_by_https_or_on_this_machine(url: str) -> None:
    with pytest.raises(UsageError):
        ClientCredentials("agent", "s3cret", token_url=url)


@pytest.mark.parametrize(
    "given",
    [
        {"client_id": "", "client_secret": "s3cret"},
        {"client_id": "agent", "client_secret": 5},
        {"client_id": "agent"},
        {"client_id": "agent", "client_secret": "s3cret", "token": "s3cret"},
        {"client_id": "agent", "client_secret": "s3cret", "auth_method": "jwt"},
    ],
)
def test_a_client_that_can_never_work_is_refused_without_its_secret(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as caught:
        Credentials(given)
    assert "s3cret" not in str(caught.value)


def test_a_client_may_stand_for_an_origin_in_a_mapping_or_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    client = {"client_id": "agent", "client_secret": "s3cret-text"}
    monkeypatch.setenv(ENVIRONMENT_NAME, json.dumps({"https://skill.example": client}))
    by_itself = ClientCredentials("agent", "s3cret-text")
    for source in (None, client, {"https://skill.example": client}, by_itself):
        credentials = Credentials(source)
        grant = credentials.grant(AUTH, SKILL)
        assert isinstance(grant.tokens, TokenGrant)
        assert "s3cret-text" in credentials.secrets
        assert "s3cret" not in repr((credentials, grant))


def test_a_client_is_of_no_use_to_a_skill_that_asks_for_a_key() -> None:
    with pytest.raises(AuthRequired, match="API key"):
        ClientCredentials("agent", "s3cret").grant(SimpleNamespace(type="api_key", oauth2=None), SKILL)


# What a token endpoint may answer.


@pytest.mark.parametrize(
    ("status", "body", "code", "reason", "again"),
    [
        (400, {"error": "invalid_request"}, "AUTH_REQUIRED", "token_refused", False),
        (401, {"error": "invalid_client"}, "AUTH_REQUIRED", "token_refused", False),
        (400, {"error": "unauthorized_client"}, "PERMISSION_DENIED", "token_refused", False),
        (403, {"error": "access_denied"}, "PERMISSION_DENIED", "token_refused", False),
        (400, {"error": "invalid_scope"}, "PERMISSION_DENIED", "token_refused", False),
        (403, None, "PERMISSION_DENIED", "token_refused", False),
        (400, {"error": {"code": "x"}}, "AUTH_REQUIRED", "token_refused", False),
        (404, None, "AUTH_REQUIRED", "token_refused", False),
        (422, None, "AUTH_REQUIRED", "token_refused", False),
        (400, {"error": "temporarily_unavailable"}, "ENDPOINT_UNREACHABLE", "no_token", True),
        (500, {"error": "server_error"}, "ENDPOINT_UNREACHABLE", "no_token", True),
        (500, None, "UNKNOWN", "no_token", False),
        (408, None, "EXECUTION_TIMEOUT", "no_token", True),
        (504, None, "EXECUTION_TIMEOUT", "no_token", True),
        (429, None, "ENDPOINT_UNREACHABLE", "no_token", True),
        (502, None, "ENDPOINT_UNREACHABLE", "no_token", True),
        (503, {"error": "invalid_client"}, "ENDPOINT_UNREACHABLE", "no_token", True),
        (307, None, "UNKNOWN", "redirect", False),
        (200, {}, "UNKNOWN", "no_token", False),
        (200, [], "UNKNOWN", "no_token", False),
        (204, None, "UNKNOWN", "no_token", False),
        (200, {"access_token": ""}, "UNKNOWN", "no_token", False),
        (200, {"access_token": "two\nlines"}, "UNKNOWN", "no_token", False),
        (200, {"access_token": 5}, "UNKNOWN", "no_token", False),
        (200, {"access_token": "t", "token_type": "mac"}, "UNKNOWN", "no_token", False),
        (200, {"access_token": "t", "token_type": None}, "UNKNOWN", "no_token", False),
        (200, {"error": "invalid_client"}, "UNKNOWN", "no_token", False),
    ],
)
def test_each_refusal_has_its_code(status: int, body: Any, code: str, reason: str, again: bool) -> None:
    content = b"" if body is None else json.dumps(body).encode()
    error = read_token(Replied(status, (("retry-after", "3"),), content), "https://login.example")
    assert isinstance(error, SkillError)
    assert (error.code, error.details["reason"], error.http_status) == (code, reason, status)
    assert is_retryable(error) is again
    assert error.retry == (RetryHint(3000) if status != 200 and status != 204 else None)


@pytest.mark.parametrize("body", [b"\xff", b"{", b"[" * 100_000, b" " * (LIMIT_BYTES + 1) + b"{}", b'"t"', b"null"])
def test_what_is_no_object_in_json_is_no_token(body: bytes) -> None:
    assert isinstance(read_token(Replied(200, (), body), "https://login.example"), SkillError)


def test_a_token_type_is_read_in_any_case_and_may_be_missing() -> None:
    for more in ({}, {"token_type": "bearer"}, {"token_type": "BEARER"}):
        assert read_token(issued("t", 5, **more), "https://login.example") == NewToken("t", 5)


_MEMBERS = st.sampled_from(["access_token", "token_type", "expires_in", "error", "error_description", "x"])
_VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text(), max_size=2)
_WORDS = st.sampled_from(["bearer", "invalid_client", "slow_down", "s3cret", "t0ken", "60"])


@given(
    st.integers(100, 599),
    st.dictionaries(_MEMBERS, _VALUES | _WORDS, max_size=6).map(json.dumps) | st.text(),
    st.sampled_from([None, "cut_short", "too_large"]),
)
def test_no_answer_makes_reading_raise_or_shows_the_secret(status: int, body: str, reason: str | None) -> None:
    read = read_token(Replied(status, (), body.encode("utf-8", "replace"), reason), "https://a.example", ["s3cret"])
    if isinstance(read, SkillError):
        text = json.dumps(read.to_dict(), allow_nan=False)
        assert "s3cret" not in text
        assert len(text) < 2000
    else:
        assert 200 <= status < 300
        assert read.life_s is None or read.life_s >= 0
