//! Wires and registers on a terminal, kept up to date in place.

use super::{Look, PACE, text};
use crate::say::Tone;
use crate::screen::{self, Page, Shown};
use tokio::sync::mpsc;
use tumbler_core::wire::wires::Wires;

/// Shows them until somebody has seen enough.
///
/// # Errors
/// The daemon is gone.
pub(super) fn show(mut looked: Look) -> anyhow::Result<()> {
    let registers = !looked.names.is_empty();
    let mut view = View { wires: looked.next()?, registers };
    let (sender, mut news) = mpsc::channel(1);
    // A question is waited for, so it has a thread, which ends with the process.
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(PACE);
            let told = looked.next();
            let is_gone = told.is_err();
            if sender.blocking_send(told).is_err() || is_gone {
                return;
            }
        }
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(screen::show(&mut view, &mut news))
}

struct View {
    wires: Wires,
    registers: bool,
}

impl Shown for View {
    type News = anyhow::Result<Wires>;

    fn take(&mut self, told: Self::News) -> anyhow::Result<()> {
        self.wires = told?;
        Ok(())
    }

    fn page(&self, _: usize) -> Page {
        let lines = text::lines(&self.wires, self.registers);
        let mut rows = lines.into_iter().map(|(tone, text)| {
            let style = match tone {
                Some(Tone::Wrong) => "1;31",
                Some(Tone::Near) => "1;33",
                Some(Tone::Well) | None => "",
            };
            (style, text)
        });
        let head = rows.next().map(|(_, head)| head).unwrap_or_default();
        let odd = |tone: &Wires| tone.units.iter().any(|unit| unit.lost) || tone.lines.iter().any(|wire| !wire.watched);
        let title = format!("{} lines, {} units of the field bus", self.wires.lines.len(), self.wires.units.len());
        Page { title: (if odd(&self.wires) { "1;31" } else { "1" }, title), head, rows: rows.collect(), what: "rows" }
    }
}
