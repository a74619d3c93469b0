//! What a fault is declared with, and what follows from a table of such rows: the fault of an id, and the id of a fault. The
//! twin's faults are rows of [`super::fault_table`]; those around the daemon are declared in the same way by the benches.

use super::name::Wrong;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::rules::Layout;

/// The fault of an id, and the argument that the id takes after a colon.
#[derive(Clone, Copy, Debug)]
pub enum Constructor<F> {
    /// No argument.
    Plain(F),
    /// A line.
    Line(fn(InLine) -> F),
    /// One of the dealer's buttons.
    Button(fn(InLine) -> F),
    /// Two of the dealer's buttons.
    Buttons(fn(InLine, InLine) -> F),
    /// An output.
    Output(fn(OutLine) -> F),
    /// Number of an area's lamp; the id has the area.
    Area(fn(u16) -> F),
    /// Numbers of the lamps of two areas.
    Areas(fn(u16, u16) -> F),
    /// A key of the terminal, 1 to 7.
    Key(fn(u8) -> F),
    /// A share in percent, 1 to 100. Without a share: every reply.
    Percent(fn(u8) -> F),
    /// A number from 1.
    Number(fn(u16) -> F),
}

/// The dealer's buttons.
pub const BUTTONS: [InLine; 4] = [InLine::Tumble, InLine::PlaceBets, InLine::NoMoreBets, InLine::NoSpin];

fn button(name: &str) -> Option<InLine> {
    BUTTONS.into_iter().find(|line| line.name() == name)
}

impl<F: Copy + PartialEq> Constructor<F> {
    /// What is wrong with an argument of which it makes no fault.
    fn wrong(self, id: &str, argument: &str, layout: Option<&Layout>) -> Wrong {
        let areas = || layout.into_iter().flat_map(|layout| &layout.areas).map(|area| area.id.as_str());
        let no = |allowed: &str| Wrong::new(argument, format!("`{argument}` is no argument of `{id}`"), allowed);
        match self {
            Self::Plain(_) => no("the id alone"),
            Self::Line(_) => Wrong::unknown("line", argument, InLine::ALL.map(InLine::name)),
            Self::Button(_) => Wrong::unknown("button", argument, BUTTONS.map(InLine::name)),
            Self::Buttons(_) => match argument.split_once('+') {
                Some((a, b)) => {
                    Wrong::unknown("button", if button(a).is_some() { b } else { a }, BUTTONS.map(InLine::name))
                }
                None => no("two buttons with + between them"),
            },
            Self::Output(_) => Wrong::unknown("output", argument, OutLine::ALL.map(OutLine::name)),
            Self::Area(_) => Wrong::unknown("area", argument, areas()),
            Self::Areas(_) => match argument.split_once('+') {
                Some((a, b)) => {
                    let first = areas().any(|area| area == a);
                    Wrong::unknown("area", if first { b } else { a }, areas())
                }
                None => no("two areas with + between them"),
            },
            Self::Key(_) => no("a key, 1 to 7; 7 is entry"),
            Self::Percent(_) => no("a share in percent, 1 to 100; every reply without"),
            Self::Number(_) => no("a number from 1"),
        }
    }

    /// The fault with this argument; `None` for an invalid one.
    fn with(self, argument: &str, layout: Option<&Layout>) -> Option<F> {
        let lamp = |id: &str| u16::try_from(layout?.areas.iter().position(|area| area.id == id)?).ok();
        Some(match self {
            Self::Plain(fault) => return argument.is_empty().then_some(fault),
            Self::Line(make) => make(InLine::ALL.into_iter().find(|line| line.name() == argument)?),
            Self::Button(make) => make(button(argument)?),
            Self::Buttons(make) => {
                let (a, b) = argument.split_once('+')?;
                make(button(a)?, button(b).filter(|_| a != b)?)
            }
            Self::Output(make) => make(OutLine::ALL.into_iter().find(|line| line.name() == argument)?),
            Self::Area(make) => make(lamp(argument)?),
            Self::Areas(make) => {
                let (a, b) = argument.split_once('+')?;
                make(lamp(a)?, lamp(b)?)
            }
            Self::Key(make) => make(argument.parse().ok().filter(|key| (1..=7).contains(key))?),
            Self::Percent(make) if argument.is_empty() => make(100),
            Self::Percent(make) => make(argument.parse().ok().filter(|share| (1..=100).contains(share))?),
            Self::Number(make) => make(argument.parse().ok().filter(|number| *number > 0)?),
        })
    }

