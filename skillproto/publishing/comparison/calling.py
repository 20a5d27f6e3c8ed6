"""Compare how a skill is called: its endpoint, and how a caller identifies itself. Pure."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from skillproto.descriptor import DEFAULT_KEY_HEADER
from skillproto.publishing.comparison.changes import Change, change
from skillproto.publishing.comparison.phrases import quoted
from skillproto.publishing.comparison.texts import other_members, text
from skillproto.validation.shown import shown
from skillproto.violations import pointer

Document = dict[str, Any]

ENDPOINT = ("url", "method", "content_type", "status_url", "result_url", "timeout_ms")
DEFAULT_TIMEOUT_MS = 30_000
"""How long a client waits for a skill whose descriptor does not say."""

_PLACEHOLDER = "{execution_id}"
_PORTS = {"http": 80, "https": 443}


def endpoint(old: Document, new: Document) -> Iterator[Change]:
    """Give the changes of `endpoint`."""
    before, after = old["endpoint"], new["endpoint"]
    yield from _url(before, after)
    yield from _content_type(before, after)
    for name in ("status_url", "result_url"):
        yield from _execution_url(before, after, name)
    yield from _timeout(before, after)
    if before.get("method", "POST") == after.get("method", "POST") and ("method" in before) != ("method" in after):
        yield _rewritten(after, "method", "/endpoint")
    yield from other_members(before, after, ENDPOINT, "/endpoint")


def _rewritten(members: Document, name: str, at: str) -> Change:
    field = f"{at}/{name}" if name in members else at
    return change("rewritten", field, f"The {name.replace('_', ' ')} says the same in other words")


def _url(before: Document, after: Document) -> Iterator[Change]:
    if before["url"] == after["url"]:
        return
    if _address(before["url"]) == _address(after["url"]):
        yield _rewritten(after, "url", "/endpoint")
        return
    moved = _address(before["url"])[:3] != _address(after["url"])[:3]
    message = "Calls go to another address; who still calls the old one, breaks"
    if moved:
        message = "Calls go to another origin, for which no caller has credentials yet"
    values = {"before": shown(before["url"]), "after": shown(after["url"])}
    yield change("endpoint-changed", "/endpoint/url", message, **values)


def _address(url: str) -> tuple[Any, ...]:
    """Take an address apart so that two spellings of one address are equal."""
    try:
        parts = urlsplit(url.partition("#")[0])
        scheme = parts.scheme.lower()
        port = parts.port or _PORTS.get(scheme)
        return (
            scheme,
            (parts.hostname or "").lower(),
            port,
            parts.path or "/",
            parts.query,
            parts.username,
            parts.password,
        )
    except ValueError:
        return (url,)


def _content_type(before: Document, after: Document) -> Iterator[Change]:
    old, new = (members.get("content_type", "application/json") for members in (before, after))
    if media_type(old) != media_type(new):
        message = f"Calls are written as {quoted(new)} instead of {quoted(old)}"
        at = "/endpoint/content_type" if "content_type" in after else "/endpoint"
        yield change("content-type-changed", at, message, before=shown(old), after=shown(new))
    elif before.get("content_type") != after.get("content_type"):
        yield _rewritten(after, "content_type", "/endpoint")


def media_type(written: str) -> str:
    """Write a media type so that two spellings of one are equal; the values of its parameters stay as they are.

    >>> media_type("Application/JSON ;charset=UTF-8")
    'application/json;charset=UTF-8'
    """
    kind, *parameters = (part.strip() for part in written.split(";"))
    return ";".join([kind.lower(), *(part for part in parameters if part)])


def _execution_url(before: Document, after: Document, name: str) -> Iterator[Change]:
    old, new, at = before.get(name), after.get(name), f"/endpoint/{name}"
    values = {"before": shown(old), "after": shown(new)}
    if old == new:
        return
    if old is None:
        yield change("execution-url-added", at, f"The {name} is new, so that executions can be asked about", **values)
    elif new is None:
        message = f"The {name} is gone, and nobody can ask about an execution there"
        yield change("execution-url-removed", at, message, side="old", **values)
    elif _address(_template(old)) == _address(_template(new)):
        yield _rewritten(after, name, "/endpoint")
    else:
        yield change("execution-url-changed", at, f"The {name} is another address", **values)


def _template(url: str) -> str:
    if _PLACEHOLDER in url:
        return url
    path, mark, query = url.partition("#")[0].partition("?")
    return f"{path.rstrip('/')}/{_PLACEHOLDER}{mark}{query}"


def _timeout(before: Document, after: Document) -> Iterator[Change]:
    old, new = (members.get("timeout_ms", DEFAULT_TIMEOUT_MS) for members in (before, after))
    at = "/endpoint/timeout_ms" if "timeout_ms" in after else "/endpoint"
    if new < old:
        message = f"A client gives up after {int(new)} ms instead of {int(old)} ms"
        yield change("timeout-lowered", at, message, before=old, after=new)
    elif new > old:
        message = f"A client waits for up to {int(new)} ms instead of {int(old)} ms"
        yield change("timeout-raised", at, message, before=old, after=new)
    elif ("timeout_ms" in before) != ("timeout_ms" in after):
        yield _rewritten(after, "timeout_ms", "/endpoint")


def auth(old: Document, new: Document) -> Iterator[Change]:
    """Give the changes of `auth`."""
    before, after = old["auth"], new["auth"]
    was, is_now = before["type"], after["type"]
    yield from text(before, after, "description", "/auth", called="description of how to identify oneself")
    yield from other_members(before, after, ("type", "description", *_members_of(was, is_now)), "/auth")
    values = {"before": was, "after": is_now}
    if was != is_now:
        if was == "none":
            yield change("auth-added", "/auth/type", "A caller has to identify itself now", **values)
        elif is_now == "none":
            yield change("auth-removed", "/auth/type", "A caller no longer has to identify itself", **values)
        else:
            yield change("auth-changed", "/auth/type", "A caller identifies itself in another way", **values)
    elif was in _SAME_TYPE:
        yield from _SAME_TYPE[was](before, after)


def _members_of(*kinds: str) -> list[str]:
    own = {"api_key": "header", "oauth2": "oauth2", "custom": "custom"}
    return [own[kind] for kind in kinds if kind in own]


def _api_key(before: Document, after: Document) -> Iterator[Change]:
    old, new = (members.get("header", DEFAULT_KEY_HEADER) for members in (before, after))
    at = "/auth/header" if "header" in after else "/auth"
    if old.lower() != new.lower():
        message = f"The key travels in the header {quoted(new)} instead of {quoted(old)}"
        yield change("auth-header-changed", at, message, before=shown(old), after=shown(new))
    elif before.get("header") != after.get("header"):
        yield _rewritten(after, "header", "/auth")


def _oauth2(before: Document, after: Document) -> Iterator[Change]:
    old, new = before["oauth2"], after["oauth2"]
    at = "/auth/oauth2"
    for name in ("token_url", "authorization_url"):
        values = {"before": shown(old.get(name)), "after": shown(new.get(name))}
        if old.get(name) == new.get(name):
            continue
        if name not in old:
            yield change("authorization-url-added", f"{at}/{name}", "A person can sign in at an address now", **values)
        elif name in new and _address(old[name]) == _address(new[name]):
            yield _rewritten(new, name, at)
        else:
            message = f"The {name} is {'another address' if name in new else 'gone'}, and what was set up there is not"
            rule = f"{name.replace('_', '-')}-changed"
            yield change(rule, f"{at}/{name}", message, side="new" if name in new else "old", **values)
    yield from _scopes(old.get("scopes", {}), new.get("scopes", {}), f"{at}/scopes")
    yield from other_members(old, new, ("token_url", "authorization_url", "scopes"), at)


def _scopes(old: Document, new: Document, at: str) -> Iterator[Change]:
    for name in old:
        if name not in new:
            message = f"The scope {quoted(name)} is gone, and who asks for it by name is refused"
            yield change("scope-removed", at + pointer([name]), message, side="old", before=shown(name))
        elif old[name] != new[name]:
            yield change("text-changed", at + pointer([name]), f"The meaning of the scope {quoted(name)} changed")
    for name in new:
        if name not in old:
            message = (
                f"The scope {quoted(name)} is new; clients ask for all that are listed and may be refused this one"
            )
            yield change("scope-added", at + pointer([name]), message, after=shown(name))


def _custom(before: Document, after: Document) -> Iterator[Change]:
    old, new = before["custom"], after["custom"]
    at = "/auth/custom"
    if old["instructions"] != new["instructions"]:
        message = "The instructions changed; whether old callers still follow them cannot be decided from a text"
        values = {"before": shown(old["instructions"]), "after": shown(new["instructions"])}
        yield change("instructions-changed", f"{at}/instructions", message, decided=False, **values)
    listed = [{one["name"]: (i, one) for i, one in enumerate(side.get("parameters", ()))} for side in (old, new)]
    yield from _credentials(listed[0], listed[1], f"{at}/parameters")
    yield from other_members(old, new, ("instructions", "parameters"), at)


def _credentials(
    old: dict[str, tuple[int, Document]], new: dict[str, tuple[int, Document]], at: str
) -> Iterator[Change]:
    for name, (i, members) in old.items():
        if name not in new:
            message = f"A caller no longer needs {quoted(name)} to identify itself"
            yield change("credential-removed", f"{at}/{i}", message, side="old", before=shown(name))
        else:
            place, other = new[name]
            yield from text(members, other, "description", f"{at}/{place}")
            yield from other_members(members, other, ("name", "description"), f"{at}/{place}")
    for name, (i, _) in new.items():
        if name not in old:
            message = f"A caller needs {quoted(name)} to identify itself now"
            yield change("credential-added", f"{at}/{i}", message, after=shown(name))


_SAME_TYPE = {"api_key": _api_key, "oauth2": _oauth2, "custom": _custom}
