//! A first use of the product: serve a demo, sign in, create a key, list games with it, save a college, revoke the key.

use serde_json::json;

use crate::server::on_both;

#[test]
fn the_first_steps_with_the_demo() {
    on_both(|place| {
        let server = place.serve(&["--demo"]);
        let manager = place.person(&server, "manager");
        let (email, password) = server.account("manager");
        let signed_in = manager.types(&["login", email, password]);
        assert!(format!("{}{}", signed_in.out, signed_in.error).contains("Coburg Basketball Association"));

        let key =
            manager.types(&["admin", "api-keys", "create", "--name", "scripts", "--output", "json"]).json();
        let (id, secret) = (key["id"].as_str().expect("an id"), key["key"].as_str().expect("a key"));
        assert!(secret.starts_with("fhk_") && secret.len() == 63, "{secret}");

        let script = place.person(&server, "script");
        let with_key = |arguments: &[&str]| {
            let printed = script.tries(arguments, Some(secret));
            assert_eq!(printed.code, 0, "{arguments:?} {printed:?}");
            printed
        };
        let seasons = with_key(&["seasons", "list", "--output", "json"]).json();
        assert_eq!(seasons[0]["name"], "Junior Domestic Winter 2022");
        assert_eq!(seasons[0]["divisions"].as_array().map(Vec::len), Some(15));
        let games = with_key(&["games", "upcoming", "--output", "json"]).json();
        let starts: Vec<_> =
            games.as_array().expect("games").iter().map(|game| game["starts_at"].as_str()).collect();
        assert!(!starts.is_empty() && starts.is_sorted(), "{starts:?}");

        // The catalogue may still be loading when the server is ready.
        let found = (0..200).find_map(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            let found = with_key(&["colleges", "programs", "bethel", "--output", "json"]).json();
            found[0]["id"].as_str().map(str::to_owned)
        });
        let program = found.expect("the catalogue is loaded");
        with_key(&["colleges", "favorites", "add", "--program", &program]);
        let saved = with_key(&["colleges", "favorites", "list", "--output", "json"]).json();
        assert_eq!(saved[0]["program"]["id"], json!(program));
        let favorite = saved[0]["id"].as_str().expect("an id").to_owned();
        with_key(&["colleges", "favorites", "remove", &favorite, "--yes"]);
        assert_eq!(with_key(&["colleges", "favorites", "list", "--output", "json"]).json(), json!([]));

        let refused = script.tries(&["admin", "api-keys", "create", "--name", "more"], Some(secret));
        assert_eq!(refused.code, 4);
        assert!(refused.error.contains("fieldhouse login"), "{}", refused.error);

        manager.types(&["admin", "api-keys", "revoke", id, "--yes"]);
        let refused = script.tries(&["seasons", "list"], Some(secret));
        assert_eq!(refused.code, 4);
        assert!(refused.error.contains("revoked"), "{}", refused.error);
        server.stop();
    });
}

#[test]
fn importing_a_league_file_twice_changes_it_once() {
    on_both(|place| {
        let made = place.operates(&[
            "init",
            "--organization",
            "Riverside Club",
            "--owner",
            "owner@riverside.example",
            "--time-zone",
            "Australia/Melbourne",
            "--password-stdin",
        ]);
        assert_eq!(crate::operator::typed(made, "a long enough password\n").code, 0);
        let server = place.serve(&[]);
        let owner = place.person(&server, "owner");
        owner.types(&["login", "owner@riverside.example", "a long enough password"]);
        let file = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../data/leagues/playhq/coburg-basketball-winter-2022.csv"
        );
        let import = |more: &[&str]| {
            let words = ["import", "league", file, "--format", "playhq", "--sport", "basketball"];
            let zone = ["--time-zone", "Australia/Melbourne", "--output", "json"];
            owner.types(&[&words[..], &zone[..], more].concat()).json()
        };
        let tried = import(&["--dry-run"]);
        assert_eq!((&tried["counts"]["games_created"], &tried["counts"]["byes"]), (&json!(319), &json!(20)));
        assert_eq!(import(&[])["counts"]["games_created"], 319, "the dry run kept nothing");
        let again = import(&[])["counts"].clone();
        assert_eq!((&again["games_created"], &again["games_unchanged"]), (&json!(0), &json!(319)));
        server.stop();
    });
}