    /// The argument with which it makes this fault; `None` if it never does. An area that the layout has not is its lamp's number.
    fn argument_of(self, fault: F, layout: Option<&Layout>) -> Option<String> {
        if core::mem::discriminant(&self.example()) != core::mem::discriminant(&fault) {
            return None;
        }
        let area = |lamp: u16| {
            let known = layout.and_then(|layout| layout.areas.get(usize::from(lamp)));
            known.map_or_else(|| lamp.to_string(), |area| area.id.clone())
        };
        match self {
            Self::Plain(plain) => (plain == fault).then(String::new),
            Self::Line(make) => {
                InLine::ALL.into_iter().find(|line| make(*line) == fault).map(|line| line.name().into())
            }
            Self::Button(make) => BUTTONS.into_iter().find(|line| make(*line) == fault).map(|line| line.name().into()),
            Self::Buttons(make) => {
                let mut pairs = BUTTONS.into_iter().flat_map(|a| BUTTONS.map(|b| (a, b)));
                pairs.find(|(a, b)| make(*a, *b) == fault).map(|(a, b)| format!("{}+{}", a.name(), b.name()))
            }
            Self::Output(make) => {
                OutLine::ALL.into_iter().find(|line| make(*line) == fault).map(|line| line.name().into())
            }
            Self::Area(make) => (0..LAMPS).find(|lamp| make(*lamp) == fault).map(area),
            Self::Areas(make) => {
                let mut pairs = (0..LAMPS).flat_map(|a| (0..LAMPS).map(move |b| (a, b)));
                pairs.find(|(a, b)| make(*a, *b) == fault).map(|(a, b)| format!("{}+{}", area(a), area(b)))
            }
            Self::Key(make) => (1..=7).find(|key| make(*key) == fault).map(|key| key.to_string()),
            Self::Percent(make) if make(100) == fault => Some(String::new()),
            Self::Percent(make) => (1..100).find(|share| make(*share) == fault).map(|share| share.to_string()),
            Self::Number(make) => (1..=u16::MAX).find(|number| make(*number) == fault).map(|number| number.to_string()),
        }
    }

    /// An example of its faults.
    fn example(self) -> F {
        match self {
            Self::Plain(fault) => fault,
            // A line with no id of its own.
            Self::Line(make) => make(InLine::MotorFault),
            Self::Button(make) => make(InLine::Tumble),
            Self::Buttons(make) => make(InLine::Tumble, InLine::PlaceBets),
            Self::Output(make) => make(OutLine::Bell),
            Self::Area(make) => make(0),
            Self::Areas(make) => make(0, 1),
            Self::Key(make) | Self::Percent(make) => make(1),
            Self::Number(make) => make(1),
        }
    }
}

/// Number of lamps that a table can have: two boards of 64.
const LAMPS: u16 = 128;

/// On which tables campaigns inject a fault, and with which argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// On none: another id covers it, or play could not go on.
    Never,
    /// On all, with these arguments. Each entry is as likely as any other fault; one that is listed twice is twice as likely.
    Every(&'static [&'static str]),
    /// Where a dome covers the dice.
    Dome,
    /// Where a reader sees them.
    Reader,
    /// On all, with a random argument.
    Drawn(Draw),
}

impl Share {
    /// Whether a table has what it breaks.
    #[must_use]
    pub const fn fits(self, dome: bool, reader: bool) -> bool {
        match self {
            Self::Dome => dome,
            Self::Reader => reader,
            Self::Never | Self::Every(_) | Self::Drawn(_) => true,
        }
    }
}

/// Kind of random argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draw {
    /// One of the dealer's buttons.
    Button,
    /// Any input line.
    Line,
    /// An output.
    Output,
    /// An area of the layout.
    Area,
    /// Two areas.
    Areas,
    /// A key of the terminal.
    Key,
}

/// How a fault is healed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Healing {
    /// By a step, whenever people like.
    Step,
    /// By a step, after it has taken effect, which it does by itself within this many milliseconds.
    Held(u32),
    /// By a step, after which the part needs this many milliseconds until it is as it was.
    Settles(u32),
    /// By no step: the daemon's next start deals with it.
    Start,
}

