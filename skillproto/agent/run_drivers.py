"""Carry out what `RunCore` asks for, in this thread or in this task. Nothing is decided here."""

from collections.abc import Callable
from inspect import isawaitable
from typing import Any, NamedTuple, assert_never

import anyio

from skillproto.agent import dispatch
from skillproto.agent.run_core import Action, Ask, Halted, Over, Pause, Perform, Raised, Replied, RunCore, Save, Went
from skillproto.agent.states import Record, RunResult, StateAccessor
from skillproto.invocation.cancel import CancelToken
from skillproto.violations import JSONValue

_LONGEST_SAVE_S = 10

Model = Callable[[list[JSONValue], list[dict[str, JSONValue]]], Any]
"""Takes the messages and the tools, and gives the model's reply; may be a coroutine where the run is async."""


class Hands(NamedTuple):
    """What a run works with."""

    model: Model
    state: StateAccessor | None
    client: Any


def run_here(core: RunCore, hands: Hands, cancel: CancelToken | None) -> RunResult:
    """Drive a run with the blocking client."""
    try:
        outcome = _carry_out(hands, core, cancel)
    except BaseException as cause:
        try:
            _keep(hands, core.abandon(cause))
        finally:
            core.close()
        raise
    return _given(outcome)


def _carry_out(hands: Hands, core: RunCore, cancel: CancelToken | None) -> RunResult | Exception:
    action: Action = core.start()
    while True:
        match action:
            case Ask():
                action = core.receive(_ask(hands, action, cancel))
            case Perform(calls):
                dispatch.in_threads(calls, hands.client, cancel)
                action = core.receive(Went())
            case Pause(seconds):
                action = core.receive(_pause(hands, seconds, cancel))
            case Save(record):
                action = core.receive(_save(hands, record))
            case Over(outcome):
                return outcome
            case _:
                assert_never(action)


def _ask(hands: Hands, ask: Ask, cancel: CancelToken | None) -> Replied | Raised | Halted:
    if cancel is not None and cancel.cancelled:
        return Halted()
    try:
        reply = hands.model(ask.messages, ask.tools)
    except Exception as error:  # a model that is cancelled as well may raise whatever it likes
        return Halted() if cancel is not None and cancel.cancelled else Raised(error)
    return Halted() if cancel is not None and cancel.cancelled else Replied(reply)


def _pause(hands: Hands, seconds: float, cancel: CancelToken | None) -> Went | Halted:
    timing = hands.client._timing
    if cancel is None:
        timing.sleep(seconds)
        return Went()
    return Halted() if timing.wait(cancel, seconds) else Went()


def _save(hands: Hands, record: Record) -> Went | Raised:
    if hands.state is not None:
        try:
            hands.state.save(record.to_dict())
        except Exception as error:
            return Raised(error)
    return Went()


def _keep(hands: Hands, record: Record | None) -> None:
    if record is not None:
        _save(hands, record)


async def run_in_task(core: RunCore, hands: Hands) -> RunResult:
    """Drive a run with the async client."""
    try:
        outcome = await _carry_out_in_task(hands, core)
    except BaseException as cause:
        try:
            await _keep_in_task(hands, core.abandon(cause))
        finally:
            core.close()
        raise
    return _given(outcome)


async def _carry_out_in_task(hands: Hands, core: RunCore) -> RunResult | Exception:
    action: Action = core.start()
    while True:
        match action:
            case Ask():
                action = core.receive(await _ask_in_task(hands, action))
            case Perform(calls):
                await dispatch.in_tasks(calls, hands.client)
                action = core.receive(Went())
            case Pause(seconds):
                await hands.client._timing.sleep_async(seconds)
                action = core.receive(Went())
            case Save(record):
                action = core.receive(await _save_in_task(hands, record))
            case Over(outcome):
                return outcome
            case _:
                assert_never(action)


async def _ask_in_task(hands: Hands, ask: Ask) -> Replied | Raised | Halted:
    with anyio.move_on_after(ask.limit_s) as scope:
        try:
            reply = hands.model(ask.messages, ask.tools)
            return Replied(await reply if isawaitable(reply) else reply)
        except Exception as error:
            return Raised(error)
    assert scope.cancelled_caught  # noqa: S101 - nothing else leaves the block without an answer
    return Halted("deadline")


async def _save_in_task(hands: Hands, record: Record) -> Went | Raised:
    if hands.state is not None:
        try:
            kept = hands.state.save(record.to_dict())
            if isawaitable(kept):
                await kept
        except Exception as error:
            return Raised(error)
    return Went()


async def _keep_in_task(hands: Hands, record: Record | None) -> None:
    """Save a run whose task was cancelled, for which the cancellation waits a little."""
    if record is not None:
        with anyio.move_on_after(_LONGEST_SAVE_S, shield=True):
            await _save_in_task(hands, record)


def _given(outcome: RunResult | Exception) -> RunResult:
    if isinstance(outcome, Exception):
        raise outcome
    return outcome
