//! Every key of the configuration: its type, what is allowed, and its default. `systemd/tumblerd.toml` shows them with examples.

use std::fmt;
use std::path::{Component, Path};
use toml::Value;
use tumbler_core::settings::Parameters;
use tumbler_core::text;

/// Most characters of a text. Groups, chips and host names have fewer; of a client id MQTT would take 65,535 bytes, which
/// brokers need not (MQTT 5, 3.1.3.1) and nobody reads.
const LONGEST_TEXT: usize = 256;
/// Most characters of a path: the kernel's PATH_MAX without its end.
const LONGEST_PATH: usize = 4095;

/// The user id that stands for none (setreuid(2)).
const NOBODY: u32 = u32::MAX;

/// What a key's value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name that people read, as the core checks it.
    Name,
    /// Some other text.
    Text,
    /// A path that does not depend on where the daemon was started.
    Path,
    /// `true` or `false`.
    Bool,
    /// A whole number in this range, in this unit.
    Number(i64, i64, &'static str),
    /// One of these numbers.
    OneNumber(&'static [i64]),
    /// One of these words.
    OneWord(&'static [&'static str]),
    /// A list of user ids.
    UserIds,
    /// A line of the GPIO chip.
    Pin,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => write!(f, "a text of 1 to {} characters, all of which are seen", text::LONGEST_NAME),
            Self::Text => write!(f, "a text of 1 to {LONGEST_TEXT} characters, all of which are seen"),
            Self::Path => f.write_str("an absolute path without \"..\""),
            Self::Bool => f.write_str("true or false"),
            Self::Number(min, max, "") => write!(f, "a whole number from {min} to {max}"),
            Self::Number(min, max, unit) => write!(f, "a whole number from {min} to {max} {unit}"),
            Self::OneNumber(numbers) => {
                let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
                write!(f, "one of {}", words.join(", "))
            }
            Self::OneWord(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                write!(f, "one of {}", words.join(", "))
            }
            Self::Pin => f.write_str(super::pin::ALLOWED),
            Self::UserIds => f.write_str("a list of user ids, such as [1000, 1001]"),
        }
    }
}

impl Kind {
    /// Whether a value is one of these; otherwise what is wrong with it.
    pub(super) fn check(self, value: &Value) -> Result<(), String> {
        let number = |number: &i64| format!("{number} is out of range");
        match (self, value) {
            (Self::Name | Self::Text, Value::String(text)) if text.trim().is_empty() => Err("the text is empty".into()),
            (Self::Path, Value::String(text)) if !text.starts_with('/') => {
                Err(format!("\"{text}\" is not an absolute path"))
            }
            (Self::Path, Value::String(found))
                if Path::new(found).components().any(|part| part == Component::ParentDir) =>
            {
                Err(format!("\"{found}\" goes back by \"..\""))
            }
            (Self::Name, Value::String(found)) => text::name(found).map_err(|why| why.to_string()),
            (Self::Text, Value::String(found)) => {
                text::check("text", LONGEST_TEXT, found).map_err(|why| why.to_string())
            }
            (Self::Path, Value::String(found)) => {
                text::check("path", LONGEST_PATH, found).map_err(|why| why.to_string())
            }
            (Self::Bool, Value::Boolean(_)) => Ok(()),
            (Self::Number(min, max, _), Value::Integer(found)) if (min..=max).contains(found) => Ok(()),
            (Self::Number(..), Value::Integer(found)) => Err(number(found)),
            (Self::OneNumber(numbers), Value::Integer(found)) if numbers.contains(found) => Ok(()),
            (Self::OneNumber(_), Value::Integer(found)) => Err(format!("{found} is none of these")),
            (Self::OneWord(words), Value::String(found)) if words.contains(&found.as_str()) => Ok(()),
            (Self::OneWord(_), Value::String(found)) => Err(format!("\"{found}\" is none of these")),
            (Self::UserIds, Value::Array(ids)) => {
                let wrong = ids
                    .iter()
                    .find(|id| id.as_integer().is_none_or(|id| u32::try_from(id).map_or(true, |id| id == NOBODY)));
                wrong.map_or(Ok(()), |wrong| Err(format!("{wrong} is no user id")))
            }
            (Self::Pin, Value::String(text)) => super::pin::Pin::try_from(text.clone()).map(|_| ()),
            (_, found) => Err(format!("{} is {}", shown(found), article(found))),
        }
    }
}

/// The word that may have been meant by a value that is none.
pub(super) fn near(kind: Kind, value: &Value) -> Option<&'static str> {
    match (kind, value) {
        (Kind::OneWord(words), Value::String(found)) => super::problem::nearest(found, words.iter().copied()),
        _ => None,
    }
}

/// A value as it may be shown in a message: short, on one line.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string().replace('\n', " ");
    if text.chars().count() <= 60 {
        return text;
    }
    let start: String = text.chars().take(57).collect();
    format!("{start}...")
}

const fn article(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a broken number",
        Value::Boolean(_) => "a yes or no",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "a list",
        Value::Table(_) => "a section",
    }
}

/// A key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    /// Section and name.
    pub(super) section: &'static str,
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    /// Whether it has no default.
    pub(super) required: bool,
}

const fn key(section: &'static str, name: &'static str, kind: Kind) -> Key {
    Key { section, name, kind, required: false }
}
const fn required(section: &'static str, name: &'static str, kind: Kind) -> Key {
    Key { section, name, kind, required: true }
}

