//! `tumbler-hil steps`: the words of scenarios, from what reads them.

use super::say;
use crate::report;
use crate::scenario::words;
use clap::Args;
use tumbler_bench::Wrong;

#[derive(Debug, Args)]
pub(super) struct StepsArgs {
    /// Only what has this word in it: `dome`, `flicker`, `phases`.
    #[arg(value_name = "WORD")]
    word: Option<String>,
}

pub(super) fn steps(args: &StepsArgs) -> anyhow::Result<u8> {
    say::line(&text(args.word.as_deref())?);
    Ok(report::PASSED)
}

/// The sections, each word with its meaning in a line. A word that is a section's title, or a part of it, means the whole section.
pub(super) fn text(word: Option<&str>) -> Result<String, Wrong> {
    let word = word.unwrap_or_default().to_lowercase();
    let has = |text: &str| text.to_lowercase().contains(&word);
    let mut told = Vec::new();
    let all = words::all();
    for section in &all {
        let mut words: Vec<&(String, String)> = section.words.iter().collect();
        if !has(section.title) {
            words.retain(|(name, about)| has(name) || has(about));
        }
        if !words.is_empty() {
            let lines = words.iter().map(|(name, about)| format!("  {name}\n      {about}"));
            told.push(format!("{}\n{}", section.title, lines.collect::<Vec<_>>().join("\n")));
        }
    }
    if told.is_empty() {
        let known = all
            .iter()
            .flat_map(|section| &section.words)
            .flat_map(|(name, _)| name.split([' ', ',']).chain([name.as_str()]));
        let mut wrong = Wrong::unknown("word", &word, known.collect::<Vec<_>>());
        if wrong.near.is_none() {
            // Every word there is would fill a screen.
            wrong.allowed = all.iter().map(|section| section.title).collect::<Vec<_>>().join(", ");
        }
        return Err(wrong);
    }
    Ok(told.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_looked_up_in_names_and_meanings_and_the_nearest_is_told() {
        let dome = text(Some("Flicker")).unwrap();
        assert!(dome.contains("faults\n") && dome.contains("  dome.flicker\n      "), "{dome}");
        assert!(text(Some("phases")).unwrap().contains("  bets-closed\n"));
        let whole = text(None).unwrap();
        for word in
            ["open table", "phase NAME", "witness areas|seal", "spun", "supervisor_key", "motor.stall", "spin-began"]
        {
            assert!(whole.contains(word), "{word}");
        }
        let told = text(Some("dome.flikcer")).unwrap_err().to_string();
        assert_eq!(told, "unknown word `dome.flikcer`: did you mean `dome.flicker`?");
        let none_near = text(Some("qqqqzz")).unwrap_err().to_string();
        assert!(none_near.contains("phases, causes, lines") && none_near.len() < 400, "{none_near}");
    }
}
