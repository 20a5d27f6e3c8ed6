"""Suggest what was meant. Imported only once something is misspelt."""

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Give the known word that is closest, whatever its case; None when none is close.

    >>> nearest("AUTH_REQUIRD", ["AUTH_REQUIRED", "UNKNOWN"])
    'AUTH_REQUIRED'
    """
    by_folded = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Give a sentence to append to a message, or nothing.

    >>> did_you_mean("valdate", ["validate"])
    ' Did you mean validate?'
    """
    found = nearest(word, known)
    return f" Did you mean {found}?" if found else ""
