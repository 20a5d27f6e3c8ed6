"""What users of comparable registries ran into: each case is a test named after it."""

import json
from pathlib import Path
from typing import Any

import pytest

from skillproto import rules
from skillproto.discovery import FetchPolicy
from skillproto.publishing import Published, RegistryState, Taken, publish_check
from skillproto.publishing.exchange import answer
from skillproto.publishing.probing import Prober
from skillproto.rules import RuleConfig, validate
from skillproto.violations import resolve
from tests.cli.support import run, write
from tests.discovery.world import World, redirect
from tests.publishing.support import ID, TEXT, TONE, Always, check, found, published, skill


def test_p1_a_local_pass_is_a_registry_pass_and_another_rule_pack_is_said_first(tmp_path: Path) -> None:
    path = write(tmp_path / "skill.json", skill(name=""))
    local = run("publish-check", path, "--output-format", "json").json()
    theirs: Any = answer({"descriptor": skill(name="")})
    assert local["summary"]["rule_pack_version"] == theirs["rule_pack_version"] == rules.RULE_PACK_VERSION
    rules_of = [finding["rule"] for finding in local["error"]["details"]["violations"]]
    assert rules_of == [finding["rule"] for finding in theirs["reports"][0]["findings"]]

    report = check(skill(version="latest", name=""), rule_pack_version="0.9.0")
    assert found(report)[0] == "publish/rule-pack-differs"
    assert len(found(report)) > 1
    state = write(tmp_path / "state.json", {"rule_pack_version": "0.9.0"})
    ran = run("publish-check", path, "--state", state)
    assert "rule-pack-differs" in ran.out.splitlines()[0]
    assert ran.err.startswith("skillproto: the registry has another rule pack, 0.9.0;")


def test_p2_a_version_that_nobody_can_see_is_named_with_its_holder_and_state() -> None:
    hidden = Published(ID, "1.4.2", "deleted", "Someone Else")
    (finding,) = check(skill(), hidden).findings
    assert (finding.rule, finding.field) == ("publish/version-exists", "/version")
    assert "Someone Else" in finding.message
    assert "deleted" in finding.message
    assert (finding.details["holder"], finding.details["state"]) == ("Someone Else", "deleted")


def test_p2_an_address_that_an_old_entry_holds_is_named_with_its_holder_and_state() -> None:
    old = Published("org.other.thing", "0.1.0", "withdrawn", "Someone Else", skill()["endpoint"]["url"].upper())
    (finding,) = check(skill(), old._replace(url=skill()["endpoint"]["url"] + "/")).findings
    assert (finding.rule, finding.field) == ("publish/id-taken", "/endpoint/url")
    assert "org.other.thing" in finding.message
    assert "Someone Else" in finding.message
    assert finding.details["state"] == "withdrawn"


def test_p3_a_storage_fault_is_no_finding(tmp_path: Path) -> None:
    path = write(tmp_path / "skill.json", skill())
    (tmp_path / "state.json").write_text("{")
    ran = run("publish-check", path, "--state", tmp_path / "state.json", "--output-format", "json")
    assert ran.code == 3
    assert ran.json()["error"]["details"] == {"reason": "malformed"}
    assert ran.json()["summary"]["errors"] == 0

    def broken(skill_id: str, version: str) -> Any:
        raise ConnectionError("db-7.internal refused")

    report = check(skill(version="1.5.0"), published("1.4.2")._replace(descriptor=None), against=broken)
    assert (report.findings, report.accepted) == ((), None)
    (obstacle,) = report.obstacles
    assert (obstacle.step, obstacle.reason) == ("comparison", "not-loaded")
    assert "db-7" not in obstacle.message

    ran = run("publish-check", path, "--against", "https://127.0.0.1:1/", "--output-format", "json")
    assert (ran.code, ran.json()["summary"]["errors"]) == (4, 0)


