"""Findings that a registry lets pass, each by a line that names the skill, the version, the rule and the place.

A descriptor cannot excuse itself here; whoever runs the registry can excuse it, once.
"""

from collections.abc import Iterable
from typing import NamedTuple

from skillproto.errors import UsageError
from skillproto.rules.publishing import STALE_ALLOWANCE
from skillproto.violations import Violation

_PARTS = 3


class Allowance(NamedTuple):
    """One finding that is let pass.

    Attributes:
        skill: id and version, as "com.example.a@1.2.0".
        rule: the id of the rule.
        field: JSON Pointer of the finding.
    """

    skill: str
    rule: str
    field: str

    @classmethod
    def parse(cls, line: str) -> "Allowance":
        """Read a line.

        Raises:
            UsageError: it has not the three parts, or names no rule.

        >>> Allowance.parse("com.example.a@1.2.0 publish/breaking-without-major /inputs/0").field
        '/inputs/0'
        """
        from skillproto.rules.catalogue import CATALOGUE

        parts = [*line.split(None, _PARTS - 1), "", ""][:_PARTS]
        if "@" not in parts[0] or parts[1] not in CATALOGUE:
            raise UsageError(f"a line that allows a finding is 'ID@VERSION RULE POINTER', not {line[:100]!r}")
        return cls(*parts)

    @classmethod
    def of(cls, skill: str, finding: Violation) -> "Allowance":
        """Make the line that would let a finding pass; a break is named by its own rule and place in the change."""
        rule, field = finding.details.get("change", finding.rule), finding.details.get("at", finding.field)
        return cls(skill, str(rule), str(field))

    def __str__(self) -> str:
        return " ".join(self).rstrip()


def apply(lines: Iterable[str], skill: str, findings: Iterable[Violation]) -> list[Violation]:
    """Take out the findings that lines allow, and report the lines about this skill that allow nothing.

    Raises:
        UsageError: a line cannot be read.

    >>> v = Violation("/id", "x", 1, "m", "publish/id-taken")
    >>> apply(["a.b@1.0.0 publish/id-taken /id"], "a.b@1.0.0", [v])
    []
    """
    wanted = dict.fromkeys(each for each in map(Allowance.parse, lines) if each.skill == skill)
    kept, used = [], set()
    for finding in findings:
        allowance = Allowance.of(skill, finding)
        if allowance in wanted:
            used.add(allowance)
        else:
            kept.append(finding)
    return kept + [_stale(each) for each in wanted if each not in used]


def _stale(allowance: Allowance) -> Violation:
    return STALE_ALLOWANCE.found(
        allowance.field,
        "a line that is needed",
        str(allowance),
        "Nothing here breaks this rule, so the line that allows it can go",
        hint="Take it out",
    )
