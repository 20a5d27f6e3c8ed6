"""The sentences that users hear about errors, in English and in neutral Spanish, and the words that must stay inside.

Pure. The sentences keep the rules for a `user_message`: at most two, nothing internal, no blame, no long
apology, no order to the model. None of those for a failing system says that something does not exist.

Source: Asixto 06.
"""

import re
from collections.abc import Mapping
from typing import Literal, get_args

Locale = Literal["en", "es"]
LOCALES: tuple[Locale, ...] = get_args(Locale)

SENTENCES: Mapping[str, tuple[str, str]] = {
    "input": (
        "Some of the details need a correction before I can continue.",
        "Para continuar, hace falta corregir algunos datos.",
    ),
    "output": (
        "I can't give a reliable answer right now.",
        "En este momento no puedo dar una respuesta confiable.",
    ),
    "overflow": (
        "This conversation has become too long. Shall we start a new one?",
        "Esta conversación se volvió demasiado larga. ¿Comenzamos una nueva?",
    ),
    "sign-in": (
        "To continue, access has to be confirmed first.",
        "Para continuar, primero hay que confirmar el acceso.",
    ),
    "denied": ("I don't have permission to do that.", "No tengo autorización para hacer eso."),
    "no-skill": ("I can't do that from here.", "Desde aquí no puedo hacer eso."),
    "outdated": (
        "That option will be available again after an update.",
        "Esa opción volverá a estar disponible después de una actualización.",
    ),
    "late": (
        "This is taking longer than expected. Shall we try again?",
        "Esto está tardando más de lo esperado. ¿Lo intentamos de nuevo?",
    ),
    "late-final": (
        "This is taking longer than expected, and I have no answer yet.",
        "Esto está tardando más de lo esperado y aún no tengo una respuesta.",
    ),
    "busy": (
        "There are many requests at the moment. Shall we try again in a little while?",
        "Hay muchas solicitudes en este momento. ¿Lo intentamos de nuevo en un rato?",
    ),
    "down": (
        "I can't do that right now. Shall we try again?",
        "No puedo hacerlo en este momento. ¿Lo intentamos de nuevo?",
    ),
    "down-final": ("I can't do that at the moment.", "Por el momento no puedo hacerlo."),
    "unconfirmed": (
        "I can't confirm yet whether that was completed.",
        "Todavía no puedo confirmar si eso se completó.",
    ),
    "not-found": (
        "I found nothing with those details. Could you check them?",
        "No encontré nada con esos datos. ¿Podría verificarlos?",
    ),
    "blocked": (
        "Something pending on the account prevents this.",
        "Hay un asunto pendiente en la cuenta que no permite hacerlo.",
    ),
    "rule": ("The current conditions don't allow that.", "Las condiciones vigentes no permiten hacerlo."),
    "cancelled": ("That was cancelled.", "Eso se canceló."),
    "unclear": ("I could not complete that.", "No pude completarlo."),
}
"""For each situation the sentence in each locale, in the order of `LOCALES`."""


def sentence(situation: str, locale: Locale) -> str:
    """Give the sentence for a situation.

    >>> sentence("cancelled", "es")
    'Eso se canceló.'
    """
    return SENTENCES[situation][LOCALES.index(locale)]


_INTERNAL = re.compile(
    r"(?i)\btraceback\b|\bstack\s?trace\b|\bexcepci[oó]n\b|\bexceptions?\b|\b\w+(?:error|exception)\b(?<!\berror)"
    r"|\bnull\s?pointer\b|\bsegmentation fault\b|\bcore dumped\b|\berrno\b"
    r"|\b(?:select|insert\s+into|delete\s+from|update|alter\s+table|drop\s+table)\b.{1,200}\b(?:from|values|set|where)\b"
    r"|\b(?:sql\w*|postgres\w*|mysql|mariadb|oracle|ora-[0-9]+|mongo\w*|redis|kafka|dynamodb|elasticsearch|cassandra"
    r"|rabbitmq|nginx|kubernetes|psycopg\w*|sqlalchemy|django|hibernate|jdbc|odbc)\b"
    r"|\b(?:table|tabla|column|columna|schema|esquema|constraint|shard|pod|replica|upstream)\s+[\"'`]?\w*[_.0-9]\w*"
    r"|\b[a-z][a-z0-9+.-]*://|\blocalhost\b|\b(?:[0-9]{1,3}\.){3}[0-9]{1,3}\b|\[?(?:[0-9a-f]{1,4}:){3,}"
    r"|\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|lan|corp|svc|intranet|localdomain)\b|\b[a-z][\w-]*(?:\.[\w-]+)+:[0-9]{2,5}\b"
    r"|(?<![\w.])/(?:usr|var|etc|home|opt|srv|tmp|app|root|mnt|proc)/|\b[a-z]:\\|\b[\w/.-]+\.(?:py|js|ts|java|rb|php|go|cs|rs):?[0-9]*\b"
    r"|\b0x[0-9a-f]{4,}\b|\bat\s+line\s+[0-9]+|\bline\s+[0-9]+,?\s+in\b"
)


def internals_in(text: str) -> str | None:
    """Give the first part of a text that tells how a system is built; None where there is none.

    >>> internals_in("psycopg2.OperationalError: could not connect to db-3.internal:5432")
    'psycopg2'
    >>> internals_in("The maximum discount is 30%.") is None
    True
    """
    found = _INTERNAL.search(text)
    return found.group() if found else None


_ENGLISH = """
the a an is are was were be been of to in on at for with and or not no that this these those it its you your we our i
can can't cannot could has have had will would do does did don't doesn't by from as than only there already until
"""
_SPANISH = """
el la los las un una es son fue fueron ser está están estaba de del al en por para con y o no que este esta estos
estas ese esa eso esos su sus se le lo ya hay puede pueden pude puedo tiene tienen como más pero sin hasta sólo
solo desde cuando
"""
_WORDS: Mapping[Locale, frozenset[str]] = {"en": frozenset(_ENGLISH.split()), "es": frozenset(_SPANISH.split())}
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def language_of(text: str) -> Locale | None:
    """Guess whether a short text is in English or Spanish, by its small words; None where that is open.

    >>> language_of("No encontré una cita con esos datos."), language_of("The order is closed."), language_of("OK")
    ('es', 'en', None)
    """
    words = [word.lower() for word in _WORD.findall(text.replace("\u2019", "'"))]
    english, spanish = (sum(word in _WORDS[locale] for word in words) for locale in LOCALES)
    spanish += 2 * len(re.findall("[¿¡ñáéíóúü]", text.lower()))
    return None if english == spanish else "en" if english > spanish else "es"
