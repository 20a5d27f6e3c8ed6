"""Spans, metrics and trace context of calls, as the real OpenTelemetry SDK sees them."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from opentelemetry import trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from skillproto import AsyncSkillClient, RetryPolicy, SkillClient, SkillError, UsageError
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.many import Call
from skillproto.invocation.telemetry import Telemetry
from skillproto.testing import (
    FakeTime,
    ScriptedTransport,
    accepted,
    fault,
    hang,
    output,
    reply,
    sample_descriptor,
    state,
)
from tests.support.drivers import Invoke

SKILL = sample_descriptor()
KEYED = sample_descriptor(auth={"type": "api_key"}, access="restricted")
SECRET = "s3cret-K3y-of-the-caller"


class Seen:
    """The SDK with exporters that keep everything in memory."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._exporter))
        self._reader = InMemoryMetricReader()
        self.meters = MeterProvider([self._reader])
        self.telemetry = Telemetry(self.tracers, self.meters)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self._exporter.get_finished_spans()

    @property
    def requests(self) -> list[ReadableSpan]:
        return [span for span in self.spans if span.kind is SpanKind.CLIENT]

    @property
    def call(self) -> ReadableSpan:
        (span,) = [span for span in self.spans if span.kind is SpanKind.INTERNAL]
        return span

    def points(self) -> dict[str, list[Any]]:
        data = self._reader.get_metrics_data()
        assert data is not None
        metrics = [m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics]
        return {metric.name: list(metric.data.data_points) for metric in metrics}


@pytest.fixture
def seen() -> Iterator[Seen]:
    seen = Seen()
    yield seen
    seen.tracers.shutdown()
    seen.meters.shutdown()


def run(invoke: Invoke, seen: Seen, script: Any, skill: Any = SKILL, **options: Any) -> ScriptedTransport:
    moment = FakeTime()
    transport = ScriptedTransport(script, time=moment)
    invoke(skill, None, 60_000, transport=transport, timing=moment, telemetry=seen.telemetry, **options)
    return transport


def attributes(span: ReadableSpan, *names: str) -> list[Any]:
    assert span.attributes is not None
    return [span.attributes.get(name) for name in names]


def test_a_call_is_one_span_and_each_request_a_client_span_below_it(invoke: Invoke, seen: Seen) -> None:
    run(invoke, seen, [reply(503), accepted("e1"), state("completed"), output("done")])
    assert seen.call.name == "invoke example.skill.echo"
    assert [span.name for span in seen.requests] == ["POST", "POST", "GET", "GET"]
    assert seen.call.context is not None
    for span in seen.requests:
        assert span.parent is not None
        assert span.parent.span_id == seen.call.context.span_id


def test_a_request_span_follows_the_conventions(invoke: Invoke, seen: Seen) -> None:
    run(invoke, seen, [reply(503), output("done")])
    first, second = seen.requests
    assert dict(first.attributes or {}) == {
        "http.request.method": "POST",
        "server.address": "skill.example",
        "server.port": 443,
        "url.full": "https://skill.example/run",
        "http.response.status_code": 503,
        "error.type": "503",
        "skillproto.step": "start",
    }
    assert first.status.status_code is StatusCode.ERROR
    assert attributes(second, "http.response.status_code", "error.type", "http.request.resend_count") == [200, None, 1]
    assert second.status.status_code is StatusCode.UNSET
    assert (first.instrumentation_scope.name if first.instrumentation_scope else "") == "skillproto"


@pytest.mark.parametrize(
    ("step", "error_type"),
    [(fault("refused"), "refused"), (fault("reset"), "reset"), (hang(), "timeout"), (fault("unknown_host"), "dns")],
    ids=["refused", "reset", "timeout", "dns"],
)
def test_a_request_without_a_reply_says_why(invoke: Invoke, seen: Seen, step: Any, error_type: str) -> None:
    with pytest.raises(SkillError):
        run(invoke, seen, [step], policy=RetryPolicy(max_attempts=1, attempt_timeout_ms=1000))
    (span,) = seen.requests
    assert attributes(span, "error.type", "http.response.status_code") == [error_type, None]
    assert span.status.status_code is StatusCode.ERROR


