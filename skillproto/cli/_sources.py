"""Read one descriptor from wherever a command is told to: a file, standard input, git, an https address."""

from typing import NamedTuple

from skillproto import documents
from skillproto.cli import _exits, _files, _revisions
from skillproto.documents import Document, Limits
from skillproto.reports import Unreadable
from skillproto.violations import Violation


class NoDescriptor(Exception):
    """There is no descriptor to read.

    Attributes:
        item: what was asked for, and why there is none.
        code: the exit code that this means.
        violations: what is wrong with the text, where one was read.
    """

    def __init__(self, item: Unreadable, code: int = _exits.UNREADABLE, violations: tuple[Violation, ...] = ()) -> None:
        super().__init__(item.message)
        self.item = item
        self.code = code
        self.violations = violations


class Reading(NamedTuple):
    """How to read.

    Attributes:
        limits: how large and how deep a text may be.
        allow_private: networks that may be reached although they are not public.
        credentials: a bearer token for addresses, or None.
    """

    limits: Limits = Limits()
    allow_private: tuple[str, ...] = ()
    credentials: str | None = None


def read_one(name: str, reading: Reading) -> Document:
    """Read the one document that a name means.

    Args:
        name: a path, "-", REVISION:PATH or an address.
        reading: how to read.

    Raises:
        NoDescriptor: nothing can be read there, or no document, or several.
        UsageError: a network or credentials that can never work.
    """
    data, called = _data(name, reading)
    if isinstance(data, Unreadable):
        raise NoDescriptor(data)
    found = list(documents.read(data, source=called, limits=reading.limits))
    if len(found) != 1:
        raise NoDescriptor(Unreadable(name, "not-one", f"It holds {len(found)} documents; one descriptor is needed"))
    (document,) = found
    document.source = name
    if not document.readable:
        first = next(iter(document.violations), None)
        words = f"{first.message} (line {first.line})" if first else "It cannot be read"
        raise NoDescriptor(Unreadable(name, "not-read", words), violations=document.violations)
    return document


def _data(name: str, reading: Reading) -> tuple[bytes | Unreadable, str]:
    """Give the text, and the name whose ending says how it is written."""
    if name.lower().startswith(("https://", "http://")):
        return _fetched(name, reading)
    if name != _files.STDIN and _revisions.is_revision(name):
        return _revisions.read(name, reading.limits.max_bytes), _revisions.path_of(name)
    try:
        with _files.opened(name) as file:
            return file.read(reading.limits.max_bytes + 1), name
    except (OSError, ValueError) as error:
        return _files.unreadable(name, error), name


def _fetched(url: str, reading: Reading) -> tuple[bytes, str]:
    from skillproto.discovery import Fetcher, FetchError, FetchPolicy

    policy = FetchPolicy(allow_private=reading.allow_private, max_bytes=reading.limits.max_bytes)
    try:
        with Fetcher(policy) as fetcher:
            reply = fetcher.get(url, credentials=reading.credentials)
    except FetchError as error:
        raise NoDescriptor(Unreadable(error.url, error.reason, error.message), _exits.NOT_REACHED) from error
    if reply.status != 200:
        item = Unreadable(url, "http-status", f"The other side answered with HTTP status {reply.status}")
        raise NoDescriptor(item, _exits.NOT_REACHED)
    return reply.body, url.partition("?")[0]
