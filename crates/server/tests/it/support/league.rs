//! A season with a division and teams, created through the API.

use serde_json::{Value, json};

use super::{Answer, Person};

pub(crate) const SEASONS: &str = "/api/v1/seasons";
pub(crate) const DIVISIONS: &str = "/api/v1/divisions";
pub(crate) const TEAMS: &str = "/api/v1/teams";

/// A season with one division and two teams, by their ids.
pub(crate) struct League {
    pub(crate) season: String,
    pub(crate) division: String,
    pub(crate) home: String,
    pub(crate) away: String,
}

/// Creates a record.
pub(crate) async fn created(person: &Person, path: &str, body: &Value) -> Answer {
    let created = person.post(path, body).await;
    assert_eq!(created.status, 201, "{path} {body}: {}", created.text);
    created
}

impl League {
    /// Creates a season in Melbourne's time, the division `U12`, and the teams `Eagles` and `Hawks`.
    pub(crate) async fn create(manager: &Person, season: &str) -> Self {
        let wanted = json!({"name": season, "sport": "netball", "time_zone": "Australia/Melbourne"});
        let season = created(manager, SEASONS, &wanted).await.id().to_owned();
        let division = division(manager, &season, "U12").await.id().to_owned();
        let home = team(manager, &season, &division, "Eagles").await.id().to_owned();
        let away = team(manager, &season, &division, "Hawks").await.id().to_owned();
        Self { season, division, home, away }
    }
}

/// Creates a division.
pub(crate) async fn division(manager: &Person, season: &str, name: &str) -> Answer {
    created(manager, DIVISIONS, &json!({"season_id": season, "name": name})).await
}

/// Creates a team.
pub(crate) async fn team(manager: &Person, season: &str, division: &str, name: &str) -> Answer {
    let body = json!({"season_id": season, "division_id": division, "name": name});
    created(manager, TEAMS, &body).await
}

/// The names of listed records.
pub(crate) fn names(answer: &Answer) -> Vec<&str> {
    let records = answer.body["data"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    records.iter().map(|record| record["name"].as_str().expect("a name")).collect()
}

/// The names of the records of all pages.
pub(crate) async fn all_names(person: &Person, path: &str, query: &str, limit: usize) -> Vec<String> {
    let (mut address, mut listed) = (format!("{path}?limit={limit}&{query}"), Vec::new());
    loop {
        let page = person.get(&address).await;
        listed.extend(names(&page).into_iter().map(str::to_owned));
        let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { return listed };
        address = format!("{path}?limit={limit}&{query}&cursor={cursor}");
    }
}

/// The operation, verb and changed fields of each entry of a record's history.
pub(crate) async fn history(person: &Person, path: &str) -> Vec<(String, String, Vec<String>)> {
    let history = person.get(&format!("{path}/history")).await;
    let entries = history.body["data"].as_array().unwrap_or_else(|| panic!("{}", history.text));
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let told = entries.iter().map(|entry| {
        let effect = &entry["effects"][0];
        let changed = effect["changed"].as_array().expect("a list").iter().map(text).collect();
        (text(&entry["operation"]), text(&effect["verb"]), changed)
    });
    told.collect()
}
