"""How fast descriptors are checked, beside the peers of the field.

    python -m benchmarks.validate [--rows accept,one,many,yaml,lines,growth] [--install-ajv] [--smoke]

Peers come with `pip install 'skillproto[bench]'`; ajv-cli with --install-ajv, which lets npm put it
into a folder of the user's cache. A peer that is not there is told as such.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._measure import Call, Row, beside, command, interleaved, missing_rows, print_table, shown
from benchmarks._peers import imported

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "schemas" / "1.0" / "descriptor.json"
EXAMPLE = ROOT / "examples" / "translate.json"
BIN = Path(sys.executable).parent
OURS = "skillproto"
TOOLS = ("check-jsonschema", "sourcemeta", "ajv-cli", "skills-ref")
LIBRARIES = ("fastjsonschema", "jsonschema_rs", "orjson")
AJV_FOLDER = Path.home() / ".cache" / "skillproto-benchmarks"


class Size(NamedTuple):
    """How much is measured: the real thing, or just enough to see that it runs."""

    rounds: int
    calls: int
    files: int
    yaml_files: int
    records: int


FULL = Size(rounds=7, calls=2000, files=10_000, yaml_files=1000, records=1_000_000)
SMOKE = Size(rounds=1, calls=20, files=20, yaml_files=5, records=200)


def _script(name: str) -> str | None:
    beside_us = BIN / name
    return str(beside_us) if beside_us.exists() else shutil.which(name)


def _ours(*arguments: str) -> list[str]:
    return [_script("skillproto") or "skillproto", "validate", "--isolated", *arguments]


# In process.


def accept(size: Size, folder: Path) -> list[Row]:
    """A valid document, in process, parsed already."""
    from skillproto import validate
    from skillproto.validation import surely_valid

    text = EXAMPLE.read_bytes()
    document = json.loads(text)
    calls: dict[str, Call] = {
        "fast accept": lambda: surely_valid(document),
        "validate with all rules": lambda: validate(document),
        "json.loads": lambda: json.loads(text),
        **_libraries(document, text),
    }
    times = interleaved(calls, rounds=size.rounds, repeat=size.calls)
    fast = times["fast accept"].median
    plain = times["jsonschema"].median
    return [
        Row("fast accept, a valid document of 2 KB", "at most 15 us", shown(fast), fast <= 15e-6),
        Row("the same, over plain jsonschema", "50 times faster", f"{plain / fast:.0f} times", plain / fast >= 50),
        *beside(times, base="fast accept"),
        *missing_rows([name for name in LIBRARIES if imported(name) is None]),
    ]


def _libraries(document: Any, text: bytes) -> dict[str, Call]:
    import jsonschema

    schema = json.loads(SCHEMA.read_bytes())
    plain = jsonschema.Draft202012Validator(schema)
    calls: dict[str, Call] = {"jsonschema": lambda: plain.is_valid(document)}
    fast, rust, orjson = (imported(name) for name in LIBRARIES)
    if fast is not None:
        # fastjsonschema takes a dollar inside a character class for the end of the text, and then fails
        compiled = fast.compile(json.loads(SCHEMA.read_text(encoding="utf-8").replace("!#$", "!#")))
        calls["fastjsonschema"] = lambda: compiled(document)
    if rust is not None:
        calls["jsonschema-rs"] = partial(rust.validator_for(schema).is_valid, document)
    if orjson is not None:
        calls["orjson.loads"] = partial(orjson.loads, text)
    return calls


# Whole processes.


def one(size: Size, folder: Path) -> list[Row]:
    """One valid JSON file."""
    calls = {
        OURS: command(_ours(str(EXAMPLE))),
        "import click, json": command([sys.executable, "-c", "import click, json"]),
        **_tools([EXAMPLE]),
        **_skills_ref(folder),
    }
    times = interleaved(calls, rounds=3 * size.rounds)
    ratio = times[OURS].median / times["import click, json"].median
    rows = [Row("one valid file, whole process", "at most 1.3 times the imports", f"{ratio:.2f} times", ratio <= 1.3)]
    missing = missing_rows([name for name in TOOLS if name not in times])
    return rows + _over(times, "check-jsonschema", 6) + beside(times, base=OURS) + missing


def _skills_ref(folder: Path) -> dict[str, Call]:
    """Another kind of skill, a folder with a SKILL.md; the nearest thing to a descriptor elsewhere."""
    script = _script("agentskills")
    if script is None:
        return {}
    skill = folder / "translate"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: translate\ndescription: Translates text.\n---\n", encoding="utf-8")
    return {"skills-ref": command([script, "validate", str(skill)])}


def _over(times: Any, peer: str, target: float) -> list[Row]:
    if peer not in times:
        return [Row(f"over {peer}", f"{target} times faster", "not installed", None)]
    ratio = times[peer].median / times[OURS].median
    return [Row(f"over {peer}", f"{target:g} times faster", f"{ratio:.1f} times", ratio >= target)]


def _sourcemeta() -> str | None:
    """The program itself: its Python start script has the name of jsonschema's, and costs a start of Python."""
    module = imported("sourcemeta_jsonschema")
    if module is None or module.__file__ is None:
        return None
    key = f"{platform.system()}-{platform.machine()}".lower().replace("aarch64", "arm64").replace("amd64", "x86_64")
    program = Path(module.__file__).with_name(f"jsonschema-{key}")
    return str(program) if os.access(program, os.X_OK) else None


