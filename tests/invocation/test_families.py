"""Which HTTP library carries the requests: the variable's, else httpx2, else httpx."""

import sys
from typing import Any

import pytest

from skillproto import SkillClient, UsageError
from skillproto.invocation._carriers import FAMILIES, FAMILY_VARIABLE, family_of, preferred_family
from skillproto.testing import ScriptedTransport, output, sample_descriptor
from tests.support.drivers import Invoke, descriptor
from tests.support.faults import FaultServer, reply


@pytest.mark.parametrize("name", FAMILIES)
def test_the_variable_names_the_library(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(FAMILY_VARIABLE, name)
    assert preferred_family().__name__ == name


def test_without_the_variable_the_newer_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FAMILY_VARIABLE, raising=False)
    assert preferred_family().__name__ == "httpx2"
    monkeypatch.setitem(sys.modules, "httpx2", None)
    assert preferred_family().__name__ == "httpx"


def test_a_name_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FAMILY_VARIABLE, "requests")
    with pytest.raises(UsageError, match="SKILLPROTO_HTTP must be one of httpx, httpx2, not 'requests'"):
        SkillClient(caller_id="tests")


def test_a_library_that_is_not_there_is_refused_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FAMILY_VARIABLE, "httpx2")
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(UsageError, match=r"httpx2 is not installed; .* pip install 'skillproto\[httpx2\]'"):
        SkillClient(caller_id="tests")


@pytest.mark.parametrize("name", FAMILIES)
def test_both_libraries_carry_a_call(invoke: Invoke, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(FAMILY_VARIABLE, name)
    used: list[Any] = []
    library = preferred_family()
    for kind in (library.HTTPTransport, library.AsyncHTTPTransport):
        monkeypatch.setattr(kind, "__init__", _noting(kind.__init__, used))
    with FaultServer([reply(200, {"output": "hi"})]) as server:
        assert invoke(descriptor(server.url)).output == "hi"
    assert [family_of(transport).__name__ for transport in used] == [name]


def _noting(init: Any, used: list[Any]) -> Any:
    def noting(self: Any, *arguments: Any, **options: Any) -> None:
        used.append(self)
        init(self, *arguments, **options)

    return noting


@pytest.mark.parametrize("name", FAMILIES)
def test_a_transport_of_no_library_is_served_by_the_preferred_one(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(FAMILY_VARIABLE, name)
    asked: list[Any] = []

    class Keeping(ScriptedTransport):
        def handle_request(self, request: Any) -> Any:
            asked.append(request)
            return super().handle_request(request)

    with SkillClient(caller_id="tests", transport=Keeping([output("hi")])) as client:
        client.invoke(sample_descriptor(), {"text": "x"})
    assert family_of(asked[0]).__name__ == name
