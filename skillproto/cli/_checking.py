"""Check files one after the other, and turn whatever happens to one into an item of the report."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from skillproto import documents, rules
from skillproto.cli import _files
from skillproto.reports import Checked, Item, Unreadable
from skillproto.validation import Engine
from skillproto.violations import Violation

if TYPE_CHECKING:
    from skillproto.rules import Baseline, RuleConfig


def _nothing(path: str) -> bool:
    return False


class Check(NamedTuple):
    """How to check; the same for every file of a run.

    Attributes:
        schema: what the documents are checked as.
        engine: "auto" or "reference".
        stdin_name: how the standard input is called.
        config: which rules count; None means all.
        is_excluded: says which files of a directory are passed over.
        baseline: the findings that are let pass; None means none.
        baseline_path: where the baseline lies.
        limits: how large and how deep a text may be.
        written: the file that the report goes into, and which is not checked; None for none.
    """

    schema: str = "descriptor"
    engine: Engine = "auto"
    stdin_name: str = "<stdin>"
    config: "RuleConfig | None" = None
    is_excluded: Callable[[str], bool] = _nothing
    baseline: "Baseline | None" = None
    baseline_path: str = ""
    limits: documents.Limits = documents.Limits()
    written: str | None = None

    def all(self, paths: Iterable[str]) -> Iterator[Item]:
        """Check files, directories and the standard input, in their order."""
        for name in _files.find(paths, self.is_excluded, self.written):
            if isinstance(name, Unreadable):
                yield name
            else:
                yield from self._file(name)
        yield from self._stale()

    def _file(self, name: str) -> Iterator[Item]:
        shown = self.stdin_name if name == _files.STDIN else name
        try:
            with _files.opened(name) as file:
                yield from self._documents(file, shown)
        except (OSError, UnicodeError) as error:
            yield _files.unreadable(shown, error)
        except Exception as error:  # one document must not end the run of the others
            from skillproto.cli._crash import describe

            yield Unreadable(shown, "crashed", describe(error))

    def _documents(self, file: BinaryIO, name: str) -> Iterator[Checked]:
        for document in documents.read_file(file, source=name, limits=self.limits):
            found = rules.check_document(document, schema=self.schema, engine=self.engine, config=self.config)
            yield Checked(name, document.index, tuple(self._new(name, found)), self.schema, document.text_of)

    def _new(self, name: str, found: list[Violation]) -> list[Violation]:
        return found if self.baseline is None else self.baseline.keep_new(name, found)

    def _stale(self) -> Iterator[Checked]:
        stale = self.baseline.stale() if self.baseline is not None else []
        if stale:
            yield Checked(self.baseline_path, 0, tuple(stale), "baseline")
