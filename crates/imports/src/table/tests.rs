use proptest::prelude::*;

use super::*;

/// The values of the column `name`, by line.
fn names(text: impl AsRef<[u8]>) -> Result<Read<(u64, String)>, BadFile> {
    let table = Table::open(text.as_ref(), None)?;
    table.require("table of names", &["name"])?;
    table.read(|row| Ok((row.line, row.required("name", name)?.to_string())))
}

fn good(text: impl AsRef<[u8]>) -> Vec<(u64, String)> {
    names(text).expect("a table").good
}

fn bad(text: impl AsRef<[u8]>) -> Vec<(u64, Option<String>, String)> {
    names(text).expect("a table").bad.into_iter().map(|bad| (bad.line, bad.column, bad.reason)).collect()
}

fn listed(names: &[(u64, &str)]) -> Vec<(u64, String)> {
    names.iter().map(|(line, name)| (*line, (*name).to_owned())).collect()
}

#[test]
fn lines_are_numbered_as_in_an_editor() {
    for end in ["\n", "\r\n", "\r"] {
        let text = "\u{feff} Name ,note\nAda,\"two\nlines\"\n\nBen,\n,\n\"Cleo\",x\n";
        let read = names(text.replace('\n', end)).expect("a table");
        assert_eq!(read.good, listed(&[(2, "Ada"), (5, "Ben"), (7, "Cleo")]), "{end:?}");
        assert_eq!((read.rows, read.bad), (3, vec![]), "{end:?}: blank rows do not count");
    }
}

#[test]
fn a_bad_row_is_reported_with_its_line_and_the_others_are_read() {
    let text = b"note,name\n,Ada\nx,\xff\xfe\nx\n1,2,3\n1,Ben,,\n,\"a\0b\"\n,---\n,\n\"x\",Cleo\n";
    assert_eq!(good(text), listed(&[(2, "Ada"), (6, "Ben"), (10, "Cleo")]));
    let column = Some("name".to_owned());
    assert_eq!(
        bad(text),
        [
            (3, column.clone(), "is not UTF-8: save the file as CSV UTF-8".to_owned()),
            (4, None, "has 1 field(s), but the header has 2".to_owned()),
            (5, None, "has 3 field(s), but the header has 2".to_owned()),
            (7, column.clone(), "\"a\0b\" contains the control character U+0000. Leave it out.".to_owned()),
            (8, column, "\"---\" has no letter and no digit".to_owned()),
        ]
    );
}

#[test]
fn an_open_quotation_mark_is_reported() {
    let text = "name,note\nAda,x\n\"Ben,y\nCleo,z\nDan,z\n";
    assert_eq!(good(text), listed(&[(2, "Ada")]));
    let [(line, _, reason)] = bad(text).try_into().expect("one bad row");
    assert_eq!(
        (line, reason.as_str()),
        (3, "has 1 field(s), but the header has 2; an open quotation mark joins the lines 3 to 5")
    );
}

#[test]
fn long_values_are_shortened_in_reasons() {
    let [(_, _, reason)] = bad(format!("name\n{}\n", "ä".repeat(5000))).try_into().expect("one bad row");
    assert_eq!(reason, format!("\"{}…\" has 5000 characters. Send at most 200.", "ä".repeat(60)));
}

#[test]
fn a_file_without_the_table_is_refused_with_the_reason() {
    let wrong = |bytes: &[u8]| names(bytes).map(|_| ()).expect_err("no table").to_string();
    for empty in [&b""[..], b"\n \r\n", b",,\n", b"\xef\xbb\xbf"] {
        assert_eq!(wrong(empty), "the file is empty", "{empty:?}");
    }
    assert_eq!(
        wrong(b"Full Name;Born\nAda;1815\n"),
        "the file lacks columns of the table of names: name; its columns are full name, born"
    );
    assert_eq!(wrong(b"name,NAME \nAda,Ada\n"), "the file has two columns named \"name\"");
    assert_eq!(wrong(b"\xff\xfen\0a\0m\0e\0"), "the file is UTF-16: save it as CSV UTF-8");
    assert_eq!(wrong(b"name\n,\n"), "the file has a header and no rows");
}

#[test]
fn the_size_limits_are_exact() {
    let rows = |count: u64| format!("name\n{}", "Ada\n".repeat(usize::try_from(count).expect("small")));
    assert!(names(rows(MAX_ROWS)).is_ok_and(|read| read.good.len() == 20_000));
    assert_eq!(names(rows(MAX_ROWS + 1)).map(|_| ()), Err(BadFile::TooManyRows));
    let bytes = vec![b'a'; MAX_BYTES + 1];
    assert_eq!(names(&bytes).map(|_| ()), Err(BadFile::TooLarge { bytes: 16_777_217 }));
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes: Vec<u8>) {
        let _ = names(bytes);
    }

    #[test]
    fn every_row_has_its_line(
        rows in proptest::collection::vec(("[a-z]{1,3}( |\r\n|\n|\r){0,3}", 0usize..3), 1..20),
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
    ) {
        let ends = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n").matches('\n').count() as u64;
        let mut text = format!("name,note{end}");
        let mut expected = Vec::new();
        for (name, blank_lines) in &rows {
            text.push_str(&end.repeat(*blank_lines));
            expected.push((ends(&text) + 1, name.trim().to_owned()));
            text.extend([name.trim(), ",\"", name, "\"", end]);
        }
        prop_assert_eq!(good(&text), expected);
    }
}
