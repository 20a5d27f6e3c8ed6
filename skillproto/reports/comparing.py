"""A comparison of two versions, written down: for people, as JSON, and as the items of the other reports."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from skillproto.documents import Document, locate
from skillproto.publishing.comparison import Change, Comparison, finding_in, suppression_lines
from skillproto.reports.as_text import Paint
from skillproto.reports.escaping import plain
from skillproto.reports.findings import Checked
from skillproto.rules import RULE_PACK_VERSION
from skillproto.rules.change_making import Level
from skillproto.violations import JSONValue, Violation

FORMAT_VERSION = 1

Threshold = Literal["breaking", "compatible", "cosmetic", "bump", "never"]
THRESHOLDS: tuple[Threshold, ...] = ("breaking", "compatible", "cosmetic", "bump", "never")
"""What makes a comparison fail: a change of this level or a graver one; a version that is not high enough; nothing."""

_LEVELS: tuple[Level, ...] = ("breaking", "compatible", "cosmetic")
_HEADS: dict[Level, str] = {
    "breaking": "Breaking: calls that worked may fail",
    "compatible": "Compatible: calls that worked still work",
    "cosmetic": "Cosmetic: no call notices",
}
_ROLES = {"breaking": "error", "compatible": "info", "cosmetic": "dim"}


class Compared(NamedTuple):
    """A comparison with the two documents that it is of, and what makes it fail."""

    comparison: Comparison
    old: Document
    new: Document
    fail_on: Threshold = "breaking"

    @property
    def fails(self) -> bool:
        """Whether it fails by its threshold."""
        if self.fail_on == "bump":
            return not self.comparison.is_bump_enough
        failing = self._failing()
        is_stale = bool(self.comparison.stale) and len(failing) > 1
        return is_stale or any(each.level in failing for each in self.comparison.changes)

    def _failing(self) -> tuple[Level, ...]:
        return () if self.fail_on in ("never", "bump") else _LEVELS[: _LEVELS.index(self.fail_on) + 1]

    def items(self) -> Iterator[Checked]:
        """Give the changes as findings in the new document; an error is what makes the comparison fail."""
        failing = _LEVELS[:1] if self.fail_on == "bump" and self.fails else self._failing()
        found = [self._finding(each, failing) for each in self.comparison.changes] + list(self.comparison.stale)
        yield Checked(self.new.source, 0, tuple(locate(self.new, found)), "comparison", self.new.text_of)

    def _finding(self, change: Change, failing: tuple[Level, ...]) -> Violation:
        finding = finding_in(self.new.value, change)
        return finding._replace(severity="error" if change.level in failing else "info")

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the report as JSON."""
        made = self.comparison.to_dict()
        made["old"]["source"], made["new"]["source"] = self.old.source, self.new.source
        lines = suppression_lines(self.new.value, self.comparison.of_level("breaking"))
        return made | {
            "fails": self.fails,
            "suppressions": [{"at": line.at, "member": line.text} for line in lines],
            "format_version": FORMAT_VERSION,
            "rule_pack_version": RULE_PACK_VERSION,
        }


def verdict(comparison: Comparison) -> str:
    """Say in one line which version was made and which is needed.

    >>> verdict(Comparison("a", "a", "1.2.0", "1.3.0"))
    'version 1.2.0 -> 1.3.0: no changes'
    """
    made = f"version {comparison.old_version} -> {comparison.new_version}"
    if comparison.bump is None:
        return f"{made}: no changes"
    if not comparison.is_bump_enough:
        return f"{made} but needs {comparison.least_version} ({comparison.bump} changes)"
    return f"{made} is enough for {comparison.bump} changes"


def as_text(compared: Compared, *, color: bool = False) -> Iterator[str]:
    """Write a comparison for people: grouped by level, and what to paste to let a break through."""
    comparison, paint = compared.comparison, Paint(on=color)
    names = [comparison.new_id] if comparison.old_id == comparison.new_id else [comparison.old_id, comparison.new_id]
    is_fine = comparison.is_bump_enough and not comparison.is_breaking
    told = verdict(comparison)
    yield f"{paint('place', plain(' -> '.join(names)))}: {told if is_fine else paint('error', told)}\n"
    for level in _LEVELS:
        yield from _group(level, comparison.of_level(level), paint)
    if comparison.excused:
        yield "\nLet through on purpose\n"
        yield from (_line(each, paint) for each in comparison.excused)
    yield from _stale(comparison.stale, paint)
    yield from _to_paste(compared, paint)


def _group(level: Level, changes: list[Change], paint: Paint) -> Iterator[str]:
    if changes:
        yield f"\n{paint(_ROLES[level], _HEADS[level])}\n"
        yield from (_line(each, paint) for each in changes)


def _line(change: Change, paint: Paint) -> str:
    gone = " (in the old one)" if change.side == "old" else ""
    place = f"{plain(change.pointer)}{gone}: " if change.pointer else ""
    rule = paint("dim", f"[{change.rule}]")
    hint = f"      {paint('dim', 'hint:')} {plain(change.hint)}\n" if change.hint else ""
    return f"  {place}{plain(change.message)} {rule}\n{hint}"


def _stale(findings: tuple[Violation, ...], paint: Paint) -> Iterator[str]:
    if findings:
        yield f"\n{paint('warning', 'Excuses that excuse nothing')}\n"
    for finding in findings:
        yield f"  {plain(finding.field)}: {plain(finding.message)} {paint('dim', f'[{finding.rule}]')}\n"


def _to_paste(compared: Compared, paint: Paint) -> Iterator[str]:
    lines = suppression_lines(compared.new.value, compared.comparison.of_level("breaking"))
    if lines:
        yield f"\nTo let {'these' if len(lines) > 1 else 'this'} through on purpose, write into the new descriptor\n"
    undecided = [each for each in compared.comparison.of_level("breaking") if not each.decided]
    for line in lines:
        yield f"  {paint('dim', f'in {plain(line.at)}:' if line.at else 'at the top:')} {plain(line.text)}\n"
    if undecided:
        yield "What could not be decided counts as compatible with --allow-undecided\n"
