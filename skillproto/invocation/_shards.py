"""Spread requests over many small connection pools.

One pool of the HTTP library slows down with the square of the requests in flight, so a
client holds pools of a few connections each, and opens another when all are busy.
"""

from collections.abc import Callable
from threading import Lock
from typing import Any

_PER_SHARD = 8


class Shard:
    """One client of the HTTP library, and how many requests it carries now."""

    __slots__ = ("client", "in_flight")

    def __init__(self, client: Any) -> None:
        self.client = client
        self.in_flight = 0


class Shards:
    """The clients of one skill client.

    Args:
        make: makes a further client.
        limit: so many requests at a time for each; None for one client that takes all.
        owned: whether the clients are ours to close.

    >>> shards = Shards(object, limit=1)
    >>> with shards.borrow() as first, shards.borrow() as second:
    ...     first is second
    False
    """

    def __init__(self, make: Callable[[], Any], *, limit: int | None = _PER_SHARD, owned: bool = True) -> None:
        self._owned = owned
        self._make = make
        self._limit = limit
        self._all: list[Shard] = []
        self._free: list[Shard] = []
        self._lock = Lock()

    def borrow(self) -> "Loan":
        """Give a client with a free place for the length of the block; recently used ones first."""
        return Loan(self)

    @property
    def to_close(self) -> list[Any]:
        """Every client made so far, as far as they are ours to close."""
        return [shard.client for shard in self._all] if self._owned else []

    def take(self) -> Shard:
        """Take a place."""
        with self._lock:
            if not self._free:
                self._add()
            shard = self._free[-1]
            shard.in_flight += 1
            if shard.in_flight == self._limit:
                self._free.pop()
            return shard

    def _add(self) -> None:
        shard = Shard(self._make())
        self._all.append(shard)
        self._free.append(shard)

    def give_back(self, shard: Shard) -> None:
        """Give it back."""
        with self._lock:
            if shard.in_flight == self._limit:
                self._free.append(shard)
            shard.in_flight -= 1


class Loan:
    """A place with one client, for the length of a block."""

    __slots__ = ("_shard", "_shards")

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self._shard = shards.take()

    def __enter__(self) -> Any:
        return self._shard.client

    def __exit__(self, *_: object) -> None:
        self._shards.give_back(self._shard)
