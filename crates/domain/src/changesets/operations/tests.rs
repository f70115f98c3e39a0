//! What operations may say, and where in them each mistake is.

use super::*;
use crate::Moment;
use crate::text::Name;
use crate::time::TimeZoneName;
use crate::venues::Venue;
use jiff::Timestamp;

fn id(resource: Changeable) -> String {
    resource.kind().written_id(Uuid::from_u128(5))
}

fn list(operations: &Json) -> Result<Vec<Operation>, Refusal> {
    read(operations.as_array().expect("a list"))
}

fn venue(name: &str) -> Json {
    json!({"op": "create", "resource": "venues", "data": {"name": name, "time_zone": "UTC"}})
}

/// Where the mistake is, and what.
fn mistake(operations: &Json) -> (usize, String, String) {
    match list(operations) {
        Err(Refusal::Changeset(refused)) => match *refused {
            Refused::Invalid { index, pointer, message, .. } => (index, pointer, message),
            other => panic!("{other:?}"),
        },
        other => panic!("{operations}: {other:?}"),
    }
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "each call writes its operation")]
fn expect(operation: Json, pointer: &str, message: &str) {
    // Each mistake is found behind an operation without one, so that its number counts.
    let (index, at, what) = mistake(&json!([venue("Oval"), operation]));
    assert_eq!((index, at.as_str()), (1, pointer), "{what}");
    assert!(what.contains(message), "{what}");
}

#[test]
fn each_mistake_is_told_with_its_operation_and_place() {
    let game = id(Changeable::Games);
    let update = |more: Json| {
        let mut update = json!({"op": "update", "resource": "games", "id": game});
        update.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        update
    };
    let delete = |more: Json| {
        let mut delete = json!({"op": "delete", "resource": "games", "id": game});
        delete.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        delete
    };
    expect(json!("venues"), "", "not an object");
    expect(json!({"resource": "venues"}), "/op", "must be one of");
    expect(json!({"op": "restore", "resource": "venues"}), "/op", "must be one of");
    expect(json!({"op": "create", "data": {}}), "/resource", "missing");
    expect(update(json!({"set": {}, "data": {}})), "/data", "not a member");
    expect(update(json!({"set": {}, "a/b~c": 1})), "/a~1b~0c", "not a member");
    expect(update(json!({"set": {}, "id": "ven_1"})), "/id", "not an id of games");
    expect(update(json!({"set": {}, "id": id(Changeable::Teams)})), "/id", "not an id of games");
    expect(update(json!({"set": {}, "if_version": 0})), "/if_version", "not a version");
    expect(update(json!({"set": {}, "if_version": "1"})), "/if_version", "not a version");
    expect(update(json!({})), "/set", "required, and not both");
    expect(update(json!({"set": {}, "patch": []})), "/set", "required, and not both");
    expect(update(json!({"set": []})), "/set", "not an object");
    expect(update(json!({"set": {"status": "gone"}})), "/set/status", "one of");
    expect(update(json!({"set": {"version": 3}})), "/set/version", "");
    expect(update(json!({"patch": []})), "/patch", "empty");
    expect(update(json!({"patch": [{"op": "test"}]})), "/patch", "not a JSON patch");
    let copy = |from: &str, path: &str| json!({"op": "copy", "from": from, "path": path});
    assert!(list(&json!([update(json!({"patch": [copy("/field", "/round")]}))])).is_ok());
    // Each of these doubles what it copies.
    for (from, path) in [("", "/round"), ("/last_change", "/last_change/reason"), ("/a/b", "/a")] {
        let patch = json!({"patch": [copy("/field", "/round"), copy(from, path)]});
        expect(update(patch), "/patch/1", "something other than a field");
        let moved = json!({"patch": [{"op": "move", "from": from, "path": path}]});
        expect(update(moved), "/patch/0", "something other than a field");
    }
    let long: Vec<Json> = (0..101).map(|_| copy("/field", "/round")).collect();
    expect(update(json!({"patch": long})), "/patch", "101 operations");
    expect(update(json!({"set": {}, "allow_overlap": 1})), "/allow_overlap", "only for games");
    let overlap = json!({"op": "create", "resource": "venues", "data": {}, "allow_overlap": true});
    expect(overlap, "/allow_overlap", "only for games");
    expect(delete(json!({"dependents": "cascade"})), "/dependents", "restrict or list");
    expect(delete(json!({"dependents": "list"})), "/ids", "missing");
    expect(delete(json!({"dependents": "list", "ids": []})), "/ids", "missing");
    expect(delete(json!({"ids": [game]})), "/dependents", "restrict or list");
    let unknown = Kind::User.written_id(Uuid::from_u128(1));
    expect(delete(json!({"dependents": "list", "ids": [game, unknown]})), "/ids/1", "not an id");
    let assert = |test: Json| json!({"op": "assert", "resource": "games", "id": game, "test": test});
    expect(assert(json!([])), "/test", "empty");
    let writes = json!([
        {"op": "test", "path": "/status", "value": "scheduled"}, {"op": "remove", "path": "/status"},
    ]);
    expect(assert(writes), "/test/1/op", "not test");
    expect(json!({"op": "create", "resource": "venues", "data": {"name": "A"}}), "/data/time_zone", "");
    let staff = json!({"op": "create", "resource": "staff", "data": {"user_id": "x", "kind": "coach"}});
    expect(staff, "/data/team_id", "missing");
    let role = json!({"op": "update", "resource": "members", "id": id(Changeable::Members), "set": {}});
    expect(role, "/set/role", "");
}

