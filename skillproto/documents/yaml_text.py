"""Read YAML text, document by document.

The text is cut at the document markers first, which no value can hold at the start of a
line. So a bad document does not hide those behind it, and every question about one document
costs no more than that document.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillproto.documents import yaml_findings as say
from skillproto.documents.document import Document
from skillproto.documents.findings import Fault, Faults, too_deep
from skillproto.documents.json_text import DoubtError, fast_value
from skillproto.documents.limits import Limits
from skillproto.documents.lines import Lines
from skillproto.documents.yaml_build import Builder, StopError
from skillproto.documents.yaml_errors import LINE_BREAKS, Stop, beyond_unicode, explain
from skillproto.documents.yaml_events import FAILURES, stop_of
from skillproto.violations import JSONValue

_LINE_START = rf"(?:\A|(?<=[{LINE_BREAKS}]))"
_PERHAPS_MARKER = re.compile(rf"(?:---|\.\.\.)(?=[ \t{LINE_BREAKS}]|\Z)")
_PREFIX = re.compile(rf"(?:[ \t{LINE_BREAKS}\ufeff]|#[^{LINE_BREAKS}]*|{_LINE_START}%[^{LINE_BREAKS}]*)*+")
_DIRECTIVE = re.compile(rf"{_LINE_START}%[^{LINE_BREAKS}]*")
_KNOWN_DIRECTIVE = re.compile(r"%YAML[ \t]+1\.[12][ \t]*(?:#.*)?|%TAG[ \t]+!(?:[0-9A-Za-z-]*!)?[ \t]+\S+[ \t]*(?:#.*)?")
_REST_OF_LINE = re.compile(rf"[ \t]*(?:\r\n|[{LINE_BREAKS}])")
_MOST_DIRECTIVES = 16
_DEEPEST_OF_LIBYAML = 1000
_NOTHING = "The text holds nothing but white space and comments"


class _Chunk(NamedTuple):
    start: int
    end: int


def read_yaml(text: str, source: str, limits: Limits) -> Iterator[Document]:
    r"""Read every document of a YAML text.

    >>> [doc.value for doc in read_yaml("a: 1\n---\nb: [no, 0o17]\n", "x.yaml", Limits())]
    [{'a': 1}, {'b': ['no', 15]}]
    """
    lines = Lines(text)
    index = 0
    for chunk in _chunks(text):
        if index >= limits.max_documents and not _is_prefix(text, chunk.start, chunk.end):
            yield _unread(say.too_many_documents(chunk.start, limits), source, index, lines, limits)
            return
        document = _read_chunk(chunk, source, index, lines, limits)
        if document is not None:
            yield document
            index += 1
    if index == 0:
        fault = Fault("syntax", 0, 0, _NOTHING if text.strip() else "The text is empty", "a YAML document")
        yield _unread(fault, source, 0, lines, limits)


def _unread(fault: Fault, source: str, index: int, lines: Lines, limits: Limits) -> Document:
    faults = Faults(limits)
    faults.add(fault)
    violations = faults.violations(lines)
    return Document(None, source, index, violations, False, kind="yaml", lines=lines, start=fault.start)


def _chunks(text: str) -> Iterator[_Chunk]:
    """Cut a text into stretches with at most one document each."""
    start, begun = 0, False
    for match in _markers(text):
        ends = match.group() == "..."
        begun = begun or not _is_prefix(text, start, match.start())
        if ends:
            stop = match.end() if begun else match.start()
            yield _Chunk(start, stop)
            rest = _REST_OF_LINE.match(text, match.end())
            start, begun = rest.end() if rest else match.end(), False
        elif begun:
            yield _Chunk(start, match.start())
            start = match.start()
        else:
            begun = True
    yield _Chunk(start, len(text))


def _markers(text: str) -> Iterator[re.Match[str]]:
    if "---" in text or "..." in text:
        for match in _PERHAPS_MARKER.finditer(text):
            if match.start() == 0 or text[match.start() - 1] in LINE_BREAKS:
                yield match


def _is_prefix(text: str, start: int, end: int) -> bool:
    """Say whether a stretch holds nothing but white space, comments and directives."""
    return _PREFIX.fullmatch(text, start, end) is not None


def _read_chunk(chunk: _Chunk, source: str, index: int, lines: Lines, limits: Limits) -> Document | None:
    text = lines.text[chunk.start : chunk.end]
    start = chunk.start + len(text) - len(text := text.lstrip("\ufeff"))
    if start == 0 and text.startswith("{"):
        try:
            return Document(fast_value(text, limits), source, index, lines=lines, end=chunk.end)
        except DoubtError:
            pass
    result = _build(text, limits)
    if result is None:
        return None
    value, faults = result
    readable = not faults.fatal
    violations = faults.violations(lines, start)
    return Document(
        value if readable else None,
        source,
        index,
        violations,
        readable,
        kind="yaml",
        lines=lines,
        start=start,
        end=chunk.end,
    )


def _bad_directive(text: str) -> Fault | None:
    prefix = _PREFIX.match(text) if "%" in text else None
    found = list(_DIRECTIVE.finditer(text, 0, prefix.end())) if prefix else []
    for number, match in enumerate(found, 1):
        if number > _MOST_DIRECTIVES or not _KNOWN_DIRECTIVE.fullmatch(match.group()):
            return say.bad_directive(match.group(), match.start())
    return None


def _plain_text(text: str, start: int, end: int) -> Fault | None:
    """Tell a program, or lines of prose, from a text that is one word."""
    return say.program(text) or (say.plain_text(start, end) if len(text[start:end].splitlines()) > 1 else None)


def _brackets(text: str, stop: Stop) -> int:
    return text.count("[", 0, stop.place) + text.count("{", 0, stop.place)


def _syntax(text: str, error: BaseException, builder: Builder, limits: Limits) -> Fault:
    stop = stop_of(error) or beyond_unicode(text)
    deepest = min(limits.max_depth, _DEEPEST_OF_LIBYAML)
    if stop.scanning and text[stop.place : stop.place + 1] in ("[", "{") and _brackets(text, stop) >= deepest:
        return too_deep(stop.place, limits._replace(max_depth=deepest))
    bracket = None if stop.scanning else builder.open_bracket()
    fault = explain(text, stop if bracket is None else stop._replace(opened=bracket))
    return fault._replace(path=builder.path()) if fault.rule == "lone-surrogate" else fault


def _build(text: str, limits: Limits) -> tuple[JSONValue, Faults] | None:
    """Build the value of a chunk; None when it holds no document."""
    builder = Builder(text, limits)
    fault = _bad_directive(text)
    if fault is None:
        try:
            if not builder.run():
                return None
        except StopError as stop:
            fault = stop.fault
        except FAILURES as error:
            fault = say.program(text) or _syntax(text, error, builder, limits)
        else:
            fault = _plain_text(text, *builder.plain_text) if builder.plain_text else None
    if fault is not None:
        builder.faults.add(fault)
    return builder.value, builder.faults
