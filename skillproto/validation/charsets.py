"""Sets of characters as sorted ranges of code points.

Pure. A set is a tuple of (first, last) pairs that neither touch nor overlap.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache

CharSet = tuple[tuple[int, int], ...]

LAST = 0x10FFFF


def union(ranges: Iterable[tuple[int, int]]) -> CharSet:
    """Bring ranges in order and join those that touch.

    >>> union([(5, 9), (1, 2), (3, 5)])
    ((1, 9),)
    """
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = (joined[-1][0], max(joined[-1][1], last))
        else:
            joined.append((first, last))
    return tuple(joined)


@lru_cache(maxsize=128)
def complement(chars: CharSet) -> CharSet:
    """Give every other character.

    >>> complement(((0, 64), (91, 1114111)))
    ((65, 90),)
    """
    return tuple(_gaps(chars))


def _gaps(chars: CharSet) -> Iterator[tuple[int, int]]:
    start = 0
    for first, last in chars:
        if start < first:
            yield start, first - 1
        start = last + 1
    if start <= LAST:
        yield start, LAST


def holds(chars: CharSet, code: int) -> bool:
    """Say whether a set has a code point.

    >>> holds(((48, 57),), 50), holds(((48, 57),), 58)
    (True, False)
    """
    place = bisect_right(chars, (code, LAST))
    return place > 0 and code <= chars[place - 1][1]


def overlap(sets: Iterable[CharSet]) -> bool:
    """Say whether two of the sets share a character.

    >>> overlap([((1, 5),), ((6, 9),)]), overlap([((1, 5),), ((5, 9),)])
    (False, True)
    """
    end = -1
    for first, last in sorted(pair for chars in sets for pair in chars):
        if first <= end:
            return True
        end = last
    return False


def of(text: str) -> CharSet:
    """Give the set of a text's characters.

    >>> of("cab")
    ((97, 99),)
    """
    return union((ord(character), ord(character)) for character in text)


DIGIT = of("0123456789")
WORD = union([(ord("0"), ord("9")), (ord("A"), ord("Z")), (ord("_"), ord("_")), (ord("a"), ord("z"))])
SPACE = of("\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B))))
LINE_END = of("\n\r\u2028\u2029")
ANY = ((0, LAST),)

_LONG_NAMES = {
    "Letter": "L", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Cased_Letter": "LC",
    "Modifier_Letter": "Lm", "Other_Letter": "Lo", "Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn",
    "Spacing_Mark": "Mc", "Enclosing_Mark": "Me", "Number": "N", "Decimal_Number": "Nd", "digit": "Nd",
    "Letter_Number": "Nl", "Other_Number": "No", "Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc",
    "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe", "Initial_Punctuation": "Pi",
    "Final_Punctuation": "Pf", "Other_Punctuation": "Po", "Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc",
    "Modifier_Symbol": "Sk", "Other_Symbol": "So", "Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl",
    "Paragraph_Separator": "Zp", "Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs",
    "Private_Use": "Co", "Unassigned": "Cn",
}  # fmt: skip


@lru_cache(maxsize=128)
def category(name: str) -> CharSet | None:
    """Give the characters of a Unicode general category, by its short or long name.

    None where there is no such category; scripts and other properties are not known.

    >>> (ord("a"), ord("z")) in category("Ll"), category("Nope")
    (True, None)
    """
    if name == "ASCII":
        return ((0, 127),)
    if name == "Any":
        return ANY
    name = _LONG_NAMES.get(name, name)
    wanted = ("Lu", "Ll", "Lt") if name == "LC" else (name,)
    table = _categories()
    found = [pair for short, pairs in table.items() if short in wanted or short[0] in wanted for pair in pairs]
    return union(found) if found else None


@lru_cache(maxsize=1)
def _categories() -> dict[str, list[tuple[int, int]]]:
    from unicodedata import category as category_of

    table: dict[str, list[tuple[int, int]]] = {}
    start, current = 0, category_of("\0")
    for code in range(1, LAST + 2):
        name = category_of(chr(code)) if code <= LAST else ""
        if name != current:
            table.setdefault(current, []).append((start, code - 1))
            start, current = code, name
    return table
