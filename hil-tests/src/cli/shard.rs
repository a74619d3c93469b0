//! One part of a run, where several benches share it.

use std::fmt;
use std::str::FromStr;

/// The I-th of N parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shard {
    part: usize,
    of: usize,
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no part; allowed is I/N with I from 1 to N, such as 2/3");
        let (part, of) = text.split_once('/').ok_or_else(wrong)?;
        let shard = Self { part: part.parse().map_err(|_| wrong())?, of: of.parse().map_err(|_| wrong())? };
        if (1..=shard.of).contains(&shard.part) { Ok(shard) } else { Err(wrong()) }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl Shard {
    /// This part of them: every N-th, so that long and short ones spread over the parts.
    pub(super) fn of<T>(self, all: Vec<T>) -> Vec<T> {
        all.into_iter().skip(self.part - 1).step_by(self.of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_together_are_the_whole_and_do_not_overlap() {
        let all: Vec<u32> = (0..10).collect();
        let part = |text: &str| text.parse::<Shard>().unwrap().of(all.clone());
        assert_eq!(part("1/1"), all);
        assert_eq!(part("2/3"), [1, 4, 7]);
        let mut together = [part("1/3"), part("2/3"), part("3/3")].concat();
        together.sort_unstable();
        assert_eq!(together, all);
    }

    #[test]
    fn what_is_no_part_is_told_what_is_allowed() {
        for text in ["0/3", "4/3", "1/0", "1", "a/b", ""] {
            assert!(text.parse::<Shard>().unwrap_err().contains("I from 1 to N"), "{text}");
        }
    }
}
