"""The skill that the small provider offers: it counts what a text is made of.

Pure. It speaks English and Spanish, gives the same answer for the same text, and needs
nothing but the standard library.
"""

import re
from collections import Counter

from skillproto.versions import PROTOCOL_VERSION
from skillproto.violations import JSONValue

SKILL_ID = "org.example.text-statistics"

WORDS_PER_MINUTE = 200
_WORD = re.compile(r"[^\W_]+(?:['\N{RIGHT SINGLE QUOTATION MARK}-][^\W_]+)*")
_SENTENCE_END = re.compile(r"[.!?\N{HORIZONTAL ELLIPSIS}]+(?=\s|$)")
_COMMON = {
    "en": "a an and are as at be but by for from in is it of on or that the this to was with you",
    "es": "a al con de del el en es la las lo los no o para por que se su un una y",
}
_SUMMARY = {
    "en": ("{words} {word} in {sentences} {sentence}", ("word", "words"), ("sentence", "sentences")),
    "es": ("{words} {word} en {sentences} {sentence}", ("palabra", "palabras"), ("frase", "frases")),
}


def descriptor(base_url: str, *, api_key: bool = False, skill_id: str = SKILL_ID) -> dict[str, JSONValue]:
    """Describe the skill, as offered at an address.

    Args:
        base_url: where the provider answers, without a slash at the end.
        api_key: whether callers need a key; the skill is then restricted.
        skill_id: the id under which it is offered.

    >>> descriptor("http://127.0.0.1:8000")["endpoint"]["url"]
    'http://127.0.0.1:8000/skills/org.example.text-statistics/executions'
    """
    base_url = base_url.rstrip("/")
    auth = {"type": "api_key", "header": "X-API-Key"} if api_key else {"type": "none"}
    return {
        "protocol": {"version": PROTOCOL_VERSION},
        "id": skill_id,
        "name": "Text statistics",
        "version": "1.0.0",
        "capability_type": "api",
        "description": "Counts the words and sentences of a text, estimates how long it takes to read, "
        "and names its most frequent words. Texts in English and in Spanish.",
        "provider": {"name": "Example provider", "url": "https://example.org"},
        "endpoint": {
            "url": f"{base_url}/skills/{skill_id}/executions",
            "method": "POST",
            "content_type": "application/json",
            "status_url": f"{base_url}/executions/{{execution_id}}",
            "result_url": f"{base_url}/executions/{{execution_id}}/result",
            "timeout_ms": 30000,
        },
        "inputs": _inputs(),
        "output": _output(),
        "auth": auth,
        "access": "restricted" if api_key else "public",
        "tags": ["text", "statistics"],
    }


def _inputs() -> list[JSONValue]:
    return [
        {
            "name": "text",
            "type": "string",
            "description": "The text to count.",
            "required": True,
            "schema": {"minLength": 1, "maxLength": 100000},
            "examples": ["Hello world.", "Hola, mundo."],
        },
        {
            "name": "language",
            "type": "string",
            "description": "The language of the text: English or Spanish.",
            "enum": ["en", "es"],
            "default": "en",
        },
        {
            "name": "top",
            "type": "integer",
            "description": "How many of the most frequent words to name.",
            "schema": {"minimum": 0, "maximum": 20},
            "default": 3,
        },
    ]


def _output() -> dict[str, JSONValue]:
    count = {"type": "integer", "minimum": 0}
    frequent = {
        "type": "array",
        "items": {
            "type": "object",
            "required": ["word", "count"],
            "properties": {"word": {"type": "string"}, "count": count},
        },
    }
    return {
        "type": "object",
        "description": "What the text is made of.",
        "content_type": "application/json",
        "schema": {
            "type": "object",
            "required": ["words", "sentences", "characters", "reading_time_s", "most_frequent", "summary"],
            "properties": {
                "words": count,
                "sentences": count,
                "characters": count,
                "reading_time_s": count,
                "most_frequent": frequent,
                "summary": {"type": "string"},
            },
        },
    }


def run(inputs: dict[str, JSONValue]) -> JSONValue:
    """Count a text.

    Args:
        inputs: `text`, and if wanted `language` ("en" or "es") and `top`, as the
            descriptor says; they are taken as checked.

    >>> run({"text": "Hola, mundo. Hola.", "language": "es"})["summary"]
    '3 palabras en 2 frases'
    """
    text, language = inputs["text"], inputs.get("language", "en")
    words = [word.casefold() for word in _WORD.findall(text)]
    sentences = _count_sentences(text)
    common = _COMMON[language].split()
    telling = Counter(word for word in words if word not in common)
    return {
        "words": len(words),
        "sentences": sentences,
        "characters": len(text),
        "reading_time_s": -(-len(words) * 60 // WORDS_PER_MINUTE),
        "most_frequent": _most_frequent(telling, inputs.get("top", 3)),
        "summary": _summary(len(words), sentences, language),
    }


def _count_sentences(text: str) -> int:
    return sum(1 for part in _SENTENCE_END.split(text) if _WORD.search(part))


def _most_frequent(words: Counter[str], top: int) -> list[JSONValue]:
    ordered = sorted(words.items(), key=lambda item: (-item[1], item[0]))
    return [{"word": word, "count": count} for word, count in ordered[:top]]


def _summary(words: int, sentences: int, language: str) -> str:
    form, word, sentence = _SUMMARY[language]
    return form.format(words=words, word=word[words != 1], sentences=sentences, sentence=sentence[sentences != 1])
