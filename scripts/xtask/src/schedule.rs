//! Which lane may begin next: lanes that compute share the processors, lanes that wait most of their time run beside them, and all of
//! them share the machine's memory.

/// Hundredths of a processor.
pub(crate) type Cores = u32;
/// Mebibytes.
pub(crate) type Memory = u64;

/// What a lane does most of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Channel {
    /// It computes, and steps back for those that wait.
    Compute,
    /// It waits for real time to pass, and wants a processor at once when it has passed.
    Wait,
}

/// Something that one lane at a time can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// Cargo's directory of the tests' profile.
    Debug,
    /// Cargo's directory of what ships, and those of other targets.
    Release,
    /// The network of the machine, or a table of its kernel: one container at a time.
    Container,
}

/// What a lane takes while it runs, and what it comes after.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Demand {
    pub(crate) channel: Channel,
    /// What it keeps busy on the average.
    pub(crate) cores: Cores,
    pub(crate) memory: Memory,
    pub(crate) locks: &'static [Lock],
    /// Lanes that make what it would have to make itself. How they end is nothing to it.
    pub(crate) after: &'static [&'static str],
}

/// What all lanes share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Machine {
    pub(crate) cores: Cores,
    pub(crate) memory: Memory,
}

impl Machine {
    /// Lanes that compute get no more processors than there are. They step back for lanes that wait, and yet not for the kernel's own
    /// workers, which carry what is written to a pseudo terminal: three emulators on two processors kept one of them waiting for 340 ms,
    /// and with it the field bus of a bench. Those that wait get three quarters of the processors at most: two at the same moment must
    /// not be late for each other.
    fn room(self, channel: Channel) -> Cores {
        match channel {
            Channel::Compute => self.cores,
            Channel::Wait => self.cores * 3 / 4,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Ended,
}

/// The lanes of a run.
#[derive(Debug)]
pub(crate) struct Schedule {
    machine: Machine,
    lanes: Vec<(&'static str, Demand, State)>,
}

impl Schedule {
    /// These lanes on this machine, the most urgent first.
    pub(crate) fn new(machine: Machine, lanes: impl IntoIterator<Item = (&'static str, Demand)>) -> Self {
        Self { machine, lanes: lanes.into_iter().map(|(name, demand)| (name, demand, State::Waiting)).collect() }
    }

    /// Takes the first lane that may begin now, and has it begin.
    pub(crate) fn begin(&mut self) -> Option<&'static str> {
        let at = self.lanes.iter().position(|(_, demand, state)| *state == State::Waiting && self.may_begin(demand))?;
        let (name, _, state) = self.lanes.get_mut(at)?;
        *state = State::Running;
        Some(name)
    }

    /// That lane has ended.
    pub(crate) fn ended(&mut self, name: &str) {
        for (_, _, state) in self.lanes.iter_mut().filter(|(lane, ..)| *lane == name) {
            *state = State::Ended;
        }
    }

    fn running(&self) -> impl Iterator<Item = &Demand> {
        self.lanes.iter().filter(|(.., state)| *state == State::Running).map(|(_, demand, _)| demand)
    }

    fn may_begin(&self, demand: &Demand) -> bool {
        let made = |name: &&str| self.lanes.iter().all(|(lane, _, state)| lane != name || *state == State::Ended);
        if !demand.after.iter().all(made) {
            return false;
        }
        if self.running().any(|other| other.locks.iter().any(|lock| demand.locks.contains(lock))) {
            return false;
        }
        let beside = || self.running().filter(|other| other.channel == demand.channel);
        let cores: Cores = beside().map(|other| other.cores).sum();
        let memory: Memory = self.running().map(|other| other.memory).sum();
        // What is too large for this machine runs alone, and does not wait for ever.
        (cores == 0 || cores + demand.cores <= self.machine.room(demand.channel))
            && (memory == 0 || memory + demand.memory <= self.machine.memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TWO: Machine = Machine { cores: 200, memory: 8000 };

    fn demand(channel: Channel, cores: Cores) -> Demand {
        Demand { channel, cores, memory: 100, locks: &[], after: &[] }
    }
    fn computes(cores: Cores) -> Demand {
        demand(Channel::Compute, cores)
    }
    fn waits(cores: Cores) -> Demand {
        demand(Channel::Wait, cores)
    }
    fn all(schedule: &mut Schedule) -> Vec<&'static str> {
        std::iter::from_fn(|| schedule.begin()).collect()
    }

    #[test]
    fn what_computes_fills_the_processors_in_order() {
        let lanes = [("a", computes(100)), ("b", computes(100)), ("c", computes(100)), ("d", computes(50))];
        let mut schedule = Schedule::new(TWO, lanes);
        assert_eq!(all(&mut schedule), ["a", "b"]);
        schedule.ended("a");
        assert_eq!(all(&mut schedule), ["c"]);
        schedule.ended("b");
        assert_eq!(all(&mut schedule), ["d"]);
    }

    #[test]
    fn what_waits_runs_beside_what_computes_and_not_too_much_of_it_at_once() {
        let lanes = [("a", computes(200)), ("b", waits(100)), ("c", waits(100)), ("d", waits(50))];
        let mut schedule = Schedule::new(TWO, lanes);
        assert_eq!(all(&mut schedule), ["a", "b", "d"]);
    }

    #[test]
    fn what_needs_a_lane_comes_after_it_and_does_not_miss_one_that_was_not_asked_for() {
        let after = Demand { after: &["a", "elsewhere"], ..waits(10) };
        let mut schedule = Schedule::new(TWO, [("b", after), ("a", computes(100))]);
        assert_eq!(all(&mut schedule), ["a"]);
        schedule.ended("a");
        assert_eq!(all(&mut schedule), ["b"]);
    }

    #[test]
    fn a_lock_is_had_by_one_lane() {
        let build = Demand { locks: &[Lock::Debug], ..computes(50) };
        let both = Demand { locks: &[Lock::Release, Lock::Debug], ..computes(50) };
        let mut schedule = Schedule::new(TWO, [("a", build), ("b", both), ("c", computes(50))]);
        assert_eq!(all(&mut schedule), ["a", "c"]);
        schedule.ended("a");
        assert_eq!(all(&mut schedule), ["b"]);
    }

    #[test]
    fn memory_is_shared_by_both_channels() {
        let large = |demand: Demand| Demand { memory: 5000, ..demand };
        let mut schedule = Schedule::new(TWO, [("a", large(computes(50))), ("b", large(waits(50))), ("c", waits(50))]);
        assert_eq!(all(&mut schedule), ["a", "c"]);
    }

    #[test]
    fn what_is_too_large_runs_alone() {
        let huge = Demand { memory: 90_000, ..computes(900) };
        let mut schedule = Schedule::new(TWO, [("a", huge), ("b", computes(10)), ("c", waits(10))]);
        assert_eq!(all(&mut schedule), ["a"]);
        schedule.ended("a");
        assert_eq!(all(&mut schedule), ["b", "c"]);
    }
}
