"""The table's wires, and what hangs on them: shaft and cam, dome, buttons, key, seal, supply.

Built from docs/virtual-wire.md. The bench listens, the daemon connects.
"""
import heapq
import itertools
import json
import os
import select
import socket
import threading
import time

INPUTS = ("motor_fault", "cam_a", "cam_b", "dome_closed", "dome_open", "tumble", "place_bets", "no_more_bets", "no_spin",
          "supervisor_key", "seal", "power_good")
OUTPUTS = ("motor_enable", "out_of_service", "bell")
# What the outside's resistors make of an output that nobody drives: motor off, sign lit (technician.md, "Wiring").
AT_REST = {"motor_enable": False, "out_of_service": True, "bell": False}
# (a, b) of the cam in the order of forward rotation (virtual-wire.md, "The lines").
CAM = ((False, False), (True, False), (True, True), (False, True))
# Quarter turns in a second: a healthy tumble takes 600 ms (table.md, "Parameters").
FULL_SPEED = 4 / 0.6
# The monostable outside the daemon (virtual-wire.md, "The lines").
MONOSTABLE = 0.1
# From rest to full speed, and from full speed to rest once the power is gone.
START_TIME, STOP_TIME = 0.05, 0.3
SLICE = 0.002


class Wires:
    """Plays the wires in a thread of its own until `close`."""

    def __init__(self, path):
        self.levels = {line: line in ("dome_closed", "seal", "power_good") for line in INPUTS}
        self.pins = dict(AT_REST)
        self.problems = []
        self.quarters = 0  # turned since the motor was last enabled
        self.runs = 0  # how often it was enabled
        self.struck = 0  # strokes of the bell
        self._numbers = {}
        self._planned, self._order = [], itertools.count()
        self._at_quarter = None
        self._angle, self._speed, self._last = 0.0, 0.0, time.monotonic()
        self._alive, self._alive_edge = False, float("-inf")
        self._lock = threading.RLock()
        self._daemon, self._unread = None, b""
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(4)
        self._wake_read, self._wake_write = os.pipe()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="wires", daemon=True)
        self._thread.start()

    # What people do at the table. Each returns at once; the thread moves the lines.

    def plan(self, *steps):
        """Each step is (seconds from now, line, level)."""
        now = time.monotonic()
        with self._lock:
            for delay, line, level in steps:
                heapq.heappush(self._planned, (now + delay, next(self._order), line, level))
        os.write(self._wake_write, b"w")

    def press(self, button):
        # Twice the 50 ms of the shortest deliberate press (table.md, `button_debounce`).
        self.plan((0, button, True), (0.1, button, False))

    def turn_key(self):
        self.plan((0, "supervisor_key", True), (0.3, "supervisor_key", False))

    def open_dome(self):
        # Neither contact for less than the 300 ms of `dome_travel`.
        self.plan((0, "dome_closed", False), (0.1, "dome_open", True))

    def close_dome(self):
        self.plan((0, "dome_open", False), (0.1, "dome_closed", True))

    def at_quarter(self, quarters, *steps):
        """Once the shaft has turned so many quarters of the next spin, the steps are begun."""
        with self._lock:
            self._at_quarter = (quarters, steps)

    def still(self):
        """Nothing is left to be moved, and the shaft stands."""
        with self._lock:
            return not self._planned and self._speed == 0.0

    def close(self):
        self._ending = True
        os.write(self._wake_write, b"w")
        self._thread.join(10)
        for end in (self._daemon, self._listener):
            if end is not None:
                end.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    # The thread.

    def _run(self):
        while not self._ending:
            try:
                self._turn()
            except (BrokenPipeError, ConnectionResetError):
                self._hung_up()

    def _turn(self):
        with self._lock:
            timeout = 0.1
            if self._speed > 0 or self.pins["motor_enable"]:
                timeout = 0.004
            if self._planned:
                timeout = min(timeout, max(0.0, self._planned[0][0] - time.monotonic()))
        sources = [self._listener, self._wake_read] + ([self._daemon] if self._daemon else [])
        readable, _, _ = select.select(sources, [], [], timeout)
        with self._lock:
            if self._wake_read in readable:
                os.read(self._wake_read, 4096)
            if self._daemon in readable:
                self._hear()
            if self._listener in readable:
                self._connected()
            self._do_planned()
            self._move_shaft()

    def _connected(self):
        if self._daemon is not None:
            self._hung_up()
        self._daemon, _ = self._listener.accept()
        self._unread, self._numbers = b"", {}
        now = time.monotonic()
        for line in INPUTS:
            self._tell(line, self.levels[line], now, 0)
        for line in OUTPUTS:
            self._tell(line, self.pins[line], now, 0)

    def _hung_up(self):
        with self._lock:
            if self._daemon is not None:
                self._daemon.close()
            self._daemon, self.pins = None, dict(AT_REST)

    def _hear(self):
        got = self._daemon.recv(65536)
        if not got:
            self._hung_up()
            return
        *lines, self._unread = (self._unread + got).split(b"\n")
        for text in lines:
            self._driven(text)

    def _driven(self, text):
        message = json.loads(text)
        line, active = message.get("line"), message.get("active")
        # "Byte for byte like that: no spaces, keys in this order" (virtual-wire.md, "What the daemon sends").
        if text != b'{"line":"%s","active":%s}' % (str(line).encode(), b"true" if active else b"false"):
            self.problems.append(f"not as virtual-wire.md has it: {text!r}")
        now = time.monotonic()
        if line == "motor_alive":
            if active != self._alive:
                self._alive, self._alive_edge = active, now
            return
        if line not in OUTPUTS:
            self.problems.append(f"no output: {text!r}")
            return
        if active and not self.pins[line]:
            if line == "motor_enable":
                self.quarters = 0
                self.runs += 1
            if line == "bell":
                self.struck += 1
        self.pins[line] = active
        self._edge(line, active, now)

    def _edge(self, line, active, at):
        self._numbers[line] = self._numbers.get(line, 0) + 1
        self._tell(line, active, at, self._numbers[line])

    def _tell(self, line, active, at, number):
        if self._daemon is None:
            return
        message = {"line": line, "active": active, "at_ns": int(at * 1e9), "seq": number}
        self._daemon.sendall(json.dumps(message).encode() + b"\n")

    def _do_planned(self):
        now = time.monotonic()
        while self._planned and self._planned[0][0] <= now:
            at, _, line, level = heapq.heappop(self._planned)
            if self.levels[line] != level:
                self.levels[line] = level
                self._edge(line, level, at)

    def _powered(self, now):
        # Relay, dome and seal lie in series with the motor's power (technician.md, "Wiring").
        return (self.pins["motor_enable"] and now - self._alive_edge < MONOSTABLE
                and self.levels["dome_closed"] and self.levels["seal"])

    def _move_shaft(self):
        now = time.monotonic()
        if self._speed == 0.0 and not self._powered(now):
            self._last = now
            return
        while self._last + SLICE <= now:
            self._last += SLICE
            change = SLICE / START_TIME if self._powered(self._last) else -SLICE / STOP_TIME
            self._speed = min(FULL_SPEED, max(0.0, self._speed + FULL_SPEED * change))
            before = int(self._angle)
            self._angle += self._speed * SLICE
            if int(self._angle) != before:
                self._step(int(self._angle), self._last)

    def _step(self, quarter, at):
        for line, level in zip(("cam_a", "cam_b"), CAM[quarter % 4]):
            if self.levels[line] != level:
                self.levels[line] = level
                self._edge(line, level, at)
        self.quarters += 1
        if self._at_quarter and self.quarters >= self._at_quarter[0]:
            steps, self._at_quarter = self._at_quarter[1], None
            self.plan(*steps)
