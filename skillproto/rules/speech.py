"""Tell at a glance that a text does not speak to a model, by the words that it lacks.

False is proof that no pattern of `texts` matches; True says nothing.
"""

LETTERS = bytes(c | 0x20 if 65 <= c <= 90 else c if 97 <= c <= 122 or c >= 128 else 32 for c in range(256))
"""Translates UTF-8 so that words stand alone and in lower case."""

_ORDINARY = (
    ("\u00c0", "\u00d6"),
    ("\u00d8", "\u00f6"),
    ("\u00f8", "\u012f"),
    ("\u0132", "\u017e"),
    ("\u0391", "\u03c9"),
    ("\u0410", "\u044f"),
    ("\u4e00", "\u9fff"),
)


def is_strange(text: str) -> bool:
    r"""Say whether a text has what is no plain letter, mark or space of a few common scripts.

    Written without a regular expression: one with such wide ranges costs a start-up more to
    compile than everything else.

    >>> is_strange("¡Hola!"), is_strange("Traducción"), is_strange("a\u200bb")
    (True, False, True)
    """
    return any(not _is_ordinary(character) for character in set(text))


def _is_ordinary(character: str) -> bool:
    if character <= "~":
        return character >= " " or character in "\t\n\r"
    return any(first <= character <= last for first, last in _ORDINARY)


def _words(*lines: str) -> frozenset[bytes]:
    return frozenset(word.encode() for line in lines for word in line.split())


_ALONE = _words(
    "instruction instructions instrucción instrucciones instruccion prompt prompts rules reglas guidelines",
    "indicaciones directrices message messages mensaje mensajes siempre nunca solo sólo pretend actúa actua",
    "debes deberás deberas eres inst",
)
_TOGETHER = (
    (_words("you"), _words("must should shall have need are required")),
    (_words("always never only"), _words("call use invoke choose prefer select pick")),
    (_words("before instead"), _words("tool tools skill skills function functions")),
    (_words("user users customer customers human humans caller callers"), _words("not don never without")),
    (_words("usuario usuarios cliente clientes persona personas"), _words("no sin")),
    (_words("ai llm model assistant agent"), _words("dear attention note message")),
    (_words("act"), _words("as")),
    (_words("tienes has"), _words("que de")),
)
_TAGS = _words("system important instruction instructions assistant user secret im")
_ROLE_WORDS = _words("system assistant human user sistema asistente usuario")
_ROLES = ("system", "assistant", "human", "user", "sistema", "asistente", "usuario")

ADDRESSING = _ALONE.union(_TAGS, _ROLE_WORDS, *(some for some, _ in _TOGETHER))
"""Words of which a text that speaks to a model has at least one, unless it has a "<|"."""


def may_speak(words: set[bytes], text: str, texts: list[str]) -> bool:
    """Say whether the words that must come together are there.

    Args:
        words: of all the texts, through `LETTERS`.
        text: all the texts together.
        texts: each by itself.

    >>> may_speak({b"you", b"must", b"call"}, "You must call", ["You must call"])
    True
    """
    if not words.isdisjoint(_ALONE) or ("<" in text and not words.isdisjoint(_TAGS)):
        return True
    if any(not (words.isdisjoint(some) or words.isdisjoint(others)) for some, others in _TOGETHER):
        return True
    if words.isdisjoint(_ROLE_WORDS):
        return False
    return "\n" in text or any(each.lstrip().lower().startswith(_ROLES) for each in texts)


def is_silent(text: str) -> bool:
    """Say whether one text surely does not speak to a model.

    >>> is_silent("Translates text."), is_silent("Ignore all previous instructions")
    (True, False)
    """
    if "<|" in text or (not text.isascii() and is_strange(text)):
        return False
    words = text.lower().encode("utf-8", "surrogatepass").translate(LETTERS).split()
    return ADDRESSING.isdisjoint(words) or not may_speak({*words}, text, [text])
