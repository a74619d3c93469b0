//! The steps of a scenario, each one line of words: acts of people, faults, waits and expectations.

use tumbler_bench::{AnyFault, Role};
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::prompt::PromptId;
use tumbler_core::record::Kind;
use tumbler_core::snapshot::Phase;
use tumbler_core::wire::console::{Command, Exit};

/// How far a round is played, in the order of the rule set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The dome is over the dice (covered rule sets only).
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

    /// Its word.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, stage)| *stage == self).map_or("", |(name, _)| name)
    }

    /// What has been done then, for people; in Markdown.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Covered => "The dome is over the dice; nothing under Open Cover",
            Self::Betting => "\"Place your bets\" was called",
            Self::Spinning => "The tumbler turns",
            Self::Spun => "Tumbler and dice are at rest again",
            Self::BetsClosed => "\"No more bets\" was called; where the dice are covered, the dome is still on",
            Self::Revealed => "The dice may be seen, and the outcome is established",
            Self::Entered => {
                "What the dice show was entered, and the lamps are verified. Where they cannot be (`lamps` latched, or a procedure in \
                 their place), use `go on`, or play by hand: `enter dice`, `collect and pay`, `key entry`"
            }
            Self::Settled => "\"All paid\" was keyed",
        }
    }
}

/// A pattern for a record: its kind, and fields of its payload with their values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Kind, as in the journal.
    pub kind: Kind,
    /// Fields and values; a value matches as text.
    pub fields: Vec<(String, String)>,
}

/// A fault by the name that a scenario gives it, on a table with the scenario's layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFault {
    /// Its id with its argument.
    pub name: String,
    /// What breaks.
    pub fault: AnyFault,
}

/// A reaction of the table that has a deadline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The motor really loses its power.
    MotorOff,
    /// A malfunction with this code is latched.
    Latched(Code),
    /// The round is void.
    Voided,
}

/// The physical event from which a reaction is timed: the latest such event before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The latest `fault` of the scenario, or what people did right after `mark`.
    Fault,
    /// An edge of the cam at the daemon's wires, or the motor's power coming on.
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

    /// What it is, for people.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Fault => "The latest `fault`, or what people did right after `mark`",
            Self::Cam => "An edge of the cam at the daemon's wires, or the motor's power coming on",
            Self::SecondEdge => "The second edge of the cam since `mark`",
            Self::Rest => "The dice came to rest",
            Self::Entry => "Entry was pressed on the terminal",
            Self::Spin => "The motor got power",
        }
    }
}

/// A condition that a step waits for or expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// The first such reaction since the last `mark` came within this many milliseconds of its cause.
    InTime(Reaction, u64, Cause),
    /// The table says that it is in this phase.
    Phase(Phase),
    /// A record, after the last one that was found.
    Record(Pattern),
    /// No such record since the last `mark`.
    NoRecord(Pattern),
    /// A malfunction with this code is latched.
    Latched(Code),
    /// Nothing is latched.
    NothingLatched,
    /// The motor really has power, or not.
    Motor(bool),
    /// The shaft really turns, or not.
    Shaft(bool),
    /// The dice really lie still.
    DiceRest,
    /// The shaft has turned within this range since it began, in thousandths of a tumble.
    Tumbles(i64, i64),
    /// Exactly the lamps for these dice shine; without dice, none.
    Lit(Option<[u8; 3]>),
    /// A person reads this on the terminal's display, by the value of its register.
    Display(u16),
    /// Number of times that the bell has sounded since the last `mark`.
    Bells(u32),
    /// The sign "no games" is lit, or dark.
    Sign(bool),
    /// Motor power went away 100 ms after the last dead-man edge, no sooner by command and no later.
    Deadman,
    /// The broker acknowledged everything that is durable.
    Relayed,
    /// The daemon says that it is connected to its broker, or not.
    Linked(bool),
    /// The table's `status` at the broker says that it is online, or not.
    Online(bool),
    /// The table's retained messages at the broker agree with the table.
    Retained,
    /// The fault has taken effect, as measured by the bench.
    Held(TableFault),
    /// The daemon runs, or not.
    Daemon(bool),
    /// No test of a device is in progress.
    NoTest,
    /// The table asks people for this.
    Prompt(PromptId),
}

/// Other settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The settings that the table had at the beginning.
    Own,
    /// A layout, with its rule set.
    Layout(String),
    /// The value of a parameter.
    Parameter(String, u32),
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Carry out the opening tests, all of which pass.
    Open,
    /// Play on to this stage, in the order of play of the rule set; after the end of a round, in the next one.
    PlayTo(Stage),
    /// Play on to the moment before the dealer presses "tumble".
    UpToSpin,
    /// The people at the table go on as usual: they open a closed table and play the round to its end. They stop if the
    /// table blocks or refuses.
    GoOn,
    /// Declare the stage of a round that was played by single steps.
    At(Stage),
    /// Press a button.
    Press(InLine, u32),
    /// Press and hold.
    Hold(InLine),
    /// Release.
    LetGo(InLine),
    /// Take the dome away.
    LiftDome,
    /// Put it back.
    LowerDome,
    /// Keys of the terminal, 7 is entry.
    Keys(Vec<u8>),
    /// Key what the dice show, and entry.
    EnterDice,
    /// Collect losers and pay winners, which takes until "all paid" counts.
    Collect,
    /// Turn the shaft by hand.
    TurnShaft(i32),
    /// Break the seal's loop.
    BreakSeal,
    /// Close the seal's loop.
    MendSeal,
    /// Lay a die by hand: number, face, flat.
    MoveDie(u8, u8, bool),
    /// The supply dips.
    Dip,
    /// A line reports the level that it already had, because an edge in between was lost.
    LoseEdge(InLine),
    /// Change the settings, in effect from the daemon's next start.
    Settings(Change),
    /// Inject a fault.
    Fault(TableFault),
    /// Heal it.
    Heal(TableFault),
    /// The dice show this from the next throw on; `None`: random.
    Dice(Option<[u8; 3]>),
    /// Let time pass, in milliseconds.
    Pass(u64),
    /// Wait until a condition holds.
    Wait(Check, u64),
    /// A condition must hold now, by this clause.
    Expect(Check, String),
    /// Give a command; whoever stands at the table does what its test asks for at the button.
    Ask(Box<Command>),
    /// Give a command while nobody stands at the table.
    AskAlone(Box<Command>),
    /// Wait for the answer: done or refused, and a word in it.
    Answer(bool, String),
    /// Change the role of the person at the console.
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
    /// Try every way to start a game under this latch; `true`: also those that restart the daemon or close the table.
    Prove(Code, bool),
    /// While the condition lasts, no exit opens the latch.
    ProveShut(Code),
    /// The exit opens the latch, recorded with a name, and only for a supervisor with the key.
    ProveOpens(Code, Exit),
    /// A step that may fail: its wait may time out, its fault may not take effect, what it starts may already run.
    Try(Box<Step>),
    /// Heal, release and switch on everything that is broken, held or off.
    HealAll,
    /// Heal everything, and bring the table back to play by the lawful exits.
    Recover,
}
