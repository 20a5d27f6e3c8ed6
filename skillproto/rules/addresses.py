"""Rules about addresses: who can reach them, who can read along, and where credentials end up."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from skillproto.redaction import safe_url
from skillproto.rules.hosts import host_kind, host_of
from skillproto.rules.model import rule
from skillproto.rules.subject import Subject
from skillproto.validation.formats import refusal
from skillproto.violations import Severity, Violation

_KIND_WORDS = {
    "loopback": "this computer itself",
    "link-local": "a link-local address, reachable on one network segment only",
    "metadata": "a cloud's metadata service, which hands out credentials",
    "private": "a private network",
    "reserved": "a reserved address that nobody answers at",
}
_DEFAULT_PORTS = {"http": 80, "https": 443}
_VARIABLE = re.compile(r"\{([^{}]*)\}")
_HOST = re.compile(r"[A-Za-z0-9._:-]+")
_PLAIN_HTTP = re.compile(r"(?i)http://")


@rule(
    "descriptor/insecure-url",
    "error",
    "An address uses https.",
    source="SSP, invocation: credentials travel over https, over plain http to this computer alone",
    bad='{"documentation_url": "http://www.example.com/docs"}',
    good='{"documentation_url": "https://www.example.com/docs"}',
    schemas=("descriptor", "index"),
    why="""Over plain http everybody on the way can read and change what is sent. It is an error where
    calls or credentials go (endpoint, status, result, tokens) and a warning for pages that people
    read. Plain http to this computer (localhost, 127.0.0.1) is let pass here, as clients let it
    pass; descriptor/private-address speaks of it.""",
)
def insecure_url(subject: Subject) -> Iterator[Violation]:
    """Find plain http to anywhere but this computer."""
    for field, text, role in subject.addresses:
        if not _PLAIN_HTTP.match(text) or host_kind(host_of(text) or "") == "loopback":
            continue
        yield insecure_url.found(
            field,
            "an https address",
            safe_url(text),
            "The address uses plain http, so that others can read and change what is sent",
            severity="warning" if role == "link" else None,
            hint="Use https://",
        )


@rule(
    "descriptor/url-credentials",
    "error",
    "An address carries no user name, password or key.",
    source="RFC 3986 section 3.2.1 and RFC 9110 section 4.2.4",
    bad='{"documentation_url": "https://reader:pass@www.example.com/docs"}',
    good='{"documentation_url": "https://www.example.com/docs"}',
    schemas=("descriptor", "index"),
    why="""A descriptor is read by everybody who may see the skill, and addresses end up in logs.
    Credentials belong into a header, as `auth` describes. Found are a user part before the host
    and a query member whose name says that it holds a secret, such as `?api_key=`.""",
)
def url_credentials(subject: Subject) -> Iterator[Violation]:
    """Find user parts, and secrets in the query."""
    for field, text, _ in subject.addresses:
        carrier = _carrier_of_secret(text)
        if carrier is not None:
            yield url_credentials.found(
                field,
                "an address without credentials",
                safe_url(text),
                f"The address carries credentials ({carrier})",
                hint="Take them out, replace them where they were in use, and describe the header in auth",
            )


def _carrier_of_secret(text: str) -> str | None:
    from urllib.parse import parse_qsl

    from skillproto.redaction import is_secret_name

    try:
        parts = urlsplit(text)
    except ValueError:
        return None
    if "@" in parts.netloc:
        return "a user part before the host"
    for name, value in parse_qsl(parts.query, max_num_fields=1000) if len(parts.query) < len(text) else ():
        if is_secret_name(name) and not value.startswith("{"):
            return "a secret in the query"
    return None


@rule(
    "descriptor/private-address",
    "error",
    "An address leads somewhere that others can reach.",
    source="RFC 6761, RFC 6762 and the IANA special-purpose address registries",
    bad='{"provider": {"name": "Example", "url": "https://[::ffff:10.0.0.1]/"}}',
    good='{"provider": {"name": "Example", "url": "https://www.example.com/"}}',
    schemas=("descriptor", "index"),
    why="""An address on this computer, in a private network or at a cloud's metadata service means
    something else on every machine that reads the descriptor, and lets a stranger's descriptor
    aim calls at what stands behind a firewall. Every spelling is read: decimal, octal and hexadecimal
    numbers, shortened ones, IPv6 with an IPv4 address inside, names such as localhost, single words and
    suffixes such as .internal or .local. It is an error, with two exceptions where it is a warning: this
    computer itself, since that is how a skill is developed, and a skill whose access is private, which may
    live inside a company. A registry refuses all of them. A metadata service is always an error.""",
)
def private_address(subject: Subject) -> Iterator[Violation]:
    """Find loopback, link-local, private, reserved and metadata hosts."""
    is_private_skill = subject.member("access") == "private"
    for field, text, role in subject.addresses:
        host = host_of(text)
        kind = host_kind(host) if host else None
        if kind is None:
            continue
        is_soft = kind == "loopback" or role == "link" or (is_private_skill and kind == "private")
        severity: Severity = "warning" if is_soft and kind != "metadata" else "error"
        yield private_address.found(
            field,
            "an address that every caller can reach",
            safe_url(text),
            f"The address leads to {_KIND_WORDS[kind]}",
            severity=severity,
            details={"kind": kind},
        )


@rule(
    "descriptor/foreign-origin",
    "error",
    "Status and result are asked for where the skill is called.",
    source="SSP, invocation: credentials go to the endpoint's own origin only",
    bad='{"endpoint": {"url": "https://api.example.com/run", "status_url": "https://api.example.net/s", '
    '"result_url": "https://api.example.com/r"}}',
    good='{"endpoint": {"url": "https://api.example.com/run", "status_url": "https://api.example.com/s", '
    '"result_url": "https://api.example.com/r"}}',
    why="""A client sends the caller's credentials to the endpoint's own origin (scheme, host and
    port) and nowhere else. A status or result address elsewhere would be asked without them, and in
    a client that is less careful it is a way to steal them. Where plain http is all that differs,
    descriptor/insecure-url says so.""",
)
def foreign_origin(subject: Subject) -> Iterator[Violation]:
    """Find status and result addresses of another origin than the endpoint's."""
    address = subject.member("endpoint", "url")
    home = _origin(address)
    if home is None or refusal("uri", address):
        return
    for name in ("status_url", "result_url"):
        text = subject.member("endpoint", name)
        origin = _origin(text)
        if origin is not None and _secured(origin) != _secured(home):
            yield foreign_origin.found(
                f"/endpoint/{name}",
                f"an address at {_write(home)}",
                safe_url(text),
                "The address has another origin than the endpoint, so that no credentials are sent there",
            )


