//! What a scenario may say, as JSON Schema: for the fields of the files, from the names and forms that are read there.

use super::forms::{self, Form};
use super::step::{Cause, Stage};
use super::{grounds, names};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use tumbler_bench::AnyFault;
use tumbler_core::hardware_test::HardwareTest;
use tumbler_core::latch::Code;
use tumbler_core::line::InLine;
use tumbler_core::prompt::PromptId;
use tumbler_core::record::Kind;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules;
use tumbler_core::settings::Parameters;
use tumbler_core::snapshot::Phase;

/// One of these, or what a variant puts there.
fn one_of<'n>(names: impl IntoIterator<Item = &'n str>) -> Schema {
    let names: Vec<&str> = names.into_iter().collect();
    json_schema!({"anyOf": [{"enum": names}, {"type": "string", "pattern": "\\{"}]})
}

fn list(items: &Schema) -> Schema {
    json_schema!({"type": "array", "items": items})
}

/// A line of steps.
struct Line;

impl JsonSchema for Line {
    fn schema_name() -> Cow<'static, str> {
        "Line".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let step = alternatives(&[forms::PEOPLE, forms::BREAKS, forms::LOOKS]);
        let first: Vec<&str> = [forms::PEOPLE, forms::BREAKS, forms::LOOKS]
            .into_iter()
            .flatten()
            .flat_map(|form| form.words)
            .copied()
            .collect();
        let whole = first
            .iter()
            .filter(|form| !form.contains(char::is_uppercase) && !form.contains('|'))
            .map(|form| (*form).to_owned());
        let of_faults =
            AnyFault::entries().flat_map(|entry| ["fault", "heal"].map(|step| format!("{step} {}", entry.id)));
        let of_stages = Stage::ALL.into_iter().map(|(name, _)| format!("play to {name}"));
        let offered: Vec<String> = whole.chain(of_stages).chain(of_faults).collect();
        json_schema!({
            "description": "A step, or several with `;` between them",
            "anyOf": [
                {"enum": offered},
                {"type": "string", "pattern": "\\{"},
                {"type": "string", "pattern": format!("^(?:\\s*(?:try\\s+)?{step}\\s*(?:;|$))+\\s*$")}
            ]
        })
    }
}

/// A regular expression of all these forms. Where one form goes on from another one of the same meaning, the two share what they have
/// in common: editors read the expression for every line.
fn alternatives(all: &[&[Form]]) -> String {
    let mut expressions: Vec<String> = Vec::new();
    for form in all.iter().copied().flatten() {
        let first = form.words.first().copied().unwrap_or_default();
        let (longer, others): (Vec<&str>, Vec<&str>) =
            form.words.iter().skip(1).partition(|words| words.starts_with(&format!("{first} ")));
        let ends = longer.iter().filter_map(|words| words.strip_prefix(first)).map(|end| expression(end.trim()));
        let ends: String = ends.map(|end| format!("(?:\\s+{end})?")).collect();
        // What is tried is a step as any other.
        if !first.starts_with("try ") {
            expressions.push(format!("{}{ends}", expression(first)));
        }
        expressions.extend(others.iter().map(|words| expression(words)));
    }
    format!("(?:{})", expressions.join("|"))
}

