"""A finding as one sentence, for the formats that have room for no more."""

from skillproto.reports.escaping import value
from skillproto.violations import Violation


def sentence(violation: Violation) -> str:
    """Say what is wrong, where, what was expected and what was there.

    >>> sentence(Violation("/access", "one of: public, private", "all", "Invalid enum value", "schema/enum"))
    '/access: Invalid enum value; expected one of: public, private; found "all"'
    """
    parts = [f"{violation.field or '(whole document)'}: {violation.message}", f"expected {violation.expected}"]
    if violation.actual is not None:
        parts.append(f"found {value(violation.actual)}")
    if violation.hint:
        parts.append(violation.hint)
    return "; ".join(parts)
