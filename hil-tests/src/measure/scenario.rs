//! Overhead of a scenario on the virtual bench: assembling a table, starting its daemon, and cleaning up.

use super::round_player::shortest;
use super::{Figure, median, millis};
use crate::templates::Templates;
use tumbler_bench::process::rig_fault::RigFault;
use tumbler_bench::process::{Setup, clock};
use tumbler_twin::MS;

/// Tables whose median is taken.
const TABLES: u64 = 21;
/// Target for start and clean-up together, in milliseconds.
const MOST: u64 = 150;

/// Measures, one table after the other.
///
/// # Errors
/// [`RigFault`] when the bench does not work.
pub fn measure(templates: &Templates) -> Result<Vec<Figure>, RigFault> {
    let setup = |seed| Setup {
        program: templates.program().clone(),
        table: shortest(),
        seed,
        judge: true,
        trace: false,
        brisk: false,
        wall: None,
    };
    // The template is opened once for a whole run, so its time does not count.
    drop(templates.opened(&setup(0))?);
    let (mut whole, mut starts, mut daemons, mut ends) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for seed in 1..=TABLES {
        let begun = clock::now();
        let table = templates.opened(&setup(seed))?;
        let up = clock::now();
        daemons.push(table.start_to_ready().unwrap_or(u64::MAX));
        let down = clock::now();
        drop(table);
        let (start, end) = (up.nanos_since(begun), clock::now().nanos_since(down));
        starts.push(start);
        ends.push(end);
        whole.push(start + end);
    }
    Ok(vec![
        Figure::new(
            &format!("virtual: start and clean-up of a scenario, middle of {TABLES}"),
            millis(median(&whole)),
            format!(
                "start {} (of it the daemon to READY {}), clean-up {}",
                millis(median(&starts)),
                millis(median(&daemons)),
                millis(median(&ends))
            ),
            &format!("at most {MOST} ms"),
            median(&whole) <= MOST * MS,
        ),
        Figure::beside("  its longest", millis(whole.iter().max().copied().unwrap_or(0))),
    ])
}
