//! An exhaustive breadth-first search of the states that the table can reach: everything that people and faults can do, in
//! every order, to a stated depth, with the invariants checked after every step.
//!
//! ```text
//! roots: closed, tests before and after the press that their spin begins by, and every stage of a healthy round
//!   │  one letter of the alphabet: an act, a fault, a heal, a kill, a moment passes …      (alphabet.rs)
//!   v
//! a copy of the whole pure bench: core, twin, journal, judges                              (node.rs)
//!   │  judges' findings and invariants; a sample is recovered to where a game may begin        (invariants.rs, recovery.rs)
//!   v
//! canonical state: seen before? dropped : kept for the next layer                          (canon.rs)
//! ```
//!
//! The depth counts letters from the nearest root. Every layer is searched before the next, so that a violation is found by a
//! shortest path; it is printed as a scenario that `tumbler-hil run` plays (example.rs). The number of twin faults in force at
//! once is limited, to one by default. The result does not depend on the number of jobs.

pub mod alphabet;
pub mod canon;
pub mod example;
pub mod invariants;
mod node;
mod recovery;
#[cfg(test)]
mod tests;
pub mod view;

use crate::scenario::{Halt, Trial, file, order, parse, play_steps};
use alphabet::Letter;
pub use canon::Key;
pub use example::Example;
use invariants::Invariant;
use node::{Node, StepResult};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use tumbler_bench::BenchError;

/// Nodes expanded before their successors are merged. Constant, so that the result does not depend on the number of jobs.
const BATCH: usize = 64;

/// What is searched.
#[derive(Clone, Debug)]
pub struct SearchPlan {
    /// The rule set's id.
    pub rules: String,
    /// Letters from the nearest root, at most.
    pub depth: u32,
    /// Threads.
    pub jobs: usize,
    /// Most faults of the twin in force at once.
    pub faults: usize,
    /// One in this many states is brought back to where a game may begin; 0: none.
    pub recover: u64,
    /// Go on after a violation, to find more.
    pub keep_going: bool,
    /// Only letters whose words contain one of these; empty: all letters. Time passes only by a letter.
    pub only: Vec<String>,
    /// The invariants.
    pub invariants: Vec<Invariant>,
}

/// One layer of the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layer {
    /// Its depth.
    pub depth: u32,
    /// New states.
    pub states: usize,
    /// Letters taken to reach them.
    pub transitions: usize,
    /// States that were brought back to where a game may begin.
    pub recovered: usize,
}

/// Result of a search.
#[derive(Clone, Debug, Default)]
pub struct SearchResult {
    /// The layers, from the roots on.
    pub layers: Vec<Layer>,
    /// Violations, each by a shortest path; only the first one without `keep_going`.
    pub wrong: Vec<Example>,
    /// Judges' rules that had something to judge on some path: judge and rule.
    pub exercised: BTreeSet<(&'static str, &'static str)>,
    /// Judges' rules that never had.
    pub idle: BTreeSet<(&'static str, &'static str)>,
}

impl SearchResult {
    /// All states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.layers.iter().map(|layer| layer.states).sum()
    }

    /// All transitions.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.layers.iter().map(|layer| layer.transitions).sum()
    }
}

/// How a state was reached: from which one, by which words.
struct Origin {
    parent: Option<usize>,
    words: Vec<String>,
}

/// A successor, as a worker returns it.
struct Successor {
    parent: usize,
    key: Key,
    words: String,
    /// Left out in the last layer.
    node: Option<Box<Node>>,
    wrong: Option<(Vec<String>, String)>,
    recovered: bool,
}

/// The trial for searching a rule set: its first layout, without steps.
///
/// # Errors
/// [`BenchError::Rig`] for a rule set that does not exist.
pub fn trial(rules: &str) -> Result<Trial, BenchError> {
    // A file has some step.
    let text = format!("about = \"a search\"\nsteps = [\"mark\"]\nendings.{rules} = []");
    let trials = file::parse(Path::new(example::NAME), &text).map_err(|bad| BenchError::Rig(bad.to_string()))?;
    let trial = trials.into_iter().next().ok_or_else(|| BenchError::Rig(format!("`{rules}` is no rule set")))?;
    Ok(Trial { steps: Vec::new(), ..trial })
}

