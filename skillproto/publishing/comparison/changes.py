"""What a comparison gives: changes, each with its level, and the version that they ask for. Pure values."""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from skillproto.rules.change_making import Level
from skillproto.rules.changes import LEVELS
from skillproto.versions import Version
from skillproto.violations import JSONValue, Severity, Violation

Bump = Literal["major", "minor", "patch"]
Side = Literal["new", "old"]

LEVEL_ORDER: tuple[Level, ...] = ("breaking", "compatible", "cosmetic")
"""The levels, the gravest first."""

NEEDS: dict[Level, Bump] = {"breaking": "major", "compatible": "minor", "cosmetic": "patch"}
"""The part of the version that a change of each level raises."""


class Change(NamedTuple):
    """One difference between two descriptors.

    Attributes:
        rule: its id, such as "diff/input-removed".
        level: "breaking", "compatible" or "cosmetic".
        pointer: JSON Pointer of what changed.
        message: what changed and what that means, as a short sentence.
        side: the descriptor that `pointer` leads into: "new", or "old" for what is gone.
        decided: False where containment could not be decided.
        before, after: the values, shortened; None where there is none.
        hint: what to do about it, or None.
    """

    rule: str
    level: Level
    pointer: str
    message: str
    side: Side = "new"
    decided: bool = True
    before: JSONValue = None
    after: JSONValue = None
    hint: str | None = None

    @property
    def needs(self) -> Bump:
        """The part of the version that it raises: "major", "minor" or "patch".

        >>> Change("diff/input-removed", "breaking", "/inputs/0", "The input is gone").needs
        'major'
        """
        return NEEDS[self.level]

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the change as JSON.

        >>> Change("diff/order-changed", "cosmetic", "/inputs", "The inputs come in another order").to_dict()["needs"]
        'patch'
        """
        members = self._asdict()
        members["needs"] = self.needs
        return {key: value for key, value in members.items() if key != "hint" or value is not None}

    def to_violation(self, severity: Severity | None = None) -> Violation:
        """Give the change as a finding, for the reports that are made of those; "error" when it is breaking.

        >>> Change("diff/order-changed", "cosmetic", "/inputs", "Another order").to_violation().severity
        'info'
        """
        chosen: Severity = severity or ("error" if self.level == "breaking" else "info")
        details: dict[str, JSONValue] = {"level": self.level, "needs": self.needs, "side": self.side}
        if not self.decided:
            details["decided"] = False
        expected = "a call that worked still works" if self.level == "breaking" else f"a {self.needs} version"
        return Violation(
            self.pointer, expected, self.after, self.message, self.rule, chosen, hint=self.hint, details=details
        )


def change(
    rule: str,
    pointer: str,
    message: str,
    *,
    side: Side = "new",
    before: JSONValue = None,
    after: JSONValue = None,
    hint: str | None = None,
    decided: bool = True,
) -> Change:
    """Make a change at the level of its rule.

    >>> change("input-removed", "/inputs/0", "The input is gone", side="old").level
    'breaking'
    """
    name = f"diff/{rule}"
    return Change(name, LEVELS[name], pointer, message, side, decided, before, after, hint)


class Comparison(NamedTuple):
    """What became of a skill from one version to another.

    Attributes:
        old_id, new_id: the ids of the two; a change of its own where they differ.
        old_version, new_version: their versions.
        changes: every change, the breaking ones first.
        excused: changes that the new descriptor, or the caller's configuration, lets through on purpose.
        stale: findings on excuses that excuse nothing, or are not understood.
    """

    old_id: str
    new_id: str
    old_version: str
    new_version: str
    changes: tuple[Change, ...] = ()
    excused: tuple[Change, ...] = ()
    stale: tuple[Violation, ...] = ()

    def of_level(self, level: Level) -> list[Change]:
        """Give the changes of one level.

        >>> Comparison("a", "a", "1.0.0", "1.0.0").of_level("breaking")
        []
        """
        return [each for each in self.changes if each.level == level]

    @property
    def is_breaking(self) -> bool:
        """Whether a call that worked may fail, or an output may come that never came before."""
        return any(each.level == "breaking" for each in self.changes)

    @property
    def bump(self) -> Bump | None:
        """The part of the version that the changes raise; None where nothing changed.

        >>> Comparison("a", "a", "1.0.0", "1.0.0").bump is None
        True
        """
        return next((NEEDS[level] for level in LEVEL_ORDER if self.of_level(level)), None)

    @property
    def bump_made(self) -> Bump | Literal["lowered"] | None:
        """The part of the version that was raised; "lowered" when the new one comes before the old one.

        A step among pre-releases, or from one to its release, is a "patch".

        >>> Comparison("a", "a", "1.2.0", "1.3.0").bump_made
        'minor'
        """
        old, new = Version.parse(self.old_version), Version.parse(self.new_version)
        if new.precedence == old.precedence:
            return None
        if new.precedence < old.precedence:
            return "lowered"
        if new[:3] == old[:3]:
            return "patch"
        return "major" if new.major > old.major else "minor" if new.minor > old.minor else "patch"

    @property
    def least_version(self) -> str:
        """The lowest version that the changes allow, as SemVer counts them.

        Before 1.0.0 anything may change: a break raises the minor part there, and all else the patch. After a
        pre-release, whatever comes next in order will do.

        Source: SemVer 2.0.0, clauses 4, 6, 7, 8 and 9.

        >>> broken = change("input-removed", "/inputs/0", "The input is gone")
        >>> Comparison("a", "a", "1.2.0", "1.3.0", (broken,)).least_version
        '2.0.0'
        >>> Comparison("a", "a", "0.2.0", "0.2.1", (broken,)).least_version
        '0.3.0'
        """
        old = Version.parse(self.old_version)
        if self.bump is None or old.pre:
            return self.old_version
        bump: Bump = self.bump
        if old.major == 0:
            bump = "minor" if bump == "major" else "patch"
        if bump == "major":
            return f"{old.major + 1}.0.0"
        return f"{old.major}.{old.minor + 1}.0" if bump == "minor" else f"{old.major}.{old.minor}.{old.patch + 1}"

    @property
    def is_bump_enough(self) -> bool:
        """Whether the new version is high enough for what changed.

        >>> Comparison("a", "a", "1.2.0", "1.3.0").is_bump_enough
        True
        """
        old, new = Version.parse(self.old_version), Version.parse(self.new_version)
        if self.bump is None:
            return new.precedence >= old.precedence
        if old.pre:
            return new.precedence > old.precedence
        return new[:3] >= Version.parse(self.least_version)[:3]

    @property
    def violations(self) -> list[Violation]:
        """The changes as findings, then those on excuses.

        >>> Comparison("a", "a", "1.0.0", "1.0.0").violations
        []
        """
        return [*(each.to_violation() for each in self.changes), *self.stale]

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the comparison as JSON.

        >>> Comparison("a", "a", "1.0.0", "1.0.0").to_dict()["bump_needed"] is None
        True
        """
        return {
            "old": {"id": self.old_id, "version": self.old_version},
            "new": {"id": self.new_id, "version": self.new_version},
            "is_breaking": self.is_breaking,
            "bump_needed": self.bump,
            "bump_made": self.bump_made,
            "least_version": self.least_version,
            "is_bump_enough": self.is_bump_enough,
            "changes": [each.to_dict() for each in self.changes],
            "excused": [each.to_dict() for each in self.excused],
            "stale": [finding.to_dict() for finding in self.stale],
        }


def in_level_order(changes: Iterator[Change]) -> tuple[Change, ...]:
    """Sort changes by level; within one they keep their order."""
    return tuple(sorted(changes, key=lambda each: LEVEL_ORDER.index(each.level)))
