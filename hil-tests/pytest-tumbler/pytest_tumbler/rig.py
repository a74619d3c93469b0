"""One process of the rig that serves cells: hil-tests/docs/serve.md."""

import contextlib
import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

PROTOCOL = 1
# How much of what a rig says before it ends is told, in bytes.
LAST_WORDS = 2000
# How long a rig that is told to stop may take to put the table away, in seconds.
PATIENCE = 20
# What shells and ssh end with where they did not run a program.
NOT_RUN = 126, 127, 255
# How long the self-test may take, and how long a rig may say nothing while it plays, in seconds.
READY, SILENT = 60, 600


class RigError(Exception):
    """The rig or its bench is at fault, or refused a request: nothing is known about the table.

    `died` has a sentence for each bench that died with this request.
    """

    def __init__(self, why: str, died: Sequence[str] = ()):
        super().__init__(why)
        self.died = died


class RigDied(RigError):
    """The rig's process ended unasked, or did not start."""


class NotTested(RigDied):
    """The rig did not get as far as its self-test, such as on a machine that is not reached: nothing is known about the bench."""


class Rig:
    """A process of `tumbler-hil serve`, started with the first request.

    `program` is the rig's, `bench` the name or the file of a bench, `out` the directory of its own for evidence and results;
    `arguments` are further ones of `serve`. `wrap` makes of a command the one that runs it where the bench is. A rig whose self-test takes
    longer than `ready`, or that says nothing for `silent` while it answers, both in seconds, is killed.
    """

    def __init__(
        self,
        program: str,
        bench: str,
        out: Path,
        arguments: tuple[str, ...] = (),
        wrap: Callable[[list[str]], list[str]] = list,
        ready: float = READY,
        silent: float = SILENT,
    ):
        self.command = [program, "serve", "--bench", bench, *arguments, "--out"]
        self.out = out
        self.wrap = wrap
        self.ready, self.silent = ready, silent
        self.unread = b""
        self.process: subprocess.Popen | None = None
        self.starts = self.last_id = 0
        self.busy = False

    def list(self, file: Path | None) -> list[dict]:
        """The cells of a scenario file, or of the matrix: each with `cell`, `about` and, where the bench does not play it, `cannot`.

        Raises RigError: the file is wrong, or the bench does not work.
        """
        return [event for event in self._ask(do="list", file=file) if event["event"] == "cell"]

    def play(self, file: Path | None, cell: str, told: Callable[[dict], None] = lambda event: None) -> dict:
        """Plays a cell. `told` gets each event as it comes. Gives the verdict.

        Raises RigError: there is no such cell; RigDied: the rig died.
        """
        verdict = {}
        for verdict in self._ask(do="play", file=file, cell=cell):
            told(verdict)
        return verdict

    def close(self) -> int | None:
        """Ends the process, which writes results.json without the cell that is being played.

        Gives its exit code; None where it never ran.
        """
        if self.busy:
            self.stop()
        process, self.process, self.busy = self.process, None, False
        if process is None:
            return None
        try:
            process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            _kill(process)
            process.communicate()
        return process.returncode

    def stop(self) -> None:
        """Ends the process in the midst of a cell, from another thread. The thread that plays gets RigDied."""
        process = self.process
        if process is None:
            return
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE)
        _kill(process)

    def start(self) -> None:
        """Starts the process, which begins with the self-test of its bench. Raises RigDied with what is wrong, NotTested where that is not the bench."""
        self.starts += 1
        # One that died has left evidence, which the next would delete.
        out = self.out if self.starts == 1 else self.out.with_name(f"{self.out.name}-{self.starts}")
        self.words = tempfile.TemporaryFile()
        try:
            # Ctrl-C is the matter of pytest, which ends its rigs as it should be.
            self.process = subprocess.Popen(
                self.wrap([*self.command, str(out)]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.words,
                process_group=0,
            )
        except OSError as why:
            raise NotTested(f"the rig cannot be started: {why}") from why
        self.unread = b""
        event = self._event(self.ready, "its self-test did not end within")
        if event["event"] == "error":
            self.close()
            raise RigDied(event["problem"])
        if event.get("protocol") != PROTOCOL:
            self.close()
            raise NotTested(f"this rig speaks version {event.get('protocol')}, and version {PROTOCOL} is known here")

    def _ask(self, **request: object) -> Iterator[dict]:
        """Sends a request. Gives its events up to the last."""
        if self.process is None:
            self.start()
        self.last_id += 1
        given = {key: value for key, value in request.items() if value is not None}
        line = json.dumps({"id": self.last_id} | given, default=str)
        self.busy = True
        try:
            self.process.stdin.write(f"{line}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        while True:
            event = self._event(self.silent, "the rig said nothing for")
            if event["event"] == "error":
                self.busy = False
                raise RigError(event["problem"])
            if event["id"] == self.last_id:
                last = event["event"] in ("listed", "verdict")
                self.busy = not last
                yield event
                if last:
                    return

    def _event(self, patience: float, late: str) -> dict:
        """What the rig tells next, within so many seconds; `late` says what it is otherwise."""
        end = time.monotonic() + patience
        pipe = self.process.stdout.fileno()
        while b"\n" not in self.unread:
            if not select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
                _kill(self.process)
                self.close()
                raise RigDied(f"{late} {patience:g} s, and it was killed")
            more = os.read(pipe, 1 << 16)
            if not more:
                raise self._died()
            self.unread += more
        line, _, self.unread = self.unread.partition(b"\n")
        try:
            event = json.loads(line)
            event["event"]
        except (ValueError, TypeError, KeyError):
            _kill(self.process)
            self.close()
            told = line[:80].decode(errors="replace").strip()
            raise NotTested(f"{self.command[0]} is no rig that serves, as it printed `{told}`") from None
        return event

    def _died(self) -> RigDied:
        code = self.close()
        self.words.seek(max(0, self.words.seek(0, 2) - LAST_WORDS))
        words = self.words.read().decode(errors="replace").strip()
        if code < 0:
            how = f"was killed by {signal.Signals(-code).name}"
        else:
            how = f"ended unasked with code {code}"
        died = NotTested if code in NOT_RUN else RigDied
        return died(f"the rig {how}{': ' if words else ''}{words}")


def _kill(process: subprocess.Popen) -> None:
    """Ends a rig, also one that is stopped, with what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
