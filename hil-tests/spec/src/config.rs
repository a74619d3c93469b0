//! What the judges are told about the table that they watch: rule set, layout, lamps, limits, and how exactly the rig can see it.

use crate::areas::{Area, Family, LAYOUTS, Layout, faces, sorted};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The table as it is set up, and how exactly the rig can see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Rule set in force for new rounds.
    pub rules: String,
    /// Layout in force for new rounds.
    pub layout: String,
    /// Whether a dice reader is fitted.
    pub reader: bool,
    /// Area ids in the order of the lamps: lamp `i` is output `i % 64` of board `i / 64`. For every layout that the run uses.
    pub lamps: Vec<LampOrder>,
    /// Root of the table's topics, such as `taisai/site/table`; empty where no broker is watched.
    pub topics: String,
    /// Whether commands on the console are observed.
    pub sees_commands: bool,
    /// Whether the trace begins before the journal's first start. Otherwise judges learn from the first keyframe, or assume an
    /// open table.
    pub from_commissioning: bool,
    /// Longest time, in ns, from an edge on the wires to the reaction of the table. 0: in the same step, before anything later is
    /// seen.
    pub reaction_ns: u64,
    /// Whether anything may break at any moment, several parts at once. How such a round had to end cannot always be told from
    /// outside: where the journal was broken in a round, the judge `truth` only counts it.
    pub free_play: bool,
    /// Whether every observation arrives at its own moment. Elsewhere only those sections speak that do not need it, and the judges
    /// stand in for the others.
    pub exact: bool,
    /// Limits, as the table is configured.
    pub limits: Limits,
}

/// Times in ns, as in the table's parameters of the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Motor power is gone this long after the last dead-man edge (design.md, Dead-man line: 100 ms).
    pub deadman_ns: u64,
    /// If a guard line comes back sooner, the same spin goes on (design.md, Motor guard: 3 ms).
    pub flicker_ns: u64,
    /// An output whose readback differs from what was driven is driven to its safe level after this long.
    pub readback_ns: u64,
    /// Debounce time of the dome's contacts.
    pub dome_debounce_ns: u64,
    /// Debounce time of the buttons and the key.
    pub button_debounce_ns: u64,
    /// The shaft stands still once the cam has made no progress for this long with the motor off.
    pub standstill_ns: u64,
    /// A key privilege lasts this long.
    pub key_privilege_ns: u64,
    /// Longest time from the result, with all retries, until the lamps are verified or latched.
    pub lamps_verdict_ns: u64,
    /// Longest time from a latch, the end of the round or the start of the daemon until the sign is lit.
    pub sign_ns: u64,
    /// Longest time that a person has for his part in a test.
    pub person_ns: u64,
    /// Longest time from the end of the process until the broker publishes its will: twice the keep-alive.
    pub will_ns: u64,
}

const MS: u64 = 1_000_000;

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadman_ns: 100 * MS,
            flicker_ns: 3 * MS,
            readback_ns: 100 * MS,
            dome_debounce_ns: 50 * MS,
            button_debounce_ns: 20 * MS,
            standstill_ns: 300 * MS,
            key_privilege_ns: 300_000 * MS,
            lamps_verdict_ns: 2_000 * MS,
            sign_ns: 1_000 * MS,
            person_ns: 120_000 * MS,
            will_ns: 60_000 * MS,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            rules: String::new(),
            layout: String::new(),
            reader: true,
            lamps: Vec::new(),
            topics: String::new(),
            sees_commands: true,
            from_commissioning: true,
            reaction_ns: 0,
            free_play: false,
            exact: false,
            limits: Limits::default(),
        }
    }
}

/// The lamps of one layout, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LampOrder {
    /// The layout.
    pub layout: String,
    /// Area ids; the position is the lamp's number.
    pub areas: Vec<String>,
}

/// A configuration that judges cannot work with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadConfig {
    /// No such rule set.
    #[error("rules: `{0}` is no rule set")]
    Rules(String),
    /// No such layout, or not one of the rule set.
    #[error("layout: `{layout}` is no layout of `{rules}`")]
    Layout {
        /// The layout.
        layout: String,
        /// The rule set.
        rules: String,
    },
    /// The areas that are wired to the lamps are not those of the layout.
    #[error("lamps: `{layout}` {problem}; the pay table is the one that judges read")]
    Lamps {
        /// The layout.
        layout: String,
        /// What differs.
        problem: String,
    },
}

