"""One document: its value or the reason that there is none, and where everything stands.

Positions cost nothing until somebody asks: the first question reads the text a second time
and keeps what it finds.
"""

from collections.abc import Iterable

from skillproto.documents.kinds import Kind
from skillproto.documents.limits import Limits
from skillproto.documents.lines import Lines
from skillproto.documents.spans import Member, Span, walk
from skillproto.violations import JSONValue, Position, Violation, in_order

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
        "_end", "_limits", "_lines", "_start", "index", "kind", "readable", "source", "span", "value", "violations",
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
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
    ) -> None:
        self.value = value
        self.source = source
        self.index = index
        self.violations = violations
        self.readable = readable
        self.kind = kind
        self.span: Span | None = None
        self._lines = lines
        self._start = start
        self._end = end
        self._limits = limits

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
        step = self._steps(field)[-1:]
        if not step or self._lines is None:
            return None
        span = step[0].value if isinstance(step[0], Member) else step[0]
        return self._lines.position(span.start, span.end)

    def key_position(self, field: str) -> Position | None:
        """Give where the name of a member stands; None for anything that has no name in the text."""
        steps = self._steps(field)
        if self._lines is None or len(steps) <= field.count("/") or not steps:
            return None
        step = steps[-1]
        return self._lines.position(step.key_start, step.key_end) if isinstance(step, Member) else None

    def text_of(self, line: int) -> str | None:
        """Give a line of the source text without its end, such as for a caret below it."""
        return self._lines.text_of(line) if self._lines else None

    def scalar_text(self, field: str) -> str | None:
        """Give how a string, number, boolean or null is written, quotes included: `1.10` for 1.1.

        Returns:
            None for an array, an object, a missing value, and where no text is known.
        """
        steps = self._steps(field)
        if self._lines is None or len(steps) <= field.count("/"):
            return None
        span = steps[-1].value if isinstance(steps[-1], Member) else steps[-1]
        if span.members is not None or span.items is not None:
            return None
        text = self._lines.text[span.start : span.end]
        if self.kind == "json":
            return text
        from skillproto.documents.yaml_scalars import without_properties

        return without_properties(text)

    def _steps(self, field: str) -> list[Member | Span]:
        if self.span is None and self._lines is not None and self.readable:
            self.span = self._find_spans(self._lines.text[self._start : self._end])
        return list(walk(self.span, field)) if self.span is not None else []

    def _find_spans(self, text: str) -> Span | None:
        if self.kind == "json":
            from skillproto.documents.json_scan import scan

            return scan(text, self._limits).span
        from skillproto.documents.yaml_spans import spans

        return spans(text, self._start)


def locate(document: Document, violations: Iterable[Violation]) -> list[Violation]:
    """Fill in where each violation stands, and sort all of them into document order.

    A violation that has a position keeps it. One about the name of a member stands at the
    name, any other at the value; a missing member at its parent.

    >>> locate(Document(1), [Violation("", "string", 1, "m", "schema/type")])[0].line is None
    True
    """
    return in_order(_located(document, violation) for violation in violations)


def _located(document: Document, violation: Violation) -> Violation:
    if violation.line is not None:
        return violation
    position = document.key_position(violation.field) if violation.rule in _ABOUT_THE_NAME else None
    position = position or document.position(violation.field)
    return violation if position is None else violation._replace(**position._asdict())
