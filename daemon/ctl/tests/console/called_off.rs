//! Ctrl-C, and whatever else ends a command, while the table tests itself for it: the test ends at the table too (NZ 5 and 7.4
//! have it tested to its end, or neither opened nor reset).

use super::stub::{Ran, Stub};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::process::Stdio;
use tumbler_core::wire::console::{Answer, Command};

/// A table whose tests go on until they are called off.
fn goes_on(command: &Command) -> Option<Answer> {
    match command {
        Command::Open { .. } | Command::Reset { .. } => None,
        _ => Some(Answer::Done("the table is closed".into())),
    }
}

#[test]
fn what_ends_an_opening_or_a_reset_ends_its_test_at_the_table() {
    for (arguments, signal) in [
        (["open", "--name", "Mei"].as_slice(), Signal::SIGINT),
        (&["open", "--name", "Mei"], Signal::SIGHUP),
        (&["open", "--name", "Mei", "--witness", "areas=yes"], Signal::SIGTERM),
        (&["reset", "lamps", "--rectified", "--name", "Mei"], Signal::SIGINT),
        (&["reset", "gpio", "--rectified", "--name", "Mei"], Signal::SIGINT),
        (&["reset", "dice", "--rectified", "--name", "Mei"], Signal::SIGTERM),
    ] {
        let stub = Stub::start(goes_on);
        let mut ctl = stub.command(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let process = Pid::from_raw(i32::try_from(ctl.id()).unwrap());
        let mut until = |n: usize| loop {
            if let Some((_, command)) = stub.asked.lock().unwrap().get(n) {
                return command.clone();
            }
            assert_eq!(ctl.try_wait().unwrap(), None, "{arguments:?}: it ended before it asked");
            std::thread::yield_now();
        };
        assert!(matches!(until(0), Command::Open { .. } | Command::Reset { .. }));
        kill(process, signal).unwrap();
        assert_eq!(until(1), Command::Close { name: "Mei".into() }, "{arguments:?}");
        stub.answer(Answer::refused("testing", "measure: called off"));
        let ran = Ran::of(&ctl.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(1), "{arguments:?}: {ran:?}");
        assert!(ran.out.contains("refused: measure: called off\n"), "{arguments:?}: {}", ran.out);
        assert_eq!(stub.asked.lock().unwrap().len(), 2, "{arguments:?}: nothing follows");
    }
}
