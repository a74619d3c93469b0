//! Wires and registers on a terminal, kept up to date in place.

use super::{Look, PACE, text};
use crate::say::{self, Tone};
use crate::screen::{self, Page, Shown};
use textwrap::core::display_width;
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

    fn page(&self, columns: usize) -> Page {
        let mut lines = text::lines(&self.wires, self.registers).into_iter().peekable();
        // A head of several rows has no place above them: there would be none left for the wires.
        let head = lines.next_if(|(_, head)| display_width(head) <= columns).map(|(_, head)| head);
        let rows = lines.flat_map(|(tone, text)| {
            let style = match tone {
                Some(Tone::Wrong) => "1;31",
                Some(Tone::Near) => "1;33",
                Some(Tone::Well) | None => "",
            };
            say::rows(&text, text::HANG, columns).into_iter().map(move |row| (style, row))
        });
        let odd = |tone: &Wires| tone.units.iter().any(|unit| unit.lost) || tone.lines.iter().any(|wire| !wire.watched);
        let title = format!("{} lines, {} units of the field bus", self.wires.lines.len(), self.wires.units.len());
        Page { title: (if odd(&self.wires) { "1;31" } else { "1" }, title), head, rows: rows.collect(), what: "rows" }
    }
}
