import subprocess
import sys

import pytest

from tests.rules.support import EXAMPLES, ROOT

HEAVY = (
    "jsonschema",
    "referencing",
    "yaml",
    "httpx",
    "backoff",
    "click",
    "ipaddress",
    "urllib.parse",
    "difflib",
    "datetime",
)
RULES = ("skillproto.rules.texts", "skillproto.rules.addresses", "skillproto.rules.catalogue", "skillproto.redaction")


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.suffix == ".json"], ids=lambda path: str(path.name))
def test_a_descriptor_without_findings_loads_nothing_heavy_and_no_rule(path: object) -> None:
    program = (
        "import json, sys; from skillproto import validate\n"
        f"assert validate(json.loads(open({str(path)!r}, 'rb').read())) == []\n"
        f"print([name for name in {(*HEAVY, *RULES)!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "[]\n"
