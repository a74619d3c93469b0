"""A whole table: daemon, wires, bus, broker, console, in a directory of its own that goes with it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from bus import ENTRY, Bus
from console import Console
from recorder import Recorder
from waiting import until
from wires import Wires

# The opening tests move and light everything once.
OPENING_LIMIT = 60

CONFIGURATION = """
[table]
site = "pit"
table = "bench"
rules = "{rules}"
layout = "{layout}"

[hardware]
backend = "virtual"
socket = "{directory}/lines.sock"
reader = false
temperature = "none"

[bus]
port = "{port}"

[journal]
state_dir = "{directory}/state"
run_dir = "{directory}/run"

[mqtt]
enabled = true
url = "mqtt://127.0.0.1:{broker}"

[console]
socket = "{directory}/console.sock"
# The account that runs the bench, also root, decides as a supervisor and as nothing more.
supervisor_uids = [{uid}]

[network]
user = "{uid}"
socket = "{directory}/net.sock"
run_dir = "{directory}/net"

[parameters]
# The opening tests show each result so long. No person looks on here.
lamp_dwell = 10
"""


class Table:
    def __init__(self, programs, rules, layout):
        self._programs, self.rules, self.layout = pathlib.Path(programs), rules, layout
        # A short path: that of a Unix socket has 107 bytes at most.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="pages-bench."))
        self._parts, self._daemon, self._network = [], None, None
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self):
        for name in ("state", "run"):
            (self.directory / name).mkdir()
        self.areas = self.tumblerctl("layouts", self.layout, "--areas")
        # Which unit each area hangs on tells how many lamp boards there are (registers.md, "Lamp boards").
        self.recorder = self._keep(Recorder(self.directory))
        self.bus = self._keep(Bus(len({row["unit"] for row in self.areas})))
        self.wires = self._keep(Wires(str(self.directory / "lines.sock")))
        self._configuration = self.directory / "tumblerd.toml"
        self._configuration.write_text(CONFIGURATION.format(
            rules=self.rules, layout=self.layout, directory=self.directory, port=self.bus.port,
            broker=self.recorder.port, uid=os.getuid()))
        self._log = self._keep(open(self.directory / "daemon.log", "wb"))
        # installing.md, "First start": once in a table's life.
        subprocess.run([*self._command(), "--commission"], check=True, timeout=60, stdout=self._log, stderr=self._log)
        self.console = Console(str(self.directory / "console.sock"))
        # What speaks to the broker is a process of its own, and lives on while the daemon is restarted.
        self._network = subprocess.Popen([self._command()[0], "net", *self._command()[1:]], stdout=self._log, stderr=self._log)
        self.start()
        self.open()

    def _keep(self, part):
        self._parts.append(part)
        return part

    def _command(self):
        return [str(self._programs / "tumblerd"), "--config", str(self._configuration)]

    def tumblerctl(self, *arguments):
        said = subprocess.run([str(self._programs / "tumblerctl"), *arguments, "--json"], check=True, timeout=60,
                              stdout=subprocess.PIPE)
        return json.loads(said.stdout)

    # The daemon's process.

    def start(self):
        self._daemon = subprocess.Popen(self._command(), stdout=self._log, stderr=self._log)
        until(self._answers, "the console answers")

    def _answers(self):
        if self._daemon.poll() is not None:
            raise AssertionError(f"the daemon ended with {self._daemon.returncode}:\n{self.log()}")
        try:
            return self.console.status()
        except OSError:
            return None

    def kill(self):
        self._daemon.send_signal(signal.SIGKILL)
        self._daemon.wait(10)

    def log(self):
        path = self.directory / "daemon.log"
        return path.read_text(errors="replace")[-6000:] if path.exists() else ""

    def close(self):
        if self._daemon is not None and self._daemon.poll() is None:
            self._daemon.terminate()
            try:
                self._daemon.wait(15)
            except subprocess.TimeoutExpired:
                self.kill()
        if self._network is not None:
            self._network.terminate()
            self._network.wait(15)
        for part in reversed(self._parts):
            part.close()
        shutil.rmtree(self.directory)

    # What people do.

    def phase(self, *phases):
        """Waits for one of these phases, and gives the table's state."""
        seen = {}

        def reached():
            seen.update(self.console.status())
            return seen["phase"] in phases
        try:
            until(reached, f"phase {phases}")
        except AssertionError as late:
            raise AssertionError(f"{late}; the table says {seen}") from None
        return seen

    def key(self):
        """Turns the supervisor's key, and waits until the table has seen it."""
        before = self.recorder.last()
        self.wires.turn_key()
        self.recorder.event("key-turned", before)
        until(self.wires.still, "the key is back")

    def open(self):
        """technician.md, "Opening a table"; console.md, `open` and `witness`."""
        self.phase("closed")
        self.key()
        began = self.turns("open")
        if "done" not in began:
            raise AssertionError(f"the opening tests failed: {began}\n{self.log()}")
        prompt = self.waits_for("keys")
        names = {str(n): n for n in range(1, 7)} | {"entry": ENTRY}
        self.bus.press(*(names[key] for key in prompt["of"]))
        for item in self.waits_for("witness")["of"]:
            answer = self.console.command("witness", item=item, right=True)
            if "done" not in answer:
                raise AssertionError(f"witness {item}: {answer}")
        self.phase("ready")

    def turns(self, command, press=True, **arguments):
        """A command whose test turns the tumbler, once the button was pressed as it asks (console.md, `tumble`); its answer."""
        # The answer comes once the tests wait for people or have ended, and their spin waits for a press meanwhile.
        with ThreadPoolExecutor(1) as people:
            answer = people.submit(self.console.command, command, **arguments)
            # A test that fails before its spin asks for nothing.
            until(lambda: answer.done() or self._asked("tumble"), "the prompt tumble", OPENING_LIMIT)
            if press and not answer.done():
                self.wires.press("tumble")
            return answer.result()

    def _asked(self, prompt):
        said = self.console.status().get("prompt")
        return said if said and said["id"] == prompt else None

    def waits_for(self, prompt):
        """The prompt of this id (console.md, "What people are asked")."""
        return until(lambda: self._asked(prompt), f"the prompt {prompt}", OPENING_LIMIT)

    def enter(self, *dice):
        self.bus.press(*dice, ENTRY)

    def all_paid(self):
        self.bus.press(ENTRY)
