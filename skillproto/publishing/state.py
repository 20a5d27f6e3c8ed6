"""What a registry knows, as data: published versions, taken names, proven namespaces, the providers' indexes.

Immutable. A version takes its text and about thirty bytes, so that a million of them fit into a process beside
its work, and every question is answered by a binary search.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, Self

from skillproto.publishing._building import Columns, Entries, columns_of
from skillproto.publishing.likeness import folded, namespace_of, namespaces_of, same_address, skeleton
from skillproto.publishing.published import Precedence, Published, first_of_major, precedence_of
from skillproto.violations import JSONValue

MOST_ALIKE = 5
"""So many ids that look like one are named, and no more."""

_MOST_LOOKED_AT = 100
_MOST_HOLDERS = 1000


class Taken(NamedTuple):
    """A name that is nobody's to publish under, but its holder's.

    Attributes:
        name: an id, or the name that people call a skill.
        holder: whose it is, or None.
        state: why, such as "reserved" or "deleted".
    """

    name: str
    holder: str | None = None
    state: str = "reserved"


class RegistryState:
    """What a registry knows, as data.

    Args:
        published: versions, in any order; of two with the same id and version the last counts.
        taken: names that are held without a published version.
        namespaces: reverse domains that are proven, or None where that is not known, so that nothing
            is said about it.
        index: entries of the providers' indexes, or None where they are not known.
        rule_pack_version: of the rules that the registry checks with, or None where it is not known.

    >>> state = RegistryState([Published("com.example.a", "1.0.0", "withdrawn", "Ann")])
    >>> state.find("com.example.a", "1.0.0").holder, state.find("com.example.a", "1.0.1")
    ('Ann', None)
    """

    __slots__ = ("_columns", "_index", "_namespaces", "_taken", "rule_pack_version")

    rule_pack_version: str | None
    _columns: Columns
    _index: Entries | None
    _namespaces: frozenset[str] | None
    _taken: Mapping[str, Taken]

    def __init__(
        self,
        published: Iterable[Published] = (),
        *,
        taken: Iterable[Taken] = (),
        namespaces: Iterable[str] | None = None,
        index: Iterable[Mapping[str, JSONValue]] | None = None,
        rule_pack_version: str | None = None,
    ) -> None:
        self._set("_columns", columns_of(published))
        self._set("_taken", {folded(each.name): each for each in taken})
        self._set("_namespaces", None if namespaces is None else frozenset(map(folded, namespaces)))
        self._set("_index", None if index is None else Entries(index))
        self._set("rule_pack_version", rule_pack_version)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a RegistryState does not change; make another one")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, tuple(getattr(self, name) for name in self.__slots__)

    def __len__(self) -> int:
        return len(self._columns.versions)

    def __repr__(self) -> str:
        return f"<RegistryState: {len(self)} versions of {len(self._columns.ids)} skills>"

    @classmethod
    def read(cls, value: JSONValue) -> Self:
        """Read the JSON form; see `schemas/publish/1/state.json`.

        Raises:
            UsageError: the value is no state; the first fault is told with its JSON Pointer.

        >>> RegistryState.read({"published": [{"id": "com.example.a", "version": "1.0.0"}]})
        <RegistryState: 1 versions of 1 skills>
        """
        from skillproto.publishing._reading import read_state

        return cls(**read_state(value))

    @property
    def size(self) -> int:
        """About how many bytes it takes, without the few names, namespaces and index entries."""
        return self._columns.size

    def versions(self, skill_id: str) -> "Versions":
        """Give the published versions of an id, in the order of their precedence.

        >>> state = RegistryState([Published("a.b.c", "1.10.0"), Published("a.b.c", "1.9.0")])
        >>> [each.version for each in state.versions("a.b.c")]
        ['1.9.0', '1.10.0']
        """
        place = self._columns.place_of(skill_id)
        if place is None:
            return Versions(self._columns, 0, 0)
        return Versions(self._columns, self._columns.starts[place], self._columns.starts[place + 1])

    def find(self, skill_id: str, version: str) -> Published | None:
        """Give a published version, whatever its state; None when there is none."""
        return next((each for each in self.versions(skill_id).equal_to(version) if each.version == version), None)

    def alike(self, skill_id: str) -> list[tuple[Published, bool]]:
        """Give the newest version of each id that can be taken for another, and whether only the case differs."""
        columns = self._columns
        fold, look_of = folded(skill_id), skeleton(skill_id)
        same = [p for p in islice(columns.by_fold.places(fold), _MOST_LOOKED_AT) if folded(columns.ids[p]) == fold]
        like = islice(columns.by_look.places(look_of), _MOST_LOOKED_AT)
        look = [p for p in like if skeleton(columns.ids[p]) == look_of]
        others = [place for place in dict.fromkeys([*same, *look]) if columns.ids[place] != skill_id][:MOST_ALIKE]
        return [(columns.row(columns.starts[place + 1] - 1), place in same) for place in others]

    def at_address(self, url: str, but: str = "") -> Iterator[Published]:
        """Give the newest version of each id that holds an address for its endpoint, whatever its state.

        Args:
            url: of the endpoint.
            but: an id; it, and what lies in its namespace, is left out.
        """
        columns, wanted, own = self._columns, same_address(url), namespace_of(but)
        for pair in islice(columns.by_url.places(wanted), _MOST_HOLDERS):
            skill_id = columns.ids[columns.id_of[columns.url_rows[pair]]]
            if skill_id == but or (own and namespace_of(skill_id) == own):
                continue
            if columns.urls[pair] == wanted:
                yield columns.row(columns.url_rows[pair])

    def taken(self, name: str) -> Taken | None:
        """Give who holds a name without a published version; None when nobody does."""
        return self._taken.get(folded(name)) if self._taken else None

    @property
    def knows_namespaces(self) -> bool:
        """Whether it is known which namespaces are proven."""
        return self._namespaces is not None

    def is_proven(self, skill_id: str) -> bool:
        """Say whether one of the namespaces that an id lies in is proven.

        >>> RegistryState(namespaces=["com.example"]).is_proven("com.example.team.a")
        True
        """
        return not (self._namespaces or frozenset()).isdisjoint(namespaces_of(skill_id))

    def listed(self, skill_id: str) -> list[dict[str, JSONValue]] | None:
        """Give the entries of an index with this id; None where no index is known."""
        return None if self._index is None else list(self._index.of(skill_id))

    def count_in(self, namespace: str) -> int:
        """Say how many ids are published in a namespace.

        >>> RegistryState([Published("a.b.c", "1.0.0"), Published("a.b.d", "1.0.0")]).count_in("a.b")
        2
        """
        return self._columns.by_namespace.count(namespace) if namespace else 0


class Versions:
    """The versions of one id, in the order of their precedence."""

    __slots__ = ("_columns", "_end", "_start")

    def __init__(self, columns: Columns, start: int, end: int) -> None:
        self._columns, self._start, self._end = columns, start, end

    def __len__(self) -> int:
        return self._end - self._start

    def __iter__(self) -> Iterator[Published]:
        return (self._columns.row(row) for row in range(self._start, self._end))

    def equal_to(self, version: str) -> Iterator[Published]:
        """Give the versions of the same precedence: all that differ from one in their build part at most."""
        wanted = precedence_of(version)
        for row in range(self._first_from(wanted), self._end):
            if precedence_of(self._columns.versions[row]) != wanted:
                return
            yield self._columns.row(row)

    def greatest_of_major(self, major: int) -> Published | None:
        """Give the greatest version of a major; None when it has none."""
        row = self._first_from(first_of_major(major + 1)) - 1
        return self._columns.row(row) if row >= self._first_from(first_of_major(major)) else None

    def newest(self) -> Published | None:
        """Give the last version; None when there is none."""
        return self._columns.row(self._end - 1) if len(self) else None

    def least(self) -> Published | None:
        """Give the least SemVer version; None when there is none."""
        row = self._first_from(first_of_major(0))
        return self._columns.row(row) if row < self._end else None

    def below(self, version: Precedence, major: int) -> Iterator[Published]:
        """Give the versions of a major below another, the greatest first."""
        for row in range(self._first_from(version) - 1, self._start - 1, -1):
            if precedence_of(self._columns.versions[row]) < first_of_major(major):
                return
            yield self._columns.row(row)

    def _first_from(self, wanted: Precedence) -> int:
        low, high = self._start, self._end
        while low < high:
            middle = (low + high) // 2
            if precedence_of(self._columns.versions[middle]) < wanted:
                low = middle + 1
            else:
                high = middle
        return low


def _rebuilt(*values: object) -> RegistryState:
    state = RegistryState()
    for name, value in zip(RegistryState.__slots__, values, strict=True):
        object.__setattr__(state, name, value)
    return state
