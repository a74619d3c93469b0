//! The journal's tables in SQLite, their versions, and the settings of a connection.

use super::error::{JournalError, is_unread};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

/// `TSJ1`: marks the file as ours (`file` and `sqlite3` show it).
pub(super) const APPLICATION: i64 = 0x5453_4a31;

/// Steps from version n to n + 1; the first one makes version 1 of an empty file. Steps are only ever added. Version 1 is what
/// tumblerd 0.1 wrote; rows that were in the file before version 2 keep format 1.
///
/// There is no index beside the primary key: each one would cost a page of flash a commit.
pub(super) const STEPS: &[&str] = &[
    "
CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE record (
    seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, wall INTEGER NOT NULL, wall_quality TEXT NOT NULL,
    boot TEXT NOT NULL, round INTEGER, relayed INTEGER NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE TRIGGER record_is_not_changed BEFORE UPDATE ON record
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER record_is_not_deleted BEFORE DELETE ON record
    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;
",
    "
ALTER TABLE record ADD COLUMN format INTEGER NOT NULL DEFAULT 1;
ALTER TABLE record ADD COLUMN cursor_sum BLOB;
",
];

/// Bytes of a page. `tumbler-hil bench process` measured 47.5 KiB a round with 512, at the pace of people 79, and 49.1 and 85.5 with 1024;
/// with 4096 it was half as much again. The file is a fifth larger for it, which wears nothing out.
const PAGE: u32 = 512;
/// The write-ahead log is laid down in this size, so that commits overwrite it in place.
pub(super) const WAL_BYTES: usize = 512 * 1024;

/// All columns of a record in a file as it is, in the order that [`super::store::kept`] reads. A file of version 1 is read without
/// being changed: who only looks at a journal may not be allowed to write there.
pub(super) fn columns(connection: &Connection) -> Result<&'static str, rusqlite::Error> {
    let found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    Ok(if found < 2 {
        "seq, at, wall, wall_quality, boot, round, relayed, kind, body, hash, 1, NULL"
    } else {
        "seq, at, wall, wall_quality, boot, round, relayed, kind, body, hash, format, cursor_sum"
    })
}

/// The version that the last of these steps makes.
pub(super) fn version(steps: &[&str]) -> i64 {
    i64::try_from(steps.len()).unwrap_or(i64::MAX)
}

/// Opens a file for appending, with an empty write-ahead log of full size.
pub(super) fn open_writer(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    set_pragmas(&connection)?;
    // A log that is not there shows that a file was copied without it, so only a stop in order takes it away.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    preallocate(path);
    Ok(connection)
}

/// Makes an empty journal file at the latest version.
pub(super) fn create(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "page_size", PAGE)?;
    set_pragmas(&connection)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    migrate(&mut connection, STEPS)?;
    Ok(connection)
}

/// Opens a file to look at it: what lies there stays as it is, the write-ahead log too.
pub(super) fn open_untouched(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    Ok(connection)
}

/// Opens a file for reading, from this process or another one.
pub(super) fn open_reader(path: &Path) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(2))?;
    Ok(connection)
}

/// Opens a file for reading that no log lies beside, and lays none there.
pub(super) fn open_alone(path: &Path) -> Result<Connection, rusqlite::Error> {
    use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
    let name = percent_encode(path.as_os_str().as_bytes(), NON_ALPHANUMERIC);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Connection::open_with_flags(format!("file:{name}?immutable=1"), flags)
}

fn set_pragmas(connection: &Connection) -> Result<(), rusqlite::Error> {
    // Only a reader in another process that is killed while it recovers the log can hold a lock for long.
    connection.busy_timeout(Duration::from_secs(2))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // FULL: NORMAL may lose commits on a power cut, and a commit is what lets the motor run.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Checkpoints are made by the writer after it has answered, not inside a commit.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // 256 KiB of pages: appends touch the last ones only.
    connection.pragma_update(None, "cache_size", -256)?;
    Ok(())
}

/// Lays an empty write-ahead log down in full size: zeroes are an empty log to SQLite. Without it each commit that makes the
/// log longer would also write the file system's own journal. Failing to does no harm.
///
/// A page of the kernel's cache at a time: a log written in one piece is cached in one piece, and each commit would be
/// accounted as a write of all of it.
fn preallocate(path: &Path) {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    if std::fs::metadata(&name).map_or(0, |log| log.len()) > 0 {
        // A reader in another process kept it from being emptied.
        return;
    }
    let whole = OpenOptions::new().create(true).write(true).truncate(false).open(&name).and_then(|mut log| {
        for _ in 0..WAL_BYTES / 4096 {
            log.write_all(&[0; 4096])?;
        }
        log.sync_all()
    });
    if let Err(error) = whole {
        tracing::warn!(%error, "the write-ahead log cannot be laid down in full size");
        let _ = std::fs::write(&name, []);
    }
}

