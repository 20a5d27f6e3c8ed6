"""`skillproto invoke` and `skillproto demo`, against the small provider."""

import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from skillproto.cli._values import read_inputs
from skillproto.provider import RunningProvider, running_provider
from tests.cli.support import bad, good, run, run_script, script, write

TEXT = "text=Hola, mundo. Hola."


@pytest.fixture(scope="module")
def provider() -> Iterator[RunningProvider]:
    with running_provider() as running:
        yield running


@pytest.fixture
def skill(provider: RunningProvider, tmp_path: Path) -> Path:
    return write(tmp_path / "skill.json", provider.descriptor)


def test_the_output_is_json_on_stdout(skill: Path) -> None:
    ran = run("invoke", skill, "-i", TEXT, "-i", "language=es", "-i", "top=1")
    assert (ran.code, ran.err) == (0, "")
    assert ran.json()["summary"] == "3 palabras en 2 frases"
    assert ran.json()["most_frequent"] == [{"word": "hola", "count": 2}]


def test_inputs_come_from_a_file_and_single_ones_go_over_it(skill: Path, tmp_path: Path) -> None:
    inputs = write(tmp_path / "inputs.json", {"text": "one two", "top": 0})
    assert run("invoke", skill, "--inputs", inputs).json()["words"] == 2
    assert run("invoke", skill, "--inputs", inputs, "-i", "text=one").json()["words"] == 1


def test_inputs_come_from_the_standard_input(skill: Path) -> None:
    assert run("invoke", skill, "--inputs", "-", stdin='{"text": "uno"}').json()["words"] == 1


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ("top=three", "'top' wants an integer such as 42, not 'three'"),
        ("top=1.5", "'top' wants an integer"),
        ("top=true", "'top' wants an integer"),
        ("txet=x", "the skill has no parameter 'txet'. Did you mean text? It has: text, language, top"),
        ("text", "'text' is not name=value"),
        ("text=twice", "'text' is given twice"),
    ],
)
def test_a_bad_value_is_wrong_usage_and_says_what_is_wanted(skill: Path, pair: str, words: str) -> None:
    ran = run("invoke", skill, "-i", TEXT, "-i", pair)
    assert (ran.code, ran.out) == (2, "")
    assert words in " ".join(ran.err.split())


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        ("5", "string", "5"),
        ("a=b", "string", "a=b"),
        ("", "string", ""),
        ("-3", "integer", -3),
        ("2.0", "integer", 2.0),
        ("2", "number", 2),
        ("1e3", "number", 1000.0),
        ("false", "boolean", False),
        ('{"a": 1}', "object", {"a": 1}),
        ("[1]", "array", [1]),
    ],
)
def test_a_value_is_read_as_its_type(text: str, type_: str, value: Any) -> None:
    assert read_inputs([f"x={text}"], {"x": type_}) == {"x": value}


@pytest.mark.parametrize("text", ["NaN", "Infinity", "{", "[" * 100_000])
def test_what_is_no_json_is_refused_for_every_type_but_string(skill: Path, text: str) -> None:
    ran = run("invoke", skill, "-i", TEXT, "-i", f"top={text}")
    assert ran.code == 2
    assert len(ran.err) < 1000


@pytest.mark.parametrize("content", ["[1]", "{", "\ufeff"], ids=["list", "cut", "empty"])
def test_an_inputs_file_that_is_no_object_is_wrong_usage(skill: Path, tmp_path: Path, content: str) -> None:
    path = tmp_path / "inputs.json"
    path.write_text(content, encoding="utf-8")
    assert run("invoke", skill, "--inputs", path).code == 2


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b'{"text": "\xe9"}', "inputs.json:1:11: The byte 0xE9 is not UTF-8"),
        (b'{"text": "a", "text": "b"}', "inputs.json:1:15: The name `text` stands twice"),
        (b'{"top": NaN}', "inputs.json:1:9: `NaN` is not a JSON number"),
        (b"[" * 100_000, "nested deeper"),
        (b"", "The text is empty"),
    ],
)
def test_an_inputs_file_with_a_fault_is_told_with_its_place(
    skill: Path, tmp_path: Path, content: bytes, told: str
) -> None:
    path = tmp_path / "inputs.json"
    path.write_bytes(content)
    result = run("invoke", skill, "--inputs", path)
    assert (result.code, told in result.err) == (2, True)


