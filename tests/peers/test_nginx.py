"""A real nginx in front of dead, slow and busy upstreams: its own 502, 503, 504 and 413, read and retried."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from skillproto import ErrorCode, RetryPolicy, SkillError
from skillproto.invocation.events import Event
from tests.support import faults
from tests.support.drivers import INVOKERS, Invoke, descriptor
from tests.support.faults import FaultServer, by_path, refusing_url, reply
from tests.support.nginx import Nginx

ONCE = RetryPolicy(max_attempts=1)
QUICK = RetryPolicy(initial_delay_ms=20, jitter=0, max_attempts=3)
BUSY = "limit_conn_zone $binary_remote_addr zone=busy:64k;"


@pytest.fixture(scope="module")
def upstream() -> Iterator[FaultServer]:
    with FaultServer(by_path({"/good": reply(200, {"output": "hi"}), "/slow": faults.never_answer()})) as server:
        yield server


@pytest.fixture(scope="module")
def proxy(upstream: FaultServer) -> Iterator[Nginx]:
    with refusing_url() as dead, Nginx(_locations(upstream.origin, dead)) as proxy:
        yield proxy


def _locations(upstream: str, dead: str) -> dict[str, str]:
    return {
        "/good": f"proxy_pass {upstream};",
        "/dead": f"proxy_pass {dead};",
        "/slow": f"proxy_pass {upstream}; proxy_read_timeout 200ms;",
        "/small": f"client_max_body_size 10; proxy_pass {upstream}/good;",
        "/moved": "return 307 https://elsewhere.example/;",
        "/closed": f"proxy_pass {upstream}/good; limit_except GET {{ deny all; }}",
    }


def test_a_call_through_a_proxy_goes_well(invoke: Invoke, proxy: Nginx) -> None:
    assert invoke(descriptor(proxy.url("/good"))).output == "hi"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/dead", 502, ErrorCode.ENDPOINT_UNREACHABLE),
        ("/slow", 504, ErrorCode.EXECUTION_TIMEOUT),
        ("/small", 413, ErrorCode.UNKNOWN),
        ("/moved", 307, ErrorCode.UNKNOWN),
        ("/closed", 403, ErrorCode.PERMISSION_DENIED),
        ("/nowhere", 404, ErrorCode.SKILL_NOT_FOUND),
    ],
)
def test_a_page_of_nginx_is_read_by_its_status(
    invoke: Invoke, proxy: Nginx, path: str, status: int, code: ErrorCode
) -> None:
    with pytest.raises(SkillError) as caught:
        invoke(descriptor(proxy.url(path)), policy=ONCE)
    assert (caught.value.code, caught.value.http_status, caught.value.attempts) == (code, status, 1)
    assert "<html>" not in caught.value.message


@pytest.mark.parametrize(("path", "status"), [("/dead", 502), ("/slow", 504)])
def test_a_gateway_error_is_retried_to_the_last_attempt(invoke: Invoke, proxy: Nginx, path: str, status: int) -> None:
    with pytest.raises(SkillError) as caught:
        invoke(descriptor(proxy.url(path)), policy=QUICK)
    history = caught.value.history
    assert [(attempt.http_status, attempt.wait_ms) for attempt in history] == [(status, 20), (status, 40), (status, 0)]


def test_a_503_of_a_proxy_that_lets_one_through_at_a_time_is_sat_out(invoke: Invoke) -> None:
    free = threading.Event()

    def release(event: Event) -> None:
        if event.name == "retry.scheduled":
            free.set()

    with FaultServer([faults.hold(free, reply(200, {"output": "hi"}))]) as upstream:
        location = f"limit_conn busy 1; proxy_pass {upstream.origin};"
        with Nginx({"/busy": location}, http=BUSY) as proxy, ThreadPoolExecutor(1) as pool:
            first = pool.submit(INVOKERS["sync"](), descriptor(proxy.url("/busy")), policy=ONCE)
            assert upstream.wait_for_requests(1)
            policy = RetryPolicy(initial_delay_ms=100, max_attempts=6)
            second = invoke(descriptor(proxy.url("/busy")), None, 20_000, policy=policy, on_event=release)
            assert (first.result().output, second.output) == ("hi", "hi")
    assert second.history[0].http_status == 503
    assert second.attempts > 1


def test_a_slow_upstream_behind_a_patient_proxy_ends_at_the_callers_deadline(
    invoke: Invoke, upstream: FaultServer
) -> None:
    with Nginx({"/slow": f"proxy_pass {upstream.origin};"}) as patient:
        began = time.monotonic()
        with pytest.raises(SkillError) as caught:
            invoke(descriptor(patient.url("/slow")), None, 300)
        assert time.monotonic() - began < 0.5
    assert caught.value.details["reason"] == "deadline"
    assert caught.value.details["may_have_run"] is True


def test_a_proxy_that_loses_its_upstream_half_way_is_told_as_cut_short(invoke: Invoke) -> None:
    with FaultServer([faults.half_body()]) as broken, Nginx({"/half": f"proxy_pass {broken.origin};"}) as proxy:
        skill = descriptor(proxy.url("/half"))
        with pytest.raises(SkillError) as caught:
            invoke(skill, policy=ONCE)
    details: dict[str, Any] = caught.value.details
    assert (caught.value.code, details["reason"]) == (ErrorCode.UNKNOWN, "cut_short")
