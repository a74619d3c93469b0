//! A slip of the pen in any name of a scenario, of the catalogue or of a bench's file is found when the file is read, and told with its
//! line. Each kind of name that stands in `fixtures` is spelled wrongly once, one letter at a time, wherever it comes first; what may hold
//! any words is listed below, with the reason.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};
use tumbler_bench::BadFiles;
use tumbler_bench::file::BenchFile;
use tumbler_hil::fault;
use tumbler_hil::scenario::{file, read_all};

/// Keys whose values are for people, or are names that only the file itself or a machine knows.
const FREE: &[(&str, &str)] = &[
    ("about", "a sentence for people"),
    ("reason", "a sentence for people: why a bench cannot run something"),
    ("why", "a sentence for people, where the catalogue has it"),
    ("name", "the name of a variant, which this file gives"),
    ("table_chip", "what a kernel calls its chip"),
    ("rig_chip", "what a kernel calls its chip"),
    ("reach", "a command of the machine"),
    ("table", "a pin or a port of the machine"),
    ("rig", "a pin or a port of the machine"),
];

/// So many slips of a file are tried at once, each in a line of its own.
const TOGETHER: usize = 64;

/// Fields of records that hold words for people. Where there must be such a record, a slip fails the run; `no record` does not take them.
const WORDS: &[&str] = &["what=", "remark=", "found=", "cause=", "test="];

/// One letter of a name that is changed: where, to what, and in which line.
struct Slip {
    at: usize,
    letter: char,
    line: usize,
    name: String,
}

/// The text with these slips in it. Letters are ASCII, so that everything keeps its place.
fn slipped(text: &str, slips: &[&Slip]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for slip in slips {
        bytes[slip.at] = slip.letter as u8;
    }
    String::from_utf8(bytes).unwrap()
}

/// Slips that are tried at once.
fn together(slips: &[Slip]) -> Vec<Vec<&Slip>> {
    let mut all: Vec<Vec<&Slip>> = Vec::new();
    for slip in slips {
        let has_room =
            |tried: &&mut Vec<&Slip>| tried.len() < TOGETHER && tried.iter().all(|other| other.line != slip.line);
        match all.iter_mut().find(has_room) {
            Some(tried) => tried.push(slip),
            None => all.push(vec![slip]),
        }
    }
    all
}

/// The names of a file's text, each kind of place and name once for all files.
struct Names<'t> {
    text: &'t str,
    /// Places with their names that came before.
    seen: &'t mut BTreeSet<(String, String)>,
    slips: Vec<Slip>,
}

impl Names<'_> {
    fn table(&mut self, table: &DeTable<'_>, place: &str) {
        for (key, value) in table {
            // Keys of variants and patterns are the file's own: renamed, nothing uses them, and what used them is missing.
            self.word(key.span().start, key.get_ref(), place);
            let free = FREE.iter().any(|(free, _)| free == key.get_ref()) && !place.ends_with(".variant");
            let named = place.ends_with(".variant") && key.get_ref() == "name";
            if !free && !named {
                self.value(value.get_ref(), &value.span(), &format!("{place}.{}", key.get_ref()));
            }
        }
    }

    fn value(&mut self, value: &DeValue<'_>, at: &Range<usize>, place: &str) {
        match value {
            DeValue::String(_) => {
                let (begins, ends) = (at.start + 1, at.end - 1);
                let text = &self.text[begins..ends];
                let mut after = String::new();
                for (offset, word) in names(text) {
                    self.word(begins + offset, word, &format!("{place}: {after}"));
                    after = word.to_owned();
                }
            }
            DeValue::Array(all) => {
                all.iter().for_each(|each| self.value(each.get_ref(), &each.span(), place));
            }
            DeValue::Table(table) => self.table(table, place),
            _ => {}
        }
    }

    /// Changes each letter of a name in turn.
    fn word(&mut self, at: usize, word: &str, place: &str) {
        if !self.text[at..].starts_with(word) || !self.seen.insert((place.to_owned(), word.to_owned())) {
            return;
        }
        let middle = word.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()).map(|(at, _)| at);
        let letters: Vec<usize> = middle.collect();
        // Every letter is too many for one test; which one it is varies from name to name.
        let Some(letter) = letters.get((at + word.len()) % letters.len().max(1)) else { return };
        let change = if &word[*letter..=*letter] == "q" { 'x' } else { 'q' };
        let mut name = word.to_owned();
        name.replace_range(*letter..=*letter, &change.to_string());
        let line = self.text[..at].matches('\n').count() + 1;
        self.slips.push(Slip { at: at + letter, letter: change, line, name });
    }
}

