//! The names that scenarios and the catalogue use, each as the thing that it names. A name that does not exist is told the nearest one.

use crate::citation;
use serde_json::Value;
use std::sync::OnceLock;
use tumbler_bench::Wrong;
use tumbler_core::latch::Code;
use tumbler_core::line::{InLine, OutLine};
use tumbler_core::record::Kind;
use tumbler_core::refusal::Refusal;
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules::{self, Layout, RuleSet};
use tumbler_core::snapshot::Phase;
use tumbler_core::units::Dice;

/// The one of these things that has this name.
///
/// # Errors
/// The nearest one; `what` says of what.
pub fn named<T: Copy, const N: usize>(
    what: &str,
    word: &str,
    all: [T; N],
    name: impl Fn(T) -> &'static str,
) -> Result<T, Wrong> {
    let known = all.map(&name);
    all.into_iter().find(|thing| name(*thing) == word).ok_or_else(|| Wrong::unknown(what, word, known))
}

/// A malfunction.
///
/// # Errors
/// As [`named`]; so do the others.
pub fn code(word: &str) -> Result<Code, Wrong> {
    named("malfunction", word, Code::ALL, Code::name)
}

/// A phase.
///
/// # Errors
/// As [`named`].
pub fn phase(word: &str) -> Result<Phase, Wrong> {
    named("phase", word, Phase::ALL, Phase::name)
}

/// A kind of record.
///
/// # Errors
/// As [`named`].
pub fn kind(word: &str) -> Result<Kind, Wrong> {
    named("record", word, Kind::ALL, Kind::name)
}

/// A void's reason.
///
/// # Errors
/// As [`named`].
pub fn reason(word: &str) -> Result<VoidReason, Wrong> {
    named("reason of a void", word, VoidReason::ALL, VoidReason::name)
}

/// A layout of any rule set.
///
/// # Errors
/// As [`named`].
pub fn layout(word: &str) -> Result<&'static Layout, Wrong> {
    let all = rules::all().iter().flat_map(|set| &set.layouts).map(|layout| layout.id.as_str());
    rules::layout(word).ok_or_else(|| Wrong::unknown("layout", word, all))
}

/// A rule set.
///
/// # Errors
/// As [`named`].
pub fn rule_set(word: &str) -> Result<&'static RuleSet, Wrong> {
    let all = rules::all().iter().map(|set| set.id.as_str());
    rules::rule_set(word).ok_or_else(|| Wrong::unknown("rule set", word, all))
}

/// Groups of rule sets.
pub const GROUPS: [&str; 5] = ["covered", "open-cover", "nz", "sg", "*"];

/// A rule set's id or a group of them.
///
/// # Errors
/// As [`named`].
pub fn group(word: &str) -> Result<(), Wrong> {
    let all = rules::all().iter().map(|set| set.id.as_str()).chain(GROUPS);
    if all.clone().any(|known| known == word) { Ok(()) } else { Err(Wrong::unknown("rule set", word, all)) }
}

/// The schema of events as the broker gets them, which a test holds to the core's records.
fn schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        serde_json::from_str(include_str!("../../../daemon/docs/schema/event.json")).unwrap_or_default()
    })
}

/// What the schema says, with what it refers to.
fn resolved(said: &'static Value) -> &'static Value {
    let meant = said.pointer("/allOf/0").or_else(|| said.pointer("/anyOf/0")).unwrap_or(said);
    let named = meant.get("$ref").and_then(Value::as_str).and_then(|name| name.strip_prefix('#'));
    named.and_then(|name| schema().pointer(name)).unwrap_or(meant)
}

fn elements<'v>(of: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    of.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// What the schema says of records of this kind.
fn of_kind(kind: Kind) -> Option<&'static Value> {
    elements(schema(), "oneOf")
        .find(|variant| variant.pointer("/properties/kind/const").and_then(Value::as_str) == Some(kind.name()))
}

/// What a kind of record says.
pub(super) fn about(kind: Kind) -> &'static str {
    of_kind(kind).and_then(|variant| variant.get("description")).and_then(Value::as_str).unwrap_or_default()
}

/// A field of a record with the value that it must have, as a record's field is compared with it.
///
/// # Errors
/// A field that records of this kind do not have, or a value that this field never has. What is free text can have any value, where
/// the record must be there (`absent`: must not be).
pub fn field(kind: Kind, name: &str, value: &str, absent: bool) -> Result<String, Wrong> {
    let data = of_kind(kind).and_then(|variant| variant.pointer("/properties/data"));
    let fields = data.map(resolved).and_then(|data| data.get("properties")).and_then(Value::as_object);
    let known = fields.into_iter().flatten().map(|(name, _)| name.as_str());
    let what = format!("field of record `{}`", kind.name());
    let Some(said) = fields.and_then(|fields| fields.get(name)).map(resolved) else {
        return Err(Wrong::unknown(&what, name, known));
    };
    let of = format!("value of `{name}`");
    let one_of = |known: Vec<&str>| match known.contains(&value) {
        true => Ok(value.to_owned()),
        false => Err(Wrong::unknown(&of, value, known)),
    };
    let words: Vec<&str> = elements(said, "oneOf").filter_map(|one| one.get("const")?.as_str()).collect();
    if !words.is_empty() {
        return one_of(words);
    }
    // A field that may be null has two types.
    let types = said.get("type").and_then(|of| of.as_str().or_else(|| of.get(0)?.as_str()));
    match (types, name) {
        (Some("boolean"), _) => one_of(vec!["true", "false"]),
        (Some("integer"), _) => {
            let number = value.parse::<u64>();
            number
                .map(|number| number.to_string())
                .map_err(|_| Wrong::new(value, format!("`{value}` is no {of}"), "a whole number"))
        }
        (Some("array" | "object"), _) => part_of_list(said, name, value),
        (_, "rules") => rule_set(value).map(|set| set.id.clone()),
        (_, "layout") => layout(value).map(|layout| layout.id.clone()),
        (_, "line") => {
            one_of(InLine::ALL.map(InLine::name).into_iter().chain(OutLine::ALL.map(OutLine::name)).collect())
        }
        (_, "code") => one_of(Refusal::CODES.to_vec()),
        // A slip in it would never show.
        _ if absent => Err(Wrong::new(
            name,
            format!("`{name}` is free text, and what is missing cannot tell whether it is rightly spelled"),
            "the record without it, or a field that is not free text",
        )),
        _ => Ok(value.replace('_', " ")),
    }
}

