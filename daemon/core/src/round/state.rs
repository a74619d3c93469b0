//! The round in progress: its facts, and the verbs that change them. Which order they may come in is the rule set's [`Order`].
//!
//! ```text
//! bets       not called --open_bets--> open --close_bets--> closed
//! spin       None --ask_for_spin--> Asked --start_spin--> Running --end_spin--> Valid, or None where it is not valid
//!                                                         Running --make_spin--> Running, three tumbles made --doubt_spin--> Running
//!              ^------drop_spin------'
//! dice       covered --reveal--> revealed;  --establish--> established
//! question   nobody is asked --ask--> asked --answer--> nobody is asked
//! entry      --enter--> entered --take_result--> result --amend--> result
//!                          '--differ--> nothing entered; under New Zealand --supervise--> the dealer keys
//! areas      Dark --light--> Told --prove_areas--> Proved --doubt_areas--> Told
//!                                                    '--fail_areas--> Dark
//! ```
//!
//! Each verb asserts where it may come from, in tests and in every build of the rig. What ships goes on: it does not panic under a game.

use super::ending::Ground;
use super::past::Interrupted;
use super::question::Doubt;
use super::spin::{LEAST_TUMBLES, Spin, Spun};
use super::{FlatBy, Reveal};
use crate::prelude::*;
use crate::refusal::Refusal;
use crate::rules::{Layout, Order, RuleSet};
use crate::units::{Dice, Mono, RoundId, Tumbles};
use serde::{Deserialize, Serialize};

/// What the areas of the result show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Areas {
    /// Nothing was told to light, or what was proved has failed by itself.
    #[default]
    Dark,
    /// They were told to light.
    Told,
    /// Every one of them is lit, and no other.
    Proved,
}

/// The round in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    id: RoundId,
    rules: String,
    layout: String,
    order: Order,
    bets_opened: bool,
    bets_closed: bool,
    spin: Spin,
    /// A spin was granted and not dropped before it started.
    began: bool,
    /// Three full tumbles of the spin are on record.
    made: bool,
    spun: Option<Spun>,
    slow: bool,
    grounds: Vec<Ground>,
    revealed: Option<Reveal>,
    established: Option<FlatBy>,
    asked: Option<Doubt>,
    entered: Option<Dice>,
    /// Numbers that were keyed and that the reader saw otherwise.
    differed: Option<Dice>,
    upheld: bool,
    result: Option<Dice>,
    areas: Areas,
    result_at: Mono,
    proved_at: Mono,
    /// Wrong numbers were keyed, and the game supervisor has not come to see them amended (NZ 7.2).
    unsupervised: bool,
}

/// How a round begins, and how it goes on after an interruption.
impl Round {
    /// A round that begins now.
    #[must_use]
    pub fn begin(id: RoundId, rules: &RuleSet, layout: &Layout) -> Self {
        Self::new(id, rules.id.clone(), layout.id.clone(), rules.order)
    }

    /// A round of which nothing is known yet.
    const fn new(id: RoundId, rules: String, layout: String, order: Order) -> Self {
        Self {
            id,
            rules,
            layout,
            order,
            bets_opened: false,
            bets_closed: false,
            spin: Spin::None,
            began: false,
            made: false,
            spun: None,
            slow: false,
            grounds: Vec::new(),
            revealed: None,
            established: None,
            asked: None,
            entered: None,
            differed: None,
            upheld: false,
            result: None,
            areas: Areas::Dark,
            result_at: Mono(0),
            proved_at: Mono(0),
            unsupervised: false,
        }
    }

    /// A round as it stood before an interruption, as far as that is recorded. One whose outcome was established is concluded
    /// (SGV6 5.4.1). It goes by these rules, on this layout, which are not always on record. How long ago its result was entered is not known: it counts as entered `now`.
    #[must_use]
    pub fn resume(from: &Interrupted, rules: &str, layout: &str, order: Order, now: Mono) -> Self {
        let made = from.made_spin();
        let spun = from.spun.or(made);
        let tumbles = if made.is_some() { LEAST_TUMBLES } else { from.tumbles };
        let valid = from.established || spun.is_some_and(|spun| spun.valid);
        Self {
            bets_opened: from.bets_opened || from.established,
            bets_closed: from.bets_closed || from.established,
            spin: if valid { Spin::Valid { tumbles } } else { Spin::None },
            began: from.began,
            made: from.made,
            spun,
            revealed: from.revealed.or(from.established.then_some(Reveal::Confirmed)),
            established: from.established.then_some(FlatBy::Dealer),
            asked: from.asked,
            result: from.result,
            result_at: now,
            unsupervised: from.supervise,
            ..Self::new(from.id, rules.to_owned(), layout.to_owned(), order)
        }
    }

