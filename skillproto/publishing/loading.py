"""A registry's state from the disk: a JSON file, JSON Lines, a published index, a folder of descriptors.

Reads files, and nothing else. What cannot be read raises `NotCarriedOut`: a check without the state is none.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

from skillproto.documents import Limits, read_file
from skillproto.errors import UsageError
from skillproto.publishing._reading import of_descriptor, read_lines
from skillproto.publishing.obstacles import NotCarriedOut
from skillproto.publishing.published import Published
from skillproto.publishing.state import RegistryState
from skillproto.violations import JSONValue

_SUFFIXES = (".json", ".yaml", ".yml")
_LINES = (".jsonl", ".ndjson")


def load_state(path: str | os.PathLike[str]) -> RegistryState:
    """Read a state: the JSON form, JSON Lines of published versions, an index, or a folder of descriptors.

    Raises:
        NotCarriedOut: it cannot be read, or is none of these.

    >>> len(load_state("examples"))
    4
    """
    place = Path(path)
    try:
        if place.is_dir():
            return RegistryState(_of_folder(place))
        if place.suffix in _LINES:
            with place.open(encoding="utf-8") as file:
                return RegistryState(**read_lines(json.loads(line) for line in file if line.strip()))
        value = json.loads(place.read_bytes())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise NotCarriedOut.of("unreadable", f"The state {place} cannot be read: {reason}") from error
    except (ValueError, RecursionError) as error:
        words = str(error) if isinstance(error, UsageError) else "it is not JSON"
        raise NotCarriedOut.of("malformed", f"The state {place} cannot be used: {words}") from error
    return _of_value(value, place)


def _of_value(value: JSONValue, place: Path) -> RegistryState:
    try:
        return state_of_index(value) if isinstance(value, dict) and "skills" in value else RegistryState.read(value)
    except UsageError as error:
        raise NotCarriedOut.of("malformed", f"The state {place} cannot be used: {error}") from error


def state_of_index(index: JSONValue) -> RegistryState:
    """Give what an index says as a state: its entries are the published versions.

    Raises:
        UsageError: the value is no index.

    >>> entry = {"id": "com.example.a", "version": "1.0.0"}
    >>> state_of_index({"skills": [entry]}).find("com.example.a", "1.0.0").state
    'listed'
    """
    entries = index.get("skills") if isinstance(index, dict) else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError("the index has no list of skills")
    return RegistryState(_listed(entries), index=entries)


def _listed(entries: list[dict[str, JSONValue]]) -> Iterator[Published]:
    for entry in entries:
        skill_id, version = entry.get("id"), entry.get("version")
        if isinstance(skill_id, str) and isinstance(version, str):
            yield Published(skill_id, version, "listed")


def _of_folder(folder: Path) -> Iterator[Published]:
    found = False
    for path in sorted(each for each in folder.rglob("*") if each.suffix.lower() in _SUFFIXES and each.is_file()):
        with path.open("rb") as file:
            for document in read_file(file, source=str(path), limits=Limits()):
                published = of_descriptor(document.value) if document.readable else None
                if published is None:
                    raise NotCarriedOut.of("malformed", f"{path} is no descriptor, so what is published is not known")
                found = True
                yield published
    if not found:
        raise NotCarriedOut.of("empty", f"{folder} holds no published descriptor")
