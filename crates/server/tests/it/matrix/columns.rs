//! Columns of the operation table, compared over HTTP with what every operation does. The request would succeed, so that only the column
//! decides.

use fieldhouse_api::operations::rows;
use fieldhouse_api::rows::{Changeset, IfMatch, Row};
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::policy::{ChildTouch, Credential};

use super::callers::{ChangedCallers, Fixtures};
use super::relations::known_child;
use super::samples::{Sample, Stage, about_child, sample};
use crate::support::{Answer, Club, on_both};

/// A club with what a request by its owner needs.
struct Scene<'a> {
    club: &'a Club,
    neighbours: OrganizationId,
    changed: ChangedCallers,
    stage: Stage,
}

impl<'a> Scene<'a> {
    async fn of(club: &'a Club) -> Self {
        let answer = club.neighbours().await.get("/api/v1/organization").await;
        let neighbours = answer.id().parse().expect("an organization's id");
        Self { club, neighbours, changed: ChangedCallers::of(club).await, stage: Stage::set(club).await }
    }

    /// The response to a successful request of the owner, or of the operator, changed by `change`.
    async fn send(&self, row: &Row, change: impl FnOnce(Sample) -> Sample) -> Answer {
        let mut fixtures = Fixtures::new(self.club, self.neighbours).await;
        let kind = match row.requirement.credential {
            Credential::Operator => "operator",
            _ => "owner",
        };
        let caller = fixtures.add(self.club, &self.changed, kind);
        let named = (kind, &caller);
        let mut request = sample(row.operation, self.club, &self.stage, named, &mut fixtures).await;
        fixtures.write().await;
        if matches!(
            row.requirement.child,
            ChildTouch::InPath { .. } | ChildTouch::InBody { .. } | ChildTouch::OfRecord { .. }
        ) {
            request = about_child(row.operation, &known_child(self.club, caller.user).await);
        }
        change(request).send(&caller).await
    }
}

#[tokio::test]
async fn if_match_has_the_effect_of_its_column() {
    on_both(async |club| {
        let scene = Scene::of(&club).await;
        let mut compared = 0;
        for row in rows().iter().filter(|row| row.if_match != IfMatch::None) {
            compared += 1;
            let stale = scene.send(row, |request| request.if_match("\"99-x\"")).await;
            assert_eq!((stale.status, stale.code()), (412, "version_mismatch"), "{}: {}", row.id, stale.text);
            assert_eq!(stale.body["current_version"], 1, "{}", row.id);
            let current = scene.send(row, |request| request.if_match("\"1-x\"")).await;
            assert_eq!(current.status, row.status(), "{}: {}", row.id, current.text);
            let without = scene.send(row, Sample::without_if_match).await;
            let expected = if row.if_match == IfMatch::Required { 428 } else { row.status() };
            assert_eq!(without.status, expected, "{}: {}", row.id, without.text);
        }
        assert!(compared >= 8, "{compared} operations compare versions");
    })
    .await;
}

#[tokio::test]
async fn validate_only_is_accepted_exactly_if_a_changeset_may_contain_the_operation() {
    on_both(async |club| {
        let scene = Scene::of(&club).await;
        for row in rows() {
            let answer = scene.send(row, |request| request.query("validate_only=true")).await;
            match row.changeset {
                Changeset::Possible => assert_eq!(answer.status, row.status(), "{}: {}", row.id, answer.text),
                Changeset::Never | Changeset::AsOne => {
                    assert_eq!((answer.status, answer.code()), (400, "unknown_parameter"), "{}", row.id);
                }
            }
        }
    })
    .await;
}
