import time

import httpx
import pytest

from tests.support import faults
from tests.support.faults import FaultServer, Request, Step, reply


def _client(server: FaultServer) -> httpx.Client:
    return httpx.Client(verify=server.client_context(), trust_env=False, timeout=5)


def test_each_request_takes_the_next_step_and_the_last_one_stays() -> None:
    with FaultServer([reply(503), reply(200, {"output": 1})]) as server, httpx.Client(trust_env=False) as client:
        statuses = [client.post(server.url, json={"a": 1}).status_code for _ in range(3)]
    assert statuses == [503, 200, 200]
    assert [request.json() for request in server.requests] == [{"a": 1}] * 3
    assert server.requests[0].path == "/invoke"
    assert server.connections == 1


@pytest.mark.parametrize(
    ("step", "error"),
    [
        pytest.param(faults.reset_before_reply(), httpx.ReadError, id="reset"),
        pytest.param(faults.close_before_reply(), httpx.RemoteProtocolError, id="closed"),
        pytest.param(faults.reset_during_body(), httpx.ReadError, id="reset_during_body"),
        pytest.param(faults.half_body(), httpx.RemoteProtocolError, id="half_body"),
        pytest.param(faults.half_chunks(), httpx.RemoteProtocolError, id="half_chunks"),
        pytest.param(faults.bad_chunk(), httpx.RemoteProtocolError, id="bad_chunk"),
        pytest.param(faults.huge_header(), httpx.RemoteProtocolError, id="huge_header"),
        pytest.param(faults.raw(b"SSH-2.0-x\r\n"), httpx.RemoteProtocolError, id="not_http"),
        pytest.param(faults.never_answer(), httpx.ReadTimeout, id="never_answer"),
        pytest.param(faults.drip(interval_s=1), httpx.ReadTimeout, id="slow_drip"),
    ],
)
def test_a_fault_is_what_it_says(step: Step, error: type[Exception]) -> None:
    with FaultServer([step]) as server:
        with httpx.Client(trust_env=False, timeout=0.3) as client, pytest.raises(error):
            client.post(server.url, json={})
        assert server.wait_until_closed(2)
    assert len(server.requests) == 1


def test_a_kept_connection_is_closed_after_the_reply() -> None:
    with FaultServer([faults.close_kept_connection({"output": 1})]) as server, httpx.Client(trust_env=False) as client:
        answer = client.get(server.url)
        assert "connection" not in answer.headers
        assert server.wait_until_closed()


def test_a_drip_arrives_whole() -> None:
    with FaultServer([faults.drip(b"1", 0.02, 5)]) as server:
        assert httpx.get(server.url, trust_env=False).json() == 11111


def test_a_bomb_is_small_on_the_wire() -> None:
    with FaultServer([faults.gzip_bomb(20 << 20)]) as server:
        answer = httpx.get(server.url, trust_env=False)
    assert int(answer.headers["content-length"]) < 25_000
    assert len(answer.content) == (20 << 20) + 2


def test_an_endless_body_stops_with_the_client() -> None:
    with FaultServer([faults.endless()]) as server:
        with httpx.Client(trust_env=False) as client, client.stream("GET", server.url) as answer:
            assert len(next(answer.iter_raw())) > 0
        assert server.wait_until_closed()


def test_http10_has_no_length() -> None:
    with FaultServer([faults.http10(200, {"output": 1})]) as server:
        answer = httpx.get(server.url, trust_env=False)
    assert answer.http_version == "HTTP/1.0"
    assert answer.json() == {"output": 1}


def test_a_redirect_names_its_target() -> None:
    with FaultServer([faults.redirect("https://elsewhere.example/")]) as server:
        assert httpx.get(server.url, trust_env=False).headers["location"] == "https://elsewhere.example/"


def test_a_script_can_look_at_the_request() -> None:
    def by_method(request: Request) -> Step:
        return reply(200 if request.method == "GET" else 405)

    with FaultServer(by_method) as server:
        assert httpx.get(server.url, trust_env=False).status_code == 200
        assert httpx.put(server.url, trust_env=False).status_code == 405


def test_paths_have_scripts_of_their_own() -> None:
    script = faults.by_path({"/a": reply(201), "/b": [reply(202), reply(200)]})
    with FaultServer(script) as server, httpx.Client(trust_env=False) as client:
        statuses = [client.get(server.origin + path).status_code for path in ("/b", "/a?x=1", "/b", "/c")]
    assert statuses == [202, 201, 200, 404]


def test_a_good_certificate_is_taken() -> None:
    with FaultServer([reply(200)], tls="verified") as server, _client(server) as client:
        assert client.get(server.url).status_code == 200


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("self_signed", "self-signed certificate"),
        ("unknown_ca", "unable to get local issuer|self-signed certificate in certificate chain"),
        ("wrong_host", "mismatch"),
        ("expired", "expired"),
    ],
)
def test_a_bad_certificate_is_bad_in_its_own_way(kind: faults.TLS, words: str) -> None:
    with FaultServer([reply(200)], tls=kind) as server, _client(server) as client:
        with pytest.raises(httpx.ConnectError, match=words):
            client.get(server.url)
        assert server.wait_until_closed()
    assert server.requests == []
    assert server.failed_handshakes == 1


def test_a_refusing_address_refuses() -> None:
    with faults.refusing_url() as url, pytest.raises(httpx.ConnectError):
        httpx.get(url, trust_env=False)


def test_a_silent_address_lets_connecting_time_out() -> None:
    with faults.silent_url() as url, pytest.raises(httpx.ConnectTimeout):
        httpx.get(url, trust_env=False, timeout=0.2)


def test_stopping_does_not_wait_for_slow_steps() -> None:
    with FaultServer([faults.never_answer()]) as server:
        with httpx.Client(trust_env=False, timeout=0.1) as client, pytest.raises(httpx.ReadTimeout):
            client.get(server.url)
        started = time.monotonic()
    assert time.monotonic() - started < 1
    assert server.open_connections == 0