/// The words that lead to a table whose tests wait for people: an opening before its spin and after it, and a hardware test. Its lamps
/// shine for longer than a search is deep.
const TESTED: [&[&str]; 3] = [
    &["turn key", "ask alone open", "wait prompt tumble within 60000 ms"],
    &["turn key", "ask alone open", "wait prompt tumble within 60000 ms", "press tumble", "wait prompt keys"],
    &["turn key", "do maintenance on", "ask alone hardware-test motor", "wait prompt tumble"],
];

/// The words that lead to each root: a closed table, tests of it, and every stage of a healthy round.
fn roots(rules: &str) -> Vec<Vec<String>> {
    let closed = ["dice 1 3 6".to_owned(), "pass 1500 ms".to_owned()];
    let open = ["dice 1 3 6".to_owned(), "open table".to_owned()];
    let mut all = vec![closed.to_vec(), open.to_vec()];
    all.extend(TESTED.map(|words| closed.iter().cloned().chain(words.iter().map(|word| (*word).to_owned())).collect()));
    let mut stages: Vec<_> = order::of(rules).iter().map(|(_, stage)| *stage).collect();
    stages.dedup();
    for stage in stages {
        let word = crate::scenario::step::Stage::ALL.iter().find(|(_, s)| *s == stage).map_or("", |(word, _)| word);
        let mut words = open.to_vec();
        words.push(format!("play to {word}"));
        all.push(words);
    }
    all
}

struct Search<'a> {
    plan: &'a SearchPlan,
    trial: Trial,
    letters: Vec<Letter>,
    covered: bool,
    links: Vec<Origin>,
    seen: HashSet<Key>,
    found: SearchResult,
}

/// Searches. `layer` is called with each layer as it is done.
///
/// # Errors
/// [`BenchError`] where the rig is at fault.
pub fn run(plan: &SearchPlan, layer: &dyn Fn(&Layer)) -> Result<SearchResult, BenchError> {
    let trial = trial(&plan.rules)?;
    let mut letters = alphabet::letters(&plan.rules, &trial.layout).map_err(|bad| BenchError::Rig(bad.to_string()))?;
    letters.retain(|letter| plan.only.is_empty() || plan.only.iter().any(|words| letter.words.contains(words)));
    let covered = order::covered(&plan.rules);
    let mut search = Search {
        plan,
        trial,
        letters,
        covered,
        links: Vec::new(),
        seen: HashSet::new(),
        found: SearchResult::default(),
    };
    let mut frontier = search.begin()?;
    search.end_layer(0, frontier.len(), 0, 0, layer);
    for depth in 1..=plan.depth {
        if frontier.is_empty() || search.is_over() {
            break;
        }
        frontier = search.layer(depth, frontier, layer)?;
    }
    Ok(search.found)
}

