"""How long it takes to compare two descriptors of about 2 KB, in one process.

python -m benchmarks._diff
"""

import copy
import json
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from skillproto import Comparison, diff

TARGET_MS = 10.0
"""What a comparison may take."""

_EXAMPLE = Path(__file__).parents[1] / "examples" / "translate.json"
Descriptor = dict[str, Any]


def pairs() -> dict[str, tuple[Descriptor, Descriptor]]:
    """Give pairs of descriptors by what differs between them."""
    old: Descriptor = json.loads(_EXAMPLE.read_text(encoding="utf-8"))
    return {name: (old, _changed(old, change)) for name, change in _CHANGES.items()}


def _changed(old: Descriptor, change: Callable[[Descriptor], None]) -> Descriptor:
    new = copy.deepcopy(old)
    change(new)
    return new


def _texts(new: Descriptor) -> None:
    new["description"] += " And more."


def _inputs(new: Descriptor) -> None:
    new["inputs"][0]["schema"]["maxLength"] = 10_000
    new["inputs"][2]["enum"].append("markdown")
    new["inputs"].append({"name": "tone", "type": "string", "required": True})


def _schemas(new: Descriptor) -> None:
    new["inputs"][1]["schema"]["pattern"] = "^[a-z]{2,3}(-[A-Z]{2,3})?$"
    schema = new["output"]["schema"]
    schema["properties"]["confidence"] = {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]}
    schema["properties"]["parts"] = {"type": "array", "items": {"$ref": "#"}}


_CHANGES: dict[str, Callable[[Descriptor], None]] = {
    "nothing": lambda new: None,
    "texts": _texts,
    "inputs": _inputs,
    "schemas": _schemas,
}


def measure(repeats: int = 200) -> Iterator[tuple[str, float, Comparison]]:
    """Give the median processor time of a comparison in ms, for each pair, with its result."""
    for name, (old, new) in pairs().items():
        found = diff(old, new)
        times = []
        for _ in range(repeats):
            started = time.process_time()
            diff(old, new)
            times.append((time.process_time() - started) * 1000)
        yield name, statistics.median(times), found


def main() -> None:
    """Print the table."""
    print(f"{'changed':10} {'ms':>7}  needs")
    for name, took_ms, found in measure():
        print(f"{name:10} {took_ms:7.3f}  {found.bump or 'nothing'}{'' if took_ms < TARGET_MS else '  TOO SLOW'}")


if __name__ == "__main__":
    main()
