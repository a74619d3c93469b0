//! The floor on a terminal, kept up to date in place.

use super::{View, text};
use crate::floor::feed::News;
use crate::floor::model::{Condition, Picture};
use crate::say;
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use std::fmt::Write as _;
use std::io::{IsTerminal, Read, Write};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Time between two looks at what came; the seconds on the screen count by it.
const FRAME: Duration = Duration::from_millis(250);
/// Rows that hold no table: the summary, the head, and what the keys do.
const AROUND: usize = 3;

/// Shows the floor until somebody has seen enough.
pub(super) async fn show(view: &mut View, news: &mut mpsc::Receiver<News>, broker: &str) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut resized = signal(SignalKind::window_change())?;
    let screen = Screen::enter()?;
    let mut keys = keys();
    let mut frames = tokio::time::interval(FRAME);
    let (mut first, mut shown) = (0, String::new());
    loop {
        tokio::select! {
            Some(item) = news.recv() => {
                // Shown with the next frame, however many come.
                view.take(item);
                continue;
            }
            Some(key) = keys.recv() => match key {
                Key::End => return Ok(()),
                Key::Move(move_by) => first = move_by.from(first, size().1.saturating_sub(AROUND)),
            },
            _ = frames.tick() => {}
            _ = resized.recv() => shown.clear(),
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
            _ = hangup.recv() => return Ok(()),
        }
        let (frame, last) = frame(&view.picture(), broker, size(), first, screen.has_colour);
        first = first.min(last);
        if frame != shown {
            write(&frame)?;
            shown = frame;
        }
    }
}

/// One picture of the screen from its upper left corner on, and the last table that may stand first.
fn frame(
    picture: &Picture,
    broker: &str,
    (columns, rows): (usize, usize),
    first: usize,
    has_colour: bool,
) -> (String, usize) {
    let room = rows.saturating_sub(AROUND);
    let (head, tables) = text::lines(picture, columns);
    let last = tables.len().saturating_sub(room);
    let first = first.min(last);
    let mut frame = String::from("\u{1b}[H");
    let mut line = |style: &str, text: &str, is_last: bool| {
        let text: String = text.chars().take(columns).collect();
        let end = if is_last { "" } else { "\r\n" };
        // Writing to a string does not fail.
        let _ = match (has_colour, style) {
            (true, style) if !style.is_empty() => write!(frame, "\u{1b}[{style}m{text}\u{1b}[0m\u{1b}[K{end}"),
            _ => write!(frame, "{text}\u{1b}[K{end}"),
        };
    };
    let alarm = if picture.connected { "1" } else { "1;31" };
    line(alarm, &text::summary(picture, broker), false);
    line("4", &head, false);
    let shown = tables.iter().skip(first).take(room);
    let end = first + shown.len();
    for (condition, text) in shown {
        let style = match condition {
            Condition::Rewritten | Condition::Fault => "1;31",
            Condition::Silent => "1;33",
            Condition::Gap => "36",
            Condition::Fine => "",
        };
        line(style, text, false);
    }
    let keys = if last > 0 {
        format!("q ends; tables {} to {end} of {}; arrows, PgUp, PgDn move", first + 1, tables.len())
    } else {
        "q ends".to_owned()
    };
    line("2", &keys, true);
    frame.push_str("\u{1b}[J");
    (frame, last)
}

/// Columns and rows of the terminal.
fn size() -> (usize, usize) {
    say::terminal().unwrap_or(say::USUAL)
}

fn write(text: &str) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// The terminal while the floor has it; dropped, it is as it was.
struct Screen {
    was: Option<Termios>,
    has_colour: bool,
}

