"""Which rules, files and known findings a run of `validate` is about: the options over the settings file."""

# pathlib would be imported for this alone, and start-up is counted in milliseconds.
# ruff: noqa: PTH120, PTH123

import os.path
from collections.abc import Callable
from fnmatch import fnmatch
from typing import TYPE_CHECKING, NamedTuple

import click

from skillproto.reports.escaping import plain
from skillproto.rules.config import RuleConfig, Settings, find_settings, read_settings

if TYPE_CHECKING:
    from skillproto.rules import Baseline


class Options(NamedTuple):
    """What was said on the command line; empty where nothing was."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    config: str | None = None
    isolated: bool = False
    baseline: str | None = None
    no_suppressions: bool = False


def settings(options: Options) -> Settings:
    """Give the settings file with what the command line says laid over it.

    Raises:
        UsageError: the file or a name of a rule is not understood.
    """
    found = _file_settings(options)
    said = RuleConfig.parse(
        {"ignore": _split(options.ignore)} | ({"select": _split(options.select)} if options.select else {}),
        source="the command line",
    )
    rules = found.rules._replace(
        select=found.rules.select if said.select is None else said.select,
        ignore=found.rules.ignore + said.ignore,
        suppressions=found.rules.suppressions and not options.no_suppressions,
    )
    return found._replace(rules=rules, baseline=options.baseline or found.baseline)


def _file_settings(options: Options) -> Settings:
    if options.isolated:
        return Settings()
    if options.config is None:
        return find_settings()
    return Settings.parse(read_settings(options.config) or {}, path=options.config)


def _split(values: tuple[str, ...]) -> list[str]:
    return [part.strip() for value in values for part in value.split(",") if part.strip()]


def exclusion(chosen: Settings) -> Callable[[str], bool]:
    """Say which files of directories are passed over: paths relative to the settings file."""
    root = os.path.abspath(os.path.dirname(chosen.path or ""))  # noqa: PTH100

    def is_excluded(path: str) -> bool:
        relative = os.path.relpath(path, root).replace(os.sep, "/")
        return any(fnmatch(relative, pattern) for pattern in chosen.exclude)

    return is_excluded


def read_baseline(path: str | None) -> "Baseline | None":
    """Read the baseline of known findings, if there is one to read.

    Raises:
        UsageError: it is no baseline.
    """
    if path is None:
        return None
    from skillproto.rules import Baseline

    try:
        with open(path, encoding="utf-8") as file:
            return Baseline.load(file.read())
    except (OSError, UnicodeError):
        hint = "make it with --write-baseline"
        raise click.BadParameter(plain(f"{path} could not be read; {hint}"), param_hint="--baseline") from None
