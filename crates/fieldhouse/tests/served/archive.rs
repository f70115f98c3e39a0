//! An organization that moves to another server: exported by its owner, imported by the operator.

use fieldhouse_testing::databases::sqlite;
use serde_json::json;

use crate::operator::{INIT, typed};
use crate::server::{Place, on_both, run};

#[test]
fn an_organization_moves_to_another_server() {
    on_both(|place| {
        let server = place.serve(&["--demo"]);
        let owner = place.person(&server, "owner");
        let (email, password) = server.account("owner");
        owner.types(&["login", email, password]);
        let file = place.folder().join("club.jsonl.gz");
        let file = file.to_str().expect("a path");
        let exported = owner.types(&["export", "organization", file, "--output", "json"]).json();
        assert_eq!((&exported["seasons"], &exported["games"]), (&json!(1), &json!(319)), "{exported}");
        let again = owner.tries(&["export", "organization", file], None);
        assert_eq!((again.code, again.error.contains("--force")), (2, true), "{again:?}");
        owner.types(&["export", "organization", file, "--force"]);
        let admin = place.person(&server, "admin");
        let (email, password) = server.account("admin");
        admin.types(&["login", email, password]);
        let refused = admin.tries(&["export", "organization", file, "--force"], None);
        assert!(refused.code == 1 && refused.error.contains("owner"), "{refused:?}");
        server.stop();

        let elsewhere = Place { folder: tempfile::tempdir().expect("a folder"), database: sqlite() };
        assert_eq!(typed(elsewhere.operates(INIT), "a long enough password\n").code, 0);
        let import = |more: &[&str]| {
            let words =
                ["import", "organization", file, "--organization", "riverside-club", "--output", "json"];
            run(elsewhere.operates(&[&words[..], more].concat()))
        };
        assert_eq!(import(&["--dry-run"]).json(), exported);
        let unknown = run(elsewhere.operates(&["import", "organization", file, "--organization", "nowhere"]));
        assert!(unknown.code == 1 && unknown.error.contains("nowhere does not exist"), "{unknown:?}");
        let server = elsewhere.serve(&[]);
        assert_eq!(import(&[]).json(), exported, "the dry run stored nothing, and a server may run");
        let twice = import(&[]);
        assert!(twice.code == 1 && twice.error.contains("was imported: The organization has"), "{twice:?}");
        let whole = std::fs::read(file).expect("a file");
        std::fs::write(file, &whole[..whole.len() / 2]).expect("written");
        let damaged = import(&[]);
        assert!(damaged.code == 1 && damaged.error.contains("Copy or export it again"), "{damaged:?}");

        let founder = elsewhere.person(&server, "founder");
        founder.types(&["login", "owner@riverside.example", "a long enough password"]);
        let games = founder.types(&["games", "list", "--all", "--output", "json"]).json();
        assert_eq!(games.as_array().map(Vec::len), Some(319));
        let organization = founder.types(&["api", "/api/v1/organization", "--jq", ".data.name"]);
        assert_eq!(organization.out, "Coburg Basketball Association\n");
        server.stop();
    });
}
