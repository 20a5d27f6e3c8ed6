"""One request of a call, and again: retries, waits, the budget and the circuit.

Every step of a call (start, status, result) sends through here, and reads what came of it.

Source: SSP 9.5.
"""

from collections.abc import Generator
from math import ceil
from typing import assert_never

from skillproto.errors import Attempt, ErrorCode, SkillError, is_retryable, retry_after_ms
from skillproto.invocation.course import Course
from skillproto.invocation.faults import OFTEN_FAILED, cancelled, circuit_open, gave_up, in_line, is_outage, lost
from skillproto.invocation.places import Places
from skillproto.invocation.replies import Reply, read_reply
from skillproto.invocation.wire import Action, Incoming, Lost, Queue, Replied, Request, Send, Step, Stopped, Wait, Woke


class Attempts(Course):
    """A call that can send."""

    __slots__ = ()

    def _retrying(self, step: Step, url: str, body: bytes | None) -> Generator[Action, Incoming, Reply]:
        if self._shared.budget is not None:
            self._shared.budget.pay_in()
        if self._blocked_s() > 0:
            yield from self._outwait_doubt(step)
        last = self.policy.max_attempts
        n = 0
        error: SkillError | None = None
        while True:
            n += 1
            outcome = yield from self._attempt(step, url, body, before=error)
            if isinstance(outcome, Reply):
                return outcome
            error = outcome
            if error.retry is not None and error.retry.max_attempts is not None:
                last = min(last, n + error.retry.max_attempts)
            if not is_retryable(error):
                raise error
            wait_ms = self._wait_before_retry(step, error, n, last)
            if self._shared.budget is not None and not self._shared.budget.take():
                raise gave_up(error, "the retry budget of this client is used up")
            yield from self._wait(step, n, wait_ms)
            while self._blocked_s() > 0:  # another call is the one that looks whether the endpoint is back
                n += 1
                yield from self._wait(step, n, self._wait_before_retry(step, error, n, last))

    def _wait_before_retry(self, step: Step, error: SkillError, n: int, last: int) -> int:
        """Give the wait before retry n, or raise the error where there must be none."""
        blocked_s = self._blocked_s()
        if n >= last:
            by_provider = last < self.policy.max_attempts
            own = OFTEN_FAILED if blocked_s > 0 and len(self._history) < last else "no attempt is left"
            raise gave_up(error, "the provider allows no further attempt" if by_provider else own)
        wait_ms = self.policy.wait_ms(n, hint_ms=retry_after_ms(error), random=self.random)
        if blocked_s * 1000 > wait_ms:
            self._require_worth(step, error)
            wait_ms = self.policy.wait_ms(n, hint_ms=ceil(blocked_s * 1000), random=self.random)
        if wait_ms / 1000 >= self._left_s():
            raise gave_up(error, "the next wait does not fit before the deadline")
        return wait_ms

    def _wait(self, step: Step, n: int, wait_ms: int) -> Generator[Action, Incoming, None]:
        if step == "start":
            last = self._history[-1]
            self._history = (*self._history[:-1], last._replace(wait_ms=last.wait_ms + wait_ms))
        self._emit("retry.scheduled", step=step, attempt=n + 1, wait_ms=wait_ms)
        yield from self._sleep(wait_ms / 1000)

    def _require_worth(self, step: Step, error: SkillError) -> None:
        """Refuse to wait for the circuit with a start, once a probe has told that the endpoint is out of order."""
        if step == "start" and self._shared.circuit is not None and self._shared.circuit.is_confirmed:
            raise gave_up(error, OFTEN_FAILED)

    def _outwait_doubt(self, step: Step) -> Generator[Action, Incoming, None]:
        """Wait where the circuit has just opened, so that a moment's trouble costs a call time and not its result.

        Once a probe has failed too, a start is refused at once; what was started is still looked after.
        """
        circuit = self._shared.circuit
        while circuit is not None and (step != "start" or not circuit.is_confirmed):
            wait_s = circuit.left_s * (1 + self.policy.jitter * self.random())
            if not 0 < wait_s < self._left_s():
                return
            yield from self._sleep(wait_s)

    def _blocked_s(self) -> float:
        """For how long the circuit lets nothing through; a look without consequence."""
        return self._shared.circuit.left_s if self._shared.circuit is not None else 0.0

    def _attempt(
        self, step: Step, url: str, body: bytes | None, before: SkillError | None = None
    ) -> Generator[Action, Incoming, Reply | SkillError]:
        """Send once, or once more with another token, and tell what came of it.

        Only a `start` counts as an attempt of the call. Where nothing may be sent, `before` is
        raised: the error that this would have been a retry of.
        """
        if self._made.tokens is None and self._shared.places is None:
            return self._send(step, url, body, before)
        return self._send_in_turn(step, url, body, before)

    def _send_in_turn(
        self, step: Step, url: str, body: bytes | None, before: SkillError | None
    ) -> Generator[Action, Incoming, Reply | SkillError]:
        outcome = yield from self._send_from_a_place(step, url, body, before)
        if self._is_refused and isinstance(outcome, SkillError) and outcome.code is ErrorCode.AUTH_REQUIRED:
            outcome = yield from self._send_from_a_place(step, url, body, outcome)
        return outcome

    def _send_from_a_place(
        self, step: Step, url: str, body: bytes | None, before: SkillError | None
    ) -> Generator[Action, Incoming, Reply | SkillError]:
        places = self._shared.places
        if places is None:
            return (yield from self._send(step, url, body, before))
        if not places.take():
            yield from self._queue(places, before)
        try:
            return (yield from self._send(step, url, body, before))
        finally:
            places.give_back()

    def _queue(self, places: Places, before: SkillError | None) -> Generator[Action, Incoming, None]:
        self._require_closed(self._blocked_s(), before)
        if (left_s := self._left_s()) <= 0:
            raise self._out_of_time()
        event = yield Queue(places, left_s)
        if isinstance(event, Stopped):
            raise cancelled()
        if not isinstance(event, Woke):
            raise in_line(self._out_of_time())

    def _send(
        self, step: Step, url: str, body: bytes | None, before: SkillError | None
    ) -> Generator[Action, Incoming, Reply | SkillError]:
        self._require_leave(before)
        call = self._made
        method = "POST" if step == "start" else "GET"
        number = len(self._history) + 1 if step == "start" else None
        self._emit("attempt.started", step=step, attempt=number)
        began = self.clock()
        outcome: Reply | SkillError | None = None
        self._is_refused = False
        if call.tokens is not None:
            outcome = yield from call.tokens.obtain(url, self.clock, self._attempt_limit_s())
        if outcome is None:
            if (limit_s := self._attempt_limit_s()) <= 0:
                raise self._out_of_time()
            request = Request(step, method, url, call.headers(method, url, body), body)
            self._starting = step == "start"
            event = yield Send(request, limit_s)
            self._starting = False
            self._is_refused = call.tokens is not None and call.tokens.heard(event)
            outcome = self._read(event, step, limit_s, self.clock() - began)
            self._tell_circuit(outcome)
        self._note(step, outcome, round((self.clock() - began) * 1000))
        if isinstance(outcome, SkillError):
            facts = {"http_status": outcome.http_status, "reason": outcome.details.get("reason")}
            self._emit("attempt.failed", step=step, attempt=number, code=outcome.code, **facts)
        return outcome

    def _tell_circuit(self, outcome: Reply | SkillError) -> None:
        circuit = self._shared.circuit
        if circuit is not None:
            circuit.failed() if isinstance(outcome, SkillError) and is_outage(outcome) else circuit.succeeded()

    def _note(self, step: Step, outcome: Reply | SkillError, elapsed_ms: int) -> None:
        if step == "start":
            error = outcome if isinstance(outcome, SkillError) else None
            code = error.code if error else None
            reason = error.details.get("reason") if error else None
            number = len(self._history) + 1
            self._history += (Attempt(number, code, outcome.http_status, elapsed_ms, reason=reason),)

    def _require_leave(self, before: SkillError | None) -> None:
        if self._left_s() <= 0:
            raise self._out_of_time()
        if self._shared.circuit is not None:
            self._require_closed(self._shared.circuit.blocked_s(), before)

    def _require_closed(self, blocked_s: float, before: SkillError | None) -> None:
        if blocked_s > 0:
            raise gave_up(before, OFTEN_FAILED) if before is not None else circuit_open(blocked_s)

    def _read(self, event: Incoming, step: Step, limit_s: float, took_s: float) -> Reply | SkillError:
        if isinstance(event, Lost | Stopped) and step == "start":
            self._may_have_run = self._may_have_run or event.sent
        match event:
            case Replied(status, headers, body, reason):
                self._may_have_run = False if step == "start" else self._may_have_run
                outcome = read_reply(status, headers, body, unreadable=reason, secrets=self._secrets)
                if isinstance(outcome, Reply) and step == "start" and not outcome.is_finished:
                    self._may_have_run = True
                return outcome
            case Lost("timeout") if self._left_s() <= 0.001:
                return self._out_of_time()
            case Lost():
                return lost(event, limit_s, took_s)
            case Stopped():
                raise cancelled()
            case Woke():
                raise AssertionError("a wait ended where a reply was due")
            case _:
                assert_never(event)

    def _attempt_limit_s(self) -> float:
        limit_ms = self.policy.attempt_timeout_ms
        left_s = self._left_s()
        return left_s if limit_ms is None else min(left_s, limit_ms / 1000)

    def _sleep(self, seconds: float) -> Generator[Action, Incoming, None]:
        if seconds > 0:
            self._require_woken((yield Wait(seconds)))

    def _require_woken(self, event: Incoming) -> None:
        if isinstance(event, Stopped):
            raise cancelled()
        if not isinstance(event, Woke):
            raise AssertionError("a reply came where the end of a wait was due")  # noqa: TRY004 - a driver's mistake
