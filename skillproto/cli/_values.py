"""Read `name=value` of the command line as the values that a descriptor asks for.

A string is taken as it stands; every other type is read as JSON, and only as that type.
"""

import json
from collections.abc import Iterable, Mapping

import click

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


def read_object(text: str, name: str) -> dict[str, JSONValue]:
    """Read a JSON object from a text.

    Raises:
        click.BadParameter: the text is something else.

    >>> read_object('{"text": "hi"}', "inputs.json")
    {'text': 'hi'}
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise click.BadParameter(plain(f"{name} is not JSON"), param_hint="--inputs") from None
    if not isinstance(value, dict):
        raise click.BadParameter(
            plain(f"{name} holds a JSON {type_name(value)}; it must be an object of values by name"),
            param_hint="--inputs",
        )
    return value
