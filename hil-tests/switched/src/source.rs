//! A source file, and the switches in it.

use anyhow::Context;
use proc_macro2::LineColumn;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

/// A mutant that is to become a switch.
pub(crate) struct Mutant<'a> {
    pub number: u32,
    pub genre: &'a str,
    /// Line from 1, column from 0.
    pub at: (usize, usize),
    pub replacement: &'a str,
}

/// A part of the written text that was put there for this mutant, or around what it changes.
pub(crate) struct Mark {
    pub range: Range<usize>,
    pub number: u32,
    /// The mutant's own words; otherwise the whole switch.
    pub own: bool,
}

/// What may be mutated, by where cargo-mutants says that it begins.
enum Node {
    /// An operator between two operands.
    Binary { whole: Range<usize>, left: Range<usize>, right: Range<usize>, operator: String },
    /// An operator before its operand.
    Unary { whole: Range<usize>, operand: Range<usize> },
    /// An arm, with the end of its pattern and its guard.
    Arm { pattern_ends: usize, guard: Option<Range<usize>> },
    /// A guard.
    Guard { guard: Range<usize> },
    /// A field of a struct that takes the others from another value.
    Field { whole: Range<usize>, field: Range<usize>, next: usize },
}

/// What is written in the place of a part of the source.
#[derive(Clone)]
enum Piece {
    Text(String),
    /// The source here, with its own switches.
    Source(Range<usize>),
    /// What is written for this mutant alone.
    Own(u32, Vec<Piece>),
}

/// How a place of the source is written once some mutants are left out.
enum Kind {
    /// `return` this first.
    Returns(String),
    /// Another operator in its place.
    Operator(String),
    /// No operator.
    Bare,
    /// No arm.
    Unmatched,
    /// This in the place of the guard.
    GuardIs(String),
    /// No field.
    FieldGone { field: Range<usize>, next: usize },
}

/// A part of the source, and the mutants of it.
struct Switch {
    /// Empty where something is put in.
    range: Range<usize>,
    /// The operands.
    parts: Vec<Range<usize>>,
    operator: String,
    mutants: Vec<(u32, Kind)>,
}

pub(crate) struct File {
    text: String,
    nodes: BTreeMap<(usize, usize), Vec<Node>>,
    lines: Vec<usize>,
    switches: Vec<Switch>,
}

#[derive(Default)]
struct Nodes(BTreeMap<(usize, usize), Vec<Node>>);

fn place(of: LineColumn) -> (usize, usize) {
    (of.line, of.column)
}

impl Nodes {
    fn add(&mut self, at: proc_macro2::Span, node: Node) {
        self.0.entry(place(at.start())).or_default().push(node);
    }
}

fn bytes(of: &impl Spanned) -> Range<usize> {
    of.span().byte_range()
}

impl<'ast> Visit<'ast> for Nodes {
    fn visit_expr_binary(&mut self, node: &'ast syn::ExprBinary) {
        let operator = node.op.span().source_text().unwrap_or_default();
        let (whole, left, right) = (bytes(node), bytes(&node.left), bytes(&node.right));
        self.add(node.op.span(), Node::Binary { whole, left, right, operator });
        visit::visit_expr_binary(self, node);
    }
    fn visit_expr_unary(&mut self, node: &'ast syn::ExprUnary) {
        self.add(node.op.span(), Node::Unary { whole: bytes(node), operand: bytes(&node.expr) });
        visit::visit_expr_unary(self, node);
    }
    fn visit_arm(&mut self, node: &'ast syn::Arm) {
        let guard = node.guard.as_ref().map(|(_, guard)| bytes(guard));
        self.add(node.span(), Node::Arm { pattern_ends: bytes(&node.pat).end, guard: guard.clone() });
        if let (Some((_, expression)), Some(guard)) = (&node.guard, guard) {
            self.add(expression.span(), Node::Guard { guard });
        }
        visit::visit_arm(self, node);
    }
    fn visit_expr_struct(&mut self, node: &'ast syn::ExprStruct) {
        for pair in node.fields.pairs() {
            let field = bytes(pair.value());
            let next = pair.punct().map_or(field.end, |comma| bytes(comma).end);
            self.add(pair.value().span(), Node::Field { whole: bytes(node), field, next });
        }
        visit::visit_expr_struct(self, node);
    }
}

impl File {
    pub(crate) fn read(text: String) -> anyhow::Result<Self> {
        let parsed = syn::parse_file(&text).context("parse")?;
        let mut nodes = Nodes::default();
        nodes.visit_file(&parsed);
        let lines = core::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Ok(Self { text, nodes: nodes.0, lines, switches: Vec::new() })
    }

    fn offset(&self, (line, column): (usize, usize)) -> Option<usize> {
        let start = *self.lines.get(line.checked_sub(1)?)?;
        let rest = self.text.get(start..)?;
        Some(start + rest.char_indices().nth(column).map_or(rest.len(), |(at, _)| at))
    }