    /// What a restart needs to know of it; `read` is what the reader first said that the dice show.
    #[must_use]
    pub fn interrupted(&self, read: Option<Dice>) -> Interrupted {
        Interrupted {
            id: self.id,
            rules: self.rules.as_str().into(),
            layout: self.layout.as_str().into(),
            established: self.established.is_some(),
            began: self.began,
            made: self.made,
            spun: self.spun,
            bets_opened: self.bets_opened,
            bets_closed: self.bets_closed,
            revealed: self.revealed,
            asked: self.asked,
            supervise: self.unsupervised,
            tumbles: match self.spin {
                Spin::Valid { tumbles } => tumbles,
                Spin::None | Spin::Asked | Spin::Running => Tumbles(0),
            },
            read,
            result: self.result,
        }
    }
}

/// What changes it.
impl Round {
    /// "Place your bets" is called; gives whether it is its turn.
    pub const fn open_bets(&mut self) -> bool {
        let in_turn = !self.bets_opened && !self.bets_closed;
        self.bets_opened |= in_turn;
        in_turn
    }

    /// "No more bets" is called; gives whether it is the first time.
    pub const fn close_bets(&mut self) -> bool {
        !core::mem::replace(&mut self.bets_closed, true)
    }

    /// The spin that the dealer asks for is granted ([`Round::may_spin`]); the motor waits for the record to be durable.
    pub fn ask_for_spin(&mut self) {
        debug_assert_eq!(self.spin, Spin::None, "one spin at a time");
        self.spin = Spin::Asked;
        self.began = true;
    }

    /// The spin that was granted does not start.
    pub fn drop_spin(&mut self) {
        debug_assert_eq!(self.spin, Spin::Asked, "only a spin that waits is dropped");
        self.spin = Spin::None;
        self.began = false;
    }

    /// The motor is commanded on for the spin that was granted.
    pub fn start_spin(&mut self) {
        debug_assert_eq!(self.spin, Spin::Asked, "the motor runs for a spin that was granted");
        self.spin = Spin::Running;
    }

    /// Three full tumbles of it are made; gives whether that is news.
    pub const fn make_spin(&mut self) -> bool {
        !core::mem::replace(&mut self.made, true)
    }

    /// The cam was wrong as it showed the third: it is made no more.
    pub fn doubt_spin(&mut self) {
        debug_assert!(self.made && self.spin == Spin::Running, "what is doubted was made, in a spin that runs");
        self.made = false;
    }

    /// Whether three tumbles of its spin are on record.
    #[must_use]
    pub const fn has_made_spin(&self) -> bool {
        self.made
    }

    /// A full tumble took longer than a healthy one may.
    pub fn find_slow(&mut self) {
        debug_assert_eq!(self.spin, Spin::Running, "only a spin that runs is slow");
        self.slow = true;
    }

    /// The spin is over: what was counted, and whether it is valid.
    pub fn end_spin(&mut self, tumbles: Tumbles, spun: Spun) {
        debug_assert_eq!(self.spin, Spin::Running, "a spin ends that runs");
        self.spin = if spun.valid { Spin::Valid { tumbles } } else { Spin::None };
        self.spun = Some(spun);
    }

    /// A fact that voids it where its rule set says so.
    pub fn add_ground(&mut self, ground: Ground) {
        if !self.grounds.contains(&ground) {
            self.grounds.push(ground);
        }
    }

    /// The dice may be seen from here on.
    pub fn reveal(&mut self, how: Reveal) {
        debug_assert!(
            self.revealed.is_none() && self.bets_closed && self.has_valid_spin(),
            "dice are revealed once, in their turn"
        );
        self.revealed = Some(how);
    }

    /// Somebody has said that the dice lie flat: nothing but damaged dice voids it from here on.
    pub fn establish(&mut self, flat: FlatBy) {
        debug_assert!(
            self.established.is_none() && self.revealed.is_some(),
            "an outcome is established once, of dice that are seen"
        );
        debug_assert!(self.asked.is_none(), "what a person is asked about is not established before the answer");
        self.established = Some(flat);
    }

