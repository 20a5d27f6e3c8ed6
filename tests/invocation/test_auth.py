import traceback
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from skillproto.errors import AuthRequired, ErrorCode, SkillError, UsageError
from skillproto.invocation.auth import AuthRequest, Credentials, Grant
from skillproto.invocation.origins import is_loopback, origin_of, require_safe_transport, same_origin

KEY = "k3y-0123456789"
URL = "https://api.example/invoke"
API_KEY = SimpleNamespace(type="api_key", header="X-Skill-Key")
OAUTH2 = SimpleNamespace(type="oauth2")
CUSTOM = SimpleNamespace(type="custom")
NONE = SimpleNamespace(type="none")


@pytest.fixture(autouse=True)
def no_ambient_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SKILLPROTO_CREDENTIALS", raising=False)


@pytest.mark.parametrize(
    ("given", "auth", "headers"),
    [
        pytest.param(KEY, API_KEY, {"X-Skill-Key": KEY}, id="text_as_api_key"),
        pytest.param(KEY, SimpleNamespace(type="api_key"), {"X-API-Key": KEY}, id="default_header"),
        pytest.param(KEY, SimpleNamespace(type="api_key", header=None), {"X-API-Key": KEY}, id="header_none"),
        pytest.param(KEY, OAUTH2, {"Authorization": "Bearer " + KEY}, id="text_as_token"),
        pytest.param("Bearer " + KEY, OAUTH2, {"Authorization": "Bearer " + KEY}, id="scheme_given_too"),
        pytest.param(KEY + "\n", OAUTH2, {"Authorization": "Bearer " + KEY}, id="read_from_a_file"),
        pytest.param({"api_key": KEY, "token": "t0ken"}, API_KEY, {"X-Skill-Key": KEY}, id="member_for_api_key"),
        pytest.param({"api_key": KEY, "token": "t0ken"}, OAUTH2, {"Authorization": "Bearer t0ken"}, id="member_token"),
        pytest.param(
            {"headers": {"X-Tenant": "a", "X-Sig": KEY}}, CUSTOM, {"X-Tenant": "a", "X-Sig": KEY}, id="headers"
        ),
        pytest.param({"https://API.example:443": KEY}, API_KEY, {"X-Skill-Key": KEY}, id="by_origin"),
        pytest.param({"https://api.example": {"token": KEY}}, OAUTH2, {"Authorization": "Bearer " + KEY}, id="nested"),
        pytest.param(lambda: KEY, API_KEY, {"X-Skill-Key": KEY}, id="function"),
        pytest.param(lambda extra=1: KEY, API_KEY, {"X-Skill-Key": KEY}, id="function_with_a_default"),
        pytest.param(
            lambda request: KEY + request.method, API_KEY, {"X-Skill-Key": KEY + "POST"}, id="asked_per_request"
        ),
        pytest.param(lambda request: {"X-Sig": request.url}, CUSTOM, {"X-Sig": URL}, id="signing"),
        pytest.param(Credentials(KEY), API_KEY, {"X-Skill-Key": KEY}, id="already_credentials"),
        pytest.param(KEY, NONE, {}, id="none_wanted"),
        pytest.param(None, NONE, {}, id="none_wanted_none_given"),
    ],
)
def test_each_kind_of_credentials_becomes_its_headers(given: Any, auth: Any, headers: dict[str, str]) -> None:
    assert Credentials(given).headers_for(auth, URL) == headers


def test_the_environment_gives_credentials_by_origin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLPROTO_CREDENTIALS", '{"https://api.example": "from-env"}')
    assert Credentials().headers_for(OAUTH2, URL) == {"Authorization": "Bearer from-env"}
    assert Credentials("given").headers_for(OAUTH2, URL) == {"Authorization": "Bearer given"}
    with pytest.raises(AuthRequired, match=r"none was given for https://other\.example"):
        Credentials().headers_for(OAUTH2, "https://other.example/")