def _secured(origin: tuple[str, str, int]) -> tuple[str, str, int]:
    """Read plain http as https, since it has a finding of its own; to this computer it has none."""
    scheme, host, port = origin
    if scheme == "https" or host_kind(host) == "loopback":
        return origin
    return "https", host, _DEFAULT_PORTS["https"] if port == _DEFAULT_PORTS["http"] else port


def _origin(text: object) -> tuple[str, str, int] | None:
    if not isinstance(text, str):
        return None
    try:
        parts = urlsplit(text.replace("{", "%7B").replace("}", "%7D"))
        port = parts.port
    except ValueError:
        return None
    scheme, host = parts.scheme.lower(), parts.hostname
    if scheme not in _DEFAULT_PORTS or not host or not _HOST.fullmatch(host):
        return None
    return scheme, host.rstrip("."), port or _DEFAULT_PORTS[scheme]


def _write(origin: tuple[str, str, int]) -> str:
    scheme, host, port = origin
    host = f"[{host}]" if ":" in host else host
    return f"{scheme}://{host}" if port == _DEFAULT_PORTS[scheme] else f"{scheme}://{host}:{port}"


@rule(
    "descriptor/template-variable",
    "error",
    "An address of status or result has no variable but {execution_id}.",
    source="SSP, invocation: status_url and result_url",
    bad='{"endpoint": {"url": "https://api.example.com/run", "status_url": '
    '"https://api.example.com/{id}", "result_url": "https://api.example.com/r"}}',
    good='{"endpoint": {"url": "https://api.example.com/run", "status_url": '
    '"https://api.example.com/{execution_id}", "result_url": "https://api.example.com/r"}}',
    why="""No client knows what to put for another variable, so that it asks at an address that does not exist.
   """,
)
def template_variable(subject: Subject) -> Iterator[Violation]:
    """Find variables that nobody fills."""
    for name in ("status_url", "result_url"):
        text = subject.member("endpoint", name)
        unknown = [v for v in _VARIABLE.findall(text) if v != "execution_id"] if isinstance(text, str) else []
        if unknown:
            yield template_variable.found(
                f"/endpoint/{name}",
                "no variable but {execution_id}",
                safe_url(str(text)),
                f"Nobody fills the variable {{{unknown[0][:60]}}}",
                hint="Write {execution_id}",
            )


@rule(
    "descriptor/no-status-url",
    "warning",
    "An endpoint says where the status and the result of an execution are found.",
    source="SSP, invocation: a start is answered with 202, then status and result are asked for",
    bad='{"endpoint": {"url": "https://api.example.com/run", "result_url": "https://api.example.com/r"}}',
    good='{"endpoint": {"url": "https://api.example.com/run", "status_url": "https://api.example.com/s", '
    '"result_url": "https://api.example.com/r"}}',
    why="""A skill that answers 202 has only begun. Without status_url and result_url the caller never
    learns how it went. A skill that always answers with its output at once can ignore this rule.""",
)
def no_status_url(subject: Subject) -> Iterator[Violation]:
    """Find endpoints without a status or result address; one finding for both."""
    endpoint = subject.member("endpoint")
    if not isinstance(endpoint, dict):
        return
    missing = [name for name in ("status_url", "result_url") if name not in endpoint]
    if missing:
        yield no_status_url.found(
            f"/endpoint/{missing[0]}",
            "an address for the status and one for the result",
            None,
            f"The endpoint has no {' and no '.join(missing)}, so that an accepted execution cannot be followed",
        )