    /// A person is asked what became of the dice; nothing goes on before.
    pub fn ask(&mut self, why: Doubt) {
        debug_assert!(self.asked.is_none() && self.result.is_none(), "one question at a time, and none about a result");
        self.asked = Some(why);
    }

    /// The person has answered that the dice lie as they fell.
    pub fn answer(&mut self) {
        debug_assert!(self.asked.is_some(), "an answer follows a question");
        self.asked = None;
    }

    /// Three numbers and Entry were keyed, and the reader has not said what it must say before.
    pub fn enter(&mut self, dice: Dice) {
        debug_assert!(
            self.result.is_none() && self.revealed.is_some(),
            "dice are seen before they are entered, and a result is amended"
        );
        self.entered = Some(dice);
    }

    /// The numbers keyed are not those that the reader sees; whether the game supervisor has to see them amended (NZ 7.2).
    pub fn differ(&mut self, supervised: bool) {
        debug_assert!(self.entered.is_some() && self.result.is_none(), "what differs was entered, and is no result");
        self.differed = self.entered.take();
        self.unsupervised = supervised;
    }

    /// The numbers that were keyed last and that the reader saw otherwise.
    #[must_use]
    pub const fn differed(&self) -> Option<Dice> {
        self.differed
    }

    /// The game supervisor has come to see them amended.
    pub fn supervise(&mut self) {
        debug_assert!(self.unsupervised, "the game supervisor comes to wrong numbers");
        self.unsupervised = false;
    }

    /// The supervisor upholds the numbers keyed against the reader.
    pub fn uphold(&mut self) {
        debug_assert!(
            self.revealed.is_some() && self.asked.is_none(),
            "dice are upheld that people see and do not doubt"
        );
        self.upheld = true;
    }

    /// The result stands.
    pub fn take_result(&mut self, dice: Dice, at: Mono) {
        debug_assert!(
            self.result.is_none() && self.established.is_some(),
            "a result is of an established outcome, and taken once"
        );
        self.entered = None;
        self.unsupervised = false;
        self.result = Some(dice);
        self.result_at = at;
    }

    /// Another result stands in its place; its areas are not lit yet.
    pub fn amend(&mut self, dice: Dice, at: Mono) {
        debug_assert!(
            self.result.is_some() && self.asked.is_none(),
            "what is amended was a result that nobody is asked about"
        );
        self.result = Some(dice);
        self.result_at = at;
        self.areas = Areas::Dark;
    }

    /// Its areas are told to light.
    pub fn light(&mut self) {
        debug_assert!(self.result.is_some() && self.areas == Areas::Dark, "a result lights its areas once");
        self.areas = Areas::Told;
    }

    /// Every area of the result is lit, and no other; gives whether that is news.
    pub fn prove_areas(&mut self, at: Mono) -> bool {
        let news = self.areas == Areas::Told;
        if news {
            self.areas = Areas::Proved;
            self.proved_at = at;
        }
        news
    }

    /// What was proved of the areas says nothing of them now: they are to be proved once more.
    pub fn doubt_areas(&mut self) {
        if self.areas == Areas::Proved {
            self.areas = Areas::Told;
        }
    }

    /// Areas that were proved have failed by themselves: they prove nothing any more, however often they come back.
    pub fn fail_areas(&mut self) {
        if self.areas == Areas::Proved {
            self.areas = Areas::Dark;
        }
    }
}

/// What is known of it.
impl Round {
    /// Its number.
    #[must_use]
    pub const fn id(&self) -> RoundId {
        self.id
    }

    /// The rule set that it keeps to its end.
    #[must_use]
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// The layout that it keeps to its end.
    #[must_use]
    pub fn layout(&self) -> &str {
        &self.layout
    }

    /// Its rule set's order of play.
    #[must_use]
    pub const fn order(&self) -> Order {
        self.order
    }

    /// "Place your bets" was called.
    #[must_use]
    pub const fn bets_opened(&self) -> bool {
        self.bets_opened
    }

    /// "No more bets" was called.
    #[must_use]
    pub const fn bets_closed(&self) -> bool {
        self.bets_closed
    }

