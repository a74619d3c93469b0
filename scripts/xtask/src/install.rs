//! What the lanes need of this machine: Debian packages, Rust's components, tools from crates.io and npm. What is missing is
//! installed, or the run fails.

use crate::repository::Repository;
use crate::say;
use crate::shell::{cargo, command, locked, output, run, succeeds};
use anyhow::{Context, Result, ensure};
use rustix::fs::FlockOperation;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Something that a lane needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Debian packages.
    Packages(&'static [&'static str]),
    /// A tool from crates.io.
    Tool(Tool),
    /// What `scripts/NAME/package-lock.json` asks for.
    Node(&'static str),
    /// What `scripts/NAME/requirements.txt` asks for.
    Python(&'static str),
    /// An emulator, QEMU 10: its program and Debian's package.
    Qemu(&'static str, &'static str),
}

/// A cargo tool of a pinned version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
    arguments: &'static [&'static str],
}

/// The texts of licences.
pub(crate) const ABOUT: Tool = Tool { name: "cargo-about", version: "0.9.3", arguments: &["--features", "cli"] };
/// What a program is made of, in the program itself.
pub(crate) const AUDITABLE: Tool = Tool { name: "cargo-auditable", version: "0.7.7", arguments: &[] };
/// The book of the pages, the newest that Rust 1.85 builds.
pub(crate) const BOOK: Tool =
    Tool { name: "mdbook", version: "0.4.52", arguments: &["--no-default-features", "--features", "search"] };
/// What a program is made of, as CycloneDX.
pub(crate) const CYCLONEDX: Tool = Tool { name: "cargo-cyclonedx", version: "0.5.9", arguments: &[] };
/// Debian packages.
pub(crate) const DEB: Tool = Tool { name: "cargo-deb", version: "3.8.0", arguments: &[] };
/// Dependencies: licences, sources, advisories.
pub(crate) const DENY: Tool = Tool { name: "cargo-deny", version: "0.20.2", arguments: &["--no-default-features"] };
/// Fuzz targets.
pub(crate) const FUZZ: Tool = Tool { name: "cargo-fuzz", version: "0.13.2", arguments: &[] };
/// Links of the book.
pub(crate) const LINKS: Tool = Tool { name: "hyperlink", version: "0.3.2", arguments: &[] };
/// Mutants.
pub(crate) const MUTANTS: Tool = Tool { name: "cargo-mutants", version: "27.1.0", arguments: &[] };
/// The test runner, the newest that Rust 1.85 builds.
pub(crate) const NEXTEST: Tool = Tool { name: "cargo-nextest", version: "0.9.100", arguments: &[] };
/// What a tool is optimised by: it runs for seconds, and the optimisation of what its authors ship takes a compiler several times as long.
const QUICKLY_BUILT: [(&str, &str); 3] = [
    ("CARGO_PROFILE_RELEASE_LTO", "off"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"),
];
const TOOLS: [Tool; 10] = [ABOUT, AUDITABLE, BOOK, CYCLONEDX, DEB, DENY, FUZZ, LINKS, MUTANTS, NEXTEST];

impl Tool {
    /// Of this name.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn named(name: &str) -> Result<Self> {
        let names = || TOOLS.map(|tool| tool.name).join(", ");
        TOOLS.into_iter().find(|tool| tool.name == name).with_context(|| format!("no tool `{name}`: {}", names()))
    }
}

/// What is missing is installed by this.
pub(crate) struct Installer<'a> {
    repository: &'a Repository,
    /// Nobody wants to be asked.
    yes: bool,
    updated: bool,
    /// Where the programs of tools are that are not on PATH.
    places: Vec<PathBuf>,
}

impl<'a> Installer<'a> {
    pub(crate) fn new(repository: &'a Repository, yes: bool) -> Self {
        Self { repository, yes, updated: false, places: Vec::new() }
    }

