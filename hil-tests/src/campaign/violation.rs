//! The kind of a violation, to compare a shrunk day with the original one: the same judge and rule, the same panic or the same fault of the
//! rig, whatever the times and numbers.

use crate::scenario::Verdict;

/// The kind of a verdict's first violation; `None` for a pass.
#[must_use]
pub fn kind(verdict: &Verdict) -> Option<String> {
    Some(match verdict {
        Verdict::Pass => return None,
        Verdict::Invalid(why) => format!("INVALID: {}", numberless(why)),
        Verdict::NotExecuted(why) => format!("NOT_EXECUTED: {}", numberless(why)),
        Verdict::Fail(whys) => failure(whys.first().map_or("", String::as_str)),
    })
}

fn failure(why: &str) -> String {
    if let Some((_, found)) = why.split_once("judge: ") {
        let judge = found.split(':').next().unwrap_or_default();
        let clause = found.rsplit('[').next().unwrap_or_default().trim_end_matches(']');
        return format!("judge {judge}: {clause}");
    }
    if let Some((_, panic)) = why.split_once("panic: ") {
        return format!("panic: {}", panic.lines().next().unwrap_or_default());
    }
    // After `; at` comes the state of the table. Its phase is part of the kind; times and dice always differ.
    let (what, place) = why.split_once("; at ").unwrap_or((why, ""));
    let what = what.split_once('`').map_or(what, |(_, what)| what);
    let phase = place.split_once(", phase ").and_then(|(_, rest)| rest.split(',').next()).unwrap_or_default();
    format!("{} {phase}", numberless(what))
}

fn numberless(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '0'..='9' if shown.ends_with('#') => {}
            '0'..='9' => shown.push('#'),
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(why: &str) -> String {
        kind(&Verdict::Fail(vec![why.into()])).unwrap()
    }

    #[test]
    fn times_and_numbers_make_no_difference_and_rules_do() {
        let judge = "step 3 `play to spun`: judge: motor: at 1.5 s: power in spite of the dome [NZ 6.1]";
        assert_eq!(of(judge), "judge motor: NZ 6.1");
        assert_eq!(
            of("step 9 `pass 1 ms`: not within 15 ms; at 2.1 s"),
            of("step 1 `pass 1 ms`: not within 9000 ms; at 7 s")
        );
        assert_ne!(of(judge), of("judge: motor: at 1.5 s: power [NZ 6.2]"));
        assert_eq!(of("panic: a.rs:3\nwords"), "panic: a.rs:3");
        assert_ne!(
            of("step 9 `play to entered`: not within 20000 ms; at 35.0 s, phase revealed, latched: nothing"),
            of("step 1 `play to entered`: not within 2000 ms; at 11.1 s, phase closed, latched: nothing")
        );
        assert_eq!(kind(&Verdict::Pass), None);
    }
}
