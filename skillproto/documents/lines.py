"""From an index in a text to its line and column, and back to the text of a line.

LF, CRLF and a lone CR each end a line, and nothing else does: both formats may hold other
Unicode line separators inside a value. Columns count characters.
"""

import re
from bisect import bisect_right

from skillproto.violations import Position

_LINE_END = re.compile(r"\r\n|\n|\r")


class Lines:
    r"""A text and, from the first question on, the places where its lines start.

    Attributes:
        text: the whole text.
        first_line: number of its first line, for a text that is part of a larger one.

    >>> Lines("a\rb\r\nc").position(2, 3)
    Position(line=2, column=1, end_line=2, end_column=2)
    """

    __slots__ = ("_starts", "first_line", "text")

    def __init__(self, text: str, first_line: int = 1) -> None:
        self.text = text
        self.first_line = first_line
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        return self._starts

    def line_column(self, index: int) -> tuple[int, int]:
        r"""Give the line and column of a character.

        >>> Lines("ab\ncd", first_line=7).line_column(4)
        (8, 2)
        """
        row = bisect_right(self.starts, index) - 1
        return self.first_line + row, index - self.starts[row] + 1

    def position(self, start: int, end: int) -> Position:
        return Position(*self.line_column(start), *self.line_column(end))

    def text_of(self, line: int) -> str | None:
        r"""Give one line without its end; None where the text has no such line.

        >>> Lines("ab\r\ncd").text_of(1)
        'ab'
        """
        row = line - self.first_line
        if not 0 <= row < len(self.starts):
            return None
        end = self.starts[row + 1] if row + 1 < len(self.starts) else len(self.text)
        return self.text[self.starts[row] : end].rstrip("\r\n")