/// A regular expression of a form: each word in capitals by what it stands for there.
fn expression(form: &str) -> String {
    let first = form.split(' ').next().unwrap_or_default();
    let any = |names: Vec<&str>| format!("(?:{})", names.join("|").replace('.', "\\."));
    let part = |part: &str| match (first, part) {
        ("fault" | "heal", "ID") | (_, "FAULT") => {
            format!("{}(?::\\S+)?", any(AnyFault::entries().map(|entry| entry.id).collect()))
        }
        ("settings", "ID") => any(rules::layouts().map(|layout| layout.id.as_str()).collect()),
        ("settings", "NAME") => any(Parameters::TABLE.iter().map(|of| of.name).collect()),
        ("prompt", "ID") => any(PromptId::ALL.map(PromptId::name).to_vec()),
        (_, "NAME") => any(Phase::ALL.map(Phase::name).to_vec()),
        ("lose", "LINE") => any(InLine::ALL.map(InLine::name).to_vec()),
        (_, "LINE") => {
            any(InLine::BUTTONS.map(InLine::name).into_iter().chain([InLine::SupervisorKey.name()]).collect())
        }
        (_, "STAGE") => any(Stage::ALL.map(|(name, _)| name).to_vec()),
        (_, "CODE") => any(Code::ALL.map(Code::name).to_vec()),
        (_, "TEST") => any(HardwareTest::ALL.map(HardwareTest::name).to_vec()),
        (_, "KIND") => any(Kind::ALL.map(Kind::name).to_vec()),
        (_, "CAUSE") => any(Cause::ALL.map(|(name, _)| name).to_vec()),
        (_, "CHECK") => alternatives(&[forms::CHECKS]),
        (_, "COMMAND") => alternatives(&[forms::COMMANDS]),
        (_, "N" | "ROUND" | "F") => "-?[0-9]+".into(),
        (_, "D") => "[1-6]".into(),
        (_, "DIGIT|entry") => "(?:[1-6]|entry)(?:\\s+(?:[1-6]|entry))*".into(),
        (_, "DIGITS") => "[1-6ED-]{3}".into(),
        (_, "FROM..TO") => "[0-9.]+".into(),
        (_, "FIELD=VALUE") => "\\S+=\\S+(?:\\s+\\S+=\\S+)*".into(),
        (_, "CLAUSE") => ".+".into(),
        ("answer", words) => format!("(?:{words})(?:\\s+[^;]+)?"),
        (_, words) => any(words.split('|').collect()),
    };
    form.split(' ').map(part).collect::<Vec<_>>().join("\\s+")
}

/// Lines of steps.
pub(crate) fn steps(generator: &mut SchemaGenerator) -> Schema {
    list(&generator.subschema_for::<Line>())
}

/// `first`, `all`, or layouts.
pub(crate) fn layouts(_: &mut SchemaGenerator) -> Schema {
    let all: Vec<&str> = rules::layouts().map(|layout| layout.id.as_str()).collect();
    json_schema!({"anyOf": [{"enum": ["first", "all"]}, {"type": "array", "items": {"enum": all}}]})
}

fn groups_of_rules() -> Vec<&'static str> {
    rules::all().iter().map(|set| set.id.as_str()).chain(names::GROUPS).collect()
}

/// Rule sets and groups of them.
pub(crate) fn groups(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "array", "items": {"enum": groups_of_rules()}})
}

/// The endings of rounds by rule set.
pub(crate) fn endings(_: &mut SchemaGenerator) -> Schema {
    let reasons = VoidReason::ALL.map(VoidReason::name).join("|");
    let by = grounds::names().collect::<Vec<_>>().join("|");
    let grounds = format!("by (?:{by})(?: (?:and|or by|or) (?:{by}))*");
    let ending = format!(
        "^(?:settled(?: [1-6]){{3}}: .+|settled: .+|unfinished: .+|void (?:{reasons}): *(?:{grounds}|[A-Z].*)?)$"
    );
    json_schema!({
        "type": "object",
        "propertyNames": {"enum": groups_of_rules()},
        "additionalProperties": {
            "type": "array",
            "items": {"anyOf": [{"type": "string", "pattern": ending}, {"type": "string", "pattern": "\\{"}]}
        }
    })
}

/// Malfunctions.
pub(crate) fn codes(_: &mut SchemaGenerator) -> Schema {
    list(&one_of(Code::ALL.map(Code::name)))
}

/// A phase.
pub(crate) fn phase(_: &mut SchemaGenerator) -> Schema {
    one_of(Phase::ALL.map(Phase::name))
}

/// Kinds of records.
pub(crate) fn kinds(_: &mut SchemaGenerator) -> Schema {
    list(&one_of(Kind::ALL.map(Kind::name)))
}

/// A reaction that has a deadline.
pub(crate) fn reaction(_: &mut SchemaGenerator) -> Schema {
    let latched = Code::ALL.map(|code| format!("latched {}", code.name()));
    let all: Vec<String> = ["motor off", "voided"].map(str::to_owned).into_iter().chain(latched).collect();
    json_schema!({"enum": all})
}

/// From when a deadline counts.
pub(crate) fn cause(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"enum": Cause::ALL.map(|(name, _)| name)})
}
