//! A commissioned table in a temporary directory, and records to append.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;
use tempfile::TempDir;
use tumbler_core::input::Input;
use tumbler_core::record::{Event, Lit, Record};
use tumbler_core::round::call::Call;
use tumbler_core::round::{FlatBy, Reveal, SpinEnd};
use tumbler_core::table::Found;
use tumbler_core::units::{Dice, Mono, RoundId, Seq, Tumbles};
use tumblerd::journal::{Appender, Identity, Job, Journal, JournalError, Reader, Writer, verify};

pub(crate) const BOOT: &str = "11111111-2222-3333-4444-555555555555";
/// Longer than anything here takes; a test that waits for this long has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Table {
    pub(crate) dir: TempDir,
    pub(crate) id: Identity,
    pub(crate) boot: String,
}

impl Table {
    pub(crate) fn new() -> Self {
        let table = Self { dir: tempfile::tempdir().unwrap(), id: identity("t1"), boot: BOOT.into() };
        Journal::commission(&table.state(), &table.run(), &table.id, BOOT).unwrap();
        table
    }
    pub(crate) fn state(&self) -> PathBuf {
        self.dir.path().join("state")
    }
    pub(crate) fn run(&self) -> PathBuf {
        self.dir.path().join("run")
    }
    pub(crate) fn journal(&self) -> PathBuf {
        self.state().join("journal.sqlite")
    }
    pub(crate) fn try_open(&self) -> Result<(Journal, Found), JournalError> {
        Journal::open(&self.state(), &self.run(), &self.id, &self.boot)
    }
    /// A start after the run directory was lost with a reboot.
    pub(crate) fn reboot(&mut self) {
        std::fs::remove_dir_all(self.run()).unwrap();
        self.boot = format!("{}-again", self.boot);
    }
    pub(crate) fn open(&self) -> (Session, Found) {
        let (journal, found) = self.try_open().unwrap();
        (Session::start(journal, &found), found)
    }
    /// What a start finds; nothing is appended.
    pub(crate) fn found(&self) -> Found {
        self.try_open().unwrap().1
    }
    /// Plays rounds and stops in order.
    pub(crate) fn play(&self, rounds: u64) -> Seq {
        let (mut session, _) = self.open();
        for _ in 0..rounds {
            session.round();
        }
        let last = session.last;
        session.stop();
        last
    }
    /// Every record as it lies in the file.
    pub(crate) fn bodies(&self) -> Vec<String> {
        let reader = Reader::open(&self.state()).unwrap();
        reader.after(Seq(0), usize::MAX).unwrap().into_iter().map(|stored| stored.body).collect()
    }
    pub(crate) fn assert_whole(&self) {
        let report = verify(&self.state()).unwrap();
        assert!(report.whole(), "{report}");
    }
}

pub(crate) fn identity(table: &str) -> Identity {
    Identity { site: "s".into(), table: table.into(), backend: "virtual".into() }
}

/// A journal that is being appended to.
pub(crate) struct Session {
    pub(crate) appender: Appender,
    pub(crate) writer: Writer,
    pub(crate) answers: Receiver<Input>,
    pub(crate) last: Seq,
    pub(crate) round: u64,
}

impl Session {
    pub(crate) fn start(journal: Journal, found: &Found) -> Self {
        let (send, answers) = channel();
        let (appender, writer) = journal
            .spawn(move |input| {
                let _ = send.send(input);
            })
            .unwrap();
        let (Found::Good { last, .. } | Found::Bad { last, .. }) = found;
        Self { appender, writer, answers, last: *last, round: last.0 }
    }

    pub(crate) fn job(&mut self, events: Vec<Event>, permit: Option<bool>) -> Job {
        let mut records = Vec::new();
        for event in events {
            self.last = self.last.next();
            let at = Mono(self.last.0 * 1_000_000);
            records.push(Record::plain(self.last, at, Some(RoundId(self.round)), event));
        }
        Job { records, relayed: Seq(self.last.0 / 2), permit }
    }

    /// Queues without waiting.
    pub(crate) fn queue(&mut self, events: Vec<Event>, permit: Option<bool>) {
        let job = self.job(events, permit);
        self.appender.append(job).unwrap();
    }

    /// Waits until everything queued is durable; a failure fails the test.
    pub(crate) fn settle(&self) {
        loop {
            match self.answer() {
                Input::Durable { seq } if seq == self.last => return,
                Input::Durable { .. } => {}
                other => panic!("{other:?}"),
            }
        }
    }

    pub(crate) fn answer(&self) -> Input {
        self.answers.recv_timeout(PATIENCE).unwrap()
    }

    pub(crate) fn append(&mut self, events: Vec<Event>, permit: Option<bool>) {
        self.queue(events, permit);
        self.settle();
    }

    /// One round with a commit for everything that something waits for.
    pub(crate) fn round(&mut self) {
        self.round += 1;
        for events in round() {
            self.append(events, None);
        }
    }

    pub(crate) fn stop(self) {
        self.writer.stop().unwrap();
    }
}

/// The commits of a healthy round.
pub(crate) fn round() -> Vec<Vec<Event>> {
    let dice = Dice::from_pips([1, 2, 4]).unwrap();
    let areas = ["small", "odd", "single-1", "single-2", "single-4", "total-7", "pair-1-2", "pair-1-4", "pair-2-4"];
    vec![
        vec![Event::RoundBegan { rules: "nz-div9".into(), layout: "nz-div9-1".into() }, Event::SpinBegan],
        vec![Event::SpinEnded { tumbles: Tumbles(4), valid: true, steps: 17, needed: 13, how: SpinEnd::Target }],
        vec![Event::Called { call: Call::PlaceBets, in_turn: true, remark: None }],
        vec![Event::Called { call: Call::NoMoreBets, in_turn: true, remark: None }],
        vec![Event::Revealed { how: Reveal::Dome }],
        vec![Event::Established { flat: FlatBy::Reader }],
        vec![Event::Result { dice, total: 7, call: "1, 2, 4, total 7".into(), areas: areas.map(Into::into).to_vec() }],
        vec![Event::LampsVerified],
        vec![Event::Settled { dice, total: 7, lamps: Lit::Proved, by: None }],
    ]
}

pub(crate) fn noted(what: &str) -> Vec<Event> {
    vec![Event::Noted { kind: None, what: what.into() }]
}
