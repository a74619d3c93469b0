//! Benches, which scenarios run on. A scenario uses only the trait [`Bench`], so that the same file runs on every bench.

pub mod any_fault;
pub mod bounded;
pub mod environment_fault;
pub mod file;
pub mod injection_check;
pub mod log;
mod mend;
pub mod observe;
pub mod process;
pub mod pure;
pub mod source;

pub use any_fault::AnyFault;
pub use environment_fault::EnvironmentFault;
use log::Log;
pub use source::BadFiles;
use tumbler_core::settings::{Parameters, Settings};
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::{Answer, Command, Witness};
pub use tumbler_twin::Wrong;
use tumbler_twin::{Act, Fault, Twin};

/// Site of the benches' own tables.
pub const SITE: &str = "rig";

/// Settings of a bench's own table with everything fitted. `lamp_dwell` in milliseconds: short, as nobody looks at these lamps.
fn settings(table: &str, rules: &str, layout: &str, lamp_dwell: u32) -> Settings {
    Settings {
        site: SITE.into(),
        table: table.into(),
        backend: "virtual".into(),
        rules: rules.into(),
        layout: layout.into(),
        reader: true,
        temperature: true,
        house: tumbler_core::settings::House::default(),
        parameters: Parameters { lamp_dwell, ..Parameters::default() },
    }
}

/// What a witness must confirm in an opening of a table with these settings (NZ 5).
#[must_use]
pub fn witnessed(reader: bool) -> Vec<Witness> {
    let mut items = vec![Witness::Areas, Witness::Seal, Witness::Bell, Witness::Sign];
    if !reader {
        items.push(Witness::Dice);
    }
    items
}

/// Why a bench could not do something. Never a verdict on the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BenchError {
    /// This bench has no means for it: the cell is reported NOT_EXECUTED with this reason.
    #[error("not on this bench: {0}")]
    Unsupported(String),
    /// The bench or the rig failed: the verdict is INVALID, and the run ends with exit code 2.
    #[error("the rig is at fault: {0}")]
    Rig(String),
    /// The table cannot be right, whatever is played on it: its rules are others than the texts'. The verdict is FAIL.
    #[error("the table is at fault: {0}")]
    Table(String),
}

impl From<tumbler_spec::BadConfig> for BenchError {
    fn from(bad: tumbler_spec::BadConfig) -> Self {
        Self::Table(format!("specification: {bad} [texts: every rule set]"))
    }
}

/// The role of the person at the console, by group membership.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Group `tumbler-supervisor`.
    #[default]
    Supervisor,
    /// Group `tumbler-manager`: a shift manager or above.
    Manager,
    /// Group `tumbler-tech`.
    Technician,
    /// None of the groups.
    Nobody,
}

impl Role {
    /// Who it is, as `as` names it in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Supervisor => "supervisor",
            Self::Manager => "manager",
            Self::Technician => "technician",
            Self::Nobody => "nobody",
        }
    }
}

/// The twin's physical truth at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Physical {
    /// The motor has power.
    pub motor_power: bool,
    /// The shaft turns.
    pub shaft_moves: bool,
    /// Thousandths of a tumble since the shaft's current or last motion began.
    pub milli_tumbles: i64,
    /// Uppermost faces of the dice.
    pub faces: [u8; 3],
    /// Whether each die lies flat.
    pub flat: [bool; 3],
    /// The dice are still moving.
    pub dice_move: bool,
    /// The dome is away.
    pub dome_up: bool,
    /// Lamps that shine: bit `i` of word `b` is output `i` of board `b`.
    pub shining: [u64; 2],
    /// What a person reads on the terminal's display, as in its register.
    pub display: u16,
    /// The sign "no games" is lit.
    pub sign: bool,
    /// The supply is there.
    pub supply: bool,
}

impl Physical {
    /// The truth of this twin at this moment.
    #[must_use]
    pub fn of(twin: &Twin, at: u64) -> Self {
        let (faces, flat) = twin.dice();
        Self {
            motor_power: twin.motor_power(),
            shaft_moves: twin.shaft_moves(),
            milli_tumbles: twin.milli_tumbles(at),
            faces,
            flat,
            dice_move: twin.dice_move(),
            dome_up: twin.dome_up(),
            shining: [twin.shining(0), twin.shining(1)],
            display: twin.display(),
            sign: twin.sign_lit(),
            supply: twin.supply(),
        }
    }
}

/// A bench: the table under test with the twin around it. Times are nanoseconds of table time, from the bench's start.
pub trait Bench {
    /// Current table time.
    fn now(&self) -> u64;

