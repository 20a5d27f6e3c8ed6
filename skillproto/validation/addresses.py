"""Formats of addresses: URI, host, IP, e-mail.

Syntax alone: whether an address may be called (private hosts, plain http, credentials in
it) is a matter of rules. Pure: no name is looked up.
"""

import re
from typing import NamedTuple

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_BAD_CHARACTER = re.compile(r"[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]")
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_USER = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=:%-]*")
_REG_NAME = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=%-]*")
_LABEL = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")
_HOST_LABEL = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?")
_IPV_FUTURE = re.compile(r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+")
_GROUP = re.compile(r"[0-9A-Fa-f]{1,4}")
_OCTET = re.compile(r"0|[1-9][0-9]{0,2}")
_DIGITS = re.compile(r"[0-9]+")
_EXPRESSION = re.compile(
    r"\{[+#./;?&=,!@|]?[A-Za-z0-9_%]+(?:\.[A-Za-z0-9_%]+)*(?::[1-9][0-9]{0,3}|\*)?"
    r"(?:,[A-Za-z0-9_%]+(?:\.[A-Za-z0-9_%]+)*(?::[1-9][0-9]{0,3}|\*)?)*\}"
)
_BAD_LITERAL = re.compile(r"[\x00-\x20\"<>\\^`{|}\x7f]")
_ATOM = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_QUOTED = re.compile(r'"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\[\x20-\x7e])*"')
_LONGEST_HOST = 253
_LONGEST_LABEL = 63
_LAST_PORT = 65535
_SHOWN = 60
_SHOWN_PART = 30


class Refusal(NamedTuple):
    """Why a text does not have a format, and what to write instead where that is plain."""

    reason: str
    hint: str | None = None


def uri(text: str) -> Refusal | None:
    """Check an absolute URI; of http and https also that the host and the port can exist.

    Source: RFC 3986; hosts after RFC 1123.

    >>> uri("https://example.com/a?b=c"), uri("https://host:99999/").reason
    (None, 'Port 99999 is not between 1 and 65535')
    """
    if not text:
        return Refusal("The address is empty", "Write an absolute address, such as https://example.com/")
    scheme, colon, rest = text.partition(":")
    if not colon or not _SCHEME.fullmatch(scheme):
        return _no_scheme(text)
    authority = _authority_of(rest)
    if scheme.lower() in ("http", "https"):
        if not authority:
            return Refusal("The address has no host", f"Write {scheme.lower()}:// and then the host")
        return _web_authority(authority) or _characters(rest[2 + len(authority) :])
    if authority is None:
        return _characters(rest)
    return _generic_authority(authority) or _characters(rest[2 + len(authority) :])


def uri_reference(text: str) -> Refusal | None:
    """Check a URI or a reference that is relative to one.

    >>> uri_reference("../a#b"), uri_reference("a b").reason
    (None, 'The address holds a space')
    """
    scheme, colon, _ = text.partition(":")
    if colon and _SCHEME.fullmatch(scheme):
        return uri(text)
    if colon and not any(mark in scheme for mark in "/?#"):
        return Refusal("What stands before the colon is no scheme")
    authority = _authority_of(text)
    if authority is None:
        return _characters(text)
    return _generic_authority(authority) or _characters(text[2 + len(authority) :])


def uri_template(text: str) -> Refusal | None:
    """Check a URI template; where it is a web address, also what stands around the expressions.

    Source: RFC 6570.

    >>> uri_template("https://example.com/runs/{execution_id}"), uri_template("/a/{b").reason
    (None, 'A brace is not closed, or what it holds is no variable')
    """
    filled = _EXPRESSION.sub("x", text)
    if "{" in filled or "}" in filled:
        return Refusal("A brace is not closed, or what it holds is no variable", "Write it such as {execution_id}")
    if filled[:7].lower() == "http://" or filled[:8].lower() == "https://":
        authority = _authority_of(text.partition(":")[2]) or ""
        if "{" in authority or "}" in authority:
            return Refusal("The host cannot be a variable", "Write the host itself")
        return uri(filled)
    if _BAD_LITERAL.search(filled):
        return _characters(filled) or Refusal("The address holds a character that it must not")
    return None


def hostname(text: str) -> Refusal | None:
    """Check a host name.

    Source: RFC 1123 section 2.1.

    >>> hostname("example.com"), hostname("-a").reason
    (None, "'-a' is no part of a host name")
    """
    if not text:
        return Refusal("The host name is empty")
    return _labels(text, _HOST_LABEL)


def ipv4(text: str) -> Refusal | None:
    """Check an IPv4 address in four numbers.

    >>> ipv4("127.0.0.1"), ipv4("127.0.0.256").reason
    (None, 'Not an IPv4 address')
    """
    octets = text.split(".")
    if len(octets) == 4 and all(_OCTET.fullmatch(octet) and int(octet) <= 255 for octet in octets):
        return None
    return Refusal("Not an IPv4 address", "Write four numbers from 0 to 255, such as 192.0.2.1")


def ipv6(text: str) -> Refusal | None:
    """Check an IPv6 address, without a zone.

    Source: RFC 4291 section 2.2.

    >>> ipv6("::1"), ipv6("::1::").reason
    (None, 'Not an IPv6 address')
    """
    refused = Refusal("Not an IPv6 address", "Write it such as 2001:db8::1")
    if text.count("::") > 1 or len(text) > 45:
        return refused
    halves = [half.split(":") if half else [] for half in text.split("::")]
    groups = [group for half in halves for group in half]
    count = len(groups)
    if groups and "." in groups[-1] and halves[-1]:
        if ipv4(groups.pop()) is not None:
            return refused
        count += 1
    if not all(_GROUP.fullmatch(group) for group in groups):
        return refused
    return None if (count <= 7 if len(halves) == 2 else count == 8) else refused


def email(text: str) -> Refusal | None:
    """Check an e-mail address.

    Source: RFC 5321 section 4.1.2.

    >>> email("ann@example.com"), email("a@").reason
    (None, 'Nothing stands after the @')
    """
    user, at, host = text.rpartition("@")
    if not at:
        return Refusal("The address has no @", "Write it such as ann@example.com")
    if not user or not host:
        return Refusal(f"Nothing stands {'after' if user else 'before'} the @", "Write it such as ann@example.com")
    if not (_ATOM.fullmatch(user) or _QUOTED.fullmatch(user)):
        return Refusal("What stands before the @ is no mailbox name", "Write it such as ann@example.com")
    if host.startswith("[") and host.endswith("]"):
        literal = host[1:-1]
        return ipv6(literal[5:]) if literal[:5].lower() == "ipv6:" else ipv4(literal)
    return hostname(host)


def _no_scheme(text: str) -> Refusal:
    odd = _bad_character(text)
    bare = text.lstrip("/")
    plain = odd is None and bare and uri(f"https://{bare}") is None
    hint = f"Write https://{bare[:_SHOWN]}{'...' if len(bare) > _SHOWN else ''}" if plain else None
    return Refusal("The address has no scheme", hint or "Write an absolute address, such as https://example.com/")


def _authority_of(rest: str) -> str | None:
    """Give what stands between // and the path; None when there is no //."""
    if not rest.startswith("//"):
        return None
    return re.split(r"[/?#\\]", rest[2:], maxsplit=1)[0]


def _web_authority(authority: str) -> Refusal | None:
    user, at, place = authority.rpartition("@")
    if at and not _USER.fullmatch(user):
        return _bad_character(user) or Refusal("What stands before the @ is no user name")
    if place.startswith("["):
        return _bracketed(place)
    host, _, port = place.partition(":")
    return _web_host(host) or _port(port)


def _web_host(host: str) -> Refusal | None:
    if not host:
        return Refusal("The address has no host", "Write the host after //")
    if not host.isascii():
        return _foreign_host(host)
    if "[" in host or "]" in host:
        return Refusal("Brackets stand only around an IPv6 address")
    if any(character.isspace() for character in host):
        return Refusal("The host holds a space", "A host name has letters, digits, '-' and '.'")
    labels = host.split(".")
    if len(labels) == 4 and all(map(_DIGITS.fullmatch, labels)):
        return ipv4(host)
    return _labels(host.removesuffix("."), _LABEL)


def _labels(host: str, label: re.Pattern[str]) -> Refusal | None:
    if len(host) > _LONGEST_HOST:
        return Refusal(f"The host name is longer than {_LONGEST_HOST} characters")
    for part in host.split("."):
        if not part:
            return Refusal("The host name has an empty part", "Put one dot between two parts")
        if len(part) > _LONGEST_LABEL:
            return Refusal(f"A part of the host name is longer than {_LONGEST_LABEL} characters")
        if not label.fullmatch(part) or (part[2:4] == "--" and part[:2].lower() != "xn" and label is _HOST_LABEL):
            return Refusal(
                f"{part[:_SHOWN_PART]!r} is no part of a host name", "It has letters, digits and, inside, '-'"
            )
    return None


def _foreign_host(host: str) -> Refusal:
    reason = "The host has letters outside ASCII"
    try:
        coded = host[:_LONGEST_HOST].encode("idna").decode()
    except UnicodeError:
        return Refusal(reason, "Write it in its ASCII form, which starts with xn--")
    return Refusal(reason, f"Write it in its ASCII form: {coded}")


def _bracketed(place: str) -> Refusal | None:
    literal, closed, behind = place[1:].partition("]")
    if not closed:
        return Refusal("The bracket around the IPv6 address is not closed", "Write it such as https://[::1]/")
    if behind and not behind.startswith(":"):
        return Refusal("Something stands between the IPv6 address and the path")
    return ipv6(literal) or _port(behind[1:])


def _port(port: str) -> Refusal | None:
    if not port:
        return None
    if not _DIGITS.fullmatch(port):
        return Refusal("The port is no number", "Write digits after the colon, or leave the colon out")
    if len(port) > len(str(_LAST_PORT)) or not 1 <= int(port) <= _LAST_PORT:
        return Refusal(f"Port {port[:10]} is not between 1 and {_LAST_PORT}")
    return None


def _generic_authority(authority: str) -> Refusal | None:
    user, at, place = authority.rpartition("@")
    if at and not _USER.fullmatch(user):
        return _bad_character(user) or Refusal("What stands before the @ is no user name")
    if place.startswith("["):
        literal, closed, behind = place[1:].partition("]")
        if closed and _IPV_FUTURE.fullmatch(literal):
            return _port(behind[1:])
        return _bracketed(place)
    host, _, port = place.partition(":")
    if not _REG_NAME.fullmatch(host) or _BAD_ESCAPE.search(host):
        return _bad_character(host) or Refusal("The host holds a character that it must not")
    return _port(port)


def _characters(text: str) -> Refusal | None:
    """Check the path, the query and the fragment."""
    if (odd := _bad_character(text)) is not None:
        return odd
    if "[" in text or "]" in text:
        return Refusal("Brackets stand only around an IPv6 address", "Write them as %5B and %5D")
    if text.count("#") > 1:
        return Refusal("The address has two #", "Write the second one as %23")
    return None


def _bad_character(text: str) -> Refusal | None:
    match = _BAD_CHARACTER.search(text)
    if match is None:
        return Refusal("A % is not followed by two hex digits", "Write % as %25") if _BAD_ESCAPE.search(text) else None
    character = match.group()
    if character == " ":
        return Refusal("The address holds a space", "Write it as %20")
    if not character.isprintable():
        return Refusal("The address holds a character that cannot be seen", f"Remove U+{ord(character):04X}")
    coded = "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "replace"))
    return Refusal(f"The address holds {character!r}", f"Write it as {coded}")