def test_the_span_of_a_call_tells_its_retries_its_execution_and_its_end(invoke: Invoke, seen: Seen) -> None:
    run(invoke, seen, [reply(503), accepted("e1"), state("completed"), output("done")])
    names = ("skillproto.skill.id", "skillproto.execution.id", "skillproto.attempts", "error.type")
    assert attributes(seen.call, *names) == ["example.skill.echo", "e1", 2, None]
    (event,) = seen.call.events
    assert (event.name, event.attributes and event.attributes["skillproto.wait_ms"]) == ("retry.scheduled", 1000)


def test_a_failed_call_names_its_code(invoke: Invoke, seen: Seen) -> None:
    with pytest.raises(SkillError):
        run(invoke, seen, [reply(403)])
    assert attributes(seen.call, "error.type") == ["PERMISSION_DENIED"]
    assert seen.call.status.status_code is StatusCode.ERROR


def test_a_call_that_is_refused_before_sending_has_a_span_of_its_own(invoke: Invoke, seen: Seen) -> None:
    with pytest.raises(SkillError):
        run(invoke, seen, [], sample_descriptor(version="one"))
    assert attributes(seen.call, "error.type") == ["VALIDATION_ERROR"]
    assert seen.requests == []


def test_each_request_carries_the_trace_context_of_its_own_span(invoke: Invoke, seen: Seen) -> None:
    transport = run(invoke, seen, [reply(503), accepted("e1"), state("completed"), output("done")])
    contexts = [span.context for span in seen.requests if span.context]
    expected = [f"00-{own.trace_id:032x}-{own.span_id:016x}-{own.trace_flags:02x}" for own in contexts]
    assert [request.headers["traceparent"] for request in transport.requests] == expected
    assert len(set(expected)) == 4
    assert len({request.body for request in transport.requests[:2]}) == 1


def test_nothing_is_sent_along_when_propagation_is_off(invoke: Invoke, seen: Seen) -> None:
    seen.telemetry = Telemetry(seen.tracers, seen.meters, propagate=False)
    transport = run(invoke, seen, [output("done")])
    assert "traceparent" not in transport.requests[0].headers
    assert len(seen.requests) == 1


def test_a_call_belongs_to_the_span_around_it(seen: Seen) -> None:
    tracer = seen.tracers.get_tracer("tests")
    transport = ScriptedTransport([output("1")] * 3)
    with SkillClient(caller_id="tests", transport=transport, telemetry=seen.telemetry) as client:
        with tracer.start_as_current_span("around") as around:
            client.invoke(SKILL, {"text": "x"}, cancel=CancelToken())
            list(client.invoke_many([Call(SKILL, {"text": "x"})] * 2))
        assert trace.get_current_span() is trace.INVALID_SPAN
    trace_ids = {span.context.trace_id for span in seen.spans if span.context}
    assert trace_ids == {around.get_span_context().trace_id}
    assert len(seen.requests) == 3


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_many_tasks_keep_their_spans_apart(seen: Seen, backend: str) -> None:
    async def main() -> None:
        transport = ScriptedTransport([reply(503, after_s=0.01)] * 8 + [output("x", after_s=0.01)] * 16)
        policy = RetryPolicy(initial_delay_ms=10)
        async with (
            AsyncSkillClient(caller_id="tests", transport=transport, telemetry=seen.telemetry, policy=policy) as client,
            client.invoke_many([Call(SKILL, {"text": "x"})] * 16, concurrency=8) as outcomes,
        ):
            assert [outcome.error async for outcome in outcomes] == [None] * 16

    anyio.run(main, backend=backend)
    calls = {span.context.span_id: span for span in seen.spans if span.kind is SpanKind.INTERNAL and span.context}
    assert len(calls) == 16
    for id_, call in calls.items():
        below = [span for span in seen.requests if span.parent and span.parent.span_id == id_]
        assert attributes(call, "skillproto.attempts") == [len(below)]


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_call_ends_its_spans_as_cancelled(seen: Seen, backend: str) -> None:
    async def main() -> None:
        client = AsyncSkillClient(caller_id="tests", transport=ScriptedTransport([hang()]), telemetry=seen.telemetry)
        with anyio.move_on_after(0.05):
            await client.invoke(SKILL, {"text": "x"})

    anyio.run(main, backend=backend)
    (request,) = seen.requests
    assert attributes(request, "error.type") == ["cancelled"]
    assert attributes(seen.call, "error.type") == ["CANCELLED"]


