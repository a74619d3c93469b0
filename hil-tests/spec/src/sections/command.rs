//! The console: who may do what, in which state, and by which code it is refused otherwise.
//!
//! ```text
//!  command ──┬── role, name, key, state: a bar ──> `refused` by its code, and answered at once
//!            └── none ──> done: its records, under its name ── durable ──> answered
//! ```

mod bars;
mod state;
mod told;

use super::key::Turns;
use crate::ledger::Ledger;
use crate::observation::{BusKind, Observation, Seen, Transaction, Truth};
use crate::record::{Fact, Record};
use crate::registers;
use crate::rule::Rule;
use crate::scene::Scene;
use crate::section::{Answer, Section, may, must};
use bars::{Barred, Case, Verdict};
use serde_json::Value;
use state::State;

const ANSWERED: Rule =
    Rule::new("command.answered", "console.md, A request: each command is answered: refused, or done once durable");
const REFUSED: Rule = Rule::new("command.refused", "console.md, Who may do what: a refusal is recorded with its code");
const WHO: Rule = Rule::new("command.who", "mqtt.md, event: `who` has the role of the account that asked");
const NO_SPIN: Rule =
    Rule::new("command.no-spin", "table.md, Phases: \"No spin\" is refused once the outcome is established");
const ENDED: Rule =
    Rule::new("command.came-to-nothing", "console.md, A request: `open`, `reset` answer when the test failed");

const MS: u64 = 1_000_000;
/// A decision is durable, and answered, by then.
const SOON_NS: u64 = 4_000 * MS;
/// A test has ended by then, with everything that people have to do in it.
const TEST_NS: u64 = 900_000 * MS;
/// So many refusals of a caller are recorded at once (console.md, Who may do what).
const RECORDED: u32 = 512;

/// The roles, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Anybody,
    Technician,
    Supervisor,
    Manager,
}
use Role::{Supervisor, Technician};

/// A row of the page's table: who may, whether with the key, what else stands in the way, and what is recorded when it is done.
struct Row {
    command: &'static str,
    /// Its name in refusals.
    what: &'static str,
    role: Role,
    key: bool,
    bars: fn(Case<'_>, &mut Verdict) -> Barred,
    /// Kinds of records, any of which shows that it was done.
    done: &'static [&'static str],
    rule: Rule,
}

macro_rules! rows {
    ($($command:literal $what:literal $role:ident $key:ident $bars:ident [$($done:literal)*] $says:literal)*) => {
        [$(Row {
            command: $command,
            what: $what,
            role: Role::$role,
            key: $key,
            bars: bars::$bars,
            done: &[$($done),*],
            rule: Rule::new(concat!("command.", $command), $says),
        }),*]
    };
}

const KEY: bool = true;
const NO_KEY: bool = false;
const ROWS: [Row; 16] = rows! {
    "open" "open" Supervisor KEY open ["test-began"]
        "console.md: starts the opening tests; between rounds, nothing latched, and not in maintenance"
    "witness" "witness" Supervisor NO_KEY witness ["tested" "hardware-tested" "latched"]
        "console.md: says whether an item is right that a test waits for; in a hardware test a technician does, too"
    "close" "close" Supervisor NO_KEY none ["closed" "closing" "hardware-tested"]
        "console.md: closes the table, in mid-round after the round; it calls a test off"
    "maintenance" "maintenance" Technician KEY maintenance ["maintenance" "closed"]
        "console.md: between rounds; it closes the table"
    "hardware-test" "hardware-test" Technician KEY hardware_test ["test-began"]
        "console.md: only in maintenance"
    "reset" "reset" Supervisor KEY reset ["test-began" "unlatched"]
        "console.md: between rounds, the key turned after the latch; a procedure only for reader, terminal and lamps, while open"
    "amend" "amend" Supervisor KEY amend ["amended" "result" "decided"]
        "console.md, NZ 7.2: until the wagers are settled; upheld against the reader, or where no result stands"
    "supervise" "supervise" Supervisor KEY supervise ["supervised"]
        "console.md, NZ 7.2: the dice reader saw other numbers than were keyed"
    "finding" "interrupted" Supervisor KEY finding ["answered"]
        "console.md: answers what became of the dice, by the answers that can be given now"
    "void" "void" Supervisor KEY void ["decided"]
        "console.md, SGV6 5.14, 5.6: the round in progress, by a ground or a person that its rules know"
    "void-afterwards" "void-afterwards" Supervisor KEY afterwards ["voided-afterwards" "corrected"]
        "console.md, SGV6 5.6: a round that has ended, by its own rules"
    "correct" "correct" Supervisor KEY afterwards ["corrected"]
        "console.md, SGV6 5.8: an error in a round that has ended is written down beside it"
    "confirm-dome" "confirm-dome" Supervisor KEY confirm_dome ["decided" "revealed"]
        "console.md: the dome is open although its contacts say otherwise; after \"No more bets\" and a valid spin"
    "settle" "settle" Supervisor KEY settle ["established" "result" "decided" "settled"]
        "console.md, NZ 7.3, SGV6 5.10: in two steps, the second no sooner than `all_paid`"
    "enrol-dice" "dice enrol" Supervisor KEY enrol ["dice-enrolled" "decided"]
        "console.md: between rounds; the reader sees three dice that it can tell apart"
    "record" "record" Anybody NO_KEY record []
        "console.md: writes out the ring of raw inputs, 8 times, and then once in 10 minutes"
};

