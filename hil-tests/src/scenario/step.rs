//! The steps of a scenario, one line of words each: what people do, what breaks, what is waited for, what is expected.

use tumbler_bench::Role;
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::wire::console::{Command, Exit};

/// How far a round is played, in the order of the rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The dome is on the dice (covered rule sets; elsewhere nothing).
    Covered,
    /// "Place your bets" was called.
    Betting,
    /// The tumbler turns.
    Spinning,
    /// The tumbler and the dice are at rest again.
    Spun,
    /// "No more bets" was called.
    BetsClosed,
    /// The dice may be seen and the outcome is established.
    Revealed,
    /// What the dice show is entered, and the lamps are verified.
    Entered,
    /// The dealer keyed "all paid".
    Settled,
}

impl Stage {
    /// All stages with their words.
    pub const ALL: [(&'static str, Self); 8] = [
        ("covered", Self::Covered),
        ("betting", Self::Betting),
        ("spinning", Self::Spinning),
        ("spun", Self::Spun),
        ("bets-closed", Self::BetsClosed),
        ("revealed", Self::Revealed),
        ("entered", Self::Entered),
        ("settled", Self::Settled),
    ];
}

/// A record to be looked for: its kind, and fields of its payload with their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Kind, as in the journal.
    pub kind: String,
    /// Fields and values; a value matches as text.
    pub fields: Vec<(String, String)>,
}

/// What the table does about a fault, as far as its promptness is asserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The motor loses its power, in truth.
    MotorOff,
    /// A malfunction with this code is latched.
    Latched(String),
    /// The round is void.
    Voided,
}

/// The physical event that a reaction is reckoned from: the latest such event before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The latest `fault` of the scenario, or what people did right after `mark`.
    Fault,
    /// An edge of the cam at the daemon's wires, or the motor's getting power.
    Cam,
    /// The second edge of the cam since the scenario's `mark`.
    SecondEdge,
    /// The dice came to rest.
    Rest,
    /// The terminal's entry key was pressed.
    Entry,
    /// The motor got power.
    Spin,
}

impl Cause {
    /// All causes with their words.
    pub const ALL: [(&'static str, Self); 6] = [
        ("fault", Self::Fault),
        ("cam", Self::Cam),
        ("second-edge", Self::SecondEdge),
        ("rest", Self::Rest),
        ("entry", Self::Entry),
        ("spin", Self::Spin),
    ];
}

/// What is waited for or expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// The first such reaction since the last `mark` came at most so many milliseconds after its cause.
    InTime(Reaction, u64, Cause),
    /// The table says that it is in this phase.
    Phase(String),
    /// A record, after the last one that was looked for.
    Record(Pattern),
    /// No such record since the last `mark`.
    NoRecord(Pattern),
    /// A malfunction with this code is latched.
    Latched(String),
    /// Nothing is latched.
    NothingLatched,
    /// The motor has power in truth, or not.
    Motor(bool),
    /// The shaft turns in truth, or not.
    Shaft(bool),
    /// The dice lie still in truth.
    DiceRest,
    /// The shaft has turned so far since it began: thousandths of a tumble, from and to.
    Tumbles(i64, i64),
    /// The lamps that shine are the ones that these dice light; all dark without dice.
    Lit(Option<[u8; 3]>),
    /// A person reads this on the terminal's display; digits, E, or - for blank.
    Display(String),
    /// The bell has sounded so often since the last `mark`.
    Bells(u32),
    /// The sign "no games" is lit, or dark.
    Sign(bool),
    /// Motor power went away 100 ms after the last dead-man edge, no sooner by command and no later.
    Deadman,
    /// The broker acknowledged everything that is durable.
    Relayed,
    /// The daemon says that its broker answers, or not.
    Linked(bool),
    /// The table's `status` at the broker says that it is there, or not.
    Online(bool),
    /// What the broker keeps of the table is as the table is.
    Retained,
    /// What this id breaks has shown, by a reading of the bench's own.
    Held(String),
    /// The daemon runs, or not.
    Daemon(bool),
    /// No device's test is in progress.
    NoTest,
}

/// Other settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Those that the table had at the beginning.
    Own,
    /// A layout, with its rule set.
    Layout(String),
    /// The value of a parameter.
    Parameter(String, u32),
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Carry out the opening tests with everything right.
    Open,
    /// Play on to this stage, in the order of the rule set; after the end of a round, the next one.
    PlayTo(Stage),
    /// Play on to the moment before the dealer presses "tumble".
    UpToSpin,
    /// The people at the table go on as they do: open a closed table, play the round to its end. They stop where the
    /// table blocks or refuses.
    GoOn,
    /// Say at which stage the round is, after it was played by hand.
    At(Stage),
    /// Press a button.
    Press(InLine, u32),
    /// Press and hold.
    Hold(InLine),
    /// Let go.
    LetGo(InLine),
    /// Take the dome away.
    LiftDome,
    /// Put it back.
    LowerDome,
    /// Keys of the terminal, 7 is entry.
    Keys(Vec<u8>),
    /// Key what the dice show, and entry.
    EnterDice,
    /// Losers are collected and winners paid, which takes people the time after which "all paid" counts.
    Collect,
    /// Turn the shaft by hand.
    TurnShaft(i32),
    /// Break the seal's loop.
    BreakSeal,
    /// Make it whole.
    MendSeal,
    /// A die is laid by hand: which, face, flat.
    MoveDie(u8, u8, bool),
    /// The supply dips.
    Dip,
    /// A line's level is told once more: its partner edge was lost.
    LoseEdge(InLine),
    /// Change the settings that count from the daemon's next start.
    Settings(Change),
    /// Break something.
    Fault(String),
    /// Mend it.
    Heal(String),
    /// The dice show this from the next throw on; `None`: whatever falls.
    Dice(Option<[u8; 3]>),
    /// Let time pass, in milliseconds.
    Pass(u64),
    /// Wait until something is so.
    Wait(Check, u64),
    /// Something must be so now, by this clause.
    Expect(Check, String),
    /// Give a command.
    Ask(Box<Command>),
    /// Wait for the answer: done or refused, and a word in it.
    Answer(bool, String),
    /// Change who stands at the console.
    As(Role),
    /// Look for records, bells and refusals only from here on.
    Mark,
    /// SIGKILL.
    Kill,
    /// Start the daemon again.
    Start,
    /// Stop it as the service manager does.
    Stop,
    /// Cut the supply, or bring it back.
    Power(bool),
    /// Take the broker down, or bring it up.
    Broker(bool),
    /// Try every way to start a game under this latch; `true`: those too that restart the daemon or close the table.
    Prove(Code, bool),
    /// While the condition lasts, no exit opens the latch.
    ProveShut(Code),
    /// The exit opens the latch, recorded with a name, for nobody but a supervisor with the key.
    ProveOpens(Code, Exit),
    /// A step that may come to nothing: what it waits for may not come, what it breaks may not show, what it starts may run already.
    Try(Box<Step>),
    /// Mend everything that is broken, held or off.
    HealAll,
    /// Mend everything, and bring the table back to play by the lawful exits.
    Recover,
}

/// Not a step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {problem}; allowed is {allowed}")]
pub struct BadStep {
    /// The step as written.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
    /// What is allowed.
    pub allowed: String,
}
