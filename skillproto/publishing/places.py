"""Whose an id and an address are, and what the provider's index says: the rules about names and places."""

from collections.abc import Iterator, Mapping
from typing import Any

from skillproto.publishing._reading import endpoint_of
from skillproto.publishing.likeness import namespace_of
from skillproto.publishing.published import Published
from skillproto.publishing.state import RegistryState, Versions
from skillproto.redaction import safe_url
from skillproto.rules import publishing as rules
from skillproto.validation.shown import short_text
from skillproto.violations import JSONValue, Severity, Violation

_COMPARED = ("name", "capability_type", "description", "access")
_MOST_HOLDERS = 5

Descriptor = Mapping[str, Any]


def taken(
    descriptor: Descriptor, state: RegistryState, known: Versions | None, publisher: str | None
) -> Iterator[Violation]:
    """Find an id, a name or an address that somebody else holds; `known` are the versions of its id."""
    for field in ("id", "name"):
        text = descriptor.get(field)
        held = state.taken(text) if isinstance(text, str) else None
        if held is not None and (publisher is None or held.holder != publisher):
            yield _taken(f"/{field}", str(text), f"This {field} is taken", held.holder, held.state)
    skill_id = descriptor.get("id")
    if known is not None:
        yield from _whose(str(skill_id), state, known, publisher)
    yield from _addresses(descriptor, state, publisher)


def _whose(skill_id: str, state: RegistryState, known: Versions, publisher: str | None) -> Iterator[Violation]:
    if not known:
        yield from _alike(skill_id, state)
        return
    newest = known.newest() if publisher is not None else None
    if newest is not None and newest.holder not in (None, publisher):
        yield _taken("/id", skill_id, "This id is somebody else's", newest.holder, newest.state, newest)


def _alike(skill_id: str, state: RegistryState) -> Iterator[Violation]:
    for other, same_but_case in state.alike(skill_id):
        words = "differs from this one in the case of its letters alone" if same_but_case else "looks like this one"
        message = f"`{short_text(other.id, 100)}` {words}"
        severity: Severity = "error" if same_but_case else "warning"
        yield _taken("/id", skill_id, message, other.holder, other.state, other, severity)


def _addresses(descriptor: Descriptor, state: RegistryState, publisher: str | None) -> Iterator[Violation]:
    url = endpoint_of(descriptor)
    told = 0
    for other in state.at_address(url, str(descriptor.get("id"))) if url else ():
        if publisher is not None and other.holder == publisher:
            continue
        told += 1
        if told > _MOST_HOLDERS:
            return
        message = f"`{short_text(other.id, 100)}` holds this address"
        yield _taken("/endpoint/url", safe_url(str(url)), message, other.holder, other.state, other)


def _taken(
    field: str,
    actual: str,
    message: str,
    holder: str | None,
    state: str,
    other: Published | None = None,
    severity: Severity = "error",
) -> Violation:
    who = short_text(holder, 60) if holder else "not named"
    about: dict[str, JSONValue] = {} if other is None else {"id": other.id, "version": other.version}
    return rules.ID_TAKEN.found(
        field,
        "what nobody else holds",
        actual,
        f"{message}; its holder is {who}, its state {short_text(state, 40)}",
        severity=severity,
        details={**about, "holder": holder, "state": state},
    )


def index_says(descriptor: Descriptor, state: RegistryState) -> Iterator[Violation]:
    """Compare the entry of the provider's index with the descriptor."""
    skill_id = str(descriptor.get("id"))
    entries = state.listed(skill_id)
    if entries is None or (not entries and descriptor.get("access") == "private"):
        return
    if not entries:
        message = "The provider's index does not list this skill"
        yield rules.INDEX_MISSING.found("/id", "an id that the index lists", skill_id, message)
        return
    same = [entry for entry in entries if entry.get("version") == descriptor.get("version")]
    if not same:
        yield _mismatch("version", entries[-1].get("version"), descriptor, "warning")
        return
    for name in _COMPARED:
        if same[-1].get(name) != descriptor.get(name):
            yield _mismatch(name, same[-1].get(name), descriptor, "error")


def _mismatch(name: str, told: JSONValue, descriptor: Descriptor, severity: Severity) -> Violation:
    return rules.INDEX_MISMATCH.found(
        f"/{name}",
        f"what the index says: {short_text(str(told), 100)}",
        descriptor.get(name),
        f"The entry in the provider's index has another {name}",
        severity=severity,
        hint="Change the one that is behind",
    )


def too_many(skill_id: str, state: RegistryState, known: Versions) -> Iterator[Violation]:
    """Find a namespace with more skills than an agent can choose among."""
    namespace = namespace_of(skill_id)
    found = skill_count(state.count_in(namespace) + (not known), "/id", namespace)
    if found is not None:
        yield found


def skill_count(count: int, field: str, whose: str) -> Violation | None:
    """Judge a number of skills that are offered together; None where it is fine.

    >>> [getattr(skill_count(n, "", "com.example"), "severity", None) for n in (7, 8, 15)]
    [None, 'info', 'warning']
    """
    if count < rules.MANY_SKILLS:
        return None
    severity: Severity = "warning" if count >= rules.FAR_TOO_MANY_SKILLS else "info"
    return rules.TOO_MANY_SKILLS.found(
        field,
        f"fewer than {rules.MANY_SKILLS} skills together",
        count,
        f"`{short_text(whose, 100)}` offers {count} skills: a model that sees all of them chooses with errors",
        severity=severity,
        hint="Join those that differ in a parameter, or part the namespace by subject",
    )


def bare_optional(descriptor: Descriptor) -> Iterator[Violation]:
    """Find parameters that may be left out, and refuse the null that models send for that."""
    inputs = descriptor.get("inputs")
    for i, parameter in enumerate(inputs if isinstance(inputs, list) else ()):
        if not isinstance(parameter, dict) or parameter.get("required") is True or "schema" in parameter:
            continue
        choices = parameter.get("enum")
        if isinstance(choices, list) and None in choices:
            continue
        yield rules.OPTIONAL_REFUSES_NULL.found(
            f"/inputs/{i}",
            "a parameter that accepts null, or is required",
            None,
            "The parameter is optional and refuses null, which models send for what they leave out",
            hint=_way_to_null(parameter),
        )


def _way_to_null(parameter: dict[str, Any]) -> str:
    if "enum" in parameter:
        return "Add null to its enum, or make it required"
    return f'Add "schema": {{"type": ["{short_text(str(parameter.get("type")), 20)}", "null"]}}, or make it required'