/// Records that only a command leads to, and that this section answers for.
const MINE: [&str; 12] = [
    "test-began",
    "decided",
    "answered",
    "supervised",
    "corrected",
    "voided-afterwards",
    "dice-enrolled",
    "unlatched",
    "maintenance",
    "closing",
    "closed",
    "refused",
];

/// Whether an opening waits for people from now on (after the dice, the keys and the witness), or any test has ended.
fn ends_test(record: &Record) -> bool {
    match &record.fact {
        Fact::Tested { test, passed } => !passed || test == "dice",
        Fact::Unlatched { .. } => true,
        _ => record.kind == "hardware-tested",
    }
}

fn row_of(command: &str) -> &'static Row {
    // There is no other command; one that there should not be is held to the first row.
    ROWS.iter().find(|row| row.command == command).unwrap_or(const { &ROWS[0] })
}

/// A command that was given, and what has become of it so far.
#[derive(Clone, Debug)]
struct Given {
    request: u64,
    command: String,
    with: Value,
    at_ns: u64,
    /// The turn of the key that it was given under.
    turned_ns: Option<u64>,
    key_doubtful: bool,
    /// The identities of three dice that the reader tells apart.
    identities: Option<[u16; 3]>,
    /// It was answered with a refusal by this code.
    answered: Option<String>,
    /// It is on record that it was done.
    done: bool,
    /// What it still owes on record.
    owed: Vec<&'static str>,
    /// When it was on record that its test waits for people, or has ended.
    ended_ns: Option<u64>,
}

impl Given {
    fn role(&self) -> Role {
        let is = |field: &str| self.with.get(field) == Some(&Value::Bool(true));
        let roles = [("manager", Role::Manager), ("supervisor", Supervisor), ("technician", Technician)];
        roles.into_iter().find(|(field, _)| is(field)).map_or(Role::Anybody, |(_, role)| role)
    }
    fn named(&self, field: &str) -> &Value {
        self.with.get(field).unwrap_or(&Value::Null)
    }
    /// Whether the record names the role of who gave it, if the records say who asked.
    fn is_told(&self, record: &Record, tells_who: bool) -> bool {
        let names = ["none", "technician", "supervisor", "manager"];
        let name = names.get(self.role() as usize).copied();
        record.who.as_ref().map_or(!tells_who, |who| Some(who.role.as_str()) == name && !who.account.is_empty())
    }
    fn by_name(&self) -> bool {
        self.named("name").as_str().is_some_and(|name| !name.trim().is_empty())
    }
    fn is_test(&self) -> bool {
        matches!(self.command.as_str(), "open" | "hardware-test" | "reset")
    }
}

/// Watches the console.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    turns: Turns,
    state: State,
    given: Vec<Given>,
    /// Identities at the reader's last reply.
    identities: Option<[u16; 3]>,
    refusals: [u32; 4],
    /// The records say who asked.
    tells_who: bool,
    /// A call of "No spin" that was out of turn once the outcome was established: when it was made.
    no_spin_ns: Option<u64>,
}