@pytest.mark.parametrize(
    "text", [KEY, '"k3y-0123456789"', "[]", "{}", '{"token": "k3y-0123456789"}', '{"k3y-0123456789']
)
def test_an_environment_without_origins_is_refused_and_not_shown(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("SKILLPROTO_CREDENTIALS", text)
    with pytest.raises(UsageError, match="JSON object") as caught:
        Credentials()
    assert KEY not in _everything(caught.value)


@pytest.mark.parametrize(
    "given", [None, "", " \n", {"token": KEY}, {"https://other.example": KEY}, lambda: None, lambda: ""]
)
@pytest.mark.parametrize("auth", [API_KEY, CUSTOM])
def test_missing_credentials_are_refused_locally_with_advice(given: Any, auth: Any) -> None:
    with pytest.raises(AuthRequired, match="credentials=") as caught:
        Credentials(given).headers_for(auth, URL)
    assert (caught.value.code, caught.value.attempts) == (ErrorCode.AUTH_REQUIRED, 0)
    assert caught.value.details == {"reason": "no_credentials", "auth_type": auth.type}
    assert KEY not in _everything(caught.value)


def test_a_plain_text_is_no_answer_to_a_custom_kind() -> None:
    with pytest.raises(UsageError, match="a way of its own") as caught:
        Credentials(KEY).headers_for(CUSTOM, URL)
    assert KEY not in _everything(caught.value)


@pytest.mark.parametrize("auth", [API_KEY, OAUTH2, CUSTOM])
@pytest.mark.parametrize(
    "url",
    [
        "http://api.example/",
        "http://10.0.0.1/",
        "http://2130706433/",
        "http://127.0.0.1.evil.example/",
        "ftp://api.example/",
        "https://",
        "https:///x",
        "//api.example/",
        "https://api.example:99999/",
        "https://[::1",
        "https://a.example\\@b.example/",
        " https://api.example/",
        "https://api.exa\nmple/",
        "",
    ],
)
def test_credentials_go_nowhere_unsafe(auth: Any, url: str) -> None:
    asked: list[AuthRequest] = []

    def sign(request: AuthRequest) -> dict[str, str]:
        asked.append(request)
        return {"X-Sig": KEY}

    with pytest.raises(UsageError) as caught:
        Credentials(sign).headers_for(auth, url)
    assert asked == []
    assert KEY not in _everything(caught.value)


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000/", "http://localhost/", "http://[::1]:9/", "https://10.0.0.1/"])
def test_this_machine_may_be_called_without_tls(url: str) -> None:
    assert Credentials(KEY).headers_for(API_KEY, url) == {"X-Skill-Key": KEY}


@pytest.mark.parametrize(
    "to",
    [
        "https://api.example:8443/",
        "http://api.example/",
        "https://api.example.evil.example/",
        "https://sub.api.example/",
        "https://api.example@evil.example/",
        "https://evil.example/?https://api.example",
        "nonsense",
    ],
)
def test_a_grant_gives_nothing_to_another_origin(to: str) -> None:
    assert Credentials(KEY).grant(API_KEY, URL).headers("GET", to) == ()
    assert Credentials(lambda request: KEY).grant(API_KEY, URL).headers("GET", to) == ()


@pytest.mark.parametrize(
    "value", [f"{KEY}\r\nX-Evil: 1", f"{KEY}\nx", f"{KEY}\0", f"{KEY}ñ", f"{KEY}\u2028", 7, b"k3y", True]
)
@pytest.mark.parametrize("wrap", [lambda v: lambda: v, lambda v: {"api_key": v}, lambda v: lambda: {"X-A": v}])
def test_what_cannot_stand_in_a_header_is_refused_and_not_shown(value: Any, wrap: Callable[[Any], Any]) -> None:
    with pytest.raises(UsageError, match="visible ASCII") as caught:
        Credentials(wrap(value)).headers_for(API_KEY, URL)
    assert "k3y" not in _everything(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "content-length",
        "Transfer-Encoding",
        "CONNECTION",
        "Proxy-Authorization",
        "Idempotency-Key",
        "Content-Type",
        "X Y",
        "X:Y",
        "",
        "X\r\nY",
        "Ñ",
        5,
    ],
)
def test_a_header_that_is_not_for_credentials_is_refused(name: Any) -> None:
    with pytest.raises(UsageError):
        Credentials({"headers": {name: KEY}}).headers_for(CUSTOM, URL)
    if name:
        with pytest.raises(UsageError):
            Credentials(KEY).headers_for(SimpleNamespace(type="api_key", header=name), URL)


@pytest.mark.parametrize(
    "given", [5, [KEY], {"key": KEY}, {"https://a.example": 5}, {"https://a.example": KEY, "token": KEY}, {}]
)
def test_credentials_in_no_known_form_are_refused_and_not_shown(given: Any) -> None:
    with pytest.raises(UsageError) as caught:
        Credentials(given)
    assert KEY not in _everything(caught.value)


def test_a_function_is_asked_once_for_a_call_and_anew_for_the_next() -> None:
    keys = iter(["first-key", "second-key"])
    credentials = Credentials(lambda: next(keys))
    grant = credentials.grant(API_KEY, URL)
    assert grant.headers("POST", URL) == grant.headers("GET", URL) == (("X-Skill-Key", "first-key"),)
    assert credentials.headers_for(API_KEY, URL) == {"X-Skill-Key": "second-key"}


