"""Keep secrets out of everything that is shown: messages, events, reports.

Pure. A value is masked when it is a known secret, when its name says that it is one, or
when it has the form of a well-known kind of key.
"""

import re
from base64 import b64encode
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, unquote, urlsplit, urlunsplit

from skillproto.violations import JSONValue

MASK = "[redacted]"

_SECRET_NAME = re.compile(
    r"(?i)(?:^|[_\-. ])(?:authorization|password|passwd|pwd|secret|token|api[_-]?key|apikey|access[_-]?key"
    r"|private[_-]?key|credentials?|cookie|session[_-]?id|client[_-]?secret)s?$"
)
_SECRET_SHAPE = re.compile(
    r"\b(?:"
    r"(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9_-]{16,}"  # payment and model vendors
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}"
    r"|AIza[0-9A-Za-z_-]{30,}"
    r"|(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}+\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"  # a JSON web token
    r"|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{30,}"
    r"|hf_[A-Za-z0-9]{30,}|do[opr]_v1_[a-f0-9]{60,}|ya29\.[A-Za-z0-9_-]{20,}|AGE-SECRET-KEY-1[0-9A-Z]{50,}"
    r"|SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,}"
    r"|hooks\.slack\.com/services/T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,}"
    r"|(?i:accountkey|sharedaccesskey)=[A-Za-z0-9+/]{40,}"
    r")"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?"
    r"|(?i:\b(?:bearer|basic)\s+[A-Za-z0-9+/=._~-]{16,})"
)
_USER_INFO = re.compile(r"(?<=://)[^/?#\s@]*@")
_NAMED_SECRET = re.compile(
    r"(?i)((?:authorization|password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key"
    r"|credentials?|cookie)s?[\"']?\s*[:=]\s*)(\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s,;}&]+)"
)
_SHORTEST_SECRET = 4
_SHORTEST_ENCODED = 8


def is_secret_name(name: str) -> bool:
    """Say whether a member of this name usually holds a secret.

    >>> is_secret_name("client_secret"), is_secret_name("token_url"), is_secret_name("X-API-Key")
    (True, False, True)
    """
    return _SECRET_NAME.search(name) is not None


def find_secret(text: str) -> str | None:
    """Give the first part of a text that has the form of a well-known kind of key.

    >>> find_secret("use ghp_abcdefghijklmnopqrstuvwxyz") is not None, find_secret("a plain text")
    (True, None)
    """
    match = _SECRET_SHAPE.search(text)
    return match.group() if match else None


