"""Make text from a document safe to show: on a terminal, in JSON, in an annotation.

A name or a value may hold escape sequences that rewrite a terminal, or marks that reverse
how the line reads. What a reader sees must be what is there.
"""

import json
import re

from skillproto.violations import JSONValue

LONGEST_VALUE = 120

_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)


def _escape(match: re.Match[str]) -> str:
    point = ord(match.group())
    if point <= 0xFFFF:
        return f"\\u{point:04x}"
    point -= 0x10000
    return f"\\u{0xD800 + (point >> 10):04x}\\u{0xDC00 + (point & 0x3FF):04x}"


def plain(text: str) -> str:
    r"""Write control, bidirectional and invisible characters as `\u` escapes.

    >>> plain("a\x1b[31m\u202eb")
    'a\\u001b[31m\\u202eb'
    """
    return _UNSAFE.sub(_escape, text)


def line(text: str) -> str:
    r"""Make a line of source text safe to show, its width kept: each unsafe character becomes one.

    >>> ascii(line("a\tb\x1b"))
    "'a b\\ufffd'"
    """
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\t", " "))


def value(found: JSONValue) -> str:
    """Write a value as short JSON, safe to show.

    >>> value({"a": "x"}), len(value("x" * 1000))
    ('{"a": "x"}', 120)
    """
    text = plain(json.dumps(found, ensure_ascii=False))
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 3] + "..."


def dump(document: JSONValue, *, indent: int | None = 2) -> str:
    r"""Write a JSON text: readable, with every unsafe character as a `\u` escape.

    >>> dump({"trick": "\u202e"}, indent=None)
    '{"trick": "\\u202e"}'
    """
    text = json.dumps(document, ensure_ascii=False, indent=indent)
    # Outside strings a JSON text has no such character but the line ends of its indent.
    return "\n".join(plain(part) for part in text.split("\n"))
