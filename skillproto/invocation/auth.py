"""Turn what a caller gave as credentials into the headers of a request.

Opens no connection. Credentials go in headers, to the endpoint's own origin, over https
or to the machine itself, and nowhere else; no message and no repr shows one.

Source: SSP, authentication of an invocation; RFC 6750 for bearer tokens.
"""

import json
import os
import re
from base64 import b64decode
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeGuard

from skillproto.errors import AuthRequired, ErrorCode, SkillError, UsageError
from skillproto.invocation.origins import origin_of, require_safe_transport, same_origin

if TYPE_CHECKING:
    from skillproto.invocation.prepared import TokenSource

ENVIRONMENT_NAME = "SKILLPROTO_CREDENTIALS"

_DEFAULT_KEY_HEADER = "X-API-Key"
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
_HEADER_VALUE = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?")
_CONNECTION = ("host", "connection", "keep-alive", "te", "trailer", "upgrade", "expect", "transfer-encoding")
_MESSAGE = ("content-length", "content-type", "content-encoding", "accept", "accept-encoding", "user-agent")
_OURS = frozenset((*_CONNECTION, *_MESSAGE, "idempotency-key", "cache-control"))
_LEAST_PART = 4


class AuthDefinition(Protocol):
    """What is needed of a descriptor's `auth`; `header` may be missing or None."""

    @property
    def type(self) -> str: ...


class Granting(Protocol):
    """What gets its credentials by itself, as `oauth.ClientCredentials` does."""

    @property
    def secrets(self) -> list[str]: ...

    def grant(self, auth: Any, endpoint_url: str) -> "Grant":
        """Give the credentials for one call, as `Credentials.grant` does."""


class AuthRequest(NamedTuple):
    """The request that credentials are asked for, complete but for them."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None


class Grant:
    """The credentials of one call, bound to the origin of its endpoint.

    Attributes:
        secrets: what to mask in whatever is shown; it grows when a function is asked anew.
    """

    def __init__(self, auth: AuthDefinition, endpoint_url: str, source: Any) -> None:
        self.secrets: list[str] = []
        self._auth = auth
        self._endpoint_url = endpoint_url
        self._source = source
        self._fixed = None if _takes_request(source) else self._write(_ask(source, None))

    def __repr__(self) -> str:
        return f"Grant({self._auth.type!r}, {origin_of(self._endpoint_url)!r})"

    @property
    def is_fixed(self) -> bool:
        """Whether it is the same for every call: it came from no function."""
        return not callable(self._source)

    @property
    def tokens(self) -> "TokenSource | None":
        """What has to get a token before each request; None where the credentials are at hand."""
        return None

    def headers(
        self, method: str, url: str, headers: tuple[tuple[str, str], ...] = (), body: bytes | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Give the headers that identify the caller; none for another origin.

        Args:
            method: of the request as far as it stands, for a function that signs it.
            url: where the request goes.
            headers: what it carries so far.
            body: what it sends, or None.

        Raises:
            AuthRequired: the function gave nothing, or failed.
            UsageError: what it gave cannot be sent.
        """
        if not same_origin(self._endpoint_url, url):
            return ()
        if self._fixed is not None:
            return self._fixed
        return self._write(_ask(self._source, AuthRequest(method, url, dict(headers), body)))

    def _write(self, given: Any) -> tuple[tuple[str, str], ...]:
        written = _headers_of(self._auth, given)
        for value in written.values():
            parts = (value, *value.split()[1:], *_decoded_basic(value))  # behind a scheme such as Bearer
            self.secrets.extend(part for part in parts if len(part) >= _LEAST_PART and part not in self.secrets)
        return tuple(written.items())


class _NoGrant(Grant):
    """For skills that ask for no credentials: none are sent, whatever was given."""

    def __init__(self) -> None:
        self.secrets = []

    def __repr__(self) -> str:
        return "Grant('none')"

    @property
    def is_fixed(self) -> bool:
        return True

    def headers(
        self, method: str, url: str, headers: tuple[tuple[str, str], ...] = (), body: bytes | None = None
    ) -> tuple[tuple[str, str], ...]:
        return ()


