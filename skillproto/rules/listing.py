"""The rules about what a domain lists: here they have their pages; `discovery` fetches and judges."""

from skillproto.rules.model import Rule
from skillproto.violations import Severity

_ENTRY = (
    '{"id": "com.example.translate-v1", "name": "Text translation", "capability_type": "api", '
    '"description": "Translates.", "descriptor_url": "https://api.example.com/skill.json", "version": "1.4.2", %s}'
)
_INDEX = '{"asked": "index", "status": 200, "media_type": "%s", "skills": [' + _ENTRY + "]}"
_DESCRIPTOR = '{"asked": "descriptor", "access": "public", "status": %s, "media_type": "application/json"}'


def _listing(name: str, severity: Severity, summary: str, source: str, bad: str, good: str, why: str) -> Rule:
    return Rule(f"probe/{name}", severity, summary, source, bad, good, "listing", " ".join(why.split()))


PRIVATE_LISTED = _listing(
    "private-listed",
    "error",
    "A private skill is shown to nobody without credentials.",
    "SSP, discovery",
    _INDEX % ("application/json", '"access": "private"'),
    _INDEX % ("application/json", '"access": "restricted"'),
    """Without credentials an index lists public and restricted skills only, and the descriptor of a private one
    is not served. What the world may know about is restricted, or public.""",
)
CONTENT_TYPE = _listing(
    "content-type",
    "warning",
    "An index or descriptor says what it is.",
    "RFC 8259 section 11; RFC 9512; SSP, discovery",
    _INDEX % ("text/html", '"access": "public"'),
    _INDEX % ("application/json", '"access": "public"'),
    """Clients and proxies go by the Content-Type: application/json for an index, and for a descriptor that or
    application/yaml. Under another type it may be shown as a page, or refused.""",
)
DESCRIPTOR_MISSING = _listing(
    "descriptor-missing",
    "error",
    "The descriptor that an index names is there.",
    "SSP, discovery",
    _DESCRIPTOR % 404,
    _DESCRIPTOR % 200,
    """An entry whose address answers that there is nothing, or asks for credentials although the skill is public,
    leads everybody who chooses the skill nowhere.""",
)
