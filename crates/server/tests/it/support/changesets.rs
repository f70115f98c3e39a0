//! Changesets through the API.

use serde_json::{Value, json};

use super::{Answer, Person};

pub(crate) const CHANGESETS: &str = "/api/v1/changesets";

/// A changeset, with the steps that take it on.
pub(crate) struct Proposal<'a> {
    pub(crate) author: &'a Person,
    pub(crate) id: String,
    /// The latest response.
    pub(crate) answer: Answer,
}

impl<'a> Proposal<'a> {
    /// Proposes operations.
    pub(crate) async fn new(author: &'a Person, operations: &Value) -> Self {
        Self::of(
            author,
            &json!({"title": "A change", "reason": "The court is flooded", "operations": operations}),
        )
        .await
    }

    /// Sends a body.
    pub(crate) async fn of(author: &'a Person, body: &Value) -> Self {
        let answer = author.post(CHANGESETS, body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        Self { author, id: answer.id().to_owned(), answer }
    }

    /// Takes a step as someone.
    pub(crate) async fn try_step(&self, who: &Person, step: &str, body: &Value) -> Answer {
        who.post(&format!("{CHANGESETS}/{}/{step}", self.id), body).await
    }

    /// Takes a step that succeeds.
    pub(crate) async fn step(&mut self, who: &Person, step: &str, body: &Value) -> &Value {
        self.answer = self.try_step(who, step, body).await;
        assert!(matches!(self.answer.status, 200 | 201), "{step}: {}", self.answer.text);
        &self.answer.body["data"]
    }

    /// Simulates it, without problems.
    pub(crate) async fn simulated(mut self) -> Self {
        let author = self.author;
        let data = self.step(author, "simulate", &json!({})).await;
        assert_eq!(data["state"], "simulated", "{data}");
        self
    }

    /// Simulates and submits it.
    pub(crate) async fn submitted(self) -> Self {
        self.simulated().await.submitted_again().await
    }

    /// Submits it, after a simulation.
    pub(crate) async fn submitted_again(mut self) -> Self {
        let author = self.author;
        self.step(author, "submit", &json!({})).await;
        self
    }

    /// The state in the latest response.
    pub(crate) fn state(&self) -> &str {
        self.answer.body["data"]["state"].as_str().unwrap_or_else(|| panic!("{}", self.answer.text))
    }

    /// The body that names the current simulation.
    pub(crate) async fn hash(&self) -> Value {
        let read = self.author.get(&format!("{CHANGESETS}/{}", self.id)).await;
        json!({"simulation_hash": read.body["data"]["simulation"]["hash"]})
    }

    /// Approves it as someone.
    pub(crate) async fn approved_by(mut self, who: &Person) -> Self {
        let hash = self.hash().await;
        self.step(who, "approve", &hash).await;
        self
    }

    /// Executes it.
    pub(crate) async fn executed_by(mut self, who: &Person) -> Self {
        let hash = self.hash().await;
        let data = self.step(who, "execute", &hash).await;
        assert_eq!(
            (&data["changeset"]["state"], &data["replayed"]),
            (&json!("executed"), &json!(false)),
            "{data}"
        );
        self
    }
}

/// An operation that creates a venue.
pub(crate) fn a_venue(name: &str) -> Value {
    json!({"op": "create", "resource": "venues", "data": {"name": name, "time_zone": "Australia/Melbourne"}})
}
