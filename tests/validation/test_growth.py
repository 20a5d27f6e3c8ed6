"""Time grows with the size of a document, and no faster: valid, invalid and odd ones."""

import gc
import time
from collections.abc import Callable
from typing import Any

import pytest

from skillproto.validation import check, check_inputs, compile_embedded, surely_valid
from tests.validation.samples import descriptor

SMALL = 100
TIMES = 20
MOST_TIMES_SLOWER = 30


def with_inputs(make: Callable[[int], Any]) -> Callable[[int], Any]:
    return lambda size: descriptor(inputs=[make(index) for index in range(size)])


def good(index: int) -> dict[str, Any]:
    return {"name": f"p{index}", "type": "string", "description": "One of many."}


def bad(index: int) -> dict[str, Any]:
    return {"nam": f"p{index}", "type": "str", "description": "", "enum": []}


def fastest_s(run: Callable[[], object], repeat: int) -> float:
    """Time without the collector, whose rounds would fall on the large documents alone."""
    times = []
    for _ in range(repeat):
        gc.collect()
        gc.disable()
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
        gc.enable()
    return min(times)


def grows_in_step(make: Callable[[int], Any], run: Callable[[Any], object]) -> bool:
    """Compare the fastest runs on a small and a large document, a few times where the machine is busy."""
    small, large = make(SMALL), make(SMALL * TIMES)
    run(small)
    return any(
        fastest_s(lambda: run(large), 1) <= MOST_TIMES_SLOWER * fastest_s(lambda: run(small), 3) for _ in range(5)
    )


@pytest.mark.parametrize(
    "make",
    [
        with_inputs(good),
        with_inputs(bad),
        with_inputs(lambda index: None),
        lambda size: descriptor(tags=[f"t{index % 7}" for index in range(size)]),
        lambda size: descriptor(**{f"member_{index}": index for index in range(size)}),
        lambda size: {f"descriptio{index}": index for index in range(size)},
        lambda size: descriptor(auth={"type": "oauth2", "oauth2": {"scopes": dict.fromkeys(map(str, range(size)), 5)}}),
    ],
    ids=["valid", "invalid", "null", "repeated tags", "unknown members", "misspelt members", "scopes"],
)  # fmt: skip
def test_the_reference_takes_time_in_step_with_the_document(make: Callable[[int], Any]) -> None:
    assert grows_in_step(make, lambda document: check(document, engine="reference"))


def test_the_fast_checker_takes_time_in_step_with_the_document() -> None:
    assert surely_valid(with_inputs(good)(SMALL * TIMES))
    assert grows_in_step(with_inputs(good), surely_valid)


def test_every_one_of_many_faults_is_told() -> None:
    faults = {"name", "type", "description", "enum"}
    found = check(with_inputs(bad)(500))
    assert {violation.field for violation in found} == {f"/inputs/{i}/{name}" for i in range(500) for name in faults}
    assert len(found) == len(faults) * 500


def test_inputs_take_time_in_step_with_their_number() -> None:
    def wrong_inputs(size: int) -> tuple[list[Any], dict[str, Any]]:
        return [good(index) for index in range(size)], {f"p{index}": index for index in range(size)}

    assert grows_in_step(wrong_inputs, lambda both: check_inputs(*both))


@pytest.mark.parametrize(
    ("schema", "make"),
    [
        ({"items": {"type": "integer", "minimum": 0}}, lambda size: [-1] * size),
        ({"uniqueItems": True}, lambda size: [[index // 2] for index in range(size)]),
        ({"additionalProperties": False}, lambda size: {f"m{index}": 1 for index in range(size)}),
        ({"items": {"anyOf": [{"type": "string"}, {"required": ["a"]}]}}, lambda size: [{}] * size),
        ({"unevaluatedItems": False, "contains": {"const": 1}}, lambda size: list(range(size))),
    ],
    ids=["items", "unique", "unexpected", "branches", "unevaluated"],
)
def test_a_carried_schema_takes_time_in_step_with_the_value(schema: Any, make: Callable[[int], Any]) -> None:
    assert grows_in_step(make, compile_embedded(schema).check)
