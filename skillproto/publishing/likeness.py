"""Which ids are the same to the eye, and which addresses lead to the same place.

Pure. After Unicode Technical Standard 39: two ids look alike when their skeletons are equal. Ids are
ASCII, so that a handful of its confusable pairs is all there is.
"""

import re
from urllib.parse import urlsplit

_ALIKE = str.maketrans({"I": "l", "1": "l", "|": "l", "0": "O", "_": "-"})
_PORTS = {"http": 80, "https": 443}
_PLAIN = re.compile(r"https?://[a-z0-9.-]*[a-z0-9](?:/[A-Za-z0-9._~/-]*)?")
_FEWEST_LABELS = 2


def folded(name: str) -> str:
    """Give a name without the case of its letters.

    >>> folded("Com.Example.A")
    'com.example.a'
    """
    return name.casefold()


def skeleton(name: str) -> str:
    """Give what a name looks like: equal for two that a reader takes for each other.

    >>> skeleton("com.example.modern1") == skeleton("com.example.modernl"), skeleton("a.rn") == skeleton("a.m")
    (True, True)
    """
    return name.translate(_ALIKE).casefold().replace("rn", "m").replace("vv", "w")


def same_address(url: str) -> str:
    """Give an address in the one way that all its spellings share; one that cannot be read stays as it is.

    >>> same_address("HTTPS://API.example.com:443/run/")
    'https://api.example.com/run'
    """
    if _PLAIN.fullmatch(url):
        return url.rstrip("/")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url
    scheme = parts.scheme.lower()
    where = host.rstrip(".") if port in (None, _PORTS.get(scheme)) else f"{host.rstrip('.')}:{port}"
    query = f"?{parts.query}" if parts.query else ""
    return f"{scheme}://{where}{parts.path.rstrip('/')}{query}"


def namespace_of(skill_id: str) -> str:
    """Give what an id shares with its siblings: all but its last label.

    >>> namespace_of("com.example.translate-v1"), namespace_of("translate")
    ('com.example', '')
    """
    return skill_id.rpartition(".")[0].casefold()


def namespaces_of(skill_id: str) -> list[str]:
    """Give the namespaces that an id lies in, the widest first; a top-level domain is none.

    >>> namespaces_of("com.example.team.translate")
    ['com.example', 'com.example.team']
    """
    labels = skill_id.casefold().split(".")
    return [".".join(labels[:count]) for count in range(_FEWEST_LABELS, len(labels))]
