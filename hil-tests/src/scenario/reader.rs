//! The texts of a scenario's file in each of its variants, with what is wrong in them.

use super::effects::Begun;
use super::parse;
use super::step::Step;
use crate::citation;
use std::collections::BTreeMap;
use tumbler_bench::Wrong;
use tumbler_bench::source::{Place, Source};
use tumbler_core::rules::Layout;

/// A text of the file in one variant: its words, and where they may stand.
pub(super) struct Text {
    words: String,
    places: Vec<Place>,
}

/// A file that is being read, with what is wrong in it.
pub(super) struct Reader<'t> {
    pub source: Source<'t>,
    pub variants: Vec<BTreeMap<String, String>>,
    /// The texts of all rule sets that are played.
    pub texts: Vec<&'static str>,
}

impl Reader<'_> {
    /// The text at a place, with the values of a variant in place of their keys.
    pub(super) fn text(&mut self, text: &str, place: Place, number: usize) -> Text {
        let Some(variant) = self.variants.get(number) else {
            return Text { words: text.to_owned(), places: vec![place] };
        };
        let words = variant.iter().fold(text.to_owned(), |text, (key, value)| text.replace(&in_braces(key), value));
        let used = variant.keys().filter(|key| text.contains(&in_braces(key)));
        let at = Place::default().of("variant").of(number);
        let places = std::iter::once(place).chain(used.map(|key| at.of(key))).collect();
        let left = words.split_once('{').and_then(|(_, rest)| rest.split_once('}')).map(|(key, _)| key.to_owned());
        let unknown = left.map(|key| Wrong::unknown("key of a variant", &key, variant.keys().map(String::as_str)));
        let text = Text { words, places };
        if let Some(wrong) = unknown {
            self.source.wrong(&text.places, wrong);
        }
        text
    }

    /// What a text means; none where it is wrong, which is told.
    pub(super) fn read<T>(&mut self, text: &Text, read: impl FnOnce(&str) -> Result<T, Wrong>) -> Option<T> {
        read(&text.words).map_err(|wrong| self.source.wrong(&text.places, wrong)).ok()
    }

    /// What the texts of a list mean, those left out that are empty in this variant.
    pub(super) fn list<T>(
        &mut self,
        all: &[String],
        place: &Place,
        variant: usize,
        read: impl Fn(&str) -> Result<T, Wrong>,
    ) -> Vec<T> {
        self.texts(all, place, variant).iter().filter_map(|text| self.read(text, &read)).collect()
    }

    /// The texts of a list, those left out that are empty in this variant alone.
    fn texts(&mut self, all: &[String], place: &Place, variant: usize) -> Vec<Text> {
        for (number, _) in all.iter().enumerate().filter(|(_, text)| text.trim().is_empty()) {
            self.source.wrong(&[place.of(number)], Wrong::new("", "this says nothing", ""));
        }
        let texts = all.iter().enumerate().map(|(number, text)| self.text(text, place.of(number), variant));
        texts.filter(|text| !text.words.trim().is_empty()).collect()
    }

    /// What a clause is cited for is shown where its rule set is played.
    fn is_shown(&self, step: &Step) -> Result<(), Wrong> {
        match step {
            Step::Try(step) => self.is_shown(step),
            Step::Expect(_, clause) => {
                let cited = citation::texts(clause, &self.texts)?;
                match cited.first() {
                    Some(other) if !cited.iter().any(|text| self.texts.contains(text)) => {
                        let problem = format!("`{other}` is not the text of a rule set that is played here");
                        Err(Wrong::new(other, problem, self.texts.join(", ")))
                    }
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// The steps of a line; all that are wrong are told.
    fn line(&mut self, text: &Text, layout: &Layout) -> Option<Vec<(String, Vec<Step>)>> {
        let parts =
            self.read(text, |line| Ok(parse::parts(line)?.into_iter().map(str::to_owned).collect::<Vec<_>>()))?;
        let read: Vec<_> = parts
            .into_iter()
            .map(|part| Some((part.clone(), self.read(text, |_| parse::step(&part, &layout.id))?)))
            .collect();
        read.into_iter().collect()
    }

    /// The steps of a trial, each line with its words. All that is wrong with them is told, also what cannot do anything there.
    pub(super) fn steps(
        &mut self,
        all: &[String],
        place: &Place,
        variant: usize,
        layout: &Layout,
        rules: &str,
    ) -> Vec<(String, Vec<Step>)> {
        let texts = self.texts(all, place, variant);
        let lines: Vec<_> = texts.iter().map(|text| self.line(text, layout)).collect();
        // What cannot be read may have begun what a later line ends.
        let Some(lines) = lines.into_iter().collect::<Option<Vec<_>>>() else { return Vec::new() };
        let all = || lines.iter().flatten().flat_map(|(_, steps)| steps);
        let (mut begun, mut count) = (Begun::default(), 0);
        for (text, line) in texts.iter().zip(&lines) {
            for step in line.iter().flat_map(|(_, steps)| steps) {
                count += 1;
                let wrongs = [begun.take(step, rules, all().skip(count)), self.is_shown(step)];
                wrongs.into_iter().filter_map(Result::err).for_each(|wrong| self.source.wrong(&text.places, wrong));
            }
        }
        lines.into_iter().flatten().collect()
    }
}

/// A variant's key as a text has it.
pub(super) fn in_braces(key: &str) -> String {
    format!("{{{key}}}")
}
