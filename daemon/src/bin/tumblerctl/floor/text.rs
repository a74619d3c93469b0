//! The floor in words, a table a line.

use crate::{people, say};
use tumblerd::floor::model::{Condition, Picture, Row};

/// Everything, for `--once`.
pub(super) fn whole(picture: &Picture, broker: &str) -> String {
    let (head, rows) = lines(picture);
    let mut all = vec![summary(picture, broker), head];
    all.extend(rows.into_iter().map(|(_, line)| line));
    all.join("\n")
}

/// How many tables are how, and whether the broker is there.
pub(super) fn summary(picture: &Picture, broker: &str) -> String {
    let counts = &picture.counts;
    let beyond = if picture.beyond > 0 { ", more tables than can be shown" } else { "" };
    let line = picture.trouble.as_ref().map(|why| format!(" -- NOT CONNECTED: {why}")).unwrap_or_default();
    format!(
        "{} tables at {broker}: {} with faults, {} silent, {} with gaps, {} fine{beyond}{line}",
        picture.tables.len(),
        counts.fault,
        counts.silent,
        counts.gap,
        counts.fine
    )
}

/// The head and the tables, each on a line.
pub(super) fn lines(picture: &Picture) -> (String, Vec<(Condition, String)>) {
    let mut table = say::table(&["table", "", "phase", "round", "result", "heard", "what"]);
    for row in &picture.tables {
        table.add_row(cells(row));
    }
    // A row is a line: nothing in it breaks.
    let text = table.to_string();
    let mut lines = text.lines().map(|line| line.trim_end().to_owned());
    let head = lines.next().unwrap_or_default();
    (head, picture.tables.iter().map(|row| row.condition).zip(lines).collect())
}

fn cells(row: &Row) -> [String; 7] {
    [
        format!("{}/{}", row.site, row.table),
        match row.condition {
            Condition::Fault => "FAULT",
            Condition::Silent => "SILENT",
            Condition::Gap => "GAP",
            Condition::Fine => "",
        }
        .to_owned(),
        row.phase.map_or("?", |phase| phase.name()).to_owned(),
        row.round.map(|round| round.0.to_string()).unwrap_or_default(),
        row.result.map(people::dice).unwrap_or_default(),
        row.heard_s.map(|s| format!("{} ago", time(s))).unwrap_or_default(),
        what(row),
    ]
}

fn what(row: &Row) -> String {
    let mut said: Vec<String> = row.faults.iter().map(|fault| format!("{}: {}", fault.code, fault.cause)).collect();
    match (row.online, row.silent_s) {
        (Some(true), Some(s)) => said.push(format!("open, and has told nothing for {}", time(s))),
        (Some(true), None) => {}
        (Some(false), Some(s)) => said.push(format!("offline for {}", time(s))),
        (Some(false), None) => said.push("offline".to_owned()),
        (None, _) => said.push("the broker keeps no status of it".to_owned()),
    }
    if row.missed > 0 {
        said.push(format!("{} records missed in {} gaps", row.missed, row.gaps));
    }
    said.extend(row.strange.clone());
    if row.backend.as_deref() == Some("virtual") {
        said.push("virtual: no real game".to_owned());
    }
    said.join("; ")
}

/// Seconds as people say them.
fn time(s: u64) -> String {
    match s {
        0..120 => format!("{s} s"),
        120..7200 => format!("{} min", s / 60),
        _ => format!("{} h", s / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tumblerd::floor::model::Floor;

    #[test]
    fn a_table_is_a_line_with_what_is_wrong_first() {
        let mut floor = Floor::new(Duration::from_secs(300));
        floor.connected(0);
        let status =
            |online: &str| format!(r#"{{"v":1,"status":"{online}","boot":"b","build":"0.1.0","backend":"cdev"}}"#);
        for (table, online) in [("t1", "online"), ("t2", "online"), ("t3", "offline")] {
            floor.take(&format!("taisai/pit/{table}/status"), status(online).as_bytes(), false, 1_000);
        }
        floor.take("taisai/pit/t2/fault/seal", br#"{"v":1,"code":"seal","cause":"broken\nopen"}"#, true, 1_000);
        let text = whole(&floor.picture(131_000), "mqtt://b");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert_eq!(lines[0], "3 tables at mqtt://b: 1 with faults, 1 silent, 0 with gaps, 1 fine");
        for (line, parts) in
            [(2, ["pit/t2", "FAULT", "seal: broken\u{fffd}open"]), (3, ["pit/t3", "SILENT", "offline for 2 min"])]
        {
            assert!(parts.iter().all(|part| lines[line].contains(part)), "{}", lines[line]);
        }
        assert!(lines[4].contains("pit/t1") && lines[4].contains("2 min ago"), "{}", lines[4]);
        floor.lost("it hung up".into(), 140_000);
        assert!(whole(&floor.picture(150_000), "mqtt://b").contains("NOT CONNECTED: it hung up"));
    }
}
