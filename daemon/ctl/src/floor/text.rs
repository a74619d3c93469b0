//! The floor as text, one table per line.

use crate::floor::model::{Condition, Picture, Row};
use crate::floor::name::clean;
use crate::{say, wording};
use tumblerd::pages::standing::Grade;

/// A terminal of fewer columns has room for what is wrong, and not for round, dice and when a table was heard.
const WIDE: usize = 100;
/// One of fewer columns has none for the phase either.
const NARROW: usize = 60;

/// Everything, for `--once`.
pub(super) fn whole(picture: &Picture, broker: &str) -> String {
    let (head, rows) = lines(picture, usize::MAX);
    let mut all = vec![summary(picture, broker), head];
    all.extend(rows.into_iter().map(|(_, line)| line));
    all.join("\n")
}

/// The summary: whether the broker is there, and the number of tables in each condition.
pub(super) fn summary(picture: &Picture, broker: &str) -> String {
    let counts = &picture.counts;
    let line = picture.trouble.as_ref().map(|why| format!("NOT CONNECTED: {why}. Last known: ")).unwrap_or_default();
    let rewritten = if counts.rewritten > 0 { format!("{} REWRITTEN, ", counts.rewritten) } else { String::new() };
    let beyond = picture.left_out.as_ref().map(|why| format!(". LEFT OUT: {why}")).unwrap_or_default();
    format!(
        "{line}{rewritten}{} with faults, {} silent, {} with gaps, {} fine; {} at {broker}{beyond}",
        counts.fault,
        counts.silent,
        counts.gap,
        counts.fine,
        number(picture.tables.len(), "table")
    )
}

/// What there is to say where no table is known. That is no floor on which all is well: a site that was mistyped and a broker that forgot
/// its tables look the same.
pub(super) fn nothing(broker: &str, site: Option<&str>) -> String {
    let (below, is_right) = match site {
        Some(site) => (format!("taisai/{}/", clean(site)), "is --site the `site` of their configuration, "),
        None => ("taisai/".to_owned(), ""),
    };
    format!(
        "no table is known: {broker} keeps nothing below {below}; {is_right}may this account read there (--username, --password-file), and has \
         the broker lost what it kept? A table tells it anew when it connects"
    )
}

/// The floor in one line, as monitors have it: first what is wrong with which table.
pub(super) fn watched(picture: &Picture, broker: &str, site: Option<&str>) -> (Grade, String) {
    if picture.tables.is_empty() {
        return (Grade::Unknown, format!("{}: {}", Grade::Unknown.word(), nothing(broker, site)));
    }
    let grade = |condition| match condition {
        Condition::Rewritten | Condition::Fault | Condition::Silent => Grade::Critical,
        Condition::Gap => Grade::Warning,
        Condition::Fine => Grade::Ok,
    };
    let worst = picture.tables.iter().map(|row| grade(row.condition)).max().unwrap_or_default();
    let worst = worst.max(if picture.left_out.is_some() { Grade::Warning } else { Grade::Ok });
    let wrong = picture.tables.iter().filter(|row| row.condition != Condition::Fine);
    let wrong: String = wrong.map(|row| format!("; {}/{} {}", row.site, row.table, what(row))).collect();
    (worst, format!("{}: {}{wrong}", worst.word(), summary(picture, broker)))
}

/// The heading and the tables, one per line, for this number of columns. A line may be longer than that.
pub(super) fn lines(picture: &Picture, columns: usize) -> (String, Vec<(Condition, String)>) {
    let rows = picture.tables.iter().map(cells);
    // Every row must stay on one line.
    let lines = if columns >= WIDE {
        say::laid_out(["table", "", "phase", "round", "last dice", "heard", "what"], rows)
    } else if columns >= NARROW {
        let few = |[place, condition, phase, _, _, _, what]: [String; 7]| [place, condition, phase, what];
        say::laid_out(["table", "", "phase", "what"], rows.map(few))
    } else {
        say::laid_out(["table", "", "what"], rows.map(|[place, condition, .., what]| [place, condition, what]))
    };
    let mut lines = lines.into_iter();
    let head = lines.next().unwrap_or_default();
    (head, picture.tables.iter().map(|row| row.condition).zip(lines).collect())
}

