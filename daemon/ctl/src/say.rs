//! What is written to the terminal or the script: results to standard output, complaints to standard error.

use clap::builder::styling::{AnsiColor, Color, Style};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};
use terminal_size::{Height, Width, terminal_size_of};
use textwrap::core::display_width;
use tumbler_core::hardware_test::Verdict;
use tumbler_core::text;

/// Columns and rows of a terminal that does not tell.
pub(crate) const USUAL: (usize, usize) = (80, 24);

/// Columns and rows of the terminal on standard output; none where there is no terminal.
pub(crate) fn terminal() -> Option<(usize, usize)> {
    size(std::io::stdout())
}

fn size(of: impl AsFd + IsTerminal) -> Option<(usize, usize)> {
    let size = of.is_terminal().then(|| terminal_size_of(of))?;
    Some(size.map_or(USUAL, |(Width(columns), Height(rows))| (columns.into(), rows.into())))
}

/// Writes a text to standard output. A line that is longer than the terminal is broken between words, and goes on a little
/// further in.
///
/// # Errors
/// If standard output is gone.
pub(crate) fn line(text: &str) -> std::io::Result<()> {
    write(&text.lines().map(|line| folded(line, leading(line) + 2)).collect::<Vec<_>>().join("\n"))
}

/// The same of one line that goes on under its column `hang`.
///
/// # Errors
/// If standard output is gone.
pub(crate) fn hanging(text: &str, hang: usize) -> std::io::Result<()> {
    write(&folded(text, hang))
}

/// A line as the terminal has room for it; elsewhere as it is.
pub(crate) fn folded(line: &str, hang: usize) -> String {
    terminal().map_or_else(|| line.to_owned(), |(columns, _)| fold(line, hang, columns))
}

fn fold(line: &str, hang: usize, columns: usize) -> String {
    // An option, an area's name, a path or a password's hash is to be read, and copied, whole: what is longer than the terminal
    // is left to it.
    wrapped(line, hang, columns, false).join("\n")
}

/// The rows of a line on a screen of so many columns, which breaks nothing by itself: a word that is longer is broken too.
pub(crate) fn rows(line: &str, hang: usize, columns: usize) -> Vec<String> {
    wrapped(line, hang, columns, true)
}

fn wrapped(line: &str, hang: usize, columns: usize, break_words: bool) -> Vec<String> {
    // What hangs too far in has no room left.
    let further = " ".repeat(hang.min(columns / 2));
    let options = textwrap::Options::new(columns)
        .subsequent_indent(&further)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(break_words);
    textwrap::wrap(line, options).into_iter().map(std::borrow::Cow::into_owned).collect()
}

/// Spaces before the first word.
fn leading(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// How something stands. Where the terminal takes colours, and NO_COLOR is not set, it is seen at a glance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// As it should be.
    Well,
    /// Near its limit, or not done.
    Near,
    /// To be put right.
    Wrong,
}

impl Tone {
    /// This text in the tone's colour.
    pub(crate) fn of(self, text: &str) -> String {
        let style = self.style();
        format!("{style}{text}{style:#}")
    }

    const fn style(self) -> Style {
        Style::new().bold().fg_color(Some(Color::Ansi(match self {
            Self::Well => AnsiColor::Green,
            Self::Near => AnsiColor::Yellow,
            Self::Wrong => AnsiColor::Red,
        })))
    }
}

/// The text as it may be printed: much of it was written by others. Of what is not seen, the ends of lines and the colours of [`Tone`]
/// alone are this program's own.
fn shown(text: &str) -> String {
    let own: Vec<String> = [Tone::Well, Tone::Near, Tone::Wrong].iter().map(|tone| tone.style().to_string()).collect();
    let own: Vec<&str> = own.iter().map(String::as_str).chain(["\u{1b}[0m", "\n"]).collect();
    let (mut all, mut rest) = (String::new(), text);
    while let Some((at, mark)) = own.iter().filter_map(|mark| Some((rest.find(mark)?, *mark))).min() {
        let (before, after) = rest.split_at(at);
        all += &text::shown(before);
        all += mark;
        rest = after.strip_prefix(mark).unwrap_or_default();
    }
    all + &text::shown(rest)
}

impl From<Verdict> for Tone {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Well,
            Verdict::Marginal => Self::Near,
            Verdict::Fail => Self::Wrong,
        }
    }
}

/// Writes a line as it is, for a program that reads lines.
///
/// # Errors
/// If standard output is gone.
pub(crate) fn raw(line: &str) -> std::io::Result<()> {
    write(line)
}

