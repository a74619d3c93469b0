//! A table on the virtual bench: the daemon's process, its wires, and the world around it.

use super::broker::Broker;
use super::bus::Bus;
use super::clock::{self, Stalls};
use super::config::TableSetup;
use super::console::{Console, Reply, StatusReply};
use super::daemon::Daemon;
use super::injection::state::Injections;
use super::machine;
use super::mounts::SimulatedBoot;
use super::observer::Observer;
use super::pins::Pins;
use super::port::Port;
use super::proxy::Proxy;
use super::rig_fault::RigFault;
use super::speed::LineSpeed;
use super::watch::JournalWatch;
use super::wire::{WireEvent, WireSocket};
use super::workdir::WorkDir;
use super::world::World;
use crate::injection_check::InjectionCheck;
use crate::observe::Observer as Judges;
use nix::poll::{PollFd, PollFlags, ppoll};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tumbler_core::record::Standing;
use tumbler_core::units::Mono;
use tumbler_core::wire::console::Answer;
use tumbler_spec::{Part, Seen, Truth};
use tumbler_twin::{self, Twin};

/// What a table of the virtual bench is started with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The daemon's program.
    pub program: PathBuf,
    /// The table's settings.
    pub table: TableSetup,
    /// Seed of the twin.
    pub seed: u64,
    /// Whether the judges watch.
    pub judge: bool,
    /// Whether everything that the judges are told is kept.
    pub trace: bool,
    /// A tumbler six times as fast, for measurements over many rounds.
    pub brisk: bool,
    /// What moves the daemon's wall clock, where it is to move: a library to load before it, and the file that it reads.
    pub wall: Option<(PathBuf, PathBuf)>,
}

/// The bench.
pub struct Virtual {
    pub(super) world: World,
    pub(super) socket: WireSocket,
    /// The daemon's pins, on a bench that has some; otherwise the daemon uses the socket.
    pub(super) pins: Option<Pins>,
    /// None while the adapter is unplugged.
    port: Option<Port>,
    pub(super) bus: Bus,
    pub(super) console: Console,
    pub(super) daemon: Daemon,
    /// The rig stopped the daemon or never started it, so its absence is not a finding.
    pub(super) expected_down: bool,
    pub(super) answers: BTreeMap<u64, Answer>,
    pub(super) status: Option<(u64, Box<StatusReply>)>,
    pub(super) proxy: Proxy,
    pub(super) observer: Observer,
    heard: usize,
    pub(super) broker: Broker,
    pub(super) findings: Vec<String>,
    pub(super) injections: Injections,
    /// The simulated boot id, from the first power cut on.
    pub(super) boot: Option<SimulatedBoot>,
    pub(super) said: Vec<(Mono, String)>,
    pub(super) dir: WorkDir,
    /// The contents of the daemon's configuration.
    pub(super) setup: TableSetup,
    pub(super) injection_check: InjectionCheck,
}

/// Interval at which the world polls what gives no event to wait on: the journal's file.
const LOOK_NS: u64 = 10_000_000;
/// How long a daemon may take from its start to its connection and READY.
const START: Duration = Duration::from_secs(20);

impl Virtual {
    /// Assembles a table in `dir` and starts its daemon. `opened`: the directory holds a table that was opened before. The judges
    /// then get its initial state, and its existing records are not observed again.
    ///
    /// # Errors
    /// [`RigFault`] when a part of it cannot be set up.
    pub fn start(setup: &Setup, dir: WorkDir, opened: bool) -> Result<Self, RigFault> {
        machine::enter()?;
        let settings = &setup.table.settings;
        let (rule_set, layout) = settings
            .check()
            .map_err(|bad| RigFault::Other(bad.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))?;
        let built = tumbler_twin::Config {
            reader: settings.reader,
            temperature: settings.temperature,
            ..tumbler_twin::Config::full(rule_set.order.covered, layout.areas.len())
        };
        let built = if setup.brisk { built.brisk() } else { built };
        let broker = Broker::start(dir.path(), setup.table.tls, setup.table.upstream)?;
        let proxy = Proxy::start(broker.tables(), !setup.table.tls)?;
        let observer = Observer::start(broker.address(), "tumbler-hil-observer")?;
        setup.table.write(&dir, proxy.address())?;
        let mut socket = WireSocket::listen(&dir.wire())?;
        let pins = setup.table.pins(&dir, &mut socket)?;
        let port = setup.table.port(&dir)?;
        let mut daemon = Daemon::new(&setup.program, &dir)?;
        if let Some((library, file)) = &setup.wall {
            daemon.preload(library.clone(), file.clone());
        }
        let mut journal = JournalWatch::new(&dir.state());
        let mut injection_check = setup.table.injection_check();
        let mut standing = Standing::default();
        if opened {
            for record in journal.take()? {
                injection_check.learn(&record.event);
                standing.fold(&record);
            }
            journal.close();
        } else {
            daemon.commission()?;
        }
        let root = format!("taisai/{}/{}", settings.site, settings.table);
        let watched = tumbler_spec::Config {
            topics: root.clone(),
            from_commissioning: !opened,
            // Two busy cores and a socket delay every edge to the daemon, so judges only check the order; times are reported.
            reaction_ns: Stalls::LIMIT,
            ..Judges::config(settings)
        };
        let mut judges = Judges::with(watched, setup.judge, setup.trace)?;
        if opened {
            judges.initial_state(&standing);
        }
        let mut table = Self {
            world: World::new(Twin::new(built, setup.seed), judges, journal, &root),
            socket,
            pins,
            bus: Bus::new(port.speed()),
            port: Some(port),
            console: Console::new(&dir.console()),
            daemon,
            expected_down: true,
            answers: BTreeMap::new(),
            status: None,
            proxy,
            observer,
            heard: 0,
            broker,
            findings: Vec::new(),
            injections: Injections::default(),
            boot: None,
            said: Vec::new(),
            dir,
            setup: setup.table.clone(),
            injection_check,
        };
        if opened {
            table.injections.back_up_files(&table.dir)?;
        }
        table.launch()?;
        Ok(table)
    }