def test_p4_every_pointer_is_into_the_descriptor() -> None:
    new = skill(version="1.5.0", inputs=[TONE], description="", name="")
    reply: Any = answer(
        {"text": json.dumps(new), "filename": "skill.json", "against": skill(inputs=[TEXT, TONE | {"name": "x"}])}
    )
    fields = [finding["field"] for finding in reply["reports"][0]["findings"]]
    assert {"/name", "/description"} <= set(fields)
    valid = new | {"name": "A", "description": "Does."}
    reply = answer({"descriptor": valid, "against": skill(inputs=[TEXT, TONE | {"name": "x"}])})
    findings = reply["reports"][0]["findings"]
    assert {finding["rule"] for finding in findings} == {"publish/breaking-without-major"}
    for finding in findings:
        resolve(valid, finding["field"])
        assert not finding["field"].startswith(("/descriptor", "/text", "/body"))


def test_p5_a_comparison_that_could_not_be_made_is_never_a_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = skill(version="1.5.0", inputs=[TEXT, TONE])
    without = check(new, published("1.4.2")._replace(descriptor=None))
    assert (without.accepted, [each.reason for each in without.obstacles]) == (None, ["no-descriptor"])
    no_descriptor = check(new, against="a text")
    assert (no_descriptor.accepted, no_descriptor.compared_with) == (None, None)
    broken = check(new, against={"id": ID, "version": "1.4.2", "inputs": "none"})
    assert (broken.accepted, [each.reason for each in broken.obstacles]) == (None, ["failed"])

    def crash(*arguments: object, **options: object) -> None:
        raise RecursionError

    monkeypatch.setattr("skillproto.publishing.comparison.diff", crash)
    crashed = check(new, published("1.4.2"))
    assert (crashed.accepted, crashed.findings) == (None, ())
    old, path = write(tmp_path / "old.json", skill()), write(tmp_path / "new.json", new)
    ran = run("publish-check", path, "--against", old)
    assert (ran.code, "could not be compared" in ran.out) == (3, True)


def test_p6_a_break_is_let_through_by_the_line_that_the_report_prints_and_a_stale_line_is_a_finding(
    tmp_path: Path,
) -> None:
    new = skill(version="1.5.0", inputs=[TEXT, TONE])
    report = check(new, published("1.4.2"))
    (finding,) = report.findings
    line = str(finding.details["allow"])
    assert line == f"{ID}@1.5.0 diff/input-added-required /inputs/1"
    assert line in str(finding.hint)
    assert check(new, published("1.4.2"), allow=[line]).accepted is True

    stale = check(skill(version="1.5.0"), published("1.4.2"), allow=[line])
    assert found(stale) == ["publish/stale-allowance /inputs/1"]
    excused = new | {"x-skillproto-ignore": ["publish/*", "diff/*"]}
    assert "publish/breaking-without-major /inputs/1" in found(check(excused, published("1.4.2")))

    old, path = write(tmp_path / "old.json", skill()), write(tmp_path / "new.json", new)
    assert line in run("publish-check", path, "--against", old).out
    (tmp_path / "allowed").write_text(f"# agreed on 3 May\n{line}\n")
    assert run("publish-check", path, "--against", old, "--allow-file", tmp_path / "allowed").code == 0


def test_p7_a_descriptor_of_an_older_protocol_has_one_finding_with_the_way_to_migrate() -> None:
    old = skill(version="latest", name="", protocol={"version": "0.9.0"})
    report = check(old, published("1.4.2"), namespaces=[], index=[], taken=[Taken(ID)])
    assert found(report) == ["protocol/incompatible /protocol/version"]
    assert "Migrate" in str(report.findings[0].hint)
    assert report.accepted is False


