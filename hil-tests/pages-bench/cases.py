"""What must happen at a table, each with the page that says so. Run by `run`, which sets PROGRAMS."""
import atexit
import os
import signal
import unittest

from table import Table
from waiting import until

PROGRAMS = os.environ["PROGRAMS"]
# registers.md, "Display": "void".
VOID = 0x0DDD
TABLES = []


def tearDownModule():
    while TABLES:
        TABLES.pop().close()


class Cases:
    """The cases; each rule set is a class below. A table that ended a case in order plays the next one too."""

    rules = layout = spins_first = None

    def setUp(self):
        if TABLES and TABLES[0].rules != self.rules:
            tearDownModule()
        if not TABLES:
            TABLES.append(Table(PROGRAMS, self.rules, self.layout))
        self.table = TABLES[0]
        self.wires, self.bus = self.table.wires, self.table.bus
        self.recorder, self.console = self.table.recorder, self.table.console
        self.began = self.recorder.last()

    def run(self, result=None):
        self.result, self.failed_before = result, len(result.failures) + len(result.errors)
        return super().run(result)

    def tearDown(self):
        failed = len(self.result.failures) + len(self.result.errors) > self.failed_before
        try:
            found = [*self.recorder.problems, *self.bus.problems, *self.wires.problems]
            self.assertEqual(found, [], "messages, requests or lines that are not as the pages have them")
            if not failed and self.table.console.status()["phase"] in ("ready", "void"):
                return
        except BaseException:
            failed = True
            raise
        finally:
            if failed:
                print(f"\n-- the daemon's log of {self.id()}\n{self.table.log()}")
                print("-- its records: ", [(e["seq"], e["kind"], e.get("data")) for e in self.recorder.events
                                          if e["seq"] > self.began])
        tearDownModule()

    # A round's parts, as a dealer does them. Each ends once the table has recorded it.

    def record(self, kind):
        return self.recorder.event(kind, self.began).get("data")

    def press(self, button):
        before = self.recorder.last()
        self.wires.press(button)
        called = self.recorder.event("called", before)["data"]
        self.assertEqual(called, {"call": button.replace("_", "-"), "in_turn": True})

    def spin_begins(self):
        # Who asks while the table still takes the shaft for turning is refused (table.md, "How the motor stops"), and asks again.
        for _ in range(20):
            before = self.recorder.last()
            self.wires.press("tumble")
            answer = self.recorder.event(("spin-began", "refused"), before)
            if answer["kind"] == "spin-began":
                return
            until(self.wires.still, "the button is released")
        self.fail(f"no spin: {answer['data']}")

    def spin(self):
        self.spin_begins()
        ended = self.record("spin-ended")
        # mqtt.md, "What ends a spin": `target` came to its end by itself. table.md, "Parameters": 4 tumbles are the target;
        # "How tumbles are counted": the 13th step proves three.
        self.assertEqual((ended["how"], ended["valid"], ended["needed"]), ("target", True, 13))
        self.assertGreaterEqual(ended["tumbles"], 4)
        until(self.wires.still, "the shaft stands")

    def bets_and_spin(self):
        """Up to where "No more bets" is pending."""
        # table.md, the headings of the rule sets: New Zealand tumbles, then takes bets; Singapore the other way round.
        if self.spins_first:
            self.spin()
            self.press("place_bets")
        else:
            self.press("place_bets")
            self.spin()
        self.table.phase("betting")

    def no_more_bets(self):
        self.press("no_more_bets")
        self.table.phase("bets-closed")

    def reveal(self):
        self.wires.open_dome()
        self.table.phase("revealed")

    def play_to_reveal(self):
        self.bets_and_spin()
        self.no_more_bets()
        self.reveal()

    def enter(self, *dice):
        self.table.enter(*dice)
        result = self.record("result")
        self.assertEqual((result["dice"], result["total"]), (sorted(dice), sum(dice)))
        self.recorder.event("lamps-verified", self.began)

    def winners(self, *dice):
        """What `tumblerctl odds` says wins, sorted."""
        odds = self.table.tumblerctl("odds", "--layout", self.layout, "--dice", ",".join(map(str, dice)))
        return sorted(area["id"] for area in odds["areas"])

    def settle(self, *dice):
        """The dealer keys "all paid", until it counts."""
        until(lambda: self.console.status()["verified"], "the lamps are proved")
        settled = self.key_all_paid()
        # mqtt-examples.md, `settled`.
        self.assertEqual(settled, {"dice": list(dice), "total": sum(dice), "lamps": "proved"})
        self.dome_back()
        self.table.phase("ready")

    def key_all_paid(self):
        # table.md, "Parameters", `all_paid`: entry counts for "all paid" only 3 s after; before that it is an entry error.
        for _ in range(20):
            before = self.recorder.last()
            self.table.all_paid()
            ended = self.recorder.event(("settled", "entry-error"), before)
            if ended["kind"] == "settled":
                return ended["data"]
        self.fail("the entry key never ended the round")

    def void(self, reason, clauses):
        voided = self.record("voided")
        self.assertEqual((voided["reason"], sorted(voided["clauses"])), (reason, sorted(clauses)))
        # registers.md, "Display": three dashes from the moment that a round is void.
        until(lambda: self.bus.terminal.display == VOID, "the terminal shows three dashes")
        # virtual-wire.md, "Motor guard": the motor never starts by itself.
        self.assertFalse(self.wires.pins["motor_enable"])
        return voided

    def dome_back(self):
        until(self.wires.still, "the dome's way is over")
        self.wires.close_dome()
        until(lambda: self.console.status()["dome"] == "closed", "the table sees the dome closed")

    # The cases.

    def test_healthy_round_settles(self):
        # table.md, "Phases": valid spin, "No more bets", dome away, entry, lamps proved, all paid: settled.
        self.bets_and_spin()
        # mqtt.md, `keypad`: before the reveal only that some key was pressed. table.md, the tables: nothing follows from keys.
        told = len(self.recorder.keys)
        self.bus.press(2)
        until(lambda: self.recorder.keys[told:] == ["some-key"], "`keypad` tells of some key")
        self.no_more_bets()
        self.reveal()
        self.enter(1, 3, 6)
        keys = [{"digit": 1}, {"digit": 3}, {"digit": 6}, "entry"]
        until(lambda: self.recorder.keys[told + 1:] == keys, "`keypad` tells which keys")
        self.table.phase("settling")
        # registers.md, "Display": a digit a place. "Lamp boards": the coils of the winning areas are on, and no other.
        until(lambda: self.bus.terminal.display == 0x136, "the terminal shows 136")
        self.assertEqual(self.bus.lit(self.table.areas), self.winners(1, 3, 6))
        # mqtt.md, `lamps`.
        until(lambda: sorted(self.recorder.latest("lamps")["sensed"]) == self.winners(1, 3, 6), "`lamps` tells them")
        self.settle(1, 3, 6)
        ended = self.console.round()[0]
        self.assertEqual((ended["dice"], ended["lamps"], ended["void"]), ([1, 3, 6], "proved", None))

    def test_wrong_keys_are_amended(self):
        # console.md, `amend`; technician.md, the table of decisions: wrong numbers, before the wagers are settled.
        self.play_to_reveal()
        self.enter(1, 3, 5)
        self.table.key()
        self.assertIn("done", self.console.command("amend", dice=[1, 3, 6], uphold=False))
        self.assertEqual(self.record("amended"), {"from": [1, 3, 5], "to": [1, 3, 6], "by": "Mei"})
        until(lambda: self.bus.lit(self.table.areas) == self.winners(1, 3, 6), "the areas of 1, 3, 6 are lit")
        self.settle(1, 3, 6)
        ended = self.console.round()[0]
        self.assertEqual((ended["dice"], ended["amended"]), ([1, 3, 6], [[1, 3, 5]]))

    def test_all_paid_too_early_is_refused(self):
        # table.md, "Parameters", `all_paid`: the echo of the entry's own press does not end a round. The tables: in `settling`
        # an entry without digits is an entry error.
        self.play_to_reveal()
        self.enter(2, 2, 5)
        before = self.recorder.last()
        self.table.all_paid()
        self.recorder.event("entry-error", before)
        self.assertEqual(self.console.status()["phase"], "settling")
        self.settle(2, 2, 5)

    def test_dome_opened_in_a_spin(self):
        # table.md, the tables: "dome taken away" in `tumbling`. virtual-wire.md, "Motor guard": it ends the spin for good.
        if not self.spins_first:
            self.press("place_bets")
        self.wires.at_quarter(5, (0, "dome_closed", False), (0.1, "dome_open", True))
        self.spin_begins()
        self.void("exposed", self.clauses["dome in a spin"])
        ended = self.record("spin-ended")
        self.assertEqual((ended["how"], ended["valid"]), ("dome", False))
        self.table.phase("void")
        self.dome_back()

    def test_supply_dips_in_a_spin(self):
        # table.md, the tables: "supply dips for 10 ms" in `tumbling`.
        if not self.spins_first:
            self.press("place_bets")
        self.wires.at_quarter(5, (0, "power_good", False), (0.01, "power_good", True))
        self.spin_begins()
        self.void("interruption", self.clauses["supply in a spin"])
        ended = self.record("spin-ended")
        self.assertEqual((ended["how"], ended["valid"]), ("supply", False))
        self.table.phase("void")

    def test_seal_broken_in_a_spin(self):
        # table.md, the tables: "seal broken" in `tumbling` latches `seal`, voids, and blocks the table.
        if not self.spins_first:
            self.press("place_bets")
        self.wires.at_quarter(5, (0, "seal", False))
        self.spin_begins()
        self.void("equipment", self.clauses["seal in a spin"])
        self.assertEqual(self.record("latched")["code"], "seal")
        self.table.phase("blocked")
        # mqtt.md, the table of topics: `fault/<code>` while latched.
        until(lambda: self.recorder.latest("fault/seal"), "`fault/seal` is told")

    def test_no_spin(self):
        # table.md, the tables: "`no_spin` pressed" in `betting`.
        self.bets_and_spin()
        before = self.recorder.last()
        self.wires.press("no_spin")
        called = self.recorder.event("called", before)["data"]
        self.assertEqual(called, {"call": "no-spin", "in_turn": self.no_spin_voids})
        if self.no_spin_voids:
            # table.md, "No spin": the dealer's claim is a malfunction too.
            self.void("declared", ["NZ9 7.1(b)"])
            self.assertEqual(self.record("latched")["code"], "tumbler")
            self.table.phase("blocked")
            return
        # Out of turn: recorded, and the round goes on.
        self.table.phase("betting")
        self.no_more_bets()
        self.reveal()
        self.enter(5, 6, 6)
        self.settle(5, 6, 6)

    def test_no_spin_in_a_spin(self):
        # table.md, "Void reasons": before three full tumbles, by somebody's act. mqtt.md, "What ends a spin": `no-spin`.
        if not self.spins_first:
            self.press("place_bets")
        self.spin_begins()
        until(lambda: self.wires.quarters >= 3, "the shaft turns")
        self.wires.press("no_spin")
        self.void("fewer-than-three", self.clauses["spin cut short"])
        ended = self.record("spin-ended")
        self.assertEqual((ended["how"], ended["valid"]), ("no-spin", False))
        self.table.phase("void")

    def test_killed_after_a_valid_spin(self):
        # table.md, the tables: "daemon restarted" in `bets-closed` leads to `interrupted`. console.md, "What people are asked":
        # `interrupted`; `finding`: after `undisturbed` play goes on where it stood.
        self.bets_and_spin()
        self.no_more_bets()
        until(self.wires.still, "the button is released")
        self.table.kill()
        self.table.start()
        state = self.table.phase("interrupted")
        self.assertEqual((state["prompt"]["id"], state["question"]["why"]), ("interrupted", "interrupted"))
        # console.md, "What people are asked": the answers that can be given now; nobody sees a die under the dome.
        self.assertEqual(sorted(state["prompt"]["of"]), ["cannot-tell", "undisturbed"])
        self.assertEqual(self.record("asked"), {"why": "interrupted"})
        self.table.key()
        self.assertIn("done", self.console.command("finding", finding="undisturbed", reason="the dome was on"))
        self.assertEqual(self.record("answered")["finding"], "undisturbed")
        self.table.phase("bets-closed")
        self.reveal()
        self.enter(4, 4, 4)
        self.settle(4, 4, 4)

    def find_damaged(self):
        # console.md, `void`: it needs a reason. table.md, "Malfunctions": `dice` latches when one is damaged.
        self.table.key()
        self.assertIn("done", self.console.command("void", reason="chipped", damaged_dice=True, not_flat=False))
        self.assertEqual(self.record("latched")["code"], "dice")

    def damaged_dice(self, phase):
        """A person finds a die damaged: void where the rules have a clause, and in this phase still where they have none."""
        self.find_damaged()
        if not self.damaged:
            self.table.phase(phase)
            return
        # table.md, "Void reasons". registers.md and mqtt.md as for every void.
        voided = self.void("damaged-dice", self.damaged)
        self.assertFalse(voided.get("silent"), voided)
        self.table.phase("blocked")
        # Bets are returned: nothing has won.
        until(lambda: self.bus.lit(self.table.areas) == [], "no area is lit")

    def test_damaged_dice_before_an_outcome(self):
        self.bets_and_spin()
        self.damaged_dice("betting")

    def test_damaged_dice_after_an_outcome(self):
        self.play_to_reveal()
        self.enter(1, 2, 3)
        self.damaged_dice("settling")

    def test_a_supervisor_does_not_void(self):
        # console.md, "Who may do what": under Singapore's rules a reason that no clause names takes a manager, and the
        # bench's account is a supervisor only. `void`: under New Zealand's nobody voids a valid spin under the dome by choice.
        self.bets_and_spin()
        self.table.key()
        answer = self.console.command("void", reason="a chip fell into the dome", damaged_dice=False, not_flat=False)
        self.assertIn("refused", answer)
        self.table.phase("betting")
        self.wires.open_dome()
        self.void("exposed", self.clauses["dome before no more bets"])
        self.dome_back()

    def test_dome_opened_before_no_more_bets(self):
        # table.md, the tables: "dome taken away" in `betting`.
        self.bets_and_spin()
        self.wires.open_dome()
        self.void("exposed", self.clauses["dome before no more bets"])
        self.table.phase("void")
        self.dome_back()

    def test_a_command_moves_nothing_by_itself(self):
        # console.md, "What people are asked", `tumble`: a press at the table, within 10 s, or the test fails; `no_spin` stops it.
        self.table.key()
        self.assertIn("done", self.console.command("maintenance", on=True))
        runs = self.wires.runs
        self.assertEqual(self.motor_tested(press=False), ("fail", 0))
        # Too late, and nobody asks any more.
        self.wires.press("tumble")
        self.recorder.event("refused", self.began)
        self.assertEqual(self.wires.runs, runs)
        self.wires.at_quarter(3, (0, "no_spin", True), (0.1, "no_spin", False))
        verdict, quarters = self.motor_tested()
        # virtual-wire.md, "Motor guard": the shaft runs down by itself.
        self.assertTrue(verdict == "fail" and 3 <= quarters < 12, (verdict, quarters))
        self.assertEqual(self.motor_tested()[0], "pass")
        self.assertEqual(self.wires.runs, runs + 2)
        self.assertIn("done", self.console.command("maintenance", on=False))
        self.table.open()

    def motor_tested(self, press=True):
        """The verdict of a hardware test of the motor, and how far the shaft turned."""
        until(self.wires.still, "the shaft stands")
        self.wires.quarters = 0
        answer = self.table.turns("hardware-test", press, test="motor")
        until(self.wires.still, "the shaft stands")
        self.assertFalse(self.wires.pins["motor_enable"])
        return answer["done"].removeprefix("motor: "), self.wires.quarters


