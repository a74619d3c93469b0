//! One table as the floor has seen it so far.

use super::name::clean;
use super::told::{Comparison, Place, Told};
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use tumbler_core::snapshot::Phase;
use tumbler_core::units::{Dice, RoundId, Seq};
use tumbler_core::wire::topics::{Status, VERSION};

/// Most journals of one table whose records are counted: a table has one, and another after it was lost.
const STREAMS: usize = 8;

/// Most words on `fault/` that are kept of one table: there are fewer kinds of malfunctions.
const FAULTS: usize = 64;

/// What the topics of one table said.
#[derive(Clone, Debug, Default)]
pub(super) struct TableState {
    /// `online`; `None`: not known.
    pub(super) online: Option<bool>,
    /// When it went, if that was seen, on the floor's clock in milliseconds.
    pub(super) went_ms: Option<u64>,
    /// The boot that `status` is of.
    boot: Option<String>,
    pub(super) state: Option<Stated>,
    /// What is latched by `fault/CODE`. A bridge that was down may leave one behind, and an access list may forbid `state` and not this.
    faults: BTreeSet<String>,
    /// Whether `state` came live, so that no older one that a broker kept takes its place.
    is_live: bool,
    /// When it last told something itself: messages that the broker had kept are none.
    pub(super) heard_ms: Option<u64>,
    pub(super) gaps: u64,
    pub(super) missed: u64,
    /// What it told that cannot be understood.
    pub(super) strange: Option<String>,
    /// How it showed that a journal is not the one that told earlier records. Stays: no later message takes it back.
    pub(super) rewritten: Option<String>,
    /// The last record of each of its journals since the line to the broker is new.
    last: BTreeMap<String, Seq>,
    /// What each of its journals told.
    told: BTreeMap<String, Told>,
}

/// What counts of a state; the rest may be of a newer version, and so may the words of this.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Stated {
    boot: String,
    wall: i64,
    seq: Seq,
    pub(super) phase: String,
    pub(super) open: bool,
    pub(super) round: Option<RoundId>,
    pub(super) result: Option<Dice>,
    pub(super) malfunctions: Vec<Fault>,
    pub(super) recent: Vec<Past>,
    pub(super) backend: String,
}

/// A latched malfunction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fault {
    /// Which.
    pub(crate) code: String,
    /// What was found.
    pub(crate) cause: String,
}

/// A round that has ended.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Past {
    pub(super) dice: Option<Dice>,
}

/// What counts of an event; the rest may be of a newer version.
#[derive(Deserialize)]
struct Numbered {
    stream: String,
    seq: Seq,
    head: String,
    kind: String,
    chain: Option<Place>,
}

/// The version of any message.
#[derive(Deserialize)]
struct Versioned {
    v: u32,
}

impl TableState {
    /// Takes a message on the table's topic `what`; `kept`: the broker had it, it is no news.
    pub(super) fn take(&mut self, what: &str, payload: &[u8], kept: bool, now_ms: u64) {
        if !kept {
            self.heard_ms = Some(now_ms);
        }
        if let Err(why) = self.read(what, payload, kept, now_ms) {
            self.strange = Some(clean(&format!("`{what}` cannot be understood: {why}")));
        }
    }

    fn read(&mut self, what: &str, payload: &[u8], kept: bool, now_ms: u64) -> Result<(), String> {
        let (word, code) = what.split_once('/').unwrap_or((what, ""));
        if payload.is_empty() {
            // Deleted.
            match word {
                "status" => self.online = None,
                "state" => self.state = None,
                "fault" => {
                    self.faults.remove(&clean(code));
                }
                _ => {}
            }
            return Ok(());
        }
        match word {
            "status" => {
                let status: Status = read(payload)?;
                let online = status.status == "online";
                self.went_ms = (!online && !kept).then_some(now_ms);
                self.online = Some(online);
                self.boot = Some(status.boot);
            }
            "fault" if self.faults.len() < FAULTS => {
                self.faults.insert(clean(code));
            }
            "state" => {
                let state: Stated = read(payload)?;
                if self.is_newer(&state, kept) {
                    self.is_live = !kept;
                    self.state = Some(state);
                }
            }
            "event" if !kept => self.count(&read(payload)?)?,
            _ => {}
        }
        Ok(())
    }

