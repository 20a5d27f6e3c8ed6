"""Options of the whole suite."""

import gc
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("suite", deadline=None)  # a loaded machine is no fault of the code
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine",
        choices=("auto", "reference"),
        default="auto",
        help="reference: let jsonschema see every document, also those that the fast path accepts",
    )
    parser.addoption("--soak-seconds", type=float, default=20, help="how long the tests under full load take together")
    parser.addoption("--kills", type=int, default=4, help="how many processes are killed at each point of a call")


def pytest_collection_finish() -> None:
    """Spare the collector of garbage the thousands of tests, which stay to the end and which it would look through."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Switch the fast path off in this process when the reference is asked for."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("--engine") == "reference":
            patch.setattr("skillproto.validation.surely_valid", _never)
            patch.setattr("skillproto.rules.run.surely_valid", _never)
        yield


def _never(*arguments: object, **options: object) -> bool:
    return False
