//! Reads the catalogue: every name in it is known, and there is an expectation for every place under every rule set.

use super::catalogue::{Catalogue, Fault};
use super::expectation::{Deadline, Expect, ExpectedRound, SETTLED, ShowsWhen};
use super::place::Place;
use crate::citation;
use crate::scenario::{grounds, names, parse};
use std::path::Path;
use tumbler_bench::source::{Place as At, Source};
use tumbler_bench::{BadFiles, Wrong, bounded};
use tumbler_core::round::ending::VoidReason;
use tumbler_core::rules;

/// Reads the catalogue.
///
/// # Errors
/// All that is wrong in it, each with its line and column and what is allowed there.
pub fn read(path: &Path) -> Result<Catalogue, BadFiles> {
    let text = bounded::read_text(path).map_err(|why| BadFiles::unread(path, &why))?;
    parse(path, &text)
}

/// Reads the catalogue from its TOML.
///
/// # Errors
/// As [`read`].
pub fn parse(path: &Path, text: &str) -> Result<Catalogue, BadFiles> {
    let (mut source, catalogue) = Source::read::<Catalogue>(path, text)?;
    check(&catalogue, &mut source);
    source.end(catalogue)
}

/// Tells the file all that is wrong in it.
fn check(catalogue: &Catalogue, source: &mut Source<'_>) {
    let mut check = Check { catalogue, source };
    check.clauses();
    let top = At::default();
    for (name, expects) in &catalogue.patterns {
        let at = top.of("patterns").of(name);
        check.expects(&at, expects);
        if !catalogue.fault.iter().any(|fault| fault.pattern.as_ref() == Some(name)) {
            check.source.wrong(&[at], Wrong::new(name, format!("no fault has the pattern `{name}`"), ""));
        }
    }
    for (number, fault) in catalogue.fault.iter().enumerate() {
        let at = top.of("fault").of(number);
        if catalogue.fault.iter().take(number).any(|before| before.id == fault.id) {
            check
                .source
                .wrong(&[at.of("id")], Wrong::new(&fault.id, format!("fault `{}` is there twice", fault.id), ""));
        }
        check.fault(&at, fault);
    }
    // What is wrongly spelled leaves gaps.
    if check.source.is_right() {
        check.gaps();
    }
}

struct Check<'c, 't> {
    catalogue: &'c Catalogue,
    source: &'c mut Source<'t>,
}

impl Check<'_, '_> {
    fn take<T>(&mut self, at: At, read: Result<T, Wrong>) {
        if let Err(wrong) = read {
            self.source.wrong(&[at], wrong);
        }
    }

    fn clauses(&mut self) {
        for (reason, by) in &self.catalogue.clauses {
            let at = At::default().of("clauses").of(reason);
            let known = [SETTLED, "tumbler", "tumbler-dice"].into_iter().chain(VoidReason::ALL.map(VoidReason::name));
            if !known.clone().any(|known| known == reason) {
                self.take::<()>(at.clone(), Err(Wrong::unknown("reason of a void", reason, known)));
            }
            for (id, words) in by {
                if id != "*" {
                    self.take(at.clone(), names::rule_set(id));
                }
                if reason == SETTLED {
                    self.take(at.of(id), citation::read(words));
                    continue;
                }
                for set in rules::all().iter().filter(|set| id == "*" || *id == set.id) {
                    self.take(at.of(id), grounds::expand(&set.id, words));
                }
            }
        }
    }

    fn fault(&mut self, at: &At, fault: &Fault) {
        match &fault.inject {
            Some(lines) => self.steps(&at.of("inject"), lines),
            None => self.line(at.of("id"), &format!("fault {}", fault.id)),
        }
        self.steps(&at.of("heal"), fault.heal.as_deref().unwrap_or_default());
        self.steps(&at.of("then"), &fault.then);
        self.steps(&at.of("on"), &fault.on);
        self.steps(&at.of("setup"), &fault.setup);
        self.codes(&at.of("latch"), &fault.latch);
        self.expects(&at.of("expect"), &fault.expect);
        self.deadlines(&at.of("deadlines"), &fault.deadlines);
        for (number, not_on) in fault.not_on.iter().enumerate() {
            self.places(&at.of("not_on").of(number).of("phases"), &not_on.phases);
        }
        self.take(at.of("clause"), citation::read(&fault.clause));
        let described = citation::faults().iter().copied();
        if !described.clone().any(|id| id == fault.id) {
            self.source.wrong(&[at.of("id")], Wrong::unknown("fault of faults.md", &fault.id, described));
        }
        if let Some(name) = fault.pattern.as_ref().filter(|name| !self.catalogue.patterns.contains_key(*name)) {
            let known = self.catalogue.patterns.keys().map(String::as_str);
            self.source.wrong(&[at.of("pattern")], Wrong::unknown("pattern", name, known));
        }
    }

