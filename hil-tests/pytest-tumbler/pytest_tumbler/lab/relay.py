"""Passes what workers of pytest-xdist ask for to the pool, which is in the process that started them."""

import contextlib
import secrets
import threading
from collections.abc import Callable
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

from ..rig import RigDied, RigError
from .pool import Pool


class Relay:
    """A socket of this machine at which workers reach the pool. `address` and `key` are what they need."""

    def __init__(self, pool: Pool):
        self.pool = pool
        self.key = secrets.token_bytes()
        self.listener = Listener(None, "AF_UNIX", authkey=self.key)
        self.address = self.listener.address
        threading.Thread(target=self._accept, name="relay", daemon=True).start()

    def close(self) -> None:
        """Takes no more workers."""
        self.listener.close()

    def _accept(self) -> None:
        # A process without the key is turned away; a listener that is closed ends this.
        with contextlib.suppress(OSError):
            while True:
                with contextlib.suppress(EOFError, AuthenticationError):
                    worker = self.listener.accept()
                    threading.Thread(target=self._serve, args=(worker,), name="worker", daemon=True).start()

    def _serve(self, worker: Connection) -> None:
        # A worker that is gone needs no answer.
        with contextlib.suppress(EOFError, OSError), worker:
            while True:
                file, cell = worker.recv()
                try:
                    if cell is None:
                        done = self.pool.list(file)
                    else:
                        done = self.pool.play(file, cell, lambda event: worker.send(("told", event)))
                    answer = "done", done
                except RigError as why:
                    answer = "error", (str(why), why.died)
                worker.send(answer)


class Relayed:
    """The pool, as a worker sees it: `list` and `play` are those of `Pool`."""

    def __init__(self, address: str, key: bytes):
        try:
            self.pool = Client(address, "AF_UNIX", authkey=key)
        except OSError as why:
            raise RigDied(f"the process that holds the benches is not reached: {why}") from why

    def list(self, file: Path | None) -> list[dict]:
        return self._ask(file, None)

    def play(self, file: Path | None, cell: str, told: Callable[[dict], None] = lambda event: None) -> dict:
        return self._ask(file, cell, told)

    def close(self) -> None:
        self.pool.close()

    def _ask(self, file: Path | None, cell: str | None, told: Callable[[dict], None] = lambda event: None):
        try:
            self.pool.send((file, cell))
            while True:
                kind, what = self.pool.recv()
                if kind == "done":
                    return what
                if kind == "error":
                    raise RigError(*what)
                told(what)
        except (EOFError, OSError) as why:
            raise RigDied(f"the process that holds the benches is gone: {why}") from why
