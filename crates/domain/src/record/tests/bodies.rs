//! Bodies: all errors in one refusal, null and absent fields, defaults, bounds and rules between fields.

use serde_json::json;

use super::*;
use crate::api_keys::IssueApiKey;
use crate::favorites::ChangeFavorite;
use crate::seasons::{ChangeSeason, NewSeason, Scoring, SeasonStatus, Tiebreaker};
use crate::text::Name;
use crate::venues::{ChangeVenue, NewVenue};

fn read<B: Body>(json: &Json) -> Result<B, Refusal> {
    read_json(json, Vec::new())
}

#[test]
fn every_error_is_in_one_refusal_in_the_order_of_the_fields() {
    let body = json!({
        "a/b~c": 2,
        "latitud": 1,
        "fields": ["A", 7, ""],
        "time_zone": "Mars/Base",
        "longitude": "east",
        "latitude": 91,
        "address": "1 Street",
    });
    let unknown = "unknown_field: is not a known field. Leave it out, or use one of: name, address, latitude, \
                   longitude, time_zone, fields.";
    assert_eq!(
        errors(read_json::<NewVenue>(&body, vec!["/address".to_owned()])),
        [
            "/name required: is missing. Add this field.",
            "/address repeated: is given twice. Send it once.",
            "/latitude out_of_range: must be from -90 to 90. Send a value from -90 to 90.",
            "/longitude invalid: is not a number. Send a number.",
            "/time_zone unknown_time_zone: is not an IANA time zone. Send a name such as Australia/Melbourne.",
            "/fields/1 invalid: is not a string. Send a string.",
            "/fields/2 required: must not be empty. Send 1 to 200 characters.",
            &format!("/a~1b~0c {unknown}"),
            &format!("/latitud {unknown}"),
        ]
    );
}

#[test]
fn a_repeated_field_is_refused_even_if_its_value_is_valid() {
    let body = json!({ "name": "Court" });
    let refused = errors(read_json::<ChangeVenue>(&body, vec!["/name".to_owned()]));
    assert_eq!(refused, ["/name repeated: is given twice. Send it once."]);
}

#[test]
fn a_body_or_a_nested_field_must_be_an_object() {
    for body in [json!([]), json!(null), json!("text"), json!(1)] {
        let refused = errors(read::<ChangeVenue>(&body));
        assert_eq!(refused, [" not_an_object: is not an object. Send a JSON object."], "{body}");
    }
    let refused = errors(read::<ChangeSeason>(&json!({ "scoring": 3 })));
    assert_eq!(refused, ["/scoring not_an_object: is not an object. Send a JSON object."]);
}

#[test]
fn errors_of_a_nested_object_are_at_its_place() {
    let body = json!({ "name": "", "scoring": { "tie": 1, "win": 101 }, "sport": "basketball" });
    assert_eq!(
        errors(read::<ChangeSeason>(&body)),
        [
            "/name required: must not be empty. Send 1 to 200 characters.",
            "/scoring/win out_of_range: must be from -100 to 100. Send a value from -100 to 100.",
            "/scoring/draw required: is missing. Add this field.",
            "/scoring/loss required: is missing. Add this field.",
            "/scoring/tie unknown_field: is not a known field. Leave it out, or use one of: win, draw, loss.",
        ]
    );
}

#[test]
fn null_clears_a_field_and_an_absent_field_keeps_its_value() {
    let change: ChangeVenue = read(&json!({ "address": null })).expect("a change");
    assert_eq!(change, ChangeVenue { address: Some(None), ..ChangeVenue::default() });
    let change: ChangeVenue = read(&json!({})).expect("a change");
    assert_eq!(change, ChangeVenue::default());
    let refused = errors(read::<ChangeVenue>(&json!({ "name": null, "fields": null, "latitude": null })));
    assert_eq!(
        refused,
        ["/name invalid: is not a string. Send a string.", "/fields invalid: is not a list. Send a list."],
        "only fields that may be null"
    );
}

#[test]
fn a_written_body_reads_as_itself() {
    let change = ChangeVenue { address: Some(None), latitude: Some(Some(-37.5)), ..ChangeVenue::default() };
    assert_eq!(image_of(&change), json!({ "address": null, "latitude": -37.5 }), "without absent fields");
    assert_eq!(read(&image_of(&change)), Ok(change));
    let body = json!({ "name": "Winter", "sport": "Basketball", "time_zone": "Australia/Melbourne" });
    let season: NewSeason = read(&body).expect("a season");
    assert_eq!(read(&image_of(&season)), Ok(season));
}

