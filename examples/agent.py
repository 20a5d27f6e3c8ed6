"""An agent with a scripted model and a skill that fails in every way that there is a policy for.

Nothing leaves this machine: the model is a list of replies, the provider runs in this process.

    python examples/agent.py
"""

from collections.abc import Iterable
from typing import Any

from skillproto import RetryPolicy, Run, SkillClient, SkillError, SkillSet
from skillproto.agent import repair_history, user_message
from skillproto.provider import RunningProvider, running_provider

TOOL = "org_example_text-statistics"
QUICK = RetryPolicy(initial_delay_ms=20, max_attempts=2)


def call(id_: str, **inputs: Any) -> dict[str, Any]:
    """What Anthropic's API gives when the model wants a tool called."""
    return {"type": "tool_use", "id": id_, "name": TOOL, "input": inputs}


class ScriptedModel:
    """Says its lines in order, as `anthropic.Anthropic().messages.create` would; keeps what it was told last."""

    def __init__(self, *lines: Iterable[Any] | str) -> None:
        self._lines = iter(lines)
        self.heard: list[Any] = []

    def __call__(self, messages: list[Any], tools: list[Any]) -> dict[str, Any]:
        self.heard = messages
        line = next(self._lines)
        return {"content": [{"type": "text", "text": line}] if isinstance(line, str) else list(line)}


def title(words: str) -> None:
    print(f"\n== {words}")


def agent(client: SkillClient, provider: RunningProvider, model: ScriptedModel, on_error: Any, **options: Any) -> Any:
    skills = SkillSet([provider.descriptor], client, on_error=on_error)
    return Run(skills, model, style="anthropic", **options)


def all_goes_well(client: SkillClient, provider: RunningProvider) -> None:
    title("A transient failure is tried again by the client; the model never hears of it")
    provider.state.starts.extend([503])
    model = ScriptedModel([call("c1", text="Hola, mundo.", language="es")], "Two words.")
    result = agent(client, provider, model, "fail-run").start("How many words are in 'Hola, mundo.'?")
    print(result.state, "-", result.output)


def fail_run(client: SkillClient, provider: RunningProvider) -> None:
    title("fail-run: the first failure ends the run")
    provider.state.starts.extend([403])
    model = ScriptedModel([call("c1", text="Hola")], "never said")
    try:
        agent(client, provider, model, "fail-run").start("Count it.")
    except SkillError as error:
        print(error.code, "-", user_message(error))


def return_to_model(client: SkillClient, provider: RunningProvider) -> None:
    title("return-to-model: the failure is the tool's answer, and the model goes on")
    provider.state.starts.extend([403])
    model = ScriptedModel([call("c1", text="Hola")], "I have no access to that tool.")
    result = agent(client, provider, model, "return-to-model").start("Count it.")
    answer = model.heard[-1]["content"][0]
    print("the model was told:", "error" if answer["is_error"] else "output", answer["content"][:40] + "...")
    print(result.state, "-", result.output)


def recover(client: SkillClient, provider: RunningProvider) -> None:
    title("recover: what the model can put right goes back to it, the rest is raised")
    model = ScriptedModel([call("c1", text="Hola", top="3")], [call("c2", text="Hola", top=3)], "One word.")
    result = agent(client, provider, model, "recover").start("Count it.")
    print(result.state, "-", result.output)
    provider.state.starts.extend(["failed"])
    model = ScriptedModel([call("c1", text="Hola")], "never said")
    try:
        agent(client, provider, model, "recover").start("Count it.")
    except SkillError as error:
        print("raised:", error.code)


def a_person_decides(client: SkillClient, provider: RunningProvider) -> None:
    title("Approval: the run waits for a person, also across processes")
    model = ScriptedModel([call("c1", text="Hola"), call("c2", text="Adiós")], "One of them has one word.")
    run = agent(client, provider, model, "fail-run", needs_approval=[provider.descriptor["id"]])
    paused = run.start("Count both.")
    print(paused.state, "-", [pending.id for pending in paused.pending])
    result = run.resume(paused.saved, {"c1": "approve", "c2": {"reject": "not that one"}})
    print(result.state, "-", result.output)


def too_many_steps(client: SkillClient, provider: RunningProvider) -> None:
    title("A step limit: a model that never stops is a failure")
    model = ScriptedModel(*([call(f"c{n}", text="Hola")] for n in range(9)))
    try:
        agent(client, provider, model, "fail-run", max_steps=3).start("Count it, forever.")
    except SkillError as error:
        print(error.message)


def interrupted() -> None:
    title("After an interruption: calls that were left open are answered")
    history = [{"role": "user", "content": "Count it."}, {"role": "assistant", "content": [call("c1", text="Hola")]}]
    repaired = repair_history(history)
    for done in repaired.repaired_calls:
        print(done.call_id, done.action, "- did the skill run?", done.has_run)


def main() -> None:
    with running_provider() as provider, SkillClient(caller_id="example", policy=QUICK) as client:
        for part in (all_goes_well, fail_run, return_to_model, recover, a_person_decides, too_many_steps):
            part(client, provider)
    interrupted()


if __name__ == "__main__":
    main()
