//! An earlier run to compare with: what fails now and did not, what fails no more, and what wavers.

use super::results::{Build, Cell, Results, Run, VerdictKind};
use anyhow::Context;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use tumbler_bench::bounded;

/// A report has at most so many bytes.
const LONGEST: u64 = 1 << 30;
/// Cells that are named of each group.
const NAMED: usize = 20;

/// One cell as it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its verdict.
    pub verdict: VerdictKind,
    /// The twin's seed; none where the report does not say.
    pub seed: Option<u64>,
}

/// An earlier run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Earlier {
    cells: BTreeMap<String, Vec<Ended>>,
    /// The builds that were tested, by their digests.
    builds: BTreeSet<String>,
}

impl Earlier {
    /// Reads a directory of results, a results.json, or a JUnit report, such as that of pytest.
    ///
    /// # Errors
    /// It is none of these.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        if path.extension().is_some_and(|ending| ending == "xml") {
            let text = bounded::read(path, LONGEST).with_context(|| format!("read {}", path.display()))?;
            return Self::of_junit(&text).with_context(|| format!("{} is no JUnit report", path.display()));
        }
        Ok(Self::of(&Results::read(path)?))
    }

    /// What is otherwise in these later results.
    #[must_use]
    pub fn beside(&self, later: &Results) -> String {
        let mut builds = later.runs.iter().map(Run::tested);
        let tested = builds.next().filter(|first| builds.all(|other| other == *first));
        let ended = |cell: &Cell| Ended { verdict: cell.verdict, seed: Some(cell.seed) };
        self.compared(tested, later.cells().map(|(_, _, cell)| (cell.name.as_str(), ended(cell))))
    }

    fn of(results: &Results) -> Self {
        let mut earlier = Self::default();
        for (_, _, cell) in results.cells() {
            earlier.take(&cell.name, Ended { verdict: cell.verdict, seed: Some(cell.seed) });
        }
        earlier.builds = results.runs.iter().map(|run| run.tested().sha256.clone()).collect();
        earlier
    }

    fn of_junit(text: &[u8]) -> anyhow::Result<Self> {
        let report = Report::deserialize(text)?;
        let mut earlier = Self::default();
        for suite in &report.test_suites {
            let digest = |program: &str| {
                let named =
                    suite.properties.iter().find(|property| property.name.as_str() == format!("{program}-sha256"));
                named.map(|property| property.value.as_str().to_owned())
            };
            earlier.builds.extend(digest("daemon").or_else(|| digest("rig")));
            for case in &suite.test_cases {
                let name = of(case, "test_key").unwrap_or_else(|| case.name.as_str());
                let seed = of(case, "seed").and_then(|seed| seed.parse().ok());
                earlier.take(name, Ended { verdict: verdict(&case.status), seed });
            }
        }
        Ok(earlier)
    }

    fn take(&mut self, name: &str, ended: Ended) {
        self.cells.entry(name.to_owned()).or_default().push(ended);
    }

    /// What is otherwise in these cells of a later run, which tested this build; `None` where it tested several.
    pub fn compared<'c>(&self, tested: Option<&Build>, now: impl IntoIterator<Item = (&'c str, Ended)>) -> String {
        let (mut new, mut still, mut fixed, mut wavering, mut unknown) = (vec![], vec![], vec![], vec![], vec![]);
        let (mut alike, mut seen) = (0_usize, 0_usize);
        let same_build = self.builds.len() == 1 && tested.is_some_and(|build| self.builds.contains(&build.sha256));
        for (name, now) in now {
            let Some(before) = self.cells.get(name) else {
                unknown.push(name);
                continue;
            };
            seen += 1;
            let wavers = |then: &Ended| then.seed == now.seed && bad(then.verdict) != bad(now.verdict);
            match (before.iter().any(|then| bad(then.verdict)), bad(now.verdict)) {
                _ if same_build && before.iter().any(wavers) => wavering.push(name),
                (true, true) => still.push(name),
                (false, true) => new.push(name),
                (true, false) => fixed.push(name),
                (false, false) => alike += 1,
            }
        }
        let groups = [
            ("new failures", new),
            ("still failing", still),
            ("fixed", fixed),
            ("wavering: the same build and the same seed ended otherwise", wavering),
            ("not in the earlier run", unknown),
        ];
        let gone = self.cells.len().saturating_sub(seen);
        let mut text = format!("compared with the earlier run: {alike} passed or were left out in both");
        for (what, names) in &groups {
            if names.is_empty() {
                continue;
            }
            let _ = write!(text, "\n{} {what}", names.len());
            for name in names.iter().take(NAMED) {
                let _ = write!(text, "\n    {name}");
            }
            if names.len() > NAMED {
                let _ = write!(text, "\n    and {} more", names.len() - NAMED);
            }
        }
        if gone > 0 {
            let _ = write!(text, "\n{gone} of the earlier run were not played now");
        }
        text
    }
}

