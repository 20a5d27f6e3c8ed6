"""Values that YAML read as something else than was probably meant, where a schema wants text.

This room cannot know what a schema wants. It says how a value was written, and rewrites a
schema's finding about a value that lacks its quotes.
"""

from collections.abc import Iterable

from skillproto.documents.document import Document
from skillproto.violations import JSONValue, Violation, in_order, resolve

_BOOLEAN_WORDS = {
    **dict.fromkeys(("yes", "on", "y"), "true"),
    **dict.fromkeys(("no", "off", "n"), "false"),
}
_NULLS = ("", "~", "null")
_RULE = "document/yaml-ambiguous"


def ambiguity(document: Document, field: str) -> Violation | None:
    """Give the finding for a value that was meant as text and lacks quotes; None where that cannot be.

    Args:
        document: the document as it was read.
        field: JSON Pointer to a value where text is wanted.

    >>> from skillproto.documents import read
    >>> ambiguity(next(read(b"version: 1.10", source="x.yaml")), "/version").message
    '`1.10` was read as the number 1.1'
    """
    found = _plain(document, field)
    if found is None or isinstance(found[1], str):
        return None
    from skillproto.documents.yaml_findings import quote_it, was_read_as

    text, value = found
    message, hint = was_read_as(text, value), quote_it(text)
    position = document.position(field)
    violation = Violation(field, "string", value, message, _RULE, hint=hint, details={"text": text})
    return violation._replace(**position._asdict()) if position else violation


def explain_scalars(document: Document, violations: Iterable[Violation]) -> list[Violation]:
    """Rewrite the findings of a schema that missing quotes, or a word of YAML 1.1, brought about.

    Where text was wanted and YAML read a number, a boolean or null, the finding becomes
    `document/yaml-ambiguous`, and replaces the document's own milder one at the same place. Where a
    boolean was wanted and `yes` or `off` stands, it gets a hint. Everything else stays as it is.

    Args:
        document: the document as it was read; of another kind than YAML nothing changes.
        violations: all findings about it.

    >>> from skillproto.documents import read
    >>> document = next(read(b"version: 1.10", source="x.yaml"))
    >>> found = Violation("/version", "string (SemVer)", 1.1, "Wrong type", "schema/type")
    >>> [v.rule for v in explain_scalars(document, [found, *document.violations])]
    ['document/yaml-ambiguous']
    """
    if document.kind != "yaml":
        return list(violations)
    explained = [_explained(document, violation) for violation in violations]
    errors = {v.field for v in explained if v.rule == _RULE and v.severity == "error"}
    return in_order(v for v in explained if v.rule != _RULE or v.severity == "error" or v.field not in errors)


def _explained(document: Document, violation: Violation) -> Violation:
    if not violation.rule.startswith("schema/"):
        return violation
    if violation.expected.startswith(("string", "one of", "text")):
        better = None if _is_null(document, violation.field) else ambiguity(document, violation.field)
        return (
            violation if better is None else better._replace(expected=violation.expected, severity=violation.severity)
        )
    if violation.expected.startswith("boolean"):
        found = _plain(document, violation.field)
        word = _BOOLEAN_WORDS.get(found[0].lower()) if found else None
        return violation if word is None or found is None else violation._replace(
            hint=f"YAML 1.2 reads `{found[0]}` as text; write {word}")  # fmt: skip
    return violation


def _is_null(document: Document, field: str) -> bool:
    """Say whether a value was left out on purpose, or by the look of it."""
    return document.scalar_text(field) in _NULLS


def _plain(document: Document, field: str) -> tuple[str, JSONValue] | None:
    """Give how an unquoted scalar was written, and how it was read."""
    if document.kind != "yaml" or not document.readable:
        return None
    try:
        value = resolve(document.value, field)
    except (LookupError, TypeError, ValueError):
        return None
    if isinstance(value, list | dict):
        return None
    text = document.scalar_text(field)
    return None if text is None or text.startswith(("'", '"', "|", ">", "*")) else (text, value)