impl Section for Command {
    fn rules(&self) -> Vec<Rule> {
        ROWS.iter().map(|row| row.rule).chain([ANSWERED, REFUSED, WHO, NO_SPIN, ENDED]).collect()
    }

    fn explain(&mut self, seen: &Observation, scene: &Scene, _: &mut Ledger) -> Answer {
        match &seen.what {
            Seen::Answer { request, refused, .. } => self.answer(*request, refused.as_deref(), scene),
            Seen::Record(record) if MINE.contains(&record.kind.as_str()) => self.record(record, scene),
            _ => Answer::NotMine,
        }
    }

    fn notice(&mut self, seen: &Observation, scene: &Scene, ledger: &mut Ledger) {
        self.turns.notice(seen, scene);
        match &seen.what {
            Seen::ConsoleCommand { request, command, with } => self.given.push(Given {
                request: *request,
                command: command.clone(),
                with: with.clone(),
                at_ns: seen.at_ns,
                turned_ns: self.turns.privilege(scene),
                key_doubtful: self.turns.doubtful(seen.at_ns),
                identities: self.identities,
                answered: None,
                done: false,
                owed: Vec::new(),
                ended_ns: None,
            }),
            Seen::Answer { request, refused: None, .. } => {
                if let Some(test) = &mut self.state.test {
                    test.waits |= self.given.iter().any(|given| given.request == *request && given.is_test());
                }
                self.given.retain(|given| given.request != *request);
            }
            Seen::Bus(bus) if bus.unit == registers::READER => self.reader(bus),
            Seen::Record(record) => self.take_in(record, scene, ledger),
            Seen::Truth(Truth::Process { .. } | Truth::Hung { .. } | Truth::Supply { .. }) => {
                self.given.clear();
                self.no_spin_ns = None;
            }
            _ => {}
        }
        self.overdue(scene, ledger);
    }
}

impl Command {
    fn reader(&mut self, bus: &Transaction) {
        if bus.kind != BusKind::ReadInput || !bus.ok || bus.word(registers::POSES).is_none() {
            return;
        }
        let word = |offset: u16| bus.word(registers::POSES + offset).unwrap_or(0);
        let [a, b, c] = [word(5), word(6), word(7)];
        let apart = word(1) == 3 && a != b && a != c && b != c && ![a, b, c].contains(&0);
        self.identities = apart.then_some([a, b, c]);
    }

    /// What may become of a command in the state before the record that is looked at.
    fn verdict(&self, given: &Given, scene: &Scene) -> Verdict {
        let (row, mut verdict) = (row_of(&given.command), Verdict::default());
        let case = Case { given, state: &self.state, scene };
        let barred = self.person(row, given, &mut verdict).and_then(|()| (row.bars)(case, &mut verdict));
        verdict.granted = barred.is_ok();
        verdict
    }

    fn person(&self, row: &Row, given: &Given, verdict: &mut Verdict) -> Barred {
        // A technician answers what a hardware test asks, and calls it off.
        let tests =
            self.state.tests_hardware() && matches!(row.command, "witness" | "close") && given.role() == Technician;
        verdict.bar("not-in-group", given.role() < row.role && !tests)?;
        verdict.bar("no-name", row.command != "record" && !given.by_name())?;
        let keyless = row.key && given.turned_ns.is_none();
        verdict.bar("no-key", if row.key && given.key_doubtful { None } else { Some(keyless) })
    }

