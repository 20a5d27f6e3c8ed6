"""Which of the three kinds of text some bytes are: by name, else by looking at them."""

import re
from typing import Literal

Kind = Literal["json", "yaml", "jsonl"]

_EXTENSIONS: dict[str, Kind] = {"json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "yaml": "yaml", "yml": "yaml"}
_FIRST_LINE = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*([^\r\n]*)[ \t\r\n]*([^\r\n]?)")
_NON_FINITE = (b"NaN", b"Infinity", b"-Infinity")
_ENOUGH_BYTES = 1024 * 1024


def kind_of(source: str) -> Kind | None:
    """Tell the kind from the extension of a path or an address; None when it has none that is known.

    >>> kind_of("skill.YML"), kind_of("https://host/a.json?x=1"), kind_of("<stdin>")
    ('yaml', 'json', None)
    """
    path = source if "://" not in source else re.split(r"[?#]", source, maxsplit=1)[0]
    name = re.split(r"[/\\]", path)[-1]
    return _EXTENSIONS.get(name.rpartition(".")[2].lower()) if "." in name else None


def is_enough(data: bytes) -> bool:
    """Say whether the beginning of a text is long enough to tell its kind."""
    return len(data) >= _ENOUGH_BYTES or bool(_first_line(data)[1])


def sniff(data: bytes) -> Kind:
    r"""Tell the kind from the beginning of the content.

    What begins with a bracket is JSON, and JSON Lines when the first line also ends with one
    and the next begins with one; a single JSON value is JSON; all else is YAML.

    >>> sniff(b'{"a": 1}'), sniff(b'{"a": 1}\n{"a": 2}'), sniff(b"a: 1")
    ('json', 'jsonl', 'yaml')
    """
    first, more = _first_line(data)
    if b"\0" in data[:4] or not first:
        return "json"
    if first.startswith((b"{", b"[")):
        closed = first.rstrip(b" \t").endswith((b"}", b"]"))
        return "jsonl" if closed and more in (b"{", b"[") else "json"
    return "json" if not more and _is_json(first) else "yaml"


def _first_line(data: bytes) -> tuple[bytes, bytes]:
    match = _FIRST_LINE.match(data)
    return (match.group(1), match.group(2)) if match else (b"", b"")


def _is_json(line: bytes) -> bool:
    from skillproto.documents.json_text import DoubtError, fast_value
    from skillproto.documents.limits import Limits

    try:
        fast_value(line.decode(), Limits())
    except (DoubtError, UnicodeDecodeError):
        return line.strip() in _NON_FINITE
    return True
