//! Commands that are refused without a request, and servers that cannot be reached.

use snapbox::str;

use crate::fieldhouse;

#[test]
fn wrong_usage_is_exit_code_2() {
    for words in [
        "",
        "seasons",
        "sesons list",
        "login",
        "login a@b.org secret --password-stdin",
        "login a@b.org --api-key fhk_x",
        "seasons list --status final",
        "seasons list --all --limit 5",
        "games upcoming --from tomorrow",
        "games upcoming --team sea_01h2xcejqtf2nbrexx3vqjhp41",
        "colleges favorites add",
        "colleges favorites add --unitid 1 --sport golf",
        "colleges favorites add --custom Somewhere",
        "admin api-keys create",
        "admin api-keys create --name x --expires-in-days 3 --expires-at 2026-05-01",
        "import league x.csv --format excel --sport basketball --time-zone UTC",
        "api GET /x -f nonsense",
        "--output yaml whoami",
        "serve --connections 0",
        "serve --public-url nonsense",
        "admin api-keys create --name x --scope cats:read",
        "venues create --name x --time-zone UTC --latitude north",
        "seasons list --year 20260",
        "seasons list --limit 0",
        "seasons list --limit 101",
        "colleges favorites add --unitid 1 --sport golf --gender men --interest 6",
        "admin api-keys create --name x --expires-in-days 367",
        "api POST /x --paginate",
        "api GET /x --input -",
        "import colleges x.csv --year 2024",
        "import colleges x.csv --year 2024-26",
        "init --organization A --owner a@b.org --country AUS",
    ] {
        fieldhouse(words).assert().code(2);
    }
}

#[test]
fn a_server_that_cannot_be_reached() {
    let home = tempfile::tempdir().expect("a home");
    let home = home.path().to_str().expect("a path");
    let there = || fieldhouse("colleges search golf").env("XDG_CONFIG_HOME", home);
    there().env("FIELDHOUSE_URL", "http://127.0.0.1:9").assert().code(1).stdout_eq("").stderr_eq(str![[r#"
error: the server at http://127.0.0.1:9 cannot be reached: nothing is listening there
hint: is the server running at http://127.0.0.1:9? If not there, check the address (--base-url, FIELDHOUSE_URL or the context), or start one here: fieldhouse serve --demo

"#]]);
}

#[test]
fn an_invalid_address_is_refused_before_the_sign_in() {
    for (address, wanted) in [
        ("127.0.0.1:8080", "write http://127.0.0.1:8080"),
        ("api.example.org", "write http://api.example.org"),
        ("nonsense", "write a URL such as http://127.0.0.1:8080"),
        ("ftp://x", "write a URL such as http://127.0.0.1:8080"),
    ] {
        let refused = fieldhouse("whoami").env("FIELDHOUSE_URL", address).output().expect("output");
        let error = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{address}");
        assert_eq!(error, format!("error: FIELDHOUSE_URL is {address:?}\nhint: {wanted}\n"));
        let refused = fieldhouse(&format!("whoami --base-url {address}")).output().expect("output");
        let error = String::from_utf8_lossy(&refused.stderr);
        assert!(error.contains(&format!("for '--base-url <URL>': {wanted}\n")), "{address}: {error}");
    }
}

#[test]
fn commands_without_a_credential_are_refused() {
    let home = tempfile::tempdir().expect("a home");
    let home = home.path().to_str().expect("a path");
    let there = |words| fieldhouse(words).env("XDG_CONFIG_HOME", home);
    for words in ["whoami", "seasons list", "games upcoming", "profile me", "admin api-keys list"] {
        there(words).assert().code(4).stdout_eq("").stderr_eq(str![[r#"
error: not signed in to http://127.0.0.1:8080
hint: sign in: fieldhouse login <email>, or set FIELDHOUSE_API_KEY

"#]]);
    }
    there("logout").assert().success().stdout_eq(str![[r#"
You were not signed in to http://127.0.0.1:8080.

"#]]);
}

#[test]
fn credentials_need_a_home_folder() {
    fieldhouse("whoami").assert().code(1).stderr_eq(str![[r#"
error: no folder for credentials: set HOME or XDG_CONFIG_HOME

"#]]);
}

#[test]
fn invalid_options_of_init_are_refused() {
    let init = "init --owner a@b.org --data-dir /nowhere --organization";
    fieldhouse(&format!("{init} A --time-zone Mars")).assert().code(2).stderr_eq(str![[r#"
error: invalid value 'Mars' for '--time-zone <ZONE>': is not an IANA time zone. Send a name such as Australia/Melbourne.

For more information, try '--help'.

"#]]);
    fieldhouse(&format!("{init} ! --time-zone UTC")).assert().code(2).stderr_eq(str![[r#"
error: --organization must contain a letter or a digit

"#]]);
}

#[test]
fn every_shell_has_a_completion_script_that_asks_this_program() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = fieldhouse(&format!("completions {shell}")).output().expect("a script");
        let script = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(script.contains("FIELDHOUSE_COMPLETE"), "{shell}: {script}");
    }
}

#[test]
fn messages_of_libraries_are_not_printed() {
    for (words, said) in [
        (
            "import league x.csv --format excel --sport basketball --time-zone UTC",
            "[possible values: auto, playhq, openfootball, ",
        ),
        (
            "import league missing.csv --format playhq --sport basketball --time-zone UTC",
            "missing.csv cannot be read: No such file or directory\n",
        ),
        ("api FETCH /x", "use one of GET, POST, PATCH, PUT, DELETE"),
        ("api POST /x --input Cargo.toml", "error: Cargo.toml is not JSON: see line 1, column "),
        ("serve --demo --listen localhost", "write an IP address and a port, such as 127.0.0.1:8080"),
        ("serve --demo --limit-key 0", "write an integer of 1 or more"),
        ("serve --demo --database-connections many", "write an integer of 1 or more"),
        ("serve --database-url postgres://a@127.0.0.1:9/a", "Connection refused\nhint: check --database-url"),
        ("serve --demo --data-dir Cargo.toml", "Cargo.toml: File exists\nhint: check --data-dir\n"),
        ("serve --demo --log a=b=c", "error: --log a=b=c is not a filter\nhint: write a level"),
    ] {
        let home = tempfile::tempdir().expect("a home");
        let refused =
            fieldhouse(words).env("XDG_CONFIG_HOME", home.path()).env("FIELDHOUSE_API_KEY", "fhk_x");
        let refused = refused.env("FIELDHOUSE_DATA_DIR", home.path().join("data"));
        let error = String::from_utf8(refused.output().expect("output").stderr).expect("text");
        assert!(error.contains(said), "{words}: {error}");
        for foreign in ["os error", "unknown variant", "invalid digit", "expected value", "socket address"] {
            assert!(!error.contains(foreign), "{words}: {error}");
        }
    }
}
