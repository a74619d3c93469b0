//! All words of the language with a line of meaning each: for the page of the scenarios, and for `tumbler-hil steps`. The names come from
//! what reads them; the meanings of what the daemon names too, from its schemas and pages.

use super::forms::{self, Form};
use super::step::{Cause, Stage};
use super::{grounds, names};
use crate::citation;
use serde_json::Value;
use std::sync::OnceLock;
use toml::Table;
use tumbler_bench::AnyFault;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::prompt::PromptId;
use tumbler_core::record::Kind;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules;
use tumbler_core::settings::{Parameter, Parameters};
use tumbler_core::snapshot::Phase;

/// Words of one kind.
#[derive(Clone, Debug)]
pub struct Section {
    /// What they are.
    pub title: &'static str,
    /// The words, with what they mean.
    pub words: Vec<(String, String)>,
}

/// All words, in the order in which a reader meets them.
#[must_use]
pub fn all() -> Vec<Section> {
    let section = |title, words| Section { title, words };
    vec![
        section("steps: people", of_forms(forms::PEOPLE)),
        section("steps: things that break", of_forms(forms::BREAKS)),
        section("steps: time and checks", of_forms(forms::LOOKS)),
        section("checks", of_forms(forms::CHECKS)),
        section("commands", of_forms(forms::COMMANDS)),
        section("stages", Stage::ALL.iter().map(|(name, stage)| told(name, stage.about())).collect()),
        section("phases", of_schema(STATE, "Phase", &Phase::ALL.map(Phase::name))),
        section("causes", Cause::ALL.iter().map(|(name, cause)| told(name, cause.about())).collect()),
        section(
            "lines",
            InLine::ALL.iter().map(|line| told(line.name(), row("virtual-wire.md", line.name(), 1))).collect(),
        ),
        section("faults", AnyFault::entries().map(|entry| told(entry.id, &fault(entry.id))).collect()),
        section("malfunctions", of_schema(STATE, "Code", &Code::ALL.map(Code::name))),
        section("kinds of records", Kind::ALL.iter().map(|kind| told(kind.name(), names::about(*kind))).collect()),
        section("prompts", of_schema(STATE, "PromptId", &PromptId::ALL.map(PromptId::name))),
        section("hardware tests", of_schema(EVENT, "HardwareTest", &HardwareTest::ALL.map(HardwareTest::name))),
        section("reasons of voids", of_schema(EVENT, "VoidReason", &VoidReason::ALL.map(VoidReason::name))),
        section("grounds of voids", grounds::names().map(|name| told(name, &clauses(name))).collect()),
        section("parameters", Parameters::TABLE.iter().map(|of| told(of.name, &range(of))).collect()),
        section("rule sets", rules::all().iter().map(|set| told(&set.id, &set.title)).collect()),
        section("layouts", rules::layouts().map(|layout| told(&layout.id, &layout.source)).collect()),
    ]
}

fn clauses(ground: &str) -> String {
    let all = rules::all().iter().filter_map(|set| grounds::clauses(&set.id, &[ground]).ok());
    all.filter(|clauses| !clauses.is_empty()).collect::<Vec<_>>().join("; ")
}

fn range(of: &Parameter) -> String {
    format!("{} to {} {}: {}", of.min, of.max, of.unit, of.why)
}

/// The table of these forms, as the page has it.
#[must_use]
pub fn table(head: &str, forms: &[Form]) -> String {
    let row = |form: &Form| {
        let words: Vec<String> = form.words.iter().map(|words| format!("`{}`", words.replace('|', "\\|"))).collect();
        format!("| {} | {} |\n", words.join(", "), form.about)
    };
    let rows: String = forms.iter().map(row).collect();
    format!("| {head} | |\n| --- | --- |\n{rows}")
}

fn of_forms(all: &[Form]) -> Vec<(String, String)> {
    all.iter().map(|form| (form.words.join(", "), plain(form.about))).collect()
}

fn told(name: &str, about: &str) -> (String, String) {
    (name.to_owned(), plain(about))
}

/// A text of a page without its links.
fn plain(text: &str) -> String {
    let mut parts = text.split("](");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push_str(part.split_once(')').map_or(part, |(_, after)| after));
    }
    plain.replace(" ([", " (see ").replace('[', "")
}

const STATE: &str = include_str!("../../../daemon/docs/schema/state.json");
const EVENT: &str = include_str!("../../../daemon/docs/schema/event.json");

/// What a fault does: what the page of the faults says, or of which faults there it is a part.
fn fault(id: &str) -> String {
    let about = row("faults.md", id, 1);
    if !about.is_empty() {
        return about.to_owned();
    }
    // Tests hold the catalogue to the page.
    let catalogue: Table = toml::from_str(include_str!("../../../fixtures/faults.toml")).unwrap_or_default();
    let rows = catalogue.get("fault").and_then(toml::Value::as_array).into_iter().flatten();
    let breaks = |row: &&toml::Value| {
        let steps = row.get("inject").and_then(toml::Value::as_array).into_iter().flatten();
        steps.filter_map(toml::Value::as_str).flat_map(|line| line.split([' ', ';', ':'])).any(|word| word == id)
    };
    let ids: Vec<&str> = rows.filter(breaks).filter_map(|row| row.get("id")?.as_str()).collect();
    format!("Part of these: {}", ids.join(", "))
}

/// What the schema says of each value of a type. Tests hold the schemas to the core.
fn of_schema(schema: &'static str, of: &str, names: &[&str]) -> Vec<(String, String)> {
    static READ: OnceLock<[Value; 2]> = OnceLock::new();
    let read = READ.get_or_init(|| [STATE, EVENT].map(|text| serde_json::from_str(text).unwrap_or_default()));
    let all = read
        .get(usize::from(schema == EVENT))
        .and_then(|read| read.pointer(&format!("/definitions/{of}/oneOf"))?.as_array());
    let about = |name: &str| {
        let one = all.into_iter().flatten().find(|one| one.get("const").and_then(Value::as_str) == Some(name));
        one.and_then(|one| one.get("description")).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    names.iter().map(|name| told(name, &about(name))).collect()
}

/// A cell of the row of a page's table whose first cell has this name.
fn row(page: &str, name: &str, cell: usize) -> &'static str {
    let quoted = format!("`{name}`");
    let mut rows = citation::page(page).lines().filter_map(|line| line.strip_prefix("| "));
    let row =
        rows.find(|row| row.split(" | ").next().is_some_and(|first| first.split(", ").any(|name| name == quoted)));
    row.and_then(|row| row.split(" | ").nth(cell)).map_or("", |cell| cell.trim_end_matches('|').trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_meaning_in_a_line() {
        let bare: Vec<String> = all()
            .into_iter()
            .flat_map(|section| section.words.into_iter().map(move |word| (section.title, word)))
            .filter(|(_, (_, about))| about.trim().is_empty() || about.contains('\n') || about.contains("]("))
            .map(|(title, (word, about))| format!("{title}: {word}: {about}"))
            .collect();
        assert!(bare.is_empty(), "{bare:#?}");
    }
}