/// When a rule set has the dice tumbled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Under the dome, before "Place your bets" (NZ98 and NZ9 6.1).
    BeforeBets,
    /// Under the dome, after "Place your bets" (SGV6 1.7, 3.2, 3.7).
    DuringBets,
    /// In sight, after "No more bets" (SGOC 3.6, 3.7, 5.5.3; SGOC-early 3.2, 3.4).
    AfterBets,
}

/// A rule set: the order of play and the clauses depend on it. What differs between rule sets is asked here, by a `match` that
/// the compiler holds to be complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// New Zealand 1998.
    Nz1998,
    /// New Zealand Division 9, later edition.
    NzDiv9,
    /// Singapore Version 6.
    SgV6,
    /// Singapore Open Cover.
    SgOpen,
    /// Singapore Open Cover, earlier edition.
    SgOpenEarly,
}

impl Rules {
    /// All five.
    pub const ALL: [Self; 5] = [Self::Nz1998, Self::NzDiv9, Self::SgV6, Self::SgOpen, Self::SgOpenEarly];

    /// The id that the product uses everywhere.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Nz1998 => "nz-1998",
            Self::NzDiv9 => "nz-div9",
            Self::SgV6 => "sg-v6",
            Self::SgOpen => "sg-open",
            Self::SgOpenEarly => "sg-open-early",
        }
    }
    /// The rule set with this id.
    #[must_use]
    pub fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rules| rules.id() == id)
    }
    /// The name by which its text is cited.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Nz1998 => "NZ98",
            Self::NzDiv9 => "NZ9",
            Self::SgV6 => "SGV6",
            Self::SgOpen => "SGOC",
            Self::SgOpenEarly => "SGOC-early",
        }
    }
    /// When the dice are tumbled.
    #[must_use]
    pub const fn order(self) -> Order {
        match self {
            Self::Nz1998 | Self::NzDiv9 => Order::BeforeBets,
            Self::SgV6 => Order::DuringBets,
            Self::SgOpen | Self::SgOpenEarly => Order::AfterBets,
        }
    }
    /// Whether a dome covers the dice.
    #[must_use]
    pub const fn covered(self) -> bool {
        !matches!(self.order(), Order::AfterBets)
    }
    /// The clause that voids a round whose dice were exposed; none where they lie in sight.
    pub(crate) const fn exposed(self) -> Option<&'static str> {
        match self {
            Self::Nz1998 | Self::NzDiv9 => Some("7.1(c)"),
            Self::SgV6 => Some("5.5.3"),
            Self::SgOpen | Self::SgOpenEarly => None,
        }
    }
    /// Who decides what no clause decides.
    pub(crate) const fn decides(self) -> Decides {
        match self {
            Self::Nz1998 | Self::NzDiv9 => Decides::Supervisor,
            Self::SgV6 | Self::SgOpen => Decides::Manager,
            Self::SgOpenEarly => Decides::Unsaid,
        }
    }
    /// Whether these are New Zealand's.
    pub(crate) const fn is_new_zealand(self) -> bool {
        matches!(self.family(), Family::NewZealand)
    }
    /// Which country's rules these are.
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            Self::Nz1998 | Self::NzDiv9 => Family::NewZealand,
            Self::SgV6 | Self::SgOpen | Self::SgOpenEarly => Family::Singapore,
        }
    }
}

/// Who decides what no clause of a rule set decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decides {
    /// The supervisor (NZ98 and NZ9 7.2 to 7.4).
    Supervisor,
    /// The shift manager or above (SGV6 and SGOC 5.14).
    Manager,
    /// The text does not say.
    Unsaid,
}

/// Winning lamps of one layout for every result.
#[derive(Clone, Debug)]
pub(crate) struct Board {
    pub(crate) layout: Layout,
    /// All lamps of the layout.
    pub(crate) all: [u64; 2],
    winning: Vec<[u64; 2]>,
}

fn place([a, b, c]: [u8; 3]) -> usize {
    (usize::from(a) * 7 + usize::from(b)) * 7 + usize::from(c)
}

