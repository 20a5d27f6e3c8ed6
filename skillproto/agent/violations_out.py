"""Violations as a model reads them: which input, what was expected, what was there.

Pure. Bounded in number and length; what a provider wrote is left out where it tells how its system is built.
"""

import json

from skillproto.agent.wording import internals_in
from skillproto.errors import SkillError, ValidationFailed
from skillproto.invocation.excerpts import excerpt, shown
from skillproto.invocation.reported import MOST_VIOLATIONS, read_violations
from skillproto.rules.texts import instruction_in
from skillproto.violations import JSONValue, Violation

_TEXT_CHARS = 200
_ACCEPTED = "a value that is accepted"
_REFUSED = "This value is not accepted"
_LEFT_OUT = "…"


def told_violations(error: SkillError) -> list[dict[str, JSONValue]]:
    """Give the violations of an error as JSON, each with the protocol's four members, and a hint where there is one.

    >>> error = ValidationFailed.of([Violation("/inputs/n", "number", "x", "Wrong type", "schema/type")])
    >>> told_violations(error)
    [{'field': '/inputs/n', 'expected': 'number', 'actual': 'x', 'message': 'Wrong type'}]
    """
    is_ours = error.http_status is None  # found here, from the descriptor that the model knows as well
    return [_told(violation, is_ours) for violation in violations_of(error)[:MOST_VIOLATIONS]]


def violations_of(error: SkillError) -> tuple[Violation, ...]:
    """Give the violations of a VALIDATION_ERROR, also where they only stand in its details."""
    if not isinstance(error, ValidationFailed):
        return ()
    return error.violations or tuple(read_violations({"violations": error.details.get("violations")}))


def list_violations(error: SkillError) -> list[str]:
    """Give each violation as one line of text, for a model that reads nothing else.

    >>> error = ValidationFailed.of([Violation("/inputs/n", "number", "x", "Wrong type", "schema/type")])
    >>> list_violations(error)
    ['/inputs/n: Wrong type; expected number']
    """
    return [f"{told['field']}: {told['message']}; expected {told['expected']}" for told in told_violations(error)]


def _told(violation: Violation, is_ours: bool) -> dict[str, JSONValue]:
    told: dict[str, JSONValue] = {
        "field": _safe(violation.field, "/", is_ours),
        "expected": _safe(violation.expected, _ACCEPTED, is_ours),
        "actual": _actual(violation, is_ours),
        "message": _safe(violation.message, _REFUSED, is_ours),
    }
    hint = _safe(violation.hint, "", is_ours) if violation.hint else ""
    return {**told, "hint": hint} if hint else told


def _actual(violation: Violation, is_ours: bool) -> JSONValue:
    """Give the value that was found; what a provider wrote may be no such value, but words for the model."""
    value = shown(violation.actual, _TEXT_CHARS)
    is_the_models = is_ours and not violation.field.startswith("/output")
    if is_the_models or value is None or isinstance(value, bool | int | float):
        return value
    text = json.dumps(value, ensure_ascii=False)
    return _LEFT_OUT if instruction_in(text) or (not is_ours and internals_in(text)) else value


def _safe(text: str, instead: str, is_ours: bool) -> str:
    text = " ".join(excerpt(text, _TEXT_CHARS).split())
    return instead if instruction_in(text) or (not is_ours and internals_in(text)) else text
