import json
import subprocess
import sys

import pytest

READ = "import sys; from skillproto.documents import read; (d,) = read(sys.argv[1].encode(), source=sys.argv[2]); "
SHOW = "import json; print(json.dumps([d.readable, sorted(sys.modules)]))"


def modules_after(text: str, source: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", READ + SHOW, text, source], capture_output=True, check=True)
    readable, names = json.loads(done.stdout)
    assert readable
    return set(names)


@pytest.mark.parametrize("source", ["skill.json", "<stdin>"])
def test_a_valid_json_text_loads_nothing_heavy(source: str) -> None:
    loaded = modules_after('{"a": [1, 2.5, "x", null]}', source)

    heavy = {
        "yaml",
        "jsonschema",
        "httpx",
        "click",
        "backoff",
        "urllib.parse",
        "inspect",
        "dataclasses",
        "asyncio",
        "pathlib",
    }
    assert loaded & heavy == set()
    ours = {name.removeprefix("skillproto.documents.") for name in loaded if name.startswith("skillproto.documents.")}
    assert ours <= {"decoding", "document", "json_text", "kinds", "limits", "lines"}


def test_json_under_the_name_of_yaml_is_read_quickly_and_yaml_itself_by_yaml() -> None:
    assert "yaml" in modules_after("a: 1", "skill.yaml")


def test_every_public_name_is_there_and_others_are_not() -> None:
    import skillproto.documents as room

    assert all(getattr(room, name) is not None for name in room.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        room.nothing  # noqa: B018 - asking is the test
