"""Fixtures of the tests of the testing tools."""

import pytest

from skillproto.invocation._carriers import FAMILIES, FAMILY_VARIABLE
from tests.support.drivers import DRIVERS, INVOKERS, Invoke


@pytest.fixture(params=DRIVERS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Call a skill by each driver in turn."""
    return INVOKERS[request.param]()


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have each HTTP library preferred in turn."""
    monkeypatch.setenv(FAMILY_VARIABLE, request.param)
    return str(request.param)
