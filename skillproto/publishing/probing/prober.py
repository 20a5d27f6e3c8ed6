"""Ask a skill at its own addresses. The only module of this room that goes on the network.

Polite: three requests for a skill at most, one at a time, each of a kind that must be refused, so that
no work is started; an origin that does not answer is not asked again. Addresses are fetched as those
that strangers wrote are: checked after their look-up, pinned, bounded.
"""

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from secrets import token_hex
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

from skillproto.discovery import Fetched, Fetcher, FetchError, FetchPolicy, Proof, prove_namespace
from skillproto.discovery.namespaces import Method, Txt
from skillproto.publishing.obstacles import Obstacle
from skillproto.publishing.probing.judging import Asked, Exchange, body_of, judge
from skillproto.rules.probing import EXPIRING_DAYS, SLOW_MS
from skillproto.violations import JSONValue, Violation

_DAY_S = 86_400
_WRONG: Mapping[str, JSONValue] = {
    "string": {"probe": True},
    "number": "probe",
    "integer": "probe",
    "boolean": "probe",
    "object": "probe",
    "array": "probe",
}
_FAILURES = {"probe/tls-invalid": "tls", "probe/redirect": "redirect", "probe/private-address": "private-address",
             "document/too-large": "too-large"}  # fmt: skip
_ACCESS = ("public", "restricted", "private")


class _Question(NamedTuple):
    asked: Asked
    field: str
    method: Any
    url: str
    body: bytes | None


class Prober:
    """Asks skills at their addresses and judges how they answer; safe to use from many threads.

    Args:
        policy: what may be fetched; None means public https addresses only.
        fetcher: to fetch with, instead of one of its own with `policy`; it stays the caller's to close.
        slow_ms: a reply that takes longer comes too late, and is not waited for.
        expiring_days: a certificate that is good for less is about to expire.
        txt: looks up TXT records for `prove`; None asks the operating system's servers.

    >>> findings, obstacles = Prober()({"access": "public", "endpoint": {"url": "https://127.0.0.1/"}})
    >>> findings, obstacles
    ([], [])
    """

    def __init__(
        self,
        policy: FetchPolicy | None = None,
        *,
        fetcher: Fetcher | None = None,
        slow_ms: int = SLOW_MS,
        expiring_days: float = EXPIRING_DAYS,
        txt: Txt | None = None,
    ) -> None:
        self._txt = txt
        self._fetcher = fetcher or Fetcher(policy)
        self._is_own = fetcher is None
        self._slow_ms = slow_ms
        self._expiring_days = expiring_days

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._is_own:
            self._fetcher.close()

    def __call__(self, descriptor: Mapping[str, Any]) -> tuple[list[Violation], list[Obstacle]]:
        """Ask one skill.

        Args:
            descriptor: parsed, of any shape; addresses that may not be asked for other reasons than what
                they lead to are left to the rules that read them.

        Returns:
            Findings, and what could not be carried out.
        """
        try:
            return list(self._findings(descriptor)), []
        except Exception as error:  # a fault of ours, or of the HTTP library, is no word about the skill
            message = f"The skill could not be probed ({type(error).__name__})"
            return [], [Obstacle("probe", "failed", message, is_remote=True)]

    def prove(self, skill_id: str) -> Proof:
        """Ask the domain that an id begins with whether the id is its own: by its index, and by DNS with the extra.

        Args:
            skill_id: such as "com.example.translate".

        Raises:
            UsageError: no id.
        """
        methods: tuple[Method, ...] = ("index", "dns") if find_spec("dns") is not None else ("index",)
        return prove_namespace(skill_id, methods=methods, fetcher=self._fetcher, txt=self._txt)

    def _findings(self, descriptor: Mapping[str, Any]) -> Iterator[Violation]:
        given_up: set[str] = set()
        for question in _questions(descriptor):
            origin = _origin(question.url)
            if origin in given_up:
                continue
            exchange = self._exchange(question, descriptor)
            if exchange is None:
                continue
            if exchange.failure is not None:
                given_up.add(origin)
            yield from judge(exchange, slow_ms=self._slow_ms, expiring_days=self._expiring_days)

    def _exchange(self, question: _Question, descriptor: Mapping[str, Any]) -> Exchange | None:
        asked = Exchange(question.asked, question.field, question.method, question.url, _access(descriptor))
        headers = () if question.body is None else (("Content-Type", "application/json"),)
        began = time.monotonic()
        try:
            reply = self._fetcher.ask(
                question.method, question.url, headers=headers, body=question.body, timeout_ms=self._slow_ms
            )
        except FetchError as error:
            elapsed_ms = round((time.monotonic() - began) * 1000)
            return _lost(asked, error, elapsed_ms)
        return _replied(asked, reply)


def _lost(asked: Exchange, error: FetchError, elapsed_ms: int) -> Exchange | None:
    """Tell why no reply came; None where the address itself is at fault, which other rules tell."""
    if error.rule not in _FAILURES and not error.rule.startswith("probe/"):
        return None
    failure = _FAILURES.get(error.rule, error.reason)
    return asked._replace(failure=failure, words=error.message, elapsed_ms=elapsed_ms)


def _replied(asked: Exchange, reply: Fetched) -> Exchange:
    body, is_json = body_of(reply.body)
    return asked._replace(
        status=reply.status,
        headers=dict(reversed(reply.headers)),
        body=body,
        is_json=is_json,
        elapsed_ms=reply.elapsed_ms,
        moved=len(reply.chain) > 1,
        certificate_days=_days_left(reply.certificate),
    )


def _days_left(certificate: Mapping[str, object] | None) -> float | None:
    until = certificate.get("notAfter") if certificate else None
    return (ssl.cert_time_to_seconds(until) - time.time()) / _DAY_S if isinstance(until, str) else None


def _questions(descriptor: Mapping[str, Any]) -> Iterator[_Question]:
    endpoint = descriptor.get("endpoint")
    if not isinstance(endpoint, Mapping):
        return
    url = endpoint.get("url")
    if isinstance(url, str):
        yield _Question("start", "/endpoint/url", "POST", url, _refusable(descriptor))
    execution_id = f"skillproto-probe-{token_hex(8)}"
    for name in ("status_url", "result_url"):
        url = endpoint.get(name)
        if isinstance(url, str):
            field = f"/endpoint/{name}"
            yield _Question("unknown-execution", field, "GET", _filled(url, execution_id), None)


def _refusable(descriptor: Mapping[str, Any]) -> bytes:
    """Write a request to run that must be refused: no credentials, and every input of the wrong type."""
    inputs = descriptor.get("inputs")
    wrong = {
        str(each.get("name")): _WRONG.get(str(each.get("type")), {"probe": True})
        for each in (inputs if isinstance(inputs, list) else ())
        if isinstance(each, Mapping)
    }
    caller = {"id": "skillproto-probe", "type": "service"}
    request = {"caller": caller, "skill_id": descriptor.get("id"), "inputs": wrong or "probe"}
    return json.dumps(request).encode()


def _filled(url: str, execution_id: str) -> str:
    if "{execution_id}" in url:
        return url.replace("{execution_id}", execution_id)
    return f"{url.rstrip('/')}/{execution_id}"


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return f"{parts.scheme}://{parts.netloc}".lower()


def _access(descriptor: Mapping[str, Any]) -> Any:
    access = descriptor.get("access")
    return access if access in _ACCESS else "restricted"
