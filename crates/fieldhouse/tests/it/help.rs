//! The texts of `--help`, which stand in `help/`; `SNAPSHOTS=overwrite` writes them anew.

use std::path::Path;

use snapbox::Data;

use crate::fieldhouse;

#[test]
fn every_group_explains_itself() {
    for words in [
        "",
        "login",
        "seasons list",
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