def test_a_signing_function_sees_the_whole_request_each_time() -> None:
    asked: list[AuthRequest] = []

    def sign(request: AuthRequest) -> dict[str, str]:
        asked.append(request)
        return {"X-Signature": f"signature-{len(asked)}"}

    grant = Credentials(sign).grant(CUSTOM, URL)
    assert grant.headers("POST", URL, (("Accept", "a/b"),), b"{}") == (("X-Signature", "signature-1"),)
    assert grant.headers("GET", URL + "/1") == (("X-Signature", "signature-2"),)
    assert asked == [AuthRequest("POST", URL, {"Accept": "a/b"}, b"{}"), AuthRequest("GET", URL + "/1", {}, None)]
    assert grant.secrets == ["signature-1", "signature-2"]


def test_a_function_that_raises_is_an_error_of_ours_with_its_cause() -> None:
    def broken() -> str:
        raise KeyError(KEY)

    with pytest.raises(AuthRequired, match="raised KeyError; nothing was sent") as caught:
        Credentials(broken).headers_for(API_KEY, URL)
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.details == {"reason": "credentials_failed"}
    assert KEY not in str(caught.value)


def test_a_skill_error_of_the_function_passes_as_it_is() -> None:
    def refused() -> str:
        raise SkillError(ErrorCode.PERMISSION_DENIED, "no")

    with pytest.raises(SkillError) as caught:
        Credentials(refused).headers_for(API_KEY, URL)
    assert caught.value.code is ErrorCode.PERMISSION_DENIED


def test_an_async_function_is_refused_with_advice() -> None:
    async def token() -> str:
        return KEY

    with pytest.raises(UsageError, match="must not be async"):
        Credentials(token).headers_for(OAUTH2, URL)


def test_no_repr_shows_a_secret() -> None:
    given = {"https://api.example": {"token": KEY, "headers": {"X-Sig": KEY}}}
    credentials = Credentials(given)
    shown = [
        repr(credentials),
        str(credentials),
        repr(credentials.grant(OAUTH2, URL)),
        repr(Credentials(KEY)),
        repr(Credentials()),
    ]
    assert KEY not in "".join(shown)
    assert shown == ["Credentials([redacted])"] * 2 + [
        "Grant('oauth2', 'https://api.example')",
        "Credentials([redacted])",
        "Credentials()",
    ]
    assert repr(credentials.grant(NONE, URL)) == "Grant('none')"


def test_secrets_name_every_text_to_mask() -> None:
    assert Credentials({"api_key": "aaaa", "headers": {"X": "bbbb"}}).secrets == ["aaaa", "bbbb"]
    grant: Grant = Credentials(lambda: KEY).grant(OAUTH2, URL)
    assert grant.secrets == ["Bearer " + KEY, KEY]
    assert Credentials(KEY).grant(NONE, URL).secrets == []


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.255.0.9", True),
        ("::1", True),
        ("[::1]", True),
        ("::ffff:127.0.0.1", True),
        ("LOCALHOST", True),
        ("::ffff:10.0.0.1", False),
        ("0.0.0.0", False),
        ("::", False),
        ("localhost.", False),
        ("x.localhost", False),
        ("127.1", False),
        ("0x7f000001", False),
        ("128.0.0.1", False),
        ("", False),
    ],
)
def test_loopback_is_taken_only_as_plainly_written(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://A.Example", "https://a.example"),
        ("HTTP://a.example:80/x", "http://a.example"),
        ("https://a.example:80", "https://a.example:80"),
        ("https://u:p@a.example:444/?q#f", "https://a.example:444"),
        ("http://[2001:DB8::1]:81/", "http://[2001:db8::1]:81"),
    ],
)
def test_an_origin_is_written_in_one_way(url: str, origin: str) -> None:
    assert origin_of(url) == origin
    assert same_origin(url, origin + "/other")


def test_two_addresses_that_are_none_have_no_same_origin() -> None:
    assert not same_origin("", "")


def test_an_unsafe_address_is_named_without_its_user_part() -> None:
    with pytest.raises(UsageError) as caught:
        require_safe_transport("http://ann:pw@api.example/?key=1")
    assert str(caught.value).startswith("http://api.example is not encrypted")


def _everything(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))


@pytest.mark.parametrize(
    ("value", "secrets"),
    [
        ("Basic YW5uOmgwcnNl", ["Basic YW5uOmgwcnNl", "YW5uOmgwcnNl", "ann:h0rse", "h0rse"]),
        ("Basic !!!!", ["Basic !!!!", "!!!!"]),
    ],
)
def test_the_password_of_a_basic_header_is_masked_too(value: str, secrets: list[str]) -> None:
    grant = Credentials({"headers": {"Authorization": value}}).grant(CUSTOM, URL)
    assert grant.secrets == secrets
