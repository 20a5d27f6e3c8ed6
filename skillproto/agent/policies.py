"""What becomes of a run when a call fails: three policies, for a whole set or for single skills.

`fail-run` raises. `return-to-model` hands the error to the model as the tool's result. `recover`
does what a sub-agent should: it hands back what the model can put right, and raises the rest.
Each covers every failure alike: timeouts, invalid inputs and outputs, unknown tools, cancelled
executions.

Source: 004, tool errors; 002, local recovery.
"""

from collections.abc import Iterable, Mapping
from typing import Literal, get_args

from skillproto.agent.definitions import did_you_mean
from skillproto.agent.kinds import category_of
from skillproto.agent.reactions import reaction
from skillproto.errors import ErrorCode, SkillError, UsageError

OnError = Literal["fail-run", "return-to-model", "recover"]
Target = Literal["tool_input", "tool_output", "agent_output"]


def read_policies(given: OnError | Mapping[str, OnError], ids: Iterable[str]) -> tuple[OnError, dict[str, OnError]]:
    """Give the policy of the set, and those of single skills.

    Args:
        given: one policy for all, or policies by skill id; what stands under "*" is for all others.
        ids: of the skills that there are.

    Raises:
        UsageError: a policy or a skill that does not exist.

    >>> read_policies({"*": "recover", "pay": "fail-run"}, ["pay", "look"])
    ('recover', {'pay': 'fail-run'})
    """
    if not isinstance(given, Mapping):
        return _checked(given), {}
    known = tuple(ids)
    for name in given:
        if name != "*" and name not in known:
            raise UsageError(f"on_error names a skill that is not in the set: {name!r}{did_you_mean(name, known)}")
    policies = {name: _checked(policy) for name, policy in given.items() if name != "*"}
    return _checked(given.get("*", "fail-run")), policies


def _checked(policy: object) -> OnError:
    names = get_args(OnError)
    if policy not in names:
        raise UsageError(f"on_error must be one of {', '.join(names)}, not {policy!r}{did_you_mean(policy, names)}")
    return policy  # type: ignore[return-value]


def fails_run(policy: OnError, error: SkillError) -> bool:
    """Say whether an error ends the run, rather than being told to the model.

    With "recover" a model gets what it can put right: inputs that do not fit, a tool or an entity
    that does not exist; see `reaction`. Transient failures were tried again by the client already, so what is left
    of them goes up, as do business, permission and whatever is not known.

    >>> [fails_run("recover", SkillError(code, "no")) for code in ("VALIDATION_ERROR", "AUTH_REQUIRED")]
    [False, True]
    """
    if policy == "recover":
        return category_of(error) != "validation" or reaction(error).pass_up
    return policy == "fail-run"


def with_target(error: SkillError) -> SkillError:
    """Note in a validation error whose contract was broken: `tool_input` or `tool_output`.

    What a provider says about a request is about its input; so is what was refused before anything
    was sent. Only the client itself looks at outputs.

    >>> with_target(SkillError("VALIDATION_ERROR", "no", attempts=1)).details
    {'target': 'tool_output'}
    """
    if error.code is ErrorCode.VALIDATION_ERROR:
        is_output = error.http_status is None and error.attempts > 0
        error.details.setdefault("target", "tool_output" if is_output else "tool_input")
    return error
