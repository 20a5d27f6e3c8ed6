"""Fixtures of the tests of agents."""

import pytest

from tests.support.agents import Driver
from tests.support.drivers import DRIVERS


@pytest.fixture(params=DRIVERS)
def driver(request: pytest.FixtureRequest) -> Driver:
    """Each driver in turn: threads, asyncio, trio."""
    return Driver(request.param)
