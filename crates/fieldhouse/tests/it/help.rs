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