#[test]
fn only_the_eight_resources_can_be_changed() {
    let not_changeable = |operation: Json| match list(&json!([operation])) {
        Err(Refusal::Changeset(refused)) => match *refused {
            Refused::NotChangeable(names) => names,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    for resource in ["relations", "consents", "api_keys", "users", "duties", "changesets", "restrictions"] {
        let create = json!({"op": "create", "resource": resource, "data": {}});
        assert_eq!(not_changeable(create), [resource]);
    }
    let create = json!({"op": "create", "resource": "members", "data": {}});
    assert_eq!(not_changeable(create), ["members: create"]);
    let delete = json!({"op": "delete", "resource": "members", "id": id(Changeable::Members)});
    assert_eq!(not_changeable(delete), ["members: delete"]);
    let changeable: Vec<Kind> = Changeable::ALL.iter().map(|changeable| changeable.kind()).collect();
    assert_eq!(changeable, super::super::CHANGEABLE);
}

#[test]
fn a_list_has_1_to_500_operations() {
    let many = |count| Json::from(vec![venue("Oval"); count]);
    for count in [0, MAX_OPERATIONS + 1] {
        let refused = list(&many(count));
        assert!(matches!(refused, Err(Refusal::Invalid(ref errors)) if errors[0].pointer == "/operations"));
    }
    for count in [1, MAX_OPERATIONS] {
        assert_eq!(list(&many(count)).expect("operations").len(), count);
    }
}

#[test]
fn references_point_backward_to_the_right_kind() {
    let season = json!({"op": "create", "ref": "s", "resource": "seasons",
        "data": {"name": "Winter", "sport": "netball", "time_zone": "UTC"}});
    let division = |name: Json, season: Json| {
        let mut create = json!({"op": "create", "resource": "divisions",
            "data": {"name": "U12", "season_id": season}});
        if !name.is_null() {
            create["ref"] = name;
        }
        create
    };
    let of = |name: &str| json!({"$ref": name});
    let good = json!([season, division(json!("d"), of("s")), division(Json::Null, of("s"))]);
    assert_eq!(list(&good).expect("operations").len(), 3);

    let at = |operations: Json| {
        let (index, pointer, _) = mistake(&operations);
        (index, pointer)
    };
    let here = |index: usize, pointer: &str| (index, pointer.to_owned());
    let forward = json!([division(json!("d"), of("s")), season]);
    assert_eq!(at(forward), here(0, "/data/season_id"), "only backward");
    assert_eq!(at(json!([division(json!("d"), of("d"))])), here(0, "/data/season_id"), "not to itself");
    let twice = json!([season, division(json!("s"), of("s"))]);
    assert_eq!(at(twice), here(1, "/ref"), "each name once");
    let other_kind = json!([season, division(json!("d"), of("s")), division(Json::Null, of("d"))]);
    assert_eq!(at(other_kind), here(2, "/data/season_id"), "a division is not a season");
    let more = json!([season, division(Json::Null, json!({"$ref": "s", "and": 1}))]);
    assert_eq!(at(more), here(1, "/data/season_id"));
    assert_eq!(at(json!([season, division(Json::Null, json!({"$ref": 1}))])), here(1, "/data/season_id"));
    for inside in ["$ref:s", "{\"$ref\":\"s\"}", "$s"] {
        assert_eq!(at(json!([season, division(Json::Null, json!(inside))])), here(1, "/data/season_id"));
    }
    for name in [json!(""), json!("a b"), json!("ä"), json!("x".repeat(65)), json!(1)] {
        assert_eq!(at(json!([season, division(name, of("s"))])), here(1, "/ref"));
    }
    let nowhere = json!({"op": "update", "resource": "teams", "id": id(Changeable::Teams),
        "set": {"division_id": of("t")}});
    assert_eq!(at(json!([season, nowhere])), here(1, "/set/division_id"));
}

#[test]
fn references_become_ids_wherever_a_whole_value_is_one() {
    let find = |name: &str| (name == "s").then(|| "sea_1".to_owned());
    let fields =
        json!({"a": {"$ref": "s"}, "b": [{"$ref": "s"}, "$ref"], "c": {"d": {"$ref": "s"}}, "e": "s"});
    let read = resolve(fields.as_object().expect("an object"), "/data", find).expect("resolved");
    assert_eq!(
        Json::Object(read),
        json!({"a": "sea_1", "b": ["sea_1", "$ref"], "c": {"d": "sea_1"}, "e": "s"})
    );
    let wrong = json!({"b": ["x", {"$ref": "t"}]});
    match resolve(wrong.as_object().expect("an object"), "/data", find) {
        Err(Refused::Invalid { pointer, .. }) => assert_eq!(pointer, "/data/b/1"),
        other => panic!("{other:?}"),
    }
}

fn stored() -> AnyRecord {
    let now = Timestamp::from_second(1_772_366_400).expect("a time");
    let new = NewVenue::new(Name::stored("Oval".to_owned()), TimeZoneName::utc());
    Venue { latitude: Some(1.5), ..Venue::create(&Moment::new(now, 1), new) }.into()
}

fn patch(json: Json) -> Patch {
    serde_json::from_value(json).expect("a patch")
}

#[test]
fn a_patch_becomes_the_fields_that_it_changes() {
    let patched = |json: Json| super::patched(&stored(), &patch(json)).map(Json::Object);
    let replace = json!([
        {"op": "test", "path": "/name", "value": "Oval"},
        {"op": "replace", "path": "/name", "value": "Park"},
        {"op": "add", "path": "/fields/-", "value": "1"},
        {"op": "remove", "path": "/latitude"},
    ]);
    assert_eq!(patched(replace), Ok(json!({"name": "Park", "fields": ["1"], "latitude": null})));
    let same = json!([{"op": "replace", "path": "/name", "value": "Oval"}]);
    assert_eq!(patched(same), Ok(json!({})), "what stays the same is not set");
    for (wrong, place) in [
        (json!([{"op": "test", "path": "/version", "value": 7}]), "/patch/0"),
        (json!([{"op": "remove", "path": "/longitude"}, {"op": "remove", "path": "/nothing"}]), "/patch/1"),
        (json!([{"op": "replace", "path": "", "value": 1}]), "/patch"),
    ] {
        match patched(wrong) {
            Err(Refused::Invalid { pointer, .. }) => assert_eq!(pointer, place),
            other => panic!("{other:?}"),
        }
    }
    let tests = json!([
        {"op": "test", "path": "/name", "value": "Oval"}, {"op": "test", "path": "/fields", "value": ["1"]},
    ]);
    match tested(&stored(), &patch(tests)) {
        Err(Refused::Invalid { pointer, .. }) => assert_eq!(pointer, "/test/1"),
        other => panic!("{other:?}"),
    }
    let holds = json!([{"op": "test", "path": "/version", "value": 1}]);
    assert_eq!(tested(&stored(), &patch(holds)), Ok(()));
}

#[test]
fn dependents_are_named_one_by_one() {
    let [game, team] = [Changeable::Games, Changeable::Teams].map(id);
    let delete = json!({"op": "delete", "resource": "teams", "id": team, "if_version": 3,
        "dependents": "list", "ids": [game]});
    let expected = Act::Delete {
        id: Uuid::from_u128(5),
        if_version: Some(3),
        dependents: vec![(Changeable::Games, Uuid::from_u128(5))],
    };
    assert_eq!(list(&json!([delete])).expect("operations")[0].act, expected);
    for none in [json!({}), json!({"dependents": "restrict"})] {
        let mut delete = json!({"op": "delete", "resource": "teams", "id": team});
        delete.as_object_mut().expect("an object").extend(none.as_object().expect("an object").clone());
        let read = list(&json!([delete])).expect("operations");
        assert!(matches!(&read[0].act, Act::Delete { dependents, .. } if dependents.is_empty()));
    }
}
