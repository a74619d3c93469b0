//! Imports run one way: in no crate do files need each other in a ring, so that each can be read after those that it uses.
//!
//! A folder's `mod.rs` and what lies in the folder may name each other: the face names its parts, and the parts name it. A ring that leaves
//! the folder and comes back through its face is one all the same. What a face passes on is looked up where it is written, and so is what
//! macros are given. The root of a crate is the face of all of it. Tests may use whatever they test.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};
use syn::visit::{self, Visit};

/// A module or an item by its path from the crate's root.
type Name = Vec<String>;

/// The paths that a file names, each from the crate's root.
struct Paths {
    module: Name,
    found: Vec<Name>,
    /// What the file passes on to others under a name of its own.
    passed_on: BTreeMap<Name, Name>,
    passes: bool,
}

impl Paths {
    /// From the crate's root, where the path begins there or at the module itself.
    fn whole(&self, path: &[String]) -> Name {
        // What begins otherwise is a child of this module or another crate: which of the two is seen when it is looked up.
        let mut whole = self.module.clone();
        for part in path {
            match part.as_str() {
                "crate" => whole.clear(),
                "self" => {}
                "super" => drop(whole.pop()),
                _ => whole.push(part.clone()),
            }
        }
        whole
    }

    fn take(&mut self, path: &[String], known_as: Option<String>) {
        let whole = self.whole(path);
        if let Some(name) = known_as.filter(|_| self.passes) {
            let name = self.module.iter().cloned().chain([name]).collect();
            self.passed_on.insert(name, whole.clone());
        }
        self.found.push(whole);
    }

    fn tree(&mut self, tree: &syn::UseTree, before: &mut Name) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.tree(&path.tree, before);
                before.pop();
            }
            syn::UseTree::Name(name) => self.leaf(&name.ident, &name.ident, before),
            syn::UseTree::Rename(name) => self.leaf(&name.ident, &name.rename, before),
            syn::UseTree::Glob(_) => self.take(before, None),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(tree, before)),
        }
    }

    /// The paths among the tokens that a macro gets: names with `::` between them.
    fn tokens(&mut self, tokens: proc_macro2::TokenStream, path: &mut Name) {
        let mut colons = 0;
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(name) if colons == 2 => path.push(name.to_string()),
                proc_macro2::TokenTree::Punct(mark) if mark.as_char() == ':' => {
                    colons += 1;
                    continue;
                }
                other => {
                    self.end_of_path(path);
                    match other {
                        proc_macro2::TokenTree::Ident(name) => path.push(name.to_string()),
                        proc_macro2::TokenTree::Group(group) => self.tokens(group.stream(), &mut Name::new()),
                        _ => {}
                    }
                }
            }
            colons = 0;
        }
        self.end_of_path(path);
    }

    fn end_of_path(&mut self, path: &mut Name) {
        let whole = core::mem::take(path);
        if whole.len() > 1 {
            self.take(&whole, None);
        }
    }

    fn leaf(&mut self, name: &syn::Ident, known_as: &syn::Ident, before: &Name) {
        let mut path = before.clone();
        if name != "self" {
            path.push(name.to_string());
        }
        self.take(&path, Some(known_as.to_string()));
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

impl<'a> Visit<'a> for Paths {
    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        if !is_test(&item.attrs) {
            self.passes = !matches!(item.vis, syn::Visibility::Inherited);
            self.tree(&item.tree, &mut Name::new());
        }
    }

    /// Who may see an item needs nobody.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Name = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if names.len() > 1 {
            self.take(&names, None);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.tokens(call.tokens.clone(), &mut Name::new());
        visit::visit_macro(self, call);
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if is_test(&item.attrs) || item.content.is_none() {
            return;
        }
        self.module.push(item.ident.to_string());
        visit::visit_item_mod(self, item);
        self.module.pop();
    }
}

/// The modules of a crate with their files; `mod.rs`, `lib.rs` and `main.rs` are their folder.
fn modules(src: &Path, below: &Path, all: &mut BTreeMap<Name, Vec<PathBuf>>) -> io::Result<()> {
    for entry in fs::read_dir(src.join(below))? {
        let file = entry?.file_name();
        let path = below.join(&file);
        if src.join(&path).is_dir() {
            modules(src, &path, all)?;
        } else if path.extension().is_some_and(|kind| kind == "rs") {
            let mut name: Name =
                path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if ["mod", "lib", "main"].contains(&name.last().map_or("", String::as_str)) {
                name.pop();
            }
            all.entry(name).or_default().push(src.join(&path));
        }
    }
    Ok(())
}

/// Which module needs which others.
fn needs(src: &Path) -> io::Result<BTreeMap<Name, BTreeSet<Name>>> {
    let mut files = BTreeMap::new();
    modules(src, Path::new(""), &mut files)?;
    let (mut seen, mut passed_on) = (Vec::new(), BTreeMap::new());
    for (module, paths) in &files {
        for path in paths {
            let file = syn::parse_file(&fs::read_to_string(path)?).map_err(io::Error::other)?;
            let (module, found) = (module.clone(), Vec::new());
            let mut paths = Paths { module, found, passed_on: BTreeMap::new(), passes: false };
            paths.visit_file(&file);
            passed_on.append(&mut paths.passed_on);
            seen.push((paths.module, paths.found));
        }
    }
    let mut all: BTreeMap<Name, BTreeSet<Name>> = BTreeMap::new();
    for (module, found) in seen.into_iter().filter(|(module, _)| !module.iter().any(|part| part == "tests")) {
        let needed = found.into_iter().filter_map(|whom| file_of(whom, &files, &passed_on));
        all.entry(module.clone()).or_default().extend(needed.filter(|whom| *whom != module));
    }
    Ok(all)
}

