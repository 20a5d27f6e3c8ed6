"""The rules for a `user_message`, the sentence that an agent reads out when something went wrong."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from skillproto.rules.model import rule
from skillproto.rules.subject import Subject, objects_of
from skillproto.rules.texts import instruction_in
from skillproto.violations import Violation


class Part(NamedTuple):
    """One of the demands on a user_message: a short name, what is wrong, and how it is recognised."""

    name: str
    message: str
    pattern: re.Pattern[str]


_PARTS = (
    Part(
        "identifier",
        "The message holds an identifier or internal code",
        re.compile(
            r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b[0-9a-fA-F]{16,}\b|\b\w+_\w+\b"
            r"|\b(?:[A-Z]{2,}[-_]?[0-9]{2,}|[A-Z]+(?:_[A-Z]+)+|0x[0-9a-fA-F]+)\b|#[0-9]+\b"
            r"|\b(?i:error|code|código|codigo|status|http|id|uuid|ref)\s*[:#=]?\s*[0-9]{2,}\b"
        ),
    ),
    Part(
        "system-name",
        "The message names a table, a system or a technical detail",
        re.compile(
            r"(?i)\b(?:sql|postgres\w*|mysql|oracle|mongodb|redis|kafka|dynamodb|database|base\s+de\s+datos|backend|api"
            r"|endpoint|stack\s?trace|traceback|exception|excepción|null\s?pointer|timeout|json|http[s]?|tabla|schema"
            r"|esquema|servidor|server|microservic\w+|crm|erp|webhook|payload|tenant)\b|\b\w+\.\w+\(\)|\b\w+(?:Error|Exception)\b"
        ),
    ),
    Part(
        "blame",
        "The message blames the user",
        re.compile(
            r"(?i)\b(?:you\s+(?:failed|forgot|did\s+not|didn't|made\s+a\s+mistake|entered\s+(?:a\s+|an\s+)?(?:wrong|invalid|incorrect)"
            r"|should\s+have|must\s+have)|your\s+(?:fault|mistake|error))\b"
            r"|\b(?:usted\s+(?:no|olvidó|se\s+equivocó|cometió)|su\s+(?:culpa|error)|te\s+equivocaste|olvidaste|se\s+equivocó"
            r"|cometiste|ingresó\s+mal|escribió\s+mal|es\s+culpa)\b"
        ),
    ),
    Part(
        "apology",
        "The message apologises at length",
        re.compile(
            r"(?i)\b(?:we|i)(?:'re|'m|\s+are|\s+am)?\s+(?:very|so|deeply|truly|extremely|terribly|really|sincerely)\s+(?:sorry|apologi\w+)"
            r"|\b(?:sincerely\s+apologi\w+|apologi[sz]e\s+for\s+(?:any|the)\s+(?:inconvenience|trouble)|sincere\w*\s+apolog\w+)\b"
            r"|\b(?:(?:lament(?:o|amos)|siento|sentimos)\s+(?:mucho|much\u00edsimo|profundamente|sinceramente|enormemente)|mil\s+disculpas|sinceras\s+disculpas"
            r"|(?:disculp\w+|perd\w+)\s+(?:\w+\s+){0,3}(?:molestias?|inconvenientes?))\b"
            r"|(?s:(?:sorry|apolog|disculp|perdón|lament|siento).{1,200}(?:sorry|apolog|disculp|perdón|lament|siento))"
        ),
    ),
    Part(
        "instruction",
        "The message gives an instruction to the model",
        re.compile(
            r"(?i)\b(?:ask|tell|prompt|remind|inform)\s+(?:the\s+)?(?:user|customer|client|caller)\b"
            r"|\b(?:retry|call|invoke)\s+(?:this|the)\s+(?:tool|skill|function)\b|\b(?:the\s+)?(?:assistant|agent|model)\s+(?:must|should)\b"
            r"|\b(?:pide|pídele|pregunta|pregúntale|dile|solicita|indícale|recuérdale|informa|reintenta|llama|escala)\s+"
            r"(?:\w+\s+){0,3}?(?:usuario|cliente|documento|dato|datos|herramienta|humano|otra\s+vez|de\s+nuevo)\b"
        ),
    ),
    Part(
        "personal-data",
        "The message holds personal data",
        re.compile(
            r"[\w.+-]{1,64}@[\w-]{1,63}\.\w|(?<![\w.])\+?[0-9](?:[ .()-]?[0-9]){7,14}(?![\w])"
            r"|\b[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9kK]\b"
            r"|(?i:\b(?:dni|rut|cédula|cedula|curp|nif|nie|pasaporte|passport|ssn|iban)\b[^.]{0,20}?[0-9]{3,})"
        ),
    ),
)
_MOST_SENTENCES = 2
_LONGEST_TEXT = 2000
_SENTENCE_END = re.compile(r"[.!?…]+[\"'»”)\]]*(?=\s|$)")
_ABBREVIATION = re.compile(
    r"(?i)\b(?:sr|sra|srta|dr|dra|mr|mrs|ms|st|no|núm|etc|e\.g|i\.e|p\.ej|a\.m|p\.m|ud|uds|av)\."
)


@rule(
    "descriptor/user-message",
    "warning",
    "A user_message is one or two plain sentences, without identifiers, blame, apologies or orders.",
    source="Asixto 06, rules for writing a user_message",
    bad='{"x-errors": [{"error_type": "NOT_FOUND", "user_message": "Record PAT_0042 is missing in the table."}]}',
    good='{"x-errors": [{"error_type": "NOT_FOUND", "user_message": "I found no appointment with these details."}]}',
    schemas=("descriptor", "index", "error", "execution"),
    why="""An agent paraphrases the message or reads it out on the telephone. At most two sentences; no
    identifiers, internal codes, table or system names; no blame and no long apology, since the agent
    sets the tone; no instruction to the model, since the kind of error decides what it does; no
    third person's personal data. One finding for each of these, named in details.broken. English and
    Spanish are read. It is a warning, since words cannot settle what was meant.""",
)
def user_message(subject: Subject) -> Iterator[Violation]:
    """Check every member called user_message."""
    for at, members in objects_of(subject.document):
        text = members.get("user_message")
        if isinstance(text, str):
            yield from check_user_message(text, at=f"{at}/user_message")


def check_user_message(text: str, *, at: str = "/error/user_message") -> list[Violation]:
    """Check the text of one user_message, as it came in a reply or stands in a descriptor.

    Source: Asixto 06.

    >>> [v.details["broken"] for v in check_user_message("Ask the customer for the document. Sorry! ERR_42.")]
    ['too-long', 'identifier', 'instruction']
    """
    text = text[:_LONGEST_TEXT]
    found = []
    if sentence_count(text) > _MOST_SENTENCES:
        found.append(("too-long", "The message has more than two sentences"))
    found += [(part.name, part.message) for part in _PARTS if _breaks(part, text)]
    return [
        user_message.found(at, "one or two plain sentences", text, message, details={"broken": name})
        for name, message in found
    ]


def _breaks(part: Part, text: str) -> bool:
    return bool(part.pattern.search(text) or (part.name == "instruction" and instruction_in(text)))


def sentence_count(text: str) -> int:
    """Count sentences; abbreviations, decimals and dots inside words end none.

    >>> sentence_count("The Dr. is out until 10.30. Come back then?"), sentence_count("No ending")
    (2, 1)
    """
    text = _ABBREVIATION.sub("abbreviation", text.strip())
    ends = len(_SENTENCE_END.findall(text))
    rest = _SENTENCE_END.split(text)[-1].strip() if text else ""
    return ends + bool(rest)
