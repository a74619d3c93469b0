//! Reads the files and merges them: each key with its value and where it was set last.

use super::hazard;
use super::keys::{self, SECTIONS, shown};
use super::problem::{Problem, meant, nearest};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};
use toml::{Spanned, Value};

/// A value and where it was set.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) value: Value,
    pub(super) file: PathBuf,
    pub(super) line: usize,
}

/// The merged files: section and key to value.
pub(super) type Tree = BTreeMap<(String, String), Leaf>;

/// A configuration is some hundred lines; more than this is another file.
const LONGEST: u64 = 1024 * 1024;

/// `FILE`, then `FILE.d/*.toml` in the order of their names.
pub(super) fn files(path: &Path, problems: &mut Vec<Problem>) -> Vec<PathBuf> {
    let mut dir = path.as_os_str().to_owned();
    dir.push(".d");
    let dir = PathBuf::from(dir);
    let mut fragments = Vec::new();
    match std::fs::read_dir(&dir) {
        Ok(entries) => {
            hazard::writable_by_others(&dir, problems);
            let names = entries.flatten().map(|entry| entry.path());
            // What is hidden is an editor's, such as the link `.#mqtt.toml` that says who edits it.
            let is_hidden =
                |path: &Path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            fragments
                .extend(names.filter(|path| path.extension().is_some_and(|ext| ext == "toml") && !is_hidden(path)));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => problems.push(Problem::of_file(
            &dir,
            None,
            format!("the fragments cannot be listed: {error}"),
            "make the directory readable, or remove it",
        )),
    }
    fragments.sort();
    let mut files = vec![path.to_owned()];
    files.append(&mut fragments);
    files
}

/// Reads one file into the tree, over what is in it already.
pub(super) fn read(file: &Path, tree: &mut Tree, problems: &mut Vec<Problem>) {
    let text = match content(file) {
        Ok(text) => text,
        Err(why) => {
            let allowed = "give the path of a TOML file that this account may read";
            problems.push(Problem::of_file(file, None, format!("cannot be read: {why}"), allowed));
            return;
        }
    };
    let (parsed, errors) = DeTable::parse_recoverable(&text);
    for error in &errors {
        let line = error.span().map(|span| line_at(&text, span.start));
        let found = error.message().lines().collect::<Vec<_>>().join(", ");
        problems.push(Problem::of_file(file, line, format!("this is not TOML: {found}"), "see https://toml.io"));
    }
    for (section, content) in parsed.get_ref() {
        let line = line_at(&text, section.span().start);
        let name = section.get_ref().as_ref();
        let problem = |problem: String, allowed: String| Problem {
            file: file.to_owned(),
            line: Some(line),
            path: name.to_owned(),
            problem,
            allowed,
        };
        let known = SECTIONS.contains(&name);
        match content.get_ref() {
            DeValue::Table(keys) if known => {
                for (key, value) in keys {
                    let leaf = Leaf {
                        value: plain(value, &text),
                        file: file.to_owned(),
                        line: line_at(&text, key.span().start),
                    };
                    put(name, key.get_ref(), leaf, tree, problems);
                }
            }
            DeValue::Table(_) => {
                let (near, all) = match nearest(name, SECTIONS) {
                    Some(near) => (meant(&[format!("[{near}]")]), String::new()),
                    None => (String::new(), sections()),
                };
                problems.push(problem(format!("there is no section [{name}]{near}"), all));
            }
            _ if known => {
                let found = shown(&plain(content, &text));
                problems.push(problem(
                    format!("{found} is not a section"),
                    format!("write [{name}] and its keys below it"),
                ));
            }
            _ => {
                let homes: Vec<String> =
                    keys::all().filter(|key| key.name == name).map(|key| format!("[{}]", key.section)).collect();
                let allowed =
                    if homes.is_empty() { sections() } else { format!("write it below {}", homes.join(" or ")) };
                problems.push(problem("this key stands outside any section".into(), allowed));
            }
        }
    }
}

/// Puts a value into the tree if its key is known and its value allowed.
fn put(section: &str, name: &str, leaf: Leaf, tree: &mut Tree, problems: &mut Vec<Problem>) {
    let mut problem = |problem: String, allowed: String| {
        let path = format!("{section}.{name}");
        problems.push(Problem { file: leaf.file.clone(), line: Some(leaf.line), path, problem, allowed });
    };
    let Some(key) = keys::find(section, name) else {
        let names = keys::names(section);
        let found = shown(&leaf.value);
        let (near, allowed) = match (nearest(name, names.iter().copied()), keys::all().find(|key| key.name == name)) {
            (Some(near), _) => (meant(&[format!("`{near}`")]), String::new()),
            (None, Some(key)) => (String::new(), format!("it belongs below [{}]", key.section)),
            (None, None) => (String::new(), format!("the keys of [{section}] are {}", names.join(", "))),
        };
        problem(format!("there is no such key (its value is {found}){near}"), allowed);
        return;
    };
    if let Err(wrong) = key.kind.check(&leaf.value) {
        match keys::near(key.kind, &leaf.value) {
            Some(near) => problem(
                format!("{} is not known here{}", shown(&leaf.value), meant(&[format!("\"{near}\"")])),
                String::new(),
            ),
            None => problem(wrong, format!("allowed is {}", key.kind)),
        }
    }
    // A wrong value is kept as well: the key is not missing.
    tree.insert((section.to_owned(), name.to_owned()), leaf);
}

/// Which sections there are.
fn sections() -> String {
    format!("the sections are {}", SECTIONS.map(|section| format!("[{section}]")).join(", "))
}

fn content(file: &Path) -> Result<String, String> {
    crate::file::read_text(file, LONGEST).map_err(|error| error.to_string())
}

/// The line, counted from 1, in which this byte lies.
fn line_at(text: &str, byte: usize) -> usize {
    text.as_bytes().iter().take(byte).filter(|b| **b == b'\n').count() + 1
}

/// The value without its places in this text.
fn plain(value: &Spanned<DeValue<'_>>, text: &str) -> Value {
    match value.get_ref() {
        DeValue::String(text) => Value::String(text.as_ref().to_owned()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => Value::Integer(number),
            // Too long for any key: shown as it was written.
            Err(_) => Value::String(number.to_string()),
        },
        DeValue::Float(number) => match number.as_str().parse() {
            Ok(number) => Value::Float(number),
            Err(_) => Value::String(number.to_string()),
        },
        DeValue::Boolean(value) => Value::Boolean(*value),
        // What began as a date and is none has no part of one, and toml panics when it is to write it.
        DeValue::Datetime(date) if date.date.is_none() && date.time.is_none() => {
            Value::String(text.get(value.span()).unwrap_or_default().to_owned())
        }
        DeValue::Datetime(date) => Value::Datetime(*date),
        DeValue::Array(list) => Value::Array(list.iter().map(|value| plain(value, text)).collect()),
        DeValue::Table(table) => {
            let entries = table.iter().map(|(key, value)| (key.get_ref().as_ref().to_owned(), plain(value, text)));
            Value::Table(entries.collect())
        }
    }
}
