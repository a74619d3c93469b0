//! Makes a row of a record: its JSON, its wall time, and what else the journal adds.

use super::chain::{FORMAT, Row};
use super::clock::WallClock;
use tumbler_core::record::{Kind, Record};

/// The row of a record, made under this boot.
pub(super) fn row(record: &Record, relayed: u64, boot: &str, clock: &WallClock) -> Result<Row, String> {
    let body = serde_json::to_string(record).map_err(|error| error.to_string())?;
    Ok(Row {
        format: FORMAT,
        seq: record.seq.0,
        at: record.at.0,
        wall: clock.at(record.at.0),
        wall_quality: clock.quality().to_owned(),
        boot: boot.to_owned(),
        round: record.round.map(|round| round.0),
        relayed,
        kind: Kind::from(&record.event).name().to_owned(),
        body,
    })
}
