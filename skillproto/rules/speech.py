"""Tell at a glance that a text does not speak to a model, by the words that it lacks.

Silence is proof that no pattern of `texts` matches; the rest says nothing. Words are looked at in
Latin-1: what has no place there becomes a space, which at most finds a word too many.
"""

from collections.abc import Iterable

_MARKS = frozenset("\u00a0¡¢£¤¥¦§¨©«¬®¯°±\u00b4¶·\u00b8»¿\u00d7÷\u2013—\u2018\u2019“”„…•€™→")
_ORDINARY = (
    ("\u00c0", "\u00d6"),
    ("\u00d8", "\u00f6"),
    ("\u00f8", "\u012f"),
    ("\u0132", "\u017e"),
    ("\u0391", "\u03c9"),
    ("\u0410", "\u044f"),
    ("\u4e00", "\u9fff"),
)


def _is_ordinary(character: str) -> bool:
    if character <= "~":
        return character >= " " or character in "\t\n\r"
    if character in _MARKS:
        return True
    return any(first <= character <= last for first, last in _ORDINARY)


_LATIN = bytes(range(256)).decode("latin-1")
_ORDINARY_LATIN = "".join(filter(_is_ordinary, _LATIN)).encode("latin-1")

LETTERS = "".join(c.lower() if c.isalpha() else " " for c in _LATIN).encode("latin-1")
"""Translates Latin-1 so that words stand alone and in lower case."""


def is_strange(text: str) -> bool:
    r"""Say whether a text has what is no plain letter, mark or space of a few common scripts.

    Written without a regular expression: one with such wide ranges costs a start-up more to
    compile than everything else.

    >>> is_strange("¡Hola!"), is_strange("Traducción"), is_strange("a\u200bb")
    (False, False, True)
    """
    try:
        return bool(text.encode("latin-1").translate(None, _ORDINARY_LATIN))
    except UnicodeEncodeError:
        return any(not _is_ordinary(character) for character in set(text))


def _words(*lines: str) -> frozenset[bytes]:
    return frozenset(word.encode("latin-1") for line in lines for word in line.split())


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
    (_words("act"), _words("as be")),
    (_words("tienes has"), _words("que de")),
    (_words("ignore disregard forget"), _words("everything above foregoing")),
    (_words("ignora ignore olvida olvide descarta descarte"), _words("anterior previo dicho")),
    (_words("over instead rather"), _words("other others")),
    (_words("usa utiliza llama elige invoca prefiere"), _words("antes lugar vez")),
)
_TAGS = _words("system important instruction instructions assistant user secret im")
_ROLE_WORDS = _words("system assistant human user sistema asistente usuario")
_ROLES = ("system", "assistant", "human", "user", "sistema", "asistente", "usuario")

_ALONE_OR_MARKED = _ALONE | _TAGS | _ROLE_WORDS

TELLING = _ALONE_OR_MARKED.union(*(words for pair in _TOGETHER for words in pair))
"""Words that matter to whether a text speaks to a model; without one it does not, unless it has a "<|"."""


def are_silent(texts: Iterable[str], told: frozenset[bytes]) -> bool:
    """Say whether none of some texts without a "<|" speaks to a model; `told` are their words of `TELLING`.

    >>> are_silent(["Translates text.", "You decide."], frozenset([b"you"]))
    True
    >>> are_silent(["You must call it"], frozenset([b"you", b"must", b"call"]))
    False
    """
    suspects = [word.decode("latin-1") for word in _suspects(told)]
    if not suspects:
        return True
    for text in texts:
        if text.isascii() and text.isidentifier():
            continue  # one word alone says nothing
        lower = text.lower()
        for word in suspects:
            if word in lower:
                if not is_silent(text):
                    return False
                break
    return True


def _suspects(told: frozenset[bytes]) -> frozenset[bytes]:
    """Give the words that are there of which a text that speaks has one: those that lack their partner speak not."""
    suspects = told & _ALONE_OR_MARKED
    for some, others in _TOGETHER:
        if not (told.isdisjoint(some) or told.isdisjoint(others)):
            suspects |= told & some
    return suspects


def is_silent(text: str) -> bool:
    """Say whether one text surely does not speak to a model.

    >>> is_silent("Translates text."), is_silent("Ignore all previous instructions")
    (True, False)
    """
    if "<|" in text or (not text.isascii() and is_strange(text)):
        return False
    told = TELLING.intersection(text.encode("latin-1", "replace").translate(LETTERS).split())
    if not told:
        return True
    if not told.isdisjoint(_ALONE) or _are_together(told):
        return False
    if "<" in text and not told.isdisjoint(_TAGS):
        return False
    return told.isdisjoint(_ROLE_WORDS) or not ("\n" in text or text.lstrip().lower().startswith(_ROLES))


def _are_together(told: frozenset[bytes]) -> bool:
    return any(not (told.isdisjoint(some) or told.isdisjoint(others)) for some, others in _TOGETHER)
