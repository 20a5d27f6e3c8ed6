"""Which rules, files and known findings a run of `validate` is about: the options over the settings file."""

import os
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from skillproto.cli._checking import Check
from skillproto.errors import UsageError
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


def choose(check: Check, options: Options) -> Check:
    """Lay over a check what the options say, and below them the settings file.

    Raises:
        click.UsageError: the file, the baseline or a name of a rule is not understood.
    """
    try:
        chosen = _settings(options)
        return check._replace(
            config=chosen.rules,
            is_excluded=_exclusion(chosen),
            baseline=_read_baseline(chosen.baseline),
            baseline_path=chosen.baseline or "",
        )
    except UsageError as error:
        raise click.UsageError(plain(str(error))) from None


def _settings(options: Options) -> Settings:
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


def _exclusion(chosen: Settings) -> Callable[[str], bool]:
    root = Path(chosen.path or ".").absolute().parent

    def is_excluded(path: str) -> bool:
        relative = os.path.relpath(path, root).replace(os.sep, "/")
        return any(fnmatch(relative, pattern) for pattern in chosen.exclude)

    return is_excluded


def _read_baseline(path: str | None) -> "Baseline | None":
    if path is None:
        return None
    from skillproto.rules import Baseline

    try:
        return Baseline.load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeError):
        hint = "make it with --write-baseline"
        raise click.BadParameter(plain(f"{path} could not be read; {hint}"), param_hint="--baseline") from None