    /// Makes a switch of the mutant.
    pub(crate) fn take(&mut self, mutant: Mutant<'_>) -> Result<(), String> {
        let nodes = self.nodes.get(&mutant.at).map(Vec::as_slice).unwrap_or_default();
        let missing = || format!("no {} is found there", mutant.genre);
        let replacement = || mutant.replacement.to_owned();
        let found = match mutant.genre {
            "FnValue" => {
                self.offset(mutant.at).map(|at| (at..at, Vec::new(), String::new(), Kind::Returns(replacement())))
            }
            "BinaryOperator" => nodes.iter().find_map(|node| match node {
                Node::Binary { whole, left, right, operator } => {
                    let parts = vec![left.clone(), right.clone()];
                    Some((whole.clone(), parts, operator.clone(), Kind::Operator(replacement())))
                }
                _ => None,
            }),
            "UnaryOperator" => nodes.iter().find_map(|node| match node {
                Node::Unary { whole, operand } => {
                    Some((whole.clone(), vec![operand.clone()], String::new(), Kind::Bare))
                }
                _ => None,
            }),
            "MatchArm" => nodes.iter().find_map(|node| match node {
                Node::Arm { guard: Some(guard), .. } => {
                    Some((guard.clone(), vec![guard.clone()], String::new(), Kind::Unmatched))
                }
                Node::Arm { pattern_ends: at, guard: None } => {
                    Some((*at..*at, Vec::new(), String::new(), Kind::Unmatched))
                }
                _ => None,
            }),
            "MatchArmGuard" => nodes.iter().find_map(|node| match node {
                Node::Guard { guard } => {
                    Some((guard.clone(), vec![guard.clone()], String::new(), Kind::GuardIs(replacement())))
                }
                _ => None,
            }),
            "StructField" => nodes.iter().find_map(|node| match node {
                Node::Field { whole, field, next } => {
                    let kind = Kind::FieldGone { field: field.clone(), next: *next };
                    Some((whole.clone(), vec![whole.clone()], String::new(), kind))
                }
                _ => None,
            }),
            genre => return Err(format!("nobody has taught this program `{genre}`")),
        };
        let (range, parts, operator, kind) = found.ok_or_else(missing)?;
        let is = |switch: &&mut Switch| {
            switch.range == range && switch.parts == parts && is_alike(switch.mutants.first().map(|(_, k)| k), &kind)
        };
        match self.switches.iter_mut().find(is) {
            Some(switch) => switch.mutants.push((mutant.number, kind)),
            None => self.switches.push(Switch { range, parts, operator, mutants: vec![(mutant.number, kind)] }),
        }
        Ok(())
    }

    /// The file with its switches, but for those of these mutants, and where each is.
    pub(crate) fn written(&self, without: &BTreeSet<u32>) -> (String, Vec<Mark>) {
        let mut written =
            Written { file: self, out: String::with_capacity(self.text.len() * 2), marks: Vec::new(), without };
        let mut all: Vec<&Switch> =
            self.switches.iter().filter(|s| s.mutants.iter().any(|(n, _)| !without.contains(n))).collect();
        // Outer ones first, and what is put in before what begins there.
        all.sort_by_key(|s| (s.range.start, !s.range.is_empty(), core::cmp::Reverse(s.range.end), !s.is_guard()));
        written.source(0..self.text.len(), &all);
        (written.out, written.marks)
    }
}

fn is_alike(first: Option<&Kind>, other: &Kind) -> bool {
    matches!(
        (first, other),
        (Some(Kind::Returns(_)), Kind::Returns(_))
            | (Some(Kind::Operator(_)), Kind::Operator(_))
            | (Some(Kind::Bare), Kind::Bare)
            | (Some(Kind::Unmatched | Kind::GuardIs(_)), Kind::Unmatched | Kind::GuardIs(_))
            | (Some(Kind::FieldGone { .. }), Kind::FieldGone { .. })
    )
}

struct Written<'a> {
    file: &'a File,
    out: String,
    marks: Vec<Mark>,
    without: &'a BTreeSet<u32>,
}

