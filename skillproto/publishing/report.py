"""What a check before publishing gives: findings, what could not be carried out, and the version of the rules."""

from dataclasses import dataclass, field

from skillproto.publishing.obstacles import Obstacle
from skillproto.rules import RULE_PACK_VERSION
from skillproto.violations import JSONValue, Violation

FORMAT_VERSION = 1
"""The version of the JSON form."""


@dataclass(frozen=True, slots=True)
class PublishReport:
    """What a check before publishing found.

    Attributes:
        id, version: what the descriptor says it is; None where it says nothing usable.
        findings: what `validate` says, and what only the registry knows, in document order; a different
            version of the rules is said first.
        obstacles: what could not be carried out, so that nothing is known about it.
        compared_with: the version that the contract was compared with; None where there was none.
        registry_rule_pack_version: that of the registry; None where it is not known.
        rule_pack_version: that of the rules that ran here.

    >>> PublishReport("com.example.a", "1.0.0").accepted
    True
    """

    id: str | None
    version: str | None
    findings: tuple[Violation, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    compared_with: str | None = None
    registry_rule_pack_version: str | None = None
    rule_pack_version: str = field(default=RULE_PACK_VERSION)

    @property
    def accepted(self) -> bool | None:
        """True when nothing stands against publishing, False when something does, None when that is not known.

        >>> PublishReport(None, None, obstacles=(Obstacle("comparison", "crashed", "It failed"),)).accepted is None
        True
        """
        if any(finding.severity == "error" for finding in self.findings):
            return False
        return None if self.obstacles else True

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the report as JSON; see `schemas/publish/1/reply.json`."""
        return {
            "format_version": FORMAT_VERSION,
            "rule_pack_version": self.rule_pack_version,
            "registry_rule_pack_version": self.registry_rule_pack_version,
            "accepted": self.accepted,
            "id": self.id,
            "version": self.version,
            "compared_with": self.compared_with,
            "findings": [finding.to_dict() for finding in self.findings],
            "not_carried_out": [obstacle.to_dict() for obstacle in self.obstacles],
        }
