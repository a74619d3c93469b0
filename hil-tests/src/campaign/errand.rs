//! Errands: rare sequences of acts, begun at a table that is ready to play, so that a swarm reaches every refusal and every exit. Any
//! of their steps may fail; the judges watch as always.

use super::table::{Table, TableFilter};

/// Steps, separated by semicolons.
type Errand = (TableFilter, &'static str);

const ERRANDS: &[Errand] = &[
    // The dealer presses "tumble" out of turn.
    (TableFilter::Every, "press tumble; try play to spinning; press tumble; try play to spun; press tumble"),
    (TableFilter::Every, "try play to betting; press tumble"),
    (
        TableFilter::Every,
        "press place_bets; turn shaft 5 quarters; hold tumble; hold no_more_bets; pass 100 ms; release tumble; release no_more_bets",
    ),
    (TableFilter::Every, "press place_bets; press no_more_bets; turn shaft 5 quarters; press tumble"),
    (TableFilter::Every, "try play up to spin; turn shaft 1 quarters; pass 280 ms; press tumble"),
    (TableFilter::Every, "turn shaft 1 quarters; pass 280 ms; press tumble"),
    (TableFilter::Every, "turn key; do close; break seal; pass 500 ms; ask open"),
    (TableFilter::Every, "turn shaft 5 quarters; press tumble; press place_bets; press tumble"),
    (TableFilter::Covered, "press place_bets; lift dome; pass 700 ms; press tumble; lower dome"),
    (
        TableFilter::Every,
        "press place_bets; press no_more_bets; hold tumble; pass 24 ms; dip supply; pass 100 ms; release tumble",
    ),
    (TableFilter::Every, "hold tumble; pass 21 ms; dip supply; pass 100 ms; release tumble"),
    (TableFilter::Every, "try play up to spin; hold tumble; pass 16 ms; dip supply; pass 100 ms; release tumble"),
    (
        TableFilter::Every,
        "press place_bets; press no_more_bets; try fault sensor.temp_dead; pass 1100 ms; press tumble; pass 300 ms; press tumble; pass 300 ms; press tumble",
    ),
    (
        TableFilter::Every,
        "try fault sensor.temp_dead; pass 1100 ms; press tumble; pass 300 ms; press tumble; pass 300 ms; press tumble",
    ),
    (
        TableFilter::Every,
        "break seal; pass 500 ms; press tumble; press place_bets; ask reset seal procedure; turn key; ask reset seal procedure; ask reset lamps procedure",
    ),
    (
        TableFilter::Every,
        "turn key; do maintenance on; press tumble; ask open; ask maintenance on; pass 50 ms; do maintenance off; ask maintenance off",
    ),
    // The call comes while the spin's record is being written.
    (
        TableFilter::SpinFirst,
        "try play to covered; try fault disk.takes_ms:1500; press tumble for 100 ms; press place_bets for 100 ms; press no_more_bets for 100 ms; pass 6000 ms",
    ),
    // The dealer calls off a spin whose record is still being written.
    (
        TableFilter::Every,
        "try play up to spin; try fault disk.takes_ms:1500; press tumble for 100 ms; press no_spin for 100 ms; press tumble for 100 ms; pass 6000 ms",
    ),
    // A new round while the shaft of one that was called off still coasts: tumble in every order of play.
    (
        TableFilter::Every,
        "try fault motor.coast; try play to spinning; pass 700 ms; press no_spin for 40 ms; press tumble for 40 ms; press place_bets for 40 ms; \
         press tumble for 40 ms; press no_more_bets for 40 ms; press tumble for 40 ms; pass 3000 ms",
    ),
    // Closing and opening, with the commands that are possible in between.
    (
        TableFilter::Every,
        "turn key; do close; press tumble; press place_bets; ask settle; ask void; ask amend 1 2 3; ask confirm-dome",
    ),
    (
        TableFilter::Every,
        "turn key; do close; ask open; pass 50 ms; ask open; ask maintenance on; ask reset lamps rectified; ask enrol-dice; press tumble",
    ),
    (
        TableFilter::Every,
        "turn key; do close; ask open; pass 25 s; press every key; ask witness bell right; ask witness bell right; pass 20 ms; ask witness areas wrong",
    ),
    (
        TableFilter::Every,
        "turn key; do close; ask open; pass 25 s; press every key; ask witness seal wrong; ask witness seal right",
    ),
    (
        TableFilter::Covered,
        "lower dome; pass 600 ms; turn key; do close; try fault disk.takes_ms:1500; open table; press tumble; press place_bets; press tumble",
    ),
    // The supervisor asks for what only a shift manager may decide.
    (
        TableFilter::Every,
        "turn key; try play to betting; ask void not-flat; ask settle 1 2 3; ask amend 1 2 3; ask confirm-dome; ask open; ask maintenance on; ask enrol-dice; ask reset lamps rectified",
    ),
    (
        TableFilter::Every,
        "turn key; dice 1 2 3; try play to revealed; ask settle; ask amend 1 2 3; ask settle 4 5 6; ask amend 4 5 6; ask confirm-dome; ask void; press no_spin",
    ),
    (
        TableFilter::Every,
        "turn key; dice 1 2 3; try play to entered; ask amend 1 2 3; ask settle 4 5 6; key 2 entry; ask void; ask close; pass 300 ms; key entry",
    ),
    (TableFilter::Every, "turn key; dice 1 2 3; try play to entered; ask settle; ask settle; ask amend 1 2 3"),
    (
        TableFilter::Reader,
        "turn key; dice 1 2 3; try play to spinning; try wait record revealed; ask settle 1 2 3; ask amend 1 2 3 uphold",
    ),
    (
        TableFilter::Reader,
        "turn key; try fault dice.moving; try play to bets-closed; lift dome; try play to spun; pass 100 ms; ask settle 1 2 3; ask amend 1 2 3 uphold",
    ),
    (TableFilter::Reader, "turn key; try fault dice.missing; pass 1000 ms; ask enrol-dice"),
    (TableFilter::Reader, "dice 1 2 3; try play to revealed; pass 600 ms; key 4 5 6 entry; pass 500 ms; key 1 entry"),
    // The dealer presses Entry for "all paid" before the lamps are lit.
    (
        TableFilter::Every,
        "try play to revealed; pass 600 ms; try fault disk.takes_ms:1500; enter dice; key entry; key entry",
    ),
    // Roles other than supervisor.
    (
        TableFilter::Every,
        "as technician; ask open; ask record; as nobody; ask record; ask maintenance on; ask open; as supervisor",
    ),
    (TableFilter::Every, "pass 301 s; ask open; ask void; ask maintenance on; turn key; ask open"),
    // Procedures that replace lamps, terminal and reader: while the table is open, and after.
    (
        TableFilter::Every,
        "try fault lamps.board_silent; pass 2500 ms; turn key; ask reset lamps procedure; pass 100 ms; try play to settled; turn key; ask close; pass 100 ms",
    ),
    (
        TableFilter::Every,
        "try fault terminal.silent; pass 2500 ms; turn key; ask reset terminal procedure; pass 100 ms; try play to revealed; turn key; ask settle 1 2 3",
    ),
    (
        TableFilter::Reader,
        "try fault reader.silent; pass 2500 ms; turn key; ask reset reader procedure; pass 100 ms; try play to settled; try play to revealed; press no_spin",
    ),
    (TableFilter::Every, "try fault terminal.silent; pass 2500 ms; turn key; do close; ask reset terminal procedure"),
    // A key edge older than the latch.
    (TableFilter::Every, "turn key; break seal; pass 500 ms; mend seal; ask reset seal rectified"),
    // The dome is opened early, or a person says so because its contacts lie.
    (TableFilter::Covered, "try play to spun; lift dome; pass 500 ms; lower dome"),
    (TableFilter::Covered, "turn key; try play to revealed; ask confirm-dome"),
    (
        TableFilter::Covered,
        "try play to bets-closed; try fault dome.stuck_closed; lift dome; pass 100 ms; turn key; ask confirm-dome; pass 100 ms; enter dice",
    ),
    (
        TableFilter::Every,
        "try play to spinning; press no_spin; pass 500 ms; try play to spinning; pass 3000 ms; press no_spin",
    ),
    (TableFilter::Every, "try play to betting; press no_more_bets"),
    (TableFilter::Every, "press place_bets; turn shaft 13 quarters; pass 5000 ms"),
    (TableFilter::Every, "try play to revealed; turn key; ask void damaged"),
    (TableFilter::Every, "try play to betting; turn key; ask void; as manager; ask void; as supervisor"),
    // The next round begins while the shaft of a voided one still coasts.
    (
        TableFilter::Every,
        "turn key; try play to spinning; pass 500 ms; as manager; ask void; press place_bets for 40 ms; press no_more_bets for 40 ms; press tumble for 40 ms; as supervisor; pass 3000 ms",
    ),
    // Findings about the dice, by people who were asked and by others.
    (
        TableFilter::Every,
        "turn key; ask interrupted undisturbed; ask supervise; ask correct 1; ask correct 99; try play to revealed; ask interrupted cannot-tell; ask correct 99; ask settle 1 2 3; ask settle; pass 5 s; ask settle",
    ),
    (
        TableFilter::Every,
        "try play to spun; kill; start; pass 300 ms; press tumble; turn key; ask void; ask interrupted not-flat; ask interrupted cannot-tell; as manager; ask interrupted cannot-tell; as supervisor",
    ),
    (
        TableFilter::Every,
        "dice 1 2 3; try play to revealed; kill; start; pass 300 ms; turn key; ask settle 1 2 3; ask amend 1 2 3; key 1 2 3 entry; ask interrupted undisturbed",
    ),
    (
        TableFilter::Every,
        "dice 1 2 3; try play to bets-closed; kill; start; pass 300 ms; lift dome; pass 700 ms; turn key; ask settle 1 2 3; ask amend 1 2 3; key 1 2 3 entry; ask interrupted not-flat",
    ),
    (
        TableFilter::Reader,
        "turn key; ask enrol-dice; pass 500 ms; try fault dice.foreign; try play to revealed; turn key; ask interrupted undisturbed; ask interrupted cannot-tell; ask settle 1 2 3; heal dice.foreign; as manager; ask interrupted cannot-tell; as supervisor",
    ),
    (
        TableFilter::Reader,
        "turn key; try fault dice.extra; try play to revealed; turn key; ask interrupted undisturbed; heal dice.extra; as manager; ask interrupted cannot-tell; as supervisor",
    ),
    (
        TableFilter::Reader,
        "try play to revealed; lay die 2 face 3 flat; pass 900 ms; turn key; ask interrupted not-flat",
    ),
    (TableFilter::Every, "try play to bets-closed; try kill; try start"),
    // Two dice with the same identity, at enrolment and in play.
    (TableFilter::Reader, "turn key; ask enrol-dice; pass 500 ms; try fault dice.twins; try play to settled"),
    (
        TableFilter::Reader,
        "try fault dice.twins; pass 500 ms; turn key; ask enrol-dice; pass 500 ms; try play to revealed; heal dice.twins; pass 1 s",
    ),
    // A second cause for a latched code, of which only the first is repaired.
    (
        TableFilter::Every,
        "try fault lamp.open:small; try play to settled; try fault lamps.board_silent; pass 2500 ms; heal lamp.open:small; turn key; ask reset lamps rectified; try answer done",
    ),
    (
        TableFilter::Reader,
        "try fault reader.silent; pass 2500 ms; try fault reader.garbage; heal reader.silent; pass 2500 ms; turn key; ask reset reader rectified; try answer done",
    ),
    // A sensor that worked and then fails for good.
    (
        TableFilter::Every,
        "try play to settled; try fault sensor.temp_dead; pass 20 s; try play to settled; try play to betting",
    ),
    (TableFilter::Every, "try play to settled; try fault cam.b_stuck_0; try play to settled; try play to spinning"),
    // The table is to close after the round, and a restart comes first.
    (
        TableFilter::Every,
        "try play to betting; turn key; ask close; pass 300 ms; try kill; try start; pass 300 ms; turn key; ask interrupted undisturbed; try play to settled; pass 1 s; press place_bets; press tumble",
    ),
    (
        TableFilter::Every,
        "try play to revealed; turn key; ask close; pass 300 ms; try power off; try power on; pass 300 ms; turn key; ask interrupted undisturbed; try play to settled; pass 1 s; press place_bets; press tumble",
    ),
    // A person sees what the reader does not.
    (TableFilter::Every, "turn key; try play to revealed; pass 600 ms; ask void not-flat"),
    (TableFilter::Every, "try play to revealed; press no_spin; pass 500 ms; enter dice; pass 5 s; key entry"),
    // Faces were read, but the reader is gone when they are keyed.
    (
        TableFilter::Reader,
        "dice 1 2 3; try play to revealed; pass 600 ms; try kill; try start; try fault reader.silent; pass 3 s; key 4 5 6 entry; pass 1 s; turn key; ask supervise; key 4 5 6 entry; pass 1 s",
    ),
    (TableFilter::Reader, "turn key; dice 1 2 3; try play to revealed; ask amend 1 2 3 uphold; ask settle 1 2 3"),
    (
        TableFilter::Reader,
        "turn key; dice 1 2 3; try play to entered; ask amend 4 5 6; ask amend 4 5 6 uphold; pass 1 s",
    ),
    (
        TableFilter::Covered,
        "try play to bets-closed; pass 4 s; try fault dome.stuck_closed; lift dome; pass 1200 ms; turn key; ask confirm-dome; pass 1 s",
    ),
    // A table that was opened after a reboot stays so when its daemon starts again.
    (
        TableFilter::Every,
        "try power off; try power on; recover table; try kill; try start; pass 4 s; try play to betting; try kill; try start; pass 1 s",
    ),
    // Lamps fail in the round, which is then settled by the dice.
    (
        TableFilter::Every,
        "try play to betting; try fault lamps.board_silent; pass 2500 ms; try play to entered; pass 1 s; turn key; ask settle; pass 4 s; ask settle",
    ),
    // A device that the spin does not need fails before it.
    (
        TableFilter::Every,
        "try play up to spin; try fault lamps.board_silent; pass 2500 ms; heal lamps.board_silent; pass 8 s; press tumble; pass 10 s",
    ),
    // Key privilege expires whatever is done meanwhile.
    (
        TableFilter::Covered,
        "turn key; lift dome; pass 700 ms; lower dome; pass 302 s; ask maintenance on; ask enrol-dice",
    ),
    (TableFilter::Every, "turn key; hold no_spin; pass 100 ms; release no_spin; pass 302 s; ask maintenance on"),
    // People take their time in an opening.
    (
        TableFilter::Every,
        "turn key; do close; ask open; pass 25 s; press every key; pass 4 s; ask witness bell right; pass 4 s; ask witness areas right; pass 4 s; ask witness sign wrong; pass 3 s",
    ),
    // A button is held when the daemon starts.
    (
        TableFilter::Every,
        "hold tumble; try kill; try start; pass 14 s; release tumble; pass 8 s; turn key; ask reset buttons rectified; pass 1 s",
    ),
    (TableFilter::Every, "hold supervisor_key; try kill; try start; pass 14 s; release supervisor_key; pass 1 s"),
    // A hand moves dice at rest; and dice that never come to rest.
    (TableFilter::Reader, "try play to spun; pass 3 s; lay die 1 face 4 flat; pass 6 s"),
    (TableFilter::Reader, "try play up to spin; try fault dice.moving; press tumble; pass 20 s"),
    (
        TableFilter::Every,
        "try play up to spin; try fault dice.not_tumbled; press tumble; pass 5 s; try play to settled",
    ),
    // An orderly stop of the daemon in mid-spin.
    (TableFilter::Every, "try play to spinning; pass 700 ms; try stop; try start; pass 2 s"),
    // A key, a button and an output that stay stuck.
    (TableFilter::Every, "hold supervisor_key; pass 1900 s; release supervisor_key"),
    (TableFilter::Every, "hold tumble; pass 6 s; release tumble"),
    (TableFilter::Every, "try play to betting; try fault deadman.stuck; try play to spun"),
    (TableFilter::Every, "try play to settled; pass 800 ms; lay die 2 face 3 flat; pass 900 ms"),
    // The journal's disk and files, and what lies beside them.
    (
        TableFilter::Every,
        "try play to betting; try fault disk.full; try play to spun; pass 2000 ms; heal disk.full; pass 2500 ms",
    ),
    (TableFilter::Every, "try kill; try fault journal.truncated; try start"),
    (TableFilter::Every, "try play to betting; try kill; try fault journal.missing; try start"),
    (TableFilter::Every, "try play to entered; try kill; try fault journal.rolled_back; try start"),
    (TableFilter::Every, "try stop; try fault journal.foreign; try start"),
    (TableFilter::Every, "try stop; try fault journal.bitflip; try start"),
    (TableFilter::Every, "try kill; try fault slot.missing; try start"),
    (TableFilter::Every, "try kill; try fault permit.missing; try start; press tumble"),
    (TableFilter::Every, "turn key; do close; try kill; try fault permit.older; try start; press tumble"),
    (
        TableFilter::Every,
        "try play to covered; try kill; try fault permit.missing; try start; press tumble; press tumble",
    ),
    (TableFilter::Every, "try kill; try fault run.missing; try start; press tumble"),
];

/// Errands that name rounds by number, and so need the day's first ones.
pub(super) const FIRST: &str = "turn key; try play to betting; ask void-afterwards 1; ask correct 1; as manager; ask void; as supervisor; pass 50 ms; ask void-afterwards 1; \
    ask void-afterwards 9; try play to settled; turn key; ask void-afterwards 2";

/// The same after a reboot, and under another rule set than the round's.
pub(super) const FIRST_LATER: &str = "try play to settled; try play to settled; try power off; pass 3 s; try power on; recover table; turn key; ask void-afterwards 1; pass 50 ms; \
    settings layout sg-open-early-1; try stop; try start; pass 300 ms; turn key; ask void-afterwards 2; pass 50 ms; settings own; try stop; try start; \
    turn key; ask void-afterwards 2; ask correct 1; recover table";

/// The errands for this table, in order.
pub(super) fn of(table: Table) -> Vec<&'static str> {
    ERRANDS.iter().filter(|(filter, _)| filter.matches(table)).map(|(_, words)| *words).collect()
}
