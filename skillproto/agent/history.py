"""Bring a conversation back into order after an interruption, so that a model's provider takes it again.

A run that was killed or cancelled leaves tool calls without an answer, which providers refuse. Each gets
one that says what is known: not more than the journal tells, and without one that the skill may have run.
"""

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from skillproto.agent.history_calls import Pairs, Part
from skillproto.agent.history_shapes import SHAPES, HistoryStyle, Shape, style_of
from skillproto.errors import ErrorCode, SkillError, UsageError

if TYPE_CHECKING:
    from skillproto.invocation.journal import Journal
    from skillproto.invocation.journal_states import Entry

HasRun = Literal["no", "yes", "unknown"]

_WORDS: dict[HasRun, str] = {
    "no": "The call was interrupted before anything was sent. The skill did not run.",
    "yes": "The call was interrupted after the skill was started. It has run or is running; its result is not here.",
    "unknown": "The call was interrupted before an answer was recorded. It is unknown whether the skill ran: it may.",
}


class RepairedCall(NamedTuple):
    """What was done about one call.

    Attributes:
        call_id: the model's id of it.
        name: of the tool; "" for an answer whose call is not there.
        action: "answered" where an answer was missing, "moved" where it stood elsewhere, "removed" where it
            answered nothing, or a second time.
        has_run: for an answered call whether the skill ran, as far as is known; None otherwise.
    """

    call_id: str
    name: str
    action: Literal["answered", "moved", "removed"]
    has_run: HasRun | None = None


class Repaired(NamedTuple):
    """A conversation in order.

    Attributes:
        messages: a new list; messages that were in order are the same objects.
        repaired_calls: what was done, in the order of the calls; empty where all was in order.
    """

    messages: list[Any]
    repaired_calls: tuple[RepairedCall, ...]


def repair_history(
    messages: Sequence[Any],
    *,
    style: HistoryStyle | None = None,
    journal: "Journal | None" = None,
    key_of: Callable[[str], str | None] | None = None,
) -> Repaired:
    """Answer the tool calls of a conversation that were left open, and put each answer where it belongs.

    A call that the journal knows to have ended gets its result or its error; any other one gets
    an error that says whether the skill ran. Answers that are there are kept.

    Args:
        messages: the whole conversation: Anthropic's messages, OpenAI's messages, or the items of
            OpenAI's Responses; as JSON or as objects of the SDKs. Not changed.
        style: "anthropic", "openai" or "responses"; None sees it from the calls.
        journal: what the client of the run wrote; None for none.
        key_of: gives the Idempotency-Key of a call by its id, None where it has none. What the
            journal does not know under such a key was never sent (so keep ended calls for as long as runs
            may wait). Without it a call's id is tried as its key, and what is not found stays unknown.

    Returns:
        The conversation in order, and what was done. Once repaired, it comes back as it is.

    Raises:
        UsageError: the messages are no list, mix shapes, or have a call without an id.
        SkillError: the journal could not be read.

    Source: Phaseo, recovery of an interrupted run.

    >>> call = {"id": "c1", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
    >>> repaired = repair_history([{"role": "assistant", "tool_calls": [call]}])
    >>> repaired.messages[1]["tool_call_id"], repaired.repaired_calls[0].has_run
    ('c1', 'unknown')
    """
    if isinstance(messages, str | bytes | dict) or not isinstance(messages, Sequence):
        raise UsageError(f"give the messages as a list, not a {type(messages).__name__}")
    if style is not None and style not in SHAPES:
        raise UsageError(f"no style {style!r}; there are: {', '.join(SHAPES)}")
    style = style or style_of(messages)
    if style is None:
        return Repaired(list(messages), ())
    shape = SHAPES[style]
    pairs = Pairs(shape.parts(messages))
    look = _Look(journal, key_of)
    written: dict[int, Any] = {}
    done: list[RepairedCall] = []
    for place in dict.fromkeys(call.place for call in pairs.calls):
        for index in pairs.calls_at(place):
            call, answer = pairs.calls[index], pairs.answers.get(index)
            if answer is None:
                has_run, written[index] = _answer(shape, call, look(call.call_id))
                done.append(RepairedCall(call.call_id, call.name or "", "answered", has_run))
            elif not shape.is_in_place(messages, call, answer):
                done.append(RepairedCall(call.call_id, call.name or "", "moved"))
    done += [RepairedCall(stray.call_id, "", "removed") for stray in pairs.strays]
    return Repaired(shape.rebuild(messages, pairs, written), tuple(done))


class _Look:
    """Asks the journal about a call."""

    def __init__(self, journal: "Journal | None", key_of: Callable[[str], str | None] | None) -> None:
        self._journal, self._key_of = journal, key_of

    def __call__(self, call_id: str) -> "Entry | HasRun":
        if self._journal is None:
            return "unknown"
        key = call_id if self._key_of is None else self._key_of(call_id)
        entry = self._journal.find(key) if key is not None else None
        if entry is not None:
            return entry
        return "unknown" if self._key_of is None or key is None else "no"


def _answer(shape: Shape, call: Part, known: "Entry | HasRun") -> tuple[HasRun, Any]:
    if isinstance(known, str):
        return known, shape.answer(call, _interrupted(known), True)
    has_run = _has_run(known)
    if known.outcome is None:
        return has_run, shape.answer(call, _interrupted(has_run), True)
    from skillproto.agent.tool_results import to_tool_result

    text = to_tool_result(known.outcome, "openai", call_id=call.call_id)["content"]
    return has_run, shape.answer(call, text, isinstance(known.outcome, SkillError))


def _has_run(entry: "Entry") -> HasRun:
    if entry.execution_id is not None or (not entry.state.is_open and not isinstance(entry.outcome, SkillError)):
        return "yes"
    return "unknown" if entry.may_have_run else "no"


def _interrupted(has_run: HasRun) -> str:
    details = {"reason": "interrupted", "may_have_run": has_run != "no"}
    envelope = SkillError(ErrorCode.CANCELLED, _WORDS[has_run], details=details).to_dict()
    return json.dumps(envelope, separators=(",", ":"))
