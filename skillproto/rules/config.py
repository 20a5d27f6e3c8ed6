"""Which rules run and how much each matters, as the command line or a configuration file says.

The file is `skillproto.toml`, or the table `[tool.skillproto]` of `pyproject.toml`; the nearest one
at or above the starting folder counts, alone. Reads that one file, and nothing else.
"""

# ruff: noqa: PTH100, PTH118, PTH119, PTH120, PTH123
# pathlib would be imported for this alone, and start-up is counted in milliseconds
import os.path
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self, get_args

from skillproto.errors import UsageError
from skillproto.violations import JSONValue, Severity, Violation

FILE_NAMES = ("skillproto.toml", "pyproject.toml")
"""Where settings are looked for, the first that exists in a folder counts."""

_LARGEST_FILE_BYTES = 1_000_000
_OFF = "off"


class RuleConfig(NamedTuple):
    """The choice of rules for a run.

    A pattern is the id of a rule, a group such as "descriptor" or "descriptor/*", or "*".

    Attributes:
        select: run only what these patterns name; None means every rule.
        ignore: leave out what these patterns name; it wins over `select`.
        severities: another severity for a rule; it wins over the rule's own.
        suppressions: whether a document may excuse itself from rules with
            `x-skillproto-ignore`; a registry says no.

    >>> config = RuleConfig.parse({"ignore": ["descriptor/id-namespace"], "severity": {"schema/type": "info"}})
    >>> config.is_on("descriptor/id-namespace"), config.is_on("schema/type")
    (False, True)
    """

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    severities: Mapping[str, Severity] = {}
    suppressions: bool = True

    @classmethod
    def parse(cls, table: Mapping[str, JSONValue], *, source: str = "the configuration") -> Self:
        """Read a table with any of `select`, `ignore`, `severity` and `suppressions`.

        Raises:
            UsageError: a key or a rule is not known, or a value has the wrong type; the nearest
                known name is given.

        >>> RuleConfig.parse({"ignore": ["descriptor/insecure-ulr"]})
        Traceback (most recent call last):
            ...
        skillproto.errors.UsageError: the configuration: no rule is called 'descriptor/insecure-ulr'; did you mean
        'descriptor/insecure-url'?
        """
        _refuse_unknown(table, ("select", "ignore", "severity", "suppressions"), source)
        select, ignore = table.get("select"), table.get("ignore", [])
        severities = table.get("severity", {})
        if not isinstance(severities, Mapping):
            raise UsageError(f"{source}: severity must map rules to error, warning, info or off")
        off = [name for name, level in severities.items() if level == _OFF]
        suppressions = table.get("suppressions", True)
        if not isinstance(suppressions, bool):
            raise UsageError(f"{source}: suppressions must be true or false")
        return cls(
            None if select is None else _patterns(select, f"{source}: select"),
            _patterns(ignore, f"{source}: ignore") + _patterns(off, f"{source}: severity"),
            _severities(severities, source),
            suppressions,
        )

    @classmethod
    def for_publishing(cls) -> Self:
        """Give the choice of a registry: every rule, no excuses, and no address that only some can reach.

        >>> config = RuleConfig.for_publishing()
        >>> config.suppressions, config.severities["descriptor/private-address"]
        (False, 'error')
        """
        return cls(severities={"descriptor/private-address": "error"}, suppressions=False)

    def is_on(self, rule: str) -> bool:
        """Say whether findings of a rule are wanted.

        >>> RuleConfig(select=("schema",)).is_on("schema/type"), RuleConfig(ignore=("*",)).is_on("schema/type")
        (True, False)
        """
        return (self.select is None or matches(rule, self.select)) and not matches(rule, self.ignore)

    def is_ignored(self, rule: str) -> bool:
        """Say whether a rule is turned off by name.

        >>> RuleConfig(ignore=("schema/*",)).is_ignored("schema/type"), RuleConfig(select=()).is_ignored("schema/type")
        (True, False)
        """
        return matches(rule, self.ignore)

    def apply(self, findings: Iterable[Violation]) -> list[Violation]:
        """Leave out what is not wanted, and give each finding its severity.

        >>> v = Violation("/a", "x", 1, "m", "schema/type")
        >>> RuleConfig(severities={"schema/type": "info"}).apply([v])[0].severity
        'info'
        """
        return self.with_severities(finding for finding in findings if self.is_on(finding.rule))

    def with_severities(self, findings: Iterable[Violation]) -> list[Violation]:
        """Give each finding its severity and leave none out.

        >>> v = Violation("", "x", 1, "m", "document/syntax")
        >>> RuleConfig(select=(), severities={"document": "warning"}).with_severities([v])[0].severity
        'warning'
        """
        if not self.severities:
            return list(findings)
        return [self._with_severity(finding) for finding in findings]

    def _with_severity(self, finding: Violation) -> Violation:
        severity = self._severity(finding)
        return finding if severity == finding.severity else finding._replace(severity=severity)

    def _severity(self, finding: Violation) -> Severity:
        exact = self.severities.get(finding.rule)
        if exact is not None:
            return exact
        return next(
            (level for name, level in self.severities.items() if matches(finding.rule, (name,))), finding.severity
        )


