//! The daemon dies at each commit of a round, before it or after it is durable, under every rule set, on the pure bench.
//! On the virtual bench: `tumbler-hil kills`.

use tumbler_hil::kills::{KillPoint, each};
use tumbler_hil::runner::Runner;
use tumbler_hil::scenario::Verdict;
use tumbler_spec::config::Rules;

/// A round has at least these commits: its beginning, its spin, its calls, its outcome, its result, its end.
const LEAST: usize = 6;

#[test]
fn sgv6_5_4_whatever_was_durable_decides_and_the_table_plays_on() {
    for rules in Rules::ALL.map(Rules::id) {
        for at in KillPoint::ALL {
            let all = each(&Runner::Pure, rules, at, 2, 0);
            let wrong: Vec<_> = all.iter().filter(|killed| killed.verdict != Verdict::Pass).collect();
            assert!(wrong.is_empty(), "{rules} {at:?}: {wrong:#?}");
            assert!(all.len() >= LEAST, "{rules} {at:?}: only {} commits", all.len());
        }
    }
}
