//! The run as a text table: scenarios as rows, layouts as columns; below it why something did not pass.

use super::{cause, reason, word};
use crate::report::cell::CellReport;
use crate::scenario::Verdict;
use comfy_table::{Table, presets};
use std::collections::BTreeMap;
use std::fmt::Write;

/// How many lines of a verdict's reason are shown.
const REASON_LINES: usize = 20;

/// How many cells are named that failed by a cause which was told.
const ALIKE: usize = 10;

/// The table and the reasons.
#[must_use]
pub fn text(reports: &[CellReport]) -> String {
    let mut layouts: Vec<&str> = Vec::new();
    let mut rows: Vec<(&str, BTreeMap<&str, &CellReport>)> = Vec::new();
    for report in reports {
        let (scenario, layout) = report.name.split_once("::").unwrap_or((report.name.as_str(), ""));
        if !layouts.contains(&layout) {
            layouts.push(layout);
        }
        match rows.iter_mut().find(|(name, _)| *name == scenario) {
            Some((_, cells)) => {
                cells.insert(layout, report);
            }
            None => rows.push((scenario, BTreeMap::from([(layout, report)]))),
        }
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(std::iter::once("scenario").chain(layouts.iter().copied()));
    for (scenario, cells) in &rows {
        let verdicts = layouts.iter().map(|layout| cells.get(layout).map_or("·", |report| short(report)));
        table.add_row(std::iter::once(*scenario).chain(verdicts));
    }
    format!("{table}\n{}", reasons(reports))
}

/// Why something did not pass.
#[must_use]
pub fn reasons(reports: &[CellReport]) -> String {
    let mut text = String::new();
    let whole = |report: &CellReport| reason(&report.verdict);
    let mut causes: Vec<(String, Vec<&CellReport>)> = Vec::new();
    for report in reports.iter().filter(|report| report.fails()) {
        let cause = format!("{} {}", word(&report.verdict), cause(&whole(report)));
        match causes.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, alike)) => alike.push(report),
            None => causes.push((cause, vec![report])),
        }
    }
    for (_, alike) in &causes {
        let Some((report, others)) = alike.split_first() else { continue };
        let _ = writeln!(text, "\n{} {} (seed {})", word(&report.verdict), report.name, report.seed);
        let why = whole(report);
        for line in why.lines().take(REASON_LINES) {
            let _ = writeln!(text, "    {line}");
        }
        let rest = why.lines().count().saturating_sub(REASON_LINES);
        if rest > 0 {
            let _ = writeln!(text, "    … {rest} more lines in the report that `--out DIR` writes");
        }
        if !others.is_empty() {
            let names: Vec<&str> = others.iter().take(ALIKE).map(|other| other.name.as_str()).collect();
            let more = others.len().saturating_sub(ALIKE);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let _ = writeln!(text, "  by the same cause {}: {}{more}", others.len(), names.join(", "));
        }
    }
    if causes.len() > 1 {
        let failed: usize = causes.iter().map(|(_, alike)| alike.len()).sum();
        let _ = writeln!(text, "\n{failed} cells did not pass, by {} causes", causes.len());
    }
    let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
    for report in reports.iter().filter(|r| r.listed && matches!(r.verdict, Verdict::NotExecuted(_))) {
        *reasons.entry(reason(&report.verdict)).or_default() += 1;
    }
    for (why, count) in reasons {
        let _ = writeln!(text, "\n{count} NOT_EXECUTED, as the bench's list has it: {why}");
    }
    let mut left_out: BTreeMap<&str, u32> = BTreeMap::new();
    for note in reports.iter().flat_map(|report| &report.notes) {
        *left_out.entry(note).or_default() += 1;
    }
    for (note, count) in left_out {
        let _ = writeln!(text, "\nleft out of {count}: {note}");
    }
    text
}

/// One line with the totals of the run.
#[must_use]
pub fn summary(reports: &[CellReport]) -> String {
    let count = |name: &str| reports.iter().filter(|report| word(&report.verdict) == name).count();
    let late = reports.iter().map(|report| report.late_ns).max().unwrap_or(0);
    format!(
        "{} PASS, {} FAIL, {} INVALID, {} NOT_EXECUTED; the rig's longest lateness {:.1} ms",
        count("PASS"),
        count("FAIL"),
        count("INVALID"),
        count("NOT_EXECUTED"),
        late as f64 / 1e6
    )
}

fn short(report: &CellReport) -> &'static str {
    match report.verdict {
        Verdict::NotExecuted(_) if report.listed => "not executed",
        _ => word(&report.verdict),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::cell;
    use super::*;

    #[test]
    fn scenarios_are_rows_layouts_are_columns_and_failures_say_why() {
        let reports = [
            cell("healthy::nz-1998", Verdict::Pass, false),
            cell("healthy::sg-v6-3", Verdict::Fail(vec!["rounds must end settled; at 1.000 s".into()]), false),
            cell("other::sg-v6-3", Verdict::Fail(vec!["rounds must end settled; at 2.000 s".into()]), false),
            cell("third::sg-v6-3", Verdict::Fail(vec!["another".into()]), false),
            cell("power::nz-1998", Verdict::NotExecuted("no other boot id".into()), true),
        ];
        let text = text(&reports);
        let healthy = text.lines().find(|line| line.contains("healthy")).unwrap();
        assert!(healthy.find("PASS").unwrap() < healthy.find("FAIL").unwrap(), "{text}");
        assert!(text.contains("FAIL healthy::sg-v6-3 (seed 7)\n    rounds must end settled"), "{text}");
        assert!(text.contains("1 NOT_EXECUTED, as the bench's list has it: no other boot id"), "{text}");
        assert!(text.contains("  by the same cause 1: other::sg-v6-3\n"), "{text}");
        assert!(text.contains("\n3 cells did not pass, by 2 causes\n") && !text.contains("2.000 s"), "{text}");
        assert!(text.contains("left out of 5: power cut: cannot"), "{text}");
        assert!(summary(&reports).starts_with("1 PASS, 3 FAIL, 0 INVALID, 1 NOT_EXECUTED; "));
    }
}
