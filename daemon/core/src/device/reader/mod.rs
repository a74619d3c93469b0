//! The dice reader: poses may be known at all times, faces only after the reveal.

mod kind;
mod registers;

use crate::context::{Context, Transaction};
use crate::input::BusReply;
use crate::units::{Dice, Millis, Mono};
use kind::{Kind, Look};
use registers::Registers;
use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// The kind of reader that tables have.
const KIND: &dyn Kind = &Registers;

/// How a die lies, as the reader has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Pose {
    /// The reader cannot say.
    #[default]
    Unknown,
    /// Flat on the platform.
    Flat,
    /// At rest and not flat.
    NotFlat,
    /// Moving.
    Moving,
    /// No die there.
    Missing,
}

impl Pose {
    /// The pose's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What the reader is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Request {
    /// How the dice lie.
    Look,
    /// Which faces they show.
    Faces,
}

impl Request {
    /// The transaction on the bus.
    #[must_use]
    pub fn op(self) -> Transaction {
        match self {
            Self::Look => KIND.look(),
            Self::Faces => KIND.faces(),
        }
    }
}

/// What an answer of the reader says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Report {
    /// How the dice lie.
    Looked,
    /// Dice at rest moved.
    Moved,
    /// The faces; `None` while it cannot say all three.
    Faces(Option<Dice>),
}

/// The highest face of a die.
const FACES: u16 = 6;

/// What the dice at rest amount to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All three lie flat.
    Flat,
    /// This many do not (NZ 7.1(a)).
    NotFlat(usize),
    /// Not three dice, or not the enrolled ones.
    Wrong(&'static str),
    /// The reader cannot say.
    Unknown,
}

/// The dice reader.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reader {
    measured: Option<u16>,
    /// The measurement counter as it was last read; kept when the reader is lost.
    counter: Option<u16>,
    /// The last block was of the same measurement as the one before.
    repeats: bool,
    seen: u16,
    poses: [Pose; 3],
    identities: [u16; 3],
    /// The dice that belong to the table, if they were ever enrolled.
    enrolled: Option<[u16; 3]>,
    motion: u16,
    /// Since when nothing has moved; `None` while something moves or nothing is known.
    still_since: Option<Mono>,
    #[serde(rename = "settled")]
    at_rest: bool,
    /// The motion counter as it was before the spin.
    motion_before: Option<u16>,
    /// The faces, once read after the reveal.
    faces: Option<[u16; 3]>,
    faces_wanted: bool,
    /// The poses are read before the faces are asked for again.
    looks_first: bool,
}

impl Reader {
    /// Takes an answer. `None` for one that cannot be one: nothing is decided on it.
    pub fn answer(&mut self, request: Request, reply: &BusReply, ctx: &mut Context) -> Option<Report> {
        let BusReply::Words(words) = reply else { return None };
        match request {
            Request::Look => self.look(KIND.read_look(words)?, ctx).then_some(Report::Moved).or(Some(Report::Looked)),
            Request::Faces => Some(self.read_faces(KIND.read_faces(words)?)),
        }
    }

    /// Takes a look at the dice; gives whether dice at rest moved.
    fn look(&mut self, Look { measured, seen, poses, identities, motion }: Look, ctx: &mut Context) -> bool {
        if poses != self.poses {
            ctx.note_change();
        }
        let moved =
            poses.contains(&Pose::Moving) || (self.measured.is_some() && motion != self.motion) || poses != self.poses;
        let was_at_rest = self.at_rest;
        self.repeats = self.counter.replace(measured) == Some(measured);
        self.measured = Some(measured);
        self.seen = seen;
        self.poses = poses;
        self.looks_first = false;
        self.identities = identities;
        self.motion = motion;
        if moved {
            self.at_rest = false;
            // A pose that changed between two polls came to rest just now; one that moves has not.
            self.still_since = (!poses.contains(&Pose::Moving)).then_some(ctx.at());
        } else if let Some(since) = self.still_since {
            self.at_rest = ctx.reached(since, Millis(ctx.p().settle));
        } else {
            self.still_since = Some(ctx.at());
        }
        was_at_rest && moved
    }

    /// Whether the last block had no new measurement. If the counter does not advance, the reader does not see.
    #[must_use]
    pub const fn repeats(&self) -> bool {
        self.repeats
    }