/// What is said of a fault whatever it breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id, as scenarios and the catalogue write it.
    pub id: &'static str,
    /// How campaigns draw it.
    pub swarm: Share,
    /// How it is healed.
    pub healing: Healing,
    /// The argument with which the search has it among its letters, if it has.
    pub search: Option<&'static str>,
    /// A healthy table has it at times, and it must have no effect (faults.md, No false alarms).
    pub healthy: bool,
}

impl Entry {
    /// Its id with this argument.
    #[must_use]
    pub fn with(&self, argument: &str) -> String {
        if argument.is_empty() { self.id.to_owned() } else { format!("{}:{argument}", self.id) }
    }

    /// The steps that heal it under this name, its id with its argument; `None` if no step does.
    #[must_use]
    pub fn heal(&self, name: &str) -> Option<String> {
        match self.healing {
            Healing::Step => Some(format!("heal {name}")),
            Healing::Held(millis) => Some(format!("wait held {name} within {millis} ms; heal {name}")),
            Healing::Settles(millis) => Some(format!("heal {name}; pass {millis} ms")),
            Healing::Start => None,
        }
    }
}

/// A fault's row in its table.
#[derive(Clone, Copy, Debug)]
pub struct Row<F, P> {
    /// What is said of it whatever it breaks.
    pub entry: Entry,
    make: Constructor<F>,
    /// What it breaks.
    pub part: P,
}

impl<F: Copy, P: Copy> Row<F, P> {
    /// A row. Unless more is said of it, a step heals it, and neither the search nor a healthy table has it.
    #[must_use]
    pub const fn new(id: &'static str, make: Constructor<F>, part: P, swarm: Share) -> Self {
        Self { entry: Entry { id, swarm, healing: Healing::Step, search: None, healthy: false }, make, part }
    }

    /// It is healed like this.
    #[must_use]
    pub const fn heals(mut self, healing: Healing) -> Self {
        self.entry.healing = healing;
        self
    }

    /// The search has it among its letters, with this argument.
    #[must_use]
    pub const fn searched(mut self, argument: &'static str) -> Self {
        self.entry.search = Some(argument);
        self
    }

    /// A healthy table has it at times.
    #[must_use]
    pub const fn healthy(mut self) -> Self {
        self.entry.healthy = true;
        self
    }
}

impl<F: Copy + PartialEq, P> Row<F, P> {
    /// An example of its faults.
    #[must_use]
    pub fn example(&self) -> F {
        self.make.example()
    }
}

/// Faults that are declared in a table.
pub trait Declared: Copy + PartialEq + 'static {
    /// What a fault breaks.
    type Part: Copy + 'static;
    /// All of them.
    const TABLE: &'static [Row<Self, Self::Part>];

    /// What is declared under the id of this name.
    #[must_use]
    fn entry(name: &str) -> Option<&'static Entry> {
        let id = name.split(':').next();
        Self::TABLE.iter().map(|row| &row.entry).find(|entry| Some(entry.id) == id)
    }

    /// The row that a fault is named by: of several that make it, the first.
    #[must_use]
    fn row(self) -> Option<&'static Row<Self, Self::Part>> {
        Self::TABLE.iter().find(|row| row.make.argument_of(self, None).is_some())
    }

    /// Its name: its id with its argument. Areas are those of this layout.
    #[must_use]
    fn name(self, layout: Option<&Layout>) -> String {
        let named = |row: &Row<Self, Self::Part>| Some(row.entry.with(&row.make.argument_of(self, layout)?));
        Self::TABLE.iter().find_map(named).unwrap_or_else(|| "a fault that no table declares".into())
    }

    /// The fault with this name, its id with its argument. Areas are those of this layout.
    ///
    /// # Errors
    /// The id or the argument that is wrong, with the nearest one.
    fn named(name: &str, layout: Option<&Layout>) -> Result<Self, Wrong> {
        let (id, argument) = name.split_once(':').unwrap_or((name, ""));
        let Some(row) = Self::TABLE.iter().find(|row| row.entry.id == id) else {
            return Err(Wrong::unknown("fault", id, Self::TABLE.iter().map(|row| row.entry.id)));
        };
        row.make.with(argument, layout).ok_or_else(|| row.make.wrong(id, argument, layout))
    }
}