    /// Everything in one go: packages first, as tools are built with them. Tools of `later` are only found on PATH: they are built while
    /// lanes run that do not need them.
    ///
    /// # Errors
    /// Something is missing and cannot be installed.
    pub(crate) fn need(&mut self, needs: &[Need], later: bool) -> Result<()> {
        let packages = needs.iter().flat_map(|need| match need {
            Need::Packages(packages) => packages.to_vec(),
            Need::Node(_) if !on_path("node") || !on_path("npm") => vec!["nodejs", "npm"],
            Need::Python(_) if !succeeds(command("python3", ["-c", "import ensurepip, venv"])) => {
                vec!["python3", "python3-venv"]
            }
            _ => Vec::new(),
        });
        self.packages(&packages.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>())?;
        for need in needs {
            match need {
                Need::Packages(_) => {}
                Need::Tool(tool) if later => drop(self.place(*tool)),
                Need::Tool(tool) => self.tool(*tool)?,
                Need::Node(name) => node_program(self.repository, name).map(drop)?,
                Need::Python(name) => python(self.repository, name).map(drop)?,
                Need::Qemu(program, package) => self.qemu(program, package)?,
            }
        }
        Ok(())
    }

    /// PATH with the tools that were needed first.
    pub(crate) fn path(&self) -> Result<OsString> {
        let old = env::var_os("PATH").unwrap_or_default();
        Ok(env::join_paths(self.places.iter().cloned().chain(env::split_paths(&old)))?)
    }

    /// Prints PATH, where it has to be another.
    pub(crate) fn tell_path(&self) -> Result<()> {
        if !self.places.is_empty() {
            say::line(&self.path()?.to_string_lossy());
        }
        Ok(())
    }

    /// Installs the Debian packages that are missing.
    pub(crate) fn packages(&mut self, wanted: &[&str]) -> Result<()> {
        if wanted.is_empty() {
            return Ok(());
        }
        ensure!(
            on_path("dpkg-query"),
            "this is no Debian: install the equivalents of {}, then put their commands on PATH",
            wanted.join(" ")
        );
        let installed = |package: &&&str| {
            let asked = command("dpkg-query", ["-W", "-f", "${Status}", package]).stderr(Stdio::null()).output();
            asked.is_ok_and(|said| String::from_utf8_lossy(&said.stdout).contains("ok installed"))
        };
        let missing: Vec<&str> = wanted.iter().filter(|package| !installed(package)).copied().collect();
        if missing.is_empty() {
            return Ok(());
        }
        let what = format!("the Debian packages {}", missing.join(" "));
        say::heading(&format!("installing {what}"));
        self.consent(&what)?;
        self.update()?;
        install_packages(&missing, &[])?;
        if missing.contains(&"mosquitto") {
            let _ = as_root("systemctl", ["disable", "mosquitto.service"])?.stderr(Stdio::null()).status();
        }
        Ok(())
    }

    /// apt's lists, once in a run.
    fn update(&mut self) -> Result<()> {
        if !self.updated {
            run(as_root("apt-get", ["update", "-q"])?)?;
        }
        self.updated = true;
        Ok(())
    }

    /// Where the tool's program is, or will be.
    fn place(&mut self, Tool { name, version, .. }: Tool) -> PathBuf {
        let root = tools(self.repository).join(format!("{name}-{version}"));
        self.places.push(root.join("bin"));
        root
    }

    /// Builds the tool once.
    pub(crate) fn tool(&mut self, tool: Tool) -> Result<()> {
        let Tool { name, version, arguments } = tool;
        if tool == NEXTEST && has_nextest() {
            return Ok(());
        }
        let root = self.place(tool);
        // Runs of two work trees share the tools: the second waits, and finds it built.
        fs::create_dir_all(&root)?;
        let _lock = locked(&root.join("lock"), FlockOperation::LockExclusive)?;
        if !root.join("bin").join(name).exists() {
            say::heading(&format!("building {name} {version} (once; some minutes)"));
            // A target directory of its own: the workspace's stays as it is, and this one goes away. With it what build scripts leave in
            // the directory for temporary files.
            let build = root.join("build");
            fs::create_dir_all(build.join("tmp"))?;
            let mut install = cargo(["install", "--locked", "--quiet", "--root"]);
            install.arg(&root).arg(format!("{name}@{version}")).args(arguments).current_dir("/");
            install.envs(QUICKLY_BUILT);
            run(with(install, [("TMPDIR", build.join("tmp")), ("CARGO_TARGET_DIR", build.clone())]))?;
            fs::remove_dir_all(&build)?;
        }
        Ok(())
    }

