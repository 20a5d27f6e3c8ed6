r"""Say whether every text that some patterns match is matched by another.

The machines of the patterns are followed side by side, character by character, so that the answer is exact, and
the first text that tells them apart comes with it. It is asked twice: as ECMA-262 has it, and as validators in
Python read the same patterns, where `$` also stands before a last line end and `\d` takes digits of all scripts.
Only what holds in both is called proven. Pure; the work is counted against a budget.
"""

import math
import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from skillproto.validation import charsets
from skillproto.validation.budget import Budget, BudgetSpent
from skillproto.validation.charsets import CharSet
from skillproto.validation.patterns import PatternError, parse
from skillproto.validation.regex_machine import Machine, TooLarge, build
from skillproto.validation.regex_syntax import Chars, Choice, Edge, Node, Repeat, Sequence

WORK = 20_000
"""Moves of the machines that one question may take."""

LONGEST = 200
"""Characters up to which a bound of length takes part."""

_MOVES_PER_STEP = 10
_UNLIKE = re.compile(r"\\[DWSbBpP]|\[\^[^\]]*\\[dws]|\\d.*0-9|0-9.*\\d|\\w.*a-z|a-z.*\\w", re.DOTALL)
_OTHER_DIGIT, _OTHER_LETTER, _OTHER_SPACE = 0x10FFFD, 0x10FFFC, 0x10FFFB
_LIKELY = "aA0bB1 _-.@/x9z"
_State = Any


class Answer(NamedTuple):
    """Whether containment is proven; where it is not, a text that shows the difference, or None if none is known."""

    is_contained: bool
    text: str | None = None


