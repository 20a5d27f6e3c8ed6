"""`skillproto demo`: the whole of it in a few seconds, on this machine alone."""

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from skillproto import rules
from skillproto.cli import _exits, _streams
from skillproto.cli._command import Command
from skillproto.cli._timeline import line_of
from skillproto.reports import Checked, Tally, render
from skillproto.reports.escaping import dump
from skillproto.violations import JSONValue

if TYPE_CHECKING:
    from skillproto.provider import RunningProvider

INITIAL_DELAY_MS = 200
_LEFT_OUT = "descriptor/private-address"
FAULTS = (503, 504)
INPUTS: dict[str, JSONValue] = {"text": "Un skill falla, espera y lo intenta otra vez. Y sale bien.", "language": "es"}


@click.command(
    "demo",
    cls=Command,
    epilog=(
        "Nothing leaves this machine: the provider listens on 127.0.0.1 only. "
        "Exit codes: 0 all went as told, 1 something did not, 3 the extra is not installed."
    ),
)
def command() -> int:
    """See it work: a provider that fails twice, and a call that comes through.

    Starts a small provider on this machine, validates its descriptor and a broken copy, and
    invokes its skill while the first two attempts fail.
    """
    try:
        from skillproto.provider import running_provider
    except ModuleNotFoundError as missing:
        raise click.ClickException(
            f"the demo needs {missing.name}; install the extra: pip install 'skillproto[provider]'"
        ) from None
    with running_provider(faults=FAULTS) as provider:
        _say(f"A provider answers at {provider.base_url}; its first two replies will be 503 and 504.")
        fine = _validate(provider.descriptor)
        called = _invoke(provider)
    return _exits.FINE if fine and called else _exits.FINDINGS


def _validate(descriptor: dict[str, JSONValue]) -> bool:
    _say(f"\n1. Its descriptor, validated (but for {_LEFT_OUT}, since the place is this machine):\n")
    good = _show("descriptor.json", descriptor)
    _say("\n2. A copy with three mistakes:\n")
    bad = _show("broken.json", broken_copy(descriptor))
    return good.valid == 1 and bad.valid == 0


def broken_copy(descriptor: dict[str, JSONValue]) -> dict[str, JSONValue]:
    """Give a copy with an unknown capability type, a missing URL and a version that is none."""
    broken = copy.deepcopy(descriptor)
    broken["capability_type"] = "unknown_type"
    broken["version"] = "v1.0"
    del broken["endpoint"]["url"]
    return broken


def _show(name: str, descriptor: dict[str, JSONValue]) -> Tally:
    tally = Tally(rule_pack_version=rules.RULE_PACK_VERSION)
    found = rules.validate(descriptor, config=rules.RuleConfig(ignore=(_LEFT_OUT,)))
    checked = iter([Checked(name, violations=tuple(found))])
    for piece in render(checked, tally, "text", color=_streams.color_wanted()):
        _streams.write("".join(f"   {line}\n" for line in piece.splitlines()))
    _say(f"   {tally}")
    return tally


def _invoke(provider: "RunningProvider") -> bool:
    from skillproto.errors import SkillError
    from skillproto.invocation.client import SkillClient
    from skillproto.invocation.retry import RetryPolicy

    _say(
        f"\n3. The skill, invoked. The first wait is {INITIAL_DELAY_MS} ms so that the demo is short; "
        f"the default is {RetryPolicy().initial_delay_ms} ms.\n"
    )
    policy = RetryPolicy(initial_delay_ms=INITIAL_DELAY_MS, jitter=0)
    with SkillClient(caller_id="demo", policy=policy, on_event=lambda event: _say(f"   {line_of(event)}")) as client:
        try:
            result = client.invoke(provider.descriptor, INPUTS)
        except SkillError as error:
            _say(f"\n   It failed: {error}")
            return False
    _say(f"\n   {result.attempts} attempts, {result.elapsed_ms} ms. The output:\n")
    _say("\n".join(_indented(dump(result.output))))
    return True


def _indented(text: str) -> Iterator[str]:
    return (f"   {line}" for line in text.split("\n"))


def _say(words: str) -> None:
    _streams.write(words + "\n")
