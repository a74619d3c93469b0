//! Plays lanes: each in a process of its own, as many side by side as the machine bears. What one says is told whole, when it has ended.

use crate::install::{Installer, Need};
use crate::lanes::{self, EVERY, Lane, Plays, TOOLS};
use crate::repository::{MADE, Repository};
use crate::rotation::Rotation;
use crate::say;
use crate::schedule::{Channel, Lock, Machine, Schedule};
use crate::shell::{NOT_CHECKED, NotChecked, whole};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, thread};

/// Number of last lines of a failed lane that are repeated at the end of the log, so that the reason is there.
const LAST: usize = 60;

/// How a lane ended.
struct Ended {
    name: &'static str,
    took: Duration,
    /// Seconds of processor time of all its processes, where it came to an end.
    cpu: Option<u64>,
    verdict: Verdict,
    said: String,
}

/// What a lane has shown.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Passed,
    /// Nothing: what it needs cannot be reached. No reason to refuse a change, and none to call it checked.
    NotChecked,
    /// How it failed.
    Failed(String),
}

impl Verdict {
    fn of(status: ExitStatus) -> Self {
        if status.success() {
            Self::Passed
        } else if status.code() == Some(NOT_CHECKED.into()) {
            Self::NotChecked
        } else {
            Self::Failed(status.to_string())
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("ok"),
            Self::NotChecked => f.write_str("NOT CHECKED"),
            Self::Failed(how) => write!(f, "FAILED ({how})"),
        }
    }
}

/// Plays these lanes; whether all passed.
///
/// # Errors
/// What they need cannot be installed.
pub(crate) fn play(repository: &Repository, lanes: &[&'static Lane], yes: bool) -> Result<bool> {
    let began = Instant::now();
    let mut installer = Installer::new(repository, yes);
    let needs: Vec<Need> = EVERY.iter().chain(lanes.iter().flat_map(|lane| lane.needs)).copied().collect();
    // On a new machine tools take a quarter of an hour to build.
    installer.need(&needs, lanes.iter().any(|lane| lane.name == TOOLS))?;
    let run = Run { repository, path: installer.path()?, alone: one_by_one(lanes) };

    let mut schedule = Schedule::new(machine()?, lanes.iter().map(|lane| (lane.name, lane.demand)));
    let (tell, ended) = mpsc::channel();
    let (mut results, mut running): (Vec<Ended>, usize) = (Vec::new(), 0);
    loop {
        while let Some(name) = schedule.begin() {
            let lane = lanes::named(name)?;
            say::heading(&format!(
                "{name} begins, {:.0} s after the first: {}",
                began.elapsed().as_secs_f64(),
                lane.about
            ));
            let child = run.begin(lane, &results)?;
            running += 1;
            let tell = tell.clone();
            thread::spawn(move || tell.send(child.wait()));
        }
        if running == 0 {
            break;
        }
        let lane: Ended = ended.recv().context("a lane ends")??;
        running -= 1;
        schedule.ended(lane.name);
        if !lane.said.is_empty() {
            say::heading(&format!("what {} said", lane.name));
            say::line(lane.said.trim_end());
        }
        say::line(&lane.line());
        results.push(lane);
    }
    Ok(sum_up(&results, began.elapsed()))
}

/// Whether no two of these lanes can run at the same moment.
fn one_by_one(lanes: &[&'static Lane]) -> bool {
    let cargo = |lane: &&Lane| lane.demand.locks.contains(&Lock::Debug);
    lanes.len() == 1 || lanes.iter().all(cargo)
}

struct Run<'a> {
    repository: &'a Repository,
    path: OsString,
    /// Lanes of which only one runs at a time speak for themselves, at once.
    alone: bool,
}

/// A lane that runs.
struct Child {
    lane: &'static Lane,
    process: std::process::Child,
    began: Instant,
    /// Without a name: nothing can leave it behind.
    log: Option<File>,
}

impl Run<'_> {
    fn begin(&self, lane: &'static Lane, results: &[Ended]) -> Result<Child> {
        let own = env::current_exe()?;
        let mut command = Command::new(&own);
        // Those that wait come first when their time has come.
        if lane.demand.channel == Channel::Compute && !self.alone {
            command = Command::new("nice");
            command.args(["-n", "15"]).arg(&own);
        }
        command.args(["lane", lane.name]).env("PATH", &self.path).stdin(Stdio::null());
        let passed = |name: &str| results.iter().any(|other| other.name == name && other.verdict == Verdict::Passed);
        let made = ["build", "release", "arm64"].into_iter().filter(|name| passed(name)).collect::<Vec<_>>().join(" ");
        command.env(MADE, made).env("TUMBLERD_XTASK", own);
        if passed("deb") && env::var_os("TUMBLERD_DEB").is_none() {
            command.env("TUMBLERD_DEB", self.repository.package()?);
        }
        let log = if self.alone { None } else { Some(tempfile::tempfile()?) };
        if let Some(log) = &log {
            command.stdout(log.try_clone()?).stderr(log.try_clone()?);
        }
        let process = command.spawn()?;
        Ok(Child { lane, process, began: Instant::now(), log })
    }
}

impl Child {
    fn wait(mut self) -> Result<Ended> {
        let status = self.process.wait()?;
        let said = self.log.take().map(whole).transpose()?.unwrap_or_default();
        let (said, cpu) = split(&said);
        Ok(Ended { name: self.lane.name, took: self.began.elapsed(), cpu, verdict: Verdict::of(status), said })
    }
}

