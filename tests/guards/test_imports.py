"""Which room may import which, which library stands where, and what start-up costs."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.support import GOOD
from tests.guards.sources import Module, imports, modules

FLOORS = {
    "cli": 6,
    "__main__": 7,
    "reports": 5,
    "engines": 5,  # hands what an agent does about an error to Celery and Temporal
    "agent": 4,
    "publishing": 4,
    "provider": 4,
    "testing": 4,
    "discovery": 3.5,  # it fetches with the client's own exchange and limits
    "invocation": 3,
    "descriptor": 2.5,  # it loads what the rules let pass
    "rules": 2,
    "validation": 1,
    "documents": 1,
    "violations": 0,
    "codes": 0,
    "_lazy": 0,
    "errors": 0,
    "versions": 0,
    "redaction": 0,
}
HOMES = {
    "click": ("skillproto.cli",),
    "httpx": ("skillproto.invocation._carriers",),
    "httpx2": ("skillproto.invocation._carriers",),
    "backoff": ("skillproto.invocation.retry",),
    "jsonschema": ("skillproto.validation",),
    "referencing": ("skillproto.validation",),
    "yaml": ("skillproto.documents",),
    "starlette": ("skillproto.provider", "skillproto.publishing.service"),
    "uvicorn": ("skillproto.provider", "skillproto.publishing.serving"),
    "opentelemetry": ("skillproto.invocation.telemetry",),
    "celery": ("skillproto.engines",),
    "temporalio": ("skillproto.engines",),
    "mcp": ("skillproto.agent",),
    "dns": ("skillproto.discovery",),
}
HEAVY = (
    "httpx",
    "httpx2",
    "jsonschema",
    "referencing",
    "backoff",
    "yaml",
    "anyio",
    "asyncio",
    "starlette",
    "uvicorn",
    "opentelemetry",
    "celery",
    "temporalio",
    "mcp",
    "dns",
    "sqlite3",
)
MODULES = modules()


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_imports_go_down_the_floors(module: Module) -> None:
    if module.room == "":
        return  # the package's own names are lazy, and lead everywhere
    floor = FLOORS[module.room]
    for imported in imports(module):
        room = imported.name.removeprefix("skillproto.").partition(".")[0]
        if not imported.name.startswith("skillproto.") or room in (module.room, "__version__"):
            continue
        assert room in FLOORS, f"{module.name}:{imported.line} imports {imported.name}, which has no floor"
        is_below = FLOORS[room] < floor or (floor == 0 and FLOORS[room] == 0)
        assert is_below, f"{module.name}:{imported.line} imports {imported.name} from floor {FLOORS[room]}"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_library_is_imported_in_its_own_room_alone(module: Module) -> None:
    for imported in imports(module):
        homes = HOMES.get(imported.name.partition(".")[0])
        is_home = homes is None or any(module.name == home or module.name.startswith(f"{home}.") for home in homes)
        assert is_home, f"{module.name}:{imported.line} imports {imported.name}"


def loaded_after(code: str, cwd: Path | None = None) -> set[str]:
    program = f"import sys, json\n{code}\njson.dump(sorted(sys.modules), sys.__stdout__)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, timeout=60, cwd=cwd)
    return set(json.loads(ran.stdout.decode().splitlines()[-1]))


def test_importing_the_package_loads_none_of_its_rooms() -> None:
    loaded = loaded_after("import skillproto")
    assert {name for name in loaded if name.startswith("skillproto")} == {"skillproto", "skillproto._lazy"}
    assert not loaded.intersection((*HEAVY, "click"))


@pytest.mark.parametrize(
    ("name", "free_of"),
    [
        ("Violation", HEAVY),
        ("SkillError", HEAVY),
        ("validate", HEAVY),
        ("RetryPolicy", ("httpx", "jsonschema", "yaml")),
        ("read_reply", ("httpx", "jsonschema", "yaml", "backoff")),
        ("to_tool_result", HEAVY),
        ("from_gateway", HEAVY),
    ],
)
def test_a_name_pulls_in_only_what_it_needs(name: str, free_of: tuple[str, ...]) -> None:
    assert not loaded_after(f"import skillproto; skillproto.{name}").intersection(free_of)


def test_validating_a_good_file_loads_none_of_the_heavy_libraries(tmp_path: Path) -> None:
    loaded = loaded_after(
        "from skillproto.cli import main\n"
        f"try: main(['validate', {str(GOOD)!r}])\n"
        "except SystemExit as end: assert not end.code",
        tmp_path,
    )
    assert not loaded.intersection((*HEAVY, "pathlib", "difflib", "tomllib", "dataclasses", "urllib.request"))
    assert not {name for name in loaded if name.startswith(("skillproto.invocation", "skillproto.provider"))}
