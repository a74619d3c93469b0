"""Plays cells on a bench that labgrid knows."""

from __future__ import annotations

import ast
import contextlib
import re
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import attr
from labgrid import target_factory
from labgrid.driver import Driver, ExecutionError

from ..rig import READY, SILENT, NotTested, Rig, RigDied

# What ssh printed, in what labgrid says of it.
PRINTED = re.compile(r"""b'(?:[^'\\]|\\.)*'|b"(?:[^"\\]|\\.)*\"""")


@target_factory.reg_driver
@attr.s(eq=False)
class TumblerRigDriver(Driver):
    """One process of `tumbler-hil serve` on a bench. Its activation is the bench's self-test, and raises RigDied with what that found.

    Args:
        out (str): the directory for evidence and results on this machine; a temporary one unless given
        seed (int): mixed into the seed of every cell
        ready (float): how long the self-test may take, in seconds
        silent (float): how long the rig may say nothing while it plays, in seconds
    """

    bindings = {"bench": {"TumblerBench", "NetworkTumblerBench"}}
    out = attr.ib(default=None, validator=attr.validators.optional(attr.validators.instance_of(str)))
    seed = attr.ib(default=0, validator=attr.validators.instance_of(int))
    ready = attr.ib(default=READY, converter=float, validator=attr.validators.gt(0))
    silent = attr.ib(default=SILENT, converter=float, validator=attr.validators.gt(0))

    def __attrs_post_init__(self):
        super().__attrs_post_init__()
        self.rig: Rig | None = None
        self.activations = 0

    def on_activate(self) -> None:
        bench = self.bench
        self.activations += 1
        # The evidence of a rig that died stays beside that of the next.
        here = Path(self.out or tempfile.mkdtemp(prefix="tumbler-rig-")).absolute()
        self.here = here if self.activations == 1 else here.with_name(f"{here.name}-{self.activations}")
        self.away = None if getattr(bench, "is_here", True) else Path(self._ask("mktemp", "-d").decode().strip())
        self.sent: dict[Path, tuple[int, Path]] = {}
        arguments = ("--seed", str(self.seed), *(("--tumblerd", bench.tumblerd) if bench.tumblerd else ()))
        self.rig = Rig(bench.rig, bench.bench, self.away / "out" if self.away else self.here, arguments, self._wrap, self.ready, self.silent)
        try:
            self.rig.start()
        except RigDied:
            self._leave()
            raise

    def on_deactivate(self) -> None:
        self.rig.close()
        with contextlib.suppress(RigDied):
            # A rig that died had no time to write it.
            self._fetch(self.rig.out / "results.json")
        self._leave()

    @Driver.check_active
    def list(self, file: Path | None) -> list[dict]:
        """The cells of a scenario file of this machine, or of the matrix: `Rig.list`."""
        return self.rig.list(self._send(file))

    @Driver.check_active
    def play(self, file: Path | None, cell: str, told: Callable[[dict], None] = lambda event: None) -> dict:
        """Plays a cell: `Rig.play`. The evidence that the verdict names is on this machine."""
        verdict = self.rig.play(self._send(file), cell, told)
        for attachment in verdict["attachments"]:
            attachment["path"] = str(self._fetch(Path(attachment["path"])))
        return verdict

    def stop(self) -> None:
        """Ends the rig in the midst of a cell, from another thread: `Rig.stop`."""
        if self.rig:
            self.rig.stop()

    def _send(self, file: Path | None) -> Path | None:
        """The name of a file where the bench is, which has it as it is now."""
        if file is None or self.away is None:
            return file
        changed = file.stat().st_mtime_ns
        before, there = self.sent.get(file, (None, self.away / str(len(self.sent)) / file.name))
        if before != changed:
            self._ask("mkdir", "-p", str(there.parent))
            self._ask("tee", str(there), given=file.read_bytes())
            self.sent[file] = changed, there
        return there

    def _fetch(self, there: Path) -> Path:
        """A file of the rig's, brought here."""
        if self.away is None:
            return there
        here = self.here / there.relative_to(self.rig.out)
        content = self._ask("cat", str(there))
        here.parent.mkdir(parents=True, exist_ok=True)
        here.write_bytes(content)
        return here

    def _leave(self) -> None:
        if self.away:
            with contextlib.suppress(RigDied):
                self._ask("rm", "-rf", str(self.away))

    def _wrap(self, command: list[str]) -> list[str]:
        """The command that runs this one where the bench is. Raises NotTested where that is not reached."""
        try:
            return self.bench.wrap_command(command)
        except ExecutionError as why:
            # Of what ssh was told and printed, only the latter is for people.
            printed = [ast.literal_eval(each).decode(errors="replace") for each in PRINTED.findall(why.msg.partition("], ")[2])]
            said = " ".join("".join(printed).split())
            raise NotTested(f"ssh does not reach {self.bench.host} from this machine{': ' if said else ''}{said}") from None

    def _ask(self, *command: str, given: bytes = b"") -> bytes:
        """What a command on the bench's machine prints."""
        try:
            asked = subprocess.run(self._wrap(list(command)), input=given, capture_output=True, timeout=self.ready)
        except subprocess.TimeoutExpired:
            raise NotTested(f"`{' '.join(command)}` does not end on {self.bench.host} within {self.ready:g} s") from None
        if asked.returncode != 0:
            words = asked.stderr.decode(errors="replace").strip()
            raise NotTested(f"`{' '.join(command)}` fails on {self.bench.host} with code {asked.returncode}: {words}")
        return asked.stdout