def known_forms(secrets: Iterable[str]) -> tuple[str, ...]:
    """Give the forms in which known secrets may come back, the longest first.

    Besides the text itself: as a URL, a JSON text, a JSON Pointer or a web page writes it, in hex
    digits, and in base64, also behind or before something else.

    >>> "p%40ss" in known_forms(["p@ss"])
    True
    """
    forms = {form for secret in secrets if len(secret) >= _SHORTEST_SECRET for form in _written(secret)}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _written(secret: str) -> set[str]:
    capital = secret[0].upper() + secret[1:]
    percent = {quote(secret, safe=safe) for safe in ("", "/", "/:@!$&'()*+,;=~-._", "~!*'()")}
    lower = {re.sub("%[0-9A-F]{2}", lambda found: found[0].lower(), form) for form in percent}
    form = {part.replace("%20", "+") for part in percent}
    json = {secret.replace("\\", "\\\\").replace('"', '\\"'), secret.replace("/", "\\/")}
    page = {secret.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")}
    pointer = {secret.replace("~", "~0").replace("/", "~1")}
    return {secret, capital, *percent, *lower, *form, *json, *page, *pointer, *_encoded(secret)}


def _encoded(secret: str) -> set[str]:
    """In base64 without the characters that the secret shares with what stands around it, and in hex digits."""
    if len(secret) < _SHORTEST_ENCODED:
        return set()
    data = secret.encode("utf-8", "replace")
    forms = set()
    for before, shared in enumerate((0, 2, 3)):
        forms.add(b64encode(bytes(before) + data)[shared : (before + len(data)) * 8 // 6].decode())
    url_safe = {form.replace("+", "-").replace("/", "_") for form in forms}
    return {*forms, *url_safe, data.hex(), data.hex().upper()}


def hide(value: JSONValue, forms: tuple[str, ...]) -> JSONValue:
    """Replace known secrets, and nothing else, in a JSON value all through, keys included.

    Args:
        value: a JSON value of any shape; it is not changed.
        forms: as `known_forms` gives them.

    >>> hide({"p%40ss": ["is p@ss", 1]}, known_forms(["p@ss"]))
    {'[redacted]': ['is [redacted]', 1]}
    """
    match value:
        case str():
            return _hide_in_text(value, forms)
        case dict():
            return {hide(key, forms): hide(item, forms) for key, item in value.items()}
        case list() | tuple():
            return [hide(item, forms) for item in value]
        case _:
            return value


def _hide_in_text(text: str, forms: tuple[str, ...]) -> str:
    for form in forms:
        if form in text:  # what holds none stays the object that it was
            text = text.replace(form, MASK)
    return text


def mask_text(text: str, secrets: Iterable[str] = ()) -> str:
    """Replace known secrets, keys of well-known form and the user part of addresses.

    >>> mask_text("GET https://ann:pw@host/ with s3cret", ["s3cret"])
    'GET https://[redacted]@host/ with [redacted]'
    """
    text = _USER_INFO.sub(MASK + "@", _hide_in_text(text, known_forms(secrets)))
    return _SECRET_SHAPE.sub(MASK, text)


def blot(line: str) -> str:
    """Hide what looks like a secret in a line of source text, each character by one star.

    The line keeps its length, so that a caret below it still points at the right place.

    >>> blot('url: https://ann:pw@host/  # password: hunter2')
    'url: https://*******host/  # password: *******'
    """
    line = _USER_INFO.sub(_stars, line)
    line = _SECRET_SHAPE.sub(_stars, line)
    return _NAMED_SECRET.sub(lambda match: match[1] + "*" * len(match[2]), line)


def _stars(match: re.Match[str]) -> str:
    return "*" * len(match.group())


def mask(value: JSONValue, secrets: Iterable[str] = ()) -> JSONValue:
    """Mask a JSON value all through, keys included; what stands under a secret's name goes whole.

    >>> mask({"password": "x", "note": ["s3cret"]}, ["s3cret"])
    {'password': '[redacted]', 'note': ['[redacted]']}
    """
    forms = known_forms(secrets)
    if forms:
        value = hide(value, forms)
    match value:
        case str():
            return mask_text(value)
        case dict():
            return {
                mask_text(str(key)): MASK
                if is_secret_name(str(key)) and isinstance(item, str | int | float) and not isinstance(item, bool)
                else mask(item)
                for key, item in value.items()
            }
        case list() | tuple():
            return [mask(item) for item in value]
        case _:
            return value


def safe_url(url: str) -> str:
    """Give an address fit to show: without user part, query and fragment.

    >>> safe_url("https://ann:pw@host:8443/a?key=1#x")
    'https://host:8443/a'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return MASK
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


_KEYS = frozenset({"key", "sig", "signature", "auth", "code", "sas", "jwt"})


def query_secrets_of(url: str) -> list[str]:
    """Give the secrets in the query of an address: the values whose names say that they are one.

    >>> query_secrets_of("https://host/run?version=2024&api_key=s%33cret&sig=abcd")
    ['s3cret', 'abcd']
    """
    try:
        pairs = parse_qsl(urlsplit(url).query)
    except ValueError:
        return []
    return [value for name, value in pairs if is_secret_name(name) or name.lower() in _KEYS]


def user_info_of(url: str) -> list[str]:
    """Give the secrets in the user part of an address: the whole part, and the password alone.

    >>> user_info_of("https://ann:p%40ss@host/"), user_info_of("https://host/@")
    (['ann:p@ss', 'p@ss'], [])
    """
    netloc = url.partition("://")[2].partition("/")[0]
    user_info = unquote(netloc.rpartition("@")[0])
    return [part for part in (user_info, user_info.partition(":")[2]) if part]
