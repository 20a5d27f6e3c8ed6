"""Read `name=value` of the command line as the values that a descriptor asks for.

A string is taken as it stands; every other type is read as JSON, and only as that type.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import islice

import click

from skillproto import documents
from skillproto.cli._nearest import did_you_mean
from skillproto.reports.escaping import plain
from skillproto.violations import JSONValue, type_name

_EXAMPLES = {
    "integer": "42",
    "number": "1.5",
    "boolean": "true or false",
    "object": '\'{"key": "value"}\'',
    "array": "'[1, 2]'",
}


def read_inputs(pairs: Iterable[str], types: Mapping[str, str]) -> dict[str, JSONValue]:
    """Read pairs into values by name.

    Args:
        pairs: texts such as "count=3".
        types: the type of each parameter, as the descriptor names it.

    Raises:
        click.BadParameter: a text that is no pair, a name that is unknown or comes
            twice, or a value that is not of the parameter's type.

    >>> read_inputs(["count=3", "label=3"], {"count": "integer", "label": "string"})
    {'count': 3, 'label': '3'}
    """
    values: dict[str, JSONValue] = {}
    for pair in pairs:
        name, separator, text = pair.partition("=")
        if not separator or not name:
            raise _bad(f"{pair!r} is not name=value")
        if name not in types:
            raise _bad(f"the skill has no parameter {name!r}.{did_you_mean(name, types)} It has: {_listed(types)}")
        if name in values:
            raise _bad(f"{name!r} is given twice")
        values[name] = _read(name, text, types[name])
    return values


def _read(name: str, text: str, wanted: str) -> JSONValue:
    if wanted == "string":
        return text
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise _bad(_mismatch(name, text, wanted)) from None
    found = type_name(value)
    if found != wanted and not (wanted == "number" and found == "integer"):
        raise _bad(_mismatch(name, text, wanted))
    return value


def _no_constant(text: str) -> JSONValue:
    raise ValueError(text)


def _mismatch(name: str, text: str, wanted: str) -> str:
    article = "an" if wanted[0] in "aio" else "a"
    shown = text if len(text) <= 60 else text[:57] + "..."
    return f"{name!r} wants {article} {wanted} such as {_EXAMPLES[wanted]}, not {shown!r}"


def _listed(types: Mapping[str, str]) -> str:
    return ", ".join(types) or "none"


def _bad(words: str) -> click.BadParameter:
    return click.BadParameter(plain(words), param_hint="-i")


def read_object(data: bytes, name: str) -> dict[str, JSONValue]:
    """Read the one object of a text in JSON or YAML; what is wrong with the text is told, never guessed.

    Raises:
        click.BadParameter: the text is something else.

    >>> read_object(b'{"text": "hi"}', "inputs.json")
    {'text': 'hi'}
    """
    read = list(islice(documents.read(data, source=name), 2))
    if len(read) != 1:
        raise _bad_file(f"{name} holds several documents; it must be one object of values by name")
    document = read[0]
    faults = [found for found in documents.locate(document, document.violations) if found.severity == "error"]
    if faults:
        raise _bad_file(f"{name}:{faults[0].line}:{faults[0].column}: {faults[0].message}")
    if not isinstance(document.value, dict):
        raise _bad_file(f"{name} holds a JSON {type_name(document.value)}; it must be an object of values by name")
    return document.value


def _bad_file(words: str) -> click.BadParameter:
    return click.BadParameter(plain(words), param_hint="--inputs")
