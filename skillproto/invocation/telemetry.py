"""Spans and metrics of calls, by OpenTelemetry's conventions for HTTP clients, and W3C trace context.

Loaded only for a client that asks for it; needs the extra `otel`. One call is one internal span;
each request in it is a client span below, and carries `traceparent` to the provider. No span
holds a credential, an input or an output, and addresses go without their query.

Source: OpenTelemetry semantic conventions for HTTP, stable since 1.23; W3C Trace Context.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import urlsplit

from opentelemetry import context, metrics, trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from skillproto import __version__
from skillproto.invocation.cancel import CancelToken
from skillproto.invocation.events import Event
from skillproto.invocation.wire import Goal, Lost, Replied, Request, Stopped
from skillproto.redaction import hide, known_forms, safe_url

if TYPE_CHECKING:
    from skillproto.invocation._base import Driven

_SCHEMA_URL = "https://opentelemetry.io/schemas/1.23.1"
_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10)
_CALL_BUCKETS_S = (*_BUCKETS_S, 30, 60, 120, 300, 900, 3600)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LEAST_FAILED_STATUS = 400
_HIDE_FROM_OTHERS = "suppress_http_instrumentation"  # so that an instrumented httpx does not span the same request
_OPERATIONS: Mapping[Goal, str] = {"result": "invoke", "start": "start", "status": "ask", "end": "await"}

Attributes = dict[str, str | int]


class _Call:
    """A running call: its span, and how often it was sent."""

    __slots__ = ("core", "span", "starts")

    def __init__(self, span: Span, core: "Driven") -> None:
        self.span = span
        self.core = core
        self.starts = 0

    def shown(self, url: str) -> str:
        """Give an address without its query, and without a credential that a provider put into it."""
        return str(hide(safe_url(url), known_forms(self.core._secrets)))


_current: ContextVar[_Call | None] = ContextVar("skillproto_call", default=None)


class Telemetry:
    """Where the spans and metrics of a client go.

    Args:
        tracer_provider: None means the global one.
        meter_provider: None means the global one.
        propagate: whether `traceparent` and `tracestate` are sent along. Baggage never is.

    >>> from skillproto import SkillClient
    >>> SkillClient(caller_id="docs", telemetry=Telemetry(propagate=False))
    SkillClient(caller_id='docs')
    """

    def __init__(
        self,
        tracer_provider: trace.TracerProvider | None = None,
        meter_provider: metrics.MeterProvider | None = None,
        *,
        propagate: bool = True,
    ) -> None:
        self._tracer = trace.get_tracer("skillproto", __version__, tracer_provider, _SCHEMA_URL)
        meter = metrics.get_meter("skillproto", __version__, meter_provider, _SCHEMA_URL)
        self._propagator = TraceContextTextMapPropagator() if propagate else None
        self._requests = meter.create_histogram(
            "http.client.request.duration",
            unit="s",
            description="Duration of HTTP client requests.",
            explicit_bucket_boundaries_advisory=_BUCKETS_S,
        )
        self._calls = meter.create_histogram(
            "skillproto.client.invocation.duration",
            unit="s",
            description="Duration of calls of skills, retries, waits and polls included.",
            explicit_bucket_boundaries_advisory=_CALL_BUCKETS_S,
        )
        self._retries = meter.create_counter(
            "skillproto.client.retries", unit="{retry}", description="Retries that were scheduled."
        )

    @contextmanager
    def call(self, core: "Driven") -> Iterator[None]:
        """Make the span of a call the current one for as long as the block lasts."""
        attributes: Attributes = {
            "skillproto.skill.id": core.skill_id,
            "skillproto.invocation.id": core.invocation_id,
        }
        span = self._tracer.start_span(f"{_OPERATIONS[core.goal]} {core.skill_id}".rstrip(), attributes=attributes)
        before = context.attach(trace.set_span_in_context(span))
        call = _current.set(_Call(span, core))
        try:
            yield
        finally:
            _current.reset(call)
            context.detach(before)
            span.end()

    def on_event(self, event: Event) -> None:
        """Note an event in the span of the running call, and in the metrics."""
        call = _current.get()
        if call is None:
            return
        data = event.data
        if event.is_final:
            self._finish(call, event)
        elif event.name == "retry.scheduled":
            self._retries.add(1, {"skillproto.skill.id": event.skill_id, "skillproto.step": data["step"]})
            call.span.add_event(event.name, {f"skillproto.{name}": value for name, value in data.items()})
        elif event.name == "execution.accepted" and "execution_id" in data:
            call.span.set_attribute("skillproto.execution.id", data["execution_id"])

    def _finish(self, call: _Call, event: Event) -> None:
        attributes: Attributes = {"skillproto.skill.id": event.skill_id}
        if event.name != "invocation.completed":
            code = str(event.data["code"])
            attributes["error.type"] = code
            call.span.set_attribute("error.type", code)
            call.span.set_status(Status(StatusCode.ERROR, event.data.get("reason")))
        call.span.set_attribute("skillproto.attempts", call.starts)
        self._calls.record(event.elapsed_ms / 1000, attributes)

    def watching(self, exchanger: Any) -> "WatchedExchanger":
        """Give an exchanger that tells each request here before and after it."""
        return WatchedExchanger(self, exchanger)

    def watching_async(self, exchanger: Any) -> "AsyncWatchedExchanger":
        """Do the same for an async one."""
        return AsyncWatchedExchanger(self, exchanger)

    def request(self, request: Request) -> "WatchedRequest":
        """Begin the span of a request; the block within it sends `.request`."""
        call = _current.get()
        attributes: Attributes = _attributes(request)
        url = safe_url(request.url) if call is None else call.shown(request.url)
        span_only: Attributes = {"url.full": url, "skillproto.step": request.step}
        if request.step == "start" and call is not None:
            if call.starts:
                span_only["http.request.resend_count"] = call.starts
            call.starts += 1
        span = self._tracer.start_span(request.method, kind=SpanKind.CLIENT, attributes=attributes | span_only)
        inside = context.set_value(_HIDE_FROM_OTHERS, True, trace.set_span_in_context(span))
        if self._propagator is not None:
            carrier: dict[str, str] = {}
            self._propagator.inject(carrier, inside)
            request = request._replace(headers=(*request.headers, *carrier.items()))
        clock = call.core.clock if call is not None else monotonic
        return WatchedRequest(request, _Running(span, inside, attributes, self._requests, clock))


class _Running(NamedTuple):
    span: Span
    inside: context.Context
    attributes: Attributes
    durations: metrics.Histogram
    clock: Callable[[], float]


class WatchedRequest:
    """One request that is under way; a block that ends without `ended` was cancelled or broke.

    Attributes:
        request: to be sent, with the trace's headers.
    """

    def __init__(self, request: Request, running: _Running) -> None:
        self.request = request
        self._running = running
        self._outcome: Attributes = {"error.type": "cancelled"}

    def __enter__(self) -> Self:
        self._before = context.attach(self._running.inside)
        self._began = self._running.clock()
        return self

    def ended(self, event: Replied | Lost | Stopped) -> Replied | Lost | Stopped:
        """Note what came of it, and hand it on."""
        self._outcome = _outcome(event)
        return event

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        context.detach(self._before)
        span, _inside, attributes, durations, clock = self._running
        if kind is not None and issubclass(kind, Exception):
            self._outcome = {"error.type": kind.__qualname__}
        span.set_attributes(self._outcome)
        if "error.type" in self._outcome:
            span.set_status(Status(StatusCode.ERROR))
        durations.record(clock() - self._began, attributes | self._outcome)
        span.end()


class WatchedExchanger:
    """A blocking exchanger whose requests are told to telemetry."""

    def __init__(self, telemetry: Telemetry, exchanger: Any) -> None:
        self._telemetry = telemetry
        self._exchanger = exchanger

    def send(self, request: Request, limit_s: float, unsent: Callable[[], object]) -> Any:
        """Send as the exchanger does."""
        with self._telemetry.request(request) as watched:
            return watched.ended(self._exchanger.send(watched.request, limit_s, unsent))

    def send_until(self, request: Request, limit_s: float, token: CancelToken) -> Any:
        """Send as the exchanger does, until the token is cancelled."""
        with self._telemetry.request(request) as watched:
            return watched.ended(self._exchanger.send_until(watched.request, limit_s, token))


class AsyncWatchedExchanger:
    """An async exchanger whose requests are told to telemetry."""

    def __init__(self, telemetry: Telemetry, exchanger: Any) -> None:
        self._telemetry = telemetry
        self._exchanger = exchanger

    async def send(self, request: Request, limit_s: float, unsent: Callable[[], object]) -> Any:
        """Send as the exchanger does."""
        with self._telemetry.request(request) as watched:
            return watched.ended(await self._exchanger.send(watched.request, limit_s, unsent))


def _attributes(request: Request) -> Attributes:
    parts = urlsplit(request.url)
    return {
        "http.request.method": request.method,
        "server.address": parts.hostname or "",
        "server.port": parts.port or _DEFAULT_PORTS[parts.scheme],
    }


def _outcome(event: Replied | Lost | Stopped) -> Attributes:
    match event:
        case Replied(status=status) if status < _LEAST_FAILED_STATUS:
            return {"http.response.status_code": status}
        case Replied(status=status):
            return {"http.response.status_code": status, "error.type": str(status)}
        case Lost(reason=reason):
            return {"error.type": reason}
        case _:
            return {"error.type": "cancelled"}
