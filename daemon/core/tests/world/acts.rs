//! What people do at the table, and what its wires say of it.

use super::{SUPERVISOR, World, caller};
use tumbler_core::input::Input;
use tumbler_core::line::InLine;
use tumbler_core::prompt::PromptId;
use tumbler_core::units::Mono;
use tumbler_core::wire::console::{Answer, Caller, Command, Witness};
use tumbler_core::wire::registers::terminal;

impl World {
    pub fn line(&mut self, line: InLine, active: bool) {
        if self.lines[line.index()] != active {
            self.lines[line.index()] = active;
            self.input(Input::Edge { line, active });
        }
    }

    pub fn press(&mut self, line: InLine) {
        self.line(line, true);
        self.pass(60);
        self.line(line, false);
        self.pass(60);
    }

    /// A line leaves its level for so many microseconds, so many times, and is back for 5 ms after each.
    pub fn breaks(&mut self, line: InLine, micros: u64, times: u32) {
        let rest = self.lines[line.index()];
        for _ in 0..times {
            self.line(line, !rest);
            self.pass_nanos(micros * 1000);
            self.line(line, rest);
            self.pass_nanos(5_000_000);
        }
    }

    pub fn lift(&mut self) {
        self.line(InLine::DomeClosed, false);
        self.pass(100);
        self.line(InLine::DomeOpen, true);
        self.pass(100);
    }

    pub fn cover(&mut self) {
        self.line(InLine::DomeOpen, false);
        self.pass(100);
        self.line(InLine::DomeClosed, true);
        self.pass(100);
    }

    pub fn turn_key(&mut self) {
        self.press(InLine::SupervisorKey);
    }

    pub fn keys(&mut self, codes: &[u16]) {
        for code in codes {
            self.keys.push(*code);
            self.pass(300);
        }
    }

    pub fn entry(&mut self, digits: [u16; 3]) {
        self.keys(&digits);
        self.keys(&[terminal::ENTRY]);
    }

    pub fn ask(&mut self, command: Command) -> u64 {
        self.ask_as(caller(), command)
    }

    pub fn ask_as(&mut self, caller: Caller, command: Command) -> u64 {
        self.requests += 1;
        let request = self.requests;
        self.input(Input::Console { request, caller, command });
        request
    }

    pub fn reply(&self, request: u64) -> Option<&Answer> {
        self.replies.iter().find(|(r, _)| *r == request).map(|(_, a)| a)
    }

    /// Opens the table as a supervisor does (NZ 5).
    pub fn open(&mut self) {
        self.turn_key();
        let request = self.ask(Command::Open { name: SUPERVISOR.into() });
        assert!(self.until(60_000, |w| w.reply(request).is_some()), "the opening tests end");
        assert!(matches!(self.reply(request), Some(Answer::Done(_))), "{:?}", self.reply(request));
        self.press_every_key();
        self.witness_all();
    }

    /// Whether the table asks for a press of the button, for a test's spin.
    pub fn asks_for_press(&self) -> bool {
        self.table.snapshot().prompt.is_some_and(|prompt| prompt.id == PromptId::Tumble)
    }

    /// Somebody at the table presses the button where a test asks for that, and lets it go again.
    pub(super) fn attend(&mut self) {
        if self.release.is_some_and(|release| release <= self.now) {
            self.release = None;
            self.line(InLine::Tumble, false);
        }
        let asks = self.is_attended && self.release.is_none() && self.table.is_testing() && self.asks_for_press();
        if asks && !self.lines[InLine::Tumble.index()] {
            self.release = Some(Mono(self.now.0 + 60_000_000));
            self.line(InLine::Tumble, true);
        }
    }

    /// Presses every key of the terminal once, as an opening asks (NZ 5(b)).
    pub fn press_every_key(&mut self) {
        self.keys(&[1, 2, 3, 4, 5, 6, terminal::ENTRY]);
        self.pass(100);
    }

    /// Says of everything that only a person can see that it is right.
    pub fn witness_all(&mut self) {
        let mut items = vec![Witness::Areas, Witness::Seal, Witness::Bell, Witness::Sign];
        if !self.settings.reader {
            items.push(Witness::Dice);
        }
        for item in items {
            self.ask(Command::Witness { item, right: true, name: SUPERVISOR.into() });
        }
        self.pass(200);
    }

    /// Keys "all paid", once people have had their time to collect and pay.
    pub fn all_paid(&mut self) {
        self.pass(u64::from(self.settings.parameters.all_paid) + 500);
        self.keys(&[terminal::ENTRY]);
    }

    /// Spins, in a round whose order allows it, until the spin is over.
    pub fn spin(&mut self) {
        self.press(InLine::Tumble);
        assert!(self.until(12_000, |w| !w.outs[0]));
        self.pass(1500);
    }
}