    fn answer(&mut self, request: u64, refused: Option<&str>, scene: &Scene) -> Answer {
        let Some(place) = self.given.iter().position(|given| given.request == request) else {
            return Answer::Unexplained(ANSWERED, "an answer to a command that waits for one".into());
        };
        let Some(given) = self.given.get(place).cloned() else { return Answer::NotMine };
        let verdict = self.verdict(&given, scene);
        match refused {
            None if given.done && !given.owed.is_empty() => {
                return Answer::Unexplained(row_of(&given.command).rule, format!("{:?} on record", given.owed));
            }
            None if given.done => return must(ANSWERED),
            // Nothing is left to be done: the table is closed, or closes already; or a recording was written.
            None if given.command == "record" => return may(ANSWERED),
            None if given.command == "close" && verdict.granted && self.closes_nothing() => return must(ANSWERED),
            None => return Answer::Unexplained(ANSWERED, format!("`done` for what is on record; {verdict:?}")),
            Some(code @ ("not-opened" | "stays-latched"))
                if given.done && (code == "not-opened") == (given.command == "open") =>
            {
                self.given.remove(place);
                // What failed is on record by now, or follows.
                return if self.state.test.is_none() { must(ENDED) } else { may(ENDED) };
            }
            Some(_) if given.done => return Answer::Unexplained(ANSWERED, "`done`, as it is on record".into()),
            Some("not-on-record") => return may(ANSWERED),
            Some(code) => {
                if let Some(given) = self.given.get_mut(place) {
                    given.answered = Some(code.to_owned());
                }
            }
        }
        must(ANSWERED)
    }

    /// Whether `close` has nothing to close: the table is closed, or closes already, or it only calls a test off.
    const fn closes_nothing(&self) -> bool {
        !matches!(self.state.open, Some(true)) || self.state.closing || self.state.test.is_some()
    }

    fn record(&mut self, record: &Record, scene: &Scene) -> Answer {
        if let Some(what) = record.data.get("what").filter(|_| record.kind == "refused") {
            return match what.as_str() {
                Some("tumble") => Answer::NotMine,
                Some("no-spin") => self.no_spin(record),
                _ => self.refused(record, scene),
            };
        }
        let rectified = record.data.get("how").is_some_and(|how| how == "rectified");
        let by_itself = record.kind == "closed" && self.shown_by(record).is_none();
        if rectified || by_itself {
            return Answer::NotMine;
        }
        let Some(place) = self.shown_by(record) else {
            return Answer::Unexplained(ANSWERED, "what a command of that moment asked for".into());
        };
        let Some(given) = self.given.get(place).cloned() else { return Answer::NotMine };
        let (rule, verdict) = (row_of(&given.command).rule, self.verdict(&given, scene));
        if !given.done && !verdict.granted {
            return Answer::Unexplained(rule, format!("a refusal by {:?} of {given:?}", verdict.codes));
        }
        if !given.is_told(record, self.tells_who) {
            return Answer::Unexplained(WHO, format!("the role of {given:?}"));
        }
        self.done(place);
        match told::says(&given, record, &self.state, scene) {
            Ok(()) if verdict.codes.is_empty() || given.done => must(rule),
            Ok(()) => may(rule),
            Err(accepted) => Answer::Unexplained(rule, accepted),
        }
    }

    /// The command that this record shows to have been done, one that is on record already last.
    fn shown_by(&self, record: &Record) -> Option<usize> {
        let shows = |given: &Given| {
            given.at_ns == record.at_ns
                && given.answered.is_none()
                && row_of(&given.command).done.contains(&record.kind.as_str())
        };
        let place = self.given.iter().position(|given| shows(given) && !given.done);
        place.or_else(|| self.given.iter().position(shows))
    }

    fn refused(&mut self, record: &Record, scene: &Scene) -> Answer {
        let text = |field: &str| record.data.get(field).and_then(Value::as_str).unwrap_or_default();
        let (what, code) = (text("what"), text("code"));
        let of = |given: &Given| given.at_ns == record.at_ns && row_of(&given.command).what == what && !given.done;
        let Some(place) =
            self.given.iter().position(|given| of(given) && given.answered.as_deref().is_none_or(|by| by == code))
        else {
            return Answer::Unexplained(
                REFUSED,
                format!("a command of that moment, refused so; there are {:?}", self.given),
            );
        };
        let given = self.given.remove(place);
        let (rule, verdict) = (row_of(&given.command).rule, self.verdict(&given, scene));
        if given.answered.is_none() && !scene.may_lag() {
            return Answer::Unexplained(ANSWERED, "a refusal is answered at once".into());
        }
        if !given.is_told(record, self.tells_who) {
            return Answer::Unexplained(WHO, format!("the role of {given:?}"));
        }
        if !verdict.codes.contains(&code) {
            return Answer::Unexplained(rule, format!("{verdict:?} of {given:?} in {:?}", self.state));
        }
        if verdict.codes.len() == 1 && !verdict.granted { must(rule) } else { may(rule) }
    }

