"""The rules that reading and validation decide: here they only have their page in the catalogue."""

from skillproto.rules.model import ExampleKind, Rule
from skillproto.violations import Severity

_RFC8259 = "RFC 8259"
_YAML = "YAML 1.2"
_SCHEMA = "SSP 9.4; JSON Schema Validation 2020-12"


def _document(
    name: str, summary: str, source: str, bad: str, good: str, kind: ExampleKind, why: str, severity: Severity = "error"
) -> Rule:
    return Rule(f"document/{name}", severity, summary, source, bad, good, kind, " ".join(why.split()))


def _schema(name: str, summary: str, bad: str, good: str, why: str, kind: ExampleKind = "members") -> Rule:
    every = ("descriptor", "index", "error", "execution", "invocation-request")
    return Rule(f"schema/{name}", "error", summary, _SCHEMA, bad, good, kind, " ".join(why.split()), every)


def _embedded(name: str, summary: str, source: str, bad: str, good: str, why: str) -> Rule:
    return Rule(f"descriptor/{name}", "error", summary, source, bad, good, "members", " ".join(why.split()))


TOO_DEEP = _document(
    "too-deep",
    "Objects and arrays are nested within the limit.",
    "RFC 8259 section 9",
    "[[[[]]]]",
    "[[]]",
    "config",
    """Deep nesting breaks parsers that recurse. No descriptor needs it.""",
)

DOCUMENT_RULES = (
    _document(
        "syntax",
        "The text is well-formed JSON or YAML.",
        "RFC 8259; YAML 1.2",
        '{"name": "Translate",}',
        '{"name": "Translate"}',
        "json",
        """The position is that of the first character that cannot be read. Comments and commas before a closing
        bracket are not part of JSON.""",
    ),
    _document(
        "encoding",
        "The text is UTF-8.",
        "RFC 8259 section 8.1",
        r'{"name": "Caf\xe9"}',
        r'{"name": "Caf\xc3\xa9"}',
        "bytes",
        """A byte order mark and any line ending are fine. UTF-16, UTF-32 and Latin-1 are not read, since a guess
        can turn one valid text into another.""",
    ),
    _document(
        "duplicate-key",
        "An object has each member once.",
        "RFC 8259 section 4",
        '{"access": "public", "access": "private"}',
        '{"access": "public"}',
        "json",
        """Parsers differ on which of the two counts, so that a reviewer and a client may see two different
        descriptors. Both positions are given.""",
    ),
    _document(
        "too-large",
        "The text stays within the limit of bytes and values.",
        "ours",
        "[0, 0, 0, 0]",
        "[0]",
        "config",
        """The limit keeps a stranger's file from filling the memory. It can be raised where larger documents are
        wanted.""",
    ),
    TOO_DEEP,
    _document(
        "non-finite-number",
        "Numbers are finite.",
        "RFC 8259 section 6",
        '{"timeout_ms": NaN}',
        '{"timeout_ms": 30000}',
        "json",
        """NaN and Infinity are no JSON, though some parsers read them (in YAML they are .nan and .inf), and neither
        is a number such as 1e400, which no double can hold.""",
    ),
    _document(
        "number-out-of-range",
        "Numbers fit what other programs can hold.",
        "RFC 8259 section 6; RFC 7493 section 2.2",
        '{"timeout_ms": 1' + "0" * 400 + "}",
        '{"timeout_ms": 10000}',
        "json",
        """An integer of hundreds of digits is read as infinity by one program and refused by another; one of
        thousands takes long to read.""",
    ),
    _document(
        "yaml-alias-limit",
        "YAML aliases stay few, and none refers to itself.",
        _YAML,
        "a: &a [*a]\n",
        "a: &a [1]\nb: *a\n",
        "yaml",
        """Aliases of aliases grow a text of a few lines to billions of values; one that refers to itself
        never ends.""",
    ),
    _document(
        "yaml-ambiguous",
        "A YAML value that must be text is quoted where it reads as something else.",
        _YAML,
        "version: 1.10\n",
        'version: "1.10.0"\n',
        "yaml",
        """YAML reads 1.10 as the number 1.1, no as false, and 2026-01-01 as a date, so that what the file says is
        lost. The finding tells what was written and what it was read as.""",
    ),
    _document(
        "lone-surrogate",
        "Escapes make whole characters.",
        "RFC 8259 section 8.2; RFC 7493 section 2.1",
        '{"name": "\\ud83d"}',
        '{"name": "\\ud83d\\ude00"}',
        "json",
        """Half of a surrogate pair is no character: it cannot be written as UTF-8, and programs differ in
        what they make of it.""",
    ),
    _document(
        "non-string-key",
        "The name of a member is text.",
        "RFC 8259 section 4",
        "{1: one}\n",
        '{"1": one}\n',
        "yaml",
        """YAML allows any value as a key, JSON only text. A number or truth value must be quoted.""",
    ),
    _document(
        "not-data",
        "The file holds data only.",
        _YAML,
        "a: !!python/object/apply:os.system [id]\n",
        "a: [id]\n",
        "yaml",
        """Tags that construct objects are refused, and a program under the name of a data file is a finding. Nothing
        in a file is ever run.""",
    ),
)

