"""The benches that a run holds, and which of them plays what."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from labgrid import Target, target_factory

from ..rig import NotTested, RigDied, RigError
from .choice import BROKEN, READY, TAG, Choice, nothing_left
from .coordinator import Coordinator, LabError, LabGone, Place
from .driver import TumblerRigDriver
from .resource import EXPORTED

# How often a reservation is looked after, in seconds. The coordinator drops one after 60.
LOOK = 10
# How many rigs a cell may end until it is taken for the cause.
DEATHS = 2
# How much of a reason stays in a place's comment, in characters.
REASON = 500


class NoBench(RigError):
    """No bench is left to play on."""


@dataclass(eq=False)
class Seat:
    """A place that this run has acquired, and what becomes of it."""

    place: Place
    token: str
    driver: TumblerRigDriver
    # Of `testing`, `free` and `busy`.
    state: str = "testing"
    # Why this run may not use it any more.
    lost: str | None = None
    played: int = 0
    notes: list[str] = field(default_factory=list)


class Pool:
    """Reserves benches, tests them, and plays each cell on one that is free. What is public may be called from several threads.

    `out` has a directory for each bench. `wanted` is how many are held at once at most, `wait` how long one is waited for that other
    people have, in seconds, `rig` what else a `TumblerRigDriver` is told. `say` gets a line for people who wonder why nothing happens. Raises LabError: there is no coordinator; Refused: there is no such bench, or none in order.
    """

    def __init__(self, address: str, choice: Choice, out: Path, wait: float, rig: dict[str, object], say: Callable[[str], None]):
        self.choice, self.out, self.wait, self.rig, self.say = choice, out, wait, rig, say
        self.said = ""
        self.wanted = 1
        self.seats: dict[str, Seat] = {}
        self.waiting: dict[str, str] = {}
        self.ended: list[Seat] = []
        self.unfit: dict[str, str] = {}
        # What the coordinator or an exporter does not let have, for the rest of the run.
        self.refused: dict[str, str] = {}
        # Whether a bench may still come; of others, who has it.
        self.hope: dict[str, str] = {}
        self.lists: dict[Path | None, list[dict]] = {}
        self.closing: str | None = None
        self.changed = threading.Condition()
        self.wake = threading.Event()
        self.tests: list[threading.Thread] = []
        self.lab = Coordinator(address, self.wake.set)
        try:
            places = self.lab.places()
            choice.check(places)
        except BaseException:
            self.lab.close()
            raise
        self.hope = {place.name: place.taken for place in choice.sort(places)[0]}
        self.keeper = threading.Thread(target=self._keep, name="benches")
        self.keeper.start()

    def list(self, file: Path | None) -> list[dict]:
        """The cells of a scenario file, or of the matrix: `Rig.list`. They are asked for once, so that all workers have the same."""
        if file not in self.lists:
            self.lists[file] = self._on_one(lambda driver: driver.list(file), f"the list of {file or 'the matrix'}")[0]
        return self.lists[file]

    def play(self, file: Path | None, cell: str, told: Callable[[dict], None] = lambda event: None) -> dict:
        """Plays a cell: `Rig.play`. If its bench dies, the cell is played again on another. The verdict also has its `bench`, and `died`: a
        sentence for each bench that did.

        Raises NoBench: none is left; RigError: the request is refused, or the cell ended one rig after the other.
        """
        verdict, seat, died = self._on_one(lambda driver: driver.play(file, cell, told), cell)
        with self.changed:
            seat.played += 1
        return verdict | {"bench": seat.place.name, "died": died}

    def close(self) -> None:
        """Ends all rigs, without the cells that are being played, and gives everything back."""
        with self.changed:
            if self.closing:
                return
            self.closing = "the run is over"
            self.changed.notify_all()
            held = list(self.seats.values())
        self.wake.set()
        self.keeper.join()
        for seat in held:
            if seat.state != "free":
                seat.driver.stop()
        for test in self.tests:
            test.join()
        with self.changed:
            self.changed.wait_for(lambda: all(seat.state == "free" for seat in self.seats.values()))
        for seat in list(self.seats.values()):
            self._leave(seat)
        for token in self.waiting.values():
            self._try(self.lab.cancel, token)
        self._try(self.lab.close)

    def summary(self) -> list[str]:
        """A line for each bench: what it played, and what became of it."""
        lines = {}
        for seat in [*self.ended, *self.seats.values()]:
            notes = [*seat.notes, *([f"given back: {seat.lost}"] if seat.lost else [])]
            what = f"{seat.place.bench['bench']} on {seat.place.bench['host']}"
            lines[seat.place.name] = "; ".join([f"{what}, played {seat.played}", *notes])
        for name, why in (self.unfit | self.refused).items():
            lines.setdefault(name, f"not used: {why}")
        return [f"{name}  {line}" for name, line in sorted(lines.items())]

    def _on_one(self, work: Callable[[TumblerRigDriver], object], what: str) -> tuple[object, Seat, list[str]]:
        """Does this on a bench, and on another one if that dies."""
        ended: list[str] = []
        died: list[str] = []
        while True:
            try:
                seat = self._take(ended)
            except NoBench as why:
                raise NoBench(str(why), died) from None
            try:
                done = work(seat.driver)
            except RigDied as why:
                died.append(self._died(seat, what, str(why), ended))
                if len(ended) >= DEATHS:
                    raise RigError(f"it ended {len(ended)} rigs, and is not tried again: " + "; ".join(died), died) from None
                continue
            except BaseException:
                self._free(seat)
                raise
            self._free(seat)
            return done, seat, died

    def _take(self, avoid: list[str]) -> Seat:
        """A bench that is free, if possible none that this cell ended."""
        begun = time.monotonic()
        with self.changed:
            while True:
                if self.closing:
                    raise NoBench(self.closing)
                others = [seat for name, seat in self.seats.items() if name not in avoid]
                if avoid and not others and self._another(avoid):
                    # The keeper takes one more than there are workers.
                    self.wanted = max(self.wanted, len(self.seats) + 1)
                    self.wake.set()
                    if time.monotonic() - begun < self.wait:
                        self.changed.wait(1)
                        continue
                for seat in others or self.seats.values():
                    if seat.state == "free" and not seat.lost:
                        seat.state = "busy"
                        return seat
                if not self.seats:
                    if not self.hope:
                        raise NoBench(nothing_left(self._reasons()))
                    if time.monotonic() - begun > self.wait:
                        others = {name: who for name, who in self.hope.items() if who}
                        raise NoBench(f"no bench was free for {self.wait:g} s; {nothing_left(others | self._reasons())}")
                    self._say_who_has_them(begun + self.wait - time.monotonic())
                else:
                    begun = time.monotonic()
                self.changed.wait(1)

    def _say_who_has_them(self, left: float) -> None:
        """Says once, and again when it changes, for which benches this run waits, and for how many seconds."""
        taken = "; ".join(f"{name}: {who}" for name, who in sorted(self.hope.items()) if who)
        if taken and taken != self.said and all(self.hope.values()):
            self.said = taken
            until = datetime.now() + timedelta(seconds=left)
            self.say(f"labgrid: all benches are taken, waiting until {until:%H:%M:%S} (--tumbler-wait {self.wait:g}): {taken}")

    def _another(self, avoid: list[str]) -> bool:
        """Whether nobody has a bench that this run may take besides these."""
        return any(not who and name not in avoid for name, who in self.hope.items())

    def _free(self, seat: Seat) -> None:
        with self.changed:
            seat.state = "free"
            self.changed.notify_all()
        if seat.lost:
            self._leave(seat)

    def _died(self, seat: Seat, what: str, why: str, ended: list[str]) -> str:
        """Notes that a rig died. Where nothing is wrong with the bench, it may be used again."""
        name = seat.place.name
        with self.changed:
            why = seat.lost or why
            told = f"{name} while it played {what}: {why}"
            if not seat.lost and not self.closing:
                ended.append(name)
                seat.notes.append(f"its rig died while it played {what}: {why}")
                seat.state = "testing"
                self._test_soon(seat)
                return told
        self._free(seat)
        return told

    def _reasons(self) -> dict[str, str]:
        return self.unfit | self.refused | {seat.place.name: seat.lost for seat in self.ended if seat.lost}

    def _keep(self) -> None:
        """Reserves as many benches as are wanted, and watches those that are held, as long as the run lasts."""
        while not self.closing:
            self.wake.clear()
            try:
                self._look()
            except LabError as why:
                self.unfit["coordinator"] = str(why)
                if isinstance(why, LabGone):
                    self._lose_all(str(why))
            except Exception as why:
                # Nobody else would tell who waits for a bench.
                self.unfit["coordinator"] = repr(why)
                self._lose_all(repr(why))
            self.wake.wait(LOOK)

    def _look(self) -> None:
        places = self.lab.places()
        fit, unfit = self.choice.sort(places)
        with self.changed:
            known = {seat.place.name for seat in self.ended} | self.refused.keys() | self.seats.keys()
            self.unfit = {name: why for name, why in unfit.items() if name not in known}
            held = list(self.seats.values())
        for seat in held:
            now = places.get(seat.place.name)
            if now is None or now.reservation != seat.token or not now.acquired:
                self._lose(seat, "somebody else gave its place back")
            elif now.bench is None:
                self._lose(seat, "its exporter is gone" if "exported" in now.problem else now.problem)
        free = [place for place in fit if place.name not in known]
        # First those that nobody has: what others have may come later.
        for place in sorted(free, key=lambda place: bool(place.acquired or place.reservation)):
            if len(self.seats) < self.wanted and place.name not in self.waiting:
                self.waiting[place.name] = self.lab.reserve(place.name, {TAG: READY})
            if place.name in self.waiting:
                self._look_after(place)
        for name in self.waiting.keys() - {place.name for place in free}:
            self._try(self.lab.cancel, self.waiting.pop(name))
        with self.changed:
            # A place that is reserved for this run is not taken.
            ours = self.waiting.values()
            self.hope = {place.name: "" if place.reservation in ours else place.taken for place in free if place.name not in self.seats}
            self.changed.notify_all()

    def _look_after(self, place: Place) -> None:
        """Takes a place that was reserved, once it is its turn."""
        token = self.waiting[place.name]
        allocated = self.lab.is_allocated(token)
        if allocated is None:
            del self.waiting[place.name]
        elif len(self.seats) >= self.wanted:
            self.lab.cancel(self.waiting.pop(place.name))
        elif allocated:
            del self.waiting[place.name]
            try:
                self.lab.acquire(place.name)
            except LabError as why:
                self.refused[place.name] = str(why)
                self._try(self.lab.cancel, token)
                return
            seat = Seat(place, token, self._driver(place))
            with self.changed:
                self.seats[place.name] = seat
                self._test_soon(seat)

    def _driver(self, place: Place) -> TumblerRigDriver:
        target = Target(place.name)
        bench = target_factory.make_resource(target, EXPORTED, None, place.bench)
        bench.extra = place.extra
        return TumblerRigDriver(target, None, out=str(self.out / place.name), **self.rig)

    def _test_soon(self, seat: Seat) -> None:
        test = threading.Thread(target=self._test, args=(seat,), name=f"test of {seat.place.name}")
        self.tests.append(test)
        test.start()

    def _test(self, seat: Seat) -> None:
        """Starts a bench's rig, which tests it. One that fails is out of order, until a person says otherwise."""
        target = seat.driver.target
        try:
            target.deactivate(seat.driver)
            target.activate(seat.driver)
        except Exception as why:
            # What only this machine misses, such as a key for ssh, says nothing about the bench.
            tested = isinstance(why, RigDied) and not isinstance(why, NotTested)
            since = f"out of order since {datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC" if tested else "not tested"
            with self.changed:
                broken = not seat.lost and not self.closing
                if broken:
                    seat.lost = f"{since}: {' '.join(str(why).split())}"
            if broken and tested:
                self._try(self._mark, seat)
        else:
            with self.changed:
                seat.notes += ["it passed its self-test again"] if seat.notes else []
        self._free(seat)

    def _mark(self, seat: Seat) -> None:
        before = seat.place.comment
        self.lab.mark(seat.place.name, {TAG: BROKEN}, f"{seat.lost[:REASON]}{' | ' + before if before else ''}")

    def _lose(self, seat: Seat, why: str) -> None:
        with self.changed:
            if seat.lost:
                return
            seat.lost = why
            state = seat.state
        if state == "free":
            self._leave(seat)
        else:
            # Who plays on it then gives it back.
            seat.driver.stop()

    def _lose_all(self, why: str) -> None:
        with self.changed:
            held, self.hope = list(self.seats.values()), {}
        for seat in held:
            self._lose(seat, why)

    def _leave(self, seat: Seat) -> None:
        """Ends a bench's rig, and gives the place back."""
        with self.changed:
            if self.seats.pop(seat.place.name, None) is None:
                return
            self.ended.append(seat)
            self.changed.notify_all()
        self._try(seat.driver.target.deactivate, seat.driver)
        # In this order, as a reservation would keep the place from others for another minute.
        self._try(self.lab.cancel, seat.token)
        self._try(self.lab.release, seat.place.name)
        self.wake.set()

    @staticmethod
    def _try(do: Callable[..., object], *arguments: object) -> None:
        """What cannot be put in order any more is left to the coordinator."""
        try:
            do(*arguments)
        except Exception as why:
            logging.getLogger(__name__).warning("%s: %s", do.__name__, why)