impl Board {
    fn new(order: &LampOrder) -> Result<Self, BadConfig> {
        let bad = |problem: String| BadConfig::Lamps { layout: order.layout.clone(), problem };
        let layout = Layout::named(&order.layout).ok_or_else(|| bad("is no layout".into()))?;
        let mut lamps: Vec<Area> = Vec::with_capacity(order.areas.len());
        for id in &order.areas {
            lamps.push(id.parse().map_err(|e: crate::areas::NoArea| bad(e.to_string()))?);
        }
        let (mine, theirs): (BTreeSet<Area>, BTreeSet<Area>) =
            (layout.areas().into_iter().collect(), lamps.iter().copied().collect());
        if let Some(area) = mine.symmetric_difference(&theirs).next() {
            let which = if mine.contains(area) { "lacks" } else { "has, and should not have," };
            return Err(bad(format!("{which} `{area}`")));
        }
        if lamps.len() != mine.len() {
            return Err(bad("names an area twice".into()));
        }
        let mask = |lit: &dyn Fn(Area) -> bool| {
            let mut boards = [0_u64; 2];
            for (lamp, area) in lamps.iter().enumerate().filter(|(_, area)| lit(**area)) {
                let _ = area;
                if let Some(board) = boards.get_mut(lamp / 64) {
                    *board |= 1 << (lamp % 64);
                }
            }
            boards
        };
        let mut winning = vec![[0; 2]; 7 * 7 * 7];
        for a in 1..=6 {
            for b in a..=6 {
                for c in b..=6 {
                    if let Some(to) = winning.get_mut(place([a, b, c])) {
                        *to = mask(&|area| area.wins([a, b, c]));
                    }
                }
            }
        }
        Ok(Self { layout, all: mask(&|_| true), winning })
    }

    /// The lamps that these dice light; none if these are not three dice.
    pub(crate) fn lit(&self, dice: [u8; 3]) -> [u64; 2] {
        if !faces(dice) {
            return [0; 2];
        }
        self.winning.get(place(sorted(dice))).copied().unwrap_or_default()
    }
}

/// A configuration that was checked.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    pub(crate) rules: Rules,
    pub(crate) boards: Vec<Board>,
    pub(crate) given: Config,
}

impl Checked {
    pub(crate) fn new(given: Config) -> Result<Self, BadConfig> {
        let rules = Rules::named(&given.rules).ok_or_else(|| BadConfig::Rules(given.rules.clone()))?;
        if !LAYOUTS.iter().any(|layout| layout.id == given.layout && layout.rules == given.rules) {
            return Err(BadConfig::Layout { layout: given.layout.clone(), rules: given.rules.clone() });
        }
        let boards = given.lamps.iter().map(Board::new).collect::<Result<_, _>>()?;
        Ok(Self { rules, boards, given })
    }

    /// The lamps of this layout, if the rig gave their order.
    pub(crate) fn board(&self, layout: &str) -> Option<&Board> {
        self.boards.iter().find(|board| board.layout.id == layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(layout: &str) -> LampOrder {
        let areas = Layout::named(layout).unwrap().areas().iter().map(Area::to_string).collect();
        LampOrder { layout: layout.into(), areas }
    }

    #[test]
    fn a_wrong_configuration_is_named() {
        let config =
            |rules: &str, layout: &str| Config { rules: rules.into(), layout: layout.into(), ..Config::default() };
        assert!(Checked::new(config("sg-v6", "sg-v6-3")).is_ok());
        assert_eq!(Checked::new(config("sg-v7", "sg-v6-3")).unwrap_err(), BadConfig::Rules("sg-v7".into()));
        assert!(matches!(Checked::new(config("sg-v6", "nz-1998")), Err(BadConfig::Layout { .. })));
    }

    #[test]
    fn lamps_must_be_those_of_the_pay_table() {
        assert!(Board::new(&order("sg-v6-2")).is_ok());
        let mut lacking = order("sg-v6-2");
        lacking.areas.pop();
        assert!(Board::new(&lacking).unwrap_err().to_string().contains("lacks"));
        let mut foreign = order("sg-v6-2");
        foreign.areas.push("combo-1-1-2".into());
        assert!(Board::new(&foreign).unwrap_err().to_string().contains("combo-1-1-2"));
        let mut twice = order("sg-v6-2");
        twice.areas.push("small".into());
        assert!(Board::new(&twice).unwrap_err().to_string().contains("twice"));
    }

    #[test]
    fn a_result_lights_as_many_lamps_as_areas_win() {
        let board = Board::new(&order("nz-div9-2")).unwrap();
        let [first, second] = board.lit([5, 3, 4]);
        assert_eq!(first.count_ones() + second.count_ones(), 12);
        assert_eq!(board.lit([0, 1, 2]), [0, 0]);
    }
}