class Settings(NamedTuple):
    """What a configuration file says.

    Attributes:
        rules: the choice of rules.
        baseline: path of the baseline of known findings, relative paths counted from the file; or None.
        exclude: patterns of paths that are not checked.
        path: the file itself, or None when there is none.
    """

    rules: RuleConfig = RuleConfig()
    baseline: str | None = None
    exclude: tuple[str, ...] = ()
    path: str | None = None

    @classmethod
    def parse(cls, table: Mapping[str, JSONValue], *, path: str | None = None) -> Self:
        """Read the table of a configuration file.

        Raises:
            UsageError: as for `RuleConfig.parse`.

        >>> Settings.parse({"exclude": ["vendor/*"], "select": ["schema"]}).exclude
        ('vendor/*',)
        """
        source = path or "the configuration"
        own = ("baseline", "exclude")
        _refuse_unknown(table, ("select", "ignore", "severity", "suppressions", *own), source)
        baseline, exclude = table.get("baseline"), table.get("exclude", [])
        if baseline is not None and not isinstance(baseline, str):
            raise UsageError(f"{source}: baseline must be a path")
        if baseline is not None and path is not None:
            baseline = os.path.join(os.path.dirname(path), baseline)
        rules = RuleConfig.parse({key: value for key, value in table.items() if key not in own}, source=source)
        return cls(rules, baseline, _texts(exclude, f"{source}: exclude"), path)


def find_settings(start: str = ".") -> Settings:
    """Read the nearest configuration file at or above a folder; without one, everything is at its default.

    Raises:
        UsageError: the file cannot be read, is no TOML, or says something that is not understood.

    >>> import tempfile
    >>> find_settings(tempfile.mkdtemp()).rules == RuleConfig()
    True
    """
    folder = os.path.abspath(start)
    while True:
        for name in FILE_NAMES:
            path = os.path.join(folder, name)
            table = read_settings(path, is_optional=True)
            if table is not None:
                return Settings.parse(table, path=path)
        parent = os.path.dirname(folder)
        if parent == folder:
            return Settings()
        folder = parent


def read_settings(path: str, *, is_optional: bool = False) -> dict[str, Any] | None:
    """Read the table of one file: all of it, or `[tool.skillproto]` where the file is a pyproject.toml.

    Returns:
        The table; None where the file, or the table in it, is not there and `is_optional`.

    Raises:
        UsageError: the file cannot be read or is no TOML, or is missing and not optional.
    """
    is_shared = os.path.basename(path) == "pyproject.toml"
    try:
        with open(path, "rb") as file:
            data = file.read(_LARGEST_FILE_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
        if is_optional:
            return None
        raise UsageError(f"{path}: there is no such file") from error
    except OSError as error:
        raise UsageError(f"{path}: the file cannot be read ({error.strerror})") from error
    if is_shared and is_optional and b"skillproto" not in data:
        return None  # spares every other project the import of a TOML reader
    table = _toml(data, path)
    if not is_shared:
        return table
    tools = table.get("tool")
    own = tools.get("skillproto") if isinstance(tools, dict) else None
    if own is None and not is_optional:
        return {}
    if own is not None and not isinstance(own, dict):
        raise UsageError(f"{path}: tool.skillproto must be a table")
    return own


def _toml(data: bytes, path: str) -> dict[str, Any]:
    import tomllib

    if len(data) > _LARGEST_FILE_BYTES:
        raise UsageError(f"{path}: the file is larger than {_LARGEST_FILE_BYTES} bytes")
    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{path}: the file is not valid TOML in UTF-8 ({str(error)[:100]})") from error


def matches(rule: str, patterns: Iterable[str]) -> bool:
    """Say whether one of the patterns names a rule.

    >>> matches("schema/type", ["schema/*"]), matches("schema/type", ["schema"]), matches("schema/type", ["index"])
    (True, True, False)
    """
    group = rule.partition("/")[0]
    return any(pattern in (rule, group, f"{group}/*", "*") for pattern in patterns)


def check_pattern(pattern: str, source: str) -> str:
    """Give a pattern back when it names a rule or a group.

    Raises:
        UsageError: it names none; the nearest is given.

    >>> check_pattern("schema/*", "here")
    'schema/*'
    """
    from skillproto.rules.catalogue import CATALOGUE, GROUPS, nearest_rule

    if pattern == "*" or pattern in CATALOGUE or pattern.removesuffix("/*") in GROUPS:
        return pattern
    near = nearest_rule(pattern)
    raise UsageError(f"{source}: no rule is called {pattern[:80]!r}" + (f"; did you mean {near!r}?" if near else ""))


def _patterns(value: JSONValue, source: str) -> tuple[str, ...]:
    return tuple(check_pattern(text, source.rpartition(":")[0]) for text in _texts(value, source))


def _texts(value: JSONValue, source: str) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise UsageError(f"{source} must be a list of texts")
    return tuple(value)


def _severities(table: Mapping[str, JSONValue], source: str) -> dict[str, Severity]:
    levels = get_args(Severity)
    for name, level in table.items():
        if level not in (*levels, _OFF):
            raise UsageError(f"{source}: severity of {name} must be one of: {', '.join((*levels, _OFF))}")
        check_pattern(name, source)
    return {name: level for name, level in table.items() if level != _OFF}


def _refuse_unknown(table: Mapping[str, JSONValue], known: tuple[str, ...], source: str) -> None:
    from skillproto.validation.names import nearest

    for name in table:
        if name not in known:
            near = nearest(str(name), known)
            hint = f"did you mean {near!r}?" if near else f"there are: {', '.join(known)}"
            raise UsageError(f"{source}: no setting is called {str(name)[:80]!r}; {hint}")
