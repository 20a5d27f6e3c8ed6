"""Bring together what a check before publishing needs: the state, the version before, and the reports as items."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from skillproto import documents
from skillproto.cli import _files
from skillproto.errors import UsageError
from skillproto.publishing.check import Probe, publish_check
from skillproto.publishing.loading import load_state, state_of_index
from skillproto.publishing.obstacles import NotCarriedOut, Obstacle
from skillproto.publishing.report import PublishReport
from skillproto.publishing.state import RegistryState
from skillproto.reports import Checked, Item, Unreadable
from skillproto.reports.escaping import plain
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from skillproto.discovery import FetchPolicy

_WEB = ("https://", "http://")


class Known(NamedTuple):
    """What a descriptor is checked against.

    Attributes:
        state: what the registry knows, or None.
        against: as for `publish_check`.
    """

    state: RegistryState | None = None
    against: Any = None


def known_from(state_path: str | None, against: str | None, policy: "Callable[[], FetchPolicy]") -> Known:
    """Read what --state and --against name.

    Raises:
        NotCarriedOut: something cannot be read or fetched.
    """
    state = load_state(state_path) if state_path is not None else None
    if against is None:
        return Known(state)
    if against.startswith(_WEB):
        from skillproto.cli._publishing_web import known_from_web

        return known_from_web(state, against, policy())
    if Path(against).is_dir():
        folder = load_state(against)
        return Known(folder if state is None else state, _loader(folder))
    value = _read_one(against)
    if isinstance(value, dict) and "skills" in value and "endpoint" not in value:
        if state is not None:
            raise click.UsageError("an index says what is published, and so does --state; give one of the two")
        try:
            return Known(state_of_index(value))
        except UsageError as error:
            raise NotCarriedOut(Obstacle("comparison", "malformed", f"{against}: {error}")) from error
    return Known(state, value)


def _loader(folder: RegistryState) -> Callable[[str, str], JSONValue]:
    def load(skill_id: str, version: str) -> JSONValue:
        found = folder.find(skill_id, version)
        if found is None:
            raise LookupError(version)
        return found.descriptor

    return load


def _read_one(path: str) -> JSONValue:
    try:
        with _files.opened(path) as file:
            found = list(documents.read_file(file, source=path))
    except OSError as error:
        unreadable = _files.unreadable(path, error)
        raise NotCarriedOut(Obstacle("comparison", unreadable.reason, f"{path}: {unreadable.message}")) from error
    if len(found) != 1 or not found[0].readable:
        message = f"{path} cannot be compared with: it is not one readable document"
        raise NotCarriedOut(Obstacle("comparison", "malformed", message))
    return found[0].value


class PublishRun:
    """Checks files one after the other; counts what could not be carried out.

    Args:
        known: what is checked against.
        options: as for `publish_check`.
        stdin_name: how the standard input is called.
        limits: how large and how deep a text may be.
        written: the file that the report goes into, and which is not checked; None for none.
    """

    def __init__(
        self,
        known: Known,
        options: dict[str, Any],
        stdin_name: str,
        limits: documents.Limits,
        written: str | None = None,
    ) -> None:
        self._known, self._options = known, options
        self._stdin_name, self._limits, self._written = stdin_name, limits, written
        self.is_remote = False

    def items(self, paths: tuple[str, ...]) -> Iterator[Item]:
        """Give the items of the report."""
        for name in _files.find(paths, written=self._written):
            if isinstance(name, Unreadable):
                yield name
                continue
            shown = self._stdin_name if name == _files.STDIN else name
            try:
                with _files.opened(name) as file:
                    for document in documents.read_file(file, source=shown, limits=self._limits):
                        yield from self._of(document, shown)
            except (OSError, UnicodeError) as error:
                yield _files.unreadable(shown, error)

    def _of(self, document: documents.Document, name: str) -> Iterator[Item]:
        report = publish_check(document, self._known.state, against=self._known.against, **self._options)
        yield Checked(name, document.index, report.findings, "descriptor", document.text_of)
        yield from self.obstacles(report, name)

    def obstacles(self, report: PublishReport, name: str) -> Iterator[Item]:
        """Give what could not be carried out: no findings, and no pass."""
        for obstacle in report.obstacles:
            self.is_remote = self.is_remote or obstacle.is_remote
            yield Unreadable(name, f"{obstacle.step}-{obstacle.reason}", obstacle.message)


def allowed(lines: tuple[str, ...], path: str | None) -> tuple[str, ...]:
    """Give the lines of --allow and of the file of --allow-file; empty lines and comments are left out.

    Raises:
        click.UsageError: the file cannot be read, or a line is none.
    """
    from skillproto.publishing.allowances import Allowance

    read: list[str] = []
    if path is not None:
        try:
            read = Path(path).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeError):
            raise click.BadParameter(plain(f"{path} could not be read"), param_hint="--allow-file") from None
    given = [line.strip() for line in (*lines, *read) if line.strip() and not line.lstrip().startswith("#")]
    try:
        return tuple(str(Allowance.parse(line)) for line in given)
    except UsageError as error:
        raise click.UsageError(plain(str(error))) from None


def prober(policy: "Callable[[], FetchPolicy]") -> Probe:
    """Make what asks skills at their addresses."""
    from skillproto.publishing.probing import Prober

    made = Prober(policy())
    click.get_current_context().call_on_close(made.close)
    return made
