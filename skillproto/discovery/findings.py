"""Turn what a domain answered into findings. Pure: what was fetched comes in, verdicts go out.

A finding is about what the domain publishes. What could not be carried out, a host that does not answer
or is out of order, is a failure instead: it says nothing about the skill.
"""

from typing import Literal, NamedTuple

from skillproto.discovery.failures import FetchError
from skillproto.discovery.replies import Fetched
from skillproto.rules.listing import CONTENT_TYPE, DESCRIPTOR_MISSING, PRIVATE_LISTED
from skillproto.validation.shown import shown
from skillproto.violations import JSONValue, Violation

COMPARED = ("id", "name", "version", "capability_type", "description", "access")
"""What an entry of an index repeats of its descriptor."""

What = Literal["index", "descriptor"]

_GONE = frozenset({404, 410})
_ASKS_FOR_CREDENTIALS = frozenset({401, 403, 407})
_MEDIA_TYPES = {
    "index": ("application/json",),
    "descriptor": ("application/json", "application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"),
}
_SHORT = 100


class Verdict(NamedTuple):
    """What an answer without a document means: a finding, or a failure that says nothing about the skill."""

    finding: Violation | None = None
    failure: FetchError | None = None


def missing_index(message: str, url: str) -> Violation:
    """Make the finding of a domain without an index.

    >>> missing_index("There is none", "https://a.example/.well-known/skill-sharing").rule
    'publish/index-missing'
    """
    return Violation("", "an index of skills as JSON", url, message, "publish/index-missing")


def judge_status(fetched: Fetched, what: What, *, access: str = "public", showed_credentials: bool = False) -> Verdict:
    """Judge a status that brings no document; an empty verdict for one that does.

    Args:
        fetched: the reply.
        what: was asked for.
        access: of the skill, as its entry says.
        showed_credentials: whether the request carried any.
    """
    status = fetched.status
    if status == 200:
        return Verdict()
    if status in _GONE and access == "private" and not showed_credentials:
        return Verdict(failure=_failed("credentials", f"The host answers {status}, as to everybody", fetched))
    if status in _GONE:
        return Verdict(_absent(what, f"The address answers {status}: there is nothing", fetched))
    if status in _ASKS_FOR_CREDENTIALS:
        if showed_credentials or (what == "descriptor" and access != "public"):
            message = f"The host answers {status}: {'these' if showed_credentials else 'it wants'} credentials"
            return Verdict(failure=_failed("credentials", message + (" are not enough" * showed_credentials), fetched))
        return Verdict(_absent(what, f"The address answers {status}: it asks for credentials", fetched))
    if status >= 500 or status in (408, 425, 429):
        return Verdict(failure=_failed("status", f"The host answers {status}; ask again later", fetched))
    return Verdict(_absent(what, f"The address answers {status} instead of 200", fetched))


def _failed(reason: str, message: str, fetched: Fetched) -> FetchError:
    error = FetchError("probe/unreachable", reason, message, url=fetched.final_url, body=fetched.body)
    error.chain = fetched.chain
    return error


def _absent(what: What, message: str, fetched: Fetched) -> Violation:
    if what == "index":
        return missing_index(message, fetched.final_url)
    return DESCRIPTOR_MISSING.found("", "a descriptor", fetched.final_url, message)


def judge_page(fetched: Fetched, what: What) -> Violation | None:
    """Find a page for people where a document should be; None for anything else."""
    if fetched.body.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"<":
        return None
    return _absent(what, "The address answers with a page for people", fetched)


def judge_type(fetched: Fetched, what: What) -> Violation | None:
    """Find a media type that says something else than what the body is."""
    given = fetched.media_type
    wanted = _MEDIA_TYPES[what]
    if given in wanted or given.endswith(("+json", "+yaml")[: len(wanted)]):
        return None
    message = f"The {what} is served as {given[:_SHORT]}" if given else f"The {what} is served without a type"
    return CONTENT_TYPE.found("", f"Content-Type: {wanted[0]}", given or None, message)


def judge_listed(entries: JSONValue) -> list[Violation]:
    """Find private skills in an index that was asked for without credentials.

    >>> [found.field for found in judge_listed([{"access": "public"}, {"id": "a.b.c", "access": "private"}])]
    ['/skills/1/access']
    """
    if not isinstance(entries, list):
        return []
    return [
        PRIVATE_LISTED.found(
            f"/skills/{i}/access",
            "public or restricted, in what everybody may read",
            "private",
            "A private skill is listed without credentials",
            hint="List it for those alone who show credentials, or make it restricted",
        )
        for i, entry in enumerate(entries)
        if isinstance(entry, dict) and entry.get("access") == "private"
    ]


def served_openly(url: str) -> Violation:
    """Make the finding of a private skill whose descriptor everybody may read."""
    message = "The descriptor of a private skill is served without credentials"
    return PRIVATE_LISTED.found("/access", "401 or 404 without credentials", url, message)


def disagreements(entry: JSONValue, descriptor: JSONValue, field: str = "") -> list[Violation]:
    """Compare an entry of an index with the descriptor that it leads to, member by member.

    Args:
        entry: of the index.
        descriptor: as it was fetched.
        field: JSON Pointer to the entry in its index; stands in `details`.

    Returns:
        A finding for each member that differs, at its place in the descriptor. A member that one of
        the two lacks is left to the schema.

    >>> [found.message for found in disagreements({"version": "1.0.0"}, {"version": "2.0.0"}, "/skills/0")]
    ['The index lists the skill with another version']
    """
    if not isinstance(entry, dict) or not isinstance(descriptor, dict):
        return []
    return [
        Violation(
            f"/{name}",
            f"what the index says: {str(shown(entry[name]))[:_SHORT]}",
            shown(descriptor[name]),
            f"The index lists the skill with another {name}",
            "publish/index-mismatch",
            hint="Change the one that is behind",
            details={"entry": f"{field}/{name}"},
        )
        for name in COMPARED
        if name in entry and name in descriptor and entry[name] != descriptor[name]
    ]
