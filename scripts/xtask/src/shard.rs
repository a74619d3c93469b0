//! A part of a list.

use anyhow::{Context, Result, ensure};
use std::str::FromStr;

/// Every `of`-th, from the `part`-th.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    pub(crate) part: u64,
    pub(crate) of: u64,
}

impl Shard {
    /// What of this is its part.
    pub(crate) fn take<T>(self, list: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
        let places = (1..).zip(list).filter(move |(place, _)| place % self.of == self.part % self.of);
        places.map(|(_, one)| one)
    }
}

impl FromStr for Shard {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let numbers = text.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
        let (part, of) = numbers.context("it is I/N, such as 1/4")?;
        ensure!((1..=of).contains(&part), "I is 1 to {of}");
        Ok(Self { part, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_share_a_list() {
        let of = |text: &str| text.parse::<Shard>().unwrap().take(1..=7).collect::<Vec<_>>();
        assert_eq!([of("1/3"), of("2/3"), of("3/3")], [vec![1, 4, 7], vec![2, 5], vec![3, 6]]);
        assert_eq!(of("1/1").len(), 7);
    }

    #[test]
    fn a_shard_that_is_none_is_refused() {
        let refused = |text: &str| text.parse::<Shard>().unwrap_err().to_string();
        assert_eq!(refused("5/4"), "I is 1 to 4");
        for text in ["", "3", "1/", "a/4", "-1/4", "1/4/4"] {
            assert_eq!(refused(text), "it is I/N, such as 1/4", "{text}");
        }
        assert!("0/4".parse::<Shard>().is_err() && "0/0".parse::<Shard>().is_err());
    }
}
