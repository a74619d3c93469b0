"""The plugin, installed, on the real rig and the pure bench. $TUMBLER_HIL is the rig's program."""

import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[3] / "fixtures"

LIT = """
about = "The sign is lit while the table is closed"
steps = ["expect sign {0} because silent: it is so", "open table"]
[endings]
nz-div9 = []
sg-v6 = []
"""
# A fault that nothing brings out says nothing about the table.
IDLE = """
about = "A motor that never turns does not show that it stalls"
steps = ["open table", "fault motor.stall"]
[endings]
nz-div9 = []
"""


@pytest.fixture
def scenarios(pytester: pytest.Pytester) -> pytest.Pytester:
    """A directory with a scenario for each verdict, and a file that is none."""
    for name, text in {"lit": LIT.format("on"), "dark": LIT.format("off"), "idle": IDLE, "other": "[steps]"}.items():
        pytester.path.joinpath(f"{name}.toml").write_text(text)
    # The pure bench has no wall clock, and says so in its list.
    listed = FIXTURES / "scenarios" / "clock-steps.toml"
    pytester.path.joinpath("clock-steps.toml").write_text(listed.read_text())
    return pytester


def run(pytester: pytest.Pytester, *arguments: object) -> pytest.RunResult:
    return pytester.runpytest_subprocess(*map(str, arguments))


def cases(path: Path) -> dict:
    """Each case of a JUnit report by its test_key: the tag of its outcome, its properties and its output."""
    found = {}
    for case in ElementTree.parse(path).iter("testcase"):
        properties = [(each.get("name"), each.get("value")) for each in case.iter("property")]
        outcomes = [each.tag for each in case if each.tag in ("failure", "error", "skipped")]
        found[dict(properties).get("test_key", case.get("name"))] = outcomes, properties, case.findtext("system-out") or ""
    return found


def test_each_verdict_is_an_outcome(scenarios):
    result = run(scenarios, "-rA")
    outcomes = result.parseoutcomes()
    skipped = outcomes.pop("skipped")
    assert outcomes == {"passed": 2, "failed": 2, "errors": 1} and skipped > 0
    result.stdout.fnmatch_lines_random(
        [
            "INVALID: fault `motor.stall` never took effect*",
            "step 1 `expect sign off because silent: it is so`: is not so*",
            "SKIPPED * NOT_EXECUTED: the table knows no wall clock*",
            "PASSED lit.toml::lit[[]nz-div9-1[]]",
            "ERROR idle.toml::idle[[]nz-div9-1[]]*",
            "FAILED dark.toml::dark[[]nz-div9-1[]]*",
        ]
    )


def test_one_cell_is_selected_by_its_id(scenarios):
    result = run(scenarios, "dark.toml::dark[nz-div9-1]", "-v")
    assert result.parseoutcomes() == {"failed": 1}
    assert run(scenarios, "-k", "lit and sg-v6").parseoutcomes()["passed"] == 1


def test_evidence_and_clauses_are_in_the_report(scenarios, tmp_path):
    out, junit = tmp_path / "out", tmp_path / "junit.xml"
    run(scenarios, "dark.toml", "--tumbler-out", out, "--tumbler-seed", 7, "--junitxml", junit, "-o", "junit_logging=system-out")
    outcomes, properties, output = cases(junit)["dark::nz-div9-1"]
    assert outcomes == ["failure"]
    told = dict(properties)
    assert told["verdict"] == "FAIL" and told["seed"].isdecimal()
    files = [told["attachment:wires"], told["attachment:cell"]]
    assert [Path(file).suffix for file in files] == [".vcd", ".html"]
    assert all(Path(file).is_relative_to(out) and Path(file).stat().st_size > 0 for file in files)
    assert re.findall(r"\[\[ATTACHMENT\|(.*?)]]", output) == files
    assert out.joinpath("results.json").stat().st_size > 0, "the rig was ended as it should be"


