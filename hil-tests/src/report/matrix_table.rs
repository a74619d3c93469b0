//! The matrix as a text table: faults as rows, phases as columns, in each cell the number of rule sets that passed; below it the
//! reasons of those that did not.

use super::{scenario_table, word};
use crate::fault::Place;
use crate::report::cell::CellReport;
use crate::scenario::Verdict;
use comfy_table::{Table, presets};
use std::fmt::Write;

/// The table and the reasons.
#[must_use]
pub fn text(reports: &[CellReport]) -> String {
    let mut rows: Vec<(&str, Vec<Vec<&CellReport>>)> = Vec::new();
    for report in reports {
        let (fault, rest) = report.name.split_once('@').unwrap_or((report.name.as_str(), ""));
        let place = rest.split("::").next().unwrap_or_default();
        let Some(column) = Place::ALL.iter().position(|(name, _)| *name == place) else { continue };
        if rows.last().is_none_or(|(name, _)| *name != fault) {
            rows.push((fault, vec![Vec::new(); Place::ALL.len()]));
        }
        if let Some(cell) = rows.last_mut().and_then(|(_, cells)| cells.get_mut(column)) {
            cell.push(report);
        }
    }
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(std::iter::once("fault").chain(Place::ALL.iter().map(|(name, _)| *name)));
    for (fault, cells) in &rows {
        table.add_row(std::iter::once((*fault).to_owned()).chain(cells.iter().map(|cell| short(cell))));
    }
    format!("{table}\n{}\n{}", scenario_table::reasons(reports), compared(reports))
}

/// Comparison of the catalogue's expectations with the judges' truth table, over all cells.
fn compared(reports: &[CellReport]) -> String {
    let sum = |of: fn(&CellReport) -> u32| reports.iter().map(of).sum::<u32>();
    let cells = reports.iter().filter(|report| report.compared.rounds > 0).count();
    let differ = sum(|report| u32::try_from(report.compared.differences.len()).unwrap_or(u32::MAX));
    let mut text = format!(
        "catalogue and truth table: {} rounds of {cells} cells compared, {differ} differ; {} with several answers of the table; \
         {} rounds left to chance by the catalogue; {} that the table does not hold",
        sum(|report| report.compared.rounds),
        sum(|report| report.compared.several),
        sum(|report| report.compared.chance),
        sum(|report| report.compared.unheld),
    );
    for report in reports.iter().filter(|report| report.compared.unheld > 0) {
        let _ = write!(text, "\n    not held: {}", report.name);
    }
    text
}

/// The number that passed, if all did; otherwise the number for each verdict.
fn short(cell: &[&CellReport]) -> String {
    if cell.is_empty() {
        return "·".into();
    }
    let count = |name: &str| cell.iter().filter(|report| word(&report.verdict) == name).count();
    let unlisted = cell.iter().filter(|r| matches!(r.verdict, Verdict::NotExecuted(_)) && !r.listed).count();
    let parts = [
        (count("PASS"), ""),
        (count("FAIL"), " FAIL"),
        (count("INVALID"), " INVALID"),
        (unlisted, " NOT_EXECUTED"),
        (count("NOT_EXECUTED") - unlisted, " not executed"),
    ];
    let told = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n}{what}"));
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::cell;
    use super::*;
    use crate::scenario::endings::EndingComparison;

    #[test]
    fn faults_are_rows_phases_are_columns_and_failures_say_why() {
        let reports = [
            cell("motor.stall@betting::nz-1998", Verdict::Pass, false),
            cell("motor.stall@betting::sg-v6-1", Verdict::Fail(vec!["it turned".into()]), false),
            cell("motor.stall@void::sg-v6-1", Verdict::Pass, false),
            cell("mqtt.down@closed::nz-1998", Verdict::NotExecuted("no broker".into()), true),
        ];
        let text = text(&reports);
        let stall = text.lines().find(|line| line.contains("motor.stall")).unwrap();
        assert!(stall.contains("1, 1 FAIL"), "{text}");
        assert!(text.contains("FAIL motor.stall@betting::sg-v6-1") && text.contains("    it turned"), "{text}");
        assert!(text.contains("0 rounds of 0 cells compared, 0 differ; 0 with several answers"), "{text}");
        assert!(text.contains("1 not executed") && text.contains("as the bench's list has it: no broker"), "{text}");
    }

    #[test]
    fn the_comparison_with_the_truth_table_is_summed_up_and_names_what_it_does_not_hold() {
        let mut stall = cell("motor.stall@betting::nz-1998", Verdict::Pass, false);
        stall.compared = EndingComparison {
            rounds: 2,
            several: 1,
            differences: vec!["round 1".into()],
            ..EndingComparison::default()
        };
        let mut slow = cell("motor.slow@void::sg-v6-1", Verdict::Invalid("nobody knows".into()), false);
        slow.compared = EndingComparison { chance: 3, unheld: 1, ..EndingComparison::default() };
        let text = text(&[stall, slow]);
        let line = "2 rounds of 1 cells compared, 1 differ; 1 with several answers of the table; \
                    3 rounds left to chance by the catalogue; 1 that the table does not hold\n    not held: motor.slow@";
        assert!(text.contains(line), "{text}");
    }
}
