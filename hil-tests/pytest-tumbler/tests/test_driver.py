"""Resource and driver in an environment of labgrid, as tests of one's own use them. $TUMBLER_HIL is the rig's program."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytest.importorskip("labgrid")

SCENARIO = """
about = "The sign is {0} while the table is closed"
steps = ["expect sign {0} because silent: it is so", "open table"]
[endings]
nz-div9 = []
"""
OWN = """
import pathlib

def test_of_my_own(target):
    rig = target.get_driver("TumblerRigDriver")
    lit, dark = (pathlib.Path(f"{word}.toml").absolute() for word in ("on", "off"))
    assert [cell["cell"] for cell in rig.list(lit)] == ["on::nz-div9-1"]
    assert rig.play(lit, "on::nz-div9-1")["verdict"] == "PASS"
    verdict = rig.play(dark, "off::nz-div9-1")
    assert verdict["verdict"] == "FAIL" and verdict["reasons"]
    files = [pathlib.Path(each["path"]) for each in verdict["attachments"]]
    assert [file.suffix for file in files] == [".vcd", ".html"] and all(file.stat().st_size for file in files)
    assert all(file.is_relative_to(pathlib.Path("out").absolute()) for file in files)
"""
# What ssh does with a command, without another machine: its options and the host's name are left out.
SSH = """#!/bin/sh
while :; do case $1 in -[oOSpFl]) [ "$2" = check ] && exit 0; shift 2 ;; -*) shift ;; *) break ;; esac; done
echo "$*" >>{log}
shift; [ "$1" = -- ] && shift
cd / && exec setsid --wait sh -c "$*"
"""


def run(place: Path, resource: dict, **environment: str) -> subprocess.CompletedProcess:
    environ = {
        "imports": ["pytest_tumbler.lab"],
        "targets": {"main": {"resources": resource, "drivers": {"TumblerRigDriver": {"out": "out"}}}},
    }
    place.joinpath("env.yaml").write_text(yaml.safe_dump(environ))
    place.joinpath("test_own.py").write_text(OWN)
    for word in ("on", "off"):
        place.joinpath(f"{word}.toml").write_text(SCENARIO.format(word))
    command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "--lg-env", "env.yaml", "test_own.py"]
    return subprocess.run(command, cwd=place, env=os.environ | environment, capture_output=True, text=True, timeout=120)


def test_a_bench_of_this_machine(tmp_path):
    ran = run(tmp_path, {"TumblerBench": {"bench": "pure", "rig": os.environ["TUMBLER_HIL"]}})
    assert ran.returncode == 0, ran.stdout
    assert tmp_path.joinpath("out", "results.json").is_file()


def test_a_bench_of_another_machine_is_reached_by_ssh(tmp_path):
    log, there = tmp_path / "asked", tmp_path / "there"
    there.mkdir()
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(SSH.format(log=log))
    ssh.chmod(0o755)
    bench = {"host": "bench.lab", "bench": "pure", "rig": os.environ["TUMBLER_HIL"]}
    ran = run(tmp_path, {"NetworkTumblerBench": bench}, PATH=f"{ssh.parent}:{os.environ['PATH']}", TMPDIR=str(there))
    assert ran.returncode == 0, ran.stdout
    assert f"bench.lab -- {os.environ['TUMBLER_HIL']} serve --bench pure " in log.read_text()
    assert tmp_path.joinpath("out", "results.json").is_file()
    assert list(there.glob("*")) == [], "nothing stays on the bench's machine"


def test_a_bench_that_does_not_work_says_why(tmp_path):
    ran = run(tmp_path, {"TumblerBench": {"bench": "prue", "rig": os.environ["TUMBLER_HIL"]}})
    assert ran.returncode == 1 and "unknown bench `prue`: did you mean `pure`?" in ran.stdout, ran.stdout
