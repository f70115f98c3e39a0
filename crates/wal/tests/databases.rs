//! Databases whose log is written in pieces, compared with those of SQLite's default VFS.

use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

/// A database in a folder, with a log. Its cache is so small that transactions write to the log before their commit.
fn open(folder: &Path, in_pieces: bool) -> Connection {
    let file = folder.join("database");
    let connection = if in_pieces {
        let vfs = fieldhouse_wal::register().expect("a VFS");
        Connection::open_with_flags_and_vfs(file, OpenFlags::default(), vfs)
    } else {
        Connection::open(file)
    };
    let connection = connection.expect("a database");
    connection
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = 20; PRAGMA journal_size_limit = 100000; PRAGMA wal_autocheckpoint = 0;
             CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL)",
        )
        .expect("a table");
    connection
}

/// Runs one of many transactions of different lengths: some are rolled back, wholly or from a savepoint on, and some copy the log.
fn run(connection: &Connection, number: usize) {
    let insert = |from: usize, count: usize| {
        let mut insert =
            connection.prepare_cached("INSERT OR REPLACE INTO rows VALUES (?1, ?2)").expect("SQL");
        for row in from..from + count {
            let id = i64::try_from(row * 7919 % 5000).expect("small");
            insert.execute(params![id, format!("{number} {row} ").repeat(60)]).expect("inserted");
        }
    };
    let step = |sql: &str| connection.execute_batch(sql).expect("a step");
    step("BEGIN IMMEDIATE");
    insert(number * 31, 1 + number * 13 % 90);
    step("SAVEPOINT one");
    insert(number * 17, number * 29 % 120);
    if number.is_multiple_of(3) {
        step("ROLLBACK TO one");
    }
    step("RELEASE one");
    if number % 5 == 4 {
        step("ROLLBACK");
    } else {
        fieldhouse_wal::commit(|| step("COMMIT"));
    }
    if number % 11 == 10 {
        step("PRAGMA wal_checkpoint(PASSIVE)");
    }
    if number % 37 == 36 {
        step("PRAGMA wal_checkpoint(TRUNCATE)");
    }
}

/// All rows of a database, which must not be damaged.
fn rows(connection: &Connection) -> Vec<(i64, String)> {
    let check: String =
        connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).expect("a check");
    assert_eq!(check, "ok");
    let mut select = connection.prepare("SELECT id, text FROM rows ORDER BY id").expect("SQL");
    let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
    rows.collect::<Result<_, _>>().expect("rows")
}

#[test]
fn the_files_have_each_commit_when_it_ends() {
    let (folder, usual_folder) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let (connection, usual) = (open(folder.path(), true), open(usual_folder.path(), false));
    let reader = Connection::open(folder.path().join("database")).expect("a reader");
    for number in 0..120 {
        run(&connection, number);
        run(&usual, number);
        // Another program writes where frames of a transaction that was rolled back would be.
        for other in [&reader, &usual] {
            other
                .execute(
                    "INSERT OR REPLACE INTO rows VALUES (?1, 'of another program')",
                    [i64::try_from(number).expect("small")],
                )
                .expect("inserted");
        }
        let expected = rows(&usual);
        assert_eq!(rows(&reader), expected, "another connection, after the transaction {number}");
        // What a process that is killed now leaves behind.
        let left = tempfile::tempdir().expect("a folder");
        for file in ["database", "database-wal"] {
            fs::copy(folder.path().join(file), left.path().join(file)).expect("a copy");
        }
        let restarted = Connection::open(left.path().join("database")).expect("a database");
        assert_eq!(rows(&restarted), expected, "a restart after the transaction {number}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_commit_of_many_pages_takes_few_calls() {
    let writes = || -> u64 {
        let counts = fs::read_to_string("/proc/thread-self/io").expect("counts");
        let count = counts.lines().find_map(|line| line.strip_prefix("syscw: ")).expect("a count");
        count.parse().expect("a number")
    };
    let of = |in_pieces: bool| {
        let folder = tempfile::tempdir().expect("a folder");
        let connection = open(folder.path(), in_pieces);
        connection.pragma_update(None, "cache_size", 2000).expect("a cache");
        let before = writes();
        run(&connection, 20);
        writes() - before
    };
    let (in_pieces, usual) = (of(true), of(false));
    assert!(in_pieces <= 4 && usual >= 40, "{in_pieces} instead of {usual}");
}
