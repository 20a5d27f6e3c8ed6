"""Fetch the descriptors that an index lists: hosts side by side, each asked one thing at a time."""

import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from queue import Queue
from typing import NamedTuple
from urllib.parse import urlsplit

from skillproto import documents, rules
from skillproto.discovery import findings
from skillproto.discovery.failures import FetchError
from skillproto.discovery.fetching import Fetcher
from skillproto.discovery.index import Credentials, Entry
from skillproto.discovery.replies import Fetched
from skillproto.errors import UsageError
from skillproto.invocation.origins import same_origin
from skillproto.violations import JSONValue, Violation

GIVES_UP_AFTER = 3
"""So many descriptors in a row that a host does not give, and it is not asked for the others."""


def _no_text(line: int) -> str | None:
    return None


def _nothing(examined: "Examined") -> None:
    pass


class Examined(NamedTuple):
    """A skill of an index, and what its descriptor is found to be.

    Attributes:
        entry: of the index.
        findings: what is wrong with the descriptor, and where it disagrees with the entry.
        failure: why it could not be had; then nothing is known about it. None when it was answered.
        descriptor: as JSON; None where there is none.
        text_of: gives a line of its text.
    """

    entry: Entry
    findings: tuple[Violation, ...] = ()
    failure: FetchError | None = None
    descriptor: JSONValue = None
    text_of: Callable[[int], str | None] = _no_text

    @property
    def agrees(self) -> bool:
        """Whether the entry says what the descriptor says; False also where that is not known."""
        rules_broken = {finding.rule for finding in self.findings}
        return self.descriptor is not None and "publish/index-mismatch" not in rules_broken


class Examiner:
    """Fetches and judges one descriptor after the other.

    Args:
        fetcher: what fetches.
        index_url: of the index; credentials go to its origin alone.
        credentials: to show where a skill is not public; None for none.
    """

    def __init__(self, fetcher: Fetcher, index_url: str, credentials: Credentials | None = None) -> None:
        self._fetcher = fetcher
        self._index_url = index_url
        self._credentials = credentials

    def __call__(self, entry: Entry) -> Examined:
        """Fetch the descriptor of an entry, and judge it; whatever happens, something is given back."""
        access = entry.member("access") or "public"
        try:
            fetched = self._fetcher.get(entry.url)
            leaks = access == "private" and fetched.status == 200
            shows = fetched.status in (401, 403, 404) and access != "public" and self._may_show(entry)
            if shows:
                fetched = self._fetcher.get(entry.url, credentials=self._credentials)
        except FetchError as error:
            return Examined(entry, (error.violation(""),)) if error.was_refused else Examined(entry, failure=error)
        examined = judge_descriptor(entry, fetched, showed_credentials=shows)
        if leaks:
            return examined._replace(findings=(findings.served_openly(fetched.final_url), *examined.findings))
        return examined

    def _may_show(self, entry: Entry) -> bool:
        return self._credentials is not None and same_origin(entry.url, self._index_url)


def judge_descriptor(entry: Entry, fetched: Fetched, *, showed_credentials: bool = False) -> Examined:
    """Judge what was answered when a descriptor was asked for."""
    access = entry.member("access") or "public"
    verdict = findings.judge_status(fetched, "descriptor", access=access, showed_credentials=showed_credentials)
    finding = verdict.finding or findings.judge_page(fetched, "descriptor")
    if finding is not None or verdict.failure is not None:
        return Examined(entry, (finding,) if finding else (), verdict.failure)
    document, *others = _documents(fetched)
    found = rules.check_document(document)
    if others:
        found.append(Violation("", "one document", None, "The address holds several documents", "document/syntax"))
    wrong_type = findings.judge_type(fetched, "descriptor")
    found += [] if wrong_type is None else [wrong_type]
    if document.readable:
        found += findings.disagreements(entry.members, document.value, entry.field)
    value = document.value if document.readable else None
    return Examined(entry, tuple(documents.locate(document, found)), None, value, document.text_of)


def _documents(fetched: Fetched) -> list[documents.Document]:
    """Read one document, and a second where there is one; a descriptor is never one of many lines."""
    path = urlsplit(fetched.final_url).path
    kind = documents.kind_of(path)
    return list(islice(documents.read(fetched.body, source=path, kind="json" if kind == "jsonl" else kind), 2))


def examine_all(
    entries: Iterable[Entry],
    examine: Callable[[Entry], Examined],
    concurrency: int,
    note: Callable[[Examined], object] = _nothing,
) -> Generator[Examined, None, None]:
    """Examine entries, some hosts at a time, and give each as it is finished.

    The work is done in threads of its own, which end with what they are at when nobody wants more.

    Args:
        entries: of the index.
        examine: as an `Examiner` does.
        concurrency: so many hosts at a time.
        note: is told of each at once, in the thread that finished it, so that none is lost with an interruption.

    Raises:
        UsageError: no host at a time.
    """
    if not 1 <= concurrency <= 256:
        raise UsageError(f"concurrency must be from 1 to 256, not {concurrency!r}")
    hosts: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        hosts[_host(entry)].append(entry)
    total = sum(map(len, hosts.values()))
    waiting: Queue[list[Entry] | None] = Queue()
    for group in hosts.values():
        waiting.put(group)
    finished: Queue[Examined | Exception] = Queue()
    stopped = threading.Event()
    for _ in range(min(concurrency, len(hosts))):
        waiting.put(None)
        threading.Thread(
            target=_work, args=(waiting, finished, examine, note, stopped), name="skillproto-discover", daemon=True
        ).start()
    try:
        for _ in range(total):
            outcome = finished.get()
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome
    finally:
        stopped.set()


def _work(
    waiting: "Queue[list[Entry] | None]",
    finished: "Queue[Examined | Exception]",
    examine: Callable[[Entry], Examined],
    note: Callable[[Examined], object],
    stopped: threading.Event,
) -> None:
    try:
        while (group := waiting.get()) is not None:
            for examined in _of_host(group, examine):
                if stopped.is_set():
                    return
                note(examined)
                finished.put(examined)
    except Exception as error:  # told by the thread that waits
        finished.put(error)


def _of_host(group: list[Entry], examine: Callable[[Entry], Examined]) -> Iterator[Examined]:
    failed = 0
    for entry in group:
        if failed >= GIVES_UP_AFTER:
            yield Examined(entry, failure=_given_up(entry))
            continue
        examined = examine(entry)
        has_failed = examined.failure is not None and examined.failure.reason != "credentials"
        failed = failed + 1 if has_failed else 0
        yield examined


def _given_up(entry: Entry) -> FetchError:
    message = f"Not asked for: {GIVES_UP_AFTER} others in a row could not be had from this host"
    return FetchError("probe/unreachable", "given_up", message, url=entry.url)


def _host(entry: Entry) -> str:
    try:
        return urlsplit(entry.url).hostname or ""
    except ValueError:
        return ""
