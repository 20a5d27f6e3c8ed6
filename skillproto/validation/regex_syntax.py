r"""Read a regular expression of ECMA-262, as JSON Schema means it, into a tree.

Strict where leniency hides a fault: `\Z`, `\A`, `(?i)` and `(?P<n>)` belong to other
languages and are refused. Lenient where every engine is: `\-` and a lone `]` are themselves.
Pure; the depth of groups and the length are bounded.
"""

from typing import NamedTuple

from skillproto.validation import charsets
from skillproto.validation.charsets import CharSet

LONGEST_PATTERN = 5_000
"""Characters that a regular expression may have."""

_MANY = 1_000_000_000

DEEPEST_GROUP = 60
"""Groups that may stand inside each other."""


class PatternError(Exception):
    """The text is no regular expression of ECMA-262.

    Attributes:
        reason: what is wrong, as a short sentence without a capital.
        position: where, counted from 0.
    """

    def __init__(self, reason: str, position: int) -> None:
        super().__init__(f"{reason} (character {position + 1})")
        self.reason = reason
        self.position = position

    def __reduce__(self) -> tuple[type["PatternError"], tuple[str, int]]:
        return PatternError, (self.reason, self.position)


class Chars(NamedTuple):
    """One character out of a set."""

    chars: CharSet


class Sequence(NamedTuple):
    """One part after the other."""

    parts: tuple["Node", ...]


class Choice(NamedTuple):
    """One of several branches."""

    branches: tuple["Node", ...]


class Repeat(NamedTuple):
    """A part at least `least` and at most `most` times; `most` None is no limit."""

    part: "Node"
    least: int
    most: int | None


class Edge(NamedTuple):
    """A place between characters: "start", "end", "word" or "inside" (not a word edge)."""

    kind: str


class Look(NamedTuple):
    """A part that has to stand (or not stand) ahead or behind, without being consumed."""

    part: "Node"
    ahead: bool
    negated: bool


class Backreference(NamedTuple):
    """What a group matched, once more."""

    name: str


Node = Chars | Sequence | Choice | Repeat | Edge | Look | Backreference

_CONTROL = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_CLASSES = {
    "d": charsets.DIGIT,
    "D": charsets.complement(charsets.DIGIT),
    "w": charsets.WORD,
    "W": charsets.complement(charsets.WORD),
    "s": charsets.SPACE,
    "S": charsets.complement(charsets.SPACE),
}
_DOT = charsets.complement(charsets.LINE_END)
_HEX = frozenset("0123456789abcdefABCDEF")
_DIGITS = frozenset("0123456789")
_NAME_START = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_$"


