"""One process of the rig that serves cells: hil-tests/docs/serve.md."""

import contextlib
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

PROTOCOL = 1


class RigError(Exception):
    """The rig or its bench is at fault, or refused a request: nothing is known about the table."""


class Rig:
    """A process of `tumbler-hil serve`, started with the first request.

    `program` is the rig's, `bench` the name or the file of a bench, `out` the directory of its own for evidence and results;
    `arguments` are further ones of `serve`.
    """

    def __init__(self, program: str, bench: str, out: Path, arguments: tuple[str, ...] = ()):
        self.command = [program, "serve", "--bench", bench, *arguments, "--out"]
        self.out = out
        self.process: subprocess.Popen | None = None
        self.starts = self.last_id = 0

    def list(self, file: Path | None) -> list[dict]:
        """The cells of a scenario file, or of the matrix: each with `cell`, `about` and, where the bench does not play it, `cannot`.

        Raises RigError: the file is wrong, or the bench does not work.
        """
        return [event for event in self._ask(do="list", file=file) if event["event"] == "cell"]

    def play(self, file: Path | None, cell: str, told: Callable[[dict], None] = lambda event: None) -> dict:
        """Plays a cell. `told` gets each event as it comes. Gives the verdict.

        Raises RigError: there is no such cell, or the rig died.
        """
        verdict = {}
        for verdict in self._ask(do="play", file=file, cell=cell):
            told(verdict)
        return verdict

    def close(self) -> int | None:
        """Ends the process, which writes results.json. Gives its exit code; None where it never ran."""
        process, self.process = self.process, None
        if process is None:
            return None
        # A request that a rig did not live to read is still to be written.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.read()
        process.stdout.close()
        return process.wait()

    def _ask(self, **request: object) -> Iterator[dict]:
        """Sends a request. Gives its events up to the last."""
        if self.process is None:
            self._start()
        self.last_id += 1
        given = {key: value for key, value in request.items() if value is not None}
        line = json.dumps({"id": self.last_id} | given, default=str)
        try:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._died() from None
        while True:
            event = self._event()
            if event["event"] == "error":
                raise RigError(event["problem"])
            if event["id"] == self.last_id:
                yield event
                if event["event"] in ("listed", "verdict"):
                    return

    def _start(self) -> None:
        self.starts += 1
        # One that died has left evidence, which the next would delete.
        out = self.out if self.starts == 1 else self.out.with_name(f"{self.out.name}-{self.starts}")
        try:
            self.process = subprocess.Popen([*self.command, str(out)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        except OSError as why:
            raise RigError(f"the rig cannot be started: {why}") from why
        event = self._event()
        if event["event"] == "error":
            self.close()
            raise RigError(event["problem"])
        if event.get("protocol") != PROTOCOL:
            self.close()
            raise RigError(f"this rig speaks version {event.get('protocol')}, and version {PROTOCOL} is known here")

    def _event(self) -> dict:
        line = self.process.stdout.readline()
        if not line.endswith("\n"):
            raise self._died()
        return json.loads(line)

    def _died(self) -> RigError:
        code = self.close()
        return RigError(f"the rig ended unasked with code {code}: {' '.join(self.command)}")
