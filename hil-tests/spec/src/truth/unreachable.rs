//! Rows of the truth table that no run of the rig can reach, and why.

/// Rows that no run of the rig can reach, each with the rule set (`*`: all of them) and the reason. A campaign has to reach all
/// others.
pub const UNREACHABLE_ROWS: &[(&str, &str, &str)] = &[
    (
        "open-cover-early-proved",
        "*",
        "the table lets no spin begin before the call, and a shaft that turns by itself is cut before three tumbles",
    ),
    ("open-cover-early-and-short-later", "*", "as open-cover-early-proved: the round is void before the spin ends"),
    (
        "open-cover-early-still-tumbling",
        "*",
        "the table lets no spin begin before the call: a shaft that turns by itself then is open-cover-unspun-turns-early",
    ),
    ("open-cover-early-and-short", "*", "as open-cover-early-still-tumbling"),
    (
        "proved-dome-bets-closed",
        "sg-open",
        "no dome covers the dice: what its contacts tell in a spin is a guard that broke (open-cover-proved-guard)",
    ),
    ("proved-dome-bets-closed", "sg-open-early", "as under sg-open"),
    (
        "unspun-seal-or-other-dice",
        "*",
        "dice are identified after a spin, and counted at the opening: no round is in progress then",
    ),
    (
        "nz-revealed-no-spin-call-answered-flat",
        "*",
        "nobody is asked after a call: the supervisor says so or play goes on",
    ),
    ("nz-revealed-no-spin-call-answered-not-flat", "*", "as nz-revealed-no-spin-call-answered-flat"),
    ("nz-revealed-no-spin-call-cannot-tell", "*", "as nz-revealed-no-spin-call-answered-flat"),
    ("keyed-other-dice", "*", "dice are not identified again once a result stands"),
    ("keyed-manager", "*", "the table refuses a decision against an established result"),
    ("unspun-supervisor", "sg-v6", "refused, so that nothing ends by which it could be seen"),
    ("unspun-supervisor", "sg-open", "as under sg-v6"),
    ("valid-spin-supervisor", "*", "refused, so that nothing ends by which it could be seen"),
    ("open-cover-valid-spin-supervisor", "sg-open", "as under sg-v6"),
    ("nz-damaged-dice", "*", "the dice keep the motor off, so that the round ends by 7.1(d) or by a named person"),
    ("revealed-supervisor", "sg-v6", "refused, so that nothing ends by which it could be seen"),
    ("revealed-supervisor", "sg-open", "as under sg-v6"),
    ("revealed-knocked", "*", "where only people look, no wire and no unit tells of a knock"),
    ("revealed-knocked-undisturbed", "*", "as revealed-knocked"),
    ("revealed-knocked-not-flat", "*", "as revealed-knocked"),
    (
        "revealed-not-flat-and-damaged",
        "*",
        "a reader that sees a die that does not lie flat voids the round at once, and a person's command names one ground of the two",
    ),
    (
        "exposed-before-no-more-bets-and-not-flat",
        "*",
        "a dome that opens before the call voids the round at once, before anybody can say how the dice lie",
    ),
    (
        "settled-stands",
        "*",
        "a settled round is no round in progress: nothing is recorded of it but what is found afterwards",
    ),
];
