"""Test code that calls skills: no network, no waits, the same outcome on every run.

`ScriptedTransport` answers by a script of replies and faults, `FakeTime` is a clock that moves
only when the client waits, and `no_waits` makes every client of the process wait for nothing.

>>> from skillproto import SkillClient
>>> time = FakeTime()
>>> transport = ScriptedTransport([reply(503), output("hola")], time=time)
>>> with SkillClient(caller_id="docs", transport=transport, timing=time) as client:
...     client.invoke(sample_descriptor(), {"text": "hello"}).output
'hola'
>>> time.waits, len(transport.requests)
([1.0], 2)
"""

from skillproto.invocation.timing import Timing
from skillproto.testing.clocks import FakeTime, no_waits, seeded_jitter
from skillproto.testing.samples import sample_descriptor
from skillproto.testing.steps import (
    FAULTS,
    Answer,
    Fault,
    Step,
    accepted,
    cut_short,
    drip,
    fault,
    hang,
    output,
    reply,
    state,
)
from skillproto.testing.transport import ScriptedTransport, SentRequest

__all__ = [
    "FakeTime",
    "Timing",
    "no_waits",
    "seeded_jitter",
    "ScriptedTransport",
    "SentRequest",
    "Step",
    "Answer",
    "Fault",
    "FAULTS",
    "reply",
    "output",
    "accepted",
    "state",
    "cut_short",
    "drip",
    "fault",
    "hang",
    "sample_descriptor",
]
