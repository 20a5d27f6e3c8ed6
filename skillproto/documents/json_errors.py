"""Say what is wrong at one place of a JSON text, and what to write instead, in our own words.

Pure. The scanner says what it wanted; the text at that place shows the usual mistake.
"""

import re
from enum import Enum, auto
from typing import NamedTuple

from skillproto.documents.findings import Fault, shown


class Want(Enum):
    """What the scanner wanted at the place where it stopped."""

    VALUE = auto()
    ITEM = auto()
    FIRST_KEY = auto()
    KEY = auto()
    COLON = auto()
    COMMA = auto()
    STRING = auto()
    END = auto()


_EXPECTED = {
    Want.VALUE: "a JSON value",
    Want.ITEM: "a JSON value",
    Want.FIRST_KEY: 'a name in double quotes or "}"',
    Want.KEY: "a name in double quotes",
    Want.COLON: '":" after the name',
    Want.COMMA: '"," or the closing bracket',
    Want.STRING: "a string in double quotes",
    Want.END: "nothing more",
}

_WORD = re.compile(r"[^\s,:\[\]{}\"'`/#]+")
_BLOCK_COMMENT = re.compile(r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?")
_LINE = re.compile(r"[^\r\n]*")
_GOOD_STRING_PART = re.compile(r'"(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|[^"\\\x00-\x1f]++)*+')
_YAML_LINE = re.compile(r"(?:%YAML|---|- |[A-Za-z_][\w-]*:(?:[ \t\r\n]|\Z))")
_NUMBER_START = frozenset("+-.0123456789")
_LITERALS = {"true": "true", "false": "false", "none": "null", "null": "null", "nil": "null", "undefined": "null"}
_QUOTES = frozenset("'`‘’“”„«»")  # noqa: RUF001 - the very characters that are mistaken for quotes


class _Say(NamedTuple):
    message: str
    hint: str | None = None
    length: int = 1
    start: int | None = None
    related: int | None = None
    expected: str | None = None


def explain(text: str, pos: int, want: Want, opened: int | None) -> Fault:
    """Describe the fault at `pos`; `opened` is where the innermost open bracket stands.

    >>> explain("[1,]", 3, Want.ITEM, 0).message
    'There is a comma before the closing bracket'
    """
    say = _say(text, pos, want, opened)
    start = pos if say.start is None else say.start
    end = min(len(text), start + say.length)
    actual = shown(text[start:end]) or None
    return Fault(
        "syntax", start, end, say.message, say.expected or _EXPECTED[want], actual, hint=say.hint, related=say.related
    )


def _say(text: str, pos: int, want: Want, opened: int | None) -> _Say:
    char = text[pos : pos + 1]
    if want is Want.STRING:
        return _bad_string(text, pos)
    if not char:
        return _ended(text, want, opened)
    for find in (_comment, _quote, _closing, _punctuation, _number, _word, _odd_character):
        say = find(text, pos, want, opened)
        if say is not None:
            return say
    if want is Want.END:
        hint = _END_HINT if char in '{["' else "Remove it, or look for a bracket that is missing"
        return _Say("There is more text behind the end of the value", hint)
    return _Say(f"`{char}` cannot stand here")


_END_HINT = "One JSON text holds one value; name the file .jsonl if each line holds one"


def _ended(text: str, want: Want, opened: int | None) -> _Say:
    if opened is not None:
        what = "object" if text[opened] == "{" else "array"
        return _Say(f"The text ends inside the {what} that begins", "Close it, or look for what was cut off", 0,
                    related=opened)  # fmt: skip
    if want is Want.VALUE and not text:
        return _Say("The text is empty", "Write a JSON value", 0)
    return _Say("The text holds nothing but white space", "Write a JSON value", 0)


def _comment(text: str, pos: int, want: Want, opened: int | None) -> _Say | None:
    if text[pos] != "#" and text[pos : pos + 2] not in ("//", "/*"):
        return None
    match = (_BLOCK_COMMENT if text[pos + 1 : pos + 2] == "*" else _LINE).match(text, pos)
    return _Say("JSON has no comments", "Remove it, or use YAML", len(match.group()) if match else 1)


def _quote(text: str, pos: int, want: Want, opened: int | None) -> _Say | None:
    if text[pos] not in _QUOTES:
        return None
    return _Say("Only plain double quotes hold a string in JSON", 'Write "..." around it')


def _closing(text: str, pos: int, want: Want, opened: int | None) -> _Say | None:
    char = text[pos]
    if char not in "}]":
        return None
    if opened is None:
        return _Say(f"`{char}` closes nothing that is open", "Remove it, or look for a bracket that is missing")
    if char != {"{": "}", "[": "]"}[text[opened]]:
        return _Say(f"`{char}` does not close the `{text[opened]}` that stands", None, related=opened)
    if want is Want.COLON:
        return _Say("The name has no value", 'Write ": value" behind the name')
    if text[:pos].rstrip(" \t\r\n").endswith(":"):
        return _Say("The name has no value", "Write a value behind the colon")
    return _Say("There is a comma before the closing bracket", "Remove the comma", start=text.rindex(",", 0, pos),
                expected="no comma before the closing bracket")  # fmt: skip


def _punctuation(text: str, pos: int, want: Want, opened: int | None) -> _Say | None:
    char = text[pos]
    if char == "," and want is not Want.COLON and opened is not None:
        return _Say("A value is missing before this comma", "Remove the comma, or write the value")
    if char == "=" and want is Want.COLON:
        return _Say("A name and its value are joined by a colon, not by `=`", 'Write ":"')
    if char == ":" and want is Want.COMMA and opened is not None and text[opened] == "[":
        return _Say("An array holds values without names", "Write { } around names and values")
    if want is Want.COMMA and (char in '"[{-' or char.isalnum()):
        return _Say("A comma is missing before this value", 'Write ","')
    if want is Want.COLON:
        return _Say("A colon is missing after the name", 'Write ":"')
    return None


def _number(text: str, pos: int, want: Want, opened: int | None) -> _Say | None:
    word = _word_at(text, pos)
    if want not in (Want.VALUE, Want.ITEM) or text[pos] not in _NUMBER_START:
        return None
    if opened is None and _looks_like_yaml(text):
        return _Say("This is YAML, not JSON", "Name the file .yaml", len(word))
    digits = word.lstrip("+-")
    hint = "Write it as 0, -12, 3.14 or 1e6"
    if word.startswith("+"):
        hint = "Remove the plus sign"
    elif digits[:2].lower() in ("0x", "0o", "0b"):
        hint = "Write it in decimal digits"
    elif digits[:1] == "0" and digits[1:2].isdigit():
        hint = "Remove the leading zero, or quote it if it is not a quantity"
    elif digits.startswith(".") or digits.endswith("."):
        hint = "Write a digit on both sides of the point"
    elif digits.count(".") > 1 or digits.count("-") > 1:
        hint = "Write it in double quotes if it is text, such as a version"
    return _Say(f"`{shown(word)}` is not a JSON number", hint, len(word))


def _word(text: str, pos: int, want: Want, opened: int | None) -> _Say | None:
    word = _word_at(text, pos)
    if not word or not (word[0].isalpha() or word[0] in "_$"):
        return None
    if want in (Want.KEY, Want.FIRST_KEY):
        return _Say(f"The name `{shown(word)}` has no quotes", 'Write it in double quotes: "..."', len(word))
    if want not in (Want.VALUE, Want.ITEM):
        return None
    if opened is None and _looks_like_yaml(text):
        return _Say("This is YAML, not JSON", "Name the file .yaml", len(word))
    literal = _LITERALS.get(word.lower())
    hint = f"Write {literal}" if literal else 'Write it in double quotes if it is text: "..."'
    return _Say(f"`{shown(word)}` is not a JSON value", hint, len(word))


def _odd_character(text: str, pos: int, want: Want, opened: int | None) -> _Say | None:
    char = text[pos]
    if opened is None and want is Want.VALUE:
        if char == "<":
            return _Say("This is HTML or XML, not JSON")
        if text.startswith(("---", "%YAML"), pos):
            return _Say("This is YAML, not JSON", "Name the file .yaml", 3)
    if char.isprintable() and char.isascii():
        return None
    return _Say(f"The character U+{ord(char):04X} cannot stand outside a string", "Remove it")


def _bad_string(text: str, start: int) -> _Say:
    part = _GOOD_STRING_PART.match(text, start)
    stop = part.end() if part else start + 1
    char = text[stop : stop + 1]
    if char in ("", "\n", "\r"):
        return _Say("The string has no closing double quote", 'Write " at its end, and \\n for a line break in it',
                    stop - start, start)  # fmt: skip
    if char != "\\":
        return _Say(f"The control character U+{ord(char):04X} stands in a string", f"Write \\u{ord(char):04x}", 1, stop)
    escape = text[stop : stop + 2]
    if escape == "\\u":
        return _Say("`\\u` needs four hexadecimal digits", "Write it as \\u00e9, or write the character", 2, stop)
    if escape == "\\'":
        return _Say("A single quote needs no backslash", "Write '", 2, stop)
    return _Say(f"`{shown(escape)}` is no escape that JSON knows", "Write \\\\ for a backslash", 2, stop)


def _word_at(text: str, pos: int) -> str:
    match = _WORD.match(text, pos)
    return match.group() if match else text[pos : pos + 1]


def _looks_like_yaml(text: str) -> bool:
    return _YAML_LINE.match(text.lstrip(" \t\r\n")[:200]) is not None