#[test]
fn absent_fields_of_a_new_record_have_defaults() {
    let body = json!({ "name": " Winter ", "sport": "Basket Ball", "time_zone": "Australia/Melbourne" });
    let season: NewSeason = read(&body).expect("a season");
    assert_eq!((season.name.as_str(), season.sport.as_str()), ("Winter", "basket_ball"));
    assert_eq!((season.status, season.scoring), (SeasonStatus::Draft, Scoring { win: 3, draw: 1, loss: 0 }));
    assert_eq!(season.tiebreakers, Tiebreaker::ALL);
    assert_eq!((season.starts_on, season.ends_on, season.external_id), (None, None, None));
    let refused = errors(read::<ChangeSeason>(&json!({ "status": null })));
    let names = "draft, registration, active, completed, archived";
    assert_eq!(refused, [format!("/status unknown_value: must be one of: {names}. Send one of: {names}.")]);
}

#[test]
fn bounds_are_inclusive_and_do_not_apply_to_null() {
    for interest in [json!(1), json!(5), json!(null)] {
        assert!(read::<ChangeFavorite>(&json!({ "interest": interest })).is_ok(), "{interest}");
    }
    for interest in [json!(0), json!(6)] {
        let refused = errors(read::<ChangeFavorite>(&json!({ "interest": interest })));
        let expected = "/interest out_of_range: must be from 1 to 5. Send a value from 1 to 5.";
        assert_eq!(refused, [expected], "{interest}");
    }
    let latitude = |latitude: f64| read::<ChangeVenue>(&json!({ "latitude": latitude }));
    assert!(latitude(-90.0).is_ok() && latitude(90.0).is_ok());
    assert!(latitude(-90.001).is_err() && latitude(90.001).is_err());
}

#[test]
fn lists_have_a_maximum_length_and_every_wrong_item_is_reported() {
    let courts = |count: usize| json!({ "fields": vec!["Court"; count] });
    assert!(read::<ChangeVenue>(&courts(100)).is_ok());
    let refused = errors(read::<ChangeVenue>(&courts(101)));
    assert_eq!(refused, ["/fields too_many: has 101 items. Send at most 100."]);
    let refused = errors(read::<ChangeFavorite>(&json!({ "tags": ["a", "", "b", null] })));
    assert_eq!(
        refused,
        [
            "/tags/1 required: must not be empty. Send 1 to 40 characters.",
            "/tags/3 invalid: is not a string. Send a string.",
        ]
    );
}

#[test]
fn rules_between_fields_are_reported_with_the_errors_of_fields() {
    let days = json!({ "starts_on": "2026-04-02", "ends_on": "2026-04-01", "sport": 1 });
    let before = "/ends_on before_start: is before the season starts. Send a day on or after starts_on.";
    assert_eq!(
        errors(read::<NewSeason>(&days)),
        [
            "/name required: is missing. Add this field.",
            "/sport invalid: is not a string. Send a string.",
            before,
            "/time_zone required: is missing. Add this field.",
        ]
    );
    let sport = "/sport invalid: is not a string. Send a string.";
    assert_eq!(errors(read::<ChangeSeason>(&days)), [sport, before]);
    let one_day = json!({ "starts_on": "2026-04-01", "ends_on": "2026-04-01" });
    assert!(read::<ChangeSeason>(&one_day).is_ok(), "a season of one day");
    let twice = json!({ "tiebreakers": ["name", "scored", "name"] });
    let refused = errors(read::<ChangeSeason>(&twice));
    assert_eq!(refused, ["/tiebreakers repeated: contains a tiebreaker twice. Send each at most once."]);
}

#[test]
fn the_fields_of_a_flattened_body_are_among_the_others() {
    let body = json!({ "name": "CI", "scopes": ["venues:read"], "expires_at": "2026-04-01T00:00:00Z" });
    let key: IssueApiKey = read(&body).expect("a key");
    assert_eq!((key.key.name, key.key.scopes.len()), (Name::stored("CI".to_owned()), 1));
    assert_eq!(key.expires_at.map(|time| time.to_string()).as_deref(), Some("2026-04-01T00:00:00Z"));
    let refused = errors(read::<IssueApiKey>(&json!({ "expires_at": 1, "scopes": ["venues"], "key": {} })));
    assert_eq!(refused.len(), 4, "{refused:?}");
    assert!(refused[0].starts_with("/name required"), "{refused:?}");
    assert!(refused[1].starts_with("/scopes/0 unknown_scope"), "{refused:?}");
    assert!(refused[2].starts_with("/expires_at invalid"), "{refused:?}");
    let fields = "name, kind, scopes, allowed_ips, expires_at";
    let unknown = format!("/key unknown_field: is not a known field. Leave it out, or use one of: {fields}.");
    assert_eq!(refused[3], unknown);
}
