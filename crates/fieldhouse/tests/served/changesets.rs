//! Changesets on a running demo: an agent proposes one, a person approves, executes and undoes it.

use serde_json::{Value, json};

use crate::server::on_both;

#[test]
fn an_agent_proposes_what_people_approve_and_undo() {
    on_both(|place| {
        let server = place.serve(&["--demo"]);
        let person = |role: &str| {
            let person = place.person(&server, role);
            let (email, password) = server.account(role);
            person.types(&["login", email, password]);
            person
        };
        let (manager, admin) = (person("manager"), person("admin"));

        let waiting = admin.types(&["changesets", "list", "--state", "in_review", "-o", "json"]).json();
        let rain = &waiting[0];
        assert_eq!(
            (rain["risk"].as_str(), &rain["author"]["is_agent"]),
            (Some("R1"), &json!(false)),
            "{rain}"
        );
        let rain = rain["id"].as_str().expect("an id");
        let own = manager.tries(&["changesets", "approve", rain, "--yes"], None);
        assert!(own.code == 1 && own.error.contains("Its author cannot decide about it"), "{own:?}");
        let text =
            admin.types(&["api", &format!("/api/v1/changesets/{rain}/diff"), "-H", "Accept: text/plain"]);
        assert_eq!(text.out, admin.types(&["changesets", "diff", rain]).out);
        assert!(text.out.contains("games move, ") && text.out.contains("\n~ game "), "{}", text.out);

        let scopes = ["--scope", "changesets:propose", "--scope", "changesets:read", "--scope", "games:read"];
        let create = ["admin", "api-keys", "create", "--name", "agent", "--kind", "agent", "-o", "json"];
        let key = manager.types(&[&create[..], &scopes].concat()).json();
        let secret = key["key"].as_str().expect("a key");
        let script = place.person(&server, "script");
        let agent = |arguments: &[&str]| {
            let printed = script.tries(arguments, Some(secret));
            assert_eq!(printed.code, 0, "{arguments:?} {printed:?}");
            printed
        };
        let games = agent(&["games", "upcoming", "--all", "-o", "json"]).json();
        let is_listed = |game: &&Value| game["kind"] == "game" && game["status"] == "scheduled";
        let game = games.as_array().expect("games").iter().find(is_listed).expect("a game").clone();
        let id = game["id"].as_str().expect("an id");
        let operation = json!({"op": "update", "resource": "games", "id": id, "if_version": game["version"],
            "set": {"status": "postponed"}});
        let file = place.folder().join("operations.json");
        std::fs::write(&file, operation.to_string()).expect("a file");
        let file = file.to_str().expect("a path");
        let proposed = agent(&["changesets", "new", file, "--title", "Off", "-o", "json"]).json();
        let changeset = proposed["id"].as_str().expect("an id");
        let simulated = agent(&["changesets", "simulate", changeset, "-o", "json"]).json();
        assert_eq!(simulated["simulation"]["impact"]["games_cancelled"]["count"], 1);
        assert_eq!(agent(&["changesets", "submit", changeset, "-o", "json"]).json()["state"], "in_review");
        let refused = script.tries(&["changesets", "approve", changeset, "--yes"], Some(secret));
        assert_eq!(refused.code, 4, "{refused:?}");

        let hash = simulated["simulation"]["hash"].as_str().expect("a hash");
        // Late in the week, the game is within 72 hours, and an agent's proposal of R2 needs two admins.
        let owner = person("owner");
        for approver in [&admin, &owner] {
            if admin.types(&["changesets", "show", changeset, "-o", "json"]).json()["state"] == "in_review" {
                approver.types(&["changesets", "approve", changeset, "--hash", hash]);
            }
        }
        let status = || admin.types(&["games", "show", id, "-o", "json"]).json()["status"].clone();
        admin.types(&["changesets", "execute", changeset, "--yes"]);
        assert_eq!(status(), "postponed");
        let again = admin.types(&["changesets", "execute", changeset, "--hash", hash, "-o", "json"]).json();
        assert_eq!(again["replayed"], true);
        let undone = admin.types(&["undo", changeset, "-o", "json"]).json();
        assert_eq!((undone["kind"].as_str(), undone["state"].as_str()), (Some("undo"), Some("executed")));
        assert_eq!(status(), "scheduled");
        let events = admin.types(&["changesets", "events", changeset, "--all", "--jq", ".[].event"]).out;
        assert!(events.starts_with("created\nsimulated\nsubmitted\napproved\n"), "{events}");
        assert!(events.ends_with("executed\nundone\n"), "{events}");
        server.stop();
    });
}
