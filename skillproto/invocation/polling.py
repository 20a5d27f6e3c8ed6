"""How often to ask for the state of an execution, and which faults to sit out."""

from skillproto.errors import ErrorCode, SkillError

_FIRST_S = (0.1, 0.15)  # two quick looks, so that a short job is seen within a quarter of a second
_FROM_S = 0.25
_TO_S = 5.0
_GROWTH = 1.5

_UNREADABLE = frozenset({"empty_body", "not_json", "cut_short", "bad_encoding", "too_large"})


class Pace:
    """The own waits between two looks, from quick to slow; a provider's hint is a floor.

    >>> pace = Pace()
    >>> [round(pace.next_s(None), 3) for _ in range(4)], pace.next_s(7000)
    ([0.1, 0.15, 0.25, 0.375], 7.0)
    """

    def __init__(self) -> None:
        self._quick = list(_FIRST_S)
        self._next_s = _FROM_S

    def next_s(self, hint_ms: int | None) -> float:
        """Give the seconds to wait before the next look."""
        if self._quick:
            own = self._quick.pop(0)
        else:
            own = self._next_s
            self._next_s = min(own * _GROWTH, _TO_S)
        return max(own, (hint_ms or 0) / 1000)


def is_passing_fault(error: SkillError) -> bool:
    """Say whether a failed look says nothing about the execution, so that looking goes on.

    A reply that tells the execution's own end ("status": "failed") is no fault of the look.

    >>> is_passing_fault(SkillError("ENDPOINT_UNREACHABLE", "502"))
    True
    >>> is_passing_fault(SkillError("AUTH_REQUIRED", "401"))
    False
    """
    if error.details.get("state") in ("failed", "cancelled"):
        return False
    if error.code is ErrorCode.UNKNOWN:
        return error.details.get("reason") in _UNREADABLE
    return error.code.retryable and error.retryable is not False
