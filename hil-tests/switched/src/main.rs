//! Writes mutants into a copy of the work tree, all at once: each becomes a switch in the source, and the environment says which
//! one is on when a program starts. So one build serves for them all, where `cargo mutants` builds each.
//!
//! ```text
//!  cargo mutants --list --json ──> switches in the source ──> cargo check ──> numbers and names of those that compile
//!                                            ^                    │
//!                                            └── without those ───┘ that the compiler names
//! ```
//! What does not compile is no mutant, here as there. It only works on a copy: it never writes where a `.git` is.

#![allow(clippy::print_stderr, reason = "standard output is the list of what is in; what is out is told beside")]

mod compiler;
mod source;

use anyhow::{Context, bail};
use serde::Deserialize;
use source::{File, Mutant};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::Path;

/// The environment's word for which mutant is on: its number, from 1.
const CHOSEN: &str = "TUMBLER_MUTANT";
/// Rounds of compiling; each takes out what the compiler named.
const ROUNDS: u32 = 40;

/// A mutant as `cargo mutants --list --json` tells it.
#[derive(Deserialize)]
struct Listed {
    name: String,
    file: String,
    genre: String,
    replacement: String,
    span: Span,
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    return_type: String,
}

#[derive(Deserialize)]
struct Span {
    start: Place,
}

#[derive(Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, tree, krate] = arguments.as_slice() else {
        bail!(
            "usage: tumbler-switched TREE CRATE < LIST: TREE is a copy of the work tree, CRATE a directory in it, and LIST what `cargo mutants --list --json` prints"
        )
    };
    let (tree, krate) = (Path::new(tree), Path::new(krate));
    if tree.join(".git").exists() {
        bail!("{} is no copy: mutants would be written into somebody's work", tree.display());
    }
    let mut list = String::new();
    std::io::stdin().read_to_string(&mut list)?;
    let listed: Vec<Listed> = serde_json::from_str(&list).context("read the list of mutants")?;
    let names: Vec<&str> = listed.iter().map(|mutant| mutant.name.as_str()).collect();
    let mut files = BTreeMap::new();
    let mut out: BTreeMap<u32, String> = BTreeMap::new();
    for (mutant, number) in listed.iter().zip(1_u32..) {
        let file = match files.entry(mutant.file.clone()) {
            std::collections::btree_map::Entry::Occupied(file) => file.into_mut(),
            std::collections::btree_map::Entry::Vacant(free) => {
                let text = std::fs::read_to_string(tree.join(&mutant.file)).with_context(|| mutant.file.clone())?;
                free.insert(File::read(text).with_context(|| mutant.file.clone())?)
            }
        };
        let at = (mutant.span.start.line, mutant.span.start.column.saturating_sub(1));
        let opaque =
            mutant.genre == "FnValue" && mutant.function.as_ref().is_some_and(|f| f.return_type.contains("impl "));
        let taken = match opaque {
            true => Err("one function returns one opaque type, and no other besides".to_owned()),
            false => file.take(Mutant { number, genre: &mutant.genre, at, replacement: &mutant.replacement }),
        };
        if let Err(why) = taken {
            out.insert(number, why);
        }
    }
    add_module(tree, krate)?;
    for round in 1.. {
        let gone: BTreeSet<u32> = out.keys().copied().collect();
        let mut written = BTreeMap::new();
        for (name, file) in &files {
            let (text, marks) = file.written(&gone);
            std::fs::write(tree.join(name), text).with_context(|| name.clone())?;
            written.insert(name.as_str(), marks);
        }
        let troubles = compiler::check(tree, krate)?;
        if troubles.is_empty() {
            break;
        }
        let before = out.len();
        for trouble in &troubles {
            for number in trouble.blames(&written) {
                out.entry(number).or_insert_with(|| format!("does not compile: {}", trouble.words));
            }
        }
        eprintln!("round {round}: {} errors, {} mutants out", troubles.len(), out.len() - before);
        if out.len() == before || round == ROUNDS {
            let words: Vec<_> = troubles.iter().map(|t| format!("{} ({:?})", t.words, t.spans)).collect();
            bail!("the compiler names no mutant: {}", words.join("\n"));
        }
    }
    let mut told = std::io::stdout().lock();
    for (number, name) in (1_u32..).zip(&names) {
        match out.get(&number) {
            None => writeln!(told, "{number}\t{name}")?,
            Some(why) => eprintln!("out: {name}: {why}"),
        }
    }
    eprintln!("{} of {} mutants are in, {} are out", names.len() - out.len(), names.len(), out.len());
    Ok(())
}

/// Gives the crate the function that every switch asks. Constant functions ask it too; before `main` nothing is on.
fn add_module(tree: &Path, krate: &Path) -> anyhow::Result<()> {
    let source = tree.join(krate).join("src");
    let module = format!(
        r#"//! Which mutant is on.
extern crate std;
static mut CHOSEN: u32 = 0;
#[used]
#[unsafe(link_section = ".init_array")]
static CHOOSE: extern "C" fn() = choose;
extern "C" fn choose() {{
    let chosen = std::env::var("{CHOSEN}").ok().and_then(|chosen| chosen.parse().ok());
    // Nothing else runs before `main`.
    unsafe {{ CHOSEN = chosen.unwrap_or(0) }}
}}
/// Whether this one is on.
#[inline]
pub const fn on(number: u32) -> bool {{
    unsafe {{ CHOSEN == number }}
}}
"#
    );
    std::fs::write(source.join("switched.rs"), module)?;
    let root = source.join("lib.rs");
    let text = std::fs::read_to_string(&root)?;
    if !text.contains("mod switched;") {
        std::fs::write(
            &root,
            format!(
                "#![allow(warnings, unsafe_code, arithmetic_overflow, unconditional_panic)]\n{text}\npub mod switched;\n"
            ),
        )?;
    }
    Ok(())
}
