r"""Match the regular expressions of a schema in bounded time, with the meaning of ECMA-262.

`$` is only the end, `\d` only ASCII, nothing is anchored by itself. Python's own matcher
runs an expression only where it provably never goes back more than once over the text;
every other one runs on a machine whose time grows with the text alone. What neither can
do (backreferences, look-around inside) is told, not guessed.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from skillproto.validation import charsets
from skillproto.validation.budget import Budget as WorkBudget
from skillproto.validation.budget import BudgetSpent
from skillproto.validation.charsets import CharSet
from skillproto.validation.regex_machine import MOST_STEPS, Budget, Machine, Program, TooLarge, build, positions
from skillproto.validation.regex_syntax import (
    Backreference,
    Chars,
    Choice,
    Edge,
    Look,
    Node,
    PatternError,
    Repeat,
    Sequence,
    parse,
)

__all__ = ["Pattern", "PatternError", "UnsafePattern", "compile_pattern", "parse"]

_WIDEST_SEARCH = 200
_MANY_TIMES = 10
_WORK = 150_000
_MOST_RANGES = 2_000


class UnsafePattern(Exception):
    """A pattern that cannot be matched in bounded time; the text says why."""

    steps = 0
    """How many steps were built before it was given up."""


class _TooManySteps(UnsafePattern):
    steps = MOST_STEPS


class _Free:
    """A budget that never ends, for patterns that come with this package."""

    def spend(self, amount: int) -> None:
        """Count nothing."""


class Pattern:
    """A regular expression, ready to be searched for.

    Attributes:
        source: as the schema writes it.
        danger: why other engines may take exponential time over it, or None. Here it runs
            in bounded time all the same.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        looks, rest = _split(parse(source))
        for node in (*(look.part for look in looks), rest):
            _refuse_unbounded(node)
        self._looks = [(look.negated, _Searcher(Sequence((Edge("start"), look.part)))) for look in looks]
        self._rest = _Searcher(rest)
        self.danger = _danger(rest) or next(filter(None, (_danger(look.part) for look in looks)), None)

    def search(self, text: str, budget: Budget | None = None) -> bool:
        r"""Say whether the expression matches somewhere in a text.

        >>> compile_pattern("^abc$").search("abc"), compile_pattern("^abc$").search("abc\n")
        (True, False)
        """
        budget = budget or _Free()
        for negated, look in self._looks:
            if look.search(text, budget) == negated:
                return False
        return self._rest.search(text, budget)

    @property
    def steps(self) -> int:
        """How many steps were built for it; none where Python's own matcher runs it."""
        return sum(searcher.steps for searcher in (self._rest, *(look for _, look in self._looks)))

    @property
    def on_re(self) -> bool:
        """Whether Python's own matcher runs it."""
        return not self._looks and self._rest.on_re


@lru_cache(maxsize=512)
def compile_pattern(source: str) -> Pattern:
    r"""Make a pattern ready, or say why it cannot be.

    Raises:
        PatternError: it is no regular expression of ECMA-262.
        UnsafePattern: it is one, but cannot be matched in bounded time.

    >>> compile_pattern("^(a+)+$").search("a" * 30 + "!")
    False
    """
    try:
        return Pattern(source)
    except TooLarge:
        raise _TooManySteps("Its repeats multiply to more than can be followed") from None


def to_python(node: Node) -> str:
    r"""Write a tree as an expression of Python's `re` that means the same.

    >>> to_python(parse("^\\d{2}$"))
    '\\A(?:[0-9]){2}\\Z'
    """
    match node:
        case Chars(chars):
            return _bracket(chars)
        case Edge(kind):
            return {"start": r"\A", "end": r"\Z", "word": r"\b", "inside": r"\B"}[kind]
        case Sequence(parts):
            return "".join(f"(?:{to_python(part)})" if isinstance(part, Choice) else to_python(part) for part in parts)
        case Choice(branches):
            return "|".join(map(to_python, branches))
        case Repeat(part, least, most):
            return f"(?:{to_python(part)}){_times(least, most)}"
    raise TypeError(f"a {type(node).__name__} is not written for re")