/// The names in a text, with where each begins: not words of one's own after a citation, nor what a command is answered, where a slip
/// fails the run.
fn names(text: &str) -> Vec<(usize, &str)> {
    let ends = |from: usize| {
        // A colon ends what is cited, after the one that ends `void REASON:` or `settled:`.
        let colons = text[from..].match_indices(':').map(|(at, _)| from + at + 1);
        let mut after = colons.filter(|at| text[*at..].starts_with(' ') || *at == text.len());
        let first = after.next();
        let ending = ["void", "settled", "unfinished", "{"].iter().any(|word| text.starts_with(word));
        let end = if ending { after.next() } else { first };
        end.unwrap_or(text.len())
    };
    let answer = ["answer refused ", "answer done "].iter().find_map(|words| Some(text.find(words)? + words.len()));
    let end = match (text.find(" because "), answer) {
        (Some(because), _) => ends(because),
        (None, Some(answer)) => answer,
        (None, None) => ends(0),
    };
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut names = Vec::new();
    let mut words = 0;
    for word in text[..end].split_inclusive(char::is_whitespace) {
        let free = WORDS.iter().any(|field| word.starts_with(field));
        let mut from = words;
        for part in word.split_inclusive(|c: char| !is_part(c)) {
            let name = part.trim_end_matches(|c: char| !is_part(c)).trim_end_matches('.');
            if !(name.is_empty() || free && from > words) {
                names.push((from, name));
            }
            from += part.len();
        }
        words += word.len();
    }
    names
}

/// Slips that are not refused, or not with their line.
fn passed<T>(
    path: &Path,
    seen: &mut BTreeSet<(String, String)>,
    read: impl Fn(&str) -> Result<T, BadFiles>,
) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    assert!(read(&text).is_ok(), "{}", path.display());
    let mut names = Names { text: &text, seen, slips: Vec::new() };
    names.table(DeTable::parse(&text).unwrap().get_ref(), "");
    let count = names.slips.len();
    let is_told = |bad: &BadFiles, slip: &Slip| {
        let BadFiles(all) = bad;
        all.iter().any(|problem| problem.at.is_some_and(|(line, _)| line == slip.line))
    };
    // What is not told beside others is tried alone.
    let left = together(&names.slips).into_iter().flat_map(|together| {
        let told = read(&slipped(&text, &together)).err();
        together.into_iter().filter(move |slip| !told.as_ref().is_some_and(|bad| is_told(bad, slip)))
    });
    let wrong = left.filter_map(|slip| {
        let at = format!("{}:{}: `{}`", path.file_name().unwrap().to_string_lossy(), slip.line, slip.name);
        match read(&slipped(&text, &[slip])) {
            Ok(_) => Some(format!("{at} is accepted")),
            Err(bad) if is_told(&bad, slip) => None,
            Err(bad) => Some(format!("{at} is told elsewhere: {bad}")),
        }
    });
    let wrong = wrong.collect();
    (count, wrong)
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}

fn files(directory: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(fixtures().join(directory)).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// All slips of these files together.
fn all_of<T>(files: &[PathBuf], least: usize, read: impl Fn(&Path, &str) -> Result<T, BadFiles>) {
    let (mut seen, mut count, mut wrong) = (BTreeSet::new(), 0, Vec::new());
    for path in files {
        let (more, passed) = passed(path, &mut seen, |text| read(path, text));
        count += more;
        wrong.extend(passed);
    }
    assert!(wrong.is_empty(), "{} of {count} slips:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= least, "only {count} names were found");
}

#[test]
fn every_name_in_scenarios_is_known() {
    all_of(&files("scenarios"), 1000, file::parse);
}

#[test]
fn every_name_in_the_catalogue_is_known() {
    all_of(&[fixtures().join("faults.toml")], 500, fault::read::parse);
}

#[test]
fn every_name_in_benches_is_known() {
    let place = tempfile::tempdir().unwrap();
    let benches = place.path().join("benches");
    std::fs::create_dir(&benches).unwrap();
    for shared in ["scenarios", "faults.toml"] {
        std::os::unix::fs::symlink(fixtures().join(shared), place.path().join(shared)).unwrap();
    }
    let trials = read_all(&fixtures().join("scenarios")).unwrap();
    let trials: Vec<&str> = trials.iter().map(|trial| trial.name.as_str()).collect();
    all_of(&files("benches"), 50, |_, text| {
        let path = benches.join("slip.toml");
        std::fs::write(&path, text).unwrap();
        BenchFile::read(&path)?.check_cannot(&trials)
    });
}

#[test]
fn names_end_where_words_of_ones_own_begin() {
    let of = |text| names(text).into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(of("expect dark because NZ 7.4: no game"), ["expect", "dark", "because", "NZ", "7.4"]);
    assert_eq!(of("void not-flat: by decision"), ["void", "not-flat", "by", "decision"]);
    assert_eq!(of("settled 1 3 6: silent: why"), ["settled", "1", "3", "6", "silent"]);
    assert_eq!(of("wait record noted what=the_tumbler"), ["wait", "record", "noted", "what"]);
    assert_eq!(of("fault lamp.open:small"), ["fault", "lamp.open", "small"]);
    assert_eq!(of("answer refused No spin"), ["answer", "refused"]);
}
