//! What takes long is done in parts, another one with each commit. When a part last passed on this machine is kept, so that a lane can
//! say what it leaves out and how old the rest is.

use crate::repository::Repository;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// A part that passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Passed {
    /// Abbreviated.
    commit: String,
    /// The commit's, as YYYY-MM-DD.
    date: String,
}

/// Of each lane and part.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
struct Kept(BTreeMap<String, BTreeMap<String, Passed>>);

/// A lane in several parts, of which each commit runs one.
pub(crate) struct Rotation<'a> {
    repository: &'a Repository,
    lane: &'static str,
    /// 1 to `of`.
    pub(crate) part: u64,
    pub(crate) of: u64,
}

impl<'a> Rotation<'a> {
    /// The part of this commit; says what the others are.
    pub(crate) fn of(repository: &'a Repository, lane: &'static str, of: u64) -> Result<Self> {
        let rotation = Self::at(repository, lane, repository.height()? % of + 1, of);
        rotation.tell(|part| format!("part {part}"));
        Ok(rotation)
    }

    /// This part, whichever the commit's is.
    pub(crate) fn at(repository: &'a Repository, lane: &'static str, part: u64, of: u64) -> Self {
        Self { repository, lane, part, of }
    }

    /// Which of these whole lanes, that take turns, is this commit's; says what the others are.
    pub(crate) fn whose(repository: &'a Repository, group: &'static str, lanes: &[&'static str]) -> Result<u64> {
        let of = u64::try_from(lanes.len())?;
        let rotation = Self::at(repository, group, repository.height()? % of + 1, of);
        let name =
            |part| usize::try_from(part - 1).ok().and_then(|place: usize| lanes.get(place)).map_or("", |name| *name);
        rotation.tell(|part| name(part).to_owned());
        Ok(rotation.part)
    }

    fn tell(&self, name: impl Fn(u64) -> String) {
        crate::say::line(&told(self.lane, self.part, self.of, self.read().0.get(self.lane), name));
    }

    /// This part has passed.
    pub(crate) fn passed(&self) -> Result<()> {
        let Passed { commit, date } = self.here()?;
        let mut kept = self.read();
        kept.0.entry(self.lane.into()).or_default().insert(key(self.part, self.of), Passed { commit, date });
        let path = self.path();
        let text = toml::to_string(&kept)?;
        let parent = path.parent().context("the cache has a directory")?;
        fs::create_dir_all(parent)?;
        // Lanes that end at the same moment must not find half of it.
        let mut file = tempfile::NamedTempFile::new_in(parent)?;
        std::io::Write::write_all(&mut file, text.as_bytes())?;
        file.persist(&path)?;
        Ok(())
    }

    fn here(&self) -> Result<Passed> {
        let said = self.repository.git(["log", "-1", "--format=%h %cs"])?;
        let (commit, date) = said.split_once(' ').context("git log names a commit and its date")?;
        Ok(Passed { commit: commit.into(), date: date.into() })
    }

    fn path(&self) -> PathBuf {
        self.repository.cache().join("rotation.toml")
    }

    /// Nothing where nothing can be read: it is only told.
    fn read(&self) -> Kept {
        fs::read_to_string(self.path()).ok().and_then(|text| toml::from_str(&text).ok()).unwrap_or_default()
    }
}

fn key(part: u64, of: u64) -> String {
    format!("{part}/{of}")
}

fn told(
    lane: &str,
    part: u64,
    of: u64,
    kept: Option<&BTreeMap<String, Passed>>,
    name: impl Fn(u64) -> String,
) -> String {
    let others = (1..=of).filter(|other| *other != part).map(|other| {
        let name = name(other);
        match kept.and_then(|kept| kept.get(&key(other, of))) {
            Some(Passed { commit, date }) => format!("{name} last passed at {commit} of {date}"),
            None => format!("{name} has not passed on this machine yet"),
        }
    });
    let others = others.collect::<Vec<_>>().join("; ");
    format!("{lane}: {} of {of}, by turns from commit to commit; {others}", name(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_parts_are_told_with_their_last_commits() {
        let passed = Passed { commit: "abc1234".into(), date: "2026-01-02".into() };
        let kept = BTreeMap::from([("1/3".to_string(), passed)]);
        assert_eq!(
            told("virtual", 2, 3, Some(&kept), |part| format!("part {part}")),
            "virtual: part 2 of 3, by turns from commit to commit; part 1 last passed at abc1234 of 2026-01-02; \
             part 3 has not passed on this machine yet"
        );
        let name = |part| ["vm", "cuts"][usize::try_from(part - 1).unwrap()].to_owned();
        let told = told("guests", 1, 2, None, name);
        assert_eq!(told, "guests: vm of 2, by turns from commit to commit; cuts has not passed on this machine yet");
    }

    #[test]
    fn what_is_kept_can_be_read_again() {
        let passed = Passed { commit: "abc1234".into(), date: "2026-01-02".into() };
        let kept = Kept(BTreeMap::from([("virtual".into(), BTreeMap::from([("1/3".into(), passed)]))]));
        let text = toml::to_string(&kept).unwrap();
        assert_eq!(toml::from_str::<Kept>(&text).unwrap(), kept, "{text}");
    }
}