/// The module in which what this path names is written; `None` for what is not of this crate.
fn file_of(path: Name, files: &BTreeMap<Name, Vec<PathBuf>>, passed_on: &BTreeMap<Name, Name>) -> Option<Name> {
    let starts =
        |path: &Name| (1..=path.len()).map(|end| path.iter().take(end).cloned().collect::<Name>()).collect::<Vec<_>>();
    let mut path = path;
    // A name may be passed on more than once, but hardly by ten faces.
    for _ in 0..10 {
        let known = starts(&path).into_iter().find_map(|start| Some((passed_on.get(&start)?, start)));
        let Some((onward, start)) = known.filter(|(onward, start)| *onward != start) else { break };
        path = onward.iter().chain(path.iter().skip(start.len())).cloned().collect();
    }
    // The deepest module on the way; what comes after it is an item of it.
    starts(&path).into_iter().rev().find(|module| files.contains_key(module))
}

/// The needs that lie on a ring, in words.
fn rings(needs: &BTreeMap<Name, BTreeSet<Name>>) -> BTreeSet<String> {
    let is_face = |one: &Name, other: &Name| one.starts_with(other) || other.starts_with(one);
    let between = |counts: &dyn Fn(&Name, &Name) -> bool| -> BTreeMap<Name, BTreeSet<Name>> {
        let whom = |who: &Name, all: &BTreeSet<Name>| all.iter().filter(|whom| counts(who, whom)).cloned().collect();
        needs.iter().map(|(who, all)| (who.clone(), whom(who, all))).collect()
    };
    let mut found = on_rings(&between(&|who, whom| !is_face(who, whom)));
    // The root is the face of everything: no ring leaves it.
    for face in needs.keys().filter(|face| !face.is_empty()) {
        let inside = |who: &Name, whom: &Name| who.starts_with(face) && whom.starts_with(face);
        let through = on_rings(&between(&|who, whom| !is_face(who, whom) || inside(who, whom)));
        found.extend(through.into_iter().filter(|(who, whom)| who.starts_with(face) != whom.starts_with(face)));
    }
    found.iter().map(|(who, whom)| format!("{} needs {}", who.join("::"), whom.join("::"))).collect()
}

/// Each need that lies on a ring: who, and whom.
fn on_rings(needs: &BTreeMap<Name, BTreeSet<Name>>) -> Vec<(Name, Name)> {
    let reached = |from: &Name| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(at) = next.pop() {
            next.extend(needs.get(at).into_iter().flatten().filter(|whom| seen.insert((*whom).clone())));
        }
        seen
    };
    let all: BTreeMap<_, _> = needs.keys().map(|module| (module, reached(module))).collect();
    let back = |who: &Name, whom: &Name| all.get(whom).is_some_and(|reached| reached.contains(who));
    let pairs = needs.iter().flat_map(|(who, whom)| whom.iter().map(move |whom| (who, whom)));
    pairs.filter(|(who, whom)| back(who, whom)).map(|(who, whom)| (who.clone(), whom.clone())).collect()
}

#[test]
fn imports_run_one_way() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let manifest: toml::Table = fs::read_to_string(root.join("Cargo.toml")).unwrap().parse().unwrap();
    let members = manifest.get("workspace").and_then(|workspace| workspace.get("members")?.as_array()).unwrap();
    assert!(members.len() > 8, "{members:?}");
    let mut found = Vec::new();
    for member in members {
        let member = member.as_str().unwrap();
        let src = root.join(member).join("src");
        if !src.exists() && root.join(member).ends_with("tests") {
            continue;
        }
        let needs = needs(&src).unwrap();
        found.extend(rings(&needs).into_iter().map(|ring| format!("{member}: {ring}")));
    }
    assert!(found.is_empty(), "these lie on a ring:\n{}", found.join("\n"));
}

/// Cargo finds no files of tests beside a program that is named: what that program does not name would be played by nobody.
#[test]
fn no_file_of_tests_is_forgotten() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (member, tests) in [("daemon/core/tests", "."), ("daemon", "tests"), ("hil-tests", "tests")] {
        let manifest: toml::Table = fs::read_to_string(root.join(member).join("Cargo.toml")).unwrap().parse().unwrap();
        let tests = root.join(member).join(tests);
        let main = fs::read_to_string(tests.join("main.rs")).unwrap();
        let named = |name: &str| {
            let own = manifest["test"].as_array().unwrap().iter().any(|test| test["name"].as_str() == Some(name));
            let folder = format!("#[path = \"{name}/");
            own || main.lines().any(|line| line == format!("mod {name};") || line.starts_with(&folder))
        };
        for entry in fs::read_dir(&tests).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            assert!(
                name == "main" || name == "Cargo" || named(&name),
                "{} is named neither in main.rs nor in Cargo.toml",
                path.display()
            );
        }
    }
}
