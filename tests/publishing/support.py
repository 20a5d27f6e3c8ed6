"""Descriptors to publish, and what a registry knows about them."""

from typing import Any

from skillproto.publishing import Published, PublishReport, RegistryState, publish_check
from tests.discovery.world import Answer
from tests.rules.support import with_members

ID = "com.example.translate-v1"
TEXT = {"name": "text", "type": "string", "required": True, "description": "The text."}
_KNOWN = ("taken", "namespaces", "index", "rule_pack_version")
TONE = {"name": "tone", "type": "string", "required": True}


def skill(**members: Any) -> dict[str, Any]:
    """Give a descriptor of which a registry that knows nothing has nothing to say."""
    return with_members(inputs=[TEXT]) | members


def published(version: str, state: str = "published", **members: Any) -> Published:
    """Give a published version of that skill with its descriptor."""
    descriptor = skill(version=version) | members
    return Published(descriptor["id"], version, state, "Example", descriptor["endpoint"]["url"], descriptor)


def check(descriptor: Any, *versions: Published, **options: Any) -> PublishReport:
    """Check a descriptor against versions that are published."""
    known = {
        name: options.pop(name) for name in ("taken", "namespaces", "index", "rule_pack_version") if name in options
    }
    return publish_check(descriptor, RegistryState(versions, **known), **options)


def found(report: PublishReport) -> list[str]:
    """Give rule and pointer of each finding."""
    return [f"{finding.rule} {finding.field}".rstrip() for finding in report.findings]


class Always(dict[str, Answer]):
    """The answers of a site that says the same at every path, but for those that are named."""

    def __init__(self, answer: Answer, **paths: Answer) -> None:
        super().__init__({f"/{name}": given for name, given in paths.items()})
        self._answer = answer

    def get(self, key: str, default: Any = None) -> Answer:
        return super().get(key, self._answer)
