"""One JSON value in, one JSON value out: the check for registries that are written in other languages.

The forms are `schemas/publish/1/request.json` and `reply.json`. Pure but for a prober that is passed in.
"""

import binascii
import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar

from skillproto.documents import Document, Limits, read
from skillproto.errors import UsageError
from skillproto.publishing.allowances import Allowance
from skillproto.publishing.check import Probe, publish_check
from skillproto.publishing.report import FORMAT_VERSION, PublishReport
from skillproto.publishing.state import RegistryState
from skillproto.rules import RULE_PACK_VERSION
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from skillproto.publishing._comparing import Against

_MEMBERS = ("format_version", "descriptor", "text", "base64", "filename", "state", "against", "options")
_OPTIONS = ("publisher", "proofs", "allow", "probe")
_SOURCES = ("descriptor", "text", "base64")
_LONGEST_NAME = 200
MOST_DOCUMENTS = 1_000
"""That one request may hold; each is answered with a report."""

T = TypeVar("T")


class CheckRequest(NamedTuple):
    """What is asked.

    Attributes:
        documents: what is to be checked; a text may hold several.
        state: what the registry knows, or None.
        against: the descriptor of the version before, or None.
        publisher: who wants to publish, or None.
        proofs: namespaces that are proven besides those of the state.
        allow: lines that let a finding pass.
        probe: whether the skill is to be asked at its addresses.
    """

    documents: tuple[Document, ...]
    state: RegistryState | None = None
    against: JSONValue = None
    publisher: str | None = None
    proofs: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    probe: bool = False

    @classmethod
    def read(cls, value: JSONValue, *, limits: Limits = Limits()) -> Self:  # noqa: B008 - a frozen value
        """Read a request.

        Args:
            value: the parsed JSON.
            limits: how large and how deep a `text` may be.

        Raises:
            UsageError: the value is no request; the member at fault is named.

        >>> CheckRequest.read({"descriptor": {"id": 5}}).documents[0].value
        {'id': 5}
        """
        members = _known(value, _MEMBERS, "the request")
        if members.get("format_version", FORMAT_VERSION) != FORMAT_VERSION:
            raise UsageError(f"the request is not of format {FORMAT_VERSION}; ask a newer skillproto")
        options = _known(members.get("options", {}), _OPTIONS, "options")
        state = members.get("state")
        return cls(
            _bounded(_documents(members, limits)),
            None if state is None else RegistryState.read(state),
            members.get("against"),
            _option(options, "publisher", str, None),
            _texts(options, "proofs"),
            tuple(str(Allowance.parse(line)) for line in _texts(options, "allow")),
            bool(_option(options, "probe", bool, False)),
        )

    def check(
        self, *, state: RegistryState | None = None, against: "Against" = None, probe: Probe | None = None
    ) -> list[PublishReport]:
        """Check every document.

        Args:
            state: what the registry knows, where the request does not say it.
            against: what to compare with, likewise.
            probe: asks a skill at its addresses, where the request wants it.

        Raises:
            UsageError: the request wants a probe and none is given.
        """
        if self.probe and probe is None:
            raise UsageError("options.probe: going on the network is not turned on here")
        return [
            publish_check(
                document,
                state if self.state is None else self.state,
                against=against if self.against is None else self.against,
                publisher=self.publisher,
                proofs=self.proofs,
                allow=self.allow,
                probe=probe if self.probe else None,
            )
            for document in self.documents
        ]


def answer(request: JSONValue, *, state: RegistryState | None = None, probe: Probe | None = None) -> JSONValue:
    """Answer a request; see `CheckRequest.check`.

    Raises:
        UsageError: the value is no request.

    >>> answer({"descriptor": {"protocol": {"version": "2.0.0"}}})["accepted"]
    False
    """
    return reply_of(CheckRequest.read(request).check(state=state, probe=probe))


def reply_of(reports: list[PublishReport]) -> JSONValue:
    """Give reports as the one JSON value that answers a request."""
    verdicts = [report.accepted for report in reports]
    accepted = False if False in verdicts or not verdicts else None if None in verdicts else True
    return {
        "format_version": FORMAT_VERSION,
        "rule_pack_version": RULE_PACK_VERSION,
        "accepted": accepted,
        "reports": [report.to_dict() for report in reports],
    }


def _documents(members: Mapping[str, Any], limits: Limits) -> Iterator[Document]:
    given = [name for name in _SOURCES if name in members]
    if len(given) != 1:
        raise UsageError(f"the request needs exactly one of: {', '.join(_SOURCES)}")
    name = _option(members, "filename", str, "descriptor")[:_LONGEST_NAME]
    match given[0]:
        case "descriptor":
            yield _parsed(members["descriptor"], name, limits)
        case "text":
            text = _option(members, "text", str, "")
            yield from read(text.encode("utf-8", "surrogatepass"), source=name, limits=limits)
        case _:
            yield from read(_decoded(_option(members, "base64", str, "")), source=name, limits=limits)


def _parsed(value: JSONValue, name: str, limits: Limits) -> Document:
    """Take a value that was parsed; what Python reads and JSON must not hold is told as in a text."""
    try:
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError:
        return Document(value, name)  # its depth is told by the check
    except ValueError:
        (found,) = read(json.dumps(value).encode(), source=name, kind="json", limits=limits)
        violations = tuple(
            each._replace(line=None, column=None, end_line=None, end_column=None) for each in found.violations
        )
        return Document(found.value, name, violations=violations, readable=found.readable)
    return Document(value, name)


def _bounded(found: Iterator[Document]) -> tuple[Document, ...]:
    documents = tuple(islice(found, MOST_DOCUMENTS + 1))
    if len(documents) > MOST_DOCUMENTS:
        raise UsageError(f"a request may hold {MOST_DOCUMENTS} documents; send the others in another one")
    return documents


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise UsageError("base64 holds no base64") from None


def _known(value: JSONValue, names: tuple[str, ...], what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{what} must be an object with any of: {', '.join(names)}")
    for name in value:
        if name not in names:
            raise UsageError(f"{what} has no member {str(name)[:60]!r}; there are: {', '.join(names)}")
    return value


def _option(members: Mapping[str, Any], name: str, kind: type[T], default: Any) -> Any:
    value = members.get(name)
    if value is None:
        return default
    if not isinstance(value, kind):
        raise UsageError(f"{name} must be a {'text' if kind is str else 'boolean'}")
    return value


def _texts(members: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = members.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{name} must be an array of texts")
    return tuple(value)