impl Search<'_> {
    /// Whether a violation was found and the search must stop.
    fn is_over(&self) -> bool {
        !self.plan.keep_going && !self.found.wrong.is_empty()
    }

    fn begin(&mut self) -> Result<Vec<(usize, Node)>, BenchError> {
        let mut frontier = Vec::new();
        for words in roots(&self.plan.rules) {
            let mut bench = example::bench(&self.trial)?;
            for word in &words {
                let steps = parse::step(word, &self.trial.layout).map_err(|bad| BenchError::Rig(bad.to_string()))?;
                play_steps(&mut bench, &self.trial, &steps).map_err(|halt| match halt {
                    Halt::Wrong(what) => BenchError::Rig(format!("the root `{}`: {what}", words.join("; "))),
                    Halt::BenchError(trouble) => trouble,
                })?;
            }
            let node = Node::begin(bench);
            if self.seen.insert(node.key) {
                frontier.push((self.links.len(), node));
                self.links.push(Origin { parent: None, words });
            }
        }
        Ok(frontier)
    }

    fn end_layer(&mut self, depth: u32, states: usize, transitions: usize, recovered: usize, tell: &dyn Fn(&Layer)) {
        let layer = Layer { depth, states, transitions, recovered };
        tell(&layer);
        self.found.layers.push(layer);
    }

    fn layer(
        &mut self,
        depth: u32,
        frontier: Vec<(usize, Node)>,
        tell: &dyn Fn(&Layer),
    ) -> Result<Vec<(usize, Node)>, BenchError> {
        let mut next = Vec::new();
        let (mut states, mut transitions, mut recovered) = (0, 0, 0);
        for batch in frontier.chunks(BATCH) {
            let came = self.batch(depth, batch)?;
            for one in came {
                transitions += 1;
                if let Some((more, wrong)) = one.wrong.filter(|_| !self.is_over()) {
                    let example = self.example(depth, one.parent, &one.words, more, wrong);
                    if !self.found.wrong.iter().any(|known| known.is_like(&example)) {
                        self.found.wrong.push(example);
                    }
                }
                // A violation is a leaf.
                if one.key == Key::default() || !self.seen.insert(one.key) {
                    continue;
                }
                states += 1;
                recovered += usize::from(one.recovered);
                if let Some(node) = one.node {
                    next.push((self.links.len(), *node));
                    self.links.push(Origin { parent: Some(one.parent), words: vec![one.words] });
                }
            }
            if self.is_over() {
                break;
            }
        }
        self.end_layer(depth, states, transitions, recovered, tell);
        Ok(next)
    }

    /// Expands a batch of nodes. The results are in the order of the batch.
    fn batch(&mut self, depth: u32, batch: &[(usize, Node)]) -> Result<Vec<Successor>, BenchError> {
        let place = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(batch.len()));
        let judged = Mutex::new(HashMap::new());
        let this = &*self;
        std::thread::scope(|scope| {
            for _ in 0..this.plan.jobs.clamp(1, batch.len()) {
                scope.spawn(|| {
                    let mut rules = HashMap::new();
                    while let Some((n, (link, node))) = {
                        let n = place.fetch_add(1, Ordering::SeqCst);
                        batch.get(n).map(|one| (n, one))
                    } {
                        let came = this.expand(depth, *link, node, &mut rules);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((n, came));
                    }
                    let mut all = judged.lock().unwrap_or_else(PoisonError::into_inner);
                    rules.into_iter().for_each(|(rule, times)| *all.entry(rule).or_insert(0) += times);
                });
            }
        });
        for (rule, times) in judged.into_inner().unwrap_or_else(PoisonError::into_inner) {
            if times > 0 {
                self.found.idle.remove(&rule);
                self.found.exercised.insert(rule);
            } else if !self.found.exercised.contains(&rule) {
                self.found.idle.insert(rule);
            }
        }
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(n, _)| *n);
        let mut came = Vec::new();
        for (_, one) in done {
            came.extend(one?);
        }
        Ok(came)
    }

    /// Every letter that is offered at a node.
    fn expand(
        &self,
        depth: u32,
        parent: usize,
        node: &Node,
        rules: &mut HashMap<(&'static str, &'static str), u64>,
    ) -> Result<Vec<Successor>, BenchError> {
        let (plan, last) = (self.plan, depth == self.plan.depth);
        let mut all = Vec::new();
        for letter in self.letters.iter().filter(|letter| letter.is_offered(&node.view, plan.faults)) {
            let mut next = match node.take(letter, &self.trial, &plan.invariants, self.covered)? {
                StepResult::Wrong(what, words) => {
                    let key = Key::default();
                    let wrong = Some((Vec::new(), what));
                    all.push(Successor { parent, key, words, node: None, wrong, recovered: false });
                    continue;
                }
                StepResult::Node(node, words) => {
                    Successor { parent, key: node.key, words, node: Some(node), wrong: None, recovered: false }
                }
            };
            if self.seen.contains(&next.key) {
                next.node = None;
                all.push(next);
                continue;
            }
            if let Some(node) = &next.node {
                node.bench.exercised().iter().for_each(|e| *rules.entry((e.judge, e.rule)).or_insert(0) += e.times);
                if self.sampled(&next.key) {
                    let (words, wrong) = recovery::recover(node, &self.trial, &plan.invariants, self.covered);
                    next.wrong = wrong.map(|wrong| (words, wrong));
                    next.recovered = true;
                }
            }
            if last {
                next.node = None;
            }
            all.push(next);
        }
        Ok(all)
    }

    /// Whether a state is one of those that are brought back.
    fn sampled(&self, key: &Key) -> bool {
        let number = key.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        number.checked_rem(self.plan.recover) == Some(0)
    }

    fn example(&self, depth: u32, parent: usize, words: &str, more: Vec<String>, wrong: String) -> Example {
        let mut path = vec![words.to_owned()];
        let mut link = self.links.get(parent);
        while let Some(at) = link {
            path.extend(at.words.iter().rev().cloned());
            link = at.parent.and_then(|parent| self.links.get(parent));
        }
        path.reverse();
        path.extend(more);
        let steps = path.iter().flat_map(|words| words.split(';')).map(|word| word.trim().to_owned()).collect();
        Example { wrong, letters: depth as usize, steps }
    }
}