const CPU: &str = " s of processor time";

/// Runs a lane in this process, and says at its end what processor time it took.
///
/// # Errors
/// The lane has failed.
pub(crate) fn lane(repository: &Repository, name: &str) -> Result<()> {
    let lane = lanes::named(name)?;
    let mut done = (lane.work)(repository);
    if let (Ok(()), Plays::InTurn(turn)) = (&done, lane.plays) {
        done = Rotation::at(repository, lanes::TURNS, turn, u64::try_from(lanes::in_turn().len())?).passed();
    }
    if let Some(why) = done.as_ref().err().filter(|why| !why.is::<NotChecked>()) {
        say::error(&format!("{why:#}"));
    }
    say::line(&format!("{}{CPU}", spent()?));
    done
}

/// Seconds of processor time of all processes that this one has waited for, which is the 16th and the 17th field of its entry, in
/// hundredths of a second.
fn spent() -> Result<u64> {
    let entry = fs::read_to_string("/proc/self/stat")?;
    // The second field is a name in brackets, which may hold anything.
    let (_, fields) = entry.rsplit_once(") ").context("the kernel tells of this process")?;
    let spent = fields.split(' ').skip(13).take(2).map(str::parse::<u64>).sum::<Result<u64, _>>()?;
    Ok(spent / 100)
}

/// What a lane said, and its processor time in seconds, which is the last line where it came to an end.
fn split(said: &str) -> (String, Option<u64>) {
    let (before, last) = said.rsplit_once('\n').unwrap_or(("", said));
    match last.strip_suffix(CPU).and_then(|cpu| cpu.parse().ok()) {
        Some(cpu) => (before.into(), Some(cpu)),
        None => (said.into(), None),
    }
}

impl Ended {
    fn line(&self) -> String {
        let cpu = self.cpu.map_or_else(|| "-".into(), |cpu| cpu.to_string());
        format!("{:<16} {:>5} s {cpu:>5} s  {}", self.name, self.took.as_secs(), self.verdict)
    }
}

/// The last lines of what failed, and how all lanes ended; whether all passed.
fn sum_up(results: &[Ended], took: Duration) -> bool {
    let count = |what: fn(&Verdict) -> bool| results.iter().filter(|lane| what(&lane.verdict)).count();
    let (failed, unchecked) =
        (count(|verdict| matches!(verdict, Verdict::Failed(_))), count(|verdict| *verdict == Verdict::NotChecked));
    let telling = |lane: &&Ended| lane.verdict != Verdict::Passed && !lane.said.is_empty();
    for lane in results.iter().filter(telling) {
        say::heading(&format!("the last lines of {}", lane.name));
        let lines: Vec<_> = lane.said.lines().collect();
        say::line(&lines.get(lines.len().saturating_sub(LAST)..).unwrap_or_default().join("\n"));
    }
    say::heading("lanes, with the time that they took and that of processors");
    for lane in results {
        say::line(&lane.line());
    }
    let cpu: u64 = results.iter().filter_map(|lane| lane.cpu).sum();
    say::line(&format!("total {} s, {cpu} s of processor time", took.as_secs()));
    let passed = results.len() - failed - unchecked;
    say::line(&format!("lanes: {passed} passed, {failed} failed, {unchecked} NOT CHECKED"));
    failed == 0
}

/// All processors, and the memory that is free now but for a tenth.
fn machine() -> Result<Machine> {
    let cores = u32::try_from(thread::available_parallelism()?.get())?;
    let text = fs::read_to_string("/proc/meminfo")?;
    let line =
        text.lines().find_map(|line| line.strip_prefix("MemAvailable:")).context("the kernel tells its free memory")?;
    let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(Machine { cores: cores * 100, memory: kibibytes / 1024 * 9 / 10 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{self, command};
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn the_last_line_is_the_processor_time() {
        assert_eq!(split("one\ntwo\n12 s of processor time"), ("one\ntwo".into(), Some(12)));
        assert_eq!(split("12 s of processor time"), (String::new(), Some(12)));
        assert_eq!(split("one\nkilled"), ("one\nkilled".into(), None));
    }

    #[test]
    fn a_lane_that_could_not_check_has_not_passed_and_has_not_failed() {
        let ended = |code| Verdict::of(ExitStatus::from_raw(code << 8));
        let told = [0, 77, 1].map(|code| ended(code).to_string());
        assert_eq!(told, ["ok", "NOT CHECKED", "FAILED (exit status: 1)"]);
        let lane =
            |code| Ended { name: "a", took: Duration::ZERO, cpu: None, verdict: ended(code), said: String::new() };
        assert!(sum_up(&[lane(0), lane(77)], Duration::ZERO) && !sum_up(&[lane(77), lane(1)], Duration::ZERO));
        let checked = shell::run(command("sh", ["-c", "exit 77"])).unwrap_err();
        assert!(checked.is::<NotChecked>());
    }

    #[test]
    fn a_process_that_was_waited_for_is_counted() {
        assert!(spent().is_ok());
    }

    #[test]
    fn this_machine_has_processors_and_memory() {
        let machine = machine().unwrap();
        assert!(machine.cores >= 100 && machine.memory > 100, "{machine:?}");
    }
}
