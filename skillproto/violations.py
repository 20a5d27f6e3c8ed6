"""One broken rule, and the JSON Pointer that says where.

Pure values: nothing here reads a document, a schema or a file.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

JSONValue = Any
"""What a JSON text can hold: None, bool, int, float, str, list or dict of these."""

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")

PathPart = str | int
_LONG_INDEX = 10


class Violation(NamedTuple):
    """A rule that a document breaks: where, what was expected, what was there, and why.

    Positions are 1-based, columns count characters; they are None where no source
    text is known. The end is the first position behind the value.

    Attributes:
        field: JSON Pointer (RFC 6901) into the document; "" is the document itself. A
            missing member is reported at the pointer that it should have.
        expected: what would have been right, as a short phrase.
        actual: the value found, shortened and with secrets masked; None when missing.
        message: what is wrong, as a short sentence.
        rule: id in the catalogue of rules, such as "schema/enum".
        severity: "error", "warning" or "info"; only errors make a document invalid.
        line, column, end_line, end_column: where it stands in the source text.
        hint: what to do about it, or None.
        details: further facts for programs, such as the regular expression behind a
            pattern; may be empty.

    Source: SSP 9.4 for the first four.

    >>> Violation("/access", "string", None, "Required field is missing", "schema/required").severity
    'error'
    """

    field: str
    expected: str
    actual: JSONValue
    message: str
    rule: str
    severity: Severity = "error"
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    hint: str | None = None
    details: dict[str, JSONValue] = {}  # noqa: RUF012 - a NamedTuple default, never changed

    def to_dict(self) -> dict[str, JSONValue]:
        """Give the violation as JSON; what is not known is left out, `actual` never is.

        >>> v = Violation("/a", "string", None, "Required field is missing", "schema/required")
        >>> list(v.to_dict())
        ['field', 'expected', 'actual', 'message', 'rule', 'severity']
        """
        members = self._asdict()
        always = ("field", "expected", "actual", "message", "rule", "severity")
        return {key: value for key, value in members.items() if key in always or value not in (None, {})}

    @classmethod
    def from_dict(cls, members: JSONValue) -> "Violation | None":
        """Read what `to_dict` gave; None for what is no violation. Members that it does not know are left out.

        >>> v = Violation("/a", "string", None, "Required field is missing", "schema/required", line=3)
        >>> Violation.from_dict(v.to_dict()) == v, Violation.from_dict({"field": "/a"})
        (True, None)
        """
        if not isinstance(members, Mapping):
            return None
        known = {key: value for key, value in members.items() if key in cls._fields}
        known.setdefault("rule", "provider/violation")
        if not all(isinstance(known.get(key), str) for key in ("field", "expected", "message", "rule")):
            return None
        if "actual" not in known or known.get("severity", "error") not in SEVERITIES:
            return None
        return cls(**known)

    @property
    def sort_key(self) -> tuple[bool, int, int, list[tuple[int, str]], str, str]:
        """Document order where the text is known, else by pointer; always the same order.

        >>> Violation("/a/10", "x", 1, "m", "schema/type").sort_key[3]
        [(0, ''), (0, 'a'), (10, '10')]
        """
        parts = self.field.split("/")
        place = [(int(part) if part.isdecimal() and len(part) < _LONG_INDEX else 0, part) for part in parts]
        return (self.line is None, self.line or 0, self.column or 0, place, self.rule, self.message)


def in_order(violations: Iterable[Violation]) -> list[Violation]:
    """Sort violations into the one order that every report uses.

    >>> a, b = (Violation(f, "x", 1, "m", "schema/type") for f in ("/a", "/b"))
    >>> [v.field for v in in_order([b, a])]
    ['/a', '/b']
    >>> tenth, second = (Violation(f, "x", 1, "m", "schema/type") for f in ("/tags/10", "/tags/2"))
    >>> [v.field for v in in_order([tenth, second])]
    ['/tags/2', '/tags/10']
    """
    return sorted(violations, key=lambda violation: violation.sort_key)


def pointer(path: Iterable[PathPart]) -> str:
    """Write a path of keys and indexes as a JSON Pointer.

    Source: RFC 6901 section 3.

    >>> pointer(["inputs", 0, "a/b"])
    '/inputs/0/a~1b'
    """
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def resolve(document: JSONValue, field: str) -> JSONValue:
    """Give the value that a JSON Pointer names.

    Raises:
        LookupError: the document has no such value.

    >>> resolve({"inputs": [{"name": "text"}]}, "/inputs/0/name")
    'text'
    """
    value = document
    for token in field.split("/")[1:]:
        part = token.replace("~1", "/").replace("~0", "~")
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


class Position(NamedTuple):
    """A span of source text: 1-based lines and columns, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


def type_name(value: JSONValue) -> str:
    """Name a value's JSON type: null, boolean, integer, number, string, array or object.

    >>> type_name(True), type_name(1), type_name(1.5), type_name({})
    ('boolean', 'integer', 'number', 'object')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "integer" if value.is_integer() else "number"
        case str():
            return "string"
        case list() | tuple():
            return "array"
        case _:
            return "object"