    /// What `scripts/NAME/package-lock.json` asks for. Gives its directory.
    pub(crate) fn node(&mut self, name: &str) -> Result<PathBuf> {
        if !on_path("node") || !on_path("npm") {
            self.packages(&["nodejs", "npm"])?;
        }
        node_program(self.repository, name)
    }

    /// Debian 12 has QEMU 10 among its backports.
    pub(crate) fn qemu(&mut self, program: &str, package: &str) -> Result<()> {
        if on_path(program) {
            return Ok(());
        }
        if codename()? != "bookworm" {
            return self.packages(&[package]);
        }
        self.consent(&format!("the Debian package {package} from bookworm-backports"))?;
        let list = Path::new("/etc/apt/sources.list.d/tumblerd-backports.list");
        if !list.exists() {
            say::heading(&format!("adding bookworm-backports to apt's sources, for QEMU 10: {}", list.display()));
            let mirror = mirror("bookworm")?;
            let signed = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]";
            write_as_root(list, &format!("deb {signed} {mirror} bookworm-backports main\n"))?;
            self.updated = false;
        }
        self.update()?;
        install_packages(&[package], &["-t", "bookworm-backports"])
    }

    /// Asks before anything is installed through sudo. Root and CI are not asked, nor is who said `--yes`.
    fn consent(&self, what: &str) -> Result<()> {
        let said = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
        if self.yes || rustix::process::geteuid().is_root() || said("TUMBLERD_YES") || said("CI") {
            return Ok(());
        }
        let terminal = File::options().read(true).write(true).open("/dev/tty");
        let mut terminal =
            terminal.with_context(|| format!("nobody can be asked whether sudo may install {what}: say --yes"))?;
        write!(terminal, "Install {what} with sudo? [y/N] ")?;
        let mut answer = String::new();
        BufReader::new(terminal).read_line(&mut answer)?;
        ensure!(matches!(answer.trim(), "y" | "Y" | "yes"), "{what} are needed, and were not installed");
        Ok(())
    }
}

/// Where tools are kept, outside of the target directory so that `cargo clean` keeps them.
fn tools(repository: &Repository) -> PathBuf {
    env::var_os("TUMBLERD_TOOLS").map_or_else(|| repository.cache().join("tools"), PathBuf::from)
}

/// Installs without starting any service: the tests and the demo start a broker of their own on a free port. The package's system-wide
/// broker is neither started nor left enabled, unless it was here before.
fn install_packages(packages: &[&str], options: &[&str]) -> Result<()> {
    let policy = Path::new("/usr/sbin/policy-rc.d");
    let held = !policy.exists();
    if held {
        write_as_root(policy, "#!/bin/sh\nexit 101\n")?;
        run(as_root("chmod", ["755", "/usr/sbin/policy-rc.d"])?)?;
    }
    let fixed = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-q", "--no-install-recommends"];
    let installed = run(as_root("env", fixed.iter().chain(options).chain(packages))?);
    if held {
        run(as_root("rm", ["-f", "/usr/sbin/policy-rc.d"])?)?;
    }
    installed.with_context(|| format!("apt-get could not install {}", packages.join(" ")))
}

fn write_as_root(path: &Path, text: &str) -> Result<()> {
    let mut tee = as_root("tee", [path])?;
    let mut child = tee.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
    child.stdin.take().context("tee has an input")?.write_all(text.as_bytes())?;
    ensure!(child.wait()?.success(), "{} could not be written", path.display());
    Ok(())
}

/// A program for root, through sudo where needed.
fn as_root<A: AsRef<std::ffi::OsStr>>(program: &str, arguments: impl IntoIterator<Item = A>) -> Result<Command> {
    if rustix::process::geteuid().is_root() {
        return Ok(command(program, arguments));
    }
    ensure!(on_path("sudo"), "`{program}` needs root, and there is no sudo here");
    let mut sudo = command("sudo", [program]);
    sudo.args(arguments);
    Ok(sudo)
}

