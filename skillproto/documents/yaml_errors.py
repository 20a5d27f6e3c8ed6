"""Say what is wrong at the place where a YAML parser stopped, in YAML's terms and our own words.

Pure. Only places are taken from the parser; the text at them shows the usual mistake.
"""

import re
from typing import NamedTuple

from skillproto.documents.findings import Fault, shown

LINE_BREAKS = "\r\n\x85\u2028\u2029"
"""What ends a line for both YAML parsers."""

_FORBIDDEN = re.compile("[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SURROGATE_ESCAPE = re.compile(r"\\(?:u|U0000)[dD][89a-fA-F][0-9a-fA-F]{2}")
_BEYOND_UNICODE = re.compile(r"\\U(?!00(?:0[0-9a-fA-F]|10))[0-9a-fA-F]{8}")
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{0,2}|u[0-9a-fA-F]{0,4}|U[0-9a-fA-F]{0,8}|[^\r\n]?)")
_NO_SPACE_AFTER_COLON = re.compile(r"\s*[\w-]+:[^\s/]")
_LONGEST_LINE = 10_000

_RESERVED = {"@": "`@`", "`": "A backtick", "%": "`%`", "\t": "A tab"}
_TOKENS = {
    "&": ("The name of the anchor is not valid", "Use letters, digits, - and _, or quote the text if it is no anchor"),
    "*": ("The name of the alias is not valid", "Use letters, digits, - and _, or quote the text if it is no alias"),
    "!": ("The tag is not valid", "Remove it, or quote the text if it is no tag"),
    "|": ("Only +, - or a digit may follow `|` on its line", "Begin the text on the next line"),
    ">": ("Only +, - or a digit may follow `>` on its line", "Begin the text on the next line"),
}


class Stop(NamedTuple):
    """Where a parser stopped.

    Attributes:
        place: where it could not go on.
        opened: where the thing began that it was in the middle of, or None.
        scanning: whether that thing is a single token, such as a string or a key.
    """

    place: int
    opened: int | None = None
    scanning: bool = False


class _Say(NamedTuple):
    message: str
    hint: str
    expected: str = "YAML text"
    start: int | None = None
    length: int = 1
    rule: str = "syntax"
    related: int | None = None


def explain(text: str, stop: Stop) -> Fault:
    """Describe the fault that made a parser stop.

    >>> explain("a: @b", Stop(3)).message
    '`@` cannot begin an unquoted value'
    """
    stop = stop._replace(place=min(stop.place, len(text)))
    say = _say(text, stop)
    start = stop.place if say.start is None else say.start
    end = min(len(text), start + say.length)
    actual = shown(text[start:end]) or None
    return Fault(say.rule, start, end, say.message, say.expected, actual, hint=say.hint, related=say.related)


def _say(text: str, stop: Stop) -> _Say:
    forbidden = _FORBIDDEN.search(text)
    if forbidden is not None:
        code = f"U+{ord(forbidden.group()):04X}"
        return _Say(f"The control character {code} cannot stand in YAML", "Remove it", start=forbidden.start())
    for find in (_escape, _quote, _bracket, _closer, _tab, _reserved, _token, _colon, _after_quote, _list):
        say = find(text, stop)
        if say is not None:
            return say
    if not text[stop.place :].strip():
        return _Say("The text ends where a value is needed", "Look for what was cut off", length=0)
    return _Say(
        "This line does not fit the lines before it",
        "Give all members of a list or mapping the same indentation, and quote text with special characters",
        length=len(_line(text, stop.place).lstrip()),
    )


def _opened_by(text: str, stop: Stop) -> str:
    return "" if stop.opened is None else text[stop.opened : stop.opened + 1]


def _line_start(text: str, index: int) -> int:
    return max(text.rfind(end, 0, index) for end in LINE_BREAKS) + 1


def _line(text: str, index: int) -> str:
    start = _line_start(text, index)
    return re.split(f"[{LINE_BREAKS}]", text[start : start + _LONGEST_LINE], maxsplit=1)[0]


def _escape(text: str, stop: Stop) -> _Say | None:
    if _opened_by(text, stop) != '"':
        return None
    place = text.rfind("\\", max(0, stop.place - 2), stop.place + 1)
    if place < 0:
        return None
    if _SURROGATE_ESCAPE.match(text, place):
        return _Say("The string holds half of a surrogate pair, which is no character",
                    "Write the character itself, or \\U and eight hexadecimal digits",
                    "Unicode characters", place, 6, "lone-surrogate")  # fmt: skip
    match = _ESCAPE.match(text, place)
    escape = match.group() if match else "\\"
    return _Say(f"`{shown(escape)}` is no escape that YAML knows", "Write \\\\ for a backslash, or use single quotes",
                "an escape such as \\n or \\u00e9", place, len(escape))  # fmt: skip


