//! Templates: opened tables that are copied for each scenario, because the opening tests take long in real time.
//!
//! A copy does not bypass the tests: permission depends on the boot id and on the permit beside the journal, and the copy has both,
//! as after a restart of the daemon within the same boot.

use crate::scenario::step::{Step, TableFault};
use crate::scenario::{Ending, Outcome, Trial, Verdict, run};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use tumbler_bench::process::config::TableSetup;
use tumbler_bench::process::pins::Wires;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::workdir::WorkDir;
use tumbler_bench::process::{Setup, Virtual, wall_clock};
use tumbler_bench::{AnyFault, Bench, BenchError, EnvironmentFault};

/// Opened tables by their setup. Each is opened once, when it is first needed.
#[derive(Debug)]
pub struct Templates {
    program: PathBuf,
    /// How their wires are connected.
    wires: Wires,
    opened: Mutex<BTreeMap<String, Arc<Mutex<Option<WorkDir>>>>>,
}

impl Templates {
    /// Templates for this daemon.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, wires: Wires::default(), opened: Mutex::default() }
    }

    /// Sets the wires of all tables.
    #[must_use]
    pub fn on(self, wires: Wires) -> Self {
        Self { wires, ..self }
    }

    /// The daemon's program.
    #[must_use]
    pub fn program(&self) -> &PathBuf {
        &self.program
    }

    /// A table for the trial: opened if the trial's first step is `open table`, else new; with a disk and a clock of its own if the
    /// trial breaks them. `trace`: keep all observations.
    ///
    /// # Errors
    /// [`BenchError`] if it cannot be set up or opened, or if this machine has no means for a fault of the trial.
    pub fn table(&self, trial: &Trial, seed: u64, trace: bool) -> Result<Virtual, BenchError> {
        let needs = needs(trial);
        let mut setup = Setup {
            program: self.program.clone(),
            table: TableSetup {
                // Only with TLS is there a certificate that can expire.
                tls: trial.breaks(EnvironmentFault::BrokerTlsExpired),
                ..TableSetup::of(&trial.rules, &trial.layout, trial.reader)
            },
            seed,
            judge: true,
            trace,
            brisk: false,
            wall: None,
        };
        setup.table = setup.table.on(self.wires.clone());
        let mut dir = WorkDir::new()?;
        if needs.disk {
            dir.own_disk()?;
        }
        if needs.clock {
            setup.wall = Some(wall_clock(dir.path())?);
        }
        let opens = trial.steps.first().is_some_and(|(_, steps)| steps.first() == Some(&Step::Open));
        if opens {
            self.fill(&setup, &dir)?;
        }
        Ok(Virtual::start(&setup, dir, opens)?)
    }

    /// An open table with this setup.
    ///
    /// # Errors
    /// [`RigFault`] if it cannot be set up or opened.
    pub fn opened(&self, setup: &Setup) -> Result<Virtual, RigFault> {
        let dir = WorkDir::new()?;
        self.fill(setup, &dir)?;
        Virtual::start(setup, dir, true)
    }

    /// Copies an open table's files into the directory.
    fn fill(&self, setup: &Setup, dir: &WorkDir) -> Result<(), RigFault> {
        let place = {
            let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(opened.entry(setup.table.key()).or_default())
        };
        // Others that need the same table wait here until it is open.
        let mut template = place.lock().unwrap_or_else(PoisonError::into_inner);
        match template.as_ref() {
            Some(template) => dir.take_over(template),
            None => dir.take_over(template.insert(open(setup)?)),
        }
    }
}

/// What must be prepared for a table, so that the trial can break it.
#[derive(Clone, Copy, Debug, Default)]
struct Needs {
    /// A separate file system for the state directory.
    disk: bool,
    /// A separate wall clock for the daemon.
    clock: bool,
}

fn needs(trial: &Trial) -> Needs {
    let mut needs = Needs::default();
    for step in trial.steps.iter().flat_map(|(_, steps)| steps) {
        match step {
            // A thorough latch proof cuts the supply too.
            Step::Power(false) | Step::Prove(_, true) => needs.disk = true,
            Step::Fault(TableFault { fault: AnyFault::Environment(fault), .. }) => match fault {
                EnvironmentFault::DiskFull | EnvironmentFault::DiskReadOnly => needs.disk = true,
                EnvironmentFault::ClockForward | EnvironmentFault::ClockBack | EnvironmentFault::ClockJitter => {
                    needs.clock = true
                }
                _ => {}
            },
            _ => {}
        }
    }
    needs
}

/// Opens a new table by the scenarios' own steps, stops its daemon and keeps its files.
fn open(setup: &Setup) -> Result<WorkDir, RigFault> {
    let settings = &setup.table.settings;
    let setup = Setup { wall: None, ..setup.clone() };
    let mut table = Virtual::start(&setup, WorkDir::new()?, false)?;
    let trial = Trial {
        name: "opening".into(),
        about: "the opening tests, everything right".into(),
        rules: settings.rules.clone(),
        layout: settings.layout.clone(),
        reader: settings.reader,
        steps: vec![("open table".into(), vec![Step::Open])],
        endings: Vec::<Ending>::new(),
        latched: Vec::new(),
        latches: Vec::new(),
        in_order: true,
        must_show: true,
        phase: None,
        never: Vec::new(),
        seed: None,
        free: false,
    };
    let Outcome { verdict, .. } = run(&mut table, &trial);
    match verdict {
        Verdict::Pass => {}
        Verdict::Fail(why) => {
            return Err(RigFault::Other(format!(
                "a new table did not open: {}\n{}",
                why.join("; "),
                table.log_tail(8)
            )));
        }
        Verdict::Invalid(why) | Verdict::NotExecuted(why) => {
            return Err(RigFault::Other(format!("a new table could not be opened: {why}")));
        }
    }
    table.stop().map_err(|trouble| RigFault::Other(trouble.to_string()))?;
    table.into_dir()
}
