//! Checks of responses: status and body, for requests spread over the organizations. A wrong response fails the run.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::dataset::{GAMES, SEASONS};
use crate::http::{self, Response};
use crate::requests::Requests;
use crate::workload::{Expected, Workload};

/// Sends some of a workload's requests and checks the responses. `first` is the number in the body of the first. Returns the first response.
pub(crate) fn check(
    url: &str,
    workload: &Workload,
    requests: &Requests,
    count: usize,
    first: u64,
) -> Result<Response> {
    let mut kept = None;
    for (number, (_, request)) in (first..).zip(requests.sample(count)) {
        let response = http::send(url, &request.numbered(number))?;
        verify(workload.expected, &request.label, &response).with_context(|| {
            let body = String::from_utf8_lossy(&response.body);
            let body: String = body.chars().take(400).collect();
            format!("{}: a wrong response, with status {} and body {body}", workload.name, response.status)
        })?;
        kept.get_or_insert(response);
    }
    kept.context("a workload has a request")
}

fn verify(expected: Expected, label: &str, response: &Response) -> Result<()> {
    let status = match expected {
        Expected::NotModified => 304,
        Expected::Refused => 403,
        Expected::Created => 201,
        _ => 200,
    };
    ensure!(response.status == status, "status {status} was expected");
    if expected == Expected::NotModified {
        ensure!(response.body.is_empty(), "no body was expected");
        return Ok(());
    }
    let body = response.json()?;
    let data = &body["data"];
    match expected {
        Expected::Seasons => seasons(data, label),
        Expected::Season => season(data, label),
        Expected::Games => games(data, label),
        Expected::Profile => has(&data["children"], 2),
        Expected::Children => has(data, 50),
        Expected::Refused => {
            ensure!(body["code"] == "role_insufficient", "another code was expected");
            Ok(())
        }
        Expected::Created | Expected::NotModified => {
            ensure!(data["id"].is_string(), "an id was expected");
            Ok(())
        }
    }
}

fn has(list: &Value, count: usize) -> Result<()> {
    let found = list.as_array().map_or(0, Vec::len);
    ensure!(found == count, "{count} records were expected, not {found}");
    Ok(())
}

/// Fails if a name is not of the organization.
fn named(name: &Value, label: &str) -> Result<()> {
    let is_own = name.as_str().is_some_and(|name| name.ends_with(label));
    ensure!(is_own, "{name} is not a name of the organization {label}");
    Ok(())
}

fn season(season: &Value, label: &str) -> Result<()> {
    named(&season["name"], label)?;
    has(&season["divisions"], 2)
}

fn seasons(data: &Value, label: &str) -> Result<()> {
    has(data, usize::try_from(SEASONS)?)?;
    data.as_array().into_iter().flatten().try_for_each(|one| season(one, label))
}

fn games(data: &Value, label: &str) -> Result<()> {
    has(data, GAMES)?;
    for game in data.as_array().into_iter().flatten() {
        for side in ["home", "away", "venue"] {
            named(&game[side]["name"], label)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_season_of_another_organization_is_wrong() {
        let of = |label: &str| json!({ "name": format!("Season 01 of {label}"), "divisions": [{}, {}] });
        assert!(season(&of("000007"), "000007").is_ok());
        let error = season(&of("000008"), "000007").expect_err("it is wrong").to_string();
        assert!(error.contains("is not a name of the organization 000007"), "{error}");
        assert!(seasons(&json!([of("000007")]), "000007").is_err());
        assert!(season(&json!({ "name": "Season 01 of 000007", "divisions": [] }), "000007").is_err());
    }
}