    /// Starts the daemon and waits until it is connected and ready.
    pub(super) fn launch(&mut self) -> Result<(), RigFault> {
        self.world.journal.close();
        Injections::back_up_journal(&self.dir)?;
        self.replug()?;
        self.world.begin_tick();
        self.world.deliver_wires(&mut self.socket);
        self.world.process_alive(true);
        self.daemon.start()?;
        self.expected_down = false;
        self.world.log.down = false;
        let end = self.world.now() + START.as_nanos() as u64;
        while !(self.socket.connected() && self.daemon.start_to_ready().is_some()) {
            if let Some(status) = self.daemon.ended()? {
                self.expected_down = true;
                return Err(RigFault::Other(format!(
                    "tumblerd ended at its start with {status}; its log ends:\n{}",
                    self.dir.log_tail(12)
                )));
            }
            if self.world.now() >= end {
                return Err(RigFault::Late {
                    what: "tumblerd to connect and to be READY".into(),
                    after: START,
                    hint: format!("its log ends:\n{}", self.dir.log_tail(12)),
                });
            }
            self.tick()?;
            self.wait(end)?;
        }
        Ok(())
    }

    /// Replaces the serial port by a new one of the same name: the exclusive mode of a killed daemon stays on the old one.
    fn replug(&mut self) -> Result<(), RigFault> {
        // An adapter that was unplugged stays unplugged over a restart.
        if self.port.take().is_some() {
            self.plug(self.setup.port(&self.dir)?);
        }
        Ok(())
    }

    /// Plugs in a serial port, in place of the previous one.
    pub(super) fn plug(&mut self, port: Port) {
        self.bus = Bus::new(port.speed());
        self.port = Some(port);
    }

    /// The serial port's device, while it is plugged in.
    pub(super) fn device(&self) -> Option<&std::path::Path> {
        self.port.as_ref().and_then(Port::device)
    }

    /// Unplugs the serial port's adapter: its name vanishes, and a process that has it open gets a hangup.
    pub(super) fn unplug(&mut self) -> Result<(), RigFault> {
        let Some(Port::Pty(pty)) = self.port.take_if(|port| matches!(port, Port::Pty(_))) else {
            return Err(RigFault::Other("no serial port is plugged in that the rig could unplug".into()));
        };
        pty.unlink()?;
        self.bus = Bus::new(LineSpeed::default());
        Ok(())
    }

    /// Reports to the judges that something around the table is broken or repaired.
    pub(super) fn report_broken(&mut self, part: Part, broken: bool) {
        self.world.begin_tick();
        self.world.judges.tell(self.world.tick, Seen::Truth(Truth::Broken { part, broken }));
    }

