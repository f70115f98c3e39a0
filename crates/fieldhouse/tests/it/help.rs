//! The texts of `--help`, stored in `help/`; `SNAPSHOTS=overwrite` rewrites them.

use std::path::Path;

use snapbox::Data;

use crate::fieldhouse;

#[test]
fn every_group_has_help() {
    for words in [
        "",
        "login",
        "seasons list",
        "seasons change",
        "venues create",
        "games upcoming",
        "changesets",
        "changesets new",
        "undo",
        "colleges",
        "colleges favorites add",
        "admin api-keys create",
        "import league",
        "api",
    ] {
        let file = format!("tests/it/help/{}.txt", ["fieldhouse", words].join(" ").trim().replace(' ', "-"));
        let wanted = Data::read_from(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file), None);
        fieldhouse(&format!("{words} --help")).assert().success().stdout_eq(wanted);
    }
}

#[test]
fn only_options_that_apply_are_shown_and_accepted() {
    let shows = |words: &str, option: &str| {
        let help = fieldhouse(&format!("{words} --help")).output().expect("help").stdout;
        String::from_utf8(help).expect("text").contains(option)
    };
    for (words, shown, hidden) in [
        ("seasons list", &["--base-url", "--json", "--jq", "--output", "--no-pager"][..], &["--yes"][..]),
        ("seasons delete", &["--yes", "--json"], &["--no-pager"]),
        ("serve", &["--listen"], &["--base-url", "--json", "--jq", "--output", "--no-pager", "--yes"]),
        ("completions", &[], &["--base-url", "--output"]),
        ("admin audit verify", &["--data-dir", "--json"], &["--base-url", "--no-pager"]),
        ("api", &["--jq"], &["--json", "--no-pager"]),
        ("seasons", &[], &["--json", "--base-url"]),
    ] {
        for option in shown {
            assert!(shows(words, option), "{words} {option}");
        }
        for option in hidden {
            assert!(!shows(words, option), "{words} {option}");
        }
    }
    fieldhouse("serve --output table")
        .assert()
        .code(2)
        .stderr_eq("error: --output has no effect on `fieldhouse serve`\nhint: omit it\n");
}

#[test]
fn help_is_at_most_100_columns_wide() {
    for words in ["", "serve", "seasons list", "admin api-keys create", "api", "import league", "login"] {
        let help = fieldhouse(&format!("{words} --help")).output().expect("help").stdout;
        let help = String::from_utf8(help).expect("text");
        // The summary of the usage is never wrapped.
        let lines = help.lines().filter(|line| !line.starts_with("Usage:"));
        let widest = lines.map(|line| line.chars().count()).max();
        assert!(widest <= Some(100), "{words}: {help}");
    }
}
