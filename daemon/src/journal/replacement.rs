//! A new journal where the one before is damaged, missing, foreign or older than it was.
//!
//! The order survives a kill at any point: the new journal is made whole under another name, the damaged one renamed, the new one put
//! in its place, the slot rewritten. Its first record, a keyframe, holds what could be kept and the latched
//! malfunction, so that a second start finds the table blocked even if the first one never came to say so.

use super::chain::Head;
use super::clock::{WallClock, monotonic};
use super::error::JournalError;
use super::inspect::Wreck;
use super::places::Places;
use super::row::row;
use super::run::RunDir;
use super::slot::{Progress, Slot, SlotFile};
use super::store::{Meta, Store};
use super::{Identity, SKIPPED};
use crate::random;
use std::path::Path;
use tumbler_core::latch::{Code, Malfunction};
use tumbler_core::record::{Event, Record, Standing};
use tumbler_core::round::Interrupted;
use tumbler_core::table::Found;
use tumbler_core::units::{Mono, RoundId, Seq};

/// All that is known of the journal before.
pub(super) struct Predecessor {
    /// The slot, if it can be read.
    pub(super) slot: Option<Slot>,
    /// The head noted in the run directory under this boot.
    pub(super) run: Option<Head>,
    /// The journal.
    pub(super) wreck: Wreck,
}

/// Where the new journal begins, and with what.
struct Plan {
    stream: String,
    first: u64,
    after: Option<Head>,
    relayed: u64,
    standing: Standing,
    /// The slot, where it stays.
    slot: Option<Slot>,
}

pub(super) fn replace(
    places: &Places,
    run_dir: &Path,
    identity: &Identity,
    boot: &str,
    before: Predecessor,
) -> Result<(Head, SlotFile, RunDir, Found), JournalError> {
    let plan = plan(identity, &before)?;
    let mut run = RunDir::new(run_dir, boot, &plan.stream)?;
    run.revoke()?;
    let wreck = before.wreck;
    let meta = Meta {
        stream: plan.stream.clone(),
        identity: identity.clone(),
        first: plan.first,
        after: plan.after.map(|head| head.hash),
        begun: wreck.reason.clone(),
    };
    places.put_aside(&places.new_journal)?;
    let head = first_record(places, &meta, &plan, boot)?;

    let aside = places.put_aside(&places.journal)?;
    if plan.slot.is_none() {
        places.put_aside(&places.slot)?;
    }
    places.rename(&places.new_journal, &places.journal)?;
    let mut fresh = Slot::fresh(&plan.stream, identity, head);
    (fresh.round, fresh.next) = match &plan.standing.round {
        None => (plan.standing.last_round.0, Progress::None),
        Some(round) if round.established => (round.id.0.saturating_sub(1), Progress::Established),
        Some(round) => (round.id.0.saturating_sub(1), Progress::Begun),
    };
    let slot = match plan.slot {
        Some(kept) => {
            let mut file = SlotFile::open(&places.slot, kept)?;
            file.write(|slot| {
                slot.granted = None;
                slot.grant = slot.grant.saturating_add(1);
                slot.take_rounds(&fresh);
                slot.set_head(head);
            })?;
            file
        }
        None => SlotFile::create(&places.slot, fresh)?,
    };
    places.sync()?;
    run.note(head);

    let mut reason = wreck.reason;
    if let Some(name) = aside.as_deref().and_then(Path::file_name) {
        reason = format!("{reason}; set aside as {}", name.to_string_lossy());
    }
    let (last, relayed) = (Seq(head.seq), Seq(plan.relayed));
    let found = Found::Bad { reason, standing: Box::new(plan.standing), last, relayed };
    Ok((head, slot, run, found))
}

fn plan(identity: &Identity, before: &Predecessor) -> Result<Plan, JournalError> {
    let wreck = &before.wreck;
    let slot = before.slot.as_ref();
    let meta = wreck.meta.as_ref().filter(|meta| meta.identity.is_table_of(identity));
    let stream = match (slot, meta) {
        (Some(slot), _) => slot.stream.clone(),
        (None, Some(meta)) => meta.stream.clone(),
        (None, None) => random::word().map_err(JournalError::io("read random numbers", Path::new("/dev/urandom")))?,
    };
    // Another table's or another stream's journal says nothing about this one.
    let ours = meta.is_some_and(|meta| meta.stream == stream);
    let kept = wreck.head.filter(|_| ours);
    let mut standing = if ours { wreck.standing.clone() } else { Standing::default() };
    standing.site.clone_from(&identity.site);
    standing.table.clone_from(&identity.table);
    standing.backend.clone_from(&identity.backend);
    // Rule 8: permission does not outlive the journal that proved it. Table and first record must say the same.
    standing.open = false;
    if let Some(slot) = slot {
        standing.last_round = standing.last_round.max(RoundId(slot.in_progress().unwrap_or(slot.round)));
        // A round that the slot knows to have ended is not in progress, whatever an older journal says.
        standing.round = standing.round.filter(|round| round.id.0 > slot.round);
        take_up_lost_round(&mut standing, slot);
    }

    let run = before.run.filter(|_| slot.is_some());
    let heads = [slot.map(Slot::head), run, kept];
    let after = heads.into_iter().flatten().max_by_key(|head| head.seq);
    let base = after.map_or(0, |head| head.seq);
    let highest = if ours { wreck.highest.min(base.saturating_add(SKIPPED)) } else { 0 };
    let exact = run.is_some() || slot.is_some_and(|slot| slot.closed);
    let nothing_before = slot.is_none() && !ours;
    let skipped = if exact || nothing_before { 0 } else { SKIPPED };
    let first = base.max(highest).saturating_add(skipped).saturating_add(1);
    // The slot's head, where there is one, is what a start that was cut short is recognised by.
    let after = slot.map(Slot::head).or(after);
    let relayed = if ours { wreck.relayed } else { 0 };
    Ok(Plan { stream, first, after, relayed, standing, slot: slot.cloned() })
}

/// A round in progress is not forgotten with the journal: its number is not given again, and it ends as after any other
/// interruption (SGV6 5.4, SGOC 5.4).
fn take_up_lost_round(standing: &mut Standing, slot: &Slot) {
    let Some(lost) = slot.in_progress().map(RoundId) else { return };
    let ended = standing.recent.iter().any(|past| past.id == lost);
    if ended || standing.round.as_ref().is_some_and(|round| round.id > lost) {
        return;
    }
    let mut round = standing.round.take().filter(|round| round.id == lost).unwrap_or_else(|| Interrupted {
        id: lost,
        rules: standing.rules.clone(),
        layout: standing.layout.clone(),
        ..Interrupted::default()
    });
    round.established |= slot.next == Progress::Established;
    standing.round = Some(round);
}

/// Makes the new journal, with the keyframe as its first record.
fn first_record(places: &Places, meta: &Meta, plan: &Plan, boot: &str) -> Result<Head, JournalError> {
    let mut standing = plan.standing.clone();
    standing.latched.retain(|latched| latched.code != Code::Journal);
    standing.latched.push(Malfunction {
        code: Code::Journal,
        cause: meta.begun.clone(),
        since: Mono(0),
        in_spin: false,
    });
    let event = Event::Keyframe(Box::new(standing));
    let record = Record::plain(Seq(plan.first), Mono(monotonic()), None, event);
    let keyframe = row(&record, plan.relayed, boot, &WallClock::read())
        .map_err(|why| JournalError::Unreadable { seq: plan.first, why })?;
    Store::create(&places.new_journal, meta, &[keyframe])
}
