"""Compare a descriptor with the version before it; what could not be compared is never called compatible."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from skillproto.errors import SkillError
from skillproto.publishing import versions
from skillproto.publishing._reading import of_descriptor
from skillproto.publishing._surely import is_surely_compatible
from skillproto.publishing.allowances import Allowance
from skillproto.publishing.obstacles import NotCarriedOut, Obstacle
from skillproto.publishing.published import Published, parsed, precedence_of
from skillproto.publishing.state import RegistryState, Versions
from skillproto.rules import publishing as rules
from skillproto.violations import JSONValue, Violation, resolve

if TYPE_CHECKING:
    from skillproto.publishing.comparison import Change
    from skillproto.rules import RuleConfig

Load = Callable[[str, str], JSONValue]
Against = JSONValue | Load | None

_MOST_BREAKS = 100


class Compared(NamedTuple):
    """What became of the comparison.

    Attributes:
        findings: about the id and the version, and each break.
        obstacles: why nothing could be compared.
        base: the version that was compared with, or None.
    """

    findings: tuple[Violation, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    base: str | None = None


def compared(
    descriptor: Mapping[str, Any],
    known: Versions | None,
    against: Against,
    config: "RuleConfig",
    *,
    may_compare: bool,
) -> Compared:
    """Compare with what is published: the version first, then the contract.

    Args:
        descriptor: the new one.
        known: the published versions of its id; None where no state is given.
        against: the previous descriptor, a function that gives published ones, or None.
        config: which changes count, and whether the descriptor may excuse itself from some.
        may_compare: whether the descriptor fits its schema, so that it has a contract.
    """
    load = against if callable(against) else None
    previous = None if load is not None else against
    if previous is not None:
        return _with_previous(descriptor, known, previous, config, may_compare=may_compare)
    version = descriptor.get("version")
    new = parsed(version) if isinstance(version, str) else None
    if not known or new is None:
        return Compared()
    found = tuple(versions.against_published(str(version), known))
    base = _base(known, str(version), new.major)
    if base is None or not may_compare:
        return Compared(found)
    return _with_base(descriptor, base, load, config, found)


def _with_previous(
    descriptor: Mapping[str, Any],
    published: Versions | None,
    previous: JSONValue,
    config: "RuleConfig",
    *,
    may_compare: bool,
) -> Compared:
    known = of_descriptor(previous)
    if known is None:
        message = "What was given to compare with is no descriptor: it has no id and version"
        return Compared(obstacles=(Obstacle("comparison", "no-descriptor", message),))
    version = descriptor.get("version")
    found = list(_id_changed(descriptor.get("id"), known))
    new = version if isinstance(version, str) and parsed(version) is not None else None
    if new is not None:
        own = published if published and descriptor.get("id") == known.id else None
        found += versions.against_published(new, own or RegistryState([known]).versions(known.id))
    if not may_compare or new is None or not _promises(known.version, new):
        return Compared(tuple(found))
    return _breaks(descriptor, known, config, tuple(found))


def _with_base(
    descriptor: Mapping[str, Any],
    base: Published,
    load: Load | None,
    config: "RuleConfig",
    found: tuple[Violation, ...],
) -> Compared:
    old = base.descriptor
    if old is None and load is not None:
        try:
            old = load(base.id, base.version)
        except NotCarriedOut as error:
            return Compared(found, (error.obstacle,))
        except Exception as error:  # whatever the registry's own storage raises is no word about the descriptor
            message = f"The descriptor of {base.id} {base.version} could not be loaded ({type(error).__name__})"
            return Compared(found, (Obstacle("comparison", "not-loaded", message),))
    if old is None:
        message = f"{base.id} {base.version} is published, but its descriptor is not at hand to compare with"
        return Compared(found, (Obstacle("comparison", "no-descriptor", message),))
    return _breaks(descriptor, base._replace(descriptor=old), config, found)


def _breaks(
    descriptor: Mapping[str, Any], base: Published, config: "RuleConfig", found: tuple[Violation, ...]
) -> Compared:
    old = base.descriptor
    if is_surely_compatible(old, descriptor):
        return Compared(found, (), base.version)
    try:
        from skillproto.publishing.comparison import diff

        breaks = diff(old, descriptor, config=config).of_level("breaking")
    except Exception as error:  # a comparison that failed must not end as "compatible"
        return Compared(found, (_failed(base, error),))
    told = [_break(change, descriptor, base) for change in breaks[:_MOST_BREAKS]]
    return Compared((*found, *told), (), base.version)


def _failed(base: Published, error: Exception) -> Obstacle:
    why = error.message if isinstance(error, SkillError) else type(error).__name__
    return Obstacle("comparison", "failed", f"{base.id} {base.version} could not be compared with: {why}")


def _break(change: "Change", descriptor: Mapping[str, Any], base: Published) -> Violation:
    bump = "minor" if base.version.startswith("0.") else "major"
    undecided = "" if change.decided else "; it cannot be decided, and counts as a break"
    finding = rules.BREAKING_WITHOUT_MAJOR.found(
        _place(change, descriptor),
        f"a new {bump} version",
        descriptor["version"],
        f"{change.message} (since {base.version}){undecided}",
        details={
            "change": change.rule,
            "at": change.pointer,
            "since": base.version,
            "needs": bump,
            "decided": change.decided,
        },
    )
    line = str(Allowance.of(f"{descriptor['id']}@{descriptor['version']}", finding))
    hint = f"Raise the {bump} version, or let the registry allow it: {line}"
    return finding._replace(hint=hint, details={**finding.details, "allow": line})


def _place(change: "Change", descriptor: Mapping[str, Any]) -> str:
    """Give a pointer into the new descriptor: of what is gone, that of what it was in."""
    at = change.pointer if change.side == "new" else change.pointer.rpartition("/")[0]
    while at:
        try:
            resolve(descriptor, at)
        except (LookupError, ValueError, TypeError):
            at = at.rpartition("/")[0]
        else:
            return at
    return ""


def _id_changed(skill_id: JSONValue, known: Published) -> list[Violation]:
    if not isinstance(skill_id, str) or skill_id == known.id:
        return []
    message = f"The version before, {known.version[:60]}, has the id {known.id[:200]}"
    return [rules.ID_CHANGED.found("/id", known.id[:200], skill_id, message, details={"id": known.id[:200]})]


def _base(known: Versions, version: str, major: int) -> Published | None:
    """Give the last release that a version promises to be compatible with, as far as consumers still find it."""
    below = known.below(precedence_of(version), major)
    return next((each for each in below if each.is_visible and _promises(each.version, version)), None)


def _promises(old: str, new: str) -> bool:
    """Say whether a new version promises, by its number, to break nothing that an old one gave."""
    before, after = parsed(old), parsed(new)
    if before is None or after is None or before.pre or before.major != after.major:
        return False
    return before.major > 0 or before.minor == after.minor
