"""How often to ask for the state of an execution, and which faults to sit out."""

from skillproto.errors import ErrorCode, SkillError

_FIRST_S = (0.2, 0.3)  # the first look sees a short job within a quarter of a second
_FROM_S = 0.32
_GROWTH = 1.28
_LAST_GROWTH = 60  # a day and more

_UNREADABLE = frozenset({"empty_body", "not_json", "cut_short", "bad_encoding", "too_large"})


def own_wait_s(n: int, hint_ms: int | None, longest_ms: int) -> float:
    """Give the seconds to wait before look n, from quick to slow; a provider's hint is a floor.

    Each own wait is 28 % longer than the one before, so that a result is seen late by a share of
    the time that it took: 14 % on average; at worst 42 % of a second or two, 30 % of minutes.

    Args:
        n: 1 for the first look.
        hint_ms: what the provider asks for at least; None when it says nothing.
        longest_ms: no own wait is longer.

    >>> [round(own_wait_s(n, None, 300_000), 3) for n in (1, 2, 3, 4)], own_wait_s(1, 7000, 300_000)
    ([0.2, 0.3, 0.32, 0.41], 7.0)
    """
    quick = len(_FIRST_S)
    own = _FIRST_S[n - 1] if n <= quick else _FROM_S * _GROWTH ** min(n - quick - 1, _LAST_GROWTH)
    return max(min(own, longest_ms / 1000), (hint_ms or 0) / 1000)


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