/// What a list must hold: the faces of three dice, all of them; or one area, or one clause, beside others.
fn part_of_list(said: &Value, name: &str, value: &str) -> Result<String, Wrong> {
    let of_faces = said.pointer("/items/$ref").and_then(Value::as_str) == Some("#/definitions/DieFace");
    match name {
        _ if of_faces => {
            let faces: Option<Vec<u8>> = value.chars().map(|c| u8::try_from(c.to_digit(10)?).ok()).collect();
            let dice = faces.and_then(|faces| Dice::from_pips(faces.try_into().ok()?).ok());
            let dice = dice.ok_or_else(|| Wrong::new(value, format!("`{value}` is no value of `{name}`"), "136"))?;
            let [a, b, c] = dice.pips();
            Ok(format!("[{a},{b},{c}]"))
        }
        "areas" => {
            let all = rules::all().iter().flat_map(|set| &set.layouts).flat_map(|layout| &layout.areas);
            let mut known: Vec<&str> = all.map(|area| area.id.as_str()).collect();
            known.sort_unstable();
            known.dedup();
            if known.contains(&value) { Ok(value.to_owned()) } else { Err(Wrong::unknown("area", value, known)) }
        }
        "clauses" => {
            let clause = value.replace('_', " ");
            let one = |cited: &Vec<String>| *cited == [clause.clone()];
            let no_clause = || Wrong::new(value, format!("`{value}` is no clause of one text"), "such as NZ9_7.1(a)");
            let cited = citation::read(&clause).map_err(|wrong| Wrong { word: value.to_owned(), ..wrong })?;
            if one(&cited) { Ok(clause) } else { Err(no_clause()) }
        }
        _ => Err(Wrong::new(name, format!("a check cannot look into `{name}`"), "the record without it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_in_the_schema_and_no_other() {
        let known: Vec<&str> =
            elements(schema(), "oneOf").filter_map(|one| one.pointer("/properties/kind/const")?.as_str()).collect();
        let mut kinds = Kind::ALL.map(Kind::name).to_vec();
        kinds.retain(|kind| !known.contains(kind));
        assert!(kinds.is_empty() && known.len() == Kind::ALL.len(), "{kinds:?} of {known:?}");
    }

    #[test]
    fn fields_and_their_values_are_those_of_the_record() {
        for (of, name, value) in [
            (Kind::Voided, "reason", "not-flat"),
            (Kind::SpinEnded, "valid", "true"),
            (Kind::VoidedAfterwards, "round", "1"),
            (Kind::HardwareTested, "verdict", "fail"),
            (Kind::Noted, "kind", "late-spin"),
            (Kind::Refused, "what", "tumble"),
            (Kind::Started, "rules", "sg-v6"),
            (Kind::Result, "areas", "small"),
        ] {
            assert_eq!(field(of, name, value, false), Ok(value.to_owned()), "{name}={value}");
        }
        for (of, name, value, told) in [
            (Kind::Voided, "reasn", "not-flat", "unknown field of record `voided` `reasn`: did you mean `reason`?"),
            (Kind::Voided, "reason", "not-falt", "unknown value of `reason` `not-falt`: did you mean `not-flat`?"),
            (Kind::SpinEnded, "valid", "ture", "unknown value of `valid` `ture`: did you mean `true`?"),
            (Kind::Corrected, "round", "one", "`one` is no value of `round`\n  allowed is a whole number"),
            (Kind::Started, "layout", "sg-v6", "unknown layout `sg-v6`: did you mean `sg-v6-1`?"),
            (Kind::Settled, "dice", "1,3,6", "`1,3,6` is no value of `dice`\n  allowed is 136"),
            (Kind::Settled, "dice", "137", "`137` is no value of `dice`\n  allowed is 136"),
            (Kind::EntryDiffers, "read", "13", "`13` is no value of `read`\n  allowed is 136"),
            (Kind::Result, "areas", "bgi", "unknown area `bgi`: did you mean `big`?"),
            (Kind::Voided, "clauses", "foo", "unknown clause, page or text `foo`"),
            (Kind::Voided, "clauses", "NZ9_7.1(x)", "unknown clause of NZ9 `7.1(x)`"),
            (Kind::Voided, "clauses", "NZ_7.1(a)", "`NZ_7.1(a)` is no clause of one text"),
            (Kind::DiceEnrolled, "dice", "136", "a check cannot look into `dice`"),
            (Kind::Stopped, "why", "x", "unknown field of record `stopped` `why`"),
        ] {
            for absent in [false, true] {
                let wrong = field(of, name, value, absent).unwrap_err().to_string();
                assert!(wrong.starts_with(told), "{wrong}");
            }
        }
        assert!(field(Kind::Refused, "what", "tumbel", true).is_err() && kind("voidd").is_err());
    }
}
