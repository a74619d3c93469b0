//! The kernel's trace of GPIO outputs: when a program drove a line. The rig adds marks to the same trace, so both have one clock.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use tumbler_bench::process::rig_fault::RigFault;

/// The kernel's tracing directory.
const TRACING: &str = "/sys/kernel/tracing";
/// The rig's mark.
const MARK: &str = "edge";
/// Limit for an answer, in microseconds.
const ANSWER_US: u64 = 100_000;

/// The trace; it runs until it is dropped.
#[derive(Debug)]
pub(super) struct GpioTrace {
    marker: File,
}

impl GpioTrace {
    /// Begins a trace.
    ///
    /// # Errors
    /// [`RigFault`] where the kernel does not trace GPIO lines, or this user has no right to.
    pub(super) fn begin() -> Result<Self, RigFault> {
        if !place("trace").exists() {
            let mounted = Command::new("mount").args(["-t", "tracefs", "tracefs", TRACING]).status();
            mounted.map_err(RigFault::system("run mount"))?;
        }
        write("tracing_on", "0")?;
        write("trace_clock", "mono")?;
        write("buffer_size_kb", "4096")?;
        write("events/gpio/gpio_value/enable", "1")?;
        write("trace", "")?;
        write("tracing_on", "1")?;
        let path = place("trace_marker");
        let marker = OpenOptions::new().write(true).open(&path).map_err(RigFault::file("open", &path))?;
        Ok(Self { marker })
    }

    /// Marks that an edge begins now.
    ///
    /// # Errors
    /// [`RigFault`] where the mark cannot be written.
    pub(super) fn mark(&self) -> Result<(), RigFault> {
        (&self.marker).write_all(MARK.as_bytes()).map_err(RigFault::system("mark the kernel's trace"))
    }

    /// Times from each mark until the motor's pin is driven off, in microseconds.
    ///
    /// # Errors
    /// [`RigFault`] where the trace cannot be read.
    pub(super) fn answers(&self) -> Result<Vec<u64>, RigFault> {
        let path = place("trace");
        let text = fs::read_to_string(&path).map_err(RigFault::file("read", &path))?;
        Ok(answers(&text))
    }
}

impl Drop for GpioTrace {
    fn drop(&mut self) {
        let _ = write("tracing_on", "0");
        let _ = write("events/gpio/gpio_value/enable", "0");
    }
}

fn place(name: &str) -> PathBuf {
    Path::new(TRACING).join(name)
}

fn write(name: &str, text: &str) -> Result<(), RigFault> {
    let path = place(name);
    fs::write(&path, text).map_err(RigFault::file("write", &path))
}

/// One line of the trace.
enum TraceEvent {
    Mark,
    /// The line of this number was driven high or low.
    Set(u32, bool),
}

/// `PROGRAM-PID [CPU] FLAGS SECONDS.MICROSECONDS: EVENT: WHAT`: when in microseconds, and what.
fn seen(line: &str) -> Option<(u64, TraceEvent)> {
    let mut words = line.split_whitespace();
    let at = words.by_ref().find(|word| word.ends_with(':') && word.contains('.'))?;
    let (seconds, micros) = at.trim_end_matches(':').split_once('.')?;
    let at = seconds.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(micros.parse().ok()?)?;
    let what = match words.collect::<Vec<_>>()[..] {
        ["tracing_mark_write:", MARK] => TraceEvent::Mark,
        ["gpio_value:", number, "set", value] => TraceEvent::Set(number.parse().ok()?, value == "1"),
        _ => return None,
    };
    Some((at, what))
}

/// The motor's pin is the chip's first line, so it has the lowest number.
fn answers(text: &str) -> Vec<u64> {
    let all: Vec<_> = text.lines().filter_map(seen).collect();
    let motor = all
        .iter()
        .filter_map(|(_, seen)| if let TraceEvent::Set(number, _) = seen { Some(*number) } else { None })
        .min();
    let (mut marked, mut answers) = (None, Vec::new());
    for (at, seen) in all {
        match seen {
            TraceEvent::Mark => marked = Some(at),
            TraceEvent::Set(number, false) if Some(number) == motor => {
                let took = marked.take().map(|marked: u64| at.saturating_sub(marked));
                answers.extend(took.filter(|took| *took < ANSWER_US));
            }
            TraceEvent::Set(..) => {}
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_the_first_time_that_the_motor_is_driven_off_after_a_mark() {
        let text = "# tracer: nop\n\
            tumblerd-7 [000] ..... 10.000001: gpio_value: 512 set 1\n\
            tumblerd-7 [000] ..... 10.000100: gpio_value: 513 set 0\n\
            tumbler-hil-9 [000] ..... 10.000900: tracing_mark_write: edge\n\
            tumblerd-7 [000] ..... 10.000950: gpio_value: 513 set 0\n\
            tumblerd-7 [000] ..... 10.001000: gpio_value: 512 get 0\n\
            tumblerd-7 [000] ..... 10.001100: gpio_value: 512 set 0\n\
            tumblerd-7 [000] ..... 10.001200: gpio_value: 512 set 0\n\
            tumbler-hil-9 [000] ..... 11.999999: tracing_mark_write: edge\n\
            tumblerd-7 [000] ..... 12.000010: gpio_value: 512 set 0\n\
            tumbler-hil-9 [000] ..... 13.0: tracing_mark_write: edge\n\
            tumblerd-7 [000] ..... 14.000000: gpio_value: 512 set 0\n";
        assert_eq!(answers(text), [200, 11]);
    }
}