    fn no_spin(&mut self, record: &Record) -> Answer {
        let code = record.data.get("code").is_some_and(|code| code == "outcome-stands");
        if code && self.no_spin_ns.take_if(|at_ns| *at_ns == record.at_ns).is_some() {
            return must(NO_SPIN);
        }
        Answer::Unexplained(
            NO_SPIN,
            "`outcome-stands`, with a call out of turn after the outcome was established".into(),
        )
    }

    fn take_in(&mut self, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        self.tells_who |= record.who.is_some();
        if !MINE.contains(&record.kind.as_str()) {
            if let Some(place) = self.shown_by(record) {
                self.done_elsewhere(place, record, scene, ledger);
            }
        }
        for given in self.given.iter_mut().filter(|given| given.at_ns == record.at_ns) {
            given.owed.retain(|kind| *kind != record.kind);
        }
        if self.no_spin_ns.take_if(|at_ns| *at_ns < record.at_ns).is_some() {
            ledger.wrong(NO_SPIN, "missing: the refusal of \"No spin\"".into());
        }
        let no_spin = record.kind == "called" && record.data.get("call").is_some_and(|call| call == "no-spin");
        let stands = self.state.round.as_ref().is_some_and(|round| round.established && round.asked.is_none());
        if no_spin && stands {
            self.no_spin_ns = Some(record.at_ns);
        }
        // Whatever was decided before this record is on record.
        for given in self.given.clone().iter().filter(|given| given.at_ns < record.at_ns && !given.done) {
            self.missing(given, scene, ledger);
        }
        self.given.retain(|given| {
            given.at_ns >= record.at_ns || given.done || matches!(given.command.as_str(), "close" | "record")
        });
        if ends_test(record) {
            for given in self.given.iter_mut().filter(|given| given.done && given.is_test()) {
                given.ended_ns.get_or_insert(scene.now_ns);
            }
        }
        self.state.record(record, scene);
    }

    fn done(&mut self, place: usize) {
        let Some(given) = self.given.get_mut(place).filter(|given| !given.done) else { return };
        given.owed = told::owes(given, &self.state);
        given.done = true;
    }

    /// A record that another section answers for shows that a command was done.
    fn done_elsewhere(&mut self, place: usize, record: &Record, scene: &Scene, ledger: &mut Ledger) {
        let Some(given) = self.given.get(place).filter(|given| !given.done).cloned() else { return };
        let verdict = self.verdict(&given, scene);
        if !verdict.granted {
            let text = format!(
                "`{}` shows that it was done: {given:?}; accepted: a refusal by {:?}",
                record.kind, verdict.codes
            );
            ledger.wrong(row_of(&given.command).rule, text);
        }
        self.done(place);
    }

    /// A command has left no record, of a refusal or of what was done.
    fn missing(&mut self, given: &Given, scene: &Scene, ledger: &mut Ledger) {
        let count = self.refusals.get_mut(given.role() as usize);
        let left_out = count.is_some_and(|count| core::mem::replace(count, count.saturating_add(1)) >= RECORDED);
        let silent = matches!(given.command.as_str(), "close" | "record");
        if !silent && !left_out && !scene.may_lag() {
            ledger.wrong(row_of(&given.command).rule, format!("missing: what became of {given:?}"));
        }
    }

    fn overdue(&mut self, scene: &Scene, ledger: &mut Ledger) {
        let now_ns = scene.now_ns;
        let late = |given: &Given| {
            let tests = given.done && given.is_test() && given.ended_ns.is_none();
            now_ns > given.ended_ns.unwrap_or(given.at_ns) + if tests { TEST_NS } else { SOON_NS }
        };
        if !self.given.iter().any(late) || scene.may_lag() {
            return;
        }
        let (late, given): (Vec<_>, Vec<_>) = core::mem::take(&mut self.given).into_iter().partition(late);
        self.given = given;
        for given in late {
            if given.answered.is_none() {
                ledger.wrong(ANSWERED, format!("missing: the answer to {given:?}"));
            } else if !given.done {
                self.missing(&given, scene, ledger);
            }
        }
    }
}
