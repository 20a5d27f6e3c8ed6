"""Celery: tasks whose retries follow the classification of what failed. Needs the extra `celery`.

@app.task(base=SkillTask, bind=True)
def translate(self, text):
return client.invoke(SKILL, {"text": text}, idempotency_key=self.idempotency_key).output
"""

from collections.abc import Mapping
from typing import Any

from celery import Task

from skillproto.engines.verdicts import judge, key_of
from skillproto.errors import SkillError, SkillprotoError
from skillproto.invocation.preparation import new_key
from skillproto.invocation.retry import RetryPolicy
from skillproto.violations import JSONValue


class TaskFailed(SkillprotoError):
    """A task ended with a `SkillError`; passes through every result backend, as JSON or pickled.

    Attributes:
        envelope: the error envelope.
        error: the `SkillError` itself, made from it.

    >>> failed = TaskFailed(SkillError("AUTH_REQUIRED", "Sign in").to_dict())
    >>> str(failed), failed.error
    ('AUTH_REQUIRED: Sign in', AuthRequired('AUTH_REQUIRED', 'Sign in'))
    """

    def __init__(self, envelope: Mapping[str, JSONValue]) -> None:
        super().__init__(envelope)
        self.envelope = envelope

    @property
    def error(self) -> SkillError:
        return SkillError.from_dict(self.envelope)

    def __str__(self) -> str:
        return str(self.error)


class SkillTask(Task):  # type: ignore[misc] # Celery has no types
    """The base of a task that calls skills.

    A `SkillError` that deserves it has the task tried again after the wait that reply and policy
    ask for; every other one ends the task at once. Either way `result.get()` raises `TaskFailed`.

    Attributes:
        skill_policy: how often and after which waits; `@app.task(base=SkillTask, skill_policy=...)`
            gives another. Its attempts are those of the task: let the client inside make one each,
            or they multiply.
        idempotency_key: for the call of a skill: the same on every try of a task, also when
            another worker takes it over. A task that is called as a function has a new one each time.
    """

    abstract = True
    max_retries = None  # the policy bounds the tries; a task may give a number as well
    skill_policy = RetryPolicy()

    @property
    def idempotency_key(self) -> str:
        request = self.request
        if request.id is not None:
            return key_of("celery", str(request.id))
        made_for, key = getattr(request, "_own_key", (None, ""))
        if made_for != id(request):  # called as a function: no job, no other try; Celery copies an outer call's request
            key = new_key()
            request._own_key = (id(request), key)
        return key if self.request_stack.top is not None else new_key()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the task; what it raises is judged."""
        task: Any = super()
        try:
            return task.__call__(*args, **kwargs)
        except SkillError as error:
            verdict = judge(error, self.request.retries + 1, self.skill_policy)
            failed = TaskFailed(error.to_dict())
            if not verdict.is_retried:
                raise failed from error
            raise task.retry(exc=failed, countdown=verdict.delay_s) from error
