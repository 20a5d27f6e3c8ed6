"""The columns of a registry's state, and how they are filled from versions that come in any order."""

import json
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping

from skillproto.publishing._compact import Finder, Numbering, Texts
from skillproto.publishing.likeness import folded, namespace_of, same_address, skeleton
from skillproto.publishing.published import Published, precedence_of
from skillproto.violations import JSONValue

_NOBODY = 0
_LEVEL = 6


class Columns:
    """Versions in columns: those of one id stand together, in the order of their precedence.

    Attributes:
        ids: each id once; `starts` has the row that its versions begin at, and one more.
        versions, states, holders: a row for each version; states and holders are numbers of texts.
        urls, url_rows: each address that an id holds, with the row of the newest version that holds it.
        by_id, by_fold, by_look, by_namespace, by_url: find places of `ids`, the last one of `urls`.
        descriptors: those that are at hand, packed, by row.
    """

    __slots__ = (
        "by_fold", "by_id", "by_look", "by_namespace", "by_url", "descriptors", "holder_names", "holders", "id_of",
        "ids", "starts", "state_names", "states", "url_rows", "urls", "versions",
    )  # fmt: skip

    ids: Texts
    starts: "array[int]"
    id_of: "array[int]"
    versions: Texts
    states: "array[int]"
    state_names: Texts
    holders: "array[int]"
    holder_names: Texts
    urls: Texts
    url_rows: "array[int]"
    by_id: Finder
    by_fold: Finder
    by_look: Finder
    by_namespace: Finder
    by_url: Finder
    descriptors: dict[int, bytes]

    def place_of(self, skill_id: str) -> int | None:
        """Give the place of an id, or None."""
        return next((place for place in self.by_id.places(skill_id) if self.ids[place] == skill_id), None)

    def row(self, row: int) -> Published:
        """Give one version."""
        packed = self.descriptors.get(row)
        return Published(
            self.ids[self.id_of[row]],
            self.versions[row],
            self.state_names[self.states[row]],
            self.holder_names[self.holders[row]] or None,
            None,
            None if packed is None else json.loads(zlib.decompress(packed)),
        )

    @property
    def size(self) -> int:
        """The bytes that all of it takes."""
        texts = (self.ids, self.versions, self.state_names, self.holder_names, self.urls)
        finders = (self.by_id, self.by_fold, self.by_look, self.by_namespace, self.by_url)
        arrays = (self.starts, self.id_of, self.states, self.holders, self.url_rows)
        return (
            sum(each.size for each in (*texts, *finders))
            + sum(len(each) * each.itemsize for each in arrays)
            + sum(len(packed) for packed in self.descriptors.values())
        )


class _Rows:
    """What comes in, row by row, with numbers in the place of texts that come again."""

    def __init__(self) -> None:
        self.ids, self.states, self.holders, self.urls = Numbering(), Numbering(), Numbering(), Numbering()
        self.holders.of("")
        self.id_of, self.state_of, self.holder_of, self.url_of = (array("I") for _ in range(4))
        self.versions = bytearray()
        self.ends = array("Q", [0])
        self.descriptors: dict[int, bytes] = {}

    def add(self, each: Published) -> None:
        self.id_of.append(self.ids.of(each.id))
        self.state_of.append(self.states.of(each.state))
        self.holder_of.append(self.holders.of(each.holder or ""))
        self.url_of.append(0 if each.url is None else self.urls.of(same_address(each.url)) + 1)
        self.versions += each.version.encode("utf-8", "surrogatepass")
        self.ends.append(len(self.versions))
        if each.descriptor is not None:
            text = json.dumps(each.descriptor, ensure_ascii=False, separators=(",", ":"))
            self.descriptors[len(self.id_of) - 1] = zlib.compress(text.encode("utf-8", "surrogatepass"), _LEVEL)

    def version(self, row: int) -> str:
        return self.versions[self.ends[row] : self.ends[row + 1]].decode("utf-8", "surrogatepass")


def columns_of(published: Iterable[Published]) -> Columns:
    """Fill the columns; no more than one row at a time is held as objects."""
    rows = _Rows()
    for each in published:
        rows.add(each)
    order, starts = _in_order(rows)
    columns = Columns()
    columns.ids = Texts(rows.ids)
    columns.starts = starts
    columns.id_of = array("I", (rows.id_of[row] for row in order))
    columns.versions = Texts(rows.version(row) for row in order)
    columns.states = array("H", (rows.state_of[row] for row in order))
    columns.state_names = Texts(rows.states)
    columns.holders = array("I", (rows.holder_of[row] for row in order))
    columns.holder_names = Texts(rows.holders)
    columns.descriptors = {
        new: rows.descriptors[row] for new, row in enumerate(order) if rows.descriptors and row in rows.descriptors
    }
    _add_addresses(columns, rows, order)
    columns.by_id = Finder(rows.ids)
    columns.by_fold = Finder(map(folded, rows.ids))
    columns.by_look = Finder(map(skeleton, rows.ids))
    columns.by_namespace = Finder(map(namespace_of, rows.ids))
    return columns


def _in_order(rows: _Rows) -> tuple["array[int]", "array[int]"]:
    """Put the rows of one id beside each other by precedence, and say where each id begins."""
    counts = array("I", bytes(4 * (len(rows.ids) + 1)))
    for place in rows.id_of:
        counts[place + 1] += 1
    for place in range(len(rows.ids)):
        counts[place + 1] += counts[place]
    next_of, grouped = array("I", counts), array("I", bytes(4 * len(rows.id_of)))
    for row, place in enumerate(rows.id_of):
        grouped[next_of[place]] = row
        next_of[place] += 1
    order, starts = array("I"), array("I", [0])
    for place in range(len(rows.ids)):
        order.extend(_sorted_versions(rows, grouped[counts[place] : counts[place + 1]]))
        starts.append(len(order))
    return order, starts


def _sorted_versions(rows: _Rows, group: "array[int]") -> Iterable[int]:
    if len(group) == 1:
        return group
    last = {rows.version(row): row for row in group}
    return [row for _, row in sorted(last.items(), key=lambda item: (precedence_of(item[0]), item[0]))]


def _add_addresses(columns: Columns, rows: _Rows, order: "array[int]") -> None:
    holding: dict[tuple[int, int], int] = {}
    for new, row in enumerate(order):
        if rows.url_of[row]:
            holding[rows.url_of[row] - 1, rows.id_of[row]] = new
    addresses = list(rows.urls)
    columns.urls = Texts(addresses[url] for url, _ in holding)
    columns.url_rows = array("I", holding.values())
    columns.by_url = Finder(addresses[url] for url, _ in holding)


class Entries:
    """Entries of indexes, packed, by the id of their skill."""

    def __init__(self, entries: Iterable[Mapping[str, JSONValue]]) -> None:
        ids: list[str] = []
        packed: list[str] = []
        for entry in entries:
            ids.append(str(entry.get("id")))
            packed.append(json.dumps(entry, ensure_ascii=False, separators=(",", ":")))
        self._packed = Texts(packed)
        self._by_id = Finder(ids)

    def of(self, skill_id: str) -> Iterator[dict[str, JSONValue]]:
        """Give the entries of a skill, in their order."""
        for place in self._by_id.places(skill_id):
            entry = json.loads(self._packed[place])
            if entry.get("id") == skill_id:
                yield entry