/// Takes the file step by step to the version that `steps` make. Each step is done whole or not at all.
pub(super) fn migrate(connection: &mut Connection, steps: &[&str]) -> Result<(), rusqlite::Error> {
    let mut found: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    while let Some(step) = usize::try_from(found).ok().and_then(|n| steps.get(n)) {
        let step_taken = connection.transaction()?;
        step_taken.execute_batch(step)?;
        found += 1;
        step_taken.pragma_update(None, "user_version", found)?;
        step_taken.commit()?;
    }
    Ok(())
}

/// Whether the file is a journal whose tables and triggers are the ones of `steps` at the file's version.
/// `Ok(Err(why))` is damage, or another program's file.
pub(super) fn examine(
    connection: &Connection,
    path: &Path,
    steps: &[&str],
) -> Result<Result<(), String>, JournalError> {
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
    let read = (|| {
        let application = pragma("application_id")?;
        let found = pragma("user_version")?;
        Ok::<_, rusqlite::Error>((application, found, tables(connection)?))
    })();
    let (application, found, tables_found) = match read {
        Ok(read) => read,
        Err(error) if is_unread(&error) => return Err(JournalError::sqlite(path)(error)),
        Err(error) => return Ok(Err(error.to_string())),
    };
    if application != APPLICATION {
        return Ok(Err("it is not a tumblerd journal (application id)".into()));
    }
    if found > version(steps) {
        return Err(JournalError::Newer { file: path.to_owned(), found, known: version(steps) });
    }
    let Some(steps) = usize::try_from(found).ok().filter(|n| *n > 0).and_then(|n| steps.get(..n)) else {
        return Ok(Err(format!("it says that its version is {found}, which never was")));
    };
    let expected = (|| {
        let mut blank = Connection::open_in_memory()?;
        migrate(&mut blank, steps)?;
        tables(&blank)
    })();
    match expected {
        Ok(expected) if expected == tables_found => Ok(Ok(())),
        Ok(_) => Ok(Err("its tables or triggers are not the ones that tumblerd makes".into())),
        Err(error) => Err(JournalError::sqlite(path)(error)),
    }
}

fn tables(connection: &Connection) -> Result<Vec<String>, rusqlite::Error> {
    let mut statement =
        connection.prepare("SELECT type || name || tbl_name || coalesce(sql, '') FROM sqlite_schema ORDER BY name")?;
    let rows = statement.query_map([], |row| row.get(0))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_not_changed_and_not_deleted() {
        let dir = tempfile::tempdir().unwrap();
        let connection = create(&dir.path().join("j")).unwrap();
        let insert = "INSERT INTO record VALUES (1, 0, 0, 'q', 'b', NULL, 0, 'k', '{}', x'00', 2, x'00')";
        connection.execute_batch(insert).unwrap();
        for refused in ["UPDATE record SET body = ''", "DELETE FROM record", "UPDATE record SET seq = 2"] {
            let error = connection.execute_batch(refused).unwrap_err().to_string();
            assert!(error.contains("append-only"), "{refused}: {error}");
        }
    }

    #[test]
    fn an_older_file_is_taken_forward_and_a_failed_step_leaves_it_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        let mut connection = create(&path).unwrap();
        let insert = "INSERT INTO record VALUES (1, 0, 0, 'q', 'b', NULL, 0, 'k', '{}', x'00', 2, x'00')";
        connection.execute_batch(insert).unwrap();

        let broken = [STEPS[0], STEPS[1], "ALTER TABLE record ADD COLUMN more TEXT; SELECT no_such_thing;"];
        assert!(migrate(&mut connection, &broken).is_err());
        assert_eq!(examine(&connection, &path, &broken).unwrap(), Ok(()), "still whole at version 2");

        let longer = [STEPS[0], STEPS[1], "ALTER TABLE record ADD COLUMN more TEXT"];
        migrate(&mut connection, &longer).unwrap();
        migrate(&mut connection, &longer).unwrap();
        assert_eq!(examine(&connection, &path, &longer).unwrap(), Ok(()));
        let body: String = connection.query_row("SELECT body FROM record", [], |row| row.get(0)).unwrap();
        assert_eq!(body, "{}");

        let newer = examine(&connection, &path, STEPS).unwrap_err().to_string();
        assert!(
            newer.ends_with("has version 3; this tumblerd knows versions up to 2: install the newer tumblerd again"),
            "{newer}"
        );
    }

    #[test]
    fn another_programs_file_and_changed_triggers_are_seen() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("j");
        let connection = create(&path).unwrap();
        connection.execute_batch("DROP TRIGGER record_is_not_deleted").unwrap();
        let why = examine(&connection, &path, STEPS).unwrap().unwrap_err();
        assert!(why.contains("triggers"), "{why}");
        let other = Connection::open_in_memory().unwrap();
        let why = examine(&other, &path, STEPS).unwrap().unwrap_err();
        assert!(why.contains("not a tumblerd journal"), "{why}");
    }
}
