"""What a call tells to `logging`: one line for each attempt, retry and end, and no secret."""

import logging
import subprocess
import sys
from typing import Any

import pytest

from skillproto import SkillError
from skillproto.invocation import log
from skillproto.invocation.events import FINAL_EVENTS, Event
from skillproto.testing import FakeTime, ScriptedTransport, accepted, output, reply, sample_descriptor, state
from tests.support.drivers import Invoke

SKILL = sample_descriptor()
KEYED = sample_descriptor(auth={"type": "api_key"}, access="restricted")
SECRET = "s3cret-K3y-of-the-caller"


def told(invoke: Invoke, script: list[Any], skill: Any = SKILL, **options: Any) -> None:
    moment = FakeTime()
    invoke(
        skill, {"text": "a private text"}, transport=ScriptedTransport(script, time=moment), timing=moment, **options
    )


def names(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.skillproto_event.name) for record in caplog.records]  # type: ignore[attr-defined]


def test_at_debug_every_attempt_retry_poll_and_the_end_have_their_line(
    invoke: Invoke, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "skillproto"):
        told(invoke, [reply(503), accepted("e1"), state("completed"), output("done")])
    assert names(caplog) == [
        ("DEBUG", "invocation.started"),
        ("DEBUG", "attempt.started"),
        ("INFO", "attempt.failed"),
        ("INFO", "retry.scheduled"),
        ("DEBUG", "attempt.started"),
        ("INFO", "execution.accepted"),
        ("DEBUG", "attempt.started"),
        ("DEBUG", "execution.polled"),
        ("DEBUG", "attempt.started"),
        ("INFO", "invocation.completed"),
    ]
    assert "attempt.failed at 0 ms: step=start attempt=1 code=ENDPOINT_UNREACHABLE http_status=503" in caplog.text


def test_at_info_a_call_that_goes_well_has_one_line(invoke: Invoke, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "skillproto"):
        told(invoke, [output("done")])
    assert names(caplog) == [("INFO", "invocation.completed")]


def test_by_default_nothing_is_told_and_no_event_is_made(
    invoke: Invoke, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("skillproto.invocation.course.Event", None)
    told(invoke, [reply(503), output("done")])
    assert caplog.records == []


def test_a_program_that_sets_up_nothing_prints_nothing() -> None:
    program = (
        "from skillproto import SkillClient, SkillError\n"
        "from skillproto.testing import ScriptedTransport, reply, sample_descriptor\n"
        "with SkillClient(caller_id='tests', transport=ScriptedTransport([reply(403)])) as client:\n"
        "    try: client.invoke(sample_descriptor(), {'text': 'x'})\n"
        "    except SkillError: pass\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=True)
    assert (ran.stdout, ran.stderr) == (b"", b"")


def test_neither_inputs_outputs_nor_credentials_are_told(invoke: Invoke, caplog: pytest.LogCaptureFixture) -> None:
    echo = {"error": {"error_type": "SYSTEM", "user_message": f"bad key {SECRET}", "reason": SECRET}}
    script = [reply(503, echo), reply(401, {"error": {"code": "AUTH_REQUIRED", "message": SECRET}})]
    with caplog.at_level(logging.DEBUG, "skillproto"), pytest.raises(SkillError):
        told(invoke, script, KEYED, credentials=SECRET)
    assert "invocation.failed" in caplog.text
    assert SECRET not in caplog.text
    assert "a private text" not in caplog.text


def test_a_listener_and_the_log_hear_the_same_events(invoke: Invoke, caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Event] = []
    with caplog.at_level(logging.DEBUG, "skillproto"):
        told(invoke, [reply(503), output("done")], on_event=heard.append)
    assert [event.name for event in heard] == [name for _, name in names(caplog)]


@pytest.mark.parametrize("word", ["a\nb", "a\r\nWARNING forged", "a\x1b[31mred", "a\u2028b"])
def test_an_event_stays_on_one_line_whatever_a_provider_says(word: str) -> None:
    line = log.line_of(Event("execution.accepted", "7f", "x", 5, {"execution_id": word}))
    assert len(line.splitlines()) == 1
    assert "\x1b" not in line


def test_a_line_is_short_whatever_a_provider_says() -> None:
    assert len(log.line_of(Event("execution.accepted", "7f", "x", 5, {"execution_id": "x" * 100_000}))) <= 300


@pytest.mark.parametrize("name", FINAL_EVENTS)
def test_every_end_is_told_at_info(name: str) -> None:
    assert log.level_of(Event(name, "7f", "x", 5, {})) == logging.INFO
