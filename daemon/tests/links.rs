//! Links and anchors of every page lead somewhere, as `scripts/book` sees to it in the book of them; and what comments, messages and
//! fixtures cite of design.md and faults.md stands there.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// All files below a place of the repository, by their paths in it.
fn files_below(place: &str) -> Vec<PathBuf> {
    let at = root().join(place);
    if at.is_file() {
        return vec![PathBuf::from(place)];
    }
    let entries = std::fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| name != "target" && name != "__pycache__").collect();
    names.sort();
    names.iter().flat_map(|name| files_below(&format!("{place}/{name}"))).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|problem| panic!("{}: {problem}", path.display()))
}

/// Every page that people read, by its path in the repository.
fn pages() -> BTreeMap<PathBuf, Page> {
    let places = [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "daemon/docs",
        "hil-tests/docs",
        "hil-tests/pages-bench",
        SUMMARY,
    ];
    let files = places.iter().flat_map(|place| files_below(place));
    let markdown = files.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    markdown.map(|path| (path.clone(), Page::of(&read(&path)))).collect()
}

#[derive(Default)]
struct Page {
    /// Where its links and pictures lead, as they are written.
    links: Vec<String>,
    headings: Vec<String>,
    anchors: BTreeSet<String>,
    /// What stands as code in the first cell of a table's row.
    rows: BTreeSet<String>,
    /// The items of each numbered list, counted, under its heading.
    numbered: BTreeMap<String, usize>,
}

impl Page {
    fn of(text: &str) -> Self {
        let mut page = Self::default();
        let (mut heading, mut cell, mut depth, mut counted) = (None::<String>, 0, 0, false);
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    page.links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => page.head(heading.take().unwrap_or_default()),
                Event::Start(Tag::TableRow) => cell = 0,
                Event::End(TagEnd::TableCell) => cell += 1,
                Event::Start(Tag::List(first)) => {
                    depth += 1;
                    counted = first.is_some() && depth == 1;
                }
                Event::End(TagEnd::List(_)) => depth -= 1,
                Event::Start(Tag::Item) if counted && depth == 1 => {
                    let under = page.headings.last().cloned().unwrap_or_default();
                    *page.numbered.entry(under).or_default() += 1;
                }
                Event::Code(code) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&code);
                    } else if cell == 0 {
                        page.rows.insert(code.into_string());
                    }
                }
                Event::Text(text) => {
                    if let Some(heading) = &mut heading {
                        heading.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// Takes a heading in, with its anchor as GitHub and mdBook make it.
    fn head(&mut self, heading: String) {
        let kept = heading.to_lowercase().replace(' ', "-");
        let kept: String = kept.chars().filter(|c| c.is_alphanumeric() || ['-', '_'].contains(c)).collect();
        let twins = (1..).map(|n| format!("{kept}-{n}"));
        let anchor = std::iter::once(kept.clone()).chain(twins).find(|anchor| !self.anchors.contains(anchor));
        self.anchors.extend(anchor);
        self.headings.push(heading);
    }
}

/// The path that a link on a page leads to, without its anchor; none where it leaves the repository.
fn target(page: &Path, link: &str) -> Option<PathBuf> {
    let mut path = page.to_owned();
    if !link.is_empty() {
        path.pop();
        path.push(link);
    }
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => plain.pop().then_some(())?,
            Component::CurDir => {}
            Component::Normal(name) => plain.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(plain)
}

/// What is wrong with the links of all pages.
fn broken(pages: &BTreeMap<PathBuf, Page>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (path, page) in pages {
        for link in page.links.iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (to, anchor) = link.split_once('#').map_or((link.as_str(), None), |(to, anchor)| (to, Some(anchor)));
            let told = format!("{}: `{link}`", path.display());
            match (target(path, to), anchor) {
                (None, _) => wrong.push(format!("{told} leaves the repository")),
                (Some(target), _) if !pages.contains_key(&target) && !root().join(&target).exists() => {
                    wrong.push(format!("{told}: no such file"));
                }
                (Some(target), Some(anchor)) => match pages.get(&target) {
                    Some(there) if there.anchors.contains(anchor) => {}
                    Some(there) => wrong.push(format!("{told}: no such heading; there are {:?}", there.anchors)),
                    None => wrong.push(format!("{told}: an anchor in what is no page")),
                },
                (Some(_), None) => {}
            }
        }
    }
    wrong
}