SCHEMA_RULES = (
    _schema(
        "required",
        "Every member that the protocol asks for is there.",
        '{"provider": {"url": "https://www.example.com"}}',
        '{"provider": {"name": "Example"}}',
        """The finding stands at the pointer that the member should have. Where a member with nearly the same name
        is there, the two are one finding that names both.""",
    ),
    _schema(
        "type",
        "A value has the type that the protocol asks for.",
        '{"tags": "text"}',
        '{"tags": ["text"]}',
        """Types are those of JSON. In YAML a value without quotes may be read as a number, a truth value or a date;
        then document/yaml-ambiguous says so instead.""",
    ),
    _schema(
        "enum",
        "A value is one of those listed.",
        '{"capability_type": "unknown_type"}',
        '{"capability_type": "task"}',
        """The finding lists the values, and names the nearest. An unknown auth.type is this one finding, whatever
        else stands in auth.""",
    ),
    _schema(
        "pattern",
        "A text has the form that the protocol asks for.",
        '{"version": "v2.3"}',
        '{"version": "2.3.0"}',
        """The finding says in words what the form is, and the value that was meant where one is plain. The
        regular expression is in details.""",
    ),
    _schema(
        "format",
        "An address, address template or date-time is well-formed.",
        '{"documentation_url": "https://exa mple.com"}',
        '{"documentation_url": "https://example.com"}',
        """Addresses are absolute, http or https, without spaces and with a host and port that can exist (RFC 3986).
        Date-times have an offset (RFC 3339).""",
    ),
    _schema(
        "length",
        "A text or list is neither too short nor too long.",
        '{"tags": [""]}',
        '{"tags": ["text"]}',
        """Lengths of texts are counted in characters.""",
    ),
    _schema(
        "range",
        "A number is neither too small nor too large.",
        '{"endpoint": {"url": "https://a.example.com/", "status_url": "https://a.example.com/s", '
        '"result_url": "https://a.example.com/r", "timeout_ms": 0}}',
        '{"endpoint": {"url": "https://a.example.com/", "status_url": "https://a.example.com/s", '
        '"result_url": "https://a.example.com/r", "timeout_ms": 1000}}',
        """endpoint.timeout_ms is between a millisecond and a day.""",
    ),
    _schema(
        "unique",
        "A list holds each entry once.",
        '{"tags": ["text", "text"]}',
        '{"tags": ["text", "html"]}',
        """Each repeated entry is one finding.""",
    ),
    _schema(
        "unexpected",
        "A value has no member that its schema rules out, and a call no input that the skill does not take.",
        '{"schema": {"properties": {"text": {}}, "additionalProperties": false}, "value": {"texts": "x"}}',
        '{"schema": {"properties": {"text": {}}, "additionalProperties": false}, "value": {"text": "x"}}',
        """Found in inputs and outputs of a call. A descriptor itself may have unknown members; see
        descriptor/unknown-member.""",
        "value",
    ),
    _schema(
        "form",
        "A value has one of the forms that its schema allows.",
        '{"schema": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "value": []}',
        '{"schema": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "value": 7}',
        """Found in inputs and outputs of a call, where a schema allows a choice of forms.""",
        "value",
    ),
    _schema(
        "null-member",
        "A member without a value is left out.",
        '{"documentation_url": null}',
        '{"tags": []}',
        """null is a value of its own in JSON and no way to say "not given". Remove the member.""",
    ),
)

SCHEMA_TOO_COMPLEX = _embedded(
    "schema-too-complex",
    "A schema in a descriptor, and a list of values, stay within limits.",
    "ours",
    '{"output": {"type": "object", "schema": {"$ref": "#"}}}',
    '{"output": {"type": "object", "schema": {"type": "object"}}}',
    """Checking a value must end in bounded time and memory: the size and depth of a schema are limited,
    references must not go round in circles, and an enum or a list of examples holds at most a thousand
    values. A check that had to be given up is this finding, never a pass.""",
)

EMBEDDED_RULES = (
    _embedded(
        "schema-invalid",
        "A schema in a descriptor is a valid JSON Schema.",
        "JSON Schema 2020-12",
        '{"output": {"type": "object", "schema": {"type": "objct"}}}',
        '{"output": {"type": "object", "schema": {"type": "object"}}}',
        """A schema that is not valid checks nothing, or refuses everything, depending on the program.""",
    ),
    _embedded(
        "schema-remote-ref",
        "A schema in a descriptor refers to itself only.",
        "JSON Schema 2020-12 section 8.2; OWASP Server-Side Request Forgery",
        '{"output": {"type": "object", "schema": {"$ref": "https://example.com/other.json"}}}',
        '{"output": {"type": "object", "schema": {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}}}}',
        """A reference to another document would make every client that checks a value fetch what a stranger
        names, or read a file. None is ever fetched.""",
    ),
    _embedded(
        "schema-unsafe-pattern",
        "A pattern in a schema is matched in bounded time.",
        "OWASP Regular expression Denial of Service",
        '{"output": {"type": "string", "schema": {"type": "string", "pattern": "^(a+)+$"}}}',
        '{"output": {"type": "string", "schema": {"type": "string", "pattern": "^a+$"}}}',
        """Some patterns take a time that doubles with each character of the text. Write the pattern without
        a repetition inside a repetition.""",
    ),
    SCHEMA_TOO_COMPLEX,
)
