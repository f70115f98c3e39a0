//! A transaction that does not record all its effects.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::organizations::{Organization, Slug};
use fieldhouse_domain::text::Name;
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_testing::clubs::NOW;
use fieldhouse_testing::databases::{self, Database};

use super::*;
use crate::engine::{Options, Store};
use crate::{organizations, records};

/// The options in the types of the crate under test, of which `fieldhouse-testing` links another build.
fn options(database: &Database) -> Options {
    match (database.folder(), database.url()) {
        (Some(folder), _) => Options::Sqlite { folder: folder.to_owned() },
        (None, url) => {
            Options::Postgres { url: url.expect("an address"), root_certificates: None, connections: 1 }
        }
    }
}

fn organization() -> Organization {
    Organization {
        id: OrganizationId::from_uuid(Uuid::from_u128(1)),
        slug: Slug::stored("forgotten".to_owned()),
        name: Name::stored("Forgotten".to_owned()),
        country: None,
        time_zone: TimeZoneName::stored("UTC".to_owned()),
        suspended_at: None,
        created_at: NOW,
        updated_at: NOW,
        version: 1,
    }
}

#[tokio::test]
async fn a_transaction_that_ends_with_an_unrecorded_effect_is_an_error_and_changes_nothing() {
    for database in databases::both() {
        let store = Store::open(&options(&database)).await.unwrap();
        let made = organization();
        let written = store.write("tests.forgetful", async move |tx| {
            records::write(tx, made.id, &Effect::create(made.clone())).await
        });
        match written.await {
            Err(Error::Internal(reason)) => {
                assert_eq!(reason, "tests.forgetful wrote 1 effects, of which 0 were recorded");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(organizations::by_slug(&mut &store, "forgotten").await.unwrap(), None);
    }
}
