"""The rules about what only a registry knows: here they have their pages; `publishing` looks for what breaks them."""

from skillproto.rules.model import ExampleKind, Rule
from skillproto.violations import Severity

MANY_SKILLS, FAR_TOO_MANY_SKILLS = 8, 15
"""How many skills an agent bears with errors, and how many badly."""


def _publish(
    name: str, severity: Severity, summary: str, source: str, bad: str, good: str, why: str, kind: ExampleKind
) -> Rule:
    return Rule(f"publish/{name}", severity, summary, source, bad, good, kind, " ".join(why.split()))


RULE_PACK_DIFFERS = _publish(
    "rule-pack-differs",
    "warning",
    "The registry checks with the version of the rules that was used here.",
    "ours",
    '{"state": {"rule_pack_version": "0.9.0"}}',
    '{"state": {}}',
    """A check that passes here may fail there, or the other way round, when the two run different rules. It is
    said before everything else. Install the version of skillproto whose rule pack the registry names.""",
    "publish",
)
VERSION_EXISTS = _publish(
    "version-exists",
    "error",
    "A version is published once.",
    "SemVer 2.0.0 clause 3",
    '{"descriptor": {"version": "1.4.2"}, "state": {"published": [{"id": "com.example.translate-v1", '
    '"version": "1.4.2", "state": "withdrawn", "holder": "Example Language Services"}]}}',
    '{"descriptor": {"version": "2.0.0"}, "state": {"published": [{"id": "com.example.translate-v1", '
    '"version": "1.4.2"}]}}',
    """What was published under a version never changes, also when it was withdrawn and nobody sees it any more:
    somebody may still hold it. The finding names who holds the version, and its state. Publish under a new one.""",
    "publish",
)
VERSION_NOT_GREATER = _publish(
    "version-not-greater",
    "error",
    "A version comes after every published one of its major.",
    "SemVer 2.0.0 clauses 9 to 11",
    '{"descriptor": {"version": "2.0.0-rc.1"}, "state": {"published": [{"id": "com.example.translate-v1", '
    '"version": "2.0.0"}]}}',
    '{"descriptor": {"version": "2.0.0-rc.1"}, "state": {"published": [{"id": "com.example.translate-v1", '
    '"version": "1.4.2"}]}}',
    """Versions are compared by SemVer precedence within their major, so that an older major can still be maintained:
    1.4.3 may follow 2.0.0 where 1.4.2 is there, and 1.4.1 may not. A major below all published ones cannot be begun.
    A pre-release comes before its release. Two versions that differ in their build part alone are one.""",
    "publish",
)
BREAKING_WITHOUT_MAJOR = _publish(
    "breaking-without-major",
    "error",
    "A change that breaks callers comes with a new major version.",
    "SemVer 2.0.0 clauses 4 and 8",
    '{"descriptor": {"version": "1.5.0", "inputs": [{"name": "text", "type": "string", "required": true}, '
    '{"name": "tone", "type": "string", "required": true}]}, "against": {"version": "1.4.2"}}',
    '{"descriptor": {"version": "2.0.0", "inputs": [{"name": "text", "type": "string", "required": true}, '
    '{"name": "tone", "type": "string", "required": true}]}, "against": {"version": "1.4.2"}}',
    """Compared is the contract with that of the last release before it in the same major. There is a finding for
    each break, with the bump that it needs and the line that a registry can allow it by. What cannot
    be decided counts as a break. In major 0 a new minor is enough.""",
    "publish",
)
ID_CHANGED = _publish(
    "id-changed",
    "error",
    "A new version has the id of the version before it.",
    "ours",
    '{"descriptor": {"id": "com.example.translation", "version": "2.0.0"}, "against": {"version": "1.4.2"}}',
    '{"descriptor": {"version": "2.0.0"}, "against": {"version": "1.4.2"}}',
    """Callers, indexes and permissions know a skill by its id. A skill under another id is another skill: publish it
    as one, without the old version to compare with.""",
    "publish",
)
ID_TAKEN = _publish(
    "id-taken",
    "error",
    "An id, and the address that it is called at, belong to nobody else.",
    "ours; Unicode Technical Standard 39 for ids that look alike",
    '{"state": {"taken": [{"name": "com.example.translate-v1", "holder": "Someone Else", "state": "reserved"}]}}',
    '{"state": {"taken": [{"name": "com.example.translate", "holder": "Someone Else", "state": "reserved"}]}}',
    """Taken is an id that somebody else holds, one that differs from a published id in the case of its letters
    alone, and an endpoint that an entry of another namespace holds, whatever its state: the finding
    names the holder and the state. An id that merely looks like another one (l and I, 0 and O, m and rn) is a
    warning.""",
    "publish",
)
NAMESPACE_UNPROVEN = _publish(
    "namespace-unproven",
    "error",
    "The reverse domain that an id begins with is proven.",
    "ours, after RFC 8615",
    '{"state": {"namespaces": ["org.example"]}}',
    '{"state": {"namespaces": ["com.example"]}}',
    """An id such as com.example.translate speaks for example.com. It is proven by that domain's own index at
    /.well-known/skill-sharing naming the id, or by a DNS TXT record.""",
    "publish",
)
_ENTRY = (
    '{"id": "com.example.translate-v1", "name": "Text translation", "capability_type": "api", "description": %s, '
    '"descriptor_url": "https://api.example.com/skill.json", "access": "restricted", "version": "1.4.2"}'
)
INDEX_MISSING = _publish(
    "index-missing",
    "error",
    "The provider's index lists the skill.",
    "SSP, discovery",
    '{"state": {"index": []}}',
    '{"descriptor": {"description": "Translates."}, "state": {"index": [' + _ENTRY % '"Translates."' + "]}}",
    """Consumers find skills in the index at /.well-known/skill-sharing. A private skill is not asked about: without
    credentials the index does not show it.""",
    "publish",
)
INDEX_MISMATCH = _publish(
    "index-mismatch",
    "error",
    "The entry in the provider's index says what the descriptor says.",
    "SSP, discovery",
    '{"descriptor": {"description": "Translates."}, "state": {"index": [' + _ENTRY % '"Summarizes."' + "]}}",
    '{"descriptor": {"description": "Translates."}, "state": {"index": [' + _ENTRY % '"Translates."' + "]}}",
    """Whoever chooses a skill reads the entry, and whoever calls it reads the descriptor. Compared are name, capability
    type, description and access, in the entry of this very version. Where the index has only other versions, that
    is a warning: it is still to be brought up to date.""",
    "publish",
)
RESERVED_VERSION = _publish(
    "reserved-version",
    "error",
    "A version is a version, not a way to ask for one.",
    "SemVer 2.0.0 clause 2",
    '{"descriptor": {"version": "latest"}}',
    '{"descriptor": {"version": "1.4.2"}}',
    """Words such as latest, and ranges such as 1.x or ^1.2.0, are what consumers write to ask for a version. A
    registry that published one under such a name could not tell the two apart.""",
    "publish",
)
TOO_MANY_SKILLS = _publish(
    "too-many-skills",
    "warning",
    "A namespace offers no more skills than an agent can choose among.",
    "MCP tool errors: an agent bears 4 to 5 tools well, 8 to 10 with errors, 15 and more badly",
    '{"state": {"published": ['
    + ", ".join(f'{{"id": "com.example.skill-{letter}", "version": "1.0.0"}}' for letter in "abcdefghjknpqrt")
    + "]}}",
    '{"state": {"published": [{"id": "com.example.skill-a", "version": "1.0.0"}]}}',
    """Skills of one namespace tend to be loaded together, and a model that sees many chooses badly. From 8 on it is
    said, from 15 on it is a warning. Join skills that differ in a parameter, or part the namespace by subject.""",
    "publish",
)
OPTIONAL_REFUSES_NULL = _publish(
    "optional-refuses-null",
    "warning",
    "A parameter that can be left out accepts null.",
    "Asixto MCP reference: models send null for what is optional",
    '{"descriptor": {"inputs": [{"name": "text", "type": "string", "required": true}, '
    '{"name": "tone", "type": "string"}]}}',
    '{"descriptor": {"inputs": [{"name": "text", "type": "string", "required": true}, '
    '{"name": "tone", "type": "string", "schema": {"type": ["string", "null"]}}]}}',
    """Models fill in every parameter that they are shown, with null for what they have nothing for, and the call
    fails. Give the parameter a schema that names null, or make it required. A parameter that has a schema is looked at
    by descriptor/optional-refuses-null.""",
    "publish",
)
STALE_ALLOWANCE = _publish(
    "stale-allowance",
    "warning",
    "A line that allows a finding has its finding.",
    "ours",
    '{"allow": ["com.example.translate-v1@1.4.2 diff/input-removed /inputs/2"]}',
    '{"allow": ["com.example.another@1.4.2 diff/input-removed /inputs/2"]}',
    """A registry lets a finding pass by a line that names the skill, the version, the rule and the pointer. One that
    lets nothing pass would let the next mistake at that place pass. Take it out.""",
    "publish",
)