    /// Whether the broker keeps nothing of it.
    pub(super) fn is_gone(&self) -> bool {
        self.online.is_none() && self.state.is_none() && self.faults.is_empty()
    }

    /// Whether it says that it is blocked, whatever else it says.
    pub(super) fn is_blocked(&self) -> bool {
        self.state.as_ref().is_some_and(|state| state.phase == Phase::Blocked.name())
    }

    /// Why it is not known how the table is: what its topics leave out, or tell each otherwise.
    pub(super) fn doubts(&self) -> Vec<String> {
        let Some(state) = &self.state else {
            let none = if self.strange.is_some() {
                "no `state` of it is understood"
            } else {
                "the broker keeps no state of it"
            };
            let faults = self.faults.iter().map(|code| format!("`fault/{code}` is told"));
            return std::iter::once(none.to_owned()).chain(faults).collect();
        };
        let is_latched = |code: &str| state.malfunctions.iter().any(|found| found.code == code);
        let told = self.faults.iter().filter(|code| !is_latched(code));
        let told = told.map(|code| format!("`fault/{code}` is told and `state` does not have it: one of them is old"));
        let is_other = self.online == Some(true) && self.boot.as_ref().is_some_and(|boot| *boot != state.boot);
        let other = "`state` is of another boot than `status`: how the table is since it started was not told";
        let is_known = Phase::ALL.iter().any(|phase| phase.name() == state.phase);
        let newer = format!("its phase `{}` is none that this version of tumblerctl knows", clean(&state.phase));
        let unnamed = self.is_blocked() && state.malfunctions.is_empty();
        let blocked = unnamed.then(|| "it is blocked, and names no malfunction".to_owned());
        told.chain(blocked).chain(is_other.then(|| other.to_owned())).chain((!is_known).then_some(newer)).collect()
    }

    /// Whether this picture is newer than the one that is known. Of one boot the larger `seq` counts, whichever came first: a bridge
    /// or a broker that came back gives out what it had kept after what is live. Of another boot, what is live counts.
    fn is_newer(&self, state: &Stated, kept: bool) -> bool {
        let Some(known) = &self.state else { return true };
        if known.boot != state.boot {
            return !kept || !self.is_live;
        }
        match state.seq.cmp(&known.seq) {
            Ordering::Greater => true,
            // The table moves between two records, too.
            Ordering::Equal => !kept || state.wall >= known.wall,
            Ordering::Less => false,
        }
    }

    fn count(&mut self, event: &Numbered) -> Result<(), String> {
        if !self.told.contains_key(&event.stream) && self.told.len() >= STREAMS {
            self.told.pop_first();
        }
        match self.told.entry(event.stream.clone()).or_default().take(event.seq, &event.head, event.chain.as_ref())? {
            Comparison::New => {}
            Comparison::Again => return Ok(()),
            Comparison::Rewritten(how) => {
                self.rewritten.get_or_insert(how);
                return Ok(());
            }
        }
        let last = self.last.get(&event.stream).copied();
        // A table whose journal was lost leaves numbers out, and says so with a keyframe: nothing is missing.
        if let Some(last) = last.filter(|last| event.seq > last.next() && event.kind != "keyframe") {
            self.gaps += 1;
            self.missed += event.seq.0 - last.next().0;
        }
        if last.is_none() && self.last.len() >= STREAMS {
            self.last.pop_first();
        }
        self.last.insert(event.stream.clone(), event.seq);
        Ok(())
    }

    /// The line to the broker is new: what it keeps comes again, and what was told meanwhile was not missed by the table's
    /// doing.
    pub(super) fn forget(&mut self) {
        self.online = None;
        self.went_ms = None;
        self.boot = None;
        self.state = None;
        self.faults.clear();
        self.is_live = false;
        self.last.clear();
    }
}

/// A message of the version that is understood here.
fn read<T: for<'de> Deserialize<'de>>(payload: &[u8]) -> Result<T, String> {
    let Versioned { v } = serde_json::from_slice(payload).map_err(|e| e.to_string())?;
    if v != VERSION {
        return Err(format!("it is of version {v}, not {VERSION}"));
    }
    serde_json::from_slice(payload).map_err(|e| e.to_string())
}
