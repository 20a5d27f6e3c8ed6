"""Write `_fast/`: for each shipped schema a function that says "surely valid", or nothing.

python -m skillproto.validation.generate           writes the files
python -m skillproto.validation.generate --check   writes nothing; 1 when one is not fresh
"""

import sys
from collections.abc import Iterator
from pathlib import Path

from skillproto.validation.proof_writer import write_proof
from skillproto.validation.schemas import SCHEMA_NAMES, load_schema

FOLDER = Path(__file__).with_name("_fast")

_NOTE = "Written by generate.py from the schema; do not edit."
_PROOFS = (
    "LONGEST_WEB", "is_date_time", "is_execution_address", "is_version", "is_web_address", "looks_dated", "looks_web",
)  # fmt: skip
_PREPARE = """
def _prepare(name: str, pattern: str, text: str) -> object:
    search = globals()[name] = re.compile(pattern, re.ASCII).search
    return search(text)

"""


def module(name: str) -> str:
    """Write the module for a shipped schema.

    >>> "def is_surely_valid(" in module("error")
    True
    """
    patterns: dict[str, str] = {}
    lines = list(write_proof("is_surely_valid", load_schema(name), patterns))
    return "\n".join([*_head(name, "\n".join(lines), patterns), *lines, ""])


def _head(name: str, code: str, patterns: dict[str, str]) -> Iterator[str]:
    yield f'"""Proof that a document is valid against the schema {name}. {_NOTE}"""'
    yield "\n# ruff: noqa\n# fmt: off"
    if patterns:
        yield "import re\nfrom collections.abc import Callable\nfrom functools import partial"
    yield "from typing import Any\n"
    used = [proof for proof in _PROOFS if proof in code]
    if used:
        yield f"from skillproto.validation.proofs import {', '.join(used)}\n"
    if patterns:
        yield _PREPARE
        for pattern, search in patterns.items():
            yield f"{search}: Callable[[str], object] = partial(_prepare, {search!r}, {pattern!r})"
        yield ""
    yield ""


def files() -> dict[Path, str]:
    """Give the text of each file.

    >>> len(files())
    6
    """
    texts = {FOLDER / f"{name.replace('-', '_')}.py": module(name) for name in SCHEMA_NAMES}
    return {FOLDER / "__init__.py": f'"""Proofs of validity, one module for each shipped schema. {_NOTE}"""\n', **texts}


def main() -> int:
    """Write the files, or say whether they are fresh."""
    if "--check" in sys.argv[1:]:
        return int(any(not path.exists() or path.read_text(encoding="utf-8") != text for path, text in files().items()))
    FOLDER.mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