def _tools(files: list[Path]) -> dict[str, Call]:
    names = [str(file) for file in files]
    commands = {
        "check-jsonschema": (_script("check-jsonschema"), ["--schemafile", str(SCHEMA)]),
        "sourcemeta": (_sourcemeta(), ["validate", str(SCHEMA)]),
    }
    calls = {
        peer: command([found, *options, *names]) for peer, (found, options) in commands.items() if found is not None
    }
    ajv = AJV_FOLDER / "node_modules" / ".bin" / "ajv"
    if ajv.is_file() and files[0].suffix == ".json":
        data = [part for name in names for part in ("-d", name)]
        options = ["validate", "--spec=draft2020", "--strict=false", "--validate-formats=false"]
        calls["ajv-cli"] = command([str(ajv), *options, "-s", str(SCHEMA), *data])
    return calls


def _many_files(folder: Path, count: int, suffix: str = ".json", text: str | None = None) -> list[Path]:
    folder.mkdir()
    text = text or EXAMPLE.read_text(encoding="utf-8")
    files = [folder / f"skill-{number:05}{suffix}" for number in range(count)]
    for number, file in enumerate(files):
        file.write_text(text.replace("translate-v1", f"translate{number}-v1"), encoding="utf-8")
    return files


def many(size: Size, folder: Path) -> list[Row]:
    """Many files, all of them good, and one in a hundred bad."""
    files = _many_files(folder / "good", size.files)
    bad_files = _many_files(folder / "bad", size.files)
    for file in bad_files[:: min(100, size.files)]:
        file.write_text(file.read_text(encoding="utf-8").replace('"restricted"', '"everyone"'), encoding="utf-8")
    calls = {
        OURS: command(_ours(str(folder / "good"))),
        "one in a hundred bad": command(_ours("--output-format", "concise", str(folder / "bad")), ok=(1,)),
        **_tools(files),
    }
    calls.pop("ajv-cli", None)  # its command line cannot hold so many names
    times = interleaved(calls, rounds=max(1, size.rounds // 2))
    ratio = times["one in a hundred bad"].median / times[OURS].median
    rows = [Row(f"{size.files} files, whole process", "", shown(times[OURS].median), None)]
    rows += _over(times, "check-jsonschema", 20) + _over(times, "sourcemeta", 1)
    rows.append(Row("1 % bad over all valid", "at most 1.5 times", f"{ratio:.2f} times", ratio <= 1.5))
    rows.append(_first_finding(folder / "bad"))
    return rows + beside(times, base=OURS)


def _first_finding(folder: Path) -> Row:
    waits = []
    for _ in range(5):
        began = time.perf_counter()
        arguments = _ours("--output-format", "concise", str(folder))
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            assert process.stdout is not None
            process.stdout.readline()
            waits.append(time.perf_counter() - began)
            process.kill()
    first = sorted(waits)[len(waits) // 2]
    return Row("first finding of a batch", "within 200 ms", shown(first), first <= 0.2)


def yaml(size: Size, folder: Path) -> list[Row]:
    """YAML files."""
    import yaml as pyyaml

    text = pyyaml.safe_dump(json.loads(EXAMPLE.read_bytes()), sort_keys=False, allow_unicode=True)
    files = _many_files(folder / "yaml", size.yaml_files, ".yaml", text)
    calls = {OURS: command(_ours(str(folder / "yaml"))), **_tools(files)}
    times = interleaved(calls, rounds=max(1, size.rounds // 2))
    rows = [Row(f"{size.yaml_files} YAML files", "", shown(times[OURS].median), None)]
    return rows + _over(times, "check-jsonschema", 12) + beside(times, base=OURS)


def lines(size: Size, folder: Path) -> list[Row]:
    """JSON Lines: records a second, and the peak of memory."""
    path = folder / "many.jsonl"
    record = json.dumps(json.loads(EXAMPLE.read_bytes()), ensure_ascii=False)
    with path.open("w", encoding="utf-8") as file:
        for number in range(size.records):
            file.write(record.replace("translate-v1", f"translate{number}-v1") + "\n")
    process = subprocess.Popen(_ours(str(path)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    rate = size.records / (usage.ru_utime + usage.ru_stime)
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 2**20
    what = f"{size.records} JSON Lines records of {len(record)} bytes"
    return [
        Row(what, "at least 25,000 a second of a core", f"{rate:,.0f} a second", rate >= 25_000),
        Row("peak of memory", "under 60 MiB", f"{peak:.0f} MiB", peak < 60),
    ]


def growth(size: Size, folder: Path) -> list[Row]:
    """A hundred times the size takes at most a hundred and twenty times the time."""
    rows = []
    for kind in ("json", "yaml"):
        for verdict in ("valid", "invalid"):
            small, large = (_grown(folder, kind, verdict, scale) for scale in (1, 100))
            times = interleaved({"small": small}, rounds=size.rounds, repeat=20)
            times |= interleaved({"large": large}, rounds=max(1, size.rounds // 2))
            ratio = times["large"].median / times["small"].median
            what = f"100 times the size, {kind}, {verdict}"
            rows.append(Row(what, "at most 120 times", f"{ratio:.0f} times", ratio <= 120))
    return rows


def _grown(folder: Path, kind: str, verdict: str, scale: int) -> Call:
    import yaml as pyyaml

    from skillproto import validate_many

    document = json.loads(EXAMPLE.read_bytes())
    parameter = {"name": "p", "type": "string" if verdict == "valid" else "text", "description": "One parameter."}
    document["inputs"] = [{**parameter, "name": f"p{number}"} for number in range(40 * scale)]
    write: Callable[[Any], str] = json.dumps if kind == "json" else pyyaml.safe_dump
    path = folder / f"{verdict}-{scale}.{kind}"
    path.write_text(write(document), encoding="utf-8")
    return lambda: list(validate_many([path]))


ROWS = {"accept": accept, "one": one, "many": many, "yaml": yaml, "lines": lines, "growth": growth}


def main() -> None:
    """Measure what is asked for and print one table for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", default=",".join(ROWS), help="which tables, separated by commas")
    parser.add_argument("--smoke", action="store_true", help="only see that everything runs")
    parser.add_argument("--install-ajv", action="store_true", help="let npm install ajv-cli into the cache first")
    arguments = parser.parse_args()
    if arguments.install_ajv:
        subprocess.run(["npm", "install", "--silent", "--prefix", str(AJV_FOLDER), "ajv-cli@5"], check=True)
    for name in arguments.rows.split(","):
        with tempfile.TemporaryDirectory() as folder:
            table = ROWS[name](SMOKE if arguments.smoke else FULL, Path(folder))
        print_table((ROWS[name].__doc__ or name).partition("\n")[0], table)


if __name__ == "__main__":
    main()
