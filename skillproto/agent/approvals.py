"""Read what people decided about the tool calls that a run waits for.

Pure. Decisions go by the exact ids of the calls: one for each that is pending, and no other.

    "approve"               the call is made
    "reject"                it is not, and the model is told so
    {"reject": "why"}       the same, with the person's words
    {"output": value}       somebody else did it: this is the tool's output
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from skillproto.agent.definitions import did_you_mean
from skillproto.agent.run_messages import as_json
from skillproto.errors import ErrorCode, SkillError, UsageError
from skillproto.invocation.excerpts import excerpt
from skillproto.invocation.wire import Result
from skillproto.violations import JSONValue

Decision = str | Mapping[str, JSONValue]
Decisions = Mapping[str, Decision] | Iterable[tuple[str, Decision]]

_WORDS = ("approve", "reject")
_MEMBERS = ("reject", "output")


def read_decisions(given: Decisions | None, pending: Sequence[str]) -> dict[str, SkillError | Result]:
    """Give what is settled without making a call; calls that were approved are not in it.

    Args:
        given: decisions by tool call id, or pairs of both.
        pending: the ids that the run waits for.

    Raises:
        UsageError: an id is missing, unknown or given twice, or a decision is none; it names them.

    >>> read_decisions({"c1": "approve", "c2": {"output": 7}}, ["c1", "c2"])["c2"].output
    7
    """
    pairs = _pairs(given)
    ids = [id_ for id_, _ in pairs]
    twice = dict.fromkeys(id_ for id_ in ids if ids.count(id_) > 1)
    if twice:
        raise UsageError(f"More than one decision for tool call {_listed(twice)}")
    missing = [id_ for id_ in pending if id_ not in ids]
    if missing:
        raise UsageError(f"Missing approval decision for tool call {_listed(missing)}")
    unknown = [id_ for id_ in ids if id_ not in pending]
    if unknown:
        waiting = _listed(pending) if pending else "none"
        raise UsageError(f"No decision is waited for about tool call {_listed(unknown)}; pending: {waiting}")
    read = {id_: _read(id_, decision) for id_, decision in pairs}
    return {id_: settled for id_, settled in read.items() if settled is not None}


def _pairs(given: Any) -> list[tuple[Any, Any]]:
    pairs = given.items() if isinstance(given, Mapping) else () if given is None else given
    try:
        return [(id_, decision) for id_, decision in pairs if not isinstance(pairs, str)]
    except (TypeError, ValueError):
        raise UsageError("give decisions by tool call id, or as pairs of an id and a decision") from None


def _listed(ids: Iterable[Any]) -> str:
    return ", ".join(excerpt(str(id_), 80) for id_ in ids)


def _read(id_: str, decision: Any) -> SkillError | Result | None:
    if decision == "approve":
        return None
    if decision == "reject":
        return rejected(None)
    if isinstance(decision, Mapping) and len(decision) == 1:
        if isinstance(why := decision.get("reject"), str):
            return rejected(why)
        if "output" in decision:
            return Result(_json(id_, decision["output"]), None, 0, 0)
    known = (*_WORDS, *_MEMBERS)
    raise UsageError(
        f'the decision for tool call {_listed([id_])} must be "approve", "reject", {{"reject": "why"}} or '
        f'{{"output": ...}}{did_you_mean(decision, known)}'
    )


def _json(id_: str, output: Any) -> JSONValue:
    try:
        return as_json(output)
    except ValueError:
        raise UsageError(f"the output that was given for tool call {_listed([id_])} is no JSON") from None


def rejected(why: str | None) -> SkillError:
    """Make the error of a call that a person did not allow; the model always gets to know.

    >>> rejected("Too expensive.").message
    'A person did not allow this call: Too expensive.'
    """
    words = f"A person did not allow this call{': ' + excerpt(why) if why else '.'}"
    details = {"reason": "rejected", "category": "permission"}
    return SkillError(ErrorCode.EXECUTION_FAILED, words, details=details, retryable=False)