def surrogate_escape(text: str, start: int, end: int) -> tuple[int, int]:
    """Find the escape of half a surrogate pair in a string; the whole string if there is none."""
    match = _SURROGATE_ESCAPE.search(text, start, end)
    return match.span() if match else (start, end)


def beyond_unicode(text: str) -> Stop:
    """Find the escape for a character that does not exist: one parser stops at it without a place."""
    match = _BEYOND_UNICODE.search(text)
    start = match.start() if match else 0
    return Stop(start, max(0, text.rfind('"', 0, start)), scanning=True)


def _quote(text: str, stop: Stop) -> _Say | None:
    quote = _opened_by(text, stop)
    if quote not in ("'", '"') or not stop.scanning:
        return None
    line = _line(text, stop.opened or 0)
    length = _line_start(text, stop.opened or 0) + len(line) - (stop.opened or 0)
    return _Say("The quoted text is not closed", f"Write {quote} at its end; inside '...' a single quote is doubled",
                f"a closing {quote}", stop.opened, length)  # fmt: skip


def _bracket(text: str, stop: Stop) -> _Say | None:
    opened = _opened_by(text, stop)
    if opened not in ("[", "{") or stop.scanning:
        return None
    what, closer = ("list", "]") if opened == "[" else ("mapping", "}")
    if not text[stop.place :].strip():
        return _Say(f"The text ends inside the {what} that begins", f"Write {closer} at its end", f"`{closer}`",
                    length=0, related=stop.opened)  # fmt: skip
    return _Say(f"A comma or `{closer}` is missing here, in the {what} that begins",
                f"Write a comma between values, and {closer} at the end", f"`,` or `{closer}`",
                related=stop.opened)  # fmt: skip


def _closer(text: str, stop: Stop) -> _Say | None:
    char = text[stop.place : stop.place + 1]
    if char not in ("]", "}"):
        return None
    return _Say(f"`{char}` closes nothing that is open", "Remove it, or quote the value if it is text", "a value")


def _list(text: str, stop: Stop) -> _Say | None:
    before = text[_line_start(text, stop.place) : stop.place]
    if not text.startswith("- ", stop.place) or not before.rstrip(" ").endswith(":"):
        return None
    return _Say("A list cannot begin on the line of its name", "Write each `- value` on a line of its own", "a value")


def _tab(text: str, stop: Stop) -> _Say | None:
    line = _line(text, stop.place)
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    if "\t" not in indent:
        return None
    place = _line_start(text, stop.place) + indent.index("\t")
    return _Say("A tab cannot indent", "Indent with spaces", "spaces", place)


def _reserved(text: str, stop: Stop) -> _Say | None:
    what = _RESERVED.get(text[stop.place : stop.place + 1])
    return _Say(f"{what} cannot begin an unquoted value", "Quote the value", "a value") if what else None


def _token(text: str, stop: Stop) -> _Say | None:
    if stop.opened is None:
        return None
    line = _line(text, stop.opened)
    length = max(1, _line_start(text, stop.opened) + len(line) - stop.opened)
    known = _TOKENS.get(_opened_by(text, stop))
    if known:
        return _Say(*known, start=stop.opened, length=length)
    if not stop.scanning:
        return None
    hint = "Write `: ` behind the name, with the space, or indent the line if it continues a text"
    return _Say("This line has no name and colon, as the lines around it have", hint, "`name: value`", stop.opened,
                length)  # fmt: skip


def _colon(text: str, stop: Stop) -> _Say | None:
    start = _line_start(text, stop.place)
    if text[stop.place : stop.place + 1] != ":":
        return None
    if re.search(r":\s", text[start : stop.place]):
        return _Say("A second colon stands in the value of this line", "Quote the value", "a quoted value")
    before = _line(text, start - 1) if start else ""
    if _NO_SPACE_AFTER_COLON.match(before):
        return _Say("A space is missing behind a colon in the line before this one", "Write `name: value`",
                    "`name: value`")  # fmt: skip
    return _Say("This name stands where none can: its line continues the value before it",
                "Give all members of a mapping the same indentation", "a value")  # fmt: skip


def _after_quote(text: str, stop: Stop) -> _Say | None:
    before = text[_line_start(text, stop.place) : stop.place].rstrip(" \t")
    if not before.endswith(("'", '"')) or not text[stop.place : stop.place + 1].strip():
        return None
    return _Say("More text stands behind the closing quote", "Put all of it inside the quotes", "the end of the line")