/// The sections, in the order in which they are shown.
pub(super) const SECTIONS: [&str; 12] = [
    "table",
    "hardware",
    "lines",
    "bus",
    "journal",
    "mqtt",
    "console",
    "panel",
    "network",
    "log",
    "house",
    "parameters",
];

const KEYS: &[Key] = &[
    required("table", "site", Kind::Name),
    required("table", "table", Kind::Name),
    required("table", "rules", Kind::Text),
    required("table", "layout", Kind::Text),
    required("hardware", "backend", Kind::OneWord(&["cdev", "rppal", "virtual"])),
    key("hardware", "socket", Kind::Path),
    key("hardware", "chip", Kind::Text),
    // The board has four; which pin each is on, and whether, says its device tree.
    key("hardware", "motor_pwm", Kind::Number(0, 3, "")),
    // Above some 20 kHz nobody hears it, and the motor's inductance smooths it; drivers end at 20 to 100 kHz.
    key("hardware", "motor_pwm_hz", Kind::Number(100, 100_000, "Hz")),
    key("hardware", "motor_pwm_percent", Kind::Number(1, 100, "%")),
    key("hardware", "reader", Kind::Bool),
    key("hardware", "temperature", Kind::OneWord(&["none", "wires", "lm75", "pct2075"])),
    key("hardware", "temperature_bus", Kind::Path),
    // What the sensors' three address pins can make of their base address.
    key("hardware", "temperature_address", Kind::Number(0x48, 0x4f, "(0x48 to 0x4f)")),
    required("bus", "port", Kind::Path),
    key("bus", "baud", Kind::OneNumber(&[9600, 19200, 38400, 57600, 115_200])),
    key("bus", "turnaround_ms", Kind::Number(1, 200, "ms")),
    key("bus", "timeout_ms", Kind::Number(5, 500, "ms")),
    key("journal", "state_dir", Kind::Path),
    key("journal", "run_dir", Kind::Path),
    key("mqtt", "enabled", Kind::Bool),
    key("mqtt", "url", Kind::Text),
    key("mqtt", "client_id", Kind::Text),
    key("mqtt", "username", Kind::Text),
    key("mqtt", "password_file", Kind::Path),
    key("mqtt", "password_in_clear", Kind::Bool),
    // rumqttc panics under 5 s; a broker that is gone is noticed after twice this.
    key("mqtt", "keep_alive_s", Kind::Number(5, 600, "s")),
    key("mqtt", "ca_file", Kind::Path),
    key("mqtt", "cert_file", Kind::Path),
    key("mqtt", "key_file", Kind::Path),
    key("console", "socket", Kind::Path),
    key("console", "supervisor_group", Kind::Text),
    key("console", "manager_group", Kind::Text),
    key("console", "technician_group", Kind::Text),
    key("console", "supervisor_uids", Kind::UserIds),
    key("console", "manager_uids", Kind::UserIds),
    key("console", "technician_uids", Kind::UserIds),
    key("panel", "enabled", Kind::Bool),
    key("panel", "listen", Kind::Text),
    key("panel", "host", Kind::Text),
    key("panel", "accounts_file", Kind::Path),
    key("network", "user", Kind::Text),
    key("network", "socket", Kind::Path),
    key("network", "run_dir", Kind::Path),
    key("log", "format", Kind::OneWord(&["text", "json"])),
    key("log", "level", Kind::OneWord(&["error", "warn", "info", "debug", "trace"])),
    key("house", "document", Kind::Text),
    key("house", "motor_held", Kind::OneWord(&["person", "void"])),
    key("house", "spin_lost", Kind::OneWord(&["person", "void"])),
    key("house", "wrong_dice", Kind::OneWord(&["person", "void"])),
];

/// All keys, those of `[parameters]` included.
pub(super) fn all() -> impl Iterator<Item = Key> {
    let parameters = Parameters::TABLE.iter().map(|parameter| {
        let kind = Kind::Number(i64::from(parameter.min), i64::from(parameter.max), parameter.unit);
        key("parameters", parameter.name, kind)
    });
    let lines = super::pin::header().into_iter().map(|(line, _)| key("lines", line, Kind::Pin));
    KEYS.iter().copied().chain(lines).chain(parameters)
}

/// The names of a section's keys.
pub(super) fn names(section: &str) -> Vec<&'static str> {
    all().filter(|key| key.section == section).map(|key| key.name).collect()
}

/// The key of this name in this section.
pub(super) fn find(section: &str, name: &str) -> Option<Key> {
    all().find(|key| key.section == section && key.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_shows_every_key() {
        let sample = include_str!("../../../systemd/tumblerd.toml");
        let mut section = "";
        let mut shown = Vec::new();
        for line in sample.lines() {
            let line = line.trim_start_matches("# ");
            if let Some(name) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                section = name;
            } else if let Some((name, _)) = line.split_once(" = ") {
                shown.push((section, name));
            }
        }
        for key in KEYS {
            assert!(shown.contains(&(key.section, key.name)), "the sample has no {}.{}", key.section, key.name);
        }
        for section in SECTIONS {
            assert!(shown.iter().any(|(of, _)| *of == section), "the sample has nothing of [{section}]");
        }
        for (section, name) in shown {
            assert!(find(section, name).is_some(), "there is no {section}.{name}");
        }
    }
}
