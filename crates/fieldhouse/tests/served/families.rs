//! The families of the demo, as the people of the ready file see them.

use serde_json::{Value, json};

use crate::server::on_both;

#[test]
fn each_person_of_the_demo_sees_the_children_that_the_ready_file_names() {
    on_both(|place| {
        let server = place.serve(&["--demo"]);
        let accounts = server.ready["accounts"].as_array().expect("accounts");
        let mut parts = Vec::new();
        for account in accounts {
            let text = |field: &str| account[field].as_str().expect("a string");
            let person = place.person(&server, text("email"));
            person.types(&["login", text("email"), text("password")]);
            let seen = |command: &[&str]| {
                let shown = person.types(&[command, &["--all", "--json", "id"]].concat()).json();
                let mut ids: Vec<Value> =
                    shown.as_array().expect("a list").iter().map(|it| it["id"].clone()).collect();
                ids.sort_by_key(ToString::to_string);
                ids
            };
            if account["role"] == "viewer" {
                continue;
            }
            let mut expected = account["children"].as_array().expect("ids").clone();
            expected.sort_by_key(ToString::to_string);
            assert_eq!(seen(&["children", "list"]), expected, "{account}");
            let Some(part) = account["as"].as_str() else {
                assert_eq!(account["children"], json!([]), "a role alone opens nothing");
                continue;
            };
            parts.push((part.to_owned(), expected.len()));
        }
        let expected = [
            ("guardian of two", 2),
            ("guardian of one", 1),
            ("guardian whom a court's order keeps away", 0),
            ("coach of a team", 2),
            ("coach until yesterday", 0),
            ("registrar of the season", 5),
        ];
        assert_eq!(parts, expected.map(|(part, count)| (part.to_owned(), count)));
    });
}