    /// Whether the dice have been at rest for long enough.
    #[must_use]
    pub const fn is_at_rest(&self) -> bool {
        self.at_rest
    }

    /// The poses, as last read.
    #[must_use]
    pub const fn poses(&self) -> [Pose; 3] {
        self.poses
    }

    /// The identities, if three dice are seen and all can be identified: an identity is that of one die.
    #[must_use]
    pub fn identities(&self) -> Option<[u16; 3]> {
        let [a, b, c] = self.identities;
        let differ = a != b && a != c && b != c;
        (self.measured.is_some() && self.seen == 3 && differ && !self.identities.contains(&0))
            .then_some(self.identities)
    }

    /// These dice belong to the table from here on.
    pub const fn enrol(&mut self, dice: [u16; 3]) {
        self.enrolled = Some(dice);
    }

    /// The dice that belong to the table, if they were ever enrolled.
    #[must_use]
    pub const fn enrolled(&self) -> Option<[u16; 3]> {
        self.enrolled
    }

    /// A spin begins: dice must be seen to move from here on.
    pub fn begin_spin(&mut self) {
        self.motion_before = self.measured.map(|_| self.motion);
        self.at_rest = false;
        self.still_since = None;
        self.forget_faces();
    }

    /// Whether the dice moved since the spin began; `None` if that cannot be said.
    #[must_use]
    pub fn tumbled(&self) -> Option<bool> {
        self.measured?;
        self.motion_before.map(|before| before != self.motion)
    }

    /// The spin ended: rest is reckoned from here.
    pub fn end_spin(&mut self) {
        self.at_rest = false;
        self.still_since = None;
    }

    /// What the dice amount to, at rest.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        if self.seen > 3 {
            return Verdict::Wrong("more than three dice");
        }
        if self.seen < 3 || self.poses.contains(&Pose::Missing) {
            return Verdict::Wrong("fewer than three dice");
        }
        if let Some(mut enrolled) = self.enrolled {
            let mut there = self.identities;
            enrolled.sort_unstable();
            there.sort_unstable();
            if enrolled != there {
                return Verdict::Wrong("dice that are not the enrolled ones");
            }
        }
        let cocked = self.poses.iter().filter(|p| matches!(p, Pose::NotFlat | Pose::Moving)).count();
        if cocked > 0 {
            Verdict::NotFlat(cocked)
        } else if self.poses.contains(&Pose::Unknown) {
            Verdict::Unknown
        } else {
            Verdict::Flat
        }
    }

    /// The dice may be seen: the faces are to be read, until the reader can say all three.
    pub fn want_faces(&mut self) {
        self.faces_wanted = self.faces.is_none();
    }

    /// Whether the faces are to be read.
    #[must_use]
    pub const fn faces_due(&self) -> bool {
        self.faces_wanted
    }

    /// Whether the faces are what is to be read next.
    #[must_use]
    pub const fn faces_next(&self) -> bool {
        self.faces_wanted && !self.looks_first
    }

    fn read_faces(&mut self, faces: [u16; 3]) -> Report {
        self.faces = Some(faces);
        // A face that the reader cannot say yet is asked for again, until the entry is judged.
        self.faces_wanted = faces.contains(&0);
        // Not before it was looked whether a hand has moved them.
        self.looks_first = self.faces_wanted;
        Report::Faces(self.faces().flatten())
    }

    /// The faces read after the reveal: `None` until read, `Some(None)` where the reader could not say.
    #[must_use]
    pub fn faces(&self) -> Option<Option<Dice>> {
        self.faces.map(|faces| {
            let pips = faces.map(|f| u8::try_from(f).unwrap_or(0));
            Dice::from_pips(pips).ok()
        })
    }

    /// What the faces were when they were first read, before a restart.
    pub fn recall_faces(&mut self, dice: Dice) {
        self.faces = Some(dice.pips().map(u16::from));
    }

    /// Forgets the faces: the round is over, or the next spin begins.
    pub fn forget_faces(&mut self) {
        self.faces = None;
        self.faces_wanted = false;
    }

    /// The reader is lost: nothing is known any more but the faces already read.
    pub fn lose(&mut self) {
        *self = Self { faces: self.faces, counter: self.counter, enrolled: self.enrolled, ..Self::default() };
    }
}
