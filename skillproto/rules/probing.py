"""The rules about how a skill answers: here they have their pages; `publishing.probing` asks and judges."""

from skillproto.rules.model import Rule
from skillproto.violations import Severity

SLOW_MS = 30_000
"""Callers cut here unless they were told another time."""

EXPIRING_DAYS = 14
"""A certificate that is good for less is about to expire."""

_HOME = '"field": "/endpoint/url", "method": "POST", "url": "https://api.example.com/run"'
_POLL = '"field": "/endpoint/status_url", "method": "GET", "url": "https://api.example.com/executions/probe"'
_REFUSED = '{"error": {"code": "AUTH_REQUIRED", "message": "Valid credentials are needed"}}'
_START = f'"asked": "start", {_HOME}'
_STATUS = f'"asked": "unknown-execution", {_POLL}'
_CHALLENGE = '"headers": {"WWW-Authenticate": "ApiKey"}'
_FINE = f'{{{_START}, "status": 401, {_CHALLENGE}, "body": {_REFUSED}}}'
_NOT_FOUND = '{"error": {"code": "SKILL_NOT_FOUND", "message": "No execution has this id"}}'
_FINE_STATUS = f'{{{_STATUS}, "access": "public", "status": 404, "body": {_NOT_FOUND}}}'


def _probe(name: str, severity: Severity, summary: str, source: str, bad: str, good: str, why: str) -> Rule:
    return Rule(f"probe/{name}", severity, summary, source, bad, good, "probe", " ".join(why.split()))


UNREACHABLE = _probe(
    "unreachable",
    "error",
    "The addresses of a skill can be reached.",
    "SSP 9.2",
    f'{{{_START}, "failure": "refused"}}',
    _FINE,
    """The name was not found, the connection was refused or broken off, or no reply came. It may be a moment's trouble:
    look again before you conclude anything.""",
)
TLS_INVALID = _probe(
    "tls-invalid",
    "error",
    "A server shows a certificate that callers accept.",
    "RFC 8446; RFC 9525",
    f'{{{_START}, "failure": "tls"}}',
    _FINE,
    """The certificate has expired, is for another name or signed by nobody known, or no common version of TLS was
    found. Every client refuses such a server.""",
)
TLS_EXPIRING = _probe(
    "tls-expiring",
    "warning",
    "A certificate is good for two weeks more.",
    "ours",
    f'{{{_START}, "status": 401, {_CHALLENGE}, "body": {_REFUSED}, "certificate_days": 3}}',
    f'{{{_START}, "status": 401, {_CHALLENGE}, "body": {_REFUSED}, "certificate_days": 60}}',
    """Automatic renewal replaces a certificate weeks before its end. One that is about to end shows that the renewal
    does not work.""",
)
OPEN_DOOR = _probe(
    "open-door",
    "error",
    "A restricted or private skill starts nothing without credentials.",
    "SSP, access levels",
    f'{{{_START}, "status": 202, "body": {{"execution_id": "e-1", "status": "accepted"}}}}',
    _FINE,
    """The request carried no credentials and inputs of the wrong type, and was accepted all the same: everybody
    who knows the address can use the skill.""",
)
NO_CHALLENGE = _probe(
    "no-challenge",
    "warning",
    "A 401 says which credentials are wanted.",
    "RFC 9110 section 15.5.2",
    f'{{{_START}, "status": 401, "body": {_REFUSED}}}',
    _FINE,
    """A 401 must carry WWW-Authenticate. Without it a client cannot tell what to ask its user for.""",
)
ERROR_SHAPE = _probe(
    "error-shape",
    "error",
    "A failure comes in the error envelope.",
    "SSP 9.3",
    f'{{{_START}, "status": 403, "body": {{"detail": "Forbidden"}}}}',
    f'{{{_START}, "status": 403, "body": '
    '{"error": {"code": "PERMISSION_DENIED", "message": "These credentials give no access"}}}',
    """Callers read `error.code` to know what to do next. From another form, a page of a proxy for example, they
    can only guess by the status.""",
)
NOT_FOUND_SHAPE = _probe(
    "not-found-shape",
    "error",
    "An execution that does not exist is answered with 404 and SKILL_NOT_FOUND.",
    "SSP 9.2 and 9.3",
    f'{{{_STATUS}, "access": "public", "status": 200, "body": {{"status": "running"}}}}',
    _FINE_STATUS,
    """Asked for an execution that was made up, a provider that answers with a state keeps its callers waiting for ever,
    and one that answers with a server error makes them try again.""",
)
EMPTY_AS_ERROR = _probe(
    "empty-as-error",
    "error",
    "An empty result is a success.",
    "Asixto and MCP tool errors: an empty result is a success",
    f'{{{_STATUS}, "access": "public", "status": 404, "body": {{"items": [], "total": 0}}}}',
    _FINE_STATUS,
    """A search that finds nothing has worked. Told as an error it makes an agent try again, or give up. Answer 200
    with the empty list.""",
)
SLOW = _probe(
    "slow",
    "warning",
    "A reply comes before callers give up.",
    "SSP: callers cut at 30 s",
    f'{{{_START}, "failure": "timeout", "elapsed_ms": 30000}}',
    _FINE,
    """To refuse a request takes no work. Where even that takes longer than callers wait, every call will be cut.""",
)
REDIRECT = _probe(
    "redirect",
    "error",
    "The addresses of a skill answer themselves.",
    "SSP, invocation: credentials never follow a redirect",
    f'{{{_START}, "status": 308, "headers": {{"Location": "https://api.example.net/run"}}}}',
    _FINE,
    """Clients do not follow a redirect with credentials, and a POST may become a GET on the way. Write the final
    address into the descriptor.""",
)
PRIVATE_ADDRESS = _probe(
    "private-address",
    "error",
    "A name leads to public addresses alone, also after each redirect.",
    "the IANA special-purpose address registries",
    f'{{{_START}, "failure": "private-address", "address": "10.0.0.5"}}',
    _FINE,
    """Looked up is what descriptor/private-address cannot see: a name that resolves to this computer, to a private
    network or to a metadata service, be it one of its addresses only, and a redirect to such a place. Nothing is
    sent there.""",
)