def test_the_metrics_follow_the_conventions(invoke: Invoke, seen: Seen) -> None:
    run(invoke, seen, [reply(503, after_s=0.5), output("done", after_s=0.25)])
    points = seen.points()
    durations = {
        point.attributes.get("error.type"): (point.sum, dict(point.attributes))
        for point in points["http.client.request.duration"]
    }
    common = {"http.request.method": "POST", "server.address": "skill.example", "server.port": 443}
    assert durations == {
        "503": (0.5, common | {"http.response.status_code": 503, "error.type": "503"}),
        None: (0.25, common | {"http.response.status_code": 200}),
    }
    assert points["http.client.request.duration"][0].explicit_bounds[:3] == (0.005, 0.01, 0.025)
    (call,) = points["skillproto.client.invocation.duration"]
    assert (call.sum, dict(call.attributes)) == (1.75, {"skillproto.skill.id": "example.skill.echo"})
    (retries,) = points["skillproto.client.retries"]
    assert retries.value == 1


def test_no_secret_and_no_input_reaches_a_span(invoke: Invoke, seen: Seen) -> None:
    endpoint = {"url": "https://skill.example/run?key=s3cret-in-the-address"}
    skill = KEYED | {"endpoint": KEYED["endpoint"] | endpoint}
    echo = {"error": {"error_type": "PERMISSION", "user_message": SECRET, "reason": SECRET}}
    with pytest.raises(SkillError):
        run(invoke, seen, [accepted(SECRET), reply(403, echo)], skill, credentials=SECRET)
    written = " ".join(span.to_json() for span in seen.spans)
    assert "https://skill.example/run" in written
    assert "s3cret" not in written


def test_a_client_without_telemetry_never_loads_opentelemetry() -> None:
    program = (
        "import sys\n"
        "from skillproto import SkillClient\n"
        "from skillproto.testing import ScriptedTransport, output, reply, sample_descriptor, no_waits\n"
        "client = SkillClient(caller_id='t', transport=ScriptedTransport([reply(503), output('x')]), telemetry=None)\n"
        "with no_waits(): client.invoke(sample_descriptor(), {'text': 'x'})\n"
        "assert not [name for name in sys.modules if name.startswith('opentelemetry')]\n"
    )
    subprocess.run([sys.executable, "-c", program], timeout=60, check=True)


def test_without_the_extra_telemetry_is_refused_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "skillproto.invocation.telemetry")
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    with pytest.raises(UsageError, match=r"pip install 'skillproto\[otel\]'"):
        SkillClient(caller_id="tests", telemetry=True)


def test_something_else_than_telemetry_is_refused() -> None:
    with pytest.raises(UsageError, match="telemetry must be a Telemetry, True or None, not a str"):
        SkillClient(caller_id="tests", telemetry="otel")  # type: ignore[arg-type]


def test_true_means_the_global_providers() -> None:
    with SkillClient(caller_id="tests", transport=ScriptedTransport([output("x")]), telemetry=True) as client:
        assert client.invoke(SKILL, {"text": "x"}).output == "x"
