//! Losing the wires, the process, the machine or the journal, and coming back.

use super::World;
use tumbler_core::input::Input;
use tumbler_core::line::OutLine;
use tumbler_core::record::{Event, Record, Standing};
use tumbler_core::round::Interrupted;
use tumbler_core::table::{Found, Start, Table};
use tumbler_core::units::Seq;

impl World {
    /// The wires vanish and come back.
    pub fn lose_lines(&mut self) {
        self.input(Input::LinesLost { reason: "the chip is gone".into() });
        self.pass(200);
        self.input(Input::LinesBack);
        self.report_levels();
        for line in [OutLine::MotorEnable, OutLine::OutOfService, OutLine::Bell] {
            let active = self.outs[line.index()];
            self.input(Input::Readback { line, active });
        }
    }

    /// Kills the daemon and starts it again; with `reboot`, the machine too. What was not durable is lost.
    pub fn restart(&mut self, reboot: bool) {
        self.start_again(reboot, None);
    }

    /// The same within one boot, and the journal is found damaged; what it held is kept.
    pub fn restart_damaged(&mut self) {
        self.start_again(false, Some("a record was changed"));
    }

    /// The same, and the journal is gone; the slot beside it knows the round in progress by its number, and whether its
    /// outcome was established.
    pub fn restart_without_journal(&mut self) {
        let standing = self.folded();
        let (last_round, round) = (standing.last_round, standing.round);
        let round = round.map(|was| Interrupted { id: was.id, established: was.established, ..Interrupted::default() });
        let boot = self.boot.clone();
        let lost = Standing { last_round, round, boot, ..Standing::default() };
        let event = Event::Keyframe(Box::new(lost));
        self.records.push(Record::plain(self.durable, self.now, None, event));
        self.start_again(false, Some("the journal is missing"));
    }

    /// What the records amount to, without any keyframe that the table wrote.
    fn folded(&self) -> Standing {
        let mut standing = Standing::default();
        self.records.iter().for_each(|record| standing.fold(record));
        standing
    }

    /// What the table would leave to a restart is what its records amount to: dozens of rounds pass from one keyframe to the next.
    pub fn compare_with_records(&self) {
        let (said, folded) = (self.table.standing(), self.folded());
        let latched =
            |standing: &Standing| standing.latched.iter().map(|m| m.code).collect::<std::collections::BTreeSet<_>>();
        assert_eq!(latched(&said), latched(&folded));
        // The world has no record of commissioning.
        let (site, table, backend) = (said.site.clone(), said.table.clone(), said.backend.clone());
        let folded = Standing { site, table, backend, latched: said.latched.clone(), ..folded };
        assert_eq!(said, folded);
    }

    fn start_again(&mut self, reboot: bool, damaged: Option<&str>) {
        self.commits.clear();
        self.records.retain(|r| r.seq <= self.durable);
        let standing = self.folded();
        if reboot {
            self.boot = format!("{}+", self.boot);
        }
        self.outs = [false; 4];
        self.next_step = None;
        let (standing, last, relayed) = (Box::new(standing), self.durable, Seq(0));
        let journal = match damaged {
            None => Found::Good { standing, last, relayed, permit: self.permit && !reboot },
            Some(reason) => Found::Bad { reason: reason.into(), standing, last, relayed },
        };
        let start = Start { boot: self.boot.clone(), build: "test".into(), config: "00".into(), journal };
        let mut effects = Vec::new();
        self.table = Table::start(self.settings.clone(), start.clone(), self.now, &mut effects).unwrap();
        self.history.clear();
        self.started = (start, self.now);
        self.carry_out(effects);
        self.report_levels();
    }
}