fn write(text: &str) -> std::io::Result<()> {
    let open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = anstream::stdout().lock();
    let text = shown(text);
    match open.as_deref() {
        // The line has its own place, and the question stays the last thing said.
        Some(question) => write!(out, "\n{text}\n{question} ")?,
        None => writeln!(out, "{text}")?,
    }
    out.flush()
}

/// The question that waits for its answer on the same line.
static OPEN: Mutex<Option<String>> = Mutex::new(None);

/// A question that waits for its answer on the same line; whatever is said meanwhile comes before it.
pub(crate) struct Question(());

impl Question {
    /// Asks it.
    ///
    /// # Errors
    /// If standard output is gone.
    pub(crate) fn ask(text: &str) -> std::io::Result<Self> {
        let text = shown(&folded(text, 0));
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut out = std::io::stdout().lock();
        write!(out, "{text} ")?;
        out.flush()?;
        *open = Some(text);
        Ok(Self(()))
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        *OPEN.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Writes a value to standard output as compact JSON on one line.
///
/// # Errors
/// If standard output is gone.
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", escaped(&serde_json::to_string(value)?))?;
    Ok(out.flush()?)
}

/// The same JSON, with each character escaped that a terminal would obey or not show.
fn escaped(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        if text::is_unseen(character) {
            let units =
                character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
            escaped.push_str(&units);
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// Writes a complaint to standard error. Where that is gone, nobody is left to be told.
pub(crate) fn complain(text: &str) {
    let text = format!("{} {text}", Tone::Wrong.of("tumblerctl:"));
    let text = size(std::io::stderr()).map_or_else(|| text.clone(), |(columns, _)| fold(&text, 2, columns));
    let _ = writeln!(anstream::stderr(), "{}", shown(&text));
}

/// Writes a table for people: without lines, so that it can be copied. Where the terminal is too narrow for it, each of `of` is
/// said in words.
///
/// # Errors
/// If standard output is gone.
pub(crate) fn table<T, const N: usize>(
    head: [&str; N],
    of: &[T],
    row: impl Fn(&T) -> [String; N],
    words: impl Fn(&T) -> String,
) -> std::io::Result<()> {
    let lines = laid_out(head, of.iter().map(row));
    let widest = lines.iter().map(|line| display_width(line)).max().unwrap_or_default();
    if terminal().is_none_or(|(columns, _)| widest <= columns) {
        return write(&lines.join("\n"));
    }
    of.iter().try_for_each(|one| line(&words(one)))
}

/// The lines of a table, its head first. A cell that has several lines makes several.
pub(crate) fn laid_out<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> Vec<String> {
    let mut table = comfy_table::Table::new();
    table.load_preset(comfy_table::presets::NOTHING).set_header(head);
    table.add_rows(rows);
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_neither_moves_the_cursor_nor_turns_the_line() {
        let red = Tone::Wrong.of("MALFUNCTION");
        assert_eq!(shown(&format!("{red} dome\n陳美玲")), format!("{red} dome\n陳美玲"));
        assert_eq!(shown("a\u{1b}[2Jb\u{1b}]0;x\u{7}\u{9b}8m"), "a\u{fffd}[2Jb\u{fffd}]0;x\u{fffd}\u{fffd}8m");
        assert_eq!(shown("1-2\u{202e}3\u{200b}\r"), "1-2\u{fffd}3\u{fffd}\u{fffd}");
    }

    #[test]
    fn json_says_the_same_and_moves_no_cursor() {
        let said = "陳\u{1b}[2J\u{9b}1-2\u{202e}3\u{e0041}\"\\";
        let json = escaped(&serde_json::to_string(said).unwrap());
        assert!(!json.chars().any(text::is_unseen) && json.contains("\\udb40\\udc41"), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).unwrap(), said);
    }

    #[test]
    fn a_long_line_goes_on_further_in_and_its_words_stay_whole() {
        assert_eq!(fold("it fits", 2, 7), "it fits");
        assert_eq!(fold("  reset lamps --rectified", 4, 20), "  reset lamps\n    --rectified");
        assert_eq!(
            fold("display            open and closed", 19, 28),
            "display            open and\n              closed"
        );
        assert_eq!(fold("jo:$argon2id$v=19$m=19456,t=2,p=1$abc", 2, 20), "jo:$argon2id$v=19$m=19456,t=2,p=1$abc");
        let red = Tone::Wrong.of("MALFUNCTION");
        assert_eq!(fold(&format!("{red} dome"), 2, 16), format!("{red} dome"), "a colour takes no room");
        assert_eq!(fold("骰子 骰子", 0, 5), "骰子\n骰子", "by the columns that they take");
    }
}
