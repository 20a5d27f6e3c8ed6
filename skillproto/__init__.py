"""Validate skill descriptors, invoke skills, and read what comes back.

Every public name is imported when it is first used, so that `import skillproto` costs
next to nothing and a name pulls in only what it needs.
"""

from typing import TYPE_CHECKING

from skillproto._lazy import lazy

__version__ = "0.1.0"

if TYPE_CHECKING:
    from skillproto.agent.gateway import from_gateway as from_gateway
    from skillproto.agent.gateway import is_context_overflow as is_context_overflow
    from skillproto.agent.history import repair_history as repair_history
    from skillproto.agent.reactions import reaction as reaction
    from skillproto.agent.run import Run as Run
    from skillproto.agent.skill_set import SkillSet as SkillSet
    from skillproto.agent.tool_results import to_tool_result as to_tool_result
    from skillproto.agent.user_messages import lint_user_message as lint_user_message
    from skillproto.agent.user_messages import user_message as user_message
    from skillproto.descriptor import Descriptor as Descriptor
    from skillproto.discovery.discovering import discover as discover
    from skillproto.discovery.failures import FetchError as FetchError
    from skillproto.discovery.namespaces import prove_namespace as prove_namespace
    from skillproto.discovery.policy import FetchPolicy as FetchPolicy
    from skillproto.errors import Attempt as Attempt
    from skillproto.errors import AuthRequired as AuthRequired
    from skillproto.errors import Cancelled as Cancelled
    from skillproto.errors import EndpointUnreachable as EndpointUnreachable
    from skillproto.errors import ErrorCode as ErrorCode
    from skillproto.errors import ExecutionFailed as ExecutionFailed
    from skillproto.errors import ExecutionTimeout as ExecutionTimeout
    from skillproto.errors import PermissionDenied as PermissionDenied
    from skillproto.errors import RetryHint as RetryHint
    from skillproto.errors import SkillError as SkillError
    from skillproto.errors import SkillNotFound as SkillNotFound
    from skillproto.errors import SkillprotoError as SkillprotoError
    from skillproto.errors import UnknownFailure as UnknownFailure
    from skillproto.errors import UnknownSchemaError as UnknownSchemaError
    from skillproto.errors import UsageError as UsageError
    from skillproto.errors import ValidationFailed as ValidationFailed
    from skillproto.errors import VersionIncompatible as VersionIncompatible
    from skillproto.errors import is_retryable as is_retryable
    from skillproto.errors import retry_after_ms as retry_after_ms
    from skillproto.invocation.client import AsyncSkillClient as AsyncSkillClient
    from skillproto.invocation.client import SkillClient as SkillClient
    from skillproto.invocation.events import Event as Event
    from skillproto.invocation.journal import Journal as Journal
    from skillproto.invocation.oauth import ClientCredentials as ClientCredentials
    from skillproto.invocation.replies import Reply as Reply
    from skillproto.invocation.replies import read_reply as read_reply
    from skillproto.invocation.retry import RetryPolicy as RetryPolicy
    from skillproto.invocation.wire import Result as Result
    from skillproto.publishing.check import publish_check as publish_check
    from skillproto.publishing.comparison import Comparison as Comparison
    from skillproto.publishing.comparison import diff as diff
    from skillproto.publishing.report import PublishReport as PublishReport
    from skillproto.publishing.state import RegistryState as RegistryState
    from skillproto.rules import Validated as Validated
    from skillproto.rules import Validator as Validator
    from skillproto.rules import validate as validate
    from skillproto.rules import validate_many as validate_many
    from skillproto.violations import Violation as Violation

_HOME = {
    "validate": "rules",
    "validate_many": "rules",
    "Validator": "rules",
    "Validated": "rules",
    "Violation": "violations",
    "Descriptor": "descriptor",
    "SkillClient": "invocation.client",
    "AsyncSkillClient": "invocation.client",
    "ClientCredentials": "invocation.oauth",
    "Journal": "invocation.journal",
    "RetryPolicy": "invocation.retry",
    "Result": "invocation.wire",
    "Event": "invocation.events",
    "read_reply": "invocation.replies",
    "Reply": "invocation.replies",
    "diff": "publishing.comparison",
    "Comparison": "publishing.comparison",
    "publish_check": "publishing.check",
    "RegistryState": "publishing.state",
    "PublishReport": "publishing.report",
    "SkillSet": "agent.skill_set",
    "Run": "agent.run",
    "to_tool_result": "agent.tool_results",
    "user_message": "agent.user_messages",
    "lint_user_message": "agent.user_messages",
    "reaction": "agent.reactions",
    "from_gateway": "agent.gateway",
    "is_context_overflow": "agent.gateway",
    "repair_history": "agent.history",
    "discover": "discovery.discovering",
    "prove_namespace": "discovery.namespaces",
    "FetchPolicy": "discovery.policy",
    "FetchError": "discovery.failures",
    "ErrorCode": "errors",
    "RetryHint": "errors",
    "Attempt": "errors",
    "is_retryable": "errors",
    "retry_after_ms": "errors",
    "SkillprotoError": "errors",
    "SkillError": "errors",
    "ValidationFailed": "errors",
    "AuthRequired": "errors",
    "PermissionDenied": "errors",
    "SkillNotFound": "errors",
    "ExecutionTimeout": "errors",
    "EndpointUnreachable": "errors",
    "VersionIncompatible": "errors",
    "ExecutionFailed": "errors",
    "Cancelled": "errors",
    "UnknownFailure": "errors",
    "UnknownSchemaError": "errors",
    "UsageError": "errors",
}

__all__ = [*_HOME, "__version__"]


__getattr__ = lazy(__name__, _HOME)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
