"""Collects scenario files and cells of the matrix, and plays them."""

import argparse
import math
import os
import re
import shutil
import tempfile
import tomllib
from pathlib import Path
from typing import NoReturn

import pytest

from .rig import READY, SILENT, Rig, RigError

# Where the cells of the matrix are for pytest and the adapters of editors, which want a path below the root of all tests.
MATRIX = "matrix"
# What is in every scenario file, and hardly in another.
SCENARIO_KEYS = {"about", "steps", "endings"}


def seconds(text: str) -> float:
    """A duration of the command line."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"`{text}` is no number of seconds above 0")
    return value


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tumbler", "scenarios and matrix cells of tumblerd")
    group.addoption("--tumbler-bench", metavar="BENCH", help="the bench's name or file; the ini option tumbler_bench, or pure. With labgrid: that of the places that are meant")
    group.addoption("--tumbler-rig", metavar="FILE", help="the rig's program; $TUMBLER_HIL, the ini option tumbler_rig, or that on PATH")
    group.addoption("--tumbler-out", metavar="DIR", type=Path, help="where evidence and results go; a new directory for temporary files, which stays where there is evidence in it")
    group.addoption("--tumbler-seed", metavar="N", type=int, help="mixed into the seed of every cell")
    group.addoption("--tumbler-matrix", metavar="WORDS", action="append", default=[],
                    help="the cells of the matrix whose names contain WORDS, beside the files that are named, such as motor.stall@tumbling or ::sg-v6; repeatable")  # fmt: skip
    group.addoption("--tumbler-labgrid", action="store_true", help="play on all benches that labgrid's coordinator has, one for each worker of -n")
    group.addoption("--tumbler-place", metavar="PLACE", action="append", default=[], help="with labgrid: only on the bench of this place; repeatable")
    group.addoption("--tumbler-wait", metavar="SECONDS", type=seconds, help="with labgrid: how long to wait for benches that others use; 600")
    group.addoption("--tumbler-ready", metavar="SECONDS", type=seconds, default=READY, help=f"how long the self-test of a bench may take; {READY}")
    group.addoption("--tumbler-silent", metavar="SECONDS", type=seconds, default=SILENT,
                    help=f"how long a rig may say nothing while it plays, before it is killed as one that died; {SILENT}")  # fmt: skip
    parser.addini("tumbler_bench", "the bench's name or file")
    parser.addini("tumbler_rig", "the rig's program", default="tumbler-hil")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "tumbler: a scenario or a cell of the matrix, played by tumblerd's rig")
    config.stash[SERVED] = Served(config)
    option = config.option
    # Ids of cells of the matrix, as pytest and its adapters give them back. Workers have them from here.
    given = [each for each in config.args if is_matrix_id(config, each)]
    option.tumbler_cells = [*getattr(option, "tumbler_cells", []), *(each.rpartition(f"{MATRIX}::")[2] for each in given)]
    config.args[:] = [each for each in config.args if each not in given]
    if (option.tumbler_matrix or option.tumbler_cells) and config.args_source != pytest.Config.ArgsSource.ARGS:
        # Who asks for the matrix and names no file does not mean all that lies below as well.
        config.args[:] = []


def is_matrix_id(config: pytest.Config, given: str) -> bool:
    """Whether this is an id of a cell of the matrix, and not one of a file of that name."""
    path, found, _ = given.partition("::")
    place = config.rootpath / MATRIX
    return bool(found) and (config.invocation_params.dir / path == place or path == MATRIX) and not place.exists()


def pytest_sessionstart(session: pytest.Session) -> None:
    config = session.config
    option = config.option
    if not option.tumbler_labgrid:
        for name, value in {"place": option.tumbler_place, "wait": option.tumbler_wait}.items():
            if value:
                raise pytest.UsageError(f"--tumbler-{name} is for labgrid's places: say --tumbler-labgrid too")
    elif option.tumbler_rig:
        raise pytest.UsageError("--tumbler-rig is for a rig of this machine: with labgrid, `rig` in the exporter's file says which it is")
    elif not hasattr(config, "workerinput"):
        config.stash[SERVED].reserve()


def pytest_unconfigure(config: pytest.Config) -> None:
    served = config.stash.get(SERVED, None)
    if served:
        served.close()


class Served:
    """What plays for this process of pytest: one rig, which starts when it is first needed, or the benches of labgrid."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.player = None
        self.temporary: Path | None = None

    def get(self):
        """A `Rig`, or what plays like one."""
        if self.player is None:
            self.player = self._player()
        return self.player

    def reserve(self) -> None:
        """Plays on benches of labgrid from now on. Raises UsageError."""
        try:
            from .lab.plugin import Lab
        except ImportError as why:
            raise pytest.UsageError(f"--tumbler-labgrid needs labgrid: pip install 'pytest-tumbler[labgrid]' ({why})") from None
        lab = Lab(self.config, self._bench(), self._out())
        self.config.pluginmanager.register(lab, "tumbler-labgrid")
        self.player = lab.pool

    def close(self) -> None:
        """Ends what was started."""
        if self.player:
            self.player.close()
        if self.temporary and not any(file.is_file() and file.name != "results.json" for file in self.temporary.rglob("*")):
            # There is no evidence in it.
            shutil.rmtree(self.temporary)

    def _player(self):
        option = self.config.option
        worker = getattr(self.config, "workerinput", None)
        if worker and option.tumbler_labgrid:
            from .lab.relay import Relayed

            return Relayed(*worker["tumbler_pool"])
        program = option.tumbler_rig or os.environ.get("TUMBLER_HIL") or self.config.getini("tumbler_rig")
        bench = self._bench() or "pure"
        # A bench of one's own is a file beside the configuration; others are names.
        beside = self.config.rootpath / bench
        seed = () if option.tumbler_seed is None else ("--seed", str(option.tumbler_seed))
        out = self._out()
        # Each worker of pytest-xdist has a rig of its own, and each rig a directory.
        return Rig(program, str(beside) if beside.is_file() else bench, out / worker["workerid"] if worker else out, seed, ready=option.tumbler_ready, silent=option.tumbler_silent)

    def _bench(self) -> str | None:
        return self.config.option.tumbler_bench or self.config.getini("tumbler_bench")

    def _out(self) -> Path:
        if self.config.option.tumbler_out:
            return Path(self.config.option.tumbler_out).absolute()
        self.temporary = Path(tempfile.mkdtemp(prefix="pytest-tumbler-"))
        return self.temporary


