//! Benches: what a scenario runs on. A scenario sees nothing but this trait, so that the same file runs on all of them.

pub mod environment_fault;
pub mod file;
pub mod injection_check;
pub mod log;
pub mod observe;
pub mod process;
pub mod pure;

pub use environment_fault::EnvironmentFault;
use log::Log;
use tumbler_core::settings::{Parameters, Settings};
use tumbler_core::snapshot::Snapshot;
use tumbler_core::wire::console::{Answer, Command, Witness};
use tumbler_twin::{Act, Fault, Twin};

/// Site of the benches' own tables.
pub const SITE: &str = "rig";

/// Settings of a bench's own table with everything fitted. `lamp_dwell`, in milliseconds: nobody looks at these lamps.
fn settings(table: &str, rules: &str, layout: &str, lamp_dwell: u32) -> Settings {
    Settings {
        site: SITE.into(),
        table: table.into(),
        backend: "virtual".into(),
        rules: rules.into(),
        layout: layout.into(),
        reader: true,
        temperature: true,
        parameters: Parameters { lamp_dwell, ..Parameters::default() },
    }
}

/// What only a person can see in an opening, on a table with such settings (NZ 5).
#[must_use]
pub fn witnessed(reader: bool) -> Vec<Witness> {
    let mut items = vec![Witness::Areas, Witness::Seal, Witness::Bell, Witness::Sign];
    if !reader {
        items.push(Witness::Dice);
    }
    items
}

/// Why a bench did not do what was asked. Never a verdict on the table.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    /// This bench cannot do that; the cell is reported NOT_EXECUTED with this reason.
    #[error("not on this bench: {0}")]
    NotHere(String),
    /// The bench or the rig is at fault; the verdict is INVALID and the run ends with exit code 2.
    #[error("the rig is at fault: {0}")]
    Rig(String),
}

/// In which groups the person at the console is.
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

/// The physical truth at a moment, as the twin knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Physical {
    /// The motor has power.
    pub motor_power: bool,
    /// The shaft turns.
    pub shaft_moves: bool,
    /// Thousandths of a tumble since the shaft's present or last motion began.
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
    /// Table time now.
    fn now(&self) -> u64;

    /// Lets table time pass until something new was seen (a record, an answer, a wire, a truth) or until `until`,
    /// whichever comes first. Must make progress: after it, something is new or `now()` has reached `until`.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn pass(&mut self, until: u64) -> Result<(), Trouble>;

    /// A person does something at the table.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn act(&mut self, act: Act) -> Result<(), Trouble>;

    /// From the next throw on the dice show these faces; `None`: whatever falls.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn dictate(&mut self, faces: Option<[u8; 3]>) -> Result<(), Trouble>;

    /// Breaks something.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn fault(&mut self, fault: Fault) -> Result<(), Trouble>;

    /// Mends it again.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn heal(&mut self, fault: Fault) -> Result<(), Trouble>;

    /// Whether the fault has shown since the bench began.
    fn took_hold(&mut self, fault: Fault) -> bool;

    /// Breaks something around the daemon.
    ///
    /// # Errors
    /// [`Trouble::NotHere`] where this bench has no means for it; else [`Trouble`] of the bench.
    fn disturb(&mut self, fault: EnvironmentFault) -> Result<(), Trouble>;

    /// Mends it again.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn restore(&mut self, fault: EnvironmentFault) -> Result<(), Trouble>;

    /// Whether the disturbance has shown since the bench began, by a reading of its own: a process state, a refused
    /// connection, an error of the disk, a capture.
    fn disturbed(&mut self, fault: EnvironmentFault) -> bool;

    /// The physical truth now.
    fn physical(&mut self) -> Physical;

    /// Gives a command on the console; the number is that of the answer to come.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn ask(&mut self, role: Role, command: Command) -> Result<u64, Trouble>;

    /// The answer to a command, once there is one.
    fn answer(&mut self, request: u64) -> Option<Answer>;

    /// The table as it says that it is; `None` while the daemon does not run.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn snapshot(&mut self) -> Result<Option<Snapshot>, Trouble>;

    /// Kills the daemon with SIGKILL: no more effects, the pins stay as they are.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn kill(&mut self) -> Result<(), Trouble>;

    /// Asks the daemon to stop, as the service manager does, and waits until it has ended.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn stop(&mut self) -> Result<(), Trouble>;

    /// Starts the daemon again, within the same boot.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn start(&mut self) -> Result<(), Trouble>;

    /// What the daemon finds in its configuration at its next start.
    fn settings(&self) -> &Settings;

    /// Writes other settings into the daemon's configuration: they count from its next start. The table itself stays as
    /// it was built.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn reconfigure(&mut self, settings: Settings) -> Result<(), Trouble>;

    /// Cuts the supply (`false`): `power_good` drops, and 25 ms later daemon, motor, lamps and terminal are gone with
    /// everything that was not on stable storage; returns after that. `true`: the supply comes back and the daemon starts under a new boot id.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn power(&mut self, on: bool) -> Result<(), Trouble>;

    /// Whether the daemon says on its console that its broker answers; `None` while it does not run.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn linked(&mut self) -> Result<Option<bool>, Trouble>;

    /// What the broker keeps of the table and is not as the table is, one line each: none is as it must be.
    ///
    /// # Errors
    /// [`Trouble::NotHere`] where there is no broker; else [`Trouble`] of the bench.
    fn retained(&mut self) -> Result<Vec<String>, Trouble>;

    /// Takes the broker down or brings it up.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn broker(&mut self, up: bool) -> Result<(), Trouble>;

    /// What is granted to every limit of a wait, in nanoseconds: none under virtual time. In real time the machine's
    /// other work lies between a cause and its effect, so that order is asserted there, and times are reported.
    fn grace(&self) -> u64;

    /// Why what went wrong says nothing of the table: the rig or its machine was late. `None` under virtual time.
    fn late(&self) -> Option<String>;

    /// Everything seen so far.
    fn log(&self) -> &Log;

    /// What the judges found first, so far; benches whose judges see everything only later tell it at the end.
    fn found(&self) -> Option<String>;

    /// A situation that the judges' truth table does not hold: the verdict is INVALID then, for nobody knows right from wrong.
    fn unlisted(&self) -> Option<String>;

    /// What the truth table admits for each round that ended, in their order.
    fn allowed_endings(&self) -> Vec<tumbler_judges::AllowedEndings>;

    /// Ends the run: lets the table come to rest, then returns what the judges found.
    ///
    /// # Errors
    /// [`Trouble`] of the bench.
    fn finish(&mut self) -> Result<Vec<String>, Trouble>;
}
