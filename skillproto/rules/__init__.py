"""The rules: what is asked of a descriptor beyond its schema, and `validate`, which asks for all of it.

Names are imported when they are first used, so that a document with nothing to report
needs none of the rules.
"""

from typing import TYPE_CHECKING

from skillproto._lazy import lazy
from skillproto.rules.run import check_document, validate

if TYPE_CHECKING:
    from skillproto.rules.baseline import Baseline as Baseline
    from skillproto.rules.catalogue import CATALOGUE as CATALOGUE
    from skillproto.rules.catalogue import find_rule as find_rule
    from skillproto.rules.catalogue import nearest_rule as nearest_rule
    from skillproto.rules.config import RuleConfig as RuleConfig
    from skillproto.rules.config import Settings as Settings
    from skillproto.rules.config import find_settings as find_settings
    from skillproto.rules.config import read_settings as read_settings
    from skillproto.rules.hosts import address_kind as address_kind
    from skillproto.rules.hosts import host_kind as host_kind
    from skillproto.rules.many import Validated as Validated
    from skillproto.rules.many import Validator as Validator
    from skillproto.rules.many import validate_many as validate_many
    from skillproto.rules.model import Rule as Rule
    from skillproto.rules.suppression import suppress as suppress
    from skillproto.rules.user_messages import check_user_message as check_user_message

RULE_PACK_VERSION = "1.1.0"
"""The version of the rules as a whole; two packs of one version give one verdict."""

_HOME = {
    "Baseline": "baseline",
    "CATALOGUE": "catalogue",
    "find_rule": "catalogue",
    "nearest_rule": "catalogue",
    "RuleConfig": "config",
    "Settings": "config",
    "find_settings": "config",
    "read_settings": "config",
    "address_kind": "hosts",
    "host_kind": "hosts",
    "Validated": "many",
    "Validator": "many",
    "validate_many": "many",
    "Rule": "model",
    "suppress": "suppression",
    "check_user_message": "user_messages",
}

__all__ = [*_HOME, "RULE_PACK_VERSION", "check_document", "validate"]


__getattr__ = lazy(__name__, _HOME)
