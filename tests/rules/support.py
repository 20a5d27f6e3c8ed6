"""Descriptors to start from, and the findings of a rule's examples."""

import codecs
import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from skillproto.discovery import Entry, Fetched
from skillproto.discovery.descriptors import judge_descriptor
from skillproto.discovery.index import read_listing
from skillproto.documents import Limits, read
from skillproto.publishing import RegistryState, publish_check
from skillproto.publishing.comparison import diff
from skillproto.publishing.probing.judging import Exchange, judge
from skillproto.rules import Rule, check_document, validate
from skillproto.validation import compile_embedded
from skillproto.violations import Violation

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(path for path in (ROOT / "examples").iterdir() if path.suffix in (".json", ".yaml"))

_INDEX = {"protocol": {"version": "1.0.0"}, "provider": {"name": "Example"}, "skills": []}
_ENTRY = {
    "id": "com.example.a",
    "name": "A",
    "capability_type": "api",
    "description": "Does A.",
    "descriptor_url": "https://a.example.com/skill.json",
    "access": "public",
    "version": "1.0.0",
}
_NOTHING: dict[str, Any] = {}
_SMALL = Limits(max_bytes=8, max_depth=3)


def example(name: str = "translate.json") -> dict[str, Any]:
    """Give an example descriptor as a new value."""
    value: dict[str, Any] = json.loads((ROOT / "examples" / name).read_text(encoding="utf-8"))
    return value


def with_members(**members: Any) -> dict[str, Any]:
    """Give a descriptor without findings, with some of its members replaced."""
    base = example("holidays.json") if members.get("access") == "public" and "auth" not in members else example()
    return base | copy.deepcopy(members)


def with_parameter(**members: Any) -> dict[str, Any]:
    """Give a descriptor with one parameter."""
    return with_members(inputs=[{"name": "p", "type": "string", **members}])


def index_of(*entries: dict[str, Any]) -> dict[str, Any]:
    """Give an index with these entries, each laid over a complete one."""
    return _INDEX | {"skills": [_ENTRY | entry for entry in entries]}


def rules_of(violations: list[Violation]) -> list[str]:
    """Give the rules of findings, in their order."""
    return [violation.rule for violation in violations]


def findings(rule: Rule, text: str) -> list[Violation]:
    """Give what is found in one of a rule's examples; in a text that is no descriptor, by reading alone."""
    match rule.example_kind:
        case "members":
            return validate(with_members(**json.loads(text)))
        case "index-members":
            return validate(index_of(*json.loads(text)["skills"]), schema="index")
        case "value":
            case = json.loads(text)
            return compile_embedded(case["schema"]).check(case["value"])
        case "bytes":
            return _read(codecs.escape_decode(text.encode())[0], "json")
        case "json":
            return _read(text.encode(), "json")
        case "yaml":
            return _read(text.encode(), "yaml")
        case "publish":
            return publishing_findings(**json.loads(text))
        case "probe":
            return list(judge(Exchange.read(json.loads(text))))
        case "listing":
            return listing_findings(**json.loads(text))
        case "config":
            return _read(text.encode(), "json", _SMALL)
        case "change":
            case = json.loads(text)
            return diff(with_members(**case["old"]), with_members(**case["new"])).violations


def listing_findings(
    asked: str, status: int, media_type: str, skills: Sequence[dict[str, Any]] = (), access: str = "public"
) -> list[Violation]:
    """Give what is found in a reply to somebody who looks for skills."""
    url = "https://example.com/.well-known/skill-sharing"
    body = index_of(*skills) if asked == "index" else with_members(access=access)
    fetched = Fetched(url, status, (("content-type", media_type),), json.dumps(body).encode())
    if asked == "index":
        return list(read_listing(url, fetched).findings)
    return list(judge_descriptor(Entry("/skills/0", body, url), fetched).findings)


def publishing_findings(
    descriptor: dict[str, Any] = _NOTHING,
    state: dict[str, Any] | None = None,
    against: dict[str, Any] | None = None,
    allow: Sequence[str] = (),
) -> list[Violation]:
    """Give what a registry finds in a descriptor, its members laid over one that has no findings."""
    known = None if state is None else RegistryState.read(state)
    base = with_members(inputs=[{"name": "text", "type": "string", "required": True}])
    previous = None if against is None else base | against
    return list(publish_check(base | descriptor, known, against=previous, allow=allow).findings)


def _read(data: bytes, kind: Any, limits: Limits = Limits()) -> list[Violation]:  # noqa: B008 - a frozen value
    found = [v for document in read(data, kind=kind, limits=limits) for v in check_document(document)]
    return [violation for violation in found if violation.rule.startswith("document/")]
