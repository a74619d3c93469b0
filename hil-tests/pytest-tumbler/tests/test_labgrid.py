"""The plugin on benches of labgrid's own coordinator and exporters. $TUMBLER_HIL is the rig's program."""

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("labgrid")

from lab_site import Site, fragile, wait
from pytest_tumbler.lab.choice import Choice, Refused
from pytest_tumbler.lab.coordinator import Coordinator

# A file with two variants under five layouts each.
STALL = Path(__file__).parents[3] / "fixtures" / "scenarios" / "stall.toml"
CELLS = 10
PAGE = Path(__file__).parents[2] / "docs" / "labgrid.md"
ONE = "stall[dead]::sg-v6"


@pytest.fixture
def site(tmp_path):
    """Starts sites, and stops them at the end."""
    started = []

    def start(benches: dict[str, dict[str, str]]) -> Site:
        started.append(Site(tmp_path / f"site-{len(started)}", benches))
        return started[-1]

    yield start
    for each in started:
        each.stop()


def shell(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_benches_are_acquired_tested_used_by_all_workers_and_given_back(site, tmp_path):
    # Before its self-test, each rig asks whose its place is.
    for name in ("a", "b"):
        shell(tmp_path / name, f'labgrid-client -p {name} show | grep acquired: >{tmp_path}/{name}.whose\nexec {os.environ["TUMBLER_HIL"]} "$@"')
    lab = site({name: {"rig": tmp_path / name} for name in ("a", "b")})
    run = lab.run(STALL, "-n", "2")
    assert run.end() == 0, run.said()
    assert [tmp_path.joinpath(f"{name}.whose").read_text().strip() for name in ("a", "b")] == ["acquired: site/qa"] * 2
    cells = run.cells()
    assert len(cells) == CELLS and {outcome for outcome, _ in cells.values()} == {"passed"}
    by = {name: sum(("bench", name) in properties for _, properties in cells.values()) for name in ("a", "b")}
    assert by["a"] > 0 and by["b"] > 0 and by["a"] + by["b"] == CELLS
    assert run.benches() == {name: f"pure on localhost, played {by[name]}" for name in ("a", "b")}
    assert all(tmp_path.joinpath(run.name, name, "results.json").is_file() for name in ("a", "b"))
    lab.assert_all_given_back()


def test_a_bench_that_fails_its_self_test_is_given_back_with_its_reason(site, tmp_path):
    # A bench on the real process needs a place for its tables. This one has none, until a person repairs it.
    repaired = tmp_path / "repaired"
    broken = shell(tmp_path / "broken", f'[ -e {repaired} ] || export TMPDIR={repaired}\nexec {os.environ["TUMBLER_HIL"]} "$@"')
    lab = site({"a": {"bench": "virtual", "rig": broken}, "b": {"bench": "virtual"}})
    lab.client("-p", "a", "set-comment", "by the window")
    tmp_path.joinpath("lit.toml").write_text(
        'about = "The sign is lit while the table is closed"\n'
        'steps = ["expect sign on because silent: it is so"]\n[endings]\nnz-div9 = []\n'
    )
    run = lab.run("lit.toml", "-k", "nz-div9-1", "-n", "2")
    assert run.end() == 0, run.said()
    (outcome, properties), = run.cells().values()
    assert outcome == "passed" and ("bench", "b") in properties
    lab.assert_all_given_back()
    shown = lab.shown("a")
    assert shown["tags"] == "tumbler=out_of_order"
    assert shown["comment"].startswith("out of order since 20") and shown["comment"].endswith("| by the window")
    assert "the rig's self-test failed: a place for tables: " in shown["comment"]
    assert run.benches()["a"] == f"virtual on localhost, played 0; given back: {shown['comment'].removesuffix(' | by the window')}"
    # The next run does not even start its rig.
    repaired.touch()
    alone = lab.run("lit.toml", "--tumbler-place", "a")
    assert alone.end() == pytest.ExitCode.USAGE_ERROR and f"no bench is left: a: {shown['comment']}" in alone.said()
    # Until a person says otherwise.
    lab.client("-p", "a", "set-tags", "tumbler=ready")
    again = lab.run("lit.toml", "-k", "nz-div9-1", "--tumbler-place", "a")
    assert again.end() == 0, again.said()


def test_a_bench_that_this_machine_does_not_reach_is_given_back_as_it_was(site, tmp_path):
    said = "ssh: Could not resolve hostname bench.lab: Name or service not known"
    tmp_path.joinpath("bin").mkdir()
    shell(tmp_path / "bin" / "ssh", f"echo '{said}' >&2; exit 255")
    why = {
        "far": f"ssh does not reach bench.lab from this machine: {said}",
        "none": f"the rig cannot be started: [Errno 2] No such file or directory: '{tmp_path}/none'",
        "other": f"{tmp_path}/other is no rig that serves, as it printed `hello`",
    }
    shell(tmp_path / "other", "echo hello")
    lab = site({name: {"rig": tmp_path / name, "host": "bench.lab" if name == "far" else "localhost"} for name in why})
    run = lab.run("--tumbler-matrix", "motor.stall@", PATH=f"{tmp_path}/bin:{lab.environment['PATH']}")
    assert run.end() == pytest.ExitCode.USAGE_ERROR, run.said()
    hosts = {name: f"pure on {'bench.lab' if name == 'far' else 'localhost'}" for name in why}
    assert run.benches() == {name: f"{hosts[name]}, played 0; given back: not tested: {why[name]}" for name in why}
    assert [{"tags", "comment"} & lab.shown(name).keys() for name in why] == [{"tags"}] * 3
    assert [lab.shown(name)["tags"] for name in why] == ["tumbler=ready"] * 3
    lab.assert_all_given_back()


def test_workers_without_a_bench_are_an_error_that_says_why(site, tmp_path):
    dead = shell(tmp_path / "dead", "echo the power is off >&2; exit 3")
    lab = site({"a": {"rig": dead}})
    run = lab.run("--tumbler-matrix", "motor.stall@", "-n", "2")
    assert run.end() == pytest.ExitCode.USAGE_ERROR, run.said()
    assert "ERROR: no bench is left: a: out of order since" in run.said()
    assert [outcome for outcome, _ in run.cells().values()] == ["error"]
    lab.assert_all_given_back()


def test_a_cell_whose_rig_is_killed_is_played_on_another_bench(site, tmp_path):
    noted = tmp_path / "noted"
    rig = fragile(noted, "die", ONE)
    lab = site({"a": {"rig": rig}, "b": {"rig": rig}})
    run = lab.run(STALL, "-n", "2")
    assert run.end() == 0, run.said()
    cells = run.cells()
    assert len(cells) == CELLS and {outcome for outcome, _ in cells.values()} == {"passed"}
    (died, on), = [(why, dict(p)["bench"]) for _, p in cells.values() for key, why in p if key == "died"]
    other = {"a": "b", "b": "a"}[on]
    cell = noted.joinpath("began").read_text().split()[0]
    assert died.startswith(f"{other} while it played {cell}: the rig was killed by SIGKILL")
    assert f"its rig died while it played {cell}" in run.benches()[other]
    # The rig that was killed left no results.
    (command,) = re.findall(r"^tumbler-hil report (.*)$", PAGE.read_text(), re.MULTILINE)
    report = f'"$TUMBLER_HIL" report {command.replace("results/", f"{run.name}/")}'
    subprocess.run(["sh", "-c", report], cwd=tmp_path, env=lab.environment, check=True)
    assert cell.split("::")[0] in tmp_path.joinpath("report", "report.html").read_text()
    lab.assert_all_given_back()


def test_a_rig_that_says_nothing_any_more_is_killed_and_counts_as_one_that_died(site, tmp_path):
    noted = tmp_path / "noted"
    lab = site({"a": {"rig": fragile(noted, "freeze", ONE)}})
    run = lab.run(STALL, "-k", "dead and sg-v6", "--tumbler-silent", "2")
    assert run.end() == 0, run.said()
    ((outcome, properties),) = run.cells().values()
    (died,) = [why for key, why in properties if key == "died"]
    assert outcome == "passed" and died.endswith(": the rig said nothing for 2 s, and it was killed")
    # There is no other bench, so that the cell waited for it.
    assert "it passed its self-test again" in run.benches()["a"]
    lab.assert_all_given_back()


def test_without_workers_too_a_cell_is_played_again_on_another_bench(site, tmp_path):
    rig = fragile(tmp_path / "noted", "die", ONE, once=False)
    lab = site({"a": {"rig": rig}, "b": {}})
    run = lab.run(STALL, "-k", "dead and sg-v6")
    assert run.end() == 0, run.said()
    ((outcome, properties),) = run.cells().values()
    assert outcome == "passed" and ("bench", "b") in properties, properties
    assert [why.split(" while ")[0] for key, why in properties if key == "died"] == ["a"]
    lab.assert_all_given_back()


def test_a_cell_that_ends_every_rig_is_an_error_and_the_others_are_played(site, tmp_path):
    rig = fragile(tmp_path / "noted", "die", ONE, once=False)
    lab = site({"a": {"rig": rig}, "b": {"rig": rig}})
    run = lab.run(STALL, "-n", "2")
    assert run.end() == pytest.ExitCode.TESTS_FAILED, run.said()
    cells = run.cells()
    assert len(cells) == CELLS and [name for name, (outcome, _) in cells.items() if outcome == "error"] == ["stall[dead][sg-v6-1]"]
    told = cells["stall[dead][sg-v6-1]"][1]
    assert told[:2] == [("test_key", "stall[dead]::sg-v6-1"), ("verdict", "INVALID")]
    assert sorted((key, why.split(" while ")[0]) for key, why in told[2:]) == [("died", "a"), ("died", "b")]
    assert "it ended 2 rigs, and is not tried again: " in run.said()
    lab.assert_all_given_back()


def test_the_last_bench_that_dies_leaves_errors_and_says_why(site, tmp_path):
    noted = tmp_path / "noted"
    rig = fragile(noted, "die", ONE)
    dead = shell(tmp_path / "dead", f'[ -e {noted}/began ] && echo the power is off >&2 && exit 3\nexec {rig} "$@"')
    lab = site({"a": {"rig": dead}})
    run = lab.run(STALL)
    assert run.end() == pytest.ExitCode.TESTS_FAILED, run.said()
    cells = run.cells()
    assert len(cells) == CELLS and {outcome for outcome, _ in cells.values()} == {"passed", "error"}
    errors = [dict(properties) for outcome, properties in cells.values() if outcome == "error"]
    assert all(told["test_key"] and told["verdict"] == "INVALID" for told in errors) and any("died" in told for told in errors)
    assert "no bench is left: a: out of order since" in run.said() and "the power is off" in lab.shown("a")["comment"]
    lab.assert_all_given_back()


def test_a_cell_whose_exporter_is_killed_is_played_on_another_bench(site, tmp_path):
    noted = tmp_path / "noted"
    rig = fragile(noted, "hang", ONE)
    lab = site({"a": {"rig": rig}, "b": {"rig": rig}})
    run = lab.run(STALL, "-n", "2")
    cell, lost = lab.hangs(noted)
    lab.kill(lost)
    assert run.end() == 0, run.said()
    cells = run.cells()
    assert len(cells) == CELLS and {outcome for outcome, _ in cells.values()} == {"passed"}
    died = [(why, dict(p)["bench"]) for _, p in cells.values() for key, why in p if key == "died"]
    assert died == [(f"{lost} while it played {cell}: its exporter is gone", {"a": "b", "b": "a"}[lost])]
    assert run.benches()[lost].endswith("; given back: its exporter is gone")
    # Its rig had time to write what it played before.
    assert all(tmp_path.joinpath(run.name, name, "results.json").is_file() for name in ("a", "b"))
    lab.assert_all_given_back()


def test_without_its_coordinator_a_run_ends_with_errors(site, tmp_path):
    lab = site({"a": {"rig": fragile(tmp_path / "noted", "hang", ONE)}})
    run = lab.run(STALL)
    lab.hangs(tmp_path / "noted")
    lab.kill("coordinator")
    assert run.end() == pytest.ExitCode.TESTS_FAILED, run.said()
    outcomes = [outcome for outcome, _ in run.cells().values()]
    assert len(outcomes) == CELLS and "error" in outcomes
    assert f"the coordinator at {lab.address} became unavailable" in run.said()


def test_two_runs_share_a_site_and_never_a_bench(site, tmp_path):
    for name in ("a", "b"):
        # A directory can be made by one only.
        alone = f'mkdir {tmp_path}/{name}.used || touch {tmp_path}/clash\n{os.environ["TUMBLER_HIL"]} "$@"\nrmdir {tmp_path}/{name}.used'
        shell(tmp_path / name, alone)
    lab = site({name: {"rig": tmp_path / name} for name in ("a", "b")})
    runs = [lab.run(STALL, "-n", "2") for _ in range(2)]
    assert [run.end() for run in runs] == [0, 0], runs[0].said() + runs[1].said()
    assert [len(run.cells()) for run in runs] == [CELLS, CELLS]
    assert not tmp_path.joinpath("clash").exists()
    lab.assert_all_given_back()


@pytest.mark.parametrize(("which", "workers"), [(signal.SIGINT, ()), (signal.SIGTERM, ("-n", "1")), (signal.SIGHUP, ())])
def test_a_run_that_is_interrupted_gives_everything_back(site, tmp_path, which, workers):
    noted = tmp_path / "noted"
    lab = site({"a": {"rig": fragile(noted, "hang", ONE)}})
    run = lab.run(STALL, *workers)
    lab.hangs(noted)
    assert lab.shown("a")["acquired"] == "site/qa"
    if which == signal.SIGINT:
        noted.joinpath("slow").touch()
        other = lab.run(STALL, "--tumbler-wait", "0.1")
        assert other.end() != 0 and "no bench was free for 0.1 s; no bench is left: a: used by site/qa" in other.said(), other.said()
    run.process.send_signal(which)
    if which == signal.SIGINT:
        # Impatient people type it again, while the rig still puts its table away.
        wait(noted.joinpath("stopping").exists, run.said)
        run.process.send_signal(which)
        noted.joinpath("slow").unlink()
    assert run.end() == pytest.ExitCode.INTERRUPTED, run.said()
    lab.assert_all_given_back()
    assert lab.shown("a")["tags"] == "tumbler=ready"


def test_a_run_that_waits_says_for_what_and_until_when(site):
    lab = site({"a": {}})
    lab.client("-p", "a", "acquire")
    run = lab.run(STALL, "-k", "dead and sg-v6")
    wait(lambda: "labgrid: all benches are taken, waiting until " in run.said(), run.said)
    assert "(--tumbler-wait 600): a: used by site/qa" in run.said()
    lab.client("-p", "a", "release")
    assert run.end() == 0, run.said()
    # A run that was killed leaves a reservation, which the coordinator keeps for a minute.
    token = re.search(r"Reservation '(.*)'", lab.client("reserve", "name=a", "tumbler=ready")).group(1)
    run = lab.run(STALL, "-k", "dead and sg-v6")
    wait(lambda: f"a: reserved by {token} (labgrid-client reservations)" in run.said(), run.said)
    lab.client("cancel-reservation", token)
    assert run.end() == 0, run.said()
    lab.assert_all_given_back()


def test_what_is_unknown_is_refused_with_the_nearest_name(site):
    lab = site(
        {
            "key": {"bench": None, "bnech": "pure"},
            "class": {"cls": "NetworkTumblerBnech"},
            "tag": {},
            "empty": {"host": ""},
            "bench-1": {},
        }
    )
    lab.client("-p", "tag", "set-tags", "tumbler=redy")
    coordinator = Coordinator(lab.address, lambda: None)
    places = coordinator.places()
    coordinator.close()

    def refused(why: str, bench: str | None = None, *names: str) -> None:
        with pytest.raises(Refused, match=re.escape(why)):
            Choice(bench, names).check(places)

    refused("the coordinator has no place `bnech-1`: did you mean `bench-1`?", None, "bnech-1")
    refused("no place has the bench `prue`: did you mean `pure`?", "prue")
    refused("key: unknown key `bnech` of NetworkTumblerBench: did you mean `bench`?", None, "key")
    refused("class: its exporter offers a `NetworkTumblerBnech`: did you mean `NetworkTumblerBench`?", None, "class")
    refused("empty: `host` of NetworkTumblerBench is empty", None, "empty")
    refused("tag: its tag is tumbler=redy: did you mean `ready`?", None, "tag")
    fit, unfit = Choice(None, ()).sort(places)
    assert [place.name for place in fit] == ["bench-1"] and sorted(unfit) == ["class", "empty", "key", "tag"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--tumbler-wait", "-1"), "--tumbler-wait: `-1` is no number of seconds above 0"),
        (("--tumbler-wait", "5"), "--tumbler-wait is for labgrid's places: say --tumbler-labgrid too"),
        (("--tumbler-labgrid",), "labgrid: `127.0.0.1:abc` is no coordinator's address: it is HOST or HOST:PORT"),
    ],
)
def test_an_option_that_is_wrong_is_refused(pytester, monkeypatch, arguments, why):
    monkeypatch.setenv("LG_COORDINATOR", "127.0.0.1:abc")
    run = pytester.runpytest_subprocess(*arguments)
    run.stderr.fnmatch_lines(f"*{why}")
    assert run.ret == pytest.ExitCode.USAGE_ERROR