    /// Lets table time pass until there is something new (a record, an answer, a wire, a truth) or until `until`, whichever comes
    /// first. Must make progress: afterwards something is new, or `now()` has reached `until`.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn pass(&mut self, until: u64) -> Result<(), BenchError>;

    /// A person does something at the table.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn act(&mut self, act: Act) -> Result<(), BenchError>;

    /// Faces that the dice show from the next throw on; `None`: random.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn dictate(&mut self, faces: Option<[u8; 3]>) -> Result<(), BenchError>;

    /// Injects a fault into the twin.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn fault(&mut self, fault: Fault) -> Result<(), BenchError>;

    /// Heals it.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn heal(&mut self, fault: Fault) -> Result<(), BenchError>;

    /// Whether the fault has taken effect since the bench began.
    fn fault_took_effect(&mut self, fault: Fault) -> bool;

    /// Injects a fault into the daemon's environment.
    ///
    /// # Errors
    /// [`BenchError::Unsupported`] if this bench has no means for it; else [`BenchError`] of the bench.
    fn disturb(&mut self, fault: EnvironmentFault) -> Result<(), BenchError>;

    /// Heals it.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn restore(&mut self, fault: EnvironmentFault) -> Result<(), BenchError>;

    /// Whether the fault has taken effect since the bench began. Proved by the bench's own reading: a process state, a refused
    /// connection, a disk error, a capture.
    fn environment_fault_took_effect(&mut self, fault: EnvironmentFault) -> bool;

    /// The current physical truth.
    fn physical(&mut self) -> Physical;

    /// Gives a command on the console. Returns the number of its answer.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn ask(&mut self, role: Role, command: Command) -> Result<u64, BenchError>;

    /// The answer with this number, once it has come.
    fn answer(&mut self, request: u64) -> Option<Answer>;

    /// The table's snapshot; `None` while the daemon does not run.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn snapshot(&mut self) -> Result<Option<Snapshot>, BenchError>;

    /// Kills the daemon with SIGKILL: no more effects, and the pins keep their levels.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn kill(&mut self) -> Result<(), BenchError>;

    /// Asks the daemon to stop, as the service manager does, and waits until it has ended.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn stop(&mut self) -> Result<(), BenchError>;

    /// Starts the daemon again, within the same boot.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn start(&mut self) -> Result<(), BenchError>;

    /// The settings in the daemon's configuration, in effect from its next start.
    fn settings(&self) -> &Settings;

    /// Writes settings into the daemon's configuration, in effect from its next start. The twin stays as it was built.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn reconfigure(&mut self, settings: Settings) -> Result<(), BenchError>;

    /// `false` cuts the supply: `power_good` drops, and 25 ms later daemon, motor, lamps and terminal lose power, and everything
    /// that is not durable is lost; returns after that. `true` restores it: the daemon starts under a new boot id.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn power(&mut self, on: bool) -> Result<(), BenchError>;

    /// Whether the daemon's status says that it is connected to its broker; `None` while it does not run.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn broker_connected(&mut self) -> Result<Option<bool>, BenchError>;

    /// How the table's retained messages at the broker differ from the table, one line each; empty if they agree.
    ///
    /// # Errors
    /// [`BenchError::Unsupported`] if there is no broker; else [`BenchError`] of the bench.
    fn retained_differences(&mut self) -> Result<Vec<String>, BenchError>;

    /// Takes the broker down or brings it up.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn broker(&mut self, up: bool) -> Result<(), BenchError>;

    /// Grace added to every time limit, in nanoseconds: 0 under virtual time. In real time the machine's other work delays
    /// effects, so that order is asserted there, and times are only reported.
    fn grace(&self) -> u64;

    /// How late the rig or its machine was, if so late that a failure says nothing about the table; else `None`.
    fn lateness(&self) -> Option<String>;

    /// Everything seen so far.
    fn log(&self) -> &Log;

    /// The first violation that the judges found so far; `None` on benches whose judges see everything only at the end.
    fn first_violation(&self) -> Option<String>;

    /// The first situation that the judges' truth table does not cover: the verdict is INVALID then, because no rule decides it.
    fn unlisted(&self) -> Option<String>;

    /// The endings that the truth table allows for each round that ended, in order.
    fn allowed_endings(&self) -> Vec<tumbler_spec::AllowedEndings>;

    /// Ends the run: lets the table come to rest, then returns the judges' violations.
    ///
    /// # Errors
    /// [`BenchError`] of the bench.
    fn finish(&mut self) -> Result<Vec<String>, BenchError>;
}