class Credentials:
    """What a caller identifies itself with.

    Args:
        given: one of
            - a text: the API key or the bearer token, as the skill's `auth.type` wants it;
            - `{"api_key": ..., "token": ..., "headers": {...}}`, of which the skill's
              `auth.type` (api_key, oauth2, custom) takes its own;
            - `{"https://host": ...}`: any of these for each origin, for clients that call
              several providers;
            - a function that gives a text or a mapping of headers. One without parameters
              is asked once per call; one with a parameter gets each `AuthRequest`, to sign it;
            - an `oauth.ClientCredentials`, or the mapping `{"client_id": ..., "client_secret": ...,
              "token_url": ...}` of its arguments: tokens are then got as they are needed;
            - None: the environment variable SKILLPROTO_CREDENTIALS, a JSON object with
              origins as its keys, as above; where it is not set, there are no credentials.

    Raises:
        UsageError: a value in none of these forms; its text is not shown.

    >>> Credentials("s3cret-key")
    Credentials([redacted])
    """

    def __init__(self, given: Any = None) -> None:
        if isinstance(given, Credentials):
            self._by_origin: dict[str, Any] = given._by_origin
            self._for_all: Any = given._for_all
            return
        given = _from_environment() if given is None else given
        self._by_origin = _by_origin(given)
        self._for_all = None if self._by_origin else _checked(given)

    def __repr__(self) -> str:
        return "Credentials([redacted])" if self else "Credentials()"

    def __bool__(self) -> bool:
        return bool(self._by_origin) or self._for_all is not None

    @property
    def secrets(self) -> list[str]:
        """The texts to mask in whatever is shown; those of functions come with their `Grant`.

        >>> Credentials({"https://a.example": {"token": "t0ken"}}).secrets
        ['t0ken']
        """
        found: list[str] = []
        _collect((self._for_all, self._by_origin), found)
        return found

    def grant(self, auth: AuthDefinition, endpoint_url: str) -> Grant:
        """Give the credentials for one call.

        Args:
            auth: the descriptor's `auth`.
            endpoint_url: where the call goes; the grant is good for this origin alone.

        Raises:
            AuthRequired: the skill needs credentials and there are none for it.
            UsageError: they must not go to this address, or cannot be sent.
        """
        if auth.type == "none":
            return _NoGrant()
        require_safe_transport(endpoint_url)
        source = self._by_origin.get(origin_of(endpoint_url)) if self._by_origin else self._for_all
        if source is None:
            raise missing(auth, endpoint_url, "no_credentials")
        return Grant(auth, endpoint_url, source) if not _gets_its_own(source) else source.grant(auth, endpoint_url)

    def headers_for(self, auth: AuthDefinition, endpoint_url: str) -> dict[str, str]:
        """Give the headers for a plain POST to the endpoint, as `grant` would; none of tokens yet to be got.

        >>> from types import SimpleNamespace
        >>> Credentials("s3cret").headers_for(SimpleNamespace(type="oauth2"), "https://api.example/")
        {'Authorization': 'Bearer s3cret'}
        """
        return dict(self.grant(auth, endpoint_url).headers("POST", endpoint_url))


# Where credentials come from.


def _from_environment() -> Any:
    text = os.environ.get(ENVIRONMENT_NAME, "").strip()
    if not text:
        return None
    try:
        given = json.loads(text)
    except ValueError:
        given = None
    if not isinstance(given, dict) or not _by_origin(given):
        raise UsageError(f'{ENVIRONMENT_NAME} must be a JSON object such as {{"https://api.example.com": "the key"}}')
    return given


def _by_origin(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping) or not all(isinstance(key, str) and "://" in key for key in given):
        return {}
    return {origin_of(key): _checked(value) for key, value in given.items()}


_MEMBERS = ("api_key", "token", "headers")


def _checked(source: Any) -> Any:
    match source:
        case None | str():
            return source
        case Mapping() if source and all(key in _MEMBERS for key in source):
            return dict(source)
        case Mapping() if "client_id" in source:
            return _client(source)
        case _ if _gets_its_own(source):
            return source
        case _ if callable(source):
            return source
        case _:
            raise UsageError(
                "credentials must be a text, a function, a ClientCredentials, or a mapping with api_key, token, "
                "headers, client_id and client_secret, or origins (https://host) as its keys, "
                f"not a {type(source).__name__} of another form"
            )


def _gets_its_own(source: Any) -> TypeGuard[Granting]:
    return not isinstance(source, str | Mapping) and hasattr(source, "grant")