def test_an_inputs_file_may_be_yaml(skill: Path, tmp_path: Path) -> None:
    path = tmp_path / "inputs.yaml"
    path.write_text("text: one two # three")
    assert run("invoke", skill, "--inputs", path).json()["words"] == 2


def test_an_inputs_file_that_cannot_be_read_is_the_envelope_and_three(skill: Path, tmp_path: Path) -> None:
    result = run("invoke", skill, "--inputs", tmp_path / "none.json")
    assert (result.code, result.json()["error"]["details"]["reason"]) == (3, "not-found")


def test_inputs_that_do_not_fit_are_the_envelope_and_one(skill: Path) -> None:
    ran = run("invoke", skill, "-i", "language=fr")
    assert ran.code == 1
    violations = ran.json()["error"]["details"]["violations"]
    assert [violation["field"] for violation in violations] == ["/inputs/language", "/inputs/text"]
    assert "VALIDATION_ERROR" in ran.err


def test_a_descriptor_that_is_not_valid_is_the_envelope_and_one(tmp_path: Path) -> None:
    ran = run("invoke", write(tmp_path / "bad.json", bad()))
    assert (ran.code, ran.json()["error"]["code"]) == (1, "VALIDATION_ERROR")


def test_a_descriptor_of_another_major_is_the_envelope_and_one(tmp_path: Path) -> None:
    ran = run("invoke", write(tmp_path / "new.json", good() | {"protocol": {"version": "2.0.0"}}))
    assert (ran.code, ran.json()["error"]["code"]) == (1, "VERSION_INCOMPATIBLE")


