"""Findings that only YAML can cause: tags, aliases, keys that are no text, numbers that were versions."""

import json
import re
from typing import Any

from skillproto.documents.findings import Fault, shown
from skillproto.documents.limits import Limits
from skillproto.violations import JSONValue, PathPart, type_name

_Path = tuple[PathPart, ...]

_TAG = re.compile(r"!(?:<[^>\s]*>?|\S*)")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_TRAILING_ZERO = re.compile(r"[0-9]+\.[0-9]*[1-9][0-9]*0|[0-9]+\.0[0-9]*0")


def foreign_tag(text: str, event: Any, path: _Path) -> Fault:
    """Describe a tag that asks for anything but JSON's own types."""
    start = event.start_mark.index
    match = _TAG.search(text, start, event.end_mark.index)
    tag = match.group() if match else event.tag
    begin = match.start() if match else start
    return Fault(
        "not-data",
        begin,
        begin + len(tag),
        f"The tag `{shown(tag)}` asks for something that is not plain data; nothing was made of it",
        "text, numbers, true, false, null, lists and mappings",
        shown(tag),
        path,
        "Remove the tag",
    )


def tag_mismatch(text: str, event: Any, name: str, path: _Path) -> Fault:
    """Describe a scalar that does not fit its tag, such as `!!int abc`."""
    return Fault(
        "syntax",
        event.start_mark.index,
        event.end_mark.index,
        f"`{shown(event.value)}` does not fit its tag `!!{name}`",
        f"a value of the type {name}",
        shown(event.value),
        path,
        "Remove the tag, or correct the value",
    )


def unknown_alias(name: str, start: int, end: int, path: _Path) -> Fault:
    """Describe an alias whose anchor does not stand before it."""
    message = f"The alias `*{shown(name)}` repeats an anchor that does not stand before it"
    hint = f"Quote the text if it is no alias, or write `&{shown(name)}` before the value to be repeated"
    return Fault("syntax", start, end, message, "the name of an anchor", f"*{shown(name)}", path, hint)


def self_alias(name: str, start: int, end: int, path: _Path) -> Fault:
    """Describe an alias inside the value that it repeats."""
    message = f"The alias `*{shown(name)}` stands inside the value that it repeats, which would have no end"
    return Fault("yaml-alias-limit", start, end, message, "an alias behind its anchor's value", f"*{shown(name)}", path)


def alias_limit(start: int, end: int, limits: Limits) -> Fault:
    """Describe the alias at which repeating becomes too much."""
    return Fault(
        "yaml-alias-limit",
        start,
        end,
        f"The aliases repeat more than {limits.max_aliases} values",
        f"at most {limits.max_aliases} repeated values",
        hint="Write the values out, or repeat less",
    )


def bad_directive(text: str, start: int) -> Fault:
    """Describe a line that begins with `%` and is no directive of YAML 1.2, or one of too many."""
    return Fault(
        "syntax",
        start,
        start + len(text),
        f"`{shown(text)}` is no directive that is read",
        "%YAML 1.2, or a few lines of %TAG",
        shown(text),
        hint="Remove the line",
    )


def program(text: str) -> Fault | None:
    """Describe a text whose first line names a program that would run it."""
    if not text.startswith("#!"):
        return None
    line = re.split(r"[\r\n]", text[:1000], maxsplit=1)[0]
    message = "The text is a program, not data; it was not run"
    return Fault("not-data", 0, len(line), message, "a YAML mapping", shown(line), hint="Write the data itself")


def plain_text(start: int, end: int) -> Fault:
    """Describe a document that is nothing but unquoted lines, as those of a program can be."""
    message = "The text is plain writing or a program, not data; nothing was run"
    return Fault("not-data", start, end, message, "a YAML mapping", hint="Write `name: value` on each line")


def non_string_key(value: JSONValue, text: str | None, start: int, end: int, path: _Path) -> Fault:
    """Describe a key that is no text; a number, a boolean and null keep the text that they were written as."""
    kind = type_name(value)
    words = kind if kind == "null" else f"an {kind}" if kind[0] in "aio" else f"a {kind}"
    fatal = text is None or kind in ("array", "object")
    return Fault(
        "non-string-key",
        start,
        end,
        f"A name must be text; this one was read as {words}",
        "text as the name",
        None if fatal else shown(text or ""),
        path[:-1] if fatal else path,
        "Use text as the name" if fatal else f'Quote it: "{shown(text or "")}"',
        fatal=fatal,
    )


def too_many_documents(start: int, limits: Limits) -> Fault:
    """Describe the first document that is not read any more."""
    most = f"{limits.max_documents} documents"
    hint = "Use JSON Lines, which may hold any number"
    return Fault("too-large", start, start, f"The text holds more than {most}", f"at most {most}", hint=hint)


def merge_key(start: int, path: _Path) -> Fault:
    """Warn that `<<` is a name like any other in YAML 1.2."""
    message = "`<<` is an ordinary name in YAML 1.2: nothing is merged"
    hint = "Write the members out, or quote the name if it is meant"
    return Fault("yaml-ambiguous", start, start + 2, message, "the members themselves", "<<", path, hint,
                 severity="warning", fatal=False)  # fmt: skip


def is_ambiguous(text: str, value: JSONValue) -> bool:
    """Say whether the digits of a number say more than it kept.

    >>> is_ambiguous("007", 7), is_ambiguous("1.10", 1.1), is_ambiguous("1.5", 1.5)
    (True, True, False)
    """
    if isinstance(value, float):
        return _TRAILING_ZERO.fullmatch(text) is not None
    return isinstance(value, int) and _LEADING_ZERO.fullmatch(text) is not None


def ambiguous_number(text: str, value: JSONValue, start: int, path: _Path) -> Fault:
    """Note a number whose digits say more than it kept."""
    return Fault(
        "yaml-ambiguous",
        start,
        start + len(text),
        was_read_as(text, value),
        "quotes around text, or the number as it was read",
        shown(text),
        path,
        quote_it(text),
        severity="warning" if isinstance(value, int) else "info",
        fatal=False,
    )


def was_read_as(text: str, value: JSONValue) -> str:
    """Say how an unquoted scalar was understood.

    >>> was_read_as("1.10", 1.1), was_read_as("yes", "yes"), was_read_as("~", None)
    ('`1.10` was read as the number 1.1', '`yes` was read as text', '`~` was read as null')
    """
    match value:
        case str():
            how = "text"
        case None:
            how = "null"
        case bool():
            how = f"the boolean {json.dumps(value)}"
        case _:
            how = f"the number {shown(json.dumps(value))}"
    return f"`{shown(text)}` was read as {how}"


def quote_it(text: str) -> str:
    """Show how to keep a scalar as text.

    >>> quote_it("1.10")
    'Quote it if it is text: "1.10"'
    """
    return f'Quote it if it is text: "{shown(text)}"'
