"""Published schemas of the formats that others own, taken from packages that carry them.

None is part of this repository. The first run fetches each with its registry's client into
the folder of temporary files (SKILLPROTO_TEST_CACHE names another); later runs find it there.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

_FETCH_S = 120


def sarif_schema() -> Any:
    """Give the schema of SARIF 2.1.0, which Microsoft's matchers for jest carry."""
    if shutil.which("npm") is None:
        pytest.skip("npm is not installed, and the schema of SARIF comes in a package of its registry")
    fetch = ["npm", "pack", "--silent", "@microsoft/jest-sarif@1.0.0-beta.0"]
    return json.loads(_member("sarif", fetch, "sarif-2.1.0-rtm.5.json"))


def junit_schema() -> bytes:
    """Give the XML schema of Jenkins' JUnit reports, which the source distribution of pytest carries."""
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    fetch += ["--no-deps", "--no-binary", "pytest", "pytest==8.3.5"]
    return _member("junit", fetch, "junit-10.xsd")


def _member(name: str, fetch: Sequence[str], file: str) -> bytes:
    cache = Path(os.environ.get("SKILLPROTO_TEST_CACHE") or Path(tempfile.gettempdir()) / "skillproto-test-cache")
    kept = cache / f"{name}-{file}"
    if not kept.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as folder:
            ran = subprocess.run(fetch, cwd=folder, capture_output=True, timeout=_FETCH_S, check=False)
            found = [_from(archive, file) for archive in sorted(Path(folder).glob("*.t*gz"))]
            assert found, ran.stderr.decode()
            whole = Path(folder) / kept.name
            whole.write_bytes(found[0])
            whole.replace(kept)
    return kept.read_bytes()


def _from(archive: Path, file: str) -> bytes:
    with tarfile.open(archive) as packed:
        (member,) = [each for each in packed.getmembers() if each.name.endswith(f"/{file}")]
        content = packed.extractfile(member)
        assert content is not None
        return content.read()
