//! What the panel costs: the daemon's CPU at rest, and its reaction from the dome to the motor. Both are measured with browsers at the
//! panel and without a panel, alternately in one run.

use super::browsers::Browsers;
use super::guard::{Echo, flickers, histogram, pass, setup};
use super::process::{REST, rest};
use super::{Figure, median, micros};
use crate::templates::Templates;
use hdrhistogram::Histogram;
use tumbler_bench::process::Virtual;
use tumbler_bench::process::broker::free_port;
use tumbler_bench::process::rig_fault::RigFault;

/// Open pages and slow readers while the reaction is timed.
const PAGES: (u32, u32) = (10, 1);
/// Number of alternations, so that a disturbance of the machine affects both sides.
const TURNS: u64 = 6;
/// Fewest samples for which a table is opened.
const LEAST_A_TURN: u64 = 100;
/// Additional CPU that an idle panel may cost, in percent of a core: as much as two equal measurements may differ.
const MORE: f64 = 0.05;
/// Repetitions of the measurement at rest.
const RESTS: usize = 5;
/// Time until the daemon has settled after its start, in milliseconds.
const SETTLED: u64 = 1500;

/// A table, and the browsers at its panel if it has one.
struct WatchedTable {
    browsers: Option<Browsers>,
    table: Virtual,
}

/// Reaction times of the daemon and of the bare loop, measured in the same minutes: the browsers load this machine too, and slow down
/// both.
struct Samples {
    ours: Histogram<u64>,
    bare: Histogram<u64>,
}

impl Samples {
    fn new() -> Result<Self, RigFault> {
        Ok(Self { ours: histogram()?, bare: histogram()? })
    }

    /// Daemon and bare loop at this quantile, and the ratio of the two.
    fn at(&self, quantile: f64) -> (u64, u64, f64) {
        let (ours, bare) = (self.ours.value_at_quantile(quantile), self.bare.value_at_quantile(quantile));
        (ours, bare, ours as f64 / bare.max(1) as f64)
    }
}

/// Opens a table with this many pages and slow readers; `None`: without a panel.
fn watched(templates: &Templates, pages: Option<(u32, u32)>) -> Result<WatchedTable, RigFault> {
    let address = pages.map(|_| free_port()).transpose()?;
    let mut table = templates.opened(&setup(templates, address))?;
    pass(&mut table, SETTLED)?;
    let browsers = match (address, pages) {
        (Some(address), Some((pages, slow))) => Some(Browsers::connect(address, pages, slow)?),
        _ => None,
    };
    pass(&mut table, SETTLED)?;
    Ok(WatchedTable { browsers, table })
}

/// Measures, with `samples` reactions on each side.
///
/// # Errors
/// [`RigFault`] when the bench does not work.
pub fn measure(templates: &Templates, samples: u64, progress: &dyn Fn(u64)) -> Result<Vec<Figure>, RigFault> {
    let mut figures = at_rest(templates)?;
    let mut echo = Echo::start()?;
    let (mut without, mut with) = (Samples::new()?, Samples::new()?);
    // Each turn opens two tables, which is not worth it for a few samples.
    let turns = TURNS.min(samples.div_ceil(LEAST_A_TURN)).max(1);
    for turn in 1..=turns {
        let until = samples * turn / turns;
        let mut plain = watched(templates, None)?;
        let Samples { ours, bare } = &mut without;
        flickers(&mut plain.table, &mut echo, until, ours, bare, &|n| progress(n + with.ours.len()))?;
        drop(plain);
        let mut looked = watched(templates, Some(PAGES))?;
        let before = looked.browsers.as_ref().map_or(0, Browsers::read);
        let Samples { ours, bare } = &mut with;
        flickers(&mut looked.table, &mut echo, until, ours, bare, &|n| progress(n + without.ours.len()))?;
        let read = looked.browsers.as_ref().map_or(0, Browsers::read).saturating_sub(before);
        if read == 0 {
            return Err(RigFault::Other("the panel sent its browsers nothing while the tumbler ran".into()));
        }
    }
    figures.extend(loops(&without, &with));
    Ok(figures)
}

/// The daemon's share of a core at rest: without a panel, with one that nobody looks at, and with one open page.
fn at_rest(templates: &Templates) -> Result<Vec<Figure>, RigFault> {
    let kinds = [None, Some((0, 0)), Some((1, 0))];
    let mut shares: [Vec<u64>; 3] = Default::default();
    for _ in 0..RESTS {
        for (kind, shares) in kinds.into_iter().zip(&mut shares) {
            let mut watched = watched(templates, kind)?;
            // In millionths, as the median needs whole numbers.
            shares.push((rest(&mut watched.table)? * 1e6) as u64);
        }
    }
    let percent = |share: u64| share as f64 / 1e4;
    let least_most = shares[0].iter().min().zip(shares[0].iter().max()).map(|(a, b)| (percent(*a), percent(*b)));
    let (least, most) = least_most.unwrap_or_default();
    let [without, idle, open] = shares.map(|shares| percent(median(&shares)));
    let beside = format!("{without:.3} % without a panel ({least:.3} to {most:.3} in {RESTS} times {} s)", REST / 1000);
    Ok(vec![
        Figure::new(
            "CPU of tumblerd at rest, panel on, no browser",
            format!("{idle:.3} % of a core ({:.2} x)", idle / without),
            beside,
            &format!("at most {MORE} % more"),
            idle - without <= MORE,
        ),
        Figure::beside("  with one page open", format!("{open:.3} % of a core ({:.2} x)", open / without)),
    ])
}

fn loops(without: &Samples, with: &Samples) -> Vec<Figure> {
    let (pages, slow) = PAGES;
    let judged = [(0.5, "p50", 1.1), (0.99, "p99", 1.25)].map(|(quantile, name, most)| {
        let ((a, bare_a, ratio_a), (b, bare_b, ratio_b)) = (without.at(quantile), with.at(quantile));
        let ratio = ratio_b / ratio_a;
        Figure::new(
            &format!(
                "dome opens -> motor_enable off, {pages} panels and {slow} slow reader, {name} of {}",
                with.ours.len()
            ),
            format!("{} = {ratio_b:.2} x bare loop {} ({ratio:.2} x)", micros(b), micros(bare_b)),
            format!("{} = {ratio_a:.2} x bare loop {}, without a panel", micros(a), micros(bare_a)),
            &format!("at most {most} x"),
            ratio <= most,
        )
    });
    let ((a, bare_a, _), (b, bare_b, _)) = (without.at(0.999), with.at(0.999));
    let longest = format!(
        "{}, {}; bare loop {}; without a panel {}, {}; bare loop {}",
        micros(b),
        micros(with.ours.max()),
        micros(bare_b),
        micros(a),
        micros(without.ours.max()),
        micros(bare_a)
    );
    judged.into_iter().chain([Figure::beside("  its p99.9 and longest", longest)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What slows the bare loop down as well is not due to the panel.
    #[test]
    fn ratios_are_to_the_bare_loop_of_the_same_side() {
        let side = |ours: u64, bare: u64| {
            let mut side = Samples::new().unwrap();
            for n in 1..=1000 {
                side.ours.saturating_record(n * ours);
                side.bare.saturating_record(n * bare);
            }
            side
        };
        let figures = loops(&side(100, 80), &side(210, 160));
        assert!(figures.iter().take(2).all(|f| f.met == Some(true) && f.measured.contains("(1.05 x)")), "{figures:?}");
        let figures = loops(&side(100, 80), &side(130, 80));
        assert!(figures.iter().take(2).all(|f| f.met == Some(false)), "{figures:?}");
    }
}