class Machines:
    """Compares patterns by their machines; the last few are kept.

    >>> machines = Machines(Budget(10_000))
    >>> machines.compare(["^[a-c]+$"], "^[a-z]*$"), machines.compare(["^[a-z]+$"], "^[a-c]+$").text
    (Answer(is_contained=True, text=None), 'x')
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def compare(
        self, owns: list[str], other: str, lengths: tuple[float, float] = (0, math.inf), *, is_length: bool = False
    ) -> Answer:
        """Ask whether every text that all of `owns` match is matched by `other`.

        Args:
            owns: patterns that hold.
            other: the pattern that is asked about.
            lengths: the least and the most characters, as far as they are known.
            is_length: whether `other` stands for a bound of length, which everybody counts alike.
        """
        for as_python in (False, True):
            try:
                asked = _machine(other, as_python=as_python and not is_length)
                text = self._difference(owns, asked, lengths, as_python=as_python)
            except (BudgetSpent, TooLarge):
                return Answer(is_contained=False)
            if text is not None:
                return Answer(is_contained=False, text=text)
        return Answer(is_contained=True)

    def _difference(
        self, owns: list[str], other: Machine, lengths: tuple[float, float], *, as_python: bool
    ) -> str | None:
        machines = [_machine(source, as_python=False) for source in of_lengths(lengths)]
        machines += [_machine(source, as_python=as_python) for source in owns]
        budget = Budget(WORK)
        try:
            return _walk([*machines, other], budget)
        finally:
            self._budget.spend(int(WORK - budget.left) // _MOVES_PER_STEP)


def of_lengths(lengths: tuple[float, float]) -> Iterator[str]:
    """Write bounds of length as patterns, where they are short enough to take part."""
    least, most = lengths
    if 0 < least <= LONGEST:
        yield rf"^[\s\S]{{{int(least)},}}$"
    if most <= LONGEST:
        yield rf"^[\s\S]{{0,{int(most)}}}$"


def _machine(source: str, *, as_python: bool) -> Machine:
    machine = _made(source, as_python)
    if machine is None:
        raise TooLarge
    return machine


@lru_cache(maxsize=128)
def _made(source: str, as_python: bool) -> Machine | None:
    try:
        node = parse(source)
        if as_python:
            if _UNLIKE.search(source):
                return None
            node = _rewritten(node, source)
        return Machine(build(node))
    except (PatternError, TooLarge, TypeError, RecursionError):
        return None  # look-around and references back have no machine


def _rewritten(node: Node, source: str) -> Node:
    r"""Read a tree as Python does; digits, letters and spaces of other scripts are one character each."""
    match node:
        case Chars(chars):
            return Chars(_python_set(chars, source))
        case Edge("end"):
            return Choice((node, Sequence((Chars(charsets.of("\n")), node))))
        case Sequence(parts):
            return Sequence(tuple(_rewritten(part, source) for part in parts))
        case Choice(branches):
            return Choice(tuple(_rewritten(branch, source) for branch in branches))
        case Repeat(part, least, most):
            return Repeat(_rewritten(part, source), least, most)
    return node


_NOT_A_LINE_END = charsets.complement(charsets.LINE_END)
_NOT_A_NEWLINE = charsets.complement(charsets.of("\n"))


def _python_set(chars: CharSet, source: str) -> CharSet:
    if chars == _NOT_A_LINE_END:
        return _NOT_A_NEWLINE
    more: list[int] = []
    if r"\d" in source and _has_all(chars, charsets.DIGIT):
        more.append(_OTHER_DIGIT)
    if r"\w" in source and _has_all(chars, charsets.WORD):
        more += [_OTHER_DIGIT, _OTHER_LETTER]
    if r"\s" in source and _has_all(chars, charsets.of(" \t\n")):
        more.append(_OTHER_SPACE)
    return charsets.union([*chars, *((code, code) for code in more)]) if more else chars


def _has_all(chars: CharSet, wanted: CharSet) -> bool:
    return all(charsets.holds(chars, code) for first, last in wanted for code in (first, last))


def _walk(machines: list[Machine], budget: Budget) -> str | None:
    """Follow machines side by side; the last one is asked about. Give the shortest text that it alone refuses.

    A state is True once its machine has matched, and False once it never will.

    Raises:
        BudgetSpent: that took more work than it may.
    """
    codes = _representatives(machines, budget)
    start: tuple[_State, ...] = tuple(machine.first for machine in machines)
    waiting = deque([(start, "")])
    seen = {_key(start)}
    while waiting:
        states, text = waiting.popleft()
        *owns, other = (_moved(machine, state, -1, budget) for machine, state in zip(machines, states, strict=True))
        if all(owns) and not other:
            return text
        for code in codes:
            following = tuple(
                _moved(machine, state, code, budget) for machine, state in zip(machines, states, strict=True)
            )
            if False in following[:-1] or following[-1] is True:
                continue
            key = _key(following)
            if key not in seen:
                seen.add(key)
                waiting.append((following, text + chr(code)))
    return None


def _moved(machine: Machine, state: _State, code: int, budget: Budget) -> _State:
    """Give the state after a character, or after the end for -1."""
    if state is True or state is False:
        return state
    kind = -1 if code < 0 else bisect_right(machine.cuts, code) - 1
    following = state.next.get(kind)
    if following is None:
        following = machine.follow(state, kind, budget)
    budget.spend(1)
    return following


def _key(states: tuple[_State, ...]) -> tuple[Any, ...]:
    return tuple(state if isinstance(state, bool) else (state.waiting, state.before) for state in states)


def _representatives(machines: list[Machine], budget: Budget) -> list[int]:
    """Give one character of each range that all machines treat alike, a plain one where there is one."""
    cuts = sorted({cut for machine in machines for cut in machine.cuts})
    budget.spend(len(cuts))
    found: dict[int, int] = {}
    for code in (*map(ord, _LIKELY), *(cut for cut in cuts if cut <= charsets.LAST)):
        if not 0xD800 <= code <= 0xDFFF:
            found.setdefault(bisect_right(cuts, code), code)
    return list(found.values())
