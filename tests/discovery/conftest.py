"""The small internet that the tests of discovery fetch from."""

from collections.abc import Iterator

import pytest

from skillproto.invocation._carriers import FAMILY_VARIABLE
from tests.discovery.world import World


@pytest.fixture
def world() -> Iterator[World]:
    with World() as made:
        yield made
        assert made.trap.connections == 0, "something reached the private side"


@pytest.fixture(params=["httpx", "httpx2"])
def family(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    name: str = request.param
    monkeypatch.setenv(FAMILY_VARIABLE, name)
    return name