    /// How far the spin is.
    #[must_use]
    pub const fn spin(&self) -> Spin {
        self.spin
    }

    /// Whether its spin is over and valid.
    #[must_use]
    pub const fn has_valid_spin(&self) -> bool {
        matches!(self.spin, Spin::Valid { .. })
    }

    /// Whether the motor was commanded on for a spin of it, as far as that is known.
    #[must_use]
    pub const fn has_begun_spin(&self) -> bool {
        self.began
    }

    /// Whether its spin began, and nothing is known of what came of it.
    #[must_use]
    pub const fn has_lost_spin(&self) -> bool {
        self.began && self.spun.is_none() && matches!(self.spin, Spin::None)
    }

    /// Whether a spin began in this round: concealed dice may be exposed from here on.
    #[must_use]
    pub const fn has_spun(&self) -> bool {
        matches!(self.spin, Spin::Running | Spin::Valid { .. })
    }

    /// Whether a full tumble took longer than a healthy one may.
    #[must_use]
    pub const fn is_slow(&self) -> bool {
        self.slow
    }

    /// Facts that void it where its rule set says so, besides what voids it first.
    #[must_use]
    pub fn grounds(&self) -> &[Ground] {
        &self.grounds
    }

    /// How the dice were revealed.
    #[must_use]
    pub const fn revealed(&self) -> Option<Reveal> {
        self.revealed
    }

    /// Who said that the dice lie flat: the outcome is established.
    #[must_use]
    pub const fn established(&self) -> Option<FlatBy> {
        self.established
    }

    /// Whether the dice of a valid spin may be seen, and nobody has said yet how they lie.
    #[must_use]
    pub const fn lies_open(&self) -> bool {
        self.revealed.is_some() && self.established.is_none() && self.has_valid_spin()
    }

    /// Why a person is asked what became of the dice, where one is.
    #[must_use]
    pub const fn asked(&self) -> Option<Doubt> {
        self.asked
    }

    /// Three numbers that wait for the reader's word.
    #[must_use]
    pub const fn entered(&self) -> Option<Dice> {
        self.entered
    }

    /// Whether the supervisor upheld the entry against the reader.
    #[must_use]
    pub const fn is_upheld(&self) -> bool {
        self.upheld
    }

    /// Whether wrong numbers wait to be amended under the game supervisor (NZ 7.2).
    #[must_use]
    pub const fn awaits_supervisor(&self) -> bool {
        self.unsupervised
    }

    /// The result.
    #[must_use]
    pub const fn result(&self) -> Option<Dice> {
        self.result
    }

    /// When the result was taken or amended last, or found by a restart.
    #[must_use]
    pub const fn result_at(&self) -> Mono {
        self.result_at
    }

    /// What the areas of the result show.
    #[must_use]
    pub const fn areas(&self) -> Areas {
        self.areas
    }

    /// When its areas were proved lit last, while they are.
    #[must_use]
    pub fn proved_at(&self) -> Option<Mono> {
        (self.areas == Areas::Proved).then_some(self.proved_at)
    }

    /// Whether the tumbler may run now, by the order of play; otherwise why not.
    ///
    /// # Errors
    /// What the dealer is told.
    pub fn may_spin(&self) -> Result<(), Refusal> {
        self.may_be_moved()?;
        match self.spin {
            Spin::None => self.is_time_to_spin(),
            Spin::Asked | Spin::Running => Err(Refusal::RunsAlready),
            Spin::Valid { .. } => Err(Refusal::HasHadItsSpin),
        }
    }

    /// The same of a spin that was granted, once its record is durable.
    ///
    /// # Errors
    /// What the dealer is told.
    pub fn may_still_spin(&self) -> Result<(), Refusal> {
        self.may_be_moved()?;
        self.is_time_to_spin()
    }

    const fn may_be_moved(&self) -> Result<(), Refusal> {
        if self.asked.is_some() { Err(Refusal::AskedBeforeMotion) } else { Ok(()) }
    }

    const fn is_time_to_spin(&self) -> Result<(), Refusal> {
        match (self.bets_closed, self.order.spin_after_no_more_bets, self.order.spin_before_no_more_bets) {
            (true, true, _) | (false, _, true) => Ok(()),
            (true, false, _) => Err(Refusal::BetsClosed),
            (false, _, false) => Err(Refusal::BetsOpen),
        }
    }
}
