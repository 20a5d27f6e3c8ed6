"""Call a skill that fails twice before it answers, and tell what happened on the way.

    python examples/call_a_skill.py

Needs the extra `provider`. Nothing leaves this machine.
"""

from skillproto import Event, RetryPolicy, SkillClient, SkillError
from skillproto.provider import running_provider


def tell(event: Event) -> None:
    """Print the events that are about trying again."""
    if event.name == "attempt.failed":
        print(f"attempt {event.data['attempt']} failed: {event.data['code']}")
    elif event.name == "retry.scheduled":
        print(f"trying again in {event.data['wait_ms']} ms")


def main() -> None:
    """Call the provider's skill twice: once right, once with a value that it does not take."""
    policy = RetryPolicy(initial_delay_ms=50, jitter=0)
    with (
        running_provider(faults=[503, 504]) as provider,
        SkillClient(caller_id="example", policy=policy, on_event=tell) as client,
    ):
        result = client.invoke(provider.descriptor, {"text": "Uno, dos y tres.", "language": "es"})
        print(result.output["summary"])
        try:
            client.invoke(provider.descriptor, {"text": "Un, deux, trois.", "language": "fr"})
        except SkillError as error:
            violation = error.details["violations"][0]
            print(f"{error.code}: {violation['field']} must be {violation['expected']}")


if __name__ == "__main__":
    main()
