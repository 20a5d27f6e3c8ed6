"""The rule that comes before all others: whether the document is written for a protocol that is understood."""

import re
from collections.abc import Iterator

from skillproto.rules.model import rule
from skillproto.rules.subject import Subject
from skillproto.versions import PROTOCOL_VERSION, SUPPORTED_RANGE
from skillproto.violations import JSONValue, Violation

_MAJOR = re.compile(r"v?([0-9]{1,9})(?:\.[0-9]{1,9}){0,2}(?:[-+][0-9A-Za-z.+-]{1,100})?")
OUR_MAJOR = int(PROTOCOL_VERSION.partition(".")[0])


@rule(
    "protocol/incompatible",
    "error",
    "The document is written for a version of the protocol that is understood here.",
    source="SSP 9.2 and version negotiation: compatible exactly when the major versions are equal",
    bad='{"protocol": {"version": "2.0.0"}}',
    good='{"protocol": {"version": "1.7.0"}}',
    schemas=("descriptor", "index"),
    why="""Another major version may give every member another meaning, so nothing else is checked: this is the only
    finding for the document. An older document is migrated by bringing it to the current schema and then
    stating the new version; a newer one needs a newer skillproto.""",
)
def incompatible(subject: Subject) -> Iterator[Violation]:
    """Compare the major version that the document states."""
    version = subject.member("protocol", "version")
    major = major_of(version)
    if major is None or major == OUR_MAJOR:
        return
    changelog = subject.member("protocol", "changelog_url")
    yield incompatible.found(
        "/protocol/version",
        SUPPORTED_RANGE,
        version,
        f"The document is written for protocol {major}, and protocol {OUR_MAJOR} is what is understood here",
        hint=_way_out(major),
        details={
            "descriptor_version": str(version),
            "consumer_supported_range": SUPPORTED_RANGE,
            "upgrade_url": changelog if isinstance(changelog, str) else None,
        },
    )


def major_of(version: JSONValue) -> int | None:
    """Give the major version that a text states, also when it is no complete SemVer; None when it states none.

    >>> major_of("2.0.0"), major_of("v0.9"), major_of("latest"), major_of(2)
    (2, 0, None, None)
    """
    match = _MAJOR.fullmatch(version) if isinstance(version, str) else None
    return int(match[1]) if match else None


def _way_out(major: int) -> str:
    if major < OUR_MAJOR:
        return (
            f"Migrate the document: write it anew after the schema of protocol {OUR_MAJOR} "
            f'(skillproto schema descriptor), set protocol.version to "{PROTOCOL_VERSION}", and validate again'
        )
    return (
        f"Upgrade skillproto to a version that understands protocol {major}, "
        f"or ask the provider for a descriptor of {SUPPORTED_RANGE}"
    )