#[test]
fn every_link_leads_to_a_file_and_every_anchor_to_a_heading() {
    let pages = pages();
    assert!(pages.len() > 10, "{}", pages.len());
    let wrong = broken(&pages);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Paths of this repository that stand as code on a page. Words in capitals are for the reader to fill in.
fn paths(text: &str) -> Vec<String> {
    let code = Parser::new(text).filter_map(|event| if let Event::Code(code) = event { Some(code) } else { None });
    let tops = ["daemon/", "hil-tests/", "fixtures/", "systemd/", "scripts/"];
    let is_path = |code: &str| {
        tops.iter().any(|top| code.starts_with(top)) && code.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c))
    };
    let is_open =
        |code: &str| code.split(['/', '.']).any(|word| word.len() > 1 && word.chars().all(|c| c.is_uppercase()));
    code.map(|code| code.into_string()).filter(|code| is_path(code) && !is_open(code)).collect()
}

#[test]
fn every_path_that_a_page_names_is_there() {
    let text = "`daemon/NAME.rs` `daemon/no.rs` `scripts/test --quick` `hil-tests/`";
    assert_eq!(paths(text), ["daemon/no.rs", "hil-tests/"]);
    let mut missing = Vec::new();
    for page in pages().keys() {
        let named = paths(&read(page));
        missing.extend(
            named.iter().filter(|path| !root().join(path).exists()).map(|path| format!("{}: {path}", page.display())),
        );
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn broken_links_are_found() {
    let page = |text: &str| [(PathBuf::from("daemon/docs/it.md"), Page::of(text))].into();
    for (text, said) in [
        ("[a](nowhere.md)", "no such file"),
        ("![a](nowhere.png)", "no such file"),
        ("[a][b]\n\n[b]: nowhere.md", "no such file"),
        ("[a](../../../elsewhere.md)", "leaves the repository"),
        ("# One word\n[a](#two-words)", "no such heading"),
        ("[a](header.svg#layer)", "what is no page"),
    ] {
        assert!(broken(&page(text)).concat().contains(said), "{text}");
    }
    let right = "# One `word`, twice\n# One word, twice\n[a](#one-word-twice-1) [b](table.md) `[c](d.md)` [e](https://x.example/#f)";
    assert_eq!(broken(&page(right)), Vec::<String>::new());
}

const SUMMARY: &str = "daemon/book/src/SUMMARY.md";

/// Whoever reads them on a table has only the book.
#[test]
fn the_book_holds_every_page() {
    let pages = pages();
    let held: BTreeSet<PathBuf> = pages[Path::new(SUMMARY)].links.iter().map(PathBuf::from).collect();
    let left_out: Vec<&PathBuf> = pages
        .keys()
        .filter(|path| !path.starts_with("hil-tests/pages-bench") && **path != Path::new(SUMMARY))
        .filter(|path| !held.contains(*path))
        .collect();
    assert!(left_out.is_empty(), "{left_out:?}");
}

/// Whoever learns the language of scenarios learns it from files that play.
#[test]
fn examples_of_scenarios_stand_in_files_that_play() {
    let files = files_below("fixtures/scenarios").into_iter().chain([PathBuf::from("fixtures/faults.toml")]);
    let texts: Vec<String> = files.map(|path| read(&path)).collect();
    let page = read(Path::new("hil-tests/docs/scenarios.md"));
    let examples: Vec<&str> = page.split("```toml\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect();
    assert!(examples.len() > 3, "{examples:?}");
    for example in examples {
        assert!(texts.iter().any(|text| text.contains(example)), "stands in no file of fixtures:\n{example}");
    }
}

const DESIGN: &str = "daemon/docs/design.md";
const FAULTS: &str = "daemon/docs/faults.md";

/// Whoever looks a fault up finds it.
#[test]
fn the_page_of_faults_has_every_fault_of_the_catalogue() {
    let rows = &pages()[Path::new(FAULTS)].rows;
    let catalogue = read(Path::new("fixtures/faults.toml"));
    let ids = catalogue.lines().filter_map(|line| line.strip_prefix("id = \"")?.strip_suffix('"'));
    let missing: Vec<&str> = ids.filter(|id| !rows.contains(*id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Text without its line breaks and the marks of comments.
fn flowing(text: &str) -> String {
    let bare = |line: &str| {
        let line = line.trim_start_matches(['+', '-', ' ']);
        let marks = ["//!", "///", "//", "#"].iter().find_map(|mark| line.strip_prefix(mark));
        marks.unwrap_or(line).trim().to_owned()
    };
    text.lines().map(bare).collect::<Vec<_>>().join(" ")
}

/// The number at the beginning of a text.
fn number(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap_or_default()
}

/// What is cited of design.md and is not there.
fn missing_of_design<'t>(text: &'t str, design: &Page) -> Vec<&'t str> {
    let found = text.match_indices("design.md").map(|(at, name)| &text[at + name.len()..]);
    let is_there = |rest: &&str| {
        let numbered = |under: &str| design.numbered.get(under).copied().unwrap_or_default();
        if let Some(rule) = rest.strip_prefix(" rule ").or_else(|| rest.strip_prefix(" rules ")) {
            (1..=numbered("Rules of the house")).contains(&number(rule))
        } else if let Some(trap) = rest.strip_prefix(" trap ") {
            (1..=numbered("Traps in the rule texts")).contains(&number(trap))
        } else if let Some(section) = rest.strip_prefix(", ") {
            design.headings.iter().any(|heading| section.starts_with(heading.as_str()))
        } else {
            false
        }
    };
    found.filter(|rest| !is_there(rest)).map(|rest| &rest[..rest.floor(60)]).collect()
}

/// What is cited of faults.md and is not there.
fn missing_of_faults(text: &str, faults: &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    for (at, name) in text.match_indices("faults.md") {
        let rest = &text[at + name.len()..];
        if let Some(section) = rest.strip_prefix(", ") {
            if !faults.headings.iter().any(|heading| section.starts_with(heading.as_str())) {
                wrong.push(rest[..rest.floor(60)].to_owned());
            }
            continue;
        }
        for id in rest.split([',', ' ']).filter(|word| !word.is_empty() && *word != "and") {
            let id = id.trim_end_matches(['.', ':', ';', ')', '"', '`', '\'']);
            let is_id = id.contains('.')
                && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "._*".contains(c));
            let known = |id: &str| match id.strip_suffix('*') {
                Some(stem) => faults.rows.iter().any(|row| row.starts_with(stem)),
                None => faults.rows.contains(id),
            };
            if !is_id || id.starts_with("design.md") {
                break;
            }
            if !known(id) {
                wrong.push(id.to_owned());
            }
        }
    }
    wrong
}

trait Floor {
    /// The last border between characters that is not after so many bytes.
    fn floor(&self, at: usize) -> usize;
}

impl Floor for str {
    fn floor(&self, at: usize) -> usize {
        (0..=at.min(self.len())).rev().find(|at| self.is_char_boundary(*at)).unwrap_or_default()
    }
}

#[test]
fn citations_that_lead_nowhere_are_found() {
    let design = Page::of("# Wires\n# Rules of the house\n1. a\n2. b\n# Traps in the rule texts\n1. c");
    let faults = Page::of("# No false alarms\n| fault | what |\n| --- | --- |\n| `cam.a_stuck_0`, `cam.bounce` | d |");
    let right = "design.md, Wires: why; design.md rule 2, NZ 7.1; design.md trap 1. faults.md cam.*, cam.bounce and cam.a_stuck_*: \
        why; faults.md, No false alarms";
    assert!(missing_of_design(right, &design).is_empty() && missing_of_faults(right, &faults).is_empty());
    for wrong in ["design.md, Wirse", "design.md rule 3", "design.md trap 2", "design.md: why"] {
        assert_eq!(missing_of_design(wrong, &design).len(), 1, "{wrong}");
    }
    for wrong in ["faults.md cam.bonce", "faults.md cam.bounce, dome.*", "faults.md, False alarms"] {
        assert_eq!(missing_of_faults(wrong, &faults).len(), 1, "{wrong}");
    }
    assert_eq!(flowing("    /// faults.md\n    /// cam.bounce"), "faults.md cam.bounce");
}

/// A comment that cites what nobody can look up is worth nothing.
#[test]
fn what_the_code_cites_of_the_pages_is_there() {
    let pages = pages();
    let (design, faults) = (&pages[Path::new(DESIGN)], &pages[Path::new(FAULTS)]);
    let places = ["daemon/src", "daemon/core/src", "daemon/core/tests", "daemon/tests", "hil-tests", "fixtures"];
    let (mut wrong, mut cited) = (Vec::new(), 0);
    for path in places.iter().flat_map(|place| files_below(place)) {
        let reads = path.extension().is_some_and(|e| e == "rs" || e == "toml" || e == "patch");
        // These two read citations, and have wrong ones in their tests.
        if !reads || path.ends_with("links.rs") || path.ends_with("citation.rs") {
            continue;
        }
        let text = flowing(&read(&path));
        cited += text.matches("design.md").count() + text.matches("faults.md").count();
        wrong
            .extend(missing_of_design(&text, design).iter().map(|rest| format!("{}: design.md{rest}", path.display())));
        wrong.extend(missing_of_faults(&text, faults).iter().map(|id| format!("{}: faults.md {id}", path.display())));
    }
    assert!(cited > 300, "{cited}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
