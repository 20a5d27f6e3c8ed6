"""The findings of this room: faults at an index of a text, turned into violations.

Pure. A fault knows indexes; only when it is shown are lines and columns counted.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from skillproto.documents.limits import Limits
from skillproto.documents.lines import Lines
from skillproto.violations import JSONValue, PathPart, Severity, Violation, in_order, pointer

_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_SHOWN = 60
_LONGEST_NAME = 200


class Fault(NamedTuple):
    """One fault, found at an index of the text.

    Attributes:
        rule: name in the group "document".
        start, end: the faulty stretch of text.
        message, expected, actual, hint, severity: as in a violation.
        path: keys and indexes of the value concerned.
        related: index of the other half, such as the first of two equal keys.
        fatal: whether it leaves no value that could be checked further.
    """

    rule: str
    start: int
    end: int
    message: str
    expected: str
    actual: JSONValue = None
    path: tuple[PathPart, ...] = ()
    hint: str | None = None
    related: int | None = None
    severity: Severity = "error"
    fatal: bool = True


class Faults:
    """The faults of one document, no more kept than are shown; errors before anything milder."""

    def __init__(self, limits: Limits) -> None:
        self.fatal = False
        self._limit = max(1, limits.max_findings)
        self._count = 0
        self._errors: list[Fault] = []
        self._milder: list[Fault] = []

    @property
    def kept(self) -> list[Fault]:
        return [*self._errors, *self._milder][: self._limit]

    @property
    def full(self) -> bool:
        """Whether a further fault would only be counted, so that nothing need be known about it."""
        return len(self._errors) >= self._limit

    def add(self, fault: Fault) -> None:
        self.fatal = self.fatal or fault.fatal
        self._count += 1
        same = self._errors if fault.severity == "error" else self._milder
        if len(same) < self._limit:
            same.append(fault)

    def violations(self, lines: Lines, offset: int = 0) -> tuple[Violation, ...]:
        """Give the faults in the order of the text; `offset` is added to every index."""
        found = in_order(_violation(fault, lines, offset) for fault in self.kept)
        left_out = self._count - len(found)
        if left_out:
            last = found[-1]
            hint = f"{last.hint}; " if last.hint else ""
            more = f"{hint}{left_out} more findings about the text are not shown"
            found[-1] = last._replace(hint=more, details=last.details | {"left_out": left_out})
        return tuple(found)


def _violation(fault: Fault, lines: Lines, offset: int) -> Violation:
    message, details = fault.message, {}
    if fault.related is not None:
        line, column = lines.line_column(fault.related + offset)
        message = f"{message} at line {line}, column {column}"
        details = {"related_line": line, "related_column": column}
    return Violation(
        _field(fault.path),
        fault.expected,
        fault.actual,
        message,
        f"document/{fault.rule}",
        fault.severity,
        *lines.position(fault.start + offset, fault.end + offset),
        hint=fault.hint,
        details=details,
    )


def _field(path: Iterable[PathPart]) -> str:
    return pointer(shown_name(part) if isinstance(part, str) else part for part in path)


def shown_name(name: str) -> str:
    """Cut a very long key, and replace what no output could encode."""
    name = name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME] + "…"
    return _SURROGATE.sub("\ufffd", name)


def shown(text: str) -> str:
    """Shorten a piece of a text for a message or as what was found, secrets masked.

    >>> shown("x" * 100) == "x" * 60 + "…"
    True
    """
    from skillproto.redaction import mask_text

    cut = text[: 4 * _LONGEST_SHOWN]
    text = _SURROGATE.sub("\ufffd", mask_text(cut)) + ("…" if len(text) > len(cut) else "")
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


def too_deep(start: int, limits: Limits) -> Fault:
    """Describe the bracket, or the indentation, at which nesting goes too deep."""
    return Fault(
        "too-deep",
        start,
        start + 1,
        f"Arrays and objects are nested deeper than {limits.max_depth} levels",
        f"at most {limits.max_depth} levels",
    )


def too_many_nodes(start: int, limits: Limits) -> Fault:
    """Describe the value at which there are too many."""
    return Fault(
        "too-large",
        start,
        start + 1,
        f"The document holds more than {limits.max_nodes} values",
        f"at most {limits.max_nodes} values",
    )


def duplicate_key(key: str, start: int, end: int, first: int, path: tuple[PathPart, ...]) -> Fault:
    """Describe the second of two equal keys; it points at the first."""
    return Fault(
        "duplicate-key",
        start,
        end,
        f"The name `{shown(key)}` stands twice in this object; the first is",
        "each name once",
        shown(key),
        path,
        hint="Remove one of the two: readers disagree about which one counts",
        related=first,
        fatal=False,
    )


def non_finite(text: str, start: int, path: tuple[PathPart, ...]) -> Fault:
    """Describe NaN, an infinity, or a number beyond the range of doubles."""
    word = shown(text)
    digits = any(char.isdigit() for char in text)
    message = f"`{word}` is larger than any double" if digits else f"`{word}` is not a JSON number"
    hint = "Use a number between -1.8e308 and 1.8e308, or leave the member out"
    return Fault("non-finite-number", start, start + len(text), message, "a finite number", word, path, hint)


def number_out_of_range(text: str, start: int, path: tuple[PathPart, ...], limits: Limits) -> Fault:
    """Describe an integer with more digits than are read."""
    return Fault(
        "number-out-of-range",
        start,
        start + len(text),
        f"The integer has {len(text.lstrip('+-'))} digits",
        f"an integer of at most {limits.max_digits} digits",
        shown(text),
        path,
        "Quote it if it is not a quantity",
    )


def lone_surrogate(text: str, start: int, end: int, path: tuple[PathPart, ...]) -> Fault:
    """Describe a string with half of a surrogate pair, which no UTF-8 text can hold."""
    return Fault(
        "lone-surrogate",
        start,
        end,
        "The string holds half of a surrogate pair, which is no character",
        "Unicode characters",
        shown(text),
        path,
        "Write the character itself, or both halves of the pair",
    )


def has_surrogate(text: str) -> bool:
    r"""Say whether a string holds half of a surrogate pair.

    >>> has_surrogate("a\ud800"), has_surrogate("😀")
    (True, False)
    """
    return not text.isascii() and _SURROGATE.search(text) is not None
