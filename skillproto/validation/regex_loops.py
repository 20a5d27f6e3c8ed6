"""Find loops of a regular expression that can take the same text in two ways.

Those are what makes a matcher that goes back take exponential time. Pure.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TypeVar

from skillproto.validation.budget import Budget
from skillproto.validation.charsets import CharSet, overlap

T = TypeVar("T", bound=Hashable)


def is_ambiguous(follow: Mapping[int, list[int]], chars: Callable[[int], CharSet], budget: Budget) -> bool:
    """Say whether from some position two different ways over the same text lead back to it.

    Args:
        follow: for each position those that can come next, twice where two ways lead there.
        chars: the characters of a position.
        budget: what the work is counted against.

    Raises:
        BudgetSpent: it took more work than it may.

    >>> is_ambiguous({1: [1, 1]}, lambda position: ((97, 97),), Budget())
    True
    """
    for loop in components(follow, lambda position: follow[position]):
        inner = {position: [way for way in follow[position] if way in loop] for position in loop}
        if any(len(ways) > len(set(ways)) for ways in inner.values()):
            return True
        budget.spend(len(loop) ** 2)
        if _pairs_return(inner, chars, budget):
            return True
    return False


def _pairs_return(inner: Mapping[int, list[int]], chars: Callable[[int], CharSet], budget: Budget) -> bool:
    pairs = {
        (left, right) for left in inner for right in inner if left == right or overlap([chars(left), chars(right)])
    }
    budget.spend(sum(len(inner[left]) * len(inner[right]) for left, right in pairs))
    ways = {
        (left, right): [(a, b) for a in inner[left] for b in inner[right] if (a, b) in pairs] for left, right in pairs
    }
    for component in components(ways, lambda pair: ways[pair]):
        same = sum(left == right for left, right in component)
        if 0 < same < len(component):
            return True
    return False


def components(nodes: Iterable[T], follow: Callable[[T], Iterable[T]]) -> list[set[T]]:
    """Give the groups of nodes that reach each other, without those of one node and no way back.

    >>> components([1, 2, 3], lambda n: {1: [2], 2: [1], 3: [1]}[n]) == [{1, 2}]
    True
    """
    order: dict[T, int] = {}
    low: dict[T, int] = {}
    stack: list[T] = []
    on_stack: set[T] = set()
    found: list[set[T]] = []
    for root in nodes:
        if root in order:
            continue
        work = [(root, iter(follow(root)))]
        order[root] = low[root] = len(order)
        stack.append(root)
        on_stack.add(root)
        while work:
            node, ways = work[-1]
            for way in ways:
                if way not in order:
                    order[way] = low[way] = len(order)
                    stack.append(way)
                    on_stack.add(way)
                    work.append((way, iter(follow(way))))
                    break
                if way in on_stack:
                    low[node] = min(low[node], order[way])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    group = set()
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        group.add(member)
                        if member == node:
                            break
                    if len(group) > 1 or node in follow(node):
                        found.append(group)
    return found