impl Written<'_> {
    /// Writes this part of the source with these switches, all of which lie in it.
    fn source(&mut self, range: Range<usize>, switches: &[&Switch]) {
        let mut at = range.start;
        for (place, switch) in switches.iter().enumerate() {
            if switch.range.start < at {
                continue; // Within one that was written.
            }
            self.out.push_str(self.file.text.get(at..switch.range.start).unwrap_or_default());
            let inner: Vec<&Switch> = switches
                .get(place + 1..)
                .unwrap_or_default()
                .iter()
                .filter(|other| other.range.start >= switch.range.start && other.range.end <= switch.range.end)
                .copied()
                .collect();
            let begin = self.out.len();
            self.pieces(&switch.pieces(self.without), &inner);
            for (number, _) in switch.mutants.iter().filter(|(number, _)| !self.without.contains(number)) {
                self.marks.push(Mark { range: begin..self.out.len(), number: *number, own: false });
            }
            at = switch.range.end;
        }
        self.out.push_str(self.file.text.get(at..range.end).unwrap_or_default());
    }

    fn pieces(&mut self, pieces: &[Piece], switches: &[&Switch]) {
        for piece in pieces {
            match piece {
                Piece::Text(text) => self.out.push_str(text),
                Piece::Source(range) => {
                    let within = switches
                        .iter()
                        .filter(|s| s.range.start >= range.start && s.range.end <= range.end)
                        .copied()
                        .collect::<Vec<_>>();
                    self.source(range.clone(), &within);
                }
                Piece::Own(number, pieces) => {
                    let begin = self.out.len();
                    self.pieces(pieces, switches);
                    self.marks.push(Mark { range: begin..self.out.len(), number: *number, own: true });
                }
            }
        }
    }
}

fn text(words: impl Into<String>) -> Piece {
    Piece::Text(words.into())
}

fn on(number: u32) -> String {
    format!("crate::switched::on({number})")
}

impl Switch {
    fn is_guard(&self) -> bool {
        matches!(self.mutants.first(), Some((_, Kind::Unmatched | Kind::GuardIs(_))))
    }

    /// What is written in its place.
    fn pieces(&self, without: &BTreeSet<u32>) -> Vec<Piece> {
        let mutants: Vec<_> = self.mutants.iter().filter(|(number, _)| !without.contains(number)).collect();
        let one = || self.parts.first().cloned().unwrap_or_default();
        let other = || self.parts.get(1).cloned().unwrap_or_default();
        let Some((first, kind)) = mutants.first() else { return Vec::new() };
        match kind {
            Kind::Returns(_) => mutants
                .iter()
                .filter_map(|(number, kind)| match kind {
                    Kind::Returns(value) => {
                        let own = vec![text(format!("if {} {{ return {value}; }}\n", on(*number)))];
                        Some(Piece::Own(*number, own))
                    }
                    _ => None,
                })
                .collect(),
            // Without writing either operand twice, as these stand in long rows.
            Kind::Operator(to) if mutants.len() == 1 && self.operator == "&&" && to == "||" => {
                let on = on(*first);
                let (a, b) = (Piece::Source(one()), Piece::Source(other()));
                let rest = vec![text(format!(") != {on} {{ ")), b, text(format!(" }} else {{ {on} }})"))];
                vec![text("(if ("), a].into_iter().chain(rest).collect()
            }
            Kind::Operator(to) if mutants.len() == 1 && self.operator == "||" && to == "&&" => {
                let on = on(*first);
                let (a, b) = (Piece::Source(one()), Piece::Source(other()));
                vec![text("(if ("), a, text(format!(") != {on} {{ !{on} }} else {{ ")), b, text(" })")]
            }
            Kind::Operator(_) | Kind::Bare | Kind::FieldGone { .. } => {
                let mut pieces = vec![text("(")];
                for (number, kind) in &mutants {
                    let own = match kind {
                        Kind::Operator(to) => vec![
                            text("("),
                            Piece::Source(one()),
                            text(format!(") {to} (")),
                            Piece::Source(other()),
                            text(")"),
                        ],
                        Kind::FieldGone { field, next } => {
                            vec![Piece::Source(one().start..field.start), Piece::Source(*next..one().end)]
                        }
                        _ => vec![Piece::Source(one())],
                    };
                    pieces.push(text(format!("if {} {{ ", on(*number))));
                    pieces.push(Piece::Own(*number, own));
                    pieces.push(text(" } else "));
                }
                pieces.push(text("{ "));
                pieces.extend(match kind {
                    Kind::Operator(_) => vec![
                        text("("),
                        Piece::Source(one()),
                        text(format!(") {} (", self.operator)),
                        Piece::Source(other()),
                        text(")"),
                    ],
                    Kind::FieldGone { .. } => vec![Piece::Source(one())],
                    _ => vec![Piece::Source(self.range.start..one().start), Piece::Source(one())],
                });
                pieces.push(text(" })"));
                pieces
            }
            Kind::Unmatched | Kind::GuardIs(_) => {
                let mut guard = if self.parts.is_empty() { vec![text("true")] } else { vec![Piece::Source(one())] };
                for (number, kind) in &mutants {
                    let (before, after) = match kind {
                        Kind::GuardIs(value) if value == "true" => (format!("({} || (", on(*number)), "))"),
                        _ => (format!("(!{} && (", on(*number)), "))"),
                    };
                    guard.insert(0, text(before));
                    guard.push(text(after));
                }
                if self.parts.is_empty() {
                    guard.insert(0, text(" if "));
                }
                guard
            }
        }
    }
}
