"""The official JSON-Schema-Test-Suite, taken from the source distribution of jsonschema.

It is not part of this repository. The first run fetches it with pip into the folder of
temporary files (SKILLPROTO_TEST_CACHE names another), and later runs find it there.
"""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pytest

_FOLDER = "json/tests/draft2020-12/"
_FETCH_S = 120


class Case(NamedTuple):
    """One value that a schema of the suite accepts or refuses."""

    name: str
    schema: Any
    value: Any
    valid: bool


def cases(file: str) -> list[Case]:
    """Give the cases of a file such as "type" or "optional/format/uri"."""
    groups = json.loads((_suite() / f"{file}.json").read_text(encoding="utf-8"))
    return [
        Case(f"{group['description']}: {test['description']}", group["schema"], test["data"], test["valid"])
        for group in groups
        for test in group["tests"]
    ]


@lru_cache(maxsize=1)
def _suite() -> Path:
    cache = Path(os.environ.get("SKILLPROTO_TEST_CACHE") or Path(tempfile.gettempdir()) / "skillproto-test-cache")
    release = version("jsonschema")
    folder = cache / f"jsonschema-{release}" / _FOLDER
    if not folder.is_dir():
        _fetch(release, cache)
    return folder


def _fetch(release: str, cache: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as unpacked:
        options = (
            "--no-deps",
            "--no-binary",
            "jsonschema",
            "--quiet",
            "--disable-pip-version-check",
            "--dest",
            unpacked,
        )
        command = [sys.executable, "-m", "pip", "download", *options, f"jsonschema=={release}"]
        try:
            subprocess.run(command, check=True, capture_output=True, timeout=_FETCH_S)
        except (subprocess.SubprocessError, OSError) as error:
            pytest.skip(f"the package registry cannot be reached for the official test suite: {type(error).__name__}")
        (archive,) = Path(unpacked).glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            members = [member for member in tar if f"/{_FOLDER}" in member.name and member.isfile()]
            tar.extractall(unpacked, members=members, filter="data")
        target = cache / f"jsonschema-{release}"
        with suppress(OSError):  # another process may have been faster
            (Path(unpacked) / target.name).rename(target)
