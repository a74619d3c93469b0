//! What is measured: each quantity with its unit, its limits and where they come from, and what to do about it.

use super::limits::Limits;
use crate::settings::Parameters;
use crate::wire::registers::terminal::ENTRY;
use serde::{Deserialize, Serialize};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// From motor on to the cam's first edge. At most `stall` (faults.md motor.stall); marginal above the 450 ms that are three
    /// quarter turns of a healthy tumbler, where at most one is needed.
    StartTime,
    /// Full tumbles of the spin. At least `target_tumbles` (NZ 6.1, SGV6 3.7 and one more).
    Tumbles,
    /// Mean period of a tumble under power, the first one left out for its start. At most `tumble_period`, which is 2.5
    /// times a healthy one; marginal above 1.5 times. At least half a healthy one, marginal below three quarters: faster is a
    /// cam that counts double, or a motor without its gear.
    PeriodMean,
    /// Shortest of these periods; limits as of the mean.
    PeriodLeast,
    /// Longest of these periods, also of one that a slow shaft did not end; limits as of the mean.
    PeriodGreatest,
    /// Longest of these periods less the shortest, in thousandths of the mean. At most 80: by then a shaft under power
    /// cannot be told from one that slows down without it, and the proof of the dead-man relay no longer holds. Marginal
    /// above 40, which is what motors of this kind differ by.
    PeriodSpread,
    /// From the last dead-man edge to the cam's last edge after it; none where the shaft stops before its next step. At most
    /// `deadman_drop` and `coast_limit` together (faults.md motor.coast); marginal above a quarter of `coast_limit` after the drop: a healthy shaft needs a tumble at most.
    CoastTime,
    /// Longest time from a cam edge to the last bounce after it. At most `flicker`, which is how long vibration breaks a
    /// contact; marginal above a third of it. A Hall sensor in order bounces some tenths of a millisecond.
    CamBounce,
    /// Most bounces after one edge of the cam. At most 8; marginal above the 2 of a sensor in order. Harmless to the count
    /// (faults.md cam.bounce), a sign of a loose sensor or magnet.
    CamBounces,
    /// Edges of a cam sensor that repeated its level: their partners were lost. None may be (faults.md cam.lost_edges).
    CamRepeats,
    /// Angle of the shaft between the two sensors' edges. 90 degrees (design.md, Wires), 45 either way: beyond, the order
    /// of the edges hangs on less than the sensors' own width; marginal beyond 25 either way.
    CamAngle,
    /// Greatest difference of one quarter's share between tumbles under power, in thousandths of a tumble. At most 80 and
    /// marginal above 40, as of the spread of periods: an even shaft with a firm magnet has less.
    CamJitter,
    /// Longest time for which neither of the dome's contacts was made. At most `dome_travel` (faults.md dome.*); marginal above
    /// five sixths of it: a hand lifts the dome past both contacts in less.
    DomeTravel,
    /// Longest time for which both were. At most `dome_debounce`, in which the table does not see it; marginal above half.
    DomeOverlap,
    /// Longest bounce of one contact in one movement. At most `dome_debounce`; marginal above three fifths of it, which are
    /// the 30 ms of faults.md dome.bounce.
    DomeBounce,
    /// Buttons, with the supervisor's key, that came on within 10 s of being asked for and went off again: a button within
    /// `button_stuck`, the key within 10 s. All 5.
    ButtonsPressed,
    /// Others that came on while what was asked for was off. At most 2, marginal above none: a person may slip, a button that
    /// is wired to another place is wrong each time.
    ButtonsWrong,
    /// Others that came on together with what was asked for. None may: no finger presses two, and a bridge between two wires does.
    ButtonsTogether,
    /// Longest time for which a button was pressed. At most `button_stuck` (faults.md button.stuck_*); marginal above two
    /// fifths of it.
    ButtonHold,
    /// Longest time from a contact's first edge to its last before a level lasts for `button_debounce`. At most that
    /// time, which is to keep bounce out; marginal above half: a contact in order bounces for up to 8 ms.
    ButtonBounce,
    /// Most breaks of a contact within that time. At most 8; marginal above the 4 of a contact in order. Harmless to what a
    /// press does, a sign of wear.
    ButtonBounces,
    /// Times at which a contact left its level for less than `button_debounce` and came back, of all together. At most 2,
    /// marginal above none (faults.md button.chatter_*): a contact in order has none.
    ButtonFlickers,
    /// Bad or missing answers on the field bus, in thousandths. At most 10; marginal above 1: a bus of a few metres within
    /// one table has none, and retries hide what there is.
    BusErrors,
    /// Mean time from a request to its answer. At most 25 ms, half of the 50 ms for which the master waits; marginal above
    /// 10 ms, the longest answer's time on the wire at 115,200 baud three times over.
    BusTurnaround,
    /// Longest of these times. At most the master's 50 ms; marginal above half.
    BusTurnaroundGreatest,
    /// Keys of the terminal that were pressed when asked for. All 7.
    KeysPressed,
    /// Other keys than the one asked for. At most 2, marginal above none: a person may slip, a key that is wired to another
    /// place is wrong each time.
    KeysWrong,
    /// Presses that were bounce. At most 4 (faults.md terminal.chatter has that many a press); marginal above 1 in 7 presses.
    KeyBounces,
    /// Longest time for which a key was held, to within a poll. At most `terminal_stuck`; marginal above two fifths of it.
    KeyHold,
    /// Areas through which no current flows although they are commanded on (faults.md lamp.open). None may be.
    LampsDark,
    /// Areas through which current flows although they are not (faults.md lamp.stuck_on). None may be.
    LampsUntold,
    /// Longest time until all areas of a result do as they are told. At most `lamp_verify`; marginal above half. Of a result of
    /// which an area does not, there is none: that area is dark or lit untold. Where that is so of each result, none is told.
    LampsTime,
    /// From the shaft's standstill until the reader finds the dice at rest. At most `settle_limit`; marginal above two
    /// fifths of it: dice come to rest within 1 s, and rest for `settle` before they count.
    SettleTime,
    /// Breaks of the seal's loop within the 2 s for which the test watches it, and not while a person looks at the seal. At
    /// most 2, marginal above none (faults.md seal.flicker is harmless, and a loop in order has none).
    SealBreaks,
    /// The motor's highest temperature of five readings, in thousandths of a degree Celsius. At most `temperature_limit`;
    /// marginal above 20 K less. A reset takes them after three good ones in a row.
    Temperature,
    /// The highest less the lowest of these readings. At most `temperature_jump`; marginal above a fifth of it.
    TemperatureSpread,
    /// Longest time between two of these readings. At most `temperature_stale`; marginal above half.
    TemperatureInterval,
}

