"""One document: its value or the reason that there is none, and where everything stands.

Positions cost nothing until somebody asks: the first question reads the text a second time
and keeps what it finds.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from skillproto.documents.kinds import Kind
from skillproto.documents.lines import Lines
from skillproto.violations import JSONValue, Position, Violation, in_order

if TYPE_CHECKING:
    from skillproto.documents.spans import SpanTree

_ABOUT_THE_NAME = frozenset(("descriptor/unknown-member", "document/duplicate-key", "document/non-string-key"))


class Document:
    """One value of a text, or the reason that there is none.

    Attributes:
        value: the value; None where there is none.
        source: name of the text, such as a path.
        index: 0-based number of the document in its text: of the YAML document, or of the
            line that is not blank in JSON Lines.
        violations: findings about the text itself, positions filled in.
        readable: False when there is no value to check.
        kind: how the text was read, "json" or "yaml".

    >>> Document({"a": 1}).position("/a") is None
    True
    """

    __slots__ = (
        "_end", "_lines", "_spans", "_start", "index", "kind", "readable", "source", "value", "violations",
    )  # fmt: skip

    def __init__(
        self,
        value: JSONValue,
        source: str = "<data>",
        index: int = 0,
        violations: tuple[Violation, ...] = (),
        readable: bool = True,
        *,
        kind: Kind = "json",
        lines: Lines | None = None,
        start: int = 0,
        end: int | None = None,
    ) -> None:
        self.value = value
        self.source = source
        self.index = index
        self.violations = violations
        self.readable = readable
        self.kind = kind
        self._spans: SpanTree | None = None
        self._lines = lines
        self._start = start
        self._end = end

    def __repr__(self) -> str:
        state = "readable" if self.readable else "not readable"
        return f"<Document {self.index} of {self.source[:100]!r}: {state}, {len(self.violations)} findings>"

    @property
    def line(self) -> int:
        """Line on which the document's text begins; 1 where no text is known."""
        return self._lines.line_column(self._start)[0] if self._lines else 1

    def position(self, field: str) -> Position | None:
        """Give where a value stands; for a missing member, where its parent does.

        Args:
            field: JSON Pointer to the value.

        Returns:
            Where it starts, and the first position behind it; None where no text is known.
        """
        spans = self._find_spans()
        if spans is None or self._lines is None:
            return None
        node, _ = spans.find(field)
        return self._lines.position(spans.starts[node], spans.ends[node])

    def key_position(self, field: str) -> Position | None:
        """Give where the name of a member stands; None for anything that has no name in the text."""
        spans = self._find_spans()
        if spans is None or self._lines is None:
            return None
        node, whole = spans.find(field)
        if not whole or spans.names[node] is None:
            return None
        return self._lines.position(spans.name_starts[node], spans.name_ends[node])

    def text_of(self, line: int) -> str | None:
        """Give a line of the source text without its end, such as for a caret below it."""
        return self._lines.text_of(line) if self._lines else None

    def scalar_text(self, field: str) -> str | None:
        """Give how a string, number, boolean or null is written, quotes included: `1.10` for 1.1.

        Returns:
            None for an array, an object, a missing value, and where no text is known.
        """
        spans = self._find_spans()
        if spans is None or self._lines is None:
            return None
        node, whole = spans.find(field)
        if not whole or not spans.is_scalar(node):
            return None
        text = self._lines.text[spans.starts[node] : spans.ends[node]]
        if self.kind == "json":
            return text
        from skillproto.documents.yaml_scalars import without_properties

        return without_properties(text)

    def _find_spans(self) -> "SpanTree | None":
        if self._spans is None and self._lines is not None and self.readable:
            text = self._lines.text[self._start : self._end]
            if self.kind == "json":
                from skillproto.documents.json_spans import json_spans

                self._spans = json_spans(text)
            else:
                from skillproto.documents.yaml_spans import yaml_spans

                self._spans = yaml_spans(text, self._start)
        return self._spans


def locate(document: Document, violations: Iterable[Violation]) -> list[Violation]:
    """Fill in where each violation stands, and sort all of them into document order.

    A violation that has a position keeps it. One about the name of a member stands at the
    name, also where a missing member stands misspelt; any other at the value; a missing
    member at its parent.

    >>> locate(Document(1), [Violation("", "string", 1, "m", "schema/type")])[0].line is None
    True
    """
    return in_order(_located(document, violation) for violation in violations)


def _located(document: Document, violation: Violation) -> Violation:
    if violation.line is not None:
        return violation
    named = violation.details.get("misspelt") or (violation.field if violation.rule in _ABOUT_THE_NAME else None)
    position = document.key_position(named) if named is not None else None
    position = position or document.position(violation.field)
    return violation if position is None else violation._replace(**position._asdict())
