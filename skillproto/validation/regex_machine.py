"""A machine that matches a regular expression in time that grows with the text alone.

The tree becomes a program of small steps; the machine follows all ways through it at once
and remembers what it has worked out, so that no input makes it go back. Every piece of
work is counted against a budget.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from skillproto.validation import charsets
from skillproto.validation.charsets import CharSet
from skillproto.validation.regex_syntax import Chars, Choice, Edge, Node, Repeat, Sequence

MOST_STEPS = 4000
"""Steps that a program may have; a larger one is not built."""

_MOST_STATES = 1000


class TooLarge(Exception):
    """The program would have more steps than are allowed."""


class Budget(Protocol):
    """What work is counted against; `spend` raises when it is used up."""

    def spend(self, amount: int) -> None:
        """Count some work."""


class Step(NamedTuple):
    """One step: take a character of `chars`, pass an `edge`, or go on at each of `ways`."""

    ways: tuple[int, ...]
    chars: CharSet | None = None
    edge: str | None = None


class Program(NamedTuple):
    """Steps with the number of the first; number 0 is the end, where the expression matched."""

    steps: tuple[Step, ...]
    first: int


def build(node: Node, *, collapse: int | None = None) -> Program:
    """Turn a tree into a program.

    Args:
        node: a tree without look-around and backreferences.
        collapse: a repeat of at least so many times becomes an endless one, for analysis;
            None keeps every count.

    Raises:
        TooLarge: counted repeats make it too large.

    >>> len(build(Repeat(Chars(((97, 97),)), 2, 3)).steps)
    5
    """
    builder = _Builder(collapse)
    first = builder.add(node, 0)
    return Program(tuple(builder.steps), first)


class _Builder:
    def __init__(self, collapse: int | None) -> None:
        self.collapse = collapse
        self.steps = [Step(())]

    def put(self, step: Step) -> int:
        if len(self.steps) >= MOST_STEPS:
            raise TooLarge
        self.steps.append(step)
        return len(self.steps) - 1

    def add(self, node: Node, then: int) -> int:
        """Add a tree that goes on at `then`, and give the number of its first step."""
        match node:
            case Chars(chars):
                return self.put(Step((then,), chars=chars))
            case Edge(kind):
                return self.put(Step((then,), edge=kind))
            case Sequence(parts):
                for part in reversed(parts):
                    then = self.add(part, then)
                return then
            case Choice(branches):
                return self.put(Step(tuple(self.add(branch, then) for branch in branches)))
            case Repeat(part, least, most):
                return self.repeat(part, least, most, then)
        raise TypeError(f"a {type(node).__name__} has no program")

    def repeat(self, part: Node, least: int, most: int | None, then: int) -> int:
        if self.collapse is not None and (most or least) >= self.collapse and most != 0:
            least, most = min(least, 1), None
        if most is None:
            loop = self.put(Step(()))
            body = self.add(part, loop)
            self.steps[loop] = Step((body, then))
            start = loop if least == 0 else body
            for _ in range(least - 1):
                start = self.add(part, start)
            return start
        start = then
        for _ in range(most - least):
            start = self.put(Step((self.add(part, start), then)))
        for _ in range(least):
            start = self.add(part, start)
        return start


class _State:
    """Where the machine can stand before a character: steps to follow, and what came before."""

    __slots__ = ("before", "next", "waiting")

    def __init__(self, waiting: frozenset[int], before: str) -> None:
        self.waiting = waiting
        self.before = before
        self.next: dict[int, _State | bool] = {}


class Machine:
    """Match a program anywhere in a text.

    >>> from skillproto.validation.regex_syntax import parse
    >>> class Free:
    ...     def spend(self, amount): pass
    >>> Machine(build(parse("b$"))).search("ab", Free())
    True
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        cuts = {0, charsets.LAST + 1}
        sets = list({id(step.chars): step.chars for step in program.steps if step.chars is not None}.values())
        if any(step.edge in ("word", "inside") for step in program.steps):
            sets.append(charsets.WORD)
        for chars in sets:
            for first, last in chars:
                cuts.update((first, last + 1))
        self.cuts = sorted(cuts)
        self.kinds: dict[str, int] = {}
        self.states: dict[tuple[frozenset[int], str], _State] = {}
        self.first = _State(frozenset([program.first]), "start")

    def search(self, text: str, budget: Budget) -> bool:
        """Say whether the expression matches somewhere in the text."""
        budget.spend(len(text) // 16 + 1)
        state, kinds = self.first, self.kinds
        for character in text:
            kind = kinds.get(character)
            if kind is None:
                kind = self.kind(character)
            following = state.next.get(kind)
            if following is None:
                following = self.follow(state, kind, budget)
            if following is True:
                return True
            if following is False:
                return False
            state = following
        ended = state.next.get(-1)
        return bool(self.follow(state, -1, budget) if ended is None else ended)

    def kind(self, character: str) -> int:
        """Give the number of the range that a character belongs to: all in it are treated alike."""
        from bisect import bisect_right

        if len(self.kinds) > 4 * _MOST_STATES:
            self.kinds.clear()
        kind = self.kinds[character] = bisect_right(self.cuts, ord(character)) - 1
        return kind

    def follow(self, state: _State, kind: int, budget: Budget) -> "_State | bool":
        """Work out one move: the next state, True where it matched, False where it never will."""
        code = self.cuts[kind] if kind >= 0 else -1
        word = code >= 0 and charsets.holds(charsets.WORD, code)
        reached: set[int] = set()
        seen = set(state.waiting)
        waiting = list(seen)
        while waiting:
            number = waiting.pop()
            if number == 0:
                state.next[kind] = True
                return True
            step = self.program.steps[number]
            if step.chars is not None:
                if code >= 0 and charsets.holds(step.chars, code):
                    reached.update(step.ways)
            elif step.edge is None or _stands(step.edge, state.before, ended=code < 0, word=word):
                waiting.extend(way for way in step.ways if way not in seen)
                seen.update(step.ways)
        budget.spend(len(seen) + 1)
        state.next[kind] = following = code >= 0 and self.state(reached, "word" if word else "other")
        return following

    def state(self, reached: set[int], before: str) -> "_State | bool":
        if not self.anchored:
            reached.add(self.program.first)
        if not reached:
            return False
        if len(self.states) > _MOST_STATES:
            self.states.clear()
            self.first = _State(frozenset([self.program.first]), "start")
        key = (frozenset(reached), before)
        if key not in self.states:
            self.states[key] = _State(*key)
        return self.states[key]

    @property
    def anchored(self) -> bool:
        """Whether a match can only begin where the text begins."""
        step = self.program.steps[self.program.first]
        return step.edge == "start"


def _stands(edge: str, before: str, *, ended: bool, word: bool) -> bool:
    match edge:
        case "start":
            return before == "start"
        case "end":
            return ended
        case _:
            return ((before == "word") != word) == (edge == "word")


def positions(program: Program, budget: Budget) -> Iterator[tuple[int, list[int]]]:
    """Give each step that takes a character, and 'first' as -1, with the steps that can follow it.

    A step stands there once for each way to it: twice where the expression is ambiguous.
    Edges are passed freely. The end is left out.

    >>> from skillproto.validation.budget import Budget as Free
    >>> from skillproto.validation.regex_syntax import parse
    >>> dict(positions(build(parse("a+b")), Free()))[-1]
    [3]
    """
    yield -1, _reach(program, program.first, budget)
    for number, step in enumerate(program.steps):
        if step.chars is not None:
            yield number, _reach(program, step.ways[0], budget)


def _reach(program: Program, start: int, budget: Budget) -> list[int]:
    """Follow every way to the next character, each only once through the same step."""
    found: list[int] = []
    passed: set[int] = set()
    ways = [start]
    while ways:
        number = ways.pop()
        if number < 0:
            passed.discard(~number)
        elif (step := program.steps[number]).chars is not None:
            found.append(number)
        elif number not in passed:
            budget.spend(len(step.ways) + 1)
            passed.add(number)
            ways.append(~number)
            ways.extend(step.ways)
    return found