/// A millisecond in microseconds.
const MS: i64 = 1000;

impl Quantity {
    /// The name in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::StartTime => "start time",
            Self::Tumbles => "tumbles",
            Self::PeriodMean => "period, mean",
            Self::PeriodLeast => "period, shortest",
            Self::PeriodGreatest => "period, longest",
            Self::PeriodSpread => "period, spread",
            Self::CoastTime => "coast time",
            Self::CamBounce => "bounce time",
            Self::CamBounces => "bounces an edge",
            Self::CamRepeats => "lost edges",
            Self::CamAngle => "sensor angle",
            Self::CamJitter => "edge jitter",
            Self::DomeTravel => "travel",
            Self::DomeOverlap => "both contacts",
            Self::DomeBounce => "contact bounce",
            Self::ButtonsPressed => "buttons pressed",
            Self::ButtonsWrong => "wrong buttons",
            Self::ButtonsTogether => "buttons together",
            Self::ButtonHold => "longest press",
            Self::ButtonBounce => "button bounce",
            Self::ButtonBounces => "bounces a press",
            Self::ButtonFlickers => "flickers",
            Self::BusErrors => "bad answers",
            Self::BusTurnaround => "turnaround, mean",
            Self::BusTurnaroundGreatest => "turnaround, longest",
            Self::KeysPressed => "keys pressed",
            Self::KeysWrong => "wrong keys",
            Self::KeyBounces => "key bounces",
            Self::KeyHold => "longest hold",
            Self::LampsDark => "dark areas",
            Self::LampsUntold => "areas lit untold",
            Self::LampsTime => "time to light",
            Self::SettleTime => "settle time",
            Self::SealBreaks => "breaks of the loop",
            Self::Temperature => "temperature",
            Self::TemperatureSpread => "temperature, spread",
            Self::TemperatureInterval => "between readings",
        }
    }

    /// The unit of its values.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::StartTime
            | Self::PeriodMean
            | Self::PeriodLeast
            | Self::PeriodGreatest
            | Self::CoastTime
            | Self::CamBounce
            | Self::DomeTravel
            | Self::DomeOverlap
            | Self::DomeBounce
            | Self::ButtonHold
            | Self::ButtonBounce
            | Self::BusTurnaround
            | Self::BusTurnaroundGreatest
            | Self::KeyHold
            | Self::LampsTime
            | Self::SettleTime
            | Self::TemperatureInterval => "us",
            Self::Temperature | Self::TemperatureSpread => "millicelsius",
            Self::ButtonsPressed | Self::ButtonsWrong | Self::ButtonsTogether => "buttons",
            Self::ButtonFlickers => "flickers",
            Self::KeysPressed | Self::KeysWrong => "keys",
            Self::KeyBounces => "presses",
            Self::LampsDark | Self::LampsUntold => "areas",
            Self::SealBreaks | Self::ButtonBounces => "breaks",
            Self::Tumbles => "tumbles",
            Self::PeriodSpread | Self::CamJitter | Self::BusErrors => "permille",
            Self::CamBounces | Self::CamRepeats => "edges",
            Self::CamAngle => "degrees",
        }
    }

    /// What it may be at a table with these parameters.
    #[must_use]
    pub fn limits(self, p: &Parameters) -> Limits {
        let of = |ms: u32| i64::from(ms) * MS;
        match self {
            Self::StartTime => Limits::at_most(of(p.stall), of(p.stall.min(450))),
            Self::Tumbles => Limits::at_least(i64::from(p.target_tumbles), i64::from(p.target_tumbles)),
            Self::PeriodMean | Self::PeriodLeast | Self::PeriodGreatest => {
                let period = of(p.tumble_period);
                Limits::at_most(period, period * 3 / 5).and(Limits::at_least(period / 5, period * 3 / 10))
            }
            Self::PeriodSpread | Self::CamJitter => Limits::at_most(80, 40),
            Self::CoastTime => {
                let (drop, coast) = (of(p.deadman_drop), of(p.coast_limit));
                Limits::at_most(drop + coast, drop + coast / 4)
            }
            Self::CamBounce => Limits::at_most(of(p.flicker), of(p.flicker) / 3),
            Self::CamBounces => Limits::at_most(8, 2),
            Self::CamRepeats | Self::ButtonsTogether | Self::LampsDark | Self::LampsUntold => Limits::at_most(0, 0),
            Self::DomeTravel => Limits::at_most(of(p.dome_travel), of(p.dome_travel) * 5 / 6),
            Self::DomeOverlap => Limits::at_most(of(p.dome_debounce), of(p.dome_debounce) / 2),
            Self::DomeBounce => Limits::at_most(of(p.dome_debounce), of(p.dome_debounce) * 3 / 5),
            Self::ButtonsPressed => Limits::at_least(5, 5),
            Self::ButtonHold => Limits::at_most(of(p.button_stuck), of(p.button_stuck) * 2 / 5),
            Self::ButtonBounce => Limits::at_most(of(p.button_debounce), of(p.button_debounce) / 2),
            Self::ButtonBounces => Limits::at_most(8, 4),
            Self::BusErrors => Limits::at_most(10, 1),
            Self::BusTurnaround => Limits::at_most(25 * MS, 10 * MS),
            Self::BusTurnaroundGreatest => Limits::at_most(50 * MS, 25 * MS),
            Self::KeysPressed => Limits::at_least(i64::from(ENTRY), i64::from(ENTRY)),
            Self::KeysWrong | Self::ButtonsWrong | Self::ButtonFlickers | Self::SealBreaks => Limits::at_most(2, 0),
            Self::KeyBounces => Limits::at_most(4, 1),
            Self::KeyHold => Limits::at_most(of(p.terminal_stuck), of(p.terminal_stuck) * 2 / 5),
            Self::LampsTime => Limits::at_most(of(p.lamp_verify), of(p.lamp_verify) / 2),
            Self::SettleTime => Limits::at_most(of(p.settle_limit), of(p.settle_limit) * 2 / 5),
            Self::Temperature => Limits::at_most(of(p.temperature_limit), of(p.temperature_limit.saturating_sub(20))),
            Self::TemperatureSpread => Limits::at_most(of(p.temperature_jump), of(p.temperature_jump) / 5),
            Self::TemperatureInterval => Limits::at_most(of(p.temperature_stale), of(p.temperature_stale) / 2),
            Self::CamAngle => Limits::at_most(135, 115).and(Limits::at_least(45, 65)),
        }
    }

    /// What a person does about a value that is marginal or out of limits.
    #[must_use]
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::StartTime => {
                "Turn the shaft by hand with motor power off: if it binds, clean and oil its bearings; if it turns freely, check the motor's brushes and supply voltage."
            }
            Self::Tumbles => {
                "Mend what was found; where nothing was, look for what ended the spin: dome, seal, supply, motor driver. Then repeat the test."
            }
            Self::PeriodMean | Self::PeriodLeast | Self::PeriodGreatest => {
                "Slow: measure the motor's supply under load, oil the bearings, look for what rubs. Fast: check the motor's gear, and that each cam sensor sees one magnet a turn."
            }
            Self::PeriodSpread => {
                "Look for a belt that slips, a gear with a broken tooth, or something that rubs once a turn."
            }
            Self::CoastTime => {
                "Check the brake or the gear's friction, and that the dead-man relay drops: replace what is worn."
            }
            Self::CamBounce | Self::CamBounces => {
                "Fasten the cam sensor and its magnet (1 mm gap), check the connector and the cable's screen, then replace the sensor."
            }
            Self::CamRepeats => "Check the cam sensor's cable and the input board: edges are lost on their way.",
            Self::CamAngle => "Set the two cam sensors 90 degrees apart again and fasten them.",
            Self::CamJitter => "Fasten the cam on the shaft, and look for play in the bearings.",
            Self::DomeTravel | Self::DomeOverlap => {
                "Lift and lay the dome in one movement and repeat; then set the two contacts so that one breaks before the other makes."
            }
            Self::DomeBounce => "Clean or replace the dome's contact, and fasten its bracket.",
            Self::ButtonsPressed | Self::ButtonsWrong => {
                "Press each as asked and repeat; one that stays away, or comes on for another, means its contact, its cable or crossed wires."
            }
            Self::ButtonsTogether => {
                "Look for a bridge between the wires of the two, and for a button that another one pushes."
            }
            Self::ButtonHold => "Press shortly and repeat; free a button that sticks, and check its cable for a short.",
            Self::ButtonBounce | Self::ButtonBounces => "Clean or replace the contact that bounces.",
            Self::ButtonFlickers => "Check the contact and cable of the button that flickers, then replace it.",
            Self::BusErrors => {
                "Check the bus cable's shield, its two terminating resistors and all connectors; then take one unit after another off."
            }
            Self::BusTurnaround | Self::BusTurnaroundGreatest => {
                "Look for a unit with other firmware or another speed, and for load on the controller."
            }
            Self::KeysPressed | Self::KeysWrong => {
                "Press each key as asked and repeat; a key that does nothing, or another's work, means a new keypad or cable."
            }
            Self::KeyBounces => "Clean the keypad; replace it when the bounces stay.",
            Self::KeyHold => "Press shortly and repeat; free a key that sticks.",
            Self::LampsDark => {
                "Replace the lamps of the areas that stay dark, then check their wires and the board's output."
            }
            Self::LampsUntold => "Look for a short at the areas that are lit untold, then replace the lamp board.",
            Self::LampsTime => "Check the lamps' supply and the lamp boards' cables.",
            Self::SettleTime => {
                "Clean the reader's window and the platform, look for what shakes the table, then replace the reader."
            }
            Self::SealBreaks => "Fasten the seal's contact and its cable; the supervisor seals the compartment again.",
            Self::Temperature => "Let the motor cool, check its bearings and what it drives, then measure again.",
            Self::TemperatureSpread | Self::TemperatureInterval => {
                "Check the temperature sensor's cable and connector."
            }
        }
    }
}
