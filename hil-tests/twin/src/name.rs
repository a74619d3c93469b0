//! What is said of a name that does not exist: the nearest one that does.

/// A word that is wrong where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}{}", if allowed.is_empty() { String::new() } else { format!("\n  allowed is {allowed}") })]
pub struct Wrong {
    /// The word as it is written.
    pub word: String,
    /// What is wrong with it.
    pub problem: String,
    /// What is allowed; empty where the problem says it.
    pub allowed: String,
    /// What may have been meant.
    pub near: Option<String>,
}

impl Wrong {
    /// A word with what is wrong with it, and what is allowed.
    #[must_use]
    pub fn new(word: &str, problem: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self { word: word.to_owned(), problem: problem.into(), allowed: allowed.into(), near: None }
    }

    /// A name that is none of the known ones: `what` says of what. The nearest one is told, or all of them where none is near.
    #[must_use]
    pub fn unknown<'k>(what: &str, word: &str, known: impl IntoIterator<Item = &'k str> + Clone) -> Self {
        match nearest(word, known.clone()) {
            Some(near) => Self {
                near: Some(near.to_owned()),
                ..Self::new(word, format!("unknown {what} `{word}`: did you mean `{near}`?"), "")
            },
            None => Self::new(word, format!("unknown {what} `{word}`"), few(word, known)),
        }
    }
}

/// Most names that are told at once: more is not read.
const MOST: usize = 24;

/// All names; of many the ones that are most like `word`: of its kind, which is its first part, or with a part of it, or spelled like it.
fn few<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let mut known: Vec<&str> = known.into_iter().collect();
    if known.len() <= MOST {
        return known.join(", ");
    }
    let word = word.to_lowercase();
    let parts = |name: &str| name.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).collect::<Vec<_>>();
    let mine = parts(&word);
    let unlike = |name: &str| {
        let its = parts(name);
        let shared = mine.iter().filter(|part| !part.is_empty() && its.contains(part)).count();
        let kind = mine.first().zip(its.first()).map_or(usize::MAX, |(a, b)| strsim::osa_distance(a, b));
        (core::cmp::Reverse(shared), kind, strsim::osa_distance(&word, &name.to_lowercase()))
    };
    let all = known.len();
    known.sort_by_cached_key(|name| unlike(name));
    known.truncate(8);
    format!("{} and others, {all} in all; these are the nearest", known.join(", "))
}

/// The one of `known` that is most like `word`, where any is like it at all: of three letters, one may be another.
#[must_use]
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = word.to_lowercase();
    let bound = word.chars().count().div_ceil(3);
    let away = known.into_iter().map(|other| (strsim::osa_distance(&word, &other.to_lowercase()), other));
    away.filter(|(away, _)| *away <= bound).min_by_key(|(away, _)| *away).map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_suggested_and_otherwise_all_are_told() {
        let known = ["ready", "betting", "bets-closed"];
        let told = |word: &str| Wrong::unknown("phase", word, known).to_string();
        assert_eq!(told("redy"), "unknown phase `redy`: did you mean `ready`?");
        assert_eq!(told("Bets-Clsoed"), "unknown phase `Bets-Clsoed`: did you mean `bets-closed`?");
        assert_eq!(told("open"), "unknown phase `open`\n  allowed is ready, betting, bets-closed");
        assert_eq!(nearest("", []), None);
        let many: Vec<String> =
            (0..30).map(|n| format!("lamp.{n}")).chain(["motor.stall".into(), "motor.dead".into()]).collect();
        let told = Wrong::unknown("fault", "motor.overheated", many.iter().map(String::as_str)).allowed;
        assert!(told.starts_with("motor.dead, motor.stall, lamp.") && told.len() < 120, "{told}");
        assert!(told.ends_with("32 in all; these are the nearest"), "{told}");
    }
}
