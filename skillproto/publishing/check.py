"""Everything that a registry asks before it accepts a descriptor, in one call.

Opens no file and no socket of its own, and prints nothing: what the registry knows comes in as data. Only a
`probe` that is passed in goes on the network.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from skillproto.documents import Document, locate
from skillproto.publishing import allowances, places, versions
from skillproto.publishing._comparing import Compared, compared
from skillproto.publishing._proving import Proven, proof_of
from skillproto.publishing.obstacles import Obstacle
from skillproto.publishing.report import PublishReport
from skillproto.publishing.state import RegistryState, Versions
from skillproto.rules import RULE_PACK_VERSION, RuleConfig, check_document, validate
from skillproto.rules import publishing as rules
from skillproto.validation.shown import short_text
from skillproto.violations import JSONValue, Violation, in_order

if TYPE_CHECKING:
    from skillproto.discovery import Proof
    from skillproto.publishing._comparing import Against
    from skillproto.rules.run import Engine


class Probe(Protocol):
    """What goes on the network for a check; `skillproto.publishing.probing.Prober` is one."""

    def __call__(self, descriptor: Mapping[str, Any]) -> tuple[list[Violation], list[Obstacle]]:
        """Ask a skill at its addresses."""

    def prove(self, skill_id: str) -> "Proof":
        """Ask the domain that an id begins with whether the id is its own."""


_CONFIG = RuleConfig.for_publishing()
_LONGEST = 300
_UNUSABLE = ("document/", "protocol/")
_OF_VERSION = frozenset({"schema/pattern", "schema/format", "schema/length"})


def publish_check(
    descriptor: "JSONValue | Document",
    state: RegistryState | None = None,
    *,
    against: "Against" = None,
    publisher: str | None = None,
    proofs: "Iterable[str | Proof]" = (),
    allow: Iterable[str] = (),
    config: RuleConfig | None = None,
    probe: Probe | None = None,
    engine: "Engine" = "auto",
) -> PublishReport:
    """Check a descriptor as a registry does before it publishes it.

    Everything that `validate` says, by the same rules, and what only the registry knows.

    Args:
        descriptor: the parsed JSON value, of any shape, or a `Document`, whose findings have positions.
        state: what the registry knows; None asks nothing of the kind.
        against: the descriptor of the version before this one, or a function that gives the descriptor
            of a published id and version. None takes those that the state holds.
        publisher: who wants to publish; what this holder holds is not taken. None means not known.
        proofs: namespaces that are proven besides those of the state, such as "com.example", and what
            `skillproto.discovery.prove_namespace` gave.
        allow: lines "ID@VERSION RULE POINTER", each for a finding that the registry lets pass.
        config: which rules count; None means all, and none of the descriptor's own excuses.
        probe: asks the skill at its addresses, and its domain for the proof of its namespace where there is
            none yet; None stays off the network.
        engine: as for `validate`.

    Returns:
        All findings, and what could not be carried out.

    Raises:
        UsageError: a line of `allow` that cannot be read.

    >>> import json, pathlib
    >>> skill = json.loads(pathlib.Path("examples/holidays.json").read_text())
    >>> [v.message for v in publish_check(skill | {"version": "latest"}).findings if v.field == "/version"]
    ['`latest` is reserved: it is a word that asks for a version']
    """
    config = config or _CONFIG
    document = descriptor if isinstance(descriptor, Document) else None
    value = descriptor.value if isinstance(descriptor, Document) else descriptor
    if document is None:
        findings = validate(value, engine=engine, config=config)
    else:
        findings = check_document(document, engine=engine, config=config)
    outcome = Compared()
    obstacles: list[Obstacle] = []
    if isinstance(value, dict) and not any(finding.rule.startswith(_UNUSABLE) for finding in findings):
        skill_id = value.get("id")
        known = state.versions(skill_id) if state is not None and isinstance(skill_id, str) else None
        outcome = compared(value, known, against, config, may_compare=not any(map(_is_schema_fault, findings)))
        proven = proof_of(skill_id, state, proofs, probe) if isinstance(skill_id, str) else Proven()
        asked = [*_asked(value, state, known, publisher), *proven.findings, *outcome.findings]
        obstacles += (*outcome.obstacles, *proven.obstacles)
        if probe is not None:
            probed, failed = probe(value)
            asked += probed
            obstacles += failed
        if asked:
            findings = _joined(findings, config.apply(asked), document)
    skill = f"{_text(value, 'id')}@{_text(value, 'version')}"
    findings = allowances.apply(allow, skill, findings) if allow else findings
    return PublishReport(
        _shown(value, "id"),
        _shown(value, "version"),
        (*_pack_difference(state, config), *findings),
        tuple(obstacles),
        outcome.base,
        state.rule_pack_version if state is not None else None,
    )


def _asked(
    descriptor: dict[str, Any],
    state: RegistryState | None,
    known: Versions | None,
    publisher: str | None,
) -> Iterator[Violation]:
    reserved = versions.reserved(descriptor.get("version"))
    if reserved is not None:
        yield reserved
    yield from places.bare_optional(descriptor)
    if state is None:
        return
    yield from places.taken(descriptor, state, known, publisher)
    skill_id = descriptor.get("id")
    if known is not None and isinstance(skill_id, str):
        yield from places.index_says(descriptor, state)
        yield from places.too_many(skill_id, state, known)


def _joined(known: list[Violation], asked: list[Violation], document: Document | None) -> list[Violation]:
    """Put both into one order; a reserved version is told by its name and not a second time as no version."""
    if any(finding.rule == rules.RESERVED_VERSION.id for finding in asked):
        known = [each for each in known if not (each.field == versions.FIELD and each.rule in _OF_VERSION)]
    findings = [*known, *asked]
    return in_order(findings) if document is None else locate(document, findings)


def _is_schema_fault(finding: Violation) -> bool:
    return finding.rule.startswith("schema/") and finding.severity == "error"


def _pack_difference(state: RegistryState | None, config: RuleConfig) -> list[Violation]:
    theirs = state.rule_pack_version if state is not None else None
    if theirs is None or theirs == RULE_PACK_VERSION:
        return []
    message = f"The registry has rule pack {theirs[:40]}, this is {RULE_PACK_VERSION}: what passes here may fail there"
    difference = rules.RULE_PACK_DIFFERS.found(
        "",
        f"rule pack {RULE_PACK_VERSION}",
        theirs,
        message,
        hint="Use the version of skillproto that has the registry's rule pack",
        details={"local": RULE_PACK_VERSION, "registry": theirs[:40]},
    )
    return config.apply([difference])


def _shown(value: JSONValue, name: str) -> str | None:
    text = _text(value, name)
    return text if text is None or len(text) <= _LONGEST else short_text(text, _LONGEST)


def _text(value: JSONValue, name: str) -> str | None:
    text = value.get(name) if isinstance(value, dict) else None
    return text if isinstance(text, str) else None