def parse(text: str) -> Node:
    """Read a regular expression.

    Raises:
        PatternError: the text is none.

    >>> parse("a*")
    Repeat(part=Chars(chars=((97, 97),)), least=0, most=None)
    """
    if len(text) > LONGEST_PATTERN:
        raise PatternError(f"it is longer than {LONGEST_PATTERN} characters", LONGEST_PATTERN)
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.groups = 0
        self.names: set[str] = set()
        self.wanted: list[tuple[str, int]] = []

    def read(self) -> Node:
        node = self.choice()
        if self.at < len(self.text):
            raise PatternError("a ) closes no group", self.at)
        for name, position in self.wanted:
            if name not in self.names and not (name.isdigit() and int(name) <= self.groups):
                raise PatternError(f"no group is called {name[:60]}", position)
        return node

    def peek(self, ahead: int = 0) -> str:
        return self.text[self.at + ahead : self.at + ahead + 1]

    def take(self, text: str) -> bool:
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def choice(self) -> Node:
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while (character := self.peek()) and character not in "|)":
            parts.append(self.repeated(self.atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, part: Node) -> Node:
        start = self.at
        bounds = self.bounds()
        if bounds is None:
            return part
        if isinstance(part, Edge | Look):
            raise PatternError("there is nothing to repeat", start)
        self.take("?")
        if (self.peek() and self.peek() in "*+?") or self.counted() is not None:
            raise PatternError("a repeat is repeated", self.at)
        return Repeat(part, *bounds)

    def bounds(self) -> tuple[int, int | None] | None:
        for mark, bounds in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(mark):
                return bounds
        counted = self.counted()
        if counted is None:
            return None
        least, most, end = counted
        if most is not None and most < least:
            raise PatternError("the numbers of a repeat are in the wrong order", self.at)
        self.at = end
        return least, most

    def counted(self) -> tuple[int, int | None, int] | None:
        """Read {2}, {2,} or {2,5} without moving; any other brace stands for itself."""
        if self.peek() != "{":
            return None
        least, end = self.digits(self.at + 1)
        most: str | None = least
        if self.text[end : end + 1] == ",":
            most, end = self.digits(end + 1)
        if not least or self.text[end : end + 1] != "}":
            return None
        return _count(least), _count(most) if most else None, end + 1

    def digits(self, start: int) -> tuple[str, int]:
        end = start
        while self.text[end : end + 1] in _DIGITS:
            end += 1
        return self.text[start:end], end

    def atom(self) -> Node:
        start = self.at
        character = self.peek()
        self.at += 1
        match character:
            case "^":
                return Edge("start")
            case "$":
                return Edge("end")
            case ".":
                return Chars(_DOT)
            case "(":
                return self.group(start)
            case "[":
                return self.bracket(start)
            case "\\":
                return self.escape(start)
            case "*" | "+" | "?":
                raise PatternError("there is nothing to repeat", start)
            case "{":
                self.at -= 1
                if self.counted() is not None:
                    raise PatternError("there is nothing to repeat", start)
                self.at += 1
        return Chars(charsets.of(character))

    def group(self, start: int) -> Node:
        self.depth += 1
        if self.depth > DEEPEST_GROUP:
            raise PatternError(f"more than {DEEPEST_GROUP} groups stand inside each other", start)
        look = self.opening(start)
        inner = self.choice()
        if not self.take(")"):
            raise PatternError("a group is not closed", start)
        self.depth -= 1
        return inner if look is None else Look(inner, *look)

    def opening(self, start: int) -> tuple[bool, bool] | None:
        """Read what follows the bracket; for a look-around give (ahead, negated)."""
        for mark, look in (
            ("?=", (True, False)),
            ("?!", (True, True)),
            ("?<=", (False, False)),
            ("?<!", (False, True)),
        ):
            if self.take(mark):
                return look
        if self.take("?:"):
            return None
        self.groups += 1
        if self.take("?<"):
            name = self.group_name(start)
            if name in self.names:
                raise PatternError("two groups have the same name", start)
            self.names.add(name)
        elif self.peek() == "?":
            raise PatternError(f"ECMA-262 has no group that opens with (?{self.peek(1)}", start)
        return None

    def group_name(self, start: int) -> str:
        name, closed, _ = self.text[self.at :].partition(">")
        if not closed or not name.replace("$", "_").isidentifier():
            raise PatternError("the name of a group is missing or malformed", start)
        self.at += len(name) + 1
        return name

    def escape(self, start: int) -> Node:
        character = self.peek()
        if character in ("b", "B"):
            self.at += 1
            return Edge("word" if character == "b" else "inside")
        if character == "k" and self.peek(1) == "<":
            self.at += 2
            return self.refer(self.group_name(start), start)
        if character in _DIGITS and character not in ("", "0"):
            name, self.at = self.digits(self.at)
            return self.refer(name[:9], start)
        return Chars(self.escaped(start))

    def refer(self, name: str, start: int) -> Node:
        self.wanted.append((name, start))
        return Backreference(name)

    def escaped(self, start: int) -> CharSet:
        """Read what follows a backslash, where one character or a class of them may stand."""
        character = self.peek()
        if not character:
            raise PatternError("a \\ stands at the end", start)
        self.at += 1
        if character in _CLASSES:
            return _CLASSES[character]
        if character in "pP":
            return self.property(start, negated=character == "P")
        return charsets.union([(code := self.code(character, start), code)])

    def code(self, character: str, start: int) -> int:
        if character in _CONTROL:
            return _CONTROL[character]
        if character == "0" and self.peek() not in _DIGITS:
            return 0
        if character == "c" and self.peek().isascii() and self.peek().isalpha():
            self.at += 1
            return ord(self.text[self.at - 1]) % 32
        if character == "x":
            return self.hexadecimal(2, start)
        if character == "u":
            return self.unicode(start)
        if character.isascii() and character.isalnum():
            raise PatternError(f"ECMA-262 has no \\{character}", start)
        return ord(character)

    def unicode(self, start: int) -> int:
        if self.take("{"):
            digits, closed, _ = self.text[self.at : self.at + 12].partition("}")
            if not closed or not digits or not _HEX.issuperset(digits) or int(digits, 16) > charsets.LAST:
                raise PatternError("\\u{...} holds no code point", start)
            self.at += len(digits) + 1
            return int(digits, 16)
        high = self.hexadecimal(4, start)
        if 0xD800 <= high <= 0xDBFF and self.text.startswith("\\u", self.at):
            before = self.at
            self.at += 2
            low = self.hexadecimal(4, start)
            if 0xDC00 <= low <= 0xDFFF:
                return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
            self.at = before
        return high

    def hexadecimal(self, length: int, start: int) -> int:
        digits = self.text[self.at : self.at + length]
        if len(digits) < length or not _HEX.issuperset(digits):
            raise PatternError(f"{length} hex digits must follow", start)
        self.at += length
        return int(digits, 16)

    def property(self, start: int, *, negated: bool) -> CharSet:
        name, closed, _ = self.text[self.at + 1 : self.at + 60].partition("}")
        if self.peek() != "{" or not closed:
            raise PatternError("a property of characters needs a name in braces", start)
        key, _, value = name.rpartition("=")
        chars = charsets.category(value) if key in ("", "gc", "General_Category") else None
        if chars is None:
            raise PatternError(f"the property {name} is not known here", start)
        self.at += len(name) + 2
        return charsets.complement(chars) if negated else chars

    def bracket(self, start: int) -> Node:
        negated = self.take("^")
        ranges: list[tuple[int, int]] = []
        while not self.take("]"):
            if not self.peek():
                raise PatternError("a [ is not closed", start)
            ranges.extend(self.member())
        chars = charsets.union(ranges)
        return Chars(charsets.complement(chars) if negated else chars)

    def member(self) -> CharSet:
        """Read one character, class or range inside brackets."""
        start = self.at
        first = self.bracket_atom()
        if self.peek() != "-" or self.peek(1) in ("]", ""):
            return first
        self.at += 1
        last = self.bracket_atom()
        if not (_is_single(first) and _is_single(last)):
            return charsets.union([*first, *last, (ord("-"), ord("-"))])
        if last[0][0] < first[0][0]:
            raise PatternError("a range of characters is in the wrong order", start)
        return ((first[0][0], last[0][0]),)

    def bracket_atom(self) -> CharSet:
        start = self.at
        character = self.peek()
        self.at += 1
        if character != "\\":
            return charsets.of(character)
        if self.take("b"):
            return ((8, 8),)
        return self.escaped(start)


def _count(digits: str) -> int:
    """Read a number; a huge one is cut to one that is larger than any that is followed."""
    return int(digits) if len(digits) < len(str(_MANY)) else _MANY


def _is_single(chars: CharSet) -> bool:
    return len(chars) == 1 and chars[0][0] == chars[0][1]