def test_a_descriptor_that_is_no_json_is_the_envelope_and_one(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{")
    ran = run("invoke", tmp_path / "a.json")
    assert (ran.code, ran.json()["error"]["details"]["violations"][0]["rule"]) == (1, "document/syntax")


def test_a_descriptor_that_cannot_be_read_is_three() -> None:
    ran = run("invoke", "gone.json")
    assert (ran.code, ran.json()["error"]["details"]["reason"]) == (3, "not-found")


def test_two_descriptors_in_one_file_are_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "two.jsonl").write_text("{}\n{}\n")
    assert run("invoke", tmp_path / "two.jsonl").code == 2


@pytest.mark.parametrize(
    ("fault", "code", "name"),
    [
        (401, 1, "AUTH_REQUIRED"),
        (403, 1, "PERMISSION_DENIED"),
        (404, 1, "SKILL_NOT_FOUND"),
        (422, 1, "VERSION_INCOMPATIBLE"),
        (500, 1, "UNKNOWN"),
        ("html", 1, "UNKNOWN"),
        ("failed", 1, "EXECUTION_FAILED"),
        (503, 4, "ENDPOINT_UNREACHABLE"),
        ("reset", 4, "ENDPOINT_UNREACHABLE"),
        (504, 1, "EXECUTION_TIMEOUT"),
    ],
)
def test_a_failure_is_the_envelope_on_stdout(tmp_path: Path, fault: str | int, code: int, name: str) -> None:
    with running_provider(faults=[fault]) as failing:
        path = write(tmp_path / "skill.json", failing.descriptor)
        ran = run("invoke", path, "-i", TEXT, "--max-attempts", "1")
    assert (ran.code, ran.json()["error"]["code"]) == (code, name)
    assert f"skillproto explain {name}" in ran.err


def test_nobody_there_is_four(tmp_path: Path, provider: RunningProvider) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        free = listener.getsockname()[1]
    descriptor = json.loads(json.dumps(provider.descriptor).replace(provider.base_url, f"http://127.0.0.1:{free}"))
    ran = run("invoke", write(tmp_path / "skill.json", descriptor), "-i", TEXT, "--max-attempts", "1")
    assert (ran.code, ran.json()["error"]["details"]["reason"]) == (4, "refused")


def test_no_answer_at_all_before_the_deadline_is_four(tmp_path: Path) -> None:
    with running_provider(faults=["hang"]) as silent:
        path = write(tmp_path / "skill.json", silent.descriptor)
        ran = run("invoke", path, "-i", TEXT, "--timeout-ms", "200")
    assert (ran.code, ran.json()["error"]["code"]) == (4, "EXECUTION_TIMEOUT")


def test_an_execution_that_outlives_the_deadline_is_one_and_can_be_resumed(tmp_path: Path) -> None:
    with running_provider(poll_faults=["hang"]) as slow:
        path = write(tmp_path / "skill.json", slow.descriptor)
        ran = run("invoke", path, "-i", TEXT, "--timeout-ms", "300")
        assert (ran.code, ran.json()["error"]["code"]) == (1, "EXECUTION_TIMEOUT")
        again = run("invoke", path, "--resume", ran.json()["error"]["details"]["execution_id"])
    assert (again.code, again.json()["words"]) == (0, 3)


def test_credentials_come_from_the_environment_and_are_never_shown(tmp_path: Path) -> None:
    with running_provider(api_key="k-secret-12345") as closed:
        path = write(tmp_path / "skill.json", closed.descriptor)
        args = ("invoke", path, "-i", TEXT, "--trace", "--credentials-env", "SKILL_KEY")
        ran = run(*args, env={"SKILL_KEY": "k-secret-12345"})
        wrong = run(*args, env={"SKILL_KEY": "k-wrong-12345"})
    assert ran.code == 0
    assert (wrong.code, wrong.json()["error"]["code"]) == (1, "AUTH_REQUIRED")
    assert "k-" not in "".join((*ran[1:], *wrong[1:])).replace("skillproto-k", "")


def test_credentials_that_are_not_in_the_environment_are_wrong_usage(skill: Path) -> None:
    ran = run("invoke", skill, "-i", TEXT, "--credentials-env", "NOT_SET", env={"NOT_SET": None})
    assert ran.code == 2
    assert "NOT_SET" in ran.err


def test_the_trace_tells_every_attempt_and_its_wait(tmp_path: Path) -> None:
    with running_provider(faults=[503]) as failing:
        path = write(tmp_path / "skill.json", failing.descriptor)
        ran = run("invoke", path, "-i", TEXT, "--trace", "--initial-delay-ms", "10")
    assert ran.code == 0
    names = [line.split()[2] for line in ran.err.splitlines()]
    assert names[:5] == [
        "invocation.started",
        "attempt.started",
        "attempt.failed",
        "retry.scheduled",
        "attempt.started",
    ]
    assert names[-1] == "invocation.completed"
    assert re.search(r"attempt\.failed +attempt 1: 503 ENDPOINT_UNREACHABLE", ran.err)


def test_an_interrupt_is_130_with_the_envelope_and_the_way_to_resume(tmp_path: Path) -> None:
    with running_provider(faults=["stuck"]) as stuck:
        path = write(tmp_path / "skill.json", stuck.descriptor)
        command = [script(), "invoke", str(path), "-i", TEXT]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            while len(stuck.requests) < 3:
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=10)
    error = json.loads(out)["error"]
    assert (process.returncode, error["code"]) == (130, "CANCELLED")
    assert f"--resume {error['details']['execution_id']}" in err.decode()
    assert b"Traceback" not in err


def test_the_demo_shows_the_violations_and_the_attempts_in_under_five_seconds() -> None:
    began = time.monotonic()
    ran = run_script("demo")
    took_s = time.monotonic() - began
    text = ran.stdout.decode()
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert took_s < 5
    assert "broken.json: error: /capability_type: Invalid enum value [schema/enum]" in text
    assert "broken.json: error: /endpoint/url: Required field is missing [schema/required]" in text
    assert re.search(r"attempt 1: 503 ENDPOINT_UNREACHABLE.*attempt 2 in 200 ms", text, re.DOTALL)
    assert re.search(r"attempt 2: 504 EXECUTION_TIMEOUT.*attempt 3 in 400 ms", text, re.DOTALL)
    assert "the default is 1000 ms" in text
    assert "3 attempts" in text


def test_the_demo_without_its_extra_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "starlette").mkdir()
    (tmp_path / "starlette" / "__init__.py").write_text("raise ModuleNotFoundError('no', name='starlette')")
    ran = run_script("demo", env={"PYTHONPATH": str(tmp_path)})
    assert ran.returncode == 3
    assert b"pip install 'skillproto[provider]'" in ran.stderr
    assert b"Traceback" not in ran.stderr
