//! The order in which a request is checked: an earlier error hides later ones.

use fieldhouse_api::{Code, Operation};
use fieldhouse_domain::roles::Role;
use reqwest::RequestBuilder;
use serde_json::json;

use super::{is_problem, method, path};
use crate::support::{Credential, Person, on_both, operator_token, send};

/// The head of a raw JSON request to an operation, up to the framing of its body.
pub(super) fn head(person: &Person, operation: Operation) -> String {
    let credential = match &person.credential {
        Credential::None => String::new(),
        Credential::Session(token) => format!("authorization: Bearer {token}\r\n"),
        Credential::Key(key) => format!("x-api-key: {key}\r\n"),
        Credential::Operator(app) => format!("authorization: Bearer {}\r\n", operator_token(app)),
    };
    format!(
        "{} {} HTTP/1.1\r\nhost: club\r\n{credential}content-type: application/json\r\n",
        method(operation),
        path(operation)
    )
}

/// A change of a season, whose errors are removed one by one.
struct Faulty<'a> {
    person: &'a Person,
    season: &'a str,
    second_credential: bool,
    media_type: &'static str,
    query: &'static str,
    body: &'static str,
    if_match: &'static str,
}

impl Faulty<'_> {
    fn request(&self) -> RequestBuilder {
        let path = format!("/api/v1/seasons/{}{}", self.season, self.query);
        let request = self.person.request(reqwest::Method::PATCH, &path);
        let request =
            request.header("content-type", self.media_type).header("if-match", self.if_match).body(self.body);
        if self.second_credential { request.header("x-api-key", "fhk_short") } else { request }
    }

    async fn is_refused_as(&self, code: Code) {
        is_problem(&send(self.request()).await, code, code.name());
    }
}

#[tokio::test]
async fn errors_are_reported_in_the_order_of_the_contract() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let season = json!({"name": "Winter", "sport": "netball", "time_zone": "UTC", "status": "archived"});
        let season = manager.post("/api/v1/seasons", &season).await.id().to_owned();
        let mut bad = manager.clone();
        bad.credential = Credential::Session("not.a.token".to_owned());
        let mut faulty = Faulty {
            person: &bad,
            season: "sea_none",
            second_credential: true,
            media_type: "text/plain",
            query: "?valdate_only=true",
            body: "{\"status\":",
            if_match: "\"7-x\"",
        };
        faulty.is_refused_as(Code::AmbiguousCredentials).await;
        faulty.second_credential = false;
        faulty.is_refused_as(Code::InvalidCredentials).await;
        faulty.person = club.member(Role::Coach);
        faulty.is_refused_as(Code::RoleInsufficient).await;
        faulty.person = manager;
        faulty.is_refused_as(Code::UnsupportedMediaType).await;
        faulty.media_type = "application/merge-patch+json";
        faulty.is_refused_as(Code::UnknownParameter).await;
        faulty.query = "?validate_only=false";
        faulty.is_refused_as(Code::MalformedJson).await;
        faulty.body = "{\"status\":\"over\"}";
        faulty.is_refused_as(Code::ValidationFailed).await;
        faulty.body = "{\"status\":\"active\",\"sport\":\" \"}";
        faulty.is_refused_as(Code::ValidationFailed).await;
        faulty.body = "{\"status\":\"active\"}";
        faulty.is_refused_as(Code::NotFound).await;
        faulty.season = &season;
        faulty.is_refused_as(Code::VersionMismatch).await;
        faulty.if_match = "\"1-x\"";
        faulty.is_refused_as(Code::State).await;
        faulty.body = "{\"status\":\"completed\"}";
        assert_eq!(send(faulty.request()).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn two_credentials_are_refused_even_if_they_agree() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let key = owner.issue_key(&json!({"name": "a key"})).await;
        let request = owner.request(reqwest::Method::GET, "/api/v1/seasons").header("x-api-key", &key);
        is_problem(&send(request).await, Code::AmbiguousCredentials, "a session and a key");
        let keys = club.with_key(&key).request(reqwest::Method::GET, "/api/v1/seasons");
        is_problem(&send(keys.header("x-api-key", &key)).await, Code::AmbiguousCredentials, "a key twice");
        let favorites = owner.request(reqwest::Method::GET, "/api/v1/colleges/favorites");
        let answer = send(favorites.header("x-api-key", &key)).await;
        is_problem(&answer, Code::AmbiguousCredentials, "for an optional credential");
    })
    .await;
}
