"""Get access tokens by OAuth 2 client credentials, and share each until it expires.

Without any input or output of its own, as the core: a request for a token is an action that the
core hands on, so threads, asyncio and trio do the same. However many calls run at a time, one
of them asks and the others wait for its answer. The client's secret goes only to the address
that its owner named, or to the skill's own origin, over https or to this machine.

Source: RFC 6749 sections 2.3.1, 4.4 and 5; RFC 6750 section 3.1.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Generator, Iterable, Mapping
from copy import deepcopy
from threading import Lock
from typing import Any, Literal, NamedTuple
from urllib.parse import quote_plus, urlencode

from skillproto import __version__
from skillproto.errors import AuthRequired, ErrorCode, SkillError, UsageError
from skillproto.invocation.auth import Grant, missing
from skillproto.invocation.faults import cancelled, lost
from skillproto.invocation.origins import origin_of, require_safe_transport, same_origin
from skillproto.invocation.token_replies import LIMIT_BYTES, NewToken, read_token
from skillproto.invocation.wire import Action, Incoming, Lost, Replied, Request, Send, Stopped, Wait

AuthMethod = Literal["basic", "post"]

_MOST_KEPT = 256
_LONGEST_LEEWAY_S = 60.0
_LEEWAY_SHARE = 0.2
_LONGEST_RENEWAL_S = 5.0
_FIRST_LOOK_S = 0.005
_LAST_LOOK_S = 0.05
_PARAMETER = re.compile(r'([A-Za-z_-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))')
_HEADERS = (
    ("Accept", "application/json"),
    ("Accept-Encoding", "gzip, deflate"),
    ("User-Agent", f"skillproto/{__version__}"),
    ("Content-Type", "application/x-www-form-urlencoded"),
    ("Cache-Control", "no-store"),
)

Clock = Callable[[], float]


class Token(NamedTuple):
    """An access token, and the times (on the client's clock, in seconds) that matter for it.

    Attributes:
        expires_s: from then on it is not used; None when its life is not known.
        renew_s: from then on a new one is asked for; None for never.
    """

    text: str
    expires_s: float | None
    renew_s: float | None

    @classmethod
    def issued(cls, new: NewToken, at_s: float) -> "Token":
        """Work out its times, counted from when it was asked for, so that they are never too late.

        >>> Token.issued(NewToken("t", 3600), 1000.0)
        Token(text='t', expires_s=4600.0, renew_s=4540.0)
        """
        if new.life_s is None:
            return cls(new.text, None, None)
        leeway_s = min(_LONGEST_LEEWAY_S, new.life_s * _LEEWAY_SHARE)
        return cls(new.text, at_s + new.life_s, at_s + new.life_s - leeway_s)

    def is_good(self, now_s: float) -> bool:
        """Say whether it may be used."""
        return self.expires_s is None or now_s < self.expires_s

    def is_due(self, now_s: float) -> bool:
        """Say whether it is time for a new one."""
        return self.renew_s is not None and now_s >= self.renew_s


class _Fetch:
    """One request for a token; `outcome` stays None where its caller left before the answer."""

    __slots__ = ("is_over", "outcome")

    def __init__(self) -> None:
        self.is_over = False
        self.outcome: Token | SkillError | None = None


class _Store:
    """The token that calls share, and the request for the next one; for threads and tasks alike."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._token: Token | None = None
        self._fetch: _Fetch | None = None

    def look(self, now_s: float) -> tuple[Token | None, _Fetch | None, bool]:
        """Give a token that may be used, a request under way, and whether it is the caller's to make."""
        with self._lock:
            token = self._token if self._token is not None and self._token.is_good(now_s) else None
            if token is not None and (self._fetch is not None or not token.is_due(now_s)):
                return token, None, False
            if self._fetch is not None:
                return None, self._fetch, False
            self._fetch = _Fetch()
            return token, self._fetch, True

    def land(self, fetch: _Fetch, outcome: Token | SkillError | None, now_s: float) -> None:
        """End a request; a token in use that could not be renewed is kept, and left alone for a while."""
        with self._lock:
            self._fetch = None
            if isinstance(outcome, Token):
                self._token = outcome
            elif outcome is not None and self._token is not None and self._token.expires_s is not None:
                self._token = self._token._replace(renew_s=(now_s + self._token.expires_s) / 2)
            fetch.outcome = outcome
            fetch.is_over = True

    def drop(self, token: Token) -> None:
        """Forget a token that was refused, unless another has taken its place."""
        with self._lock:
            if self._token == token:
                self._token = None


class ClientCredentials:
    """Credentials for skills with `auth.type` oauth2: a client that gets its tokens by itself.

    Give it to a client as `credentials=`, alone or for an origin. Tokens are shared by all
    calls, renewed before they expire, and asked for once more after a 401 that says
    `invalid_token`; that request is then sent again at once.

    Args:
        client_id: as registered at the authorization server.
        client_secret: likewise; sent to the token endpoint alone.
        token_url: the token endpoint. None takes the descriptor's, but only where it is of the
            skill's own origin, since whoever writes a descriptor could name any other.
        scopes: to ask for; None means those that the descriptor lists.
        auth_method: "basic" sends id and secret in a header, "post" in the body.
        extra: further parameters of the request, such as `{"audience": "..."}`.

    Raises:
        UsageError: a value that can never work; its text is not shown.

    >>> ClientCredentials("my-agent", "s3cret", token_url="https://login.example/token")
    ClientCredentials('my-agent', token_url='https://login.example/token')
    """

    def __init__(
        self,
        client_id: str,
        client_secret: str,
        *,
        token_url: str | None = None,
        scopes: Iterable[str] | None = None,
        auth_method: AuthMethod = "basic",
        extra: Mapping[str, str] | None = None,
    ) -> None:
        for name, value in (("client_id", client_id), ("client_secret", client_secret)):
            if not isinstance(value, str) or not value:
                raise UsageError(f"{name} must be a text that is not empty")
        if auth_method not in ("basic", "post"):
            raise UsageError(f"auth_method must be basic or post, not {auth_method!r}")
        if token_url is not None:
            require_safe_transport(token_url)
        self._client = (client_id, client_secret)
        self._token_url = token_url
        self._scopes = None if scopes is None else _scope_text(scopes)
        self._is_basic = auth_method == "basic"
        self._extra = dict(extra or {})
        self._stores: dict[tuple[str, str], _Store] = {}

    def __repr__(self) -> str:
        where = "" if self._token_url is None else f", token_url={self._token_url!r}"
        return f"ClientCredentials({self._client[0]!r}{where})"

    @property
    def secrets(self) -> list[str]:
        """The texts to mask in whatever is shown; tokens come with each call."""
        return [self._client[1], _basic(*self._client)]

    def grant(self, auth: Any, endpoint_url: str) -> "TokenGrant":
        """Give what one call needs to get a token.

        Args:
            auth: the descriptor's `auth`.
            endpoint_url: where the call goes; the token goes to this origin alone.

        Raises:
            AuthRequired: the skill asks for something else, or its descriptor names a token
                endpoint that is not to be trusted with the secret.
        """
        if auth.type != "oauth2":
            raise missing(auth, endpoint_url, "no_credentials")
        url = self._token_url or _own_token_url(auth, endpoint_url)
        listed = auth.oauth2.scopes if auth.oauth2 is not None else {}
        scope = self._scopes if self._scopes is not None else _scope_text(listed)
        return TokenGrant(endpoint_url, self._request(url, scope), self._store(url, scope), self.secrets)

    def _store(self, url: str, scope: str) -> _Store:
        store = self._stores.get((url, scope))
        if store is None:
            if len(self._stores) >= _MOST_KEPT:
                self._stores.clear()
            store = self._stores.setdefault((url, scope), _Store())
        return store

    def _request(self, url: str, scope: str) -> Request:
        form = {"grant_type": "client_credentials", **({"scope": scope} if scope else {}), **self._extra}
        headers: tuple[tuple[str, str], ...] = _HEADERS
        if self._is_basic:
            headers = (*headers, ("Authorization", f"Basic {_basic(*self._client)}"))
        else:
            form |= {"client_id": self._client[0], "client_secret": self._client[1]}
        return Request("token", "POST", url, headers, urlencode(form).encode(), LIMIT_BYTES)


class TokenGrant(Grant):
    """The token of one call: got before a request, and got anew when one is refused."""

    def __init__(self, endpoint_url: str, request: Request, store: _Store, secrets: list[str]) -> None:
        self.secrets = secrets
        self._endpoint_url = endpoint_url
        self._request = request
        self._store = store
        self._token: Token | None = None

    def __repr__(self) -> str:
        return f"TokenGrant({origin_of(self._endpoint_url)!r})"

    @property
    def is_fixed(self) -> bool:
        """Never: each call holds the token that it got."""
        return False

    @property
    def tokens(self) -> "TokenGrant":
        """This one: it has to get a token before each request."""
        return self

    def headers(
        self, method: str, url: str, headers: tuple[tuple[str, str], ...] = (), body: bytes | None = None
    ) -> tuple[tuple[str, str], ...]:
        """Give the header with the token that `obtain` got; none for another origin."""
        if self._token is None or not same_origin(self._endpoint_url, url):
            return ()
        return (("Authorization", f"Bearer {self._token.text}"),)

    def obtain(self, url: str, clock: Clock, limit_s: float) -> Generator[Action, Incoming, SkillError | None]:
        """Have a token for a request to this address, within a time in seconds.

        Returns:
            None, or why there is no token.
        """
        if not same_origin(self._endpoint_url, url):
            return None
        until_s = clock() + limit_s
        look_s = _FIRST_LOOK_S
        while (left_s := until_s - clock()) > 0:
            token, fetch, is_mine = self._store.look(clock())
            if fetch is not None and is_mine:
                return (yield from self._renew(fetch, token, clock, left_s))
            if fetch is None:
                return self._take(token)
            while not fetch.is_over and (left_s := until_s - clock()) > 0:
                yield from _wait(min(look_s, left_s))
                look_s = min(look_s * 1.5, _LAST_LOOK_S)
            if fetch.outcome is not None:
                return self._take(fetch.outcome)
        return _no_token(lost(Lost("timeout", sent=False), limit_s, limit_s))

    def heard(self, event: Incoming) -> bool:
        """Look at a reply, and say whether another token may help: this one was refused as invalid."""
        if self._token is None or not isinstance(event, Replied) or not _is_refused(event):
            return False
        self._store.drop(self._token)
        self._token = None
        return True

    def _renew(
        self, fetch: _Fetch, token: Token | None, clock: Clock, limit_s: float
    ) -> Generator[Action, Incoming, SkillError | None]:
        """Ask for a token; where the old one is still good, it stands in for one that cannot be had."""
        began_s = clock()
        limit_s = limit_s if token is None else min(limit_s / 2, _LONGEST_RENEWAL_S)
        outcome: Token | SkillError | None = None
        try:
            event = yield Send(self._request, limit_s)
            if isinstance(event, Stopped):
                raise cancelled()
            outcome = self._read(event, limit_s, clock() - began_s, began_s)
        finally:
            # The time of one call says nothing to the others, who may have more of it.
            is_own = isinstance(outcome, SkillError) and outcome.details.get("reason") == "timeout"
            self._store.land(fetch, None if is_own and token is None else deepcopy(outcome), clock())
        return self._take(token if token is not None and isinstance(outcome, SkillError) else outcome)

    def _read(self, event: Incoming, limit_s: float, took_s: float, began_s: float) -> Token | SkillError:
        match event:
            case Replied():
                new = read_token(event, origin_of(self._request.url), self.secrets)
                return Token.issued(new, began_s) if isinstance(new, NewToken) else new
            case Lost():
                return _no_token(lost(event, limit_s, took_s))
            case _:
                raise AssertionError("a wait ended where a reply was due")

    def _take(self, outcome: Token | SkillError | None) -> SkillError | None:
        if isinstance(outcome, SkillError):
            return deepcopy(outcome)
        self._token = outcome
        if outcome is not None and outcome.text not in self.secrets:
            self.secrets.append(outcome.text)
        return None


def _wait(seconds: float) -> Generator[Action, Incoming, None]:
    if isinstance((yield Wait(seconds)), Stopped):
        raise cancelled()


def _no_token(error: SkillError) -> SkillError:
    error.message = f"No access token was got: {error.message[0].lower()}{error.message[1:]}"
    error.args = (error.message,)
    error.details["step"] = "token"
    return error


def _basic(client_id: str, client_secret: str) -> str:
    """Both are written as in a form first (RFC 6749 2.3.1), so that a colon in one does no harm."""
    return b64encode(f"{quote_plus(client_id)}:{quote_plus(client_secret)}".encode()).decode()


def _scope_text(scopes: Iterable[str]) -> str:
    return " ".join([scopes] if isinstance(scopes, str) else scopes)


def _own_token_url(auth: Any, endpoint_url: str) -> str:
    url: str = auth.oauth2.token_url if auth.oauth2 is not None else ""
    if same_origin(url, endpoint_url):
        return url
    raise AuthRequired(
        ErrorCode.AUTH_REQUIRED,
        "The descriptor names a token endpoint outside the skill's own origin, so the client's secret was not sent "
        "there; if it may go there, name the address as token_url= of the ClientCredentials",
        details={"reason": "foreign_token_url"},
    )


def _is_refused(event: Replied) -> bool:
    """Say whether a reply refuses the token itself, rather than the caller (RFC 6750 3.1)."""
    if event.status != 401:
        return False
    challenges = ", ".join(value for name, value in event.headers if name.lower() == "www-authenticate")
    if "bearer" not in challenges.lower():
        return False
    found = ((name.lower(), quoted or plain) for name, quoted, plain in _PARAMETER.findall(challenges))
    return ("error", "invalid_token") in found