impl Screen {
    /// The other screen of the terminal, without cursor and line breaks; keys come as they are pressed, Ctrl-C too.
    fn enter() -> anyhow::Result<Self> {
        let was = if std::io::stdin().is_terminal() { Some(tcgetattr(std::io::stdin())?) } else { None };
        if let Some(was) = &was {
            let mut raw = was.clone();
            raw.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO | LocalFlags::ISIG);
            tcsetattr(std::io::stdin(), SetArg::TCSANOW, &raw)?;
        }
        let has_colour = std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
        let screen = Self { was, has_colour };
        write("\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l")?;
        Ok(screen)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // Where the terminal is gone there is nothing to be put back.
        let _ = write("\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l");
        if let Some(was) = &self.was {
            let _ = tcsetattr(std::io::stdin(), SetArg::TCSANOW, was);
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    End,
    Move(Move),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    First,
    Last,
}

impl Move {
    /// The first table shown after this key, with `page` tables on a page; the frame corrects a value that is too large.
    fn from(self, first: usize, page: usize) -> usize {
        match self {
            Self::Up => first.saturating_sub(1),
            Self::Down => first + 1,
            Self::PageUp => first.saturating_sub(page),
            Self::PageDown => first + page,
            Self::First => 0,
            Self::Last => usize::MAX / 2,
        }
    }
}

/// What terminals send for keys.
const KEYS: [(&[u8], Key); 16] = [
    (b"\x1b[A", Key::Move(Move::Up)),
    (b"\x1bOA", Key::Move(Move::Up)),
    (b"k", Key::Move(Move::Up)),
    (b"\x1b[B", Key::Move(Move::Down)),
    (b"\x1bOB", Key::Move(Move::Down)),
    (b"j", Key::Move(Move::Down)),
    (b"\x1b[5~", Key::Move(Move::PageUp)),
    (b"\x1b[6~", Key::Move(Move::PageDown)),
    (b" ", Key::Move(Move::PageDown)),
    (b"\x1b[H", Key::Move(Move::First)),
    (b"\x1b[1~", Key::Move(Move::First)),
    (b"\x1b[F", Key::Move(Move::Last)),
    (b"\x1b[4~", Key::Move(Move::Last)),
    (b"q", Key::End),
    (b"Q", Key::End),
    (b"\x03", Key::End),
];

/// The keys in what came from the terminal; what is none is passed over.
fn pressed(mut bytes: &[u8]) -> Vec<Key> {
    let mut found = Vec::new();
    while let Some((_, rest)) = bytes.split_first() {
        let known = KEYS.iter().find_map(|(sent, key)| Some((key, bytes.strip_prefix(*sent)?)));
        bytes = known.map_or(rest, |(key, rest)| {
            found.push(*key);
            rest
        });
    }
    found
}

/// The keys as they are pressed, from a thread that waits for them to the end of the process.
fn keys() -> mpsc::Receiver<Key> {
    let (sender, receiver) = mpsc::channel(16);
    if std::io::stdin().is_terminal() {
        std::thread::spawn(move || {
            let mut bytes = [0; 64];
            while let Ok(count @ 1..) = std::io::stdin().read(&mut bytes) {
                for key in pressed(bytes.get(..count).unwrap_or_default()) {
                    if sender.blocking_send(key).is_err() {
                        return;
                    }
                }
            }
        });
    }
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floor::model::Floor;

    fn picture(tables: usize) -> Picture {
        let mut floor = Floor::new(Duration::from_secs(300));
        floor.connected(0);
        for n in 0..tables {
            let status = br#"{"v":1,"status":"online","boot":"b","build":"0.1.0","backend":"cdev"}"#;
            floor.take(&format!("taisai/pit/t{n}/status"), status, true, 0);
        }
        floor.take("taisai/pit/t7/fault/seal", br#"{"v":1,"code":"seal","cause":"broken"}"#, true, 0);
        floor.picture(0)
    }

    #[test]
    fn a_frame_fills_the_screen_and_no_more() {
        let picture = picture(200);
        for (columns, rows) in [(80, 24), (30, 10), (200, 4)] {
            let (frame, last) = frame(&picture, "mqtt://b", (columns, rows), 0, false);
            let lines: Vec<&str> = frame.split("\r\n").collect();
            assert_eq!((lines.len(), last), (rows, 200 - (rows - AROUND)));
            for line in &lines {
                let text = line.replace("\u{1b}[H", "").replace("\u{1b}[K", "").replace("\u{1b}[J", "");
                assert!(text.chars().count() <= columns, "{text}");
            }
            assert!(lines[2].contains("pit/t7"), "the fault is on top");
        }
    }

    #[test]
    fn one_can_move_through_the_tables_and_not_beyond() {
        let picture = picture(200);
        let shown = |first| frame(&picture, "mqtt://b", (120, 23), first, true).0;
        assert!(shown(0).contains("tables 1 to 20 of 200"));
        assert!(shown(Move::PageDown.from(0, 20)).contains("tables 21 to 40 of 200"));
        assert!(shown(Move::Last.from(0, 20)).contains("tables 181 to 200 of 200"));
        assert!(shown(0).contains("\u{1b}[1;31m pit/t7"), "{}", shown(0));
        assert!(!frame(&picture, "mqtt://b", (120, 300), 0, true).0.contains("PgDn"));
    }

    #[test]
    fn keys_are_told_apart_however_they_come() {
        assert_eq!(pressed(b"\x1b[B\x1b[6~j"), [Move::Down, Move::PageDown, Move::Down].map(Key::Move));
        assert_eq!(pressed(b"x\x1b[Zq"), [Key::End]);
        assert_eq!(pressed(b"\x03"), [Key::End]);
    }
}
