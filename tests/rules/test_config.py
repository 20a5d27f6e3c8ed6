import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from skillproto.errors import UsageError
from skillproto.rules import RuleConfig, Settings, find_settings, read_settings, validate
from skillproto.rules.config import matches
from tests.rules.support import ROOT, example, rules_of, with_members

FAULTY = with_members(id="translate", documentation_url="http://a.example.com", access="open")


@pytest.mark.parametrize(
    ("table", "left"),
    [
        ({}, ["schema/enum", "descriptor/insecure-url", "descriptor/id-namespace"]),
        ({"select": ["schema"]}, ["schema/enum"]),
        ({"select": ["descriptor/*"]}, ["descriptor/insecure-url", "descriptor/id-namespace"]),
        ({"select": ["descriptor/id-namespace", "schema/type"]}, ["descriptor/id-namespace"]),
        ({"ignore": ["descriptor/id-namespace"]}, ["schema/enum", "descriptor/insecure-url"]),
        ({"select": ["*"], "ignore": ["descriptor"]}, ["schema/enum"]),
        ({"severity": {"schema/enum": "off"}}, ["descriptor/insecure-url", "descriptor/id-namespace"]),
        ({"select": []}, []),
    ],
)
def test_rules_are_chosen_by_id_group_or_star(table: dict[str, Any], left: list[str]) -> None:
    assert rules_of(validate(FAULTY, config=RuleConfig.parse(table))) == left


def test_a_severity_of_a_rule_wins_over_that_of_its_group_and_over_its_own() -> None:
    config = RuleConfig.parse({"severity": {"descriptor": "info", "descriptor/id-namespace": "error"}})
    found = {v.rule: v.severity for v in validate(FAULTY, config=config)}
    assert found == {"schema/enum": "error", "descriptor/insecure-url": "info", "descriptor/id-namespace": "error"}


def test_a_foreign_protocol_is_told_whatever_is_selected_and_passed_over_only_by_name() -> None:
    document = with_members(protocol={"version": "2.0.0"})
    assert rules_of(validate(document, config=RuleConfig(select=("schema",)))) == ["protocol/incompatible"]
    assert validate(document, config=RuleConfig(ignore=("protocol/incompatible",))) == []


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"slect": []}, "no setting is called 'slect'; did you mean 'select'?"),
        ({"zzz": []}, "there are: select, ignore"),
        ({"ignore": "schema"}, "ignore must be a list of texts"),
        ({"ignore": [5]}, "ignore must be a list of texts"),
        ({"ignore": ["schema/tpye"]}, "no rule is called 'schema/tpye'; did you mean 'schema/type'?"),
        ({"select": ["shema/*"]}, "no rule is called 'shema/*'"),
        ({"severity": {"schema/type": "fatal"}}, "severity of schema/type must be one of: error, warning, info, off"),
        ({"severity": {"schema/tpye": "info"}}, "did you mean 'schema/type'?"),
        ({"severity": ["schema/type"]}, "severity must map rules"),
        ({"suppressions": "no"}, "suppressions must be true or false"),
        ({"severity": {"schema/type": ["info"]}}, "severity of schema/type must be one of"),
    ],
)
def test_what_is_not_understood_is_refused_with_the_nearest(table: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        RuleConfig.parse(table, source="here")
    assert message in str(caught.value)
    assert str(caught.value).startswith("here: ")


def test_a_pattern_names_no_rule_by_its_beginning() -> None:
    assert not matches("descriptor/id-namespace", ["descriptor/id"])
    assert not matches("schema/type", ["sch"])


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_the_nearest_file_above_counts_alone(tmp_path: Path) -> None:
    write(tmp_path / "skillproto.toml", 'ignore = ["schema/type"]\nbaseline = "known.json"\n')
    inner = write(tmp_path / "a" / "pyproject.toml", '[tool.skillproto]\nselect = ["schema"]\n').parent
    deeper = inner / "b" / "c"
    deeper.mkdir(parents=True)
    assert find_settings(str(deeper)).rules == RuleConfig(select=("schema",))
    found = find_settings(str(tmp_path))
    assert found.rules.ignore == ("schema/type",)
    assert found.baseline == str(tmp_path / "known.json")
    assert found.path == str(tmp_path / "skillproto.toml")


def test_a_project_file_of_others_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "skillproto.toml", 'exclude = ["vendor/*"]\n')
    for name, text in {
        "a": '[project]\nname = "x"\n',
        "b": '[project]\nname = "skillproto-user"\n',
        "c": "not toml",
    }.items():
        folder = write(tmp_path / name / "pyproject.toml", text).parent
        assert find_settings(str(folder)).exclude == ("vendor/*",)


def test_the_own_file_wins_over_the_project_file_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.skillproto]\nignore = ["schema"]\n')
    write(tmp_path / "skillproto.toml", 'ignore = ["index"]\n')
    assert find_settings(str(tmp_path)).rules.ignore == ("index",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ignore = [", "not valid TOML"),
        ("\udcff", "not valid TOML"),
        ('[rules]\nignore = ["x"]', "no setting is called 'rules'"),
    ],
)
def test_a_file_that_is_not_understood_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "skillproto.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=message) as caught:
        find_settings(str(tmp_path))
    assert "skillproto.toml" in str(caught.value)


def test_a_file_that_is_asked_for_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such file"):
        read_settings(str(tmp_path / "missing.toml"))


def test_a_project_file_that_is_asked_for_may_say_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", '[project]\nname = "x"\n')
    assert read_settings(str(path)) == {}


def test_settings_with_a_wrong_type_are_refused() -> None:
    for table in ({"baseline": 5}, {"exclude": "x"}):
        with pytest.raises(UsageError):
            Settings.parse(table)


def test_a_registry_lets_no_private_address_pass() -> None:
    url = "http://127.0.0.1/run"
    endpoint = {"url": url, "status_url": url, "result_url": url}
    document = with_members(endpoint=endpoint, **{"x-skillproto-ignore": ["descriptor/private-address"]})
    assert validate(document) == []
    assert {v.severity for v in validate(document, config=RuleConfig.for_publishing())} == {"error"}


def test_the_documented_settings_are_understood() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    own, shared = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    settings = Settings.parse(tomllib.loads(own))
    assert settings == Settings.parse(tomllib.loads(shared)["tool"]["skillproto"])
    assert settings.rules.severities == {"descriptor/no-status-url": "info"}
    (excused,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    assert validate(example() | json.loads(excused)) == []
