"""How many looks it takes to see a result, and how late it is seen, for results that take 50 ms to 10 minutes."""

from bisect import bisect_left
from itertools import accumulate, count, takewhile
from math import log2
from typing import Any

import pytest

from skillproto.invocation.polling import own_wait_s
from skillproto.invocation.retry import RetryPolicy
from tests.support.drivers import Invoke, descriptor
from tests.support.faults import FaultServer, by_path, reply

LONGEST_MS = RetryPolicy().max_poll_delay_ms
LOOKS_S = list(takewhile(lambda at: at < 1000, accumulate(own_wait_s(n, None, LONGEST_MS) for n in count(1))))
TIMES_S = [0.05 * 1.02**n for n in range(475)]
"""From 50 ms to 10 minutes."""


def looks_and_lateness(takes_s: float) -> tuple[int, float]:
    """Count the looks that a result takes, and how long it lies there until the last of them."""
    at = bisect_left(LOOKS_S, takes_s)
    return at + 1, LOOKS_S[at] - takes_s


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def around(takes_s: float) -> list[float]:
    """Times within 20 % of one."""
    return [takes_s * (0.8 + 0.4 * step / 400) for step in range(401)]


def allowed_looks(takes_s: float) -> float:
    return 6 + 2 * log2(max(takes_s, 1))


def allowed_s(takes_s: float) -> float:
    return max(0.15 * takes_s, 0.25)


def test_a_result_is_seen_on_average_within_15_percent_of_its_time_or_250_ms() -> None:
    assert TIMES_S[-1] > 590
    assert mean([looks_and_lateness(takes_s)[1] / allowed_s(takes_s) for takes_s in TIMES_S]) < 0.85
    assert mean([looks_and_lateness(takes_s)[1] / takes_s for takes_s in TIMES_S if takes_s > 2]) < 0.145


@pytest.mark.parametrize("takes_s", [0.05, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300, 600])
def test_so_it_is_for_times_around_one(takes_s: float) -> None:
    assert mean([looks_and_lateness(time_s)[1] for time_s in around(takes_s)]) <= allowed_s(takes_s)


def test_a_result_is_never_seen_later_than_a_known_share_of_its_time() -> None:
    for takes_s in TIMES_S:
        share = 0.42 if takes_s < 10 else 0.3
        assert looks_and_lateness(takes_s)[1] <= max(share * takes_s, 0.41)


def test_up_to_20_s_no_more_looks_are_made_than_allowed_and_later_few_more() -> None:
    for takes_s in TIMES_S:
        looks, _ = looks_and_lateness(takes_s)
        assert looks <= allowed_looks(takes_s) * (1 if takes_s <= 20 else 1.16)
        if takes_s <= 30:
            assert mean([looks_and_lateness(time_s)[0] for time_s in around(takes_s)]) <= allowed_looks(takes_s)


def test_no_pacing_at_all_keeps_both_bounds_in_every_case_beyond_two_seconds() -> None:
    """Look as seldom as the lateness allows: even so the looks are soon too many."""
    at_s, looks = 0.25, 1
    while looks + 1 <= allowed_looks(at_s):  # what takes a moment longer is seen by the next look
        at_s, looks = at_s + allowed_s(at_s), looks + 1
    assert at_s == pytest.approx(1.75)


def test_a_job_of_50_ms_is_seen_within_250_ms() -> None:
    assert LOOKS_S[0] <= 0.2


@pytest.mark.parametrize(("hint_ms", "wait_s"), [(None, 0.2), (0, 0.2), (150, 0.2), (1000, 1.0), (900_000, 900.0)])
def test_a_hint_is_a_floor(hint_ms: int | None, wait_s: float) -> None:
    assert own_wait_s(1, hint_ms, LONGEST_MS) == wait_s


def test_own_waits_end_at_the_longest_one_and_never_shrink() -> None:
    waits = [own_wait_s(n, None, 5000) for n in range(1, 10_000)]
    assert waits == sorted(waits)
    assert waits[-1] == 5


def test_no_cache_on_the_way_may_answer_a_look(invoke: Invoke) -> None:
    steps: dict[str, Any] = {
        "/invoke": reply(202, {"execution_id": "e1", "status": "accepted"}),
        "/status/e1": reply(200, {"status": "completed"}),
        "/result/e1": reply(200, {"output": "done"}),
    }
    with FaultServer(by_path(steps)) as server:
        invoke(descriptor(server.url))
        sent = {request.path: request.headers.get("cache-control") for request in server.requests}
    assert sent == {"/invoke": None, "/status/e1": "no-store", "/result/e1": "no-store"}