const fn bad(verdict: VerdictKind) -> bool {
    matches!(verdict, VerdictKind::Fail | VerdictKind::Invalid)
}

/// A property of a case.
fn of<'c>(case: &'c TestCase, name: &str) -> Option<&'c str> {
    case.properties.iter().find(|property| property.name.as_str() == name).map(|property| property.value.as_str())
}

fn verdict(status: &TestCaseStatus) -> VerdictKind {
    match status {
        TestCaseStatus::Success { .. } => VerdictKind::Pass,
        TestCaseStatus::NonSuccess { kind: NonSuccessKind::Failure, .. } => VerdictKind::Fail,
        TestCaseStatus::NonSuccess { kind: NonSuccessKind::Error, .. } => VerdictKind::Invalid,
        TestCaseStatus::Skipped { .. } => VerdictKind::NotExecuted,
    }
}

#[cfg(test)]
mod tests {
    use super::super::evidence::Evidence;
    use super::super::junit;
    use super::super::tests::{cell, results};
    use super::*;
    use crate::scenario::Verdict;

    #[test]
    fn what_fails_now_what_is_fixed_and_what_wavers_is_told_from_both_reports() {
        let fail = || Verdict::Fail(vec!["wrong".into()]);
        let cells = [
            ("a::nz-1998", Verdict::Pass),
            ("b::nz-1998", fail()),
            ("c::nz-1998", fail()),
            ("d::nz-1998", Verdict::Pass),
        ];
        let before = results(10, cells.into_iter().map(|(name, v)| Cell::of(&cell(name, v, false))).collect());
        let documents = junit::documents(&before, Path::new(""), &Evidence::default()).unwrap();
        let both = [Earlier::of(&before), Earlier::of_junit(documents[0].as_bytes()).unwrap()];
        assert_eq!(both[0], both[1], "JUnit says the same");
        let now = |seed| {
            let ended = |verdict| Ended { verdict, seed: Some(seed) };
            [
                ("a::nz-1998", ended(VerdictKind::Fail)),
                ("b::nz-1998", ended(VerdictKind::Pass)),
                ("c::nz-1998", ended(VerdictKind::Fail)),
                ("e::nz-1998", ended(VerdictKind::Pass)),
            ]
        };
        let same = before.runs[0].tested().clone();
        let other = Build { sha256: "another".into(), ..same.clone() };
        let told = both[1].compared(Some(&other), now(7));
        for (what, name) in
            [("new failures", "a"), ("still failing", "c"), ("fixed", "b"), ("not in the earlier run", "e")]
        {
            assert!(told.contains(&format!("\n1 {what}\n    {name}::nz-1998")), "{told}");
        }
        assert!(told.ends_with("1 of the earlier run were not played now"), "{told}");
        let told = both[1].compared(Some(&same), now(7));
        assert!(
            told.contains(
                "2 wavering: the same build and the same seed ended otherwise\n    a::nz-1998\n    b::nz-1998"
            ),
            "{told}"
        );
        assert!(both[1].compared(Some(&same), now(8)).contains("1 fixed"), "another seed may end otherwise");
    }
}