def _times(least: int, most: int | None) -> str:
    if most is None:
        return {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    if (least, most) == (0, 1):
        return "?"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _bracket(chars: CharSet) -> str:
    if not chars:
        return r"(?!)"
    if len(chars) == 1 and chars[0][0] == chars[0][1]:
        return _char(chars[0][0])
    inner = "".join(_char(first) + (f"-{_char(last)}" if last > first else "") for first, last in chars)
    return f"[{inner}]"


def _char(code: int) -> str:
    character = chr(code)
    return re.escape(character) if character.isascii() and character.isprintable() else f"\\U{code:08x}"


def _split(node: Node) -> tuple[list[Look], Node]:
    """Take apart what looks ahead from the start, and the rest."""
    if not isinstance(node, Sequence) or node.parts[:1] != (Edge("start"),):
        return [], node
    looks: list[Look] = []
    rest = node.parts[1:]
    while rest and isinstance(rest[0], Look) and rest[0].ahead:
        looks.append(rest[0])
        rest = rest[1:]
    return looks, Sequence((Edge("start"), *rest))


def _refuse_unbounded(node: Node) -> None:
    match node:
        case Backreference():
            raise UnsafePattern("It refers back to what a group matched")
        case Look():
            raise UnsafePattern("It looks around at another place than its start")
        case Sequence(nodes) | Choice(nodes):
            for part in nodes:
                _refuse_unbounded(part)
        case Repeat(part):
            _refuse_unbounded(part)


class _Searcher:
    """Search for a tree with Python's matcher or on a machine; either is made when it is first used.

    Attributes:
        on_re: whether Python's matcher is to run it.
    """

    def __init__(self, node: Node) -> None:
        self.on_re = _ranges(node) <= _MOST_RANGES and _is_linear(node)
        self._node = node
        self._program = None if self.on_re else build(node)
        self._search: Callable[[str, Budget], bool] | None = None

    @property
    def steps(self) -> int:
        return 0 if self._program is None else len(self._program.steps)

    def search(self, text: str, budget: Budget) -> bool:
        if self._search is None:
            self._search = self._made()
        return self._search(text, budget)

    def _made(self) -> Callable[[str, Budget], bool]:
        if self._program is not None:
            return Machine(self._program).search
        search = re.compile(to_python(self._node), re.ASCII).search
        return lambda text, budget: search(text) is not None


def _ranges(node: Node) -> int:
    """Count the ranges of characters that a tree is made of."""
    match node:
        case Chars(chars):
            return len(chars)
        case Sequence(nodes) | Choice(nodes):
            return sum(map(_ranges, nodes))
        case Repeat(part):
            return _ranges(part)
    return 0


def _is_linear(node: Node) -> bool:
    """Say whether going back can cost `re` no more than a constant for each character.

    So it is where the next character alone decides the way (no two ways can take the same
    one), and a match begins at one place, or is short wherever it begins.
    """
    if not (_is_anchored(node) or (_width(node) or _WIDEST_SEARCH) < _WIDEST_SEARCH):
        return False
    if _has_empty_loop(node):
        return False
    try:
        program = build(node, collapse=2)
        budget = WorkBudget(_WORK)
        return all(_is_plain(program, following, budget) for _, following in positions(program, budget))
    except (TooLarge, BudgetSpent):
        return False


def _is_plain(program: Program, following: list[int], budget: WorkBudget) -> bool:
    """Say whether the next character alone tells which of the steps comes next."""
    sets = [program.steps[number].chars or () for number in following]
    budget.spend(sum(map(len, sets)))
    return len(set(following)) == len(following) and not charsets.overlap(sets)


def _is_anchored(node: Node) -> bool:
    if isinstance(node, Sequence):
        return bool(node.parts) and _is_anchored(node.parts[0])
    return node == Edge("start")


def _width(node: Node) -> int | None:
    """Give the most characters that a match has; None for no limit."""
    match node:
        case Chars():
            return 1
        case Sequence(nodes):
            widths = [_width(part) for part in nodes]
            return None if None in widths else sum(filter(None, widths))
        case Choice(nodes):
            widths = [_width(part) for part in nodes]
            return None if None in widths else max(filter(None, widths), default=0)
        case Repeat(part, _, most):
            width = _width(part)
            return 0 if width == 0 else None if most is None or width is None else width * most
    return 0


def _can_be_empty(node: Node) -> bool:
    match node:
        case Chars():
            return False
        case Sequence(nodes):
            return all(map(_can_be_empty, nodes))
        case Choice(nodes):
            return any(map(_can_be_empty, nodes))
        case Repeat(part, least):
            return least == 0 or _can_be_empty(part)
    return True


def _repeats(node: Node) -> list[Repeat]:
    match node:
        case Sequence(nodes) | Choice(nodes):
            return [repeat for part in nodes for repeat in _repeats(part)]
        case Repeat(part):
            return [node, *_repeats(part)]
    return []


def _has_empty_loop(node: Node) -> bool:
    return any(repeat.most != 1 and _can_be_empty(repeat.part) for repeat in _repeats(node))


def _is_long(repeat: Repeat) -> bool:
    return repeat.most is None or repeat.most >= _MANY_TIMES


def _danger(node: Node) -> str | None:
    """Say why a matcher that goes back may need exponential time; None where it does not.

    So it is where a loop can take the same text in two ways.
    """
    for repeat in _repeats(node):
        if _is_long(repeat) and _can_be_empty(repeat.part) and any(map(_is_long, _repeats(repeat.part))):
            return "A repeat that can be empty is repeated"
    from skillproto.validation.regex_loops import is_ambiguous

    budget = WorkBudget(_WORK)
    program = build(node, collapse=_MANY_TIMES)
    try:
        follow = {number: following for number, following in positions(program, budget) if number >= 0}
        if is_ambiguous(follow, lambda number: program.steps[number].chars or (), budget):
            return "A repeat can take the same text in more than one way"
    except BudgetSpent:
        raise UnsafePattern("It is too intricate to be looked through") from None
    return None
