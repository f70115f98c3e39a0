//! A server that is killed while it works: acknowledged writes are stored, and nothing is half written.

use std::collections::BTreeSet;

use fieldhouse_client::Client;
use fieldhouse_client::api::favorites::{CustomProgram, FavoriteListQuery, FavoriteSave};
use tokio::sync::mpsc;

use crate::server::{Place, Server, on_both};

const POSTS: usize = 200;
/// The users whose lists are filled, one after the other, until a kill interrupts the work: group commit may acknowledge all saves at once.
const ROLES: [&str; 6] = ["manager", "owner", "admin", "coach", "member", "viewer"];

#[test]
fn every_acknowledged_favorite_survives_a_kill() {
    on_both(|place| {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let in_the_middle = ROLES.iter().any(|role| runtime.block_on(kill_while_saving(place, role)));
        assert!(in_the_middle, "every kill came after the last acknowledgement");
    });
}

/// Kills a server at the first acknowledged save. Returns whether this interrupted the work.
async fn kill_while_saving(place: &Place, role: &str) -> bool {
    let mut server = place.serve(&["--demo"]);
    let client = signed_in(&server, role).await;
    let (acknowledge, mut acknowledged) = mpsc::channel(POSTS);
    for number in 0..POSTS {
        let (client, acknowledge) = (client.clone(), acknowledge.clone());
        tokio::spawn(async move {
            let saved = client.colleges().favorites().add(&favorite(number)).await;
            if saved.is_ok() {
                let _ = acknowledge.send(number).await;
            }
        });
    }
    drop(acknowledge);
    let mut kept = BTreeSet::new();
    while let Some(number) = acknowledged.recv().await {
        if kept.is_empty() {
            server.kill();
        }
        // Answers that were on their way when the server was killed count as well.
        kept.insert(name(number));
    }

    let restarted = place.serve(&["--demo"]);
    let list =
        signed_in(&restarted, role).await.colleges().favorites().list(&FavoriteListQuery::default()).await;
    let list = list.expect("the list is read").data;
    let names: BTreeSet<String> = list.iter().map(|saved| saved.program.college_name.clone()).collect();
    let missing: Vec<_> = kept.difference(&names).collect();
    assert!(missing.is_empty(), "acknowledged and lost: {missing:?}");
    assert_eq!(names.len(), list.len(), "saved twice");
    let ranks: BTreeSet<i64> = list.iter().map(|saved| saved.rank).collect();
    assert_eq!(ranks.len(), list.len(), "two have one rank");
    restarted.stop();
    kept.len() < POSTS
}

async fn signed_in(server: &Server, role: &str) -> Client {
    let (email, password) = server.account(role);
    let login = fieldhouse_client::api::auth::Login {
        email: email.parse().expect("an address"),
        password: password.to_owned(),
        organization: None,
    };
    let anonymous = Client::builder(server.base_url()).build().expect("a client");
    let tokens = anonymous.auth().login(&login).await.expect("a user of the demo signs in");
    Client::builder(server.base_url()).session(tokens).retries(0).build().expect("a client")
}

fn name(number: usize) -> String {
    format!("College number {number}")
}

fn favorite(number: usize) -> FavoriteSave {
    let custom = CustomProgram {
        college_name: name(number).parse().expect("a name"),
        state: None,
        sport: "softball".parse().expect("a sport"),
        gender: "women".parse().expect("a gender"),
    };
    FavoriteSave { custom: Some(custom), ..FavoriteSave::default() }
}
