//! A picture on a terminal, kept up to date in place.

use crate::say;
use nix::sys::termios::{LocalFlags, SetArg, Termios, tcgetattr, tcsetattr};
use std::io::{IsTerminal, Read, Write};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// Time between two looks at what came; the seconds on the screen count by it.
const FRAME: Duration = Duration::from_millis(250);

/// What is shown.
pub(crate) trait Shown {
    /// What changes it.
    type News;

    /// Takes in one thing more.
    ///
    /// # Errors
    /// There is nothing to show any more; says why.
    fn take(&mut self, news: Self::News) -> anyhow::Result<()>;

    /// How it looks now, for this number of columns.
    fn page(&self, columns: usize) -> Page;
}

/// Lines of text with their styles, as terminals take them between `ESC [` and `m`; empty for none. What is longer than the
/// terminal is cut, and ends with `…`.
#[derive(Debug)]
pub(crate) struct Page {
    /// The first line.
    pub(crate) title: (&'static str, String),
    /// The head of the rows, which does not move with them.
    pub(crate) head: Option<String>,
    /// What one can move through.
    pub(crate) rows: Vec<(&'static str, String)>,
    /// What the rows are, in the plural.
    pub(crate) what: &'static str,
}

/// Shows it until somebody has seen enough.
///
/// # Errors
/// The terminal is gone, or there is nothing to show any more.
pub(crate) async fn show<T: Shown>(picture: &mut T, news: &mut mpsc::Receiver<T::News>) -> anyhow::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut resized = signal(SignalKind::window_change())?;
    let screen = Screen::enter()?;
    let mut keys = keys();
    let mut frames = tokio::time::interval(FRAME);
    let (mut first, mut room, mut shown) = (0, 1, String::new());
    loop {
        tokio::select! {
            Some(item) = news.recv() => {
                // Shown with the next frame, however many come.
                picture.take(item)?;
                continue;
            }
            Some(key) = keys.recv() => match key {
                Key::End => return Ok(()),
                Key::Move(move_by) => first = move_by.from(first, room),
            },
            _ = frames.tick() => {}
            _ = resized.recv() => shown.clear(),
            _ = interrupt.recv() => return Ok(()),
            _ = terminate.recv() => return Ok(()),
            _ = hangup.recv() => return Ok(()),
        }
        let (frame, last);
        (frame, last, room) = self::frame(&picture.page(size().0), size(), first, screen.has_colour);
        first = first.min(last);
        if frame != shown {
            write(&frame)?;
            shown = frame;
        }
    }
}

/// One picture of the screen from its upper left corner on, the last row that may stand first, and how many rows have room. One
/// has room on any terminal; on a low one the head is left out for it, then the title, then what the keys do.
fn frame(page: &Page, (columns, height): (usize, usize), first: usize, has_colour: bool) -> (String, usize, usize) {
    let mut lines = vec![(page.title.0, page.title.1.as_str())];
    lines.extend(page.head.iter().map(|head| ("4", head.as_str())));
    lines.truncate(height.saturating_sub(2));
    let room = height.saturating_sub(lines.len() + 1).max(1);
    let last = page.rows.len().saturating_sub(room);
    let first = first.min(last);
    lines.extend(page.rows.iter().skip(first).take(room).map(|(style, text)| (*style, text.as_str())));
    let shown = format!("q ends; {} {} to {} of {}", page.what, first + 1, first + room, page.rows.len());
    let moves = format!("{shown}; arrows, PgUp, PgDn move");
    lines.push(match last {
        0 => ("2", "q ends"),
        _ if moves.len() > columns => ("2", shown.as_str()),
        _ => ("2", moves.as_str()),
    });
    lines.truncate(height.max(1));
    let lines = lines.into_iter().map(|(style, text)| {
        let text = cut(text, columns);
        match style {
            style if has_colour && !style.is_empty() => format!("\u{1b}[{style}m{text}\u{1b}[0m\u{1b}[K"),
            _ => format!("{text}\u{1b}[K"),
        }
    });
    (format!("\u{1b}[H{}\u{1b}[J", lines.collect::<Vec<_>>().join("\r\n")), last, room)
}

/// As much of a line as has room, and a sign where some has not.
fn cut(text: &str, columns: usize) -> String {
    let text = tumbler_core::text::shown(text);
    if text.chars().count() <= columns {
        return text;
    }
    text.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
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

/// The terminal while the picture has it; dropped, it is as it was.
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
    /// The first row shown after this key, with `page` rows on a page; the frame corrects a value that is too large.
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

    fn page(rows: usize) -> Page {
        let rows = (0..rows).map(|n| if n == 0 { ("1;31", "the first".to_owned()) } else { ("", format!("row {n}")) });
        Page { title: ("1", "the title".into()), head: Some("the head".into()), rows: rows.collect(), what: "tables" }
    }

    #[test]
    fn a_frame_fills_the_screen_and_no_more() {
        let page = page(200);
        for (columns, rows) in [(80, 24), (30, 10), (200, 4)] {
            let (frame, last, room) = frame(&page, (columns, rows), 0, false);
            let lines: Vec<&str> = frame.split("\r\n").collect();
            assert_eq!((lines.len(), last, room), (rows, 200 - (rows - 3), rows - 3));
            for line in &lines {
                let text = line.replace("\u{1b}[H", "").replace("\u{1b}[K", "").replace("\u{1b}[J", "");
                assert!(text.chars().count() <= columns, "{text}");
            }
            assert!(lines[0].contains("the title") && lines[1].contains("the head"), "{frame}");
            assert!(lines[2].contains("the first"), "{frame}");
        }
    }

    /// However low the terminal is, a row is shown, and told as shown; however narrow, what is cut has a sign.
    #[test]
    fn a_row_is_shown_on_any_terminal() {
        for (height, around) in [(3, 2), (2, 1), (1, 0), (0, 0)] {
            let (frame, last, room) = frame(&page(200), (80, height), 0, false);
            let lines: Vec<&str> = frame.split("\r\n").collect();
            assert_eq!((lines.len(), last, room), (around + 1, 199, 1), "{frame:?}");
            assert!(frame.contains("the first"), "{frame:?}");
            assert_eq!(frame.contains("tables 1 to 1 of 200"), height > 1, "{frame:?}");
        }
        let narrow = frame(&page(200), (8, 24), 0, false).0;
        assert!(narrow.contains("the fir…") && narrow.contains("row 1\u{1b}"), "{narrow:?}");
    }

    #[test]
    fn one_can_move_through_the_tables_and_not_beyond() {
        let page = page(200);
        let shown = |first| frame(&page, (120, 23), first, true).0;
        assert!(shown(0).contains("tables 1 to 20 of 200"));
        assert!(shown(Move::PageDown.from(0, 20)).contains("tables 21 to 40 of 200"));
        assert!(shown(Move::Last.from(0, 20)).contains("tables 181 to 200 of 200"));
        assert!(shown(0).contains("\u{1b}[1;31mthe first"), "{}", shown(0));
        assert!(!frame(&page, (120, 300), 0, true).0.contains("PgDn"));
    }

    #[test]
    fn keys_are_told_apart_however_they_come() {
        assert_eq!(pressed(b"\x1b[B\x1b[6~j"), [Move::Down, Move::PageDown, Move::Down].map(Key::Move));
        assert_eq!(pressed(b"x\x1b[Zq"), [Key::End]);
        assert_eq!(pressed(b"\x03"), [Key::End]);
    }
}