class NewZealand(Cases, unittest.TestCase):
    rules, layout, spins_first = "nz-div9", "nz-div9-2", True
    no_spin_voids = True
    damaged = []
    # table.md, the cells of "New Zealand" and "Void reasons and their clauses".
    clauses = {
        "dome in a spin": ["NZ9 7.1(b)", "NZ9 7.1(c)", "NZ9 6.1"],
        "supply in a spin": ["NZ9 7.1(b)", "NZ9 6.1"],
        "seal in a spin": ["NZ9 7.1(b)", "NZ9 6.1"],
        "spin cut short": ["NZ9 7.1(b)", "NZ9 6.1"],
        "dome before no more bets": ["NZ9 7.1(c)"],
    }


class Singapore(Cases, unittest.TestCase):
    rules, layout, spins_first = "sg-v6", "sg-v6-3", False
    no_spin_voids = False
    damaged = ["SGV6 5.6"]
    # table.md, the cells of "Singapore, covered" and "Void reasons and their clauses".
    clauses = {
        "dome in a spin": ["SGV6 5.5.1", "SGV6 5.5.3"],
        "supply in a spin": ["SGV6 5.5.1", "SGV6 5.4.2"],
        "seal in a spin": ["SGV6 5.5.1", "SGV6 5.4.2"],
        "spin cut short": ["SGV6 5.5.1"],
        "dome before no more bets": ["SGV6 5.5.3"],
    }


if __name__ == "__main__":
    # Whatever ends this program, also a signal, the table goes with it. unittest takes any other exception for a failed case.
    atexit.register(tearDownModule)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    unittest.main(verbosity=2)
