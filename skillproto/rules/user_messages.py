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


_NAME = r"(?:(?:Mr|Mrs|Ms|Dr|Sra?|Dra?)\.?\s+)?[A-ZÁÉÍÓÚÑ][\w'-]+(?:\s+(?:de|del|la|los))*\s+[A-ZÁÉÍÓÚÑ][\w'-]+"
_NOT_IN_TABLES = "always|besides|indoors|outdoors|upstairs|downstairs|reservations|bookings|seats"
"""What may stand behind a table that people sit at; another plural before a singular verb is the name of a table."""

_PARTS = (
    Part(
        "identifier",
        "The message holds an identifier or internal code",
        re.compile(
            r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b|\b[0-9a-fA-F]{16,}\b|\b\w+_\w+\b"
            r"|\b(?!COVID-?19\b)(?:[A-Z]{2,}[-_]?[0-9]{2,}|[A-Z]+(?:_[A-Z]+)+|0x[0-9a-fA-F]+)\b|#[0-9]+\b"
            r"|\b[a-z]{3,}-[0-9]{3,}\b|\b(?=\w{6,}\b)[A-Za-z]*[0-9]+[A-Za-z]+[0-9]\w*\b"
            r"|\b(?i:error|code|código|codigo|status|http|id|uuid|ref)\s*[:#=]?\s*[0-9]{2,}\b"
        ),
    ),
    Part(
        "system-name",
        "The message names a table, a system or a technical detail",
        re.compile(
            r"(?i)\b(?:sql\w*|postgres\w*|mysql|mariadb|oracle|mongodb|redis|kafka|dynamodb|elasticsearch|rabbitmq"
            r"|database|base\s+de\s+datos|backend|api|endpoint|stack\s?trace|traceback|null\s?pointer|null|timeout|json|xml"
            r"|graphql|https?|schema|microservic\w+|crm|erp|webhook|payload|salesforce|zendesk|hubspot|kubernetes|docker"
            r"|nginx|lambda|cach[eé]|servidor(?:es)?(?!\s+p[uú]blic)|esquema(?!s?\s+de\s+(?:vacun|pago|tratam|turno)))\b"
            r"|\bservers?\s+(?:error|fail\w*|is|are|was|did|does|returned|timed|crashed)\b|\b(?:internal|web|mail|remote)\s+server\b"
            r"|\bconnection\s+(?:refused|reset)\b|\bconectar\s+(?:con\s+|a)(?:el|l)\s+(?:host|nodo|puerto)\b|\bnod[eo]\s+[0-9]"
            r"|\b(?:unhandled|uncaught|runtime)\s+exception\b|\bexception\s+(?:occurred|was\s+\w+|thrown|raised)\b"
            r"|\bexcepci[oó]n\s+(?:no\s+controlada|interna|del?\s+sistema)\b|\b(?:ocurri[oó]|lanz[oó]|produjo)\s+una\s+excepci[oó]n\b"
            r"|\btablas?\s+(?:(?:de|del|la|los|las)\s+)*(?:datos|base|interna|sistema|usuarios|clientes|registros|\w*_\w*)\b"
            r"|\b(?:in|from|of)\s+(?:the\s+)?(?:\w+\s+)?table\s+(?:\w*_\w*|users|customers|orders|records)\b"
            rf"|\btable\s+(?!(?:{_NOT_IN_TABLES})\b)\w*[^\Wsuia]s\s+(?:is|was|has|does)\b"
            r"|\b(?:la|una)\s+tabla\s+(?!(?:antes|entonces|apenas|menos)\b)\w+[aeo]s\s+(?:est[aá]|fue|no)\b"
            r"|\btenant\s*(?:id|config\w*)\b|\b(?:el|su|este|del|un)\s+tenant\b"
            r"|\b\w+\.\w+\(\)|(?-i:\b[Ss](?:istema|ystem)\s+[A-Z]{3,}\b|\bSAP\b|\bAWS\b|\b\w+(?:Error|Exception)\b)"
        ),
    ),
    Part(
        "blame",
        "The message blames the user",
        re.compile(
            r"(?i)\b(?:you\s+(?:failed|forgot|did\s+not|didn't|made\s+a\s+mistake|are\s+(?:wrong|mistaken)"
            r"|(?:entered|gave|provided|typed|used|sent)\s+(?:a\s+|an\s+|the\s+)?(?:wrong|invalid|incorrect|bad)"
            r"|(?:should|must)\s+have\s+(?:checked|known|read|told|given|entered|provided|called|paid|typed|made|forgotten|missed))"
            r"|you\s+(?:entered|typed|gave|wrote)\s+[^.?!]{0,40}\b(?:wrong|incorrectly)"
            r"|your\s+(?:fault|mistake|error)|because\s+of\s+you)\b"
            r"|\b(?:usted\s+(?:olvidó|se\s+equivocó|cometió|falló)|usted\s+no\s+(?:ha\s+)?(?:ingres|escrib|proporcion|indic|envi|complet"
            r"|sigui|ley|respet|pag|hizo|dio|quiso|supo|pudo|cumpl)\w*|su\s+(?:culpa|error)|culpa\s+suya|te\s+equivocaste|olvidaste"
            r"|se\s+equivocó|cometiste|es\s+culpa|se\s+le\s+olvidó|olvidó\s+(?:ingresar|indicar|escribir|enviar|poner|dar|pagar)"
            r"|(?:ingresó|escribió|digitó|puso|proporcionó|dio|envió|indicó)\s+(?:mal|(?:\w+\s+){1,3}(?:incorrect|inválid|erróne|equivocad)\w+))\b"
        ),
    ),
    Part(
        "apology",
        "The message apologises at length",
        re.compile(
            r"(?i)\b(?:we|i)(?:'re|'m|\s+are|\s+am)?\s+(?:very|so|deeply|truly|extremely|terribly|really|sincerely)\s+(?:sorry|apologi\w+)"
            r"|\b(?:sincerely\s+apologi\w+|apologi[sz]e\s+for\s+(?:any|the)\s+(?:inconvenience|trouble)|sincere\w*\s+apolog\w+"
            r"|(?:please\s+)?accept\s+our\s+(?:\w+\s+)?apolog\w+|apologies\s+for\s+(?:any|the)\s+(?:inconvenience|trouble))\b"
            r"|\b(?:(?:lament(?:o|amos)|siento|sentimos)\s+(?:mucho|much\u00edsimo|profundamente|sinceramente|enormemente)|mil\s+disculpas|sinceras\s+disculpas"
            r"|(?:disculp\w+|perd\w+|lament\w+)\s+(?:\w+\s+){0,3}(?:molestias?|inconvenientes?)|rogamos\s+(?:que\s+)?(?:nos\s+|sepa\s+)?disculp\w+)\b"
            r"|(?s:(?:sorry|apolog|disculp|perdón|lament|siento).{1,200}(?:sorry|apolog|disculp|perdón|lament|siento))"
        ),
    ),
    Part(
        "instruction",
        "The message gives an instruction to the model",
        re.compile(
            r"(?i)\b(?:ask|tell|prompt|remind|inform)\s+(?:the\s+)?(?:user|customer|client|caller|patient)\b|\bask\s+(?:them|him|her)\b"
            r"|\bask\s+(?:again\s+for|for\s+[^.?!]{1,40}\bagain\b)"
            r"|\b(?:retry|call|invoke|use)\s+(?:this|the)\s+(?:tool|skill|function)\b|(?:^|\bthe\s+)(?:assistant|agent|model)\s+(?:must|should)\b"
            r"|(?:^|[.!?]\s+)(?:please\s+)?(?:escalate|transfer|hand\s+(?:over|off)|retry)\b[^.?!]{0,30}\b(?:human|person|supervisor|agent|request|call)\b"
            r"|\bdo\s+not\s+(?:retry|mention|tell|reveal|disclose)\b|\bno\s+(?:menciones|reveles|le\s+digas|reintentes|mencione|revele|le\s+diga)\b"
            r"|\b(?:pide|pídele|pregunta|pregúntale|dile|solicita|indícale|recuérdale|informa|reintenta|llama|escala)\s+"
            r"(?:\w+\s+){0,3}?(?:usuario|cliente|documento|dato|datos|herramienta|humano|otra\s+vez|de\s+nuevo)\b"
            r"|\b(?:pida|pídale|pregunte|pregúntele|dígale|solicite|solicítele|indíquele|recuérdele|informe|ofrezca|transfiera|escale)\s+"
            r"(?:\w+\s+){0,4}?(?:al?\s+(?:usuario|cliente|humano|agente|paciente)|un\s+humano|la\s+herramienta)\b"
            r"|(?:^|[.!?:;,]\s+|\b(?:y|entonces|luego|por\s+favor)\s+)(?:llam[ae]|invo(?:ca|que)|ejecut[ae])\s+(?:a\s+)?"
            r"(?:(?:la|esta|otra)\s+(?:funci[oó]n|herramienta|habilidad)|el\s+(?:m[eé]todo|endpoint))\b"
            r"|\b(?:vuelva|vuelve)\s+a\s+(?:pedir|solicitar|preguntar)(?:le)?\b"
            r"|(?:^|[.!?]\s+)(?:escala|escale|transfiere|transfiera|deriva|derive)\s+(?:\w+\s+){0,4}?(?:supervisor|humano|persona|agente|asesor)\b"
            r"|\b(?:pida|solicite|pregunte)\s+(?:\w+\s+){1,3}(?:otra\s+vez|de\s+nuevo|nuevamente)\b"
        ),
    ),
    Part(
        "personal-data",
        "The message holds personal data",
        re.compile(
            r"[\w.+-]{1,64}@[\w-]{1,63}\.\w"
            r"|(?<![\w.])(?![0-9]{1,3}(?:[.,\s][0-9]{3})+(?![0-9-])(?!\s[0-9]))"  # a large number
            r"(?!(?:19|20)[0-9]{2}[-. ](?:[0-9]{2}[-. ][0-9]{2}|(?:19|20)[0-9]{2})(?![0-9]))"  # a date, or two years
            r"(?![0-3]?[0-9][-. ][01]?[0-9][-. ](?:19|20)[0-9]{2}(?![0-9]))"
            r"\+?[0-9](?:[ .()-]?[0-9]){7,14}(?![\w])"
            r"|\b[0-9]{1,2}\.[0-9]{3}\.[0-9]{3}-[0-9kK]\b"
            r"|(?i:\b(?:dni|rut|cédula|cedula|curp|nif|nie|pasaporte|passport|ssn|iban)\b[^.]{0,20}?[0-9]{3,})"
            rf"|\b(?:belongs\s+to|in\s+the\s+name\s+of|(?:booked|registered|assigned|reserved)\s+(?:by|to|for|under))\s+{_NAME}"
            rf"|\b(?:pertenece\s+a|a\s+nombre\s+de|(?:asignad|reservad|registrad)[oa]s?\s+(?:por|para|a))\s+{_NAME}"
            rf"|\b(?i:paciente|cliente|titular|señora?|patient|customer|client)\s+{_NAME}"
            rf"|\b(?i:clientes|pacientes|personas|titulares|contactos|customers|patients|people|contacts)\b[^.:]{{0,40}}:\s*{_NAME}"
        ),
    ),
)
_MOST_SENTENCES = 2
_MOST_CHARS = 300
"""More than this is too long to be heard on the telephone."""

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
    elif len(text) > _MOST_CHARS:
        found.append(("too-long", "The message is too long to be heard on the telephone"))
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
