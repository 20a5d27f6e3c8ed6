"""The check over HTTP: real sockets, bounds, and errors that are told in envelopes."""

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from skillproto import UsageError, rules
from skillproto.publishing import RegistryState
from skillproto.publishing.openapi import openapi_document, publish_schema
from skillproto.publishing.service import create_service
from skillproto.validation import check
from tests.cli.support import run, script
from tests.publishing.support import ID, published, skill
from tests.support.asgi import serving

REPLY = jsonschema.Draft202012Validator(publish_schema("reply"))


@pytest.fixture(scope="module")
def origin() -> Iterator[str]:
    with serving(create_service(max_bytes=20_000, timeout_s=2)) as address:
        yield address


def error_of(reply: httpx.Response) -> Any:
    assert check(reply.json(), "error") == []
    assert "Traceback" not in reply.text
    return reply.json()["error"]


def test_a_check_is_answered_with_the_verdict(origin: str) -> None:
    reply = httpx.post(f"{origin}/v1/check", json={"descriptor": skill(version="latest"), "state": {}})
    REPLY.validate(reply.json())
    assert (reply.status_code, reply.json()["accepted"]) == (200, False)
    assert reply.json()["rule_pack_version"] == rules.RULE_PACK_VERSION
    assert httpx.get(f"{origin}/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/v1/check", b"{", 400),
        ("POST", "/v1/check", b"", 400),
        ("POST", "/v1/check", b"\xff\xfe", 400),
        ("POST", "/v1/check", b"[" * 10_000, 400),
        ("POST", "/v1/check", b"{}", 400),
        ("POST", "/v1/check", b'{"descriptor": {}, "options": {"allow": ["x"]}}', 400),
        ("POST", "/v1/check", b'{"descriptor": {}, "options": {"probe": true}}', 403),
        ("POST", "/v1/check", b" " * 20_001, 413),
        ("GET", "/v1/check", b"", 405),
        ("GET", "/", b"", 404),
    ],
)
def test_what_cannot_be_answered_is_told_in_an_envelope(
    origin: str, method: str, path: str, body: bytes, status: int
) -> None:
    reply = httpx.request(method, origin + path, content=body)
    assert reply.status_code == status
    assert error_of(reply)["details"]["http_status"] == status


def test_a_body_without_a_length_is_bounded_too(origin: str) -> None:
    reply = httpx.post(f"{origin}/v1/check", content=(b" " * 5_000 for _ in range(10)))
    assert reply.status_code == 413


def test_a_body_that_does_not_come_ends_in_time(origin: str) -> None:
    host, port = origin.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(b"POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{")
        assert connection.recv(100).startswith(b"HTTP/1.1 408")


def test_a_state_that_cannot_be_read_is_no_finding() -> None:
    def broken() -> RegistryState:
        raise ConnectionError("db-7.internal refused")

    with serving(create_service(broken)) as origin:
        reply = httpx.post(f"{origin}/v1/check", json={"descriptor": skill()})
    assert reply.status_code == 503
    assert "db-7" not in reply.text
    assert "could not be read" in error_of(reply)["message"]


def test_a_fault_inside_is_told_without_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*arguments: object, **options: object) -> None:
        raise RuntimeError("a secret of the inside")

    monkeypatch.setattr("skillproto.publishing.exchange.publish_check", crash)
    with serving(create_service()) as origin:
        reply = httpx.post(f"{origin}/v1/check", json={"descriptor": skill()})
    assert reply.status_code == 500
    assert "secret" not in reply.text
    assert error_of(reply)["details"]["reason"] == "could-not-be-carried-out"


def test_a_service_with_a_state_takes_none_from_a_request() -> None:
    state = RegistryState([published("1.4.2")], rule_pack_version="0.9.0")
    with serving(create_service(lambda: state)) as origin:
        reply = httpx.post(f"{origin}/v1/check", json={"descriptor": skill()}).json()
        report = reply["reports"][0]
        assert report["registry_rule_pack_version"] == "0.9.0"
        assert [finding["rule"] for finding in report["findings"]] == [
            "publish/rule-pack-differs",
            "publish/version-exists",
        ]
        more: dict[str, Any]
        for more in ({"state": {}}, {"options": {"proofs": ["a.b"]}}, {"options": {"allow": [f"{ID}@1 schema/type"]}}):
            refused = httpx.post(f"{origin}/v1/check", json={"descriptor": skill()} | more)
            assert refused.status_code == 403


