"""The other side of the wire: a small provider to test consumers against, with faults on demand.

Needs the extra `provider`: `pip install 'skillproto[provider]'`.

>>> with running_provider(faults=[503, 504]) as provider:
...     provider.descriptor["name"]
'Text statistics'
"""

from skillproto.provider.app import ProviderState, Recorded, create_app
from skillproto.provider.faults import KINDS, Fault
from skillproto.provider.server import RunningProvider, running_provider

__all__ = ["KINDS", "Fault", "ProviderState", "Recorded", "RunningProvider", "create_app", "running_provider"]
