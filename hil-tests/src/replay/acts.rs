//! What people did, from the edges of their lines, the terminal's numbered key events and their commands.

use super::events::{Events, Transaction};
use super::playback::ReplayedInput;
use super::script::Script;
use tumbler_core::effect::{BusOp, Effect};
use tumbler_core::input::{BusReply, Input};
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::wire::console::{Answer, Command, Exit, Witness};
use tumbler_core::wire::registers::terminal;
use tumbler_twin::Fault;

const BUTTONS: [InLine; 5] =
    [InLine::Tumble, InLine::PlaceBets, InLine::NoMoreBets, InLine::NoSpin, InLine::SupervisorKey];
/// A dome that is lifted or put back opens one contact and closes the other within this time.
const TRAVEL: u64 = 2_000_000_000;

/// A dome's contact that opens alone.
const CUT: Fault = Fault::DomeCable { active: false };

/// Longest time from a key press to the end of the poll that reports it.
const SEEN: u64 = 120_000_000;

/// Buttons, key, seal, dome, supply.
pub(super) fn hands(events: &Events, covered: bool, script: &mut Script) {
    for line in BUTTONS {
        for moved in events.of_line(line).iter().filter(|moved| moved.changed) {
            let word = if moved.active { "hold" } else { "release" };
            script.at(moved.at, 0, format!("{word} {}", line.name()));
        }
    }
    for moved in events.of_line(InLine::Seal).iter().filter(|moved| moved.changed) {
        script.at(moved.at, 0, if moved.active { "mend seal" } else { "break seal" }.into());
    }
    for moved in events.of_line(InLine::PowerGood) {
        if moved.changed && !moved.active {
            script.at(moved.at, 0, "power off".into());
        } else if !moved.changed {
            script.at(moved.at, 0, "dip supply".into());
        }
    }
    if covered {
        dome(events, script);
    }
}

fn dome(events: &Events, script: &mut Script) {
    let (closed, open) = (events.of_line(InLine::DomeClosed), events.of_line(InLine::DomeOpen));
    let near = |moved: &[super::events::Movement], at: u64, active: bool| {
        moved.iter().any(|m| m.changed && m.active == active && m.at.abs_diff(at) < TRAVEL)
    };
    for m in closed.iter().filter(|m| m.changed && !m.active) {
        if near(open, m.at, true) {
            script.at(m.at, 0, "lift dome".into());
        } else {
            script.broken(m.at, CUT, true);
        }
    }
    for m in closed.iter().filter(|m| m.changed && m.active && !near(open, m.at, false)) {
        script.broken(m.at, CUT, false);
    }
    for m in open.iter().filter(|m| m.changed) {
        match (m.active, near(closed, m.at, !m.active)) {
            (true, true) => {}
            (true, false) => {
                script.broken(m.at, Fault::LineStuck { line: InLine::DomeClosed, active: true }, true);
                script.at(m.at, 0, "lift dome".into());
            }
            (false, _) => script.at(m.at, 0, "lower dome".into()),
        }
    }
}

/// Keys of the terminal. Codes that the recording masks as secret are keyed as 1.
pub(super) fn keys(events: &Events, script: &mut Script) {
    let mut next: Option<u16> = None;
    for Transaction { request, reply, ended, .. } in &events.bus {
        let polled = matches!(request.op, BusOp::ReadInput { address: terminal::POLL, count: terminal::POLL_COUNT });
        let (true, terminal::UNIT, Ok(BusReply::Words(words))) = (polled, request.unit, reply) else { continue };
        let Some((&[_, first, count], codes)) = words.split_first_chunk::<3>() else { continue };
        let known = next.unwrap_or_else(|| first.wrapping_add(count));
        for (number, code) in (0..count).zip(codes) {
            let seq = first.wrapping_add(number);
            // Numbers wrap: before `known` are those less than half the range behind it.
            if seq.wrapping_sub(known) < u16::MAX / 2 {
                let word = if *code == terminal::ENTRY { "entry".to_owned() } else { code.to_string() };
                // What the table had asked for before is no earlier than its answer.
                let pressed = ended.saturating_sub(SEEN).max(script.last_answer(*ended));
                script.at(pressed, 220, format!("key {word}"));
            }
        }
        next = Some(first.wrapping_add(count));
    }
}

/// Commands on the console and their answers.
pub(super) fn commands(played: &[ReplayedInput], script: &mut Script) {
    let mut last = None;
    for ReplayedInput { stamped, effects, .. } in played {
        let now = stamped.now.0;
        match &stamped.input {
            Input::Console { request, caller, command } => {
                last = Some(*request);
                let role = match (caller.supervisor, caller.technician) {
                    (true, _) => "supervisor",
                    (_, true) => "technician",
                    _ => "nobody",
                };
                script.at(now, 0, format!("as {role}"));
                script.at(now, 0, format!("ask {}", words(command)));
            }
            Input::Stop => script.at(now, 0, "stop".into()),
            _ => {}
        }
        for effect in effects {
            if let Effect::Reply { request, answer } = effect {
                let done = if matches!(answer, Answer::Done(_)) { "done" } else { "refused" };
                if last == Some(*request) {
                    script.at(now, 0, format!("answer {done}"));
                }
            }
        }
    }
}

fn words(command: &Command) -> String {
    let dice = |dice: &tumbler_core::units::Dice| {
        let [a, b, c] = dice.pips();
        format!("{a} {b} {c}")
    };
    match command {
        Command::Open { .. } => "open".into(),
        Command::Witness { item, right, .. } => {
            let item = match item {
                Witness::Areas => "areas",
                Witness::Seal => "seal",
                Witness::Bell => "bell",
                Witness::Sign => "sign",
                Witness::Dice => "dice",
            };
            format!("witness {item} {}", if *right { "right" } else { "wrong" })
        }
        Command::Close { .. } => "close".into(),
        Command::Maintenance { on, .. } => format!("maintenance {}", if *on { "on" } else { "off" }),
        Command::HardwareTest { test, .. } => format!("hardware-test {test}"),
        Command::Reset { code, exit, .. } => reset(*code, exit),
        Command::Amend { dice: to, uphold, .. } => {
            format!("amend {}{}", dice(to), if *uphold { " uphold" } else { "" })
        }
        Command::Void { damaged_dice: true, .. } => "void damaged".into(),
        Command::Void { not_flat: true, .. } => "void not-flat".into(),
        Command::Void { .. } => "void".into(),
        Command::Finding { finding, .. } => format!("interrupted {}", finding.name()),
        Command::Supervise { .. } => "supervise".into(),
        Command::Correct { round, .. } => format!("correct {}", round.0),
        Command::VoidAfterwards { round, .. } => format!("void-afterwards {}", round.0),
        Command::ConfirmDome { .. } => "confirm-dome".into(),
        Command::Settle { dice: Some(by), .. } => format!("settle {}", dice(by)),
        Command::Settle { .. } => "settle".into(),
        Command::EnrolDice { .. } => "enrol-dice".into(),
        Command::Record => "record".into(),
    }
}

fn reset(code: Code, exit: &Exit) -> String {
    let how = if matches!(exit, Exit::Rectified) { "rectified" } else { "procedure" };
    format!("reset {code} {how}")
}
