"""How fast descriptors are checked, beside the peers of the field.

    python -m benchmarks.validate [--rows accept,one,many,...] [--smoke]

Peers come with `pip install 'skillproto[bench]' sourcemeta-jsonschema`; ajv-cli with npm, its
folder named by AJV_BIN. A peer that is not there is told as such.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks._measure import Call, Row, beside, command, interleaved, print_table, shown

ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "schemas" / "1.0" / "descriptor.json"
EXAMPLE = ROOT / "examples" / "translate.json"
BIN = Path(sys.executable).parent
OURS = "skillproto"


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
    ]


def _libraries(document: Any, text: bytes) -> dict[str, Call]:
    import jsonschema

    schema = json.loads(SCHEMA.read_bytes())
    plain = jsonschema.Draft202012Validator(schema)
    calls: dict[str, Call] = {"jsonschema": lambda: plain.is_valid(document)}
    try:
        import fastjsonschema
        import jsonschema_rs
        import orjson
    except ImportError as missing:
        print(f"not installed: {missing.name}", file=sys.stderr)
        return calls
    # fastjsonschema takes a dollar inside a character class for the end of the text, and then fails
    compiled = fastjsonschema.compile(json.loads(SCHEMA.read_text(encoding="utf-8").replace("!#$", "!#")))
    rust = jsonschema_rs.validator_for(schema)
    return calls | {
        "fastjsonschema": lambda: compiled(document),
        "jsonschema-rs": lambda: rust.is_valid(document),
        "orjson.loads": lambda: orjson.loads(text),
    }


# Whole processes.


def one(size: Size, folder: Path) -> list[Row]:
    """One valid JSON file."""
    calls = {
        OURS: command(_ours(str(EXAMPLE))),
        "import click, json": command([sys.executable, "-c", "import click, json"]),
        **_tools([EXAMPLE]),
    }
    times = interleaved(calls, rounds=3 * size.rounds)
    ratio = times[OURS].median / times["import click, json"].median
    rows = [Row("one valid file, whole process", "at most 1.3 times the imports", f"{ratio:.2f} times", ratio <= 1.3)]
    return rows + _over(times, "check-jsonschema", 6) + beside(times, base=OURS)


def _over(times: Any, peer: str, target: float) -> list[Row]:
    if peer not in times:
        return [Row(f"over {peer}", f"{target} times faster", "not installed", None)]
    ratio = times[peer].median / times[OURS].median
    return [Row(f"over {peer}", f"{target:g} times faster", f"{ratio:.1f} times", ratio >= target)]


def _tools(files: list[Path]) -> dict[str, Call]:
    names = [str(file) for file in files]
    commands = {
        "check-jsonschema": ("check-jsonschema", ["--schemafile", str(SCHEMA)], names),
        "sourcemeta": ("jsonschema", ["validate", str(SCHEMA)], names),
    }
    calls = {
        peer: command([found, *options, *rest])
        for peer, (script, options, rest) in commands.items()
        if (found := _script(script)) is not None
    }
    ajv = Path(os.environ.get("AJV_BIN", "")) / "ajv"
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
    began = time.perf_counter()
    process = subprocess.Popen(_ours(str(path)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    rate = size.records / (time.perf_counter() - began)
    peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 2**20
    what = f"{size.records} JSON Lines records of {len(record)} bytes"
    return [
        Row(what, "at least 25,000 a second", f"{rate:,.0f} a second", rate >= 25_000),
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
    arguments = parser.parse_args()
    for name in arguments.rows.split(","):
        with tempfile.TemporaryDirectory() as folder:
            table = ROWS[name](SMOKE if arguments.smoke else FULL, Path(folder))
        print_table((ROWS[name].__doc__ or name).partition("\n")[0], table)


if __name__ == "__main__":
    main()
