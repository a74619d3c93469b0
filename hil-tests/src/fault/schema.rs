//! What only the catalogue says, as JSON Schema.

use super::place::Place;
use schemars::{Schema, SchemaGenerator, json_schema};
use tumbler_core::round::ending::VoidReason;

/// Moments at which something breaks, and groups of them.
pub(crate) fn places(_: &mut SchemaGenerator) -> Schema {
    let all: Vec<&str> = Place::ALL.iter().map(|(name, _)| *name).chain(Place::GROUPS).collect();
    json_schema!({"type": "array", "items": {"enum": all}})
}

/// How rounds end, as the catalogue has it.
pub(crate) fn rounds(_: &mut SchemaGenerator) -> Schema {
    let reasons = VoidReason::ALL.map(VoidReason::name).into_iter().chain(["tumbler", "tumbler-dice"]);
    let all: Vec<String> = ["settled", "settled any"]
        .map(str::to_owned)
        .into_iter()
        .chain(reasons.map(|reason| format!("void {reason}")))
        .collect();
    json_schema!({"type": "array", "items": {"enum": all}})
}