SERVED = pytest.StashKey[Served]()
# A worker had no list of cells from the rig.
NOT_COLLECTED = pytest.StashKey[bool]()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".toml" and is_scenario(file_path):
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


def is_scenario(path: Path) -> bool:
    """Whether a file has the keys of a scenario. What is no TOML, or no UTF-8, but has them, is left to the rig, which says what is wrong."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    try:
        return SCENARIO_KEYS <= tomllib.loads(data.decode("utf-8-sig")).keys()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        # Also of what is twice as wide.
        text = data.replace(b"\0", b"").decode("utf-8-sig", errors="replace")
        return all(re.search(rf"^\W*{key}\b", text, re.MULTILINE) for key in SCENARIO_KEYS)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """The matrix is no file: its cells come after what was collected from files, before anything is deselected."""
    if config.option.tumbler_matrix or config.option.tumbler_cells:
        matrix = Matrix.from_parent(session, name=MATRIX, nodeid=MATRIX, path=config.rootpath / MATRIX)
        try:
            cells = list(matrix.collect())
        except pytest.Collector.CollectError as why:
            refuse(config, str(why))
        if not cells:
            refuse(config, f"no cell of the matrix has one of these in its name: {', '.join([*config.option.tumbler_matrix, *config.option.tumbler_cells])}")
        items.extend(cells)


def refuse(config: pytest.Config, why: str) -> NoReturn:
    """Ends the run as one that was asked for what is not there. It is also an error in pytest's reports, which would be empty otherwise."""
    if hasattr(config, "workerinput"):
        # What a worker raises is not told; what it puts out is.
        config.workeroutput["tumbler_refused"] = why
    else:
        config.hook.pytest_collectreport(report=pytest.CollectReport("matrix", "failed", why, []))
    raise pytest.UsageError(why)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """A worker of pytest-xdist is done. All workers collect the same, so what one refuses ends the run."""
    said = getattr(node, "workeroutput", {})
    if "tumbler_refused" in said:
        refuse(node.config, said["tumbler_refused"])
    if "tumbler_not_collected" in said:
        node.config.stash[NOT_COLLECTED] = True


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Workers that could not collect play nothing, but pytest-xdist ends with 1, as if a table had failed: it is 2, as without workers."""
    failed = session.exitstatus == pytest.ExitCode.TESTS_FAILED
    if failed and session.config.stash.get(NOT_COLLECTED, False) and not session.config.option.continue_on_collection_errors:
        session.exitstatus = pytest.ExitCode.INTERRUPTED


class Cells(pytest.Collector):
    """What the rig lists. `file` is the scenario file; None for the matrix."""

    file: Path | None = None

    def collect(self):
        try:
            cells = self.config.stash[SERVED].get().list(self.file)
        except RigError as why:
            if hasattr(self.config, "workeroutput"):
                self.config.workeroutput["tumbler_not_collected"] = True
            raise self.CollectError(str(why)) from None
        option = self.config.option
        for cell in cells:
            scenario, _, layout = cell["cell"].rpartition("::")
            name = f"{scenario}[{layout}]"
            if self.file is not None or name in option.tumbler_cells or any(each in cell["cell"] for each in option.tumbler_matrix):
                yield Cell.from_parent(self, name=name, cell=cell)


class ScenarioFile(Cells, pytest.File):
    """A scenario file, with a cell for each variant under each layout."""

    @property
    def file(self) -> Path:
        return self.path


class Matrix(Cells):
    """The cells of the matrix that were asked for."""


class Cell(pytest.Item):
    """A scenario under a layout, or a fault in a phase under one."""

    # Labgrid's plugin asks every test for the fixtures that it uses.
    fixturenames: tuple[str, ...] = ()

    def __init__(self, *, cell: dict, **kwargs):
        super().__init__(**kwargs)
        self.cell = cell
        self.reasons: list[str] = []
        self.add_marker("tumbler")
        if cell.get("cannot"):
            self.add_marker(pytest.mark.skip(reason=f"NOT_EXECUTED: {cell['cannot']}"))

    def setup(self) -> None:
        """Plays. What keeps the rig from a verdict on the table raises here, where pytest takes it for an error and not a failure."""
        self.tell("test_key", self.cell["cell"])
        steps: list[str] = []

        def told(event: dict) -> None:
            if event["event"] == "began":
                # Also on another bench, after one died.
                steps.clear()
            elif event["event"] == "step":
                steps.append(f"{event['table_ns'] / 1e9:.3f} s  {event['words']}")

        try:
            verdict = self.config.stash[SERVED].get().play(self.parent.file, self.cell["cell"], told)
        except RigError as why:
            self.tell("verdict", "INVALID")
            for each in why.died:
                self.tell("died", each)
            pytest.fail(str(why), pytrace=False)
        self.tell("verdict", verdict["verdict"])
        self.tell("seed", verdict["seed"])
        if "bench" in verdict:
            self.tell("bench", verdict["bench"])
        for why in verdict.get("died", ()):
            self.tell("died", why)
        for clause in verdict["clauses"]:
            self.tell("requirement", clause)
        for file in verdict["attachments"]:
            self.tell(f"attachment:{file['name']}", file["path"])
        self.add_report_section("setup", "steps", "\n".join(steps))
        # GitLab and Jenkins take along what standard output names in this way.
        attached = "\n".join(f"[[ATTACHMENT|{file['path']}]]" for file in verdict["attachments"])
        if attached:
            self.add_report_section("setup", "stdout", attached)
        if verdict["verdict"] == "INVALID":
            pytest.fail("INVALID: " + "\n".join(verdict["reasons"]), pytrace=False)
        if verdict["verdict"] == "NOT_EXECUTED":
            pytest.skip("NOT_EXECUTED: " + "\n".join(verdict["reasons"]))
        self.reasons = verdict["reasons"]

    def runtest(self) -> None:
        if self.reasons:
            pytest.fail("\n".join(self.reasons), pytrace=False)

    def tell(self, name: str, value: object) -> None:
        """A property of this cell, as the fixture record_property has it."""
        self.user_properties.append((name, value))

    def reportinfo(self):
        return self.path, 0, self.name
