"""Many short texts in little memory: one run of bytes for all, and sorted numbers to find them by.

Pure. A text costs its bytes and a few more, where a Python object would cost a hundred.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from hashlib import blake2b


class Texts:
    """A row of texts, each found by its place.

    >>> texts = Texts(["a", "bc"])
    >>> len(texts), texts[1]
    (2, 'bc')
    """

    __slots__ = ("_data", "_ends")

    def __init__(self, texts: Iterable[str] = ()) -> None:
        data, ends = bytearray(), array("Q", [0])
        for text in texts:
            data += text.encode("utf-8", "surrogatepass")
            ends.append(len(data))
        self._data = bytes(data)
        self._ends = ends

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, place: int) -> str:
        return self._data[self._ends[place] : self._ends[place + 1]].decode("utf-8", "surrogatepass")

    @property
    def size(self) -> int:
        """The bytes that all of it takes."""
        return len(self._data) + len(self._ends) * self._ends.itemsize


class Finder:
    """Places by a key that is not kept: only a digest of it is, so that each find must be looked at.

    >>> finder = Finder(["b", "a", "b"])
    >>> sorted(finder.places("b")), list(finder.places("c"))
    ([0, 2], [])
    """

    __slots__ = ("_digests", "_places")

    def __init__(self, keys: Iterable[str]) -> None:
        ordered = sorted((digest(key) << 32) | place for place, key in enumerate(keys))
        self._digests = array("Q", (both >> 32 for both in ordered))
        self._places = array("I", (both & 0xFFFFFFFF for both in ordered))

    def places(self, key: str) -> Iterator[int]:
        """Give the places whose key has the digest of this one, in their order."""
        wanted, digests = digest(key), self._digests
        at = bisect_left(digests, wanted)
        while at < len(digests) and digests[at] == wanted:
            yield self._places[at]
            at += 1

    def count(self, key: str) -> int:
        """Say how many places have the digest of a key."""
        wanted = digest(key)
        return bisect_right(self._digests, wanted) - bisect_left(self._digests, wanted)

    @property
    def size(self) -> int:
        """The bytes that all of it takes."""
        return len(self._digests) * (self._digests.itemsize + self._places.itemsize)


def digest(key: str) -> int:
    """Give a number of 64 bits that two different texts do not share by any likely chance.

    >>> digest("a") == digest("a"), digest("a") == digest("b")
    (True, False)
    """
    return int.from_bytes(blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


class Numbering:
    """Gives each new text the next number, for the time of building.

    >>> numbering = Numbering()
    >>> [numbering.of(text) for text in "aba"], list(numbering)
    ([0, 1, 0], ['a', 'b'])
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, text: str) -> int:
        """Give the number of a text."""
        return self._numbers.setdefault(text, len(self._numbers))

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