    /// One tick: lets everything happen that is due, and processes everything that arrived.
    pub(super) fn tick(&mut self) -> Result<(), RigFault> {
        clock::check_interrupt()?;
        let deadline = self.deadline().map(|at| self.world.mono(at));
        self.world.begin_tick();
        if let Some(deadline) = deadline.filter(|d| *d <= self.world.mono(self.world.tick)) {
            self.world.stalls.note(deadline, self.world.mono(self.world.tick));
        }
        let begun = clock::now();
        self.world.deliver_wires(&mut self.socket);
        for event in self.socket.poll()? {
            match event {
                WireEvent::Connected => self.world.send_levels(&mut self.socket),
                WireEvent::Driven(driven) if self.is_pin_release(driven) => self.world.pin_released(driven),
                WireEvent::Driven(driven) => self.world.output_driven(driven.line, driven.active),
                WireEvent::Disconnected => {}
                WireEvent::Reacted(driven, since) => self.world.note_reaction(driven, since),
                WireEvent::Relay(closed, after_ns) => self.world.relay_contact(closed, after_ns)?,
            }
        }
        let begun = self.world.stalls.note_work("at the wires", begun);
        if let Some(port) = &self.port {
            self.bus.advance(port, &mut self.world)?;
        }
        self.world.deliver_wires(&mut self.socket);
        let begun = self.world.stalls.note_work("at the field bus", begun);
        let begun = self.take_replies(begun)?;
        self.injections.step_clock(self.world.now(), self.dir.path())?;
        self.check_daemon()?;
        self.world.stalls.note_work("looking after the daemon", begun);
        self.world.take_fault()
    }

    /// Reads what the daemon published, answered on the console and told the service manager. Judges see the journal's records first,
    /// because the rest follows from them. `begun`: when this work began; returns when all of it was read.
    fn take_replies(&mut self, begun: Mono) -> Result<Mono, RigFault> {
        let messages = self.observer.since(self.heard);
        let begun = self.world.stalls.note_work("listening to the broker", begun);
        let heard = self.console.poll()?;
        let begun = self.world.stalls.note_work("at the console", begun);
        self.world.read_journal();
        let read = self.world.stalls.note_work("reading the journal", begun);
        self.heard += messages.len();
        messages.into_iter().for_each(|message| self.world.mqtt_message(message));
        for heard in heard {
            match heard {
                Reply::Answer(request, answer) => {
                    self.world.judges.answer(self.world.tick, request, &answer);
                    self.answers.insert(request, answer);
                }
                Reply::Status(request, told, words) => {
                    self.world.console_text(&words);
                    self.status = Some((request, told));
                }
                Reply::HungUp(request) => {
                    self.answers.insert(request, Answer::refused("no-daemon", "the daemon hung up"));
                }
            }
            self.world.news += 1;
        }
        self.said.extend(self.daemon.said());
        Ok(read)
    }

    /// Checks that the daemon and the program at the pins still run. A daemon that ends by itself is a finding.
    fn check_daemon(&mut self) -> Result<(), RigFault> {
        self.pins.as_mut().map_or(Ok(()), Pins::look)?;
        if self.expected_down {
            return Ok(());
        }
        if let Some(status) = self.daemon.ended()? {
            self.world.news += 1;
            if self.injections.ended_as_intended(status)? {
                self.daemon_ended();
                return Ok(());
            }
            self.expected_down = true;
            self.world.process_alive(false);
            self.findings
                .push(format!("tumblerd ended by itself with {status}; its log ends:\n{}", self.dir.log_tail(12)));
        }
        Ok(())
    }

    /// When the twin or the field bus is due next, in table time.
    fn deadline(&self) -> Option<u64> {
        let bus = self.bus.next_deadline().map(|at| at.nanos_since(self.world.mono(0)));
        [self.world.twin.next(), bus].into_iter().flatten().min()
    }

    /// Waits until something arrives or is due, at most until this table time.
    pub(super) fn wait(&mut self, until: u64) -> Result<(), RigFault> {
        let look = self.world.now() + LOOK_NS;
        let wake = [Some(until), Some(look), self.deadline()].into_iter().flatten().min().unwrap_or(look);
        let (listener, daemon) = self.socket.fds();
        let ports = listener.into_iter().chain(self.port.as_ref().map(Port::fd));
        let mut fds: Vec<PollFd> = ports.map(|fd| PollFd::new(fd, PollFlags::POLLIN)).collect();
        if let Some((daemon, unsent)) = daemon {
            let events = if unsent { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
            fds.push(PollFd::new(daemon, events));
        }
        fds.push(PollFd::new(self.daemon.notified(), PollFlags::POLLIN));
        fds.extend(self.console.fds().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
        let wake = self.world.mono(wake).max(clock::now());
        match ppoll(&mut fds, Some(clock::until(wake)), None) {
            Ok(_) | Err(nix::errno::Errno::EINTR) => {
                self.world.stalls.note_work("waking up", wake);
                Ok(())
            }
            Err(e) => Err(RigFault::system("wait for the wires")(e)),
        }
    }

    /// Ticks until `done` returns true, at most until table time `until`. Returns whether `done` did.
    pub(super) fn tick_until(
        &mut self,
        until: u64,
        mut done: impl FnMut(&mut Self) -> Result<bool, RigFault>,
    ) -> Result<bool, RigFault> {
        loop {
            self.tick()?;
            if done(self)? {
                return Ok(true);
            }
            if self.world.now() >= until {
                return Ok(false);
            }
            self.wait(until)?;
        }
    }
}