    /// Places about which a fault's row says nothing.
    fn gaps(&mut self) {
        for (number, fault) in self.catalogue.fault.iter().enumerate() {
            for set in rules::all() {
                for (name, place) in Place::ALL {
                    if place.exists(&set.id) && self.catalogue.expected(fault, place, &set.id).is_none() {
                        let problem = format!("fault {}: `expect` says nothing of {name} under {}", fault.id, set.id);
                        let at = At::default().of("fault").of(number).of("id");
                        self.source.wrong(&[at], Wrong::new(&fault.id, problem, ""));
                    }
                }
            }
        }
    }

    fn expects(&mut self, at: &At, expects: &[Expect]) {
        for (number, expect) in expects.iter().enumerate() {
            let at = at.of(number);
            self.places(&at.of("phases"), &expect.phases);
            for (number, name) in expect.rules.iter().enumerate() {
                self.take(at.of("rules").of(number), names::group(name));
            }
            for (number, round) in expect.rounds.iter().enumerate() {
                self.round(at.of("rounds").of(number), round);
            }
            self.codes(&at.of("latch"), expect.latch.as_deref().unwrap_or_default());
            self.steps(&at.of("then"), expect.then.as_deref().unwrap_or_default());
            self.steps(&at.of("on"), expect.on.as_deref().unwrap_or_default());
            if expect.shows == Some(ShowsWhen::Never) && expect.why.trim().is_empty() {
                let problem = "`why` says not why the fault cannot show here";
                self.source.wrong(&[at.of("shows")], Wrong::new("never", problem, ""));
            }
            self.deadlines(&at.of("deadlines"), expect.deadlines.as_deref().unwrap_or_default());
        }
    }

    fn round(&mut self, at: At, round: &str) {
        let allowed = "settled, settled any, void REASON";
        let first = round.split_whitespace().next().unwrap_or_default();
        match ExpectedRound::parse(round) {
            None => self.take::<()>(at, Err(Wrong::new(first, format!("`{round}` is no ending of a round"), allowed))),
            Some(ExpectedRound::Void(reason)) if !self.catalogue.clauses.contains_key(&reason) => {
                let known = self.catalogue.clauses.keys().map(String::as_str);
                self.source.wrong(&[at], Wrong::unknown("reason under [clauses]", &reason, known));
            }
            Some(_) => {}
        }
    }

    fn deadlines(&mut self, at: &At, deadlines: &[Deadline]) {
        for (number, deadline) in deadlines.iter().enumerate() {
            let at = at.of(number);
            if let Err(wrong) = parse::step(&deadline.step("silent: the row says it"), &any_layout()) {
                self.source.wrong(&[at.of("what"), at.of("after")], wrong);
            }
        }
    }

    fn steps(&mut self, at: &At, lines: &[String]) {
        for (number, line) in lines.iter().enumerate() {
            self.line(at.of(number), line);
        }
    }

    /// A line of steps, under the layouts that cells are played on.
    fn line(&mut self, at: At, line: &str) {
        for layout in rules::all().iter().filter_map(|set| set.layouts.first()) {
            self.take(at.clone(), parse::line_of_steps(line, &layout.id));
        }
    }

    fn codes(&mut self, at: &At, all: &[String]) {
        for (number, name) in all.iter().enumerate() {
            self.take(at.of(number), names::code(name));
        }
    }

    fn places(&mut self, at: &At, all: &[String]) {
        let known = Place::ALL.iter().map(|(name, _)| *name).chain(Place::GROUPS);
        for (number, name) in all.iter().enumerate() {
            if !known.clone().any(|known| known == name) {
                self.take::<()>(at.of(number), Err(Wrong::unknown("phase", name, known.clone())));
            }
        }
    }
}

fn any_layout() -> String {
    rules::all().iter().flat_map(|set| &set.layouts).map(|layout| layout.id.clone()).next().unwrap_or_default()
}
