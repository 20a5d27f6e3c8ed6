"""Check many documents, one after the other or from many threads, in flat memory."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from skillproto.documents import Document, Limits, read_file
from skillproto.rules.run import Engine, check_document, validate
from skillproto.validation import schema_path
from skillproto.violations import JSONValue, Violation

if TYPE_CHECKING:
    from skillproto.rules.config import RuleConfig

Source = str | os.PathLike[str] | JSONValue


@dataclass(frozen=True, slots=True)
class Validated:
    """What became of one document of many.

    Attributes:
        source: the path that it came from, or its place among the documents given, as "#0".
        index: its place within a text of several documents, from 0.
        document: the parsed value; None where there is none.
        violations: what is wrong with it, in document order.
        unreadable: why its file could not be read, or None.
    """

    source: str
    index: int
    document: JSONValue
    violations: tuple[Violation, ...] = ()
    unreadable: str | None = None

    @property
    def is_valid(self) -> bool:
        """Whether it was read and has no finding of severity "error".

        >>> Validated("a.json", 0, None, unreadable="FileNotFoundError").is_valid
        False
        """
        return self.unreadable is None and all(violation.severity != "error" for violation in self.violations)


class Validator:
    """Checks documents by one choice of schema, engine, rules and limits; threads may share it.

    Args:
        schema: name of a shipped schema.
        engine: as for `validate`.
        config: which rules to run; None runs all.
        limits: how large and how deep a text may be.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    >>> Validator().validate({"id": 5})[0].field
    '/access'
    """

    def __init__(
        self,
        schema: str = "descriptor",
        *,
        engine: Engine = "auto",
        config: "RuleConfig | None" = None,
        limits: Limits | None = None,
    ) -> None:
        schema_path(schema)
        self._schema = schema
        self._engine: Engine = engine
        self._config = config
        self._limits = limits or Limits()

    def validate(self, document: JSONValue) -> list[Violation]:
        """Check one parsed document; see `validate`."""
        return validate(document, schema=self._schema, engine=self._engine, config=self._config)

    def check(self, document: Document) -> list[Violation]:
        """Check one document that was read from a text; see `check_document`."""
        return check_document(document, schema=self._schema, engine=self._engine, config=self._config)

    def validate_file(self, path: str | os.PathLike[str]) -> Iterator[Validated]:
        """Check each document of a file as it is read; a file that cannot be read gives one result that says so."""
        name = os.fspath(path)
        try:
            with open(name, "rb") as file:  # noqa: PTH123 - pathlib would be imported for this alone
                yield from self._documents(file, name)
        except OSError as error:
            yield Validated(name, 0, None, unreadable=error.strerror or type(error).__name__)

    def validate_many(self, sources: Iterable[Source]) -> Iterator[Validated]:
        """Check paths and parsed documents, in their order; each is taken when the one before is done."""
        for place, source in enumerate(sources):
            if isinstance(source, str | os.PathLike):
                yield from self.validate_file(source)
            else:
                yield Validated(f"#{place}", 0, source, tuple(self.validate(source)))

    def _documents(self, file: BinaryIO, name: str) -> Iterator[Validated]:
        for document in read_file(file, source=name, limits=self._limits):
            yield Validated(name, document.index, document.value, tuple(self.check(document)))


def validate_many(
    sources: Iterable[Source],
    schema: str = "descriptor",
    *,
    engine: Engine = "auto",
    config: "RuleConfig | None" = None,
    limits: Limits | None = None,
) -> Iterator[Validated]:
    """Check many documents and give each result as it comes, in flat memory.

    Args:
        sources: paths (a text is taken for a path) and parsed documents, mixed as you like;
            an endless iterator is fine. A file of several documents gives several results.
        schema: name of a shipped schema.
        engine: as for `validate`.
        config: which rules to run; None runs all.
        limits: how large and how deep a text may be; None means the defaults.

    Yields:
        A `Validated` for each document, in order. A file that cannot be read is a result too.

    Raises:
        UnknownSchemaError: no shipped schema has this name.

    >>> [len(result.violations) > 0 for result in validate_many([{"id": 5}, "examples/translate.json"])]
    [True, False]
    """
    return Validator(schema, engine=engine, config=config, limits=limits).validate_many(sources)