@pytest.mark.parametrize(
    ("parameter", "rule"),
    [
        ({"name": "tone", "type": "string"}, "publish/optional-refuses-null /inputs/1"),
        ({"name": "tone", "type": "string", "enum": ["a"]}, "publish/optional-refuses-null /inputs/1"),
        (
            {"name": "tone", "type": "string", "schema": {"type": "string"}},
            "descriptor/optional-refuses-null /inputs/1/schema",
        ),
    ],
    ids=["bare", "enum", "schema"],
)
def test_p8_an_optional_parameter_that_refuses_null_is_a_warning(parameter: dict[str, Any], rule: str) -> None:
    report = check(skill(inputs=[TEXT, parameter]))
    assert found(report) == [rule]
    assert (report.findings[0].severity, report.accepted) == ("warning", True)


@pytest.mark.parametrize(
    "parameter",
    [
        {"name": "tone", "type": "string", "schema": {"type": ["string", "null"]}},
        {"name": "tone", "type": "string", "enum": ["a", None]},
        {"name": "tone", "type": "string", "required": True},
    ],
    ids=["schema", "enum", "required"],
)
def test_p8_a_parameter_that_accepts_null_is_fine(parameter: dict[str, Any]) -> None:
    assert found(check(skill(inputs=[TEXT, parameter]))) == []


@pytest.mark.parametrize(
    "version",
    ["latest", "Stable", "1.x", "1.2.x", "x", "*", "^1.2.0", "~1.2", ">=1.0.0 <2.0.0", "1.0.0 - 2.0.0", "1 || 2",
     "[1.0,2.0)", "1", "1.2", "~> 1.2", "==1.4.2", ">1,<2"],
)  # fmt: skip
def test_p9_a_word_or_a_range_is_refused_as_reserved_by_name(version: str) -> None:
    report = check(skill(version=version))
    assert found(report) == ["publish/reserved-version /version"]
    assert f"`{version}` is reserved" in report.findings[0].message


@pytest.mark.parametrize("version", ["v1.2.0", "01.2.0", "one", "", "1.2.3.4"])
def test_p9_a_version_that_is_merely_malformed_is_told_as_that(version: str) -> None:
    rules_of = {finding.rule for finding in check(skill(version=version)).findings}
    assert rules_of
    assert not [rule for rule in rules_of if rule.startswith("publish/")]


@pytest.mark.parametrize(
    "address",
    [
        "https://127.0.0.1/run",
        "https://[::ffff:10.0.0.1]/run",
        "https://2130706433/run",
        "https://0x7f.1/run",
        "https://skill.localhost/run",
        "https://localhost./run",
        "https://169.254.169.254/run",
    ],
)
def test_p10_a_private_address_is_refused_however_it_is_spelled(address: str) -> None:
    own = {"url": address, "status_url": address, "result_url": address}
    report = check(skill(endpoint=skill()["endpoint"] | own))
    assert "descriptor/private-address /endpoint/url" in found(report)
    assert report.accepted is False
    assert RuleConfig.for_publishing().severities["descriptor/private-address"] == "error"


def test_p10_a_private_address_is_refused_after_dns_and_after_a_redirect(world: World) -> None:
    world.name("api.example.com", ["93.184.216.34", "10.0.0.5"])
    world.site("far.example.com").answers = Always(redirect("https://10.0.0.6/inside"))
    endpoint = {
        "url": "https://api.example.com/run",
        "status_url": "https://far.example.com/status",
        "result_url": "https://far.example.com/result",
    }
    with world.fetcher(FetchPolicy()) as fetcher:
        findings, obstacles = Prober(fetcher=fetcher)(skill(endpoint=endpoint))
    assert [(each.rule, each.field) for each in findings] == [
        ("probe/private-address", "/endpoint/url"),
        ("probe/private-address", "/endpoint/status_url"),
    ]
    assert obstacles == []
    assert world.trap.connections == 0


def test_p11_the_call_returns_its_findings_and_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    state = RegistryState([published("1.4.2")], namespaces=[])
    report = publish_check(skill(version="1.5.0", inputs=[TEXT, TONE]), state)
    assert {finding.rule for finding in report.findings} == {
        "publish/breaking-without-major",
        "publish/namespace-unproven",
    }
    assert capfd.readouterr() == ("", "")
    assert validate(skill()) == []
