"""How much of a text is read before reading stops with a finding."""

from typing import NamedTuple


class Limits(NamedTuple):
    """Bounds for one document, so that hostile input costs little time and gives short output.

    Attributes:
        max_bytes: size of the text; for JSON Lines, of one line.
        max_depth: arrays and objects inside each other; the outermost counts as 1.
        max_nodes: values in the document, keys not counted, those that YAML aliases repeat counted again.
        max_digits: digits of an integer; by default the most that still fit a double.
        max_aliases: values that YAML aliases may repeat, so that a short text cannot stand for
            a huge one. A long string counts once for each 64 characters.
        max_documents: documents in a YAML text; JSON Lines may have any number.
        max_findings: findings about one document; the last one says how many were left out.

    >>> Limits(max_depth=3).max_bytes
    10485760
    """

    max_bytes: int = 10 * 1024 * 1024
    max_depth: int = 100
    max_nodes: int = 1_000_000
    max_digits: int = 308
    max_aliases: int = 10_000
    max_documents: int = 10_000
    max_findings: int = 100
