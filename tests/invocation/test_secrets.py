"""Secrets that come back in a reply, in any form, are in no error, cause or event."""

import base64

import httpx
import pytest

from skillproto import SkillClient
from skillproto.errors import SkillError, ValidationFailed
from skillproto.invocation.events import Event
from skillproto.invocation.wire import Replied
from skillproto.redaction import MASK
from skillproto.violations import Violation
from tests.support.drivers import descriptor
from tests.support.simulation import accepted, finished, ready, reply, run

SECRET = "hunter2!hunter2"


@pytest.mark.parametrize(
    "echo",
    [
        reply(403, {"error": {"code": "PERMISSION_DENIED", "message": "x" * 490 + SECRET}}),
        reply(403, {"error": {"code": "PERMISSION_DENIED", "message": "No", "details": {"a": "x" * 490 + SECRET}}}),
        reply(403, {"error": {"code": "PERMISSION_DENIED", "message": "No", "details": {"reason": SECRET}}}),
        reply(403, None, **{"X-Request-Id": SECRET}),
        reply(401, None, **{"WWW-Authenticate": f"Basic realm={SECRET}"}),
        reply(302, None, Location=f"https://h.example/{SECRET}"),
        Replied(500, (), b"y" * 190 + SECRET.encode()),
        reply(422, {"detail": [{"loc": ["body", SECRET], "msg": SECRET, "type": "x"}]}),
        finished(SECRET),
    ],
    ids=["cut-message", "cut-details", "reason", "request-id", "challenge", "location", "page", "report", "output"],
)
def test_no_part_of_an_error_repeats_a_secret(echo: Replied) -> None:
    def refuse(output: object) -> None:
        raise ValidationFailed.of([Violation("/output", "object", output, "Wrong type", "schema/type")])

    trace = run([echo], prepare=lambda resuming: ready(secrets=(SECRET,), check_output=refuse))
    assert isinstance(trace.failed, SkillError)
    assert "hunter2" not in f"{trace.failed!r} {trace.failed.__dict__} {trace.failed.args} {trace.events}"


def test_neither_a_cause_nor_an_event_repeats_a_secret() -> None:
    gone = reply(404, {"error": {"code": "SKILL_NOT_FOUND", "message": f"gone: {SECRET}"}})
    steps = [accepted(SECRET), reply(200, {"status": f"at {SECRET}"}), reply(200, {"status": "completed"}), gone]
    trace = run(steps, prepare=lambda resuming: ready(secrets=(SECRET,)))
    assert isinstance(trace.failed, SkillError)
    assert "hunter2" not in f"{trace.failed.__dict__} {trace.failed.__cause__} {trace.events}"
    assert trace.failed.details["execution_id"] == MASK


def test_the_user_part_of_an_endpoints_address_is_a_secret_too() -> None:
    transport = httpx.MockTransport(
        lambda request: httpx.Response(403, text=f"no {request.headers['authorization']} pw-47112")
    )
    events: list[Event] = []
    with (
        httpx.Client(transport=transport) as own,
        SkillClient(caller_id="x", transport=own, on_event=events.append) as client,
        pytest.raises(SkillError) as raised,
    ):
        client.invoke(descriptor("https://ann:pw-47112@skill.example/run"), {"text": "x"})
    shown = f"{raised.value.__dict__} {events}"
    assert raised.value.details["seen"] == f"no Basic {MASK} {MASK}"
    assert ("pw-47112" in shown, base64.b64encode(b"ann:pw-47112").decode() in shown) == (False, False)


def test_a_key_in_the_query_of_an_endpoint_is_a_secret_too() -> None:
    transport = httpx.MockTransport(lambda request: httpx.Response(403, text=f"no: {request.url} (of 2024-06)"))
    events: list[Event] = []
    with (
        SkillClient(caller_id="x", transport=transport, on_event=events.append) as client,
        pytest.raises(SkillError) as raised,
    ):
        client.invoke(
            descriptor("https://skill.example/run?version=2024-06&api_key=k-47112%20&sig=s-9981"), {"text": "x"}
        )
    shown = f"{raised.value.__dict__} {events}"
    assert [part in shown for part in ("k-47112", "s-9981")] == [False, False]
    assert "(of 2024-06)" in shown
