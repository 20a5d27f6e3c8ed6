"""`diff`: what changed between two versions of a descriptor, and the version that it asks for.

Pure: reads no files, opens no sockets. The same two descriptors always give the same comparison. One that could
not be made raises; it is never a pass.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from skillproto.descriptor import Descriptor
from skillproto.errors import ErrorCode, SkillError, ValidationFailed, VersionIncompatible
from skillproto.publishing.comparison.changes import Change, Comparison, change, in_level_order
from skillproto.publishing.comparison.excuses import excuse
from skillproto.publishing.comparison.members import all_changes
from skillproto.publishing.comparison.parts import is_equal
from skillproto.rules.members import IGNORE_MEMBER
from skillproto.rules.protocol import OUR_MAJOR, incompatible, major_of
from skillproto.rules.subject import Subject, is_bounded
from skillproto.validation.budget import Budget
from skillproto.validation.shown import shown
from skillproto.violations import JSONValue, Violation

if TYPE_CHECKING:
    from skillproto.rules.config import RuleConfig

WORK = 20_000
"""Steps that all schemas of a comparison may take together, besides those that grow with the number of inputs.

What is not compared then is undecided.
"""

_WORK_PER_INPUT = 100
_MOST_WORK = 200_000


def diff(
    old: JSONValue, new: JSONValue, *, allow_undecided: bool = False, config: "RuleConfig | None" = None
) -> Comparison:
    """Compare two versions of a descriptor and classify every change.

    A change is breaking when a call that worked may fail, or an output may come that never came before;
    compatible when neither can be; cosmetic when only people see it. Schemas are compared by the values that they
    allow. Where that cannot be decided, the change says so and counts as breaking.

    Args:
        old: the descriptor that callers know, a parsed JSON value; it is not changed.
        new: the descriptor that is to come, likewise.
        allow_undecided: count what cannot be decided as compatible.
        config: rules that are off, and whether the new descriptor may excuse itself with
            `x-skillproto-ignore`; None means all rules, and that it may.

    Returns:
        The changes, breaking ones first, and the version that they need. A descriptor of a foreign protocol
        beside one of ours gives one change, and nothing else is compared.

    Raises:
        ValidationFailed: one of the two is no valid descriptor; `details` has `which`, "old" or "new".
        VersionIncompatible: both are written for a protocol that is not understood here.

    Source: SemVer 2.0.0; SSP, version negotiation.

    >>> import json, pathlib
    >>> old = json.loads(pathlib.Path("examples/translate.json").read_text())
    >>> new = {**old, "version": "1.5.0", "inputs": old["inputs"][:2]}
    >>> found = diff(old, new)
    >>> [(each.rule, each.pointer) for each in found.changes], found.least_version
    ([('diff/input-removed', '/inputs/2')], '2.0.0')
    """
    foreign = _foreign(old, new)
    if foreign is not None:
        return foreign
    _require_valid(old, "old")
    _require_valid(new, "new")
    found = [_allowed(each) if allow_undecided else each for each in _changes(old, new)]
    kept, excused, stale = excuse(new, found, config)
    return _comparison(old, new, kept, excused, stale)


def _changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    work = WORK + _WORK_PER_INPUT * (len(old["inputs"]) + len(new["inputs"]))
    found = list(all_changes(old, new, Budget(min(work, _MOST_WORK))))
    if not found and not is_equal(_contract(old), _contract(new)):
        found = [change("rewritten", "", "The descriptor says the same in other words")]
    yield from in_level_order(iter(found))


def _contract(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if name not in ("version", IGNORE_MEMBER)}


def _allowed(found: Change) -> Change:
    return found if found.decided else found._replace(level="compatible")


def _comparison(
    old: dict[str, Any],
    new: dict[str, Any],
    changes: Iterable[Change],
    excused: Iterable[Change] = (),
    stale: Iterable[Violation] = (),
) -> Comparison:
    ordered = in_level_order(iter(changes))
    versions = (old["version"], new["version"])
    return Comparison(old["id"], new["id"], *versions, ordered, tuple(excused), tuple(stale))


def _require_valid(document: JSONValue, which: str) -> None:
    if not is_bounded(document):
        raise _invalid(which, ValidationFailed("VALIDATION_ERROR", "The descriptor is nested too deeply"))
    try:
        Descriptor.load(document)
    except ValidationFailed as error:
        raise _invalid(which, error) from error


def _invalid(which: str, error: ValidationFailed) -> ValidationFailed:
    message = f"The {which} descriptor is not valid, so that nothing can be compared"
    made = ValidationFailed(ErrorCode.VALIDATION_ERROR, message, details={**error.details, "which": which})
    made.violations = error.violations
    return made


def _foreign(old: JSONValue, new: JSONValue) -> Comparison | None:
    """Tell a descriptor of a protocol that is not understood here as the one change that matters."""
    majors = [major_of(Subject(document).member("protocol", "version")) for document in (old, new)]
    if majors in ([OUR_MAJOR, OUR_MAJOR], [None, None]) or None in majors:
        return None
    if OUR_MAJOR not in majors:
        raise _not_understood(old)
    which, foreign, ours = ("old", old, new) if majors[0] != OUR_MAJOR else ("new", new, old)
    _require_valid(ours, "new" if which == "old" else "old")
    violation = next(iter(incompatible.check(Subject(foreign)))) if incompatible.check else None
    message = f"The protocol goes from major version {majors[0]} to {majors[1]}, and nothing else can be compared"
    versions = [shown(document["protocol"]["version"]) for document in (old, new)]
    hint = violation.hint if violation else None
    told = change("protocol-major", "/protocol/version", message, before=versions[0], after=versions[1], hint=hint)
    return _comparison(_named(old), _named(new), [told])


def _named(document: JSONValue) -> dict[str, str]:
    """Give id and version of a document that may be of another protocol; what is not there is empty."""
    from skillproto.versions import is_version

    name, version = document.get("id"), document.get("version")
    is_usable = isinstance(version, str) and is_version(version)
    return {"id": name if isinstance(name, str) else "", "version": version if is_usable else "0.0.0"}


def _not_understood(document: JSONValue) -> SkillError:
    violation = next(iter(incompatible.check(Subject(document)))) if incompatible.check else None
    message = "Both descriptors are written for a protocol that is not understood here"
    return VersionIncompatible(VersionIncompatible.code, message, details=violation.details if violation else {})
