"""The units on the field bus: entry terminal and lamp boards, on a pseudo-terminal. Built from docs/registers.md."""
import os
import pty
import select
import struct
import threading
import time
import tty

TERMINAL, FIRST_LAMP_BOARD = 1, 2
ENTRY = 7
BLANK = 0x0FFF
LAMPS_OF_A_BOARD = 64
# "After 2 s without a valid request all coils go off" (registers.md, "Lamp boards").
LAMPS_ALONE = 2.0
EVENTS_KEPT, EVENTS_TOLD = 64, 8
BAD_FUNCTION, BAD_ADDRESS, BAD_VALUE = 1, 2, 3


class Refused(Exception):
    """An exception of Modbus; its argument is the code."""


def checksum(data):
    """CRC-16, polynomial 0xA001, start 0xFFFF, low byte first."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ 0xA001 if crc & 1 else crc >> 1
    return struct.pack("<H", crc)


def packed(bits):
    """Lowest address in bit 0 of the first byte, the last byte filled up with zeros."""
    out = bytearray((len(bits) + 7) // 8)
    for place, bit in enumerate(bits):
        out[place // 8] |= bool(bit) << (place % 8)
    return bytes(out)


class Terminal:
    """Six number keys, an entry key, a display of three places, a lamp."""

    def __init__(self):
        self.display, self.lamp = BLANK, 0
        self._held = 0
        self._next = 1
        self._events = []  # (number, code), oldest first

    def down(self, code):
        self._held |= 1 << (code - 1)
        if len(self._events) < EVENTS_KEPT:
            self._events.append((self._next, code))
            self._next = (self._next + 1) % 65536

    def up(self, code):
        self._held &= ~(1 << (code - 1))

    def input_registers(self):
        told = self._events[:EVENTS_TOLD]
        codes = [code for _, code in told]
        first = told[0][0] if told else self._next
        return [1, 7, self._held, first, len(told), *codes, *[0] * (EVENTS_TOLD - len(codes)), self.display]

    def write(self, address, values):
        if address + len(values) > 3:
            raise Refused(BAD_ADDRESS)
        registers = dict(zip(range(address, address + len(values)), values))
        display = registers.get(1, self.display)
        places = [display >> shift & 15 for shift in (8, 4, 0)]
        if display >> 12 or any(place not in (1, 2, 3, 4, 5, 6, 13, 14, 15) for place in places):
            raise Refused(BAD_VALUE)
        if registers.get(2, 0) > 1:
            raise Refused(BAD_VALUE)
        self.display, self.lamp = display, registers.get(2, self.lamp)
        if 0 in registers:
            self._acknowledge(registers[0])

    def _acknowledge(self, wanted):
        numbers = [number for number, _ in self._events]
        if wanted == self._next:
            self._events = []
        elif wanted in numbers:
            self._events = self._events[numbers.index(wanted):]


class LampBoard:
    """64 lamps, each with a sensor of its current. These lamps are all sound."""

    def __init__(self):
        self.coils = [False] * LAMPS_OF_A_BOARD
        self.heard = time.monotonic()

    def write(self, address, bits):
        if address + len(bits) > LAMPS_OF_A_BOARD:
            raise Refused(BAD_ADDRESS)
        self.coils[address:address + len(bits)] = bits


class Bus:
    """Answers on the pseudo-terminal in a thread of its own until `close`."""

    def __init__(self, lamp_boards):
        self._master, self._slave = pty.openpty()
        # Held open here, so that a daemon that ends does not hang the line up.
        tty.setraw(self._slave)
        self.port = os.ttyname(self._slave)
        self.terminal = Terminal()
        self.boards = {FIRST_LAMP_BOARD + i: LampBoard() for i in range(lamp_boards)}
        self.problems = []
        self._keys = []  # (moment, what, code), in order
        self._lock = threading.Lock()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name="bus", daemon=True)
        self._thread.start()

    def press(self, *codes):
        """Presses these keys one after another, as a dealer does. Returns at once."""
        with self._lock:
            at = max([time.monotonic()] + [moment for moment, _, _ in self._keys])
            for code in codes:
                # Apart by more than `key_repeat` (60 ms), within which the same key again counts as bounce.
                self._keys += [(at + 0.1, self.terminal.down, code), (at + 0.2, self.terminal.up, code)]
                at += 0.2

    def lit(self, areas):
        """Ids of the areas whose lamps shine. `areas` are rows of `tumblerctl layouts LAYOUT --areas --json`."""
        with self._lock:
            return sorted(row["area"] for row in areas if self.boards[row["unit"]].coils[row["output"]])

    def close(self):
        self._ending = True
        self._thread.join(10)
        os.close(self._master)
        os.close(self._slave)

    def _run(self):
        heard, last = b"", time.monotonic()
        while not self._ending:
            readable, _, _ = select.select([self._master], [], [], 0.01)
            now = time.monotonic()
            with self._lock:
                while self._keys and self._keys[0][0] <= now:
                    _, what, code = self._keys.pop(0)
                    what(code)
                for board in self.boards.values():
                    if now - board.heard > LAMPS_ALONE:
                        board.coils = [False] * LAMPS_OF_A_BOARD
            if not readable:
                continue
            # A frame ends with a silence; what was cut short before one is nobody's.
            if now - last > 0.02:
                heard = b""
            heard, last = heard + os.read(self._master, 4096), now
            heard = self._frames(heard)

    def _frames(self, heard):
        while len(heard) >= 8:
            length = 9 + heard[6] if heard[1] in (15, 16) else 8
            if len(heard) < length:
                break
            frame, heard = heard[:length], heard[length:]
            if checksum(frame[:-2]) != frame[-2:]:
                self.problems.append(f"bad checksum: {frame.hex()}")
                return b""
            self._request(frame[:-2])
        return heard

    def _request(self, frame):
        unit, function = frame[0], frame[1]
        if unit != TERMINAL and unit not in self.boards:
            return
        with self._lock:
            try:
                reply = self._answer(unit, function, frame)
            except Refused as refused:
                self.problems.append(f"refused with {refused.args[0]}: {frame.hex()}")
                reply = bytes((unit, function | 0x80, refused.args[0]))
        os.write(self._master, reply + checksum(reply))

    def _answer(self, unit, function, frame):
        address, count = struct.unpack(">HH", frame[2:6])
        board = self.boards.get(unit)
        if board is not None:
            board.heard = time.monotonic()
        if board is not None and function == 2:
            if not 0 < count <= LAMPS_OF_A_BOARD - address:
                raise Refused(BAD_ADDRESS)
            return self._data(unit, function, packed(board.coils[address:address + count]))
        if board is not None and function == 15:
            bits = [bool(frame[7 + i // 8] >> i % 8 & 1) for i in range(count)]
            board.write(address, bits)
            return frame[:6]
        if board is None and function == 4:
            registers = self.terminal.input_registers()
            if not 0 < count <= len(registers) - address:
                raise Refused(BAD_ADDRESS)
            return self._data(unit, function, struct.pack(f">{count}H", *registers[address:address + count]))
        if board is None and function == 16:
            self.terminal.write(address, struct.unpack(f">{count}H", frame[7:7 + 2 * count]))
            return frame[:6]
        raise Refused(BAD_FUNCTION)

    @staticmethod
    def _data(unit, function, data):
        return bytes((unit, function, len(data))) + data