/// Whether cargo has the test runner, whoever installed it.
pub(crate) fn has_nextest() -> bool {
    succeeds(cargo(["nextest", "--version"]))
}

/// Whether there is such a program.
pub(crate) fn on_path(program: &str) -> bool {
    env::split_paths(&env::var_os("PATH").unwrap_or_default()).any(|place| place.join(program).is_file())
}

fn codename() -> Result<String> {
    let text = fs::read_to_string("/etc/os-release")?;
    let line = text.lines().find_map(|line| line.strip_prefix("VERSION_CODENAME="));
    Ok(line.context("/etc/os-release has no VERSION_CODENAME")?.trim_matches('"').into())
}

/// Where apt has this release from.
fn mirror(codename: &str) -> Result<String> {
    let format = "$(REPO_URI) $(CODENAME) $(COMPONENT)";
    let said = output(command("apt-get", ["indextargets", "Created-By: Packages", "--format", format]))?;
    let wanted = format!(" {codename} main");
    let line = said.lines().find_map(|line| line.strip_suffix(&wanted));
    Ok(line.context("apt has no source for this release here")?.trim_end_matches('/').into())
}

/// What `scripts/NAME/package-lock.json` asks for, once for each such file; beside it the scripts, check.js among them, so that node
/// finds both. Gives their directory.
///
/// # Errors
/// npm's.
pub(crate) fn node_program(repository: &Repository, name: &str) -> Result<PathBuf> {
    let from = repository.root().join("scripts").join(name);
    let asked = ["package.json", "package-lock.json"];
    let place = place_of(repository, name, &asked)?;
    if !place.join("installed").exists() {
        say::heading(&format!("installing what scripts/{name} needs from npm (once)"));
        fs::create_dir_all(&place)?;
        for file in asked {
            fs::copy(from.join(file), place.join(file))?;
        }
        // Nobody's scripts: none of it needs any.
        let mut npm =
            command("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]);
        npm.arg(&place);
        run(npm)?;
        File::create(place.join("installed"))?;
    }
    for entry in fs::read_dir(&from)? {
        let file = entry?.path();
        if let (Some("js"), Some(name)) = (file.extension().and_then(|e| e.to_str()), file.file_name()) {
            fs::copy(&file, place.join(name))?;
        }
    }
    Ok(place)
}

/// A Python with what `scripts/NAME/requirements.txt` asks for, once for each such file. Gives its program,
/// still without arguments.
///
/// # Errors
/// pip's.
pub(crate) fn python(repository: &Repository, name: &str) -> Result<Command> {
    let asked = "requirements.txt";
    let place = place_of(repository, name, &[asked])?;
    let program = place.join("bin").join("python");
    if !place.join("installed").exists() {
        say::heading(&format!("installing what scripts/{name} needs from PyPI (once)"));
        let mut venv = command("python3", ["-m", "venv", "--clear"]);
        venv.arg(&place);
        run(venv)?;
        let mut pip = Command::new(&program);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
        pip.args(["--no-deps", "--require-hashes", "--only-binary=:all:", "-r"]);
        pip.arg(repository.root().join("scripts").join(name).join(asked));
        run(pip)?;
        File::create(place.join("installed"))?;
    }
    Ok(Command::new(program))
}

/// Where what these files of `scripts/NAME` ask for is kept: another place for each state of them.
fn place_of(repository: &Repository, name: &str, files: &[&str]) -> Result<PathBuf> {
    let from = repository.root().join("scripts").join(name);
    let texts = files.iter().map(|file| fs::read(from.join(file))).collect::<Result<Vec<_>, _>>()?;
    let hash = hex::encode(Sha256::digest(texts.concat()));
    Ok(tools(repository).join(format!("{name}-{}", hash.get(..12).context("a hash is longer")?)))
}

fn with<const N: usize>(mut command: Command, variables: [(&str, PathBuf); N]) -> Command {
    command.envs(variables);
    command
}