def test_cells_of_the_matrix_are_collected_where_they_are_asked_for(pytester, tmp_path):
    junit = tmp_path / "junit.xml"
    result = run(pytester, "--tumbler-matrix", "motor.stall@tumbling::sg-v6", "--junitxml", junit)
    assert result.parseoutcomes() == {"passed": 1}
    (key, (outcomes, properties, _)), = cases(junit).items()
    assert key == "motor.stall@tumbling::sg-v6-1" and outcomes == []
    assert any(name == "requirement" for name, _ in properties), properties


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_cell_of_the_matrix_is_given_back_by_its_id_and_brings_no_files(scenarios, tmp_path, workers):
    junit, cell = tmp_path / "junit.xml", "matrix::motor.stall@tumbling[sg-v6-1]"
    listed = run(scenarios, "--co", "-q", "--tumbler-matrix", "motor.stall@tumbling::sg-v6-1")
    assert [line for line in listed.outlines if "::" in line] == [cell]
    # VS Code's adapter gives paths.
    for given in (cell, f"{scenarios.path}/{cell}"):
        assert run(scenarios, given, "--junitxml", junit, *workers).parseoutcomes() == {"passed": 1}
        assert list(cases(junit)) == ["motor.stall@tumbling::sg-v6-1"]
    assert run(scenarios, cell, "lit.toml::lit[sg-v6-1]", *workers).parseoutcomes() == {"passed": 2}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_scenario_in_an_encoding_of_its_own_is_not_left_out(pytester, encoding):
    pytester.path.joinpath("marked.toml").write_text(LIT.format("on"), encoding=encoding)
    result = run(pytester)
    if encoding == "utf-16":
        assert result.parseoutcomes()["errors"] == 1 and result.ret == pytest.ExitCode.INTERRUPTED
    else:
        assert result.parseoutcomes()["passed"] > 1


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_a_matrix_that_is_not_there_is_an_error_also_of_workers(pytester, tmp_path, workers):
    junit = tmp_path / "junit.xml"
    nothing = run(pytester, "--tumbler-matrix", "motor.stal@", "--junitxml", junit, *workers)
    why = "no cell of the matrix has one of these in its name: motor.stal@"
    nothing.stderr.fnmatch_lines(f"ERROR: {why}")
    assert nothing.ret == pytest.ExitCode.USAGE_ERROR
    (error,) = ElementTree.parse(junit).iter("error")
    assert error.text == why


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_a_scenario_that_is_wrong_is_told_with_its_place(pytester, workers):
    pytester.path.joinpath("typo.toml").write_text(LIT.format("on").replace("open table", "opne table"))
    pytester.path.joinpath("broken.toml").write_text(LIT.format("on") + "]")
    result = run(pytester, *workers)
    assert result.parseoutcomes()["errors"] == 2
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.re_match_lines_random([r".*typo\.toml.*", r".*typo\.toml:3:\d+: unknown step `opne`: did you mean `open`\?", r".*broken\.toml.*"])


def test_each_worker_has_one_rig_of_its_own(scenarios, tmp_path):
    # A rig that says how often it was started.
    started, rig = tmp_path / "started", tmp_path / "rig"
    rig.write_text(f'#!/bin/sh\necho "$@" >>{started}\nexec {os.environ["TUMBLER_HIL"]} "$@"\n')
    rig.chmod(0o755)
    out = tmp_path / "out"
    result = run(scenarios, "-n", "2", "--tumbler-rig", rig, "--tumbler-out", out)
    outcomes = result.parseoutcomes()
    assert (outcomes["passed"], outcomes["failed"], outcomes["errors"]) == (2, 2, 1)
    assert sorted(line.split("--out ")[1] for line in started.read_text().splitlines()) == [f"{out}/gw0", f"{out}/gw1"]
    assert all(out.joinpath(worker, "results.json").is_file() for worker in ("gw0", "gw1"))


def test_a_rig_that_dies_is_an_error_and_the_next_cell_gets_another(scenarios, tmp_path):
    # Its first life ends after two requests, which list the files.
    lives, rig, real = tmp_path / "lives", tmp_path / "rig", os.environ["TUMBLER_HIL"]
    rig.write_text(
        f'#!/bin/sh\necho >>{lives}\n[ $(wc -l <{lives}) -gt 1 ] && exec {real} "$@"\n'
        f'for request in 1 2; do read -r line; printf "%s\\n" "$line"; done | {real} "$@"\n'
    )
    rig.chmod(0o755)
    result = run(scenarios, "lit.toml", "dark.toml", "--tumbler-rig", rig, "--tumbler-out", tmp_path / "out")
    assert result.parseoutcomes() == {"passed": 1, "failed": 2, "errors": 1}
    result.stdout.fnmatch_lines("the rig ended unasked with code 0")
    assert lives.read_text().count("\n") == 2
    missing = run(scenarios, "lit.toml", "--tumbler-rig", tmp_path / "none")
    missing.stdout.fnmatch_lines("*the rig cannot be started: *No such file or directory*")


@pytest.mark.parametrize("workers", [[], ["-n", "2"]])
def test_a_rig_tells_why_it_does_not_start(scenarios, workers):
    result = run(scenarios, "lit.toml", "--tumbler-bench", "prue", *workers)
    assert result.parseoutcomes()["errors"] == 1
    # Of a table that failed, pytest says 1.
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines("*unknown bench `prue`: did you mean `pure`?*")


def test_a_self_test_that_does_not_end_is_an_error(scenarios, tmp_path):
    rig, pid = tmp_path / "rig", tmp_path / "pid"
    rig.write_text(f"#!/bin/sh\nsleep 300 &\necho $! >{pid}\nwait\n")
    rig.chmod(0o755)
    result = run(scenarios, "lit.toml", "--tumbler-rig", rig, "--tumbler-ready", 2)
    assert result.parseoutcomes() == {"errors": 1}
    result.stdout.fnmatch_lines("its self-test did not end within 2 s, and it was killed")
    assert not Path("/proc", pid.read_text().strip(), "exe").exists(), "what it started ends with it"
    wrong = run(scenarios, "--tumbler-silent", "nan")
    wrong.stderr.fnmatch_lines("*--tumbler-silent: `nan` is no number of seconds above 0")


def test_a_directory_of_its_own_stays_where_there_is_evidence(scenarios, temporary):
    assert run(scenarios, "lit.toml").ret == pytest.ExitCode.OK
    assert list(temporary.glob("pytest-tumbler-*")) == []
    run(scenarios, "dark.toml", "-k", "nz")
    assert len(list(temporary.glob("pytest-tumbler-*/cells/*.vcd"))) == 1
