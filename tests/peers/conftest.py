"""Fixtures of the tests against real peers."""

import pytest

from tests.support.drivers import DRIVERS, INVOKERS, Invoke


@pytest.fixture(params=DRIVERS)
def invoke(request: pytest.FixtureRequest) -> Invoke:
    """Call a skill by each driver in turn."""
    return INVOKERS[request.param]()
