from typing import Any

import pytest

from skillproto.rules import validate
from skillproto.violations import Violation
from tests.rules.support import index_of, with_members

RUN = "https://api.example.com/run"


def found(rule: str, **members: Any) -> list[Violation]:
    return [v for v in validate(with_members(**members)) if v.rule == f"descriptor/{rule}"]


def endpoint(url: str = RUN, **more: Any) -> dict[str, Any]:
    return {"url": url, "status_url": f"{url}/s", "result_url": f"{url}/r", **more}


@pytest.mark.parametrize("url", ["http://api.example.com/run", "HTTP://api.example.com/run"])
def test_calls_over_plain_http_are_an_error(url: str) -> None:
    violations = found("insecure-url", endpoint=endpoint(url))
    assert {(v.field, v.severity) for v in violations} == {
        ("/endpoint/url", "error"),
        ("/endpoint/status_url", "error"),
        ("/endpoint/result_url", "error"),
    }


def test_tokens_over_plain_http_are_an_error() -> None:
    auth = {"type": "oauth2", "oauth2": {"token_url": "http://login.example.com/token"}}
    assert [v.severity for v in found("insecure-url", auth=auth)] == ["error"]


def test_a_page_over_plain_http_is_a_warning() -> None:
    assert [v.severity for v in found("insecure-url", documentation_url="http://www.example.com")] == ["warning"]


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000"])
def test_a_skill_on_this_computer_is_valid_with_a_warning(host: str) -> None:
    violations = validate(with_members(endpoint=endpoint(f"http://{host}/run")))
    assert {v.rule for v in violations} == {"descriptor/private-address"}
    assert {v.severity for v in violations} == {"warning"}
    assert violations[0].details == {"kind": "loopback"}


@pytest.mark.parametrize(
    ("host", "kind"),
    [("2852039166", "metadata"), ("10.0.0.1", "private"), ("[::ffff:10.0.0.1]", "private"), ("db.internal", "private")],
)
def test_a_private_address_is_an_error_for_a_skill_that_others_see(host: str, kind: str) -> None:
    violations = found("private-address", endpoint=endpoint(f"https://{host}/run"))
    assert {(v.severity, v.details["kind"]) for v in violations} == {("error", kind)}


def test_a_private_skill_may_live_inside_a_company_but_not_at_a_metadata_service() -> None:
    inside = found("private-address", access="private", endpoint=endpoint("https://skills.internal/run"))
    assert {v.severity for v in inside} == {"warning"}
    metadata = found("private-address", access="private", endpoint=endpoint("https://169.254.169.254/run"))
    assert {v.severity for v in metadata} == {"error"}


@pytest.mark.parametrize(
    ("url", "carrier"),
    [
        ("https://ann:secret@www.example.com/", "a user part before the host"),
        ("https://ann@www.example.com/", "a user part before the host"),
        ("https://www.example.com/?api_key=abcdef", "a secret in the query"),
        ("https://www.example.com/?a=1&access_token=abcdef", "a secret in the query"),
    ],
)
def test_credentials_in_an_address_are_found_and_never_shown(url: str, carrier: str) -> None:
    (violation,) = found("url-credentials", documentation_url=url)
    assert carrier in violation.message
    assert "abcdef" not in str(violation)
    assert "ann" not in str(violation)


@pytest.mark.parametrize(
    "url", ["https://www.example.com/?page=2", "https://www.example.com/a@b", "https://www.example.com/?q=token"]
)
def test_an_address_without_credentials_is_fine(url: str) -> None:
    assert found("url-credentials", documentation_url=url) == []


@pytest.mark.parametrize(
    "url",
    [
        "https://api.example.net/s",
        "https://example.com/s",
        "https://api.example.com:8443/s",
        "http://api.example.net/s",
        "https://api.example.com.evil.example/s",
        "https://api.example.com@evil.example/s",
    ],
)
def test_a_status_address_elsewhere_is_an_error(url: str) -> None:
    (violation,) = found("foreign-origin", endpoint=endpoint(status_url=url))
    assert (violation.field, violation.severity) == ("/endpoint/status_url", "error")
    assert violation.expected == "an address at https://api.example.com"


@pytest.mark.parametrize("name", ["url", "status_url", "result_url"])
def test_plain_http_alone_makes_no_second_finding(name: str) -> None:
    address = "http://api.example.com/{execution_id}" if name != "url" else "http://api.example.com/run"
    (violation,) = validate(with_members(endpoint=endpoint() | {name: address}))
    assert (violation.rule, violation.field) == ("descriptor/insecure-url", f"/endpoint/{name}")


def test_plain_http_to_this_computer_is_another_origin_than_https_to_it() -> None:
    (violation,) = found("foreign-origin", endpoint=endpoint("https://localhost/run", status_url="http://localhost/s"))
    assert violation.field == "/endpoint/status_url"


@pytest.mark.parametrize("url", ["https://api..example.com/run", "https://api.example.org\\x", "https://-a.example/"])
def test_a_broken_endpoint_has_no_origin_that_others_could_miss(url: str) -> None:
    (violation,) = validate(with_members(endpoint=endpoint() | {"url": url}))
    assert (violation.rule, violation.field) == ("schema/format", "/endpoint/url")


@pytest.mark.parametrize(
    "url", ["https://API.example.com/s", "https://api.example.com:443/s/{execution_id}", f"{RUN}?a=b"]
)
def test_the_same_origin_in_another_spelling_is_fine(url: str) -> None:
    assert found("foreign-origin", endpoint=endpoint(status_url=url)) == []


@pytest.mark.parametrize(
    ("left", "field"),
    [
        ({"status_url"}, "/endpoint/result_url"),
        ({"result_url"}, "/endpoint/status_url"),
        (set(), "/endpoint/status_url"),
    ],
)
def test_an_endpoint_that_cannot_be_followed_gets_one_warning(left: set[str], field: str) -> None:
    members = {name: url for name, url in endpoint().items() if name == "url" or name in left}
    (violation,) = found("no-status-url", endpoint=members)
    assert (violation.field, violation.severity) == (field, "warning")


def test_an_unknown_variable_is_named() -> None:
    (violation,) = found("template-variable", endpoint=endpoint(result_url=RUN + "/{id}/result"))
    assert "{id}" in violation.message


def test_the_addresses_of_an_index_are_looked_at_too() -> None:
    violations = validate(index_of({"descriptor_url": "http://10.0.0.1/skill.json"}), schema="index")
    assert {(v.rule, v.field) for v in violations} == {
        ("descriptor/insecure-url", "/skills/0/descriptor_url"),
        ("descriptor/private-address", "/skills/0/descriptor_url"),
    }
