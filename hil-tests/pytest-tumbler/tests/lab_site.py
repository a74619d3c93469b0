"""A site with labgrid's own coordinator and exporters, which are processes of this machine."""

import os
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import yaml

PATIENCE = 60
# A rig that does something at the first cell of a name that contains CELL: `die`, always or `once`; `hang` until it is told to stop, and as
# long as there is a file `slow`; `freeze`, as a process that is stopped.
FRAGILE = """#!{python}
import json, os, pathlib, signal, subprocess, sys, time
parent = os.getppid()
place, what, cell, once = pathlib.Path({place!r}), {what!r}, {cell!r}, {once!r}
with place.joinpath("rigs").open("a") as rigs:
    rigs.write(f"{{os.getpid()}}\\n")
rig = subprocess.Popen([{rig!r}, *sys.argv[1:]], stdin=0, stdout=subprocess.PIPE, text=True)
def stop(*_):
    place.joinpath("stopping").touch()
    while place.joinpath("slow").exists():
        time.sleep(0.05)
    rig.terminate()
    os._exit(rig.wait())
signal.signal(signal.SIGTERM, stop)
for line in rig.stdout:
    event = json.loads(line)
    began = event["event"] == "began" and cell in event["cell"] and not (once and place.joinpath("began").exists())
    if not began:
        print(line, end="", flush=True)
        continue
    place.joinpath("began").write_text(event["cell"] + " " + pathlib.Path(sys.argv[-1]).name)
    if what == "die":
        rig.kill()
        rig.wait()
        os.kill(os.getpid(), signal.SIGKILL)
    if what == "freeze":
        os.killpg(0, signal.SIGSTOP)
    while os.getppid() == parent:
        time.sleep(0.05)
    stop()
"""


class Site:
    """A coordinator in a directory of its own, and benches that are exported and ready: for each name its parameters."""

    def __init__(self, place: Path, benches: dict[str, dict[str, str]]):
        self.place = place
        place.mkdir()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{free.getsockname()[1]}"
        self.environment = os.environ | {"LG_COORDINATOR": self.address, "LG_USERNAME": "qa", "LG_HOSTNAME": "site"}
        # Labgrid's programs are beside this Python.
        self.environment["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        # Tables of the real process lie where everybody can pass.
        self.environment.pop("TMPDIR", None)
        self.processes: dict[str, subprocess.Popen] = {}
        places = {
            name: {"matches": [{"exporter": name, "group": name, "cls": "*"}], "tags": {"tumbler": "ready"}} for name in benches
        }
        place.joinpath("places.yaml").write_text(yaml.safe_dump(places))
        self._start("coordinator", ["labgrid-coordinator", "-l", self.address])
        self._ready("coordinator", "listening on")
        for name, params in benches.items():
            params = {"cls": "NetworkTumblerBench", "host": "localhost", "bench": "pure", "rig": os.environ["TUMBLER_HIL"]} | params
            file = place / f"{name}-exported.yaml"
            file.write_text(yaml.safe_dump({name: {params.pop("cls"): {key: str(value) for key, value in params.items() if value is not None}}}))
            self._start(name, ["labgrid-exporter", "-n", name, "--hostname", "localhost", str(file)])
        for name in benches:
            self._ready(name, "creating poll task")

    def run(self, *arguments: object, **environment: str) -> "Run":
        """pytest on the benches of this site, in the directory beside it."""
        return Run(self, [str(argument) for argument in arguments], environment)

    def client(self, *words: str) -> str:
        """What labgrid-client prints."""
        command = [str(Path(sys.executable).with_name("labgrid-client")), *words]
        run = subprocess.run(command, env=self.environment, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
        return run.stdout

    def shown(self, place: str) -> dict[str, str]:
        """What labgrid-client shows of a place, but not of its resources."""
        lines = self.client("-p", place, "show").split("resource '")[0].splitlines()
        return dict(line.strip().split(": ", 1) for line in lines if ": " in line)

    def hangs(self, noted: Path) -> list[str]:
        """Waits until a cell hangs in a rig of this directory. Gives the cell and its bench."""
        began = noted / "began"
        wait(lambda: began.exists() and " " in began.read_text(), lambda: "no cell began")
        return began.read_text().split()

    def assert_all_given_back(self) -> None:
        """Nothing of this site is acquired or reserved, and no rig runs."""
        assert self.client("reservations") == ""
        assert self.client("who").split() == ["User", "Host", "Place", "Changed"]
        rigs = [pid for noted in self.place.parent.glob("*/rigs") for pid in noted.read_text().split()]
        assert [pid for pid in rigs if Path(f"/proc/{pid}").exists()] == []

    def kill(self, name: str) -> None:
        """Ends the coordinator or an exporter without a word."""
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def stop(self) -> None:
        for name in reversed(list(self.processes)):
            self.kill(name)

    def _start(self, name: str, command: list[str]) -> None:
        with self._log(name).open("w") as file:
            self.processes[name] = subprocess.Popen(
                command, cwd=self.place, env=self.environment, stdout=file, stderr=subprocess.STDOUT
            )

    def _ready(self, name: str, words: str) -> None:
        process, log = self.processes[name], self._log(name)
        wait(lambda: words in log.read_text() or process.poll() is not None, log.read_text)
        assert process.poll() is None, log.read_text()

    def _log(self, name: str) -> Path:
        return self.place / f"{name}.log"


class Run:
    """A run of pytest that goes on. `end` waits for its end, and gives its exit code."""

    def __init__(self, site: Site, arguments: list[str], environment: dict[str, str]):
        self.place = site.place.parent
        self.name = f"run-{len(list(self.place.glob('run-*.log'))) + 1}"
        self.junit, self.log = self.place / f"{self.name}.xml", self.place / f"{self.name}.log"
        command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", "--tumbler-labgrid", "--junitxml", str(self.junit)]
        command += ["--tumbler-out", str(self.place / self.name)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [*command, *arguments], cwd=self.place, env=site.environment | environment, stdout=log, stderr=subprocess.STDOUT
            )

    def end(self) -> int:
        try:
            return self.process.wait(PATIENCE * 2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(self.said()) from None

    def said(self) -> str:
        return self.log.read_text()

    def benches(self) -> dict[str, str]:
        """What the summary says of each bench."""
        lines = self.said().partition(" benches =")[2].splitlines()[1:]
        return dict(line.split("  ", 1) for line in lines if "  " in line and not line.startswith("="))

    def cells(self) -> dict[str, tuple[str, list[tuple[str, str]]]]:
        """The outcome and the properties of each cell. A cell is there once."""
        found = {}
        for case in ElementTree.parse(self.junit).iter("testcase"):
            outcome = [each.tag for each in case if each.tag in ("failure", "error", "skipped")] or ["passed"]
            name = case.get("name")
            assert name not in found and len(outcome) == 1, name
            found[name] = outcome[0], [(each.get("name"), each.get("value")) for each in case.iter("property")]
        return found


def fragile(place: Path, what: str, cell: str, once: bool = True) -> Path:
    """A program that plays the rig until a cell begins whose name contains `cell`. `place` is where it notes what it did."""
    place.mkdir(exist_ok=True)
    program = place.parent / f"{what}-{place.name}"
    program.write_text(
        FRAGILE.format(python=sys.executable, place=str(place), what=what, cell=cell, once=once, rig=os.environ["TUMBLER_HIL"])
    )
    program.chmod(0o755)
    return program


def wait(condition, what) -> None:
    """Waits until this is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, what()
        time.sleep(0.05)
