//! `tumblerctl mqtt-acl`: what each table of a floor may do at the broker, and its password.

use crate::ending::Ended;
use crate::floor::site;
use crate::new_file::NewFile;
use crate::say;
use anyhow::{Context, anyhow, bail, ensure};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tumbler_core::text;
use tumblerd::random;

/// Longest file of tables, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// Write mosquitto's access list for the tables of a floor, and a password for each
///
/// Each table gets a user SITE-TABLE, which may write the table's own topics and read nothing. Each --reader may read all of them and
/// write nothing. With --passwords every user gets a random password: in the file USER of that directory, for the table's `password_file`,
/// and in the file `passwd` for all together, which `mosquitto_passwd -U` turns into what mosquitto reads.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tumblerctl mqtt-acl --tables tables.txt --site pit --reader display > acl\n  \
    tumblerctl mqtt-acl --tables tables.txt --site pit --output acl --passwords secrets")]
pub(crate) struct Arguments {
    /// The tables, one a line: TABLE, or SITE/TABLE. A line that begins with `#` is a comment
    #[arg(long, value_name = "FILE")]
    tables: PathBuf,
    /// The site of those that are listed without one
    #[arg(long, value_name = "SITE", value_parser = site)]
    site: Option<String>,
    /// A user who reads what all of them tell, such as a display or the floor; may be given again
    #[arg(long, value_name = "USER", value_parser = user)]
    reader: Vec<String>,
    /// File to write; one that is there already is left alone. Unless given, standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Directory to make, with a password for each user
    #[arg(long, value_name = "DIRECTORY")]
    passwords: Option<PathBuf>,
}

/// A table, and the user that it is at the broker.
struct Table {
    user: String,
    topics: String,
}

pub(crate) fn run(of: &Arguments) -> anyhow::Result<Ended> {
    let tables = tables(&of.tables, of.site.as_deref())?;
    let mut users = BTreeSet::new();
    for name in tables.iter().map(|table| &table.user).chain(&of.reader) {
        ensure!(users.insert(name.as_str()), "two tables or readers would have the user `{name}`; list each once");
    }
    let acl = acl(&tables, &of.reader);
    // Whatever is refused is refused before anything is made.
    let file = of.output.as_deref().map(NewFile::make).transpose()?;
    if let Some(directory) = &of.passwords {
        passwords(directory, &users)?;
    }
    match (file, &of.output) {
        (Some(file), Some(path)) => {
            file.write(&acl)?;
            say::line(&format!("{}: {} tables, {} readers", path.display(), tables.len(), of.reader.len()))?;
        }
        _ => say::raw(acl.trim_end())?,
    }
    Ok(Ended::Done)
}

fn tables(path: &Path, usual: Option<&str>) -> anyhow::Result<Vec<Table>> {
    let all = tumblerd::file::read_text(path, LONGEST)
        .with_context(|| format!("{} cannot be read; it lists the tables, one a line", path.display()))?;
    let lines = all.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let tables: Vec<Table> = lines
        .map(|(n, line)| table(line, usual).map_err(|why| anyhow!("{}:{}: {why}", path.display(), n.saturating_add(1))))
        .collect::<anyhow::Result<_>>()?;
    ensure!(!tables.is_empty(), "{} lists no table; write their ids, one a line", path.display());
    Ok(tables)
}

fn table(line: &str, usual: Option<&str>) -> anyhow::Result<Table> {
    let (of, id) = match (line.split_once('/'), usual) {
        (Some(both), _) => both,
        (None, Some(usual)) => (usual, line),
        (None, None) => bail!("of which site is `{line}`? Write SITE/TABLE, or give --site"),
    };
    for word in [of, id] {
        site(word).and_then(|word| user(&word)).map_err(|_| {
            anyhow!("`{line}` is no table: site and table are words of a topic, as [table] of its configuration has them, without `/`, `+`, `#` and `:`")
        })?;
    }
    Ok(Table { user: format!("{of}-{id}"), topics: format!("taisai/{of}/{id}") })
}

/// A user as mosquitto's files can name one.
fn user(name: &str) -> Result<String, String> {
    let is_one = !name.is_empty() && !name.contains([':', '/', ' ', '#']) && !name.starts_with('.');
    let is_one = is_one && text::name(name).is_ok();
    is_one.then(|| name.to_owned()).ok_or_else(|| {
        "a user's name is a word that is all seen, without `:`, `/` and `#`, and does not begin with `.`".into()
    })
}

fn acl(tables: &[Table], readers: &[String]) -> String {
    let mut acl = String::from("# Written by `tumblerctl mqtt-acl`. Whoever is not named here may do nothing.\n");
    for Table { user, topics } in tables {
        // Writing into a text does not fail.
        let _ = write!(acl, "\nuser {user}\ntopic write {topics}/#\n");
    }
    for reader in readers {
        let _ = write!(acl, "\nuser {reader}\n");
        for Table { topics, .. } in tables {
            let _ = writeln!(acl, "topic read {topics}/#");
        }
    }
    acl
}

/// Makes a directory that only its owner enters, with a password for each user.
fn passwords(directory: &Path, users: &BTreeSet<&str>) -> anyhow::Result<()> {
    let secrets = users.iter().map(|user| Ok((*user, random::word()?)));
    let secrets = secrets.collect::<std::io::Result<Vec<_>>>().context("/dev/urandom gives no random numbers")?;
    ensure!(
        !users.contains("passwd"),
        "a user `passwd` has no place beside the file of that name; choose another name"
    );
    std::fs::DirBuilder::new().mode(0o700).create(directory).with_context(|| {
        format!("{} cannot be made; what exists is left alone, so name another directory", directory.display())
    })?;
    let all: String = secrets.iter().map(|(user, secret)| format!("{user}:{secret}\n")).collect();
    let files = secrets.iter().map(|(user, secret)| (*user, format!("{secret}\n"))).chain([("passwd", all)]);
    for (name, content) in files {
        let path = directory.join(name);
        NewFile::make(&path)?.write(&content)?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(())
}
