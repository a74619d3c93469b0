//! The table: composes its devices, the round and the latch into one machine that inputs go into and effects come out of.

use crate::effect::Effect;
use crate::input::Input;
use crate::record::Standing;
use crate::settings::{BadSetting, Settings};
use crate::snapshot::Snapshot;
use crate::units::{Mono, Seq};
use serde::{Deserialize, Serialize};

/// What the journal held when the daemon started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found {
    /// A whole journal of this table.
    Good {
        /// What its records add up to ([`Standing::fold`] from the last keyframe on).
        standing: Box<Standing>,
        /// Its last record.
        last: Seq,
        /// The last event that the relay's broker acknowledged.
        relayed: Seq,
        /// Whether slot and permit beside the journal grant play under this boot id.
        permit: bool,
    },
    /// Damaged, missing, foreign or older than it was: a `journal` malfunction. The shell has set up a journal that
    /// can be appended to, after the last record that it could keep.
    Bad {
        /// What is wrong, for a person.
        reason: String,
        /// What the records that could be kept add up to.
        standing: Box<Standing>,
        /// The last record of the journal that new ones are appended to.
        last: Seq,
        /// The last event that the relay's broker acknowledged.
        relayed: Seq,
    },
}

/// What a table starts from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The kernel's boot id.
    pub boot: String,
    /// Version of the daemon.
    pub build: String,
    /// Hash of the effective configuration, in hexadecimal.
    pub config: String,
    /// The journal.
    pub journal: Found,
}

/// A Tai-Sai table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    settings: Settings,
}

impl Table {
    /// Starts a table: outputs off, sign on, the start recorded, and what a restart decides decided.
    ///
    /// # Errors
    /// Every setting that cannot be.
    pub fn start(
        settings: Settings,
        _start: Start,
        _now: Mono,
        _out: &mut Vec<Effect>,
    ) -> Result<Self, Vec<BadSetting>> {
        settings.check()?;
        Ok(Self { settings })
    }

    /// Takes an input in: first fires the deadlines up to `at`, then judges the input, and appends what is to be done to `out`.
    ///
    /// `now` must not decrease from call to call; `at` may lie before it. Only [`Input::Tick`] fires the deadlines
    /// between `at` and `now`, so hand it in once nothing else waits.
    pub fn handle(&mut self, _at: Mono, _now: Mono, _input: &Input, _out: &mut Vec<Effect>) {}

    /// When the table wants an [`Input::Tick`], if nothing else comes before.
    #[must_use]
    pub fn next_deadline(&self) -> Option<Mono> {
        None
    }

    /// A number that changes whenever [`Table::snapshot`] has something new to show, all of it durable.
    #[must_use]
    pub fn revision(&self) -> u64 {
        0
    }

    /// The table as it is, to be shown to people. Call it when [`Table::revision`] has changed.
    #[must_use]
    #[expect(clippy::todo, reason = "the core lands behind this contract")]
    pub fn snapshot(&self) -> Snapshot {
        todo!()
    }

    /// The input as the ring of raw inputs may keep it: key codes that may not be seen yet are masked, and the table
    /// does the same with the masked input as with the real one. Call it before [`Table::handle`].
    #[must_use]
    pub fn redact(&self, input: Input) -> Input {
        input
    }
}
