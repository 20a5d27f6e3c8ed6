"""What a run of checks gives, one item after the other, and the count that is kept of it.

Every report is made from these. Pure: what could not be read comes in as an item too.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Literal

from skillproto.violations import SEVERITIES, JSONValue, Severity, Violation

FailOn = Literal["error", "warning", "never"]


def _no_text(line: int) -> str | None:
    return None


class Checked:
    """A document that was checked.

    Attributes:
        source: the name of its file, or of the standard input.
        nth: 0-based, among the documents of its source.
        violations: what is wrong with it, in document order.
        kind: what it was checked as, such as "descriptor".
        text_of: gives a line of its source text, or None where there is none.
        about: further facts about it, as JSON members.

    >>> Checked("a.json").valid
    True
    """

    # A plain class: a NamedTuple costs a tenth of the time that a start may take.
    __slots__ = ("about", "kind", "nth", "source", "text_of", "violations")

    def __init__(
        self,
        source: str,
        nth: int = 0,
        violations: tuple[Violation, ...] = (),
        kind: str = "descriptor",
        text_of: Callable[[int], str | None] = _no_text,
    ) -> None:
        self.source = source
        self.nth = nth
        self.violations = violations
        self.kind = kind
        self.text_of = text_of
        self.about: dict[str, JSONValue] = {}

    @property
    def valid(self) -> bool:
        """Whether it has no finding of severity "error"."""
        return all(violation.severity != "error" for violation in self.violations)

    def fails(self, fail_on: FailOn) -> bool:
        """Say whether it fails a run that fails on this severity and worse."""
        failing = {"error": SEVERITIES[:1], "warning": SEVERITIES[:2], "never": ()}[fail_on]
        return any(violation.severity in failing for violation in self.violations)


class Unreadable:
    """Something that could not be read, so that nothing is known about it.

    Attributes:
        source: its name.
        reason: a short word, such as "not-found".
        message: what happened and what to do about it.
        about: further facts about it, as JSON members.
    """

    __slots__ = ("about", "message", "reason", "source")

    def __init__(self, source: str, reason: str, message: str) -> None:
        self.source = source
        self.reason = reason
        self.message = message
        self.about: dict[str, JSONValue] = {}


Item = Checked | Unreadable


class Tally:
    """The count of a run; complete once `watch` has given its last item.

    Attributes:
        checked, valid, failed, unreadable: how many documents.
        findings: how many, by severity.
        interrupted: whether the run was stopped before its end.

    >>> tally = Tally()
    >>> _ = list(tally.watch([Checked("a.json"), Unreadable("b.json", "not-found", "No such file")]))
    >>> tally.checked, tally.valid, tally.unreadable
    (1, 1, 1)
    """

    def __init__(self, *, fail_on: FailOn = "error", rule_pack_version: str = "") -> None:
        self.fail_on = fail_on
        self.rule_pack_version = rule_pack_version
        self.checked = self.valid = self.failed = self.unreadable = 0
        self.findings: dict[Severity, int] = dict.fromkeys(SEVERITIES, 0)
        self.interrupted = False

    def watch(self, items: Iterable[Item]) -> Iterator[Item]:
        """Count items as they pass."""
        for item in items:
            self._count(item)
            yield item

    def _count(self, item: Item) -> None:
        if isinstance(item, Unreadable):
            self.unreadable += 1
            return
        self.checked += 1
        self.valid += item.valid
        self.failed += item.fails(self.fail_on)
        for violation in item.violations:
            self.findings[violation.severity] += 1

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the count as JSON."""
        return {
            "checked": self.checked,
            "valid": self.valid,
            "invalid": self.checked - self.valid,
            "unreadable": self.unreadable,
            "errors": self.findings["error"],
            "warnings": self.findings["warning"],
            "infos": self.findings["info"],
            "interrupted": self.interrupted,
            "rule_pack_version": self.rule_pack_version,
        }

    def __str__(self) -> str:
        found = ", ".join(_plural(count, severity) for severity, count in self.findings.items() if count)
        parts = [f"{_plural(self.checked, 'document')} checked: {found or 'no findings'}"]
        if not self.checked:
            parts = ["nothing was checked"]
        if self.unreadable:
            parts.append(f"{self.unreadable} could not be read")
        if self.interrupted:
            parts.append("interrupted before the end")
        pack = f" (rule pack {self.rule_pack_version})" if self.rule_pack_version else ""
        return "; ".join(parts) + pack


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
