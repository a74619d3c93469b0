"""Collects scenario files and cells of the matrix, and plays them."""

import os
import re
import shutil
import tempfile
import tomllib
from pathlib import Path

import pytest

from .rig import Rig, RigError

# What is in every scenario file, and hardly in another.
SCENARIO_KEYS = {"about", "steps", "endings"}


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tumbler", "scenarios and matrix cells of tumblerd")
    group.addoption("--tumbler-bench", metavar="BENCH", help="the bench's name or file; the ini option tumbler_bench, or pure")
    group.addoption("--tumbler-rig", metavar="FILE", help="the rig's program; $TUMBLER_HIL, the ini option tumbler_rig, or that on PATH")
    group.addoption("--tumbler-out", metavar="DIR", type=Path, help="where evidence and results go; a new directory for temporary files, which stays where there is evidence in it")
    group.addoption("--tumbler-seed", metavar="N", type=int, help="mixed into the seed of every cell")
    group.addoption("--tumbler-matrix", metavar="WORDS", action="append", default=[],
                    help="also the cells of the matrix whose names contain WORDS, such as motor.stall@tumbling or ::sg-v6; repeatable")  # fmt: skip
    parser.addini("tumbler_bench", "the bench's name or file", default="pure")
    parser.addini("tumbler_rig", "the rig's program", default="tumbler-hil")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "tumbler: a scenario or a cell of the matrix, played by tumblerd's rig")
    worker = getattr(config, "workerinput", None)
    if worker and config.option.tumbler_out:
        # Each worker of pytest-xdist has a rig of its own, and each rig a directory.
        config.option.tumbler_out = Path(config.option.tumbler_out) / worker["workerid"]
    config.stash[SERVED] = Served(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    served = config.stash.get(SERVED, None)
    if served:
        served.close()


class Served:
    """The one rig of this process of pytest, started with the first that needs it."""

    def __init__(self, config: pytest.Config):
        self.config = config
        self.rig: Rig | None = None
        self.temporary: Path | None = None
        self.evidence = False

    def get(self) -> Rig:
        if self.rig is None:
            option = self.config.option
            program = option.tumbler_rig or os.environ.get("TUMBLER_HIL") or self.config.getini("tumbler_rig")
            bench = option.tumbler_bench or self.config.getini("tumbler_bench")
            # A bench of one's own is a file beside the configuration; others are names.
            beside = self.config.rootpath / bench
            seed = () if option.tumbler_seed is None else ("--seed", str(option.tumbler_seed))
            self.rig = Rig(program, str(beside) if beside.is_file() else bench, self.out(), seed)
        return self.rig

    def out(self) -> Path:
        if self.config.option.tumbler_out:
            return Path(self.config.option.tumbler_out).absolute()
        self.temporary = Path(tempfile.mkdtemp(prefix="pytest-tumbler-"))
        return self.temporary

    def close(self) -> None:
        if self.rig:
            self.rig.close()
        if self.temporary and not self.evidence:
            shutil.rmtree(self.temporary)


SERVED = pytest.StashKey[Served]()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix == ".toml" and is_scenario(file_path):
        return ScenarioFile.from_parent(parent, path=file_path)
    return None


def is_scenario(path: Path) -> bool:
    """Whether a file has the keys of a scenario. What is no TOML, but has them, is left to the rig, which says what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
        return SCENARIO_KEYS <= tomllib.loads(text).keys()
    except tomllib.TOMLDecodeError:
        return all(re.search(rf"^\[?{key}\b", text, re.MULTILINE) for key in SCENARIO_KEYS)
    except (OSError, UnicodeDecodeError):
        return False


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """The matrix is no file: its cells come after what was collected from files, before anything is deselected."""
    if config.option.tumbler_matrix:
        matrix = Matrix.from_parent(session, name="matrix", nodeid="matrix")
        try:
            cells = list(matrix.collect())
        except pytest.Collector.CollectError as why:
            raise pytest.UsageError(str(why)) from None
        if not cells:
            raise pytest.UsageError(f"no cell of the matrix has one of these in its name: {', '.join(config.option.tumbler_matrix)}")
        items.extend(cells)


class Cells(pytest.Collector):
    """What the rig lists. `file` is the scenario file; None for the matrix."""

    file: Path | None = None

    def collect(self):
        try:
            cells = self.config.stash[SERVED].get().list(self.file)
        except RigError as why:
            raise self.CollectError(str(why)) from None
        words = self.config.option.tumbler_matrix
        for cell in cells:
            if self.file is not None or any(each in cell["cell"] for each in words):
                scenario, _, layout = cell["cell"].rpartition("::")
                yield Cell.from_parent(self, name=f"{scenario}[{layout}]", cell=cell)


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
        steps: list[str] = []

        def told(event: dict) -> None:
            if event["event"] == "step":
                steps.append(f"{event['table_ns'] / 1e9:.3f} s  {event['words']}")

        try:
            verdict = self.config.stash[SERVED].get().play(self.parent.file, self.cell["cell"], told)
        except RigError as why:
            pytest.fail(str(why), pytrace=False)
        self.tell("test_key", verdict["cell"])
        self.tell("verdict", verdict["verdict"])
        self.tell("seed", verdict["seed"])
        for clause in verdict["clauses"]:
            self.tell("requirement", clause)
        self.config.stash[SERVED].evidence |= bool(verdict["attachments"])
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
