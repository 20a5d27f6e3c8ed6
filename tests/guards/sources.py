"""The package's own source, read as syntax trees."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "skillproto"


class Module(NamedTuple):
    """A module of the package."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def room(self) -> str:
        """The first part of the name below the package; "" for the package itself."""
        return self.name.partition(".")[2].partition(".")[0]


class Import(NamedTuple):
    """One imported module."""

    name: str
    line: int
    at_top: bool


def modules() -> list[Module]:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        found.append(Module(name, path, ast.parse(path.read_text(encoding="utf-8"))))
    return found


def imports(module: Module) -> Iterator[Import]:
    """Give every import that runs; those for type checkers alone do not."""
    yield from _imports(module.tree.body, at_top=True)


def _imports(body: list[ast.stmt], *, at_top: bool) -> Iterator[Import]:
    for statement in body:
        match statement:
            case ast.Import(names=names):
                yield from (Import(alias.name, statement.lineno, at_top) for alias in names)
            case ast.ImportFrom(module=source, names=names, level=0):
                yield Import(source or "", statement.lineno, at_top)
                yield from (Import(f"{source}.{alias.name}", statement.lineno, at_top) for alias in names)
            case ast.If(test=ast.Name(id="TYPE_CHECKING"), orelse=orelse):
                yield from _imports(orelse, at_top=at_top)
            case _:
                inside = at_top and not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
                nested = [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt)]
                handlers = [child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.ExceptHandler)]
                yield from _imports(nested + [s for handler in handlers for s in handler.body], at_top=inside)
