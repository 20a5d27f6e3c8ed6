"""The example of credentials that sign each request: it runs, and what it signs cannot be changed."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any

import pytest

from skillproto import RetryPolicy
from skillproto.invocation.auth import AuthRequest
from tests.guards.sources import ROOT
from tests.support.drivers import Invoke, descriptor
from tests.support.faults import FaultServer, reply

PATH = ROOT / "examples" / "hmac_auth.py"
SECRET = b"shared by both sides"


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = spec_from_file_location("hmac_auth", PATH)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_prints_what_it_promises() -> None:
    ran = subprocess.run([sys.executable, PATH], capture_output=True, timeout=60, check=False)
    assert (ran.stdout.decode(), ran.stderr) == ("3\nAUTH_REQUIRED: It is not signed so\n", b"")


def test_each_attempt_is_signed_over_what_it_sends(invoke: Invoke, example: ModuleType) -> None:
    signer = example.Signer("agent-1", SECRET)
    custom = {"type": "custom", "custom": {"instructions": "HMAC"}}
    with FaultServer([reply(503), reply(200, {"output": "hi"})]) as server:
        skill = descriptor(server.url + "?v=1", auth=custom, access="restricted")
        invoke(skill, credentials=signer, policy=RetryPolicy(initial_delay_ms=20))
        sent = [(dict(each.raw_headers), each) for each in server.requests]
    for headers, each in sent:
        assert example.refusal({"agent-1": SECRET}, headers, each.method, "/invoke?v=1", each.body) == ""
    assert len(sent) == 2


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        ({"body": b"other"}, "It is not signed so"),
        ({"path": "/other"}, "It is not signed so"),
        ({"method": "GET"}, "It is not signed so"),
        ({"X-Signature": ""}, "It is not signed so"),
        ({"X-Key-Id": "agent-2"}, "The key is not known"),
        ({"X-Signed-At": "0"}, "The signature is too old"),
        ({"X-Signed-At": "soon"}, "The signature is too old"),
        ({}, ""),
    ],
)
def test_whoever_changes_a_signed_request_is_refused(example: ModuleType, change: dict[str, Any], wrong: str) -> None:
    request = {"method": "POST", "path": "/count", "body": b"{}"}
    headers = example.Signer("agent-1", SECRET)(AuthRequest("POST", "http://127.0.0.1/count", {}, b"{}"))
    request |= {name: value for name, value in change.items() if name in request}
    headers |= {name: value for name, value in change.items() if name.startswith("X-")}
    assert example.refusal({"agent-1": SECRET}, headers, **request) == wrong
