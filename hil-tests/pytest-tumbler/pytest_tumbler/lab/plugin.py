"""What the plugin does besides, where labgrid has the benches."""

import contextlib
import os
import signal
import threading
from pathlib import Path

import pytest

from .choice import Choice, Refused
from .coordinator import LabError
from .pool import Pool
from .relay import Relay

COORDINATOR = "127.0.0.1:20408"
# How long benches that others have are waited for, in seconds.
WAIT = 600
# What ends pytest from outside: a CI that cancels a job, or a terminal that is closed.
ENDS = (signal.SIGTERM, signal.SIGHUP)


class Lab:
    """The pool of a run, in the process of pytest that no other one started."""

    def __init__(self, config: pytest.Config, bench: str | None, out: Path):
        option = config.option
        self.config = config
        # Labgrid's own plugin has an option for it, and its programs a variable.
        address = getattr(option, "lg_coordinator", None) or os.environ.get("LG_COORDINATOR") or COORDINATOR
        choice = Choice(bench, tuple(option.tumbler_place))
        rig = {"seed": option.tumbler_seed or 0, "ready": option.tumbler_ready, "silent": option.tumbler_silent}
        try:
            self.pool = Pool(address, choice, out, option.tumbler_wait or WAIT, rig, self._say)
        except (LabError, Refused) as why:
            raise pytest.UsageError(f"labgrid: {why}") from None
        self.relay: Relay | None = None
        self.workers = 0
        # They end pytest like Ctrl-C: nothing stays reserved.
        self.alone = threading.current_thread() is threading.main_thread()
        for each in ENDS if self.alone else ():
            if signal.getsignal(each) is signal.SIG_DFL:
                signal.signal(each, signal.default_int_handler)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node) -> None:
        """A worker of pytest-xdist begins: one more bench can be used at once."""
        if self.relay is None:
            self.relay = Relay(self.pool)
        node.workerinput["tumbler_pool"] = self.relay.address, self.relay.key
        self.workers += 1
        self.pool.wanted = max(self.pool.wanted, self.workers)
        self.pool.wake.set()

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        self.close()

    def pytest_unconfigure(self) -> None:
        self.close()

    def close(self) -> None:
        """Gives all benches back, also where Ctrl-C is typed again meanwhile."""
        which = (signal.SIGINT, *ENDS) if self.alone else ()
        before = [signal.signal(each, signal.SIG_IGN) for each in which]
        if self.relay:
            self.relay.close()
        self.pool.close()
        for each, handler in zip(which, before, strict=True):
            signal.signal(each, handler)

    def _say(self, line: str) -> None:
        capture = self.config.pluginmanager.getplugin("capturemanager")
        terminal = self.config.pluginmanager.getplugin("terminalreporter")
        if terminal:
            # Between tests and not in what they print.
            with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
                terminal.ensure_newline()
                terminal.write_line(line)
                terminal.flush()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("benches")
        for line in self.pool.summary():
            terminalreporter.line(line)