def test_no_more_checks_are_under_way_than_allowed_and_one_that_takes_too_long_ends() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> RegistryState:
        begun.set()
        go_on.wait(10)
        return RegistryState()

    with serving(create_service(slow, at_once=1, timeout_s=0.5)) as origin:
        first: list[httpx.Response] = []
        request = {"descriptor": skill()}
        thread = threading.Thread(target=lambda: first.append(httpx.post(f"{origin}/v1/check", json=request)))
        thread.start()
        assert begun.wait(10)
        busy = httpx.post(f"{origin}/v1/check", json=request)
        thread.join(10)
        go_on.set()
        assert (busy.status_code, busy.headers["retry-after"], first[0].status_code) == (503, "1", 504)
        until = time.monotonic() + 10
        while (again := httpx.post(f"{origin}/v1/check", json=request)).status_code == 503:
            assert time.monotonic() < until
        assert again.json()["accepted"] is True


@pytest.mark.parametrize(
    "request_value",
    [{"descriptor": {"id": "\ud800"}}, {"descriptor": {"\ud800": 1}}, {"descriptor": {"id": float("nan")}}],
    ids=["half a character", "half a character in a name", "no number"],
)
def test_what_json_or_utf_8_cannot_say_is_a_finding_and_no_fault(origin: str, request_value: Any) -> None:
    reply = httpx.post(f"{origin}/v1/check", content=json.dumps(request_value))
    assert (reply.status_code, reply.json()["accepted"]) == (200, False)
    assert "document/" in reply.text


def test_bounds_that_are_none_are_refused() -> None:
    bounds: list[dict[str, Any]] = [{"max_bytes": 0}, {"timeout_s": 0}, {"timeout_s": float("nan")}, {"at_once": 0}]
    for bound in bounds:
        with pytest.raises(UsageError, match="above 0"):
            create_service(**bound)


def test_the_openapi_document_is_valid_and_describes_what_is_answered(origin: str) -> None:
    document = httpx.get(f"{origin}/openapi.json").json()
    OpenAPIV31SpecValidator(document).validate()
    assert document == openapi_document(origin)
    assert document["servers"] == [{"url": origin}]
    operation = document["paths"]["/v1/check"]["post"]
    whole = {"components": document["components"]}
    answers = {
        "200": {"descriptor": skill(name=""), "state": {"index": [], "published": [{"id": ID, "version": "1.0.0"}]}},
        "400": {"descriptor": {}, "text": ""},
        "403": {"descriptor": {}, "options": {"probe": True}},
    }
    for status, request in answers.items():
        reply = httpx.post(f"{origin}/v1/check", json=request)
        assert str(reply.status_code) == status
        schema = operation["responses"][status]["content"]["application/json"]["schema"]
        jsonschema.Draft202012Validator(whole | schema).validate(reply.json())
        asked = operation["requestBody"]["content"]["application/json"]["schema"]
        assert jsonschema.Draft202012Validator(whole | asked).is_valid(request) is (status != "400")


def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    (tmp_path / "state.json").write_text(json.dumps({"namespaces": []}))
    command = [script(), "check-service", "--port", "0", "--state", str(tmp_path / "state.json")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        reply = httpx.post(f"{found[0]}/v1/check", json={"descriptor": skill()}).json()
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        code = process.wait(20)
    assert [finding["rule"] for finding in reply["reports"][0]["findings"]] == ["publish/namespace-unproven"]
    assert code == 130
    assert "Traceback" not in rest


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--state", "nothing.json"], 3, "cannot be read"),
        (["--host", "192.0.2.1"], 2, "cannot listen"),
        (["--timeout", "0"], 2, "above 0"),
        (["--allow-probes", "--allow-private", "x"], 2, "CIDR"),
    ],
)
def test_a_service_that_cannot_start_says_why(arguments: list[str], code: int, words: str) -> None:
    ran = run("check-service", *arguments)
    assert ran.code == code
    assert words in ran.err