fn cells(row: &Row) -> [String; 7] {
    [
        format!("{}/{}", row.site, row.table),
        match row.condition {
            Condition::Rewritten => "REWRITTEN",
            Condition::Fault => "FAULT",
            Condition::Silent => "SILENT",
            Condition::Gap => "GAP",
            Condition::Fine => "",
        }
        .to_owned(),
        row.phase.clone().unwrap_or_else(|| "?".to_owned()),
        row.round.map(|round| round.0.to_string()).unwrap_or_default(),
        row.result.map(wording::dice).unwrap_or_default(),
        row.heard_s.map(|s| format!("{} ago", time(s))).unwrap_or_default(),
        what(row),
    ]
}

fn what(row: &Row) -> String {
    let rewritten = row.rewritten.iter().map(|how| format!("its journal is not the one that it told before: {how}"));
    let faults = row.faults.iter().map(|fault| format!("{}: {}", fault.code, fault.cause));
    let mut said: Vec<String> = rewritten.chain(faults).collect();
    match (row.online, row.silent_s) {
        (Some(true), Some(s)) => said.push(format!("open, and has told nothing for {}", time(s))),
        (Some(true), None) => {}
        (Some(false), Some(s)) => said.push(format!("offline for {}", time(s))),
        (Some(false), None) => said.push("offline".to_owned()),
        (None, _) => said.push("the broker keeps no status of it".to_owned()),
    }
    said.extend(row.doubts.iter().cloned());
    if row.missed > 0 {
        let missed = usize::try_from(row.missed).unwrap_or(usize::MAX);
        let gaps = usize::try_from(row.gaps).unwrap_or(usize::MAX);
        said.push(format!("{} missed in {}", number(missed, "record"), number(gaps, "gap")));
    }
    said.extend(row.strange.clone());
    if row.backend.as_deref() == Some("virtual") {
        said.push("virtual: no real game".to_owned());
    }
    said.join("; ")
}

/// A number with its noun in singular or plural.
fn number(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
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
    use crate::floor::model::Floor;
    use std::time::Duration;

    #[test]
    fn a_table_is_a_line_with_what_is_wrong_first() {
        let mut floor = Floor::new(Duration::from_secs(300));
        floor.connected(0);
        let status =
            |online: &str| format!(r#"{{"v":1,"status":"{online}","boot":"b","build":"0.1.0","backend":"cdev"}}"#);
        for (table, online) in [("t1", "online"), ("t2", "online"), ("t3", "offline")] {
            floor.take(&format!("taisai/pit/{table}/status"), status(online).as_bytes(), false, 1_000);
        }
        let state = |malfunctions: &str| {
            let picture = tumbler_core::snapshot::Snapshot::default();
            let state = tumbler_core::wire::topics::StateMessage { v: 1, boot: "b".into(), wall: 1, snapshot: picture };
            serde_json::to_string(&state)
                .unwrap()
                .replace("\"malfunctions\":[]", &format!("\"malfunctions\":{malfunctions}"))
        };
        for (table, latched) in
            [("t1", "[]"), ("t2", r#"[{"code":"seal","cause":"broken\nopen","since":1}]"#), ("t3", "[]")]
        {
            floor.take(&format!("taisai/pit/{table}/state"), state(latched).as_bytes(), true, 1_000);
        }
        let text = whole(&floor.picture(131_000), "mqtt://b");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert_eq!(lines[0], "1 with faults, 1 silent, 0 with gaps, 1 fine; 3 tables at mqtt://b");
        for (line, parts) in
            [(2, ["pit/t2", "FAULT", "seal: broken\u{fffd}open"]), (3, ["pit/t3", "SILENT", "offline for 2 min"])]
        {
            assert!(parts.iter().all(|part| lines[line].contains(part)), "{}", lines[line]);
        }
        assert!(lines[4].contains("pit/t1") && lines[4].contains("2 min ago"), "{}", lines[4]);
        floor.lost("it hung up".into(), 140_000);
        assert!(
            whole(&floor.picture(150_000), "mqtt://b")
                .starts_with("NOT CONNECTED: it hung up. Last known: 1 with faults")
        );
    }
}
