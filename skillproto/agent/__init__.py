"""The agent's side: errors and results in the shapes that models and their frameworks read.

Names are imported when they are first used, so that each costs only what it needs.
"""

from typing import TYPE_CHECKING

from skillproto._lazy import lazy

if TYPE_CHECKING:
    from skillproto.agent.dispatch_calls import ToolCall as ToolCall
    from skillproto.agent.dispatch_core import ToolAnswer as ToolAnswer
    from skillproto.agent.gateway import GatewayFacts as GatewayFacts
    from skillproto.agent.gateway import from_gateway as from_gateway
    from skillproto.agent.gateway import gateway_facts as gateway_facts
    from skillproto.agent.gateway import is_context_overflow as is_context_overflow
    from skillproto.agent.gateway import read_gateway as read_gateway
    from skillproto.agent.history import Repaired as Repaired
    from skillproto.agent.history import repair_history as repair_history
    from skillproto.agent.reactions import Advice as Advice
    from skillproto.agent.reactions import reaction as reaction
    from skillproto.agent.run import Run as Run
    from skillproto.agent.run_events import RunEvent as RunEvent
    from skillproto.agent.skill_set import SkillSet as SkillSet
    from skillproto.agent.skill_set import TooManyTools as TooManyTools
    from skillproto.agent.states import MemoryState as MemoryState
    from skillproto.agent.states import RunResult as RunResult
    from skillproto.agent.tool_results import to_tool_result as to_tool_result
    from skillproto.agent.user_messages import lint_user_message as lint_user_message
    from skillproto.agent.user_messages import user_message as user_message

_HOME = {
    "GatewayFacts": "gateway",
    "from_gateway": "gateway",
    "gateway_facts": "gateway",
    "is_context_overflow": "gateway",
    "read_gateway": "gateway",
    "Repaired": "history",
    "repair_history": "history",
    "Advice": "reactions",
    "reaction": "reactions",
    "SkillSet": "skill_set",
    "TooManyTools": "skill_set",
    "ToolCall": "dispatch_calls",
    "ToolAnswer": "dispatch_core",
    "Run": "run",
    "RunEvent": "run_events",
    "RunResult": "states",
    "MemoryState": "states",
    "to_tool_result": "tool_results",
    "lint_user_message": "user_messages",
    "user_message": "user_messages",
}

__all__ = [*_HOME]


__getattr__ = lazy(__name__, _HOME)
