"""`skillproto invoke` as an OAuth 2 client, against a token endpoint and a skill on real sockets."""

from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from tests.cli.support import Ran, run, write
from tests.support.drivers import descriptor
from tests.support.faults import FaultServer, Request, Step, reply

ID, SECRET, TOKEN = "agent-7", "s3cret of: the client", "t0ken-number-1"
ENVIRONMENT: dict[str, str | None] = {"AGENT_ID": ID, "AGENT_SECRET": SECRET}
CLIENT = ("--client-id-env", "AGENT_ID", "--client-secret-env", "AGENT_SECRET")


def answer(request: Request) -> Step:
    """A token for the right client, a result for the right token."""
    given = request.headers.get("authorization", "")
    if request.path == "/token":
        if b64decode(given.removeprefix("Basic ")).decode() == f"{ID}:s3cret+of%3A+the+client":
            return reply(200, {"access_token": TOKEN, "token_type": "Bearer", "expires_in": 60})
        return reply(401, {"error": "invalid_client", "error_description": f"not {SECRET}"})
    if given == f"Bearer {TOKEN}":
        return reply(200, {"output": "hi"})
    return reply(401, None, {"WWW-Authenticate": 'Bearer error="invalid_token"'})


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer(answer) as running:
        yield running


def skill(server: FaultServer, path: Path, token_url: str | None = None) -> Path:
    oauth2 = {"token_url": token_url or server.origin + "/token", "scopes": {"run": "call skills", "read": "read"}}
    described = descriptor(server.url, auth={"type": "oauth2", "oauth2": oauth2}, access="restricted")
    return write(path / "skill.json", described)


def invoke(path: Path, *options: object, env: dict[str, str | None] = ENVIRONMENT) -> Ran:
    ran = run("invoke", path, "-i", "text=hi", "--trace", *options, env=env)
    assert "s3cret" not in ran.out + ran.err
    assert TOKEN not in ran.out + ran.err
    return ran


def scopes_asked_for(server: FaultServer) -> Any:
    return parse_qs(server.requests[0].body.decode()).get("scope")


def test_a_client_gets_its_token_and_the_output(server: FaultServer, tmp_path: Path) -> None:
    ran = invoke(skill(server, tmp_path), *CLIENT)
    assert (ran.code, ran.json()) == (0, "hi")
    assert [request.path for request in server.requests] == ["/token", "/invoke"]
    assert scopes_asked_for(server) == ["run read"]


def test_scopes_are_those_that_are_named(server: FaultServer, tmp_path: Path) -> None:
    assert invoke(skill(server, tmp_path), *CLIENT, "--scope", "read", "--scope", "more").code == 0
    assert scopes_asked_for(server) == ["read more"]


def test_a_token_endpoint_elsewhere_must_be_named(server: FaultServer, tmp_path: Path) -> None:
    with FaultServer(answer) as login:
        path = skill(server, tmp_path, login.origin + "/token")
        refused = invoke(path, *CLIENT)
        assert (refused.code, refused.json()["error"]["code"]) == (1, "AUTH_REQUIRED")
        assert login.requests == []
        assert invoke(path, *CLIENT, "--token-url", login.origin + "/token").code == 0
        assert len(login.requests) == 1


def test_a_client_that_is_refused_is_told_so(server: FaultServer, tmp_path: Path) -> None:
    ran = invoke(skill(server, tmp_path), *CLIENT, env={**ENVIRONMENT, "AGENT_ID": "somebody"})
    assert (ran.code, ran.json()["error"]["code"]) == (1, "AUTH_REQUIRED")
    assert "invalid_client" in ran.json()["error"]["message"]
    assert [request.path for request in server.requests] == ["/token"]


@pytest.mark.parametrize(
    ("options", "env", "words"),
    [
        (CLIENT[:2], {}, "needs both --client-id-env and --client-secret-env"),
        (CLIENT[2:], {}, "needs both"),
        (("--scope", "read"), {}, "needs both"),
        (CLIENT, {"AGENT_SECRET": None}, "the environment has no AGENT_SECRET"),
        (CLIENT, {"AGENT_ID": ""}, "the environment has no AGENT_ID"),
        ((*CLIENT, "--credentials-env", "AGENT_ID"), {}, "give one of them"),
        ((*CLIENT, "--token-url", "http://login.example/token"), {}, "not encrypted"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    options: tuple[str, ...], env: dict[str, str | None], words: str, server: FaultServer, tmp_path: Path
) -> None:
    ran = invoke(skill(server, tmp_path), *options, env={**ENVIRONMENT, **env})
    assert (ran.code, ran.out, server.requests) == (2, "", [])
    assert words in " ".join(ran.err.split())


def test_the_variable_for_all_origins_takes_a_client_too(server: FaultServer, tmp_path: Path) -> None:
    given = f'{{"{server.origin}": {{"client_id": "{ID}", "client_secret": "{SECRET}"}}}}'
    assert invoke(skill(server, tmp_path), env={"SKILLPROTO_CREDENTIALS": given}).code == 0