def _client(given: Mapping[str, Any]) -> Granting:
    from skillproto.invocation.oauth import ClientCredentials

    try:
        return ClientCredentials(**given)
    except TypeError:
        raise UsageError(
            "credentials with a client_id need a client_secret; token_url, scopes, auth_method and extra may follow"
        ) from None


def _collect(source: Any, found: list[str]) -> None:
    match source:
        case str():
            found.append(source.strip())
        case _ if _gets_its_own(source):
            found.extend(source.secrets)
        case Mapping():
            for value in source.values():
                _collect(value, found)
        case tuple():
            for value in source:
                _collect(value, found)


def _takes_request(source: Any) -> bool:
    if not callable(source):
        return False
    from inspect import Parameter, signature

    try:
        parameters = signature(source).parameters.values()
    except (TypeError, ValueError):
        return False
    plain = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    return any(
        each.kind is Parameter.VAR_POSITIONAL or (each.kind in plain and each.default is Parameter.empty)
        for each in parameters
    )


def _ask(source: Any, request: AuthRequest | None) -> Any:
    if not callable(source):
        return source
    try:
        given = source() if request is None else source(request)
    except SkillError:
        raise
    except Exception as cause:
        words = f"The function that gives the credentials raised {type(cause).__name__}; nothing was sent"
        raise AuthRequired(ErrorCode.AUTH_REQUIRED, words, details={"reason": "credentials_failed"}) from cause
    if hasattr(given, "__await__"):
        getattr(given, "close", lambda: None)()
        raise UsageError("the function that gives the credentials must not be async; let it return the text itself")
    return given


# What is written.


def _headers_of(auth: AuthDefinition, given: Any) -> dict[str, str]:
    member = {"api_key": "api_key", "oauth2": "token"}.get(auth.type, "headers")
    if isinstance(given, Mapping) and given and all(key in _MEMBERS for key in given):
        given = given.get(member)
    if isinstance(given, Mapping):
        return {_name(name): _value(value) for name, value in given.items()}
    if given is None or (isinstance(given, str) and not given.strip()):
        raise missing(auth, None, "no_credentials")
    match auth.type:
        case "api_key":
            return {_name(getattr(auth, "header", None) or _DEFAULT_KEY_HEADER): _value(given)}
        case "oauth2":
            return {"Authorization": "Bearer " + _token(given)}
        case _:
            raise UsageError(
                'this skill identifies callers in a way of its own; give credentials={"headers": {...}} '
                "or a function that returns the headers of a request"
            )


def _decoded_basic(value: str) -> list[str]:
    """Give the user with the password, and the password alone, that a value of the scheme Basic holds."""
    scheme, _, text = value.partition(" ")
    if scheme.lower() != "basic":
        return []
    try:
        pair = b64decode(text.strip(), validate=True).decode()
    except ValueError:
        return []
    return [pair, pair.partition(":")[2]]


def _token(given: Any) -> str:
    text = _value(given)
    return text[7:].lstrip() if text[:7].lower() == "bearer " else text


def _name(name: Any) -> str:
    if not isinstance(name, str) or not _HEADER_NAME.fullmatch(name):
        raise UsageError("the name of a header for credentials must be a token such as X-API-Key")
    if name.lower() in _OURS or name.lower().startswith("proxy-"):
        raise UsageError(f"credentials cannot travel in the header {name}; it belongs to the request itself")
    return name


def is_header_value(text: str) -> bool:
    """Say whether a text can travel in a header as it is.

    >>> is_header_value("t0ken"), is_header_value("tök")
    (True, False)
    """
    return _HEADER_VALUE.fullmatch(text) is not None


def _value(value: Any) -> str:
    text = value.strip(" \t\r\n") if isinstance(value, str) else ""
    if not is_header_value(text):
        raise UsageError("credentials must be one line of visible ASCII characters to travel in a header")
    return text


def missing(auth: AuthDefinition, endpoint_url: str | None, reason: str) -> AuthRequired:
    """Make the error that tells which credentials a skill asks for."""
    where = f" for {origin_of(endpoint_url)}" if endpoint_url else ""
    wants = {"api_key": "an API key", "oauth2": "a bearer token"}.get(auth.type, "credentials of its own kind")
    return AuthRequired(
        ErrorCode.AUTH_REQUIRED,
        f"The skill asks for {wants}, and none was given{where}; pass credentials=... to the client "
        f'or set {ENVIRONMENT_NAME}=\'{{"https://host": "..."}}\'',
        details={"reason": reason, "auth_type": auth.type},
    )
