"""Run the rules over a document: schema first, then what no schema can say, then what the reader chose.

Pure: reads no files but the shipped schemas, opens no sockets, changes nothing. The same document
always gives the same list.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

from skillproto.rules.quick import doubts
from skillproto.validation import check, surely_valid
from skillproto.violations import JSONValue, Violation, in_order

if TYPE_CHECKING:
    from skillproto.documents import Document
    from skillproto.rules.config import RuleConfig
    from skillproto.rules.subject import Subject

Engine = Literal["auto", "reference"]

_MISTAKEN_SHAPES = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)
_GROUPS = frozenset({"schema", "protocol", "descriptor", "index", "config"})
_ALWAYS_TOLD = frozenset({"descriptor/secret-in-descriptor", "descriptor/invisible-characters"})
_READ_GROUPS = _GROUPS | {"document"}


def validate(
    document: JSONValue, schema: str = "descriptor", *, engine: Engine = "auto", config: "RuleConfig | None" = None
) -> list[Violation]:
    """Check a document and report everything that is wrong with it.

    Args:
        document: the parsed JSON value, of any shape; it is not changed.
        schema: name of a shipped schema, as `skillproto schema --list` prints them.
        engine: "auto" accepts at once what is surely fine and asks jsonschema about the rest;
            "reference" always asks jsonschema. The findings are the same.
        config: which rules to run; None runs all, at their own severities.

    Returns:
        Findings in order of their pointers, warnings included; only those of severity "error"
        make the document invalid. Empty when there is nothing to say.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    Source: SSP 9.4; pointers follow RFC 6901.

    >>> [v.field for v in validate({"capability_type": "x"})][:2]
    ['/access', '/auth']
    """
    areas = _doubtful(document, schema) if engine == "auto" else None
    if areas == []:
        return []
    return in_order(_findings(document, schema, engine, config, (), areas))


def check_document(
    document: "Document", schema: str = "descriptor", *, engine: Engine = "auto", config: "RuleConfig | None" = None
) -> list[Violation]:
    """Check a document that was read from a text: the same as `validate`, with positions.

    Adds what reading found, such as a member given twice. What YAML read as something else than
    text is told as such. A text that could not be read has only the findings of reading.

    Args:
        document: from `skillproto.documents.read`.
        schema: as for `validate`.
        engine: as for `validate`.
        config: as for `validate`. What keeps a document from being checked, an unreadable text or a
            foreign protocol, is never left out by its `select`.

    Returns:
        Findings in document order.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    >>> from skillproto.documents import read
    >>> [v.column for v in check_document(next(read(b'{"id": 1, "id": 2}'))) if v.rule == "document/duplicate-key"]
    [11]
    """
    if not document.readable:
        return _with_severities(document.violations, config)
    areas = _doubtful(document.value, schema) if engine == "auto" else None
    if areas == [] and not document.violations:
        return []
    from skillproto.documents import explain_scalars, locate

    findings = _findings(document.value, schema, engine, config, document.violations, areas)
    return locate(document, explain_scalars(document, findings))


def _doubtful(document: JSONValue, schema: str) -> list[str] | None:
    """Name the areas to look at of a document that its schema surely accepts; None where that is not proven."""
    try:
        return doubts(document) if schema == "descriptor" and surely_valid(document, schema) else None
    except _MISTAKEN_SHAPES:
        return None


def _findings(
    document: JSONValue,
    schema: str,
    engine: Engine,
    config: "RuleConfig | None",
    known: Iterable[Violation],
    areas: list[str] | None,
) -> list[Violation]:
    """Give all findings, `known` ones of reading included, as configuration and excuses leave them."""
    from skillproto.rules.config import RuleConfig
    from skillproto.rules.subject import Subject, is_bounded
    from skillproto.rules.suppression import has_excuses, suppress

    config = config or RuleConfig()
    if not is_bounded(document):
        return config.with_severities([*known, _too_deep()])
    subject = Subject(document, schema)
    if not config.is_ignored("protocol/incompatible"):
        foreign = _foreign(subject)
        if foreign:
            return config.with_severities(foreign)
    found = [*known, *_checked(subject, engine, areas)]
    if config.suppressions and has_excuses(document):
        found = suppress(document, found, config, _READ_GROUPS if known else _GROUPS)
    return config.apply(found)


def _foreign(subject: "Subject") -> list[Violation]:
    from skillproto.rules.protocol import incompatible

    if subject.schema not in incompatible.schemas or incompatible.check is None:
        return []
    return list(incompatible.check(subject))


def _checked(subject: "Subject", engine: Engine, areas: list[str] | None) -> Iterator[Violation]:
    faults = check(subject.document, subject.schema, engine=engine) if areas is None else []
    yield from faults
    yield from _not_told(faults, rule_findings(subject, areas))


def rule_findings(subject: "Subject", areas: list[str] | None = None) -> Iterator[Violation]:
    """Give what the rules find that go beyond the schema, area by area."""
    from skillproto.rules.areas import RULES_OF_AREA, embedded_schemas
    from skillproto.rules.model import checks_of

    try:
        for area, rules in RULES_OF_AREA.items():
            if areas is None or area in areas:
                for _, look in checks_of(rules, subject.schema):
                    yield from look(subject)
        if areas is None or "schemas" in areas:
            yield from embedded_schemas(subject)
    except RecursionError:
        yield _too_deep()


def _too_deep() -> Violation:
    from skillproto.rules.found_elsewhere import TOO_DEEP

    message = "Arrays and objects are nested too deeply to be checked, or hold themselves"
    return TOO_DEEP.found("", "arrays and objects inside each other to a sensible depth", None, message)


def _not_told(faults: list[Violation], findings: Iterable[Violation]) -> Iterator[Violation]:
    """Leave out what the schema has already found fault with: one fault, one finding."""
    told = {fault.field for fault in faults}
    told.update(str(fault.details["misspelt"]) for fault in faults if "misspelt" in fault.details)
    seen: set[Any] = set()
    for finding in findings:
        key = (finding.rule, finding.field, finding.message)
        if (finding.field not in told or finding.rule in _ALWAYS_TOLD) and key not in seen:
            seen.add(key)
            yield finding


def _with_severities(findings: Iterable[Violation], config: "RuleConfig | None") -> list[Violation]:
    return list(findings) if config is None else config.with_severities(findings)
