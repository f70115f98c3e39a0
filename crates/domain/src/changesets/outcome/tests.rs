//! What operations do in the end, what they rest on, and how it is hashed.

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use crate::Moment;
use crate::changesets::undo::tests::images::records;
use crate::ids::{DivisionId, Id as _, UserId};
use crate::members::Member;
use crate::roles::Role;
use crate::sessions::{Client, Session};
use crate::text::Name;
use crate::time::TimeZoneName;
use crate::venues::{NewVenue, Venue};

const SALT: [u8; 16] = [7; 16];

fn moment(seed: u128) -> Moment {
    Moment::new(Timestamp::from_second(1_772_366_400).expect("a time"), seed << 20)
}

fn name(text: &str) -> Name {
    Name::stored(text.to_owned())
}

fn venue(seed: u128, text: &str) -> Venue {
    Venue::create(&moment(seed), NewVenue::new(name(text), TimeZoneName::utc()))
}

fn renamed(venue: &Venue, text: &str) -> Venue {
    Venue { name: name(text), version: venue.version + 1, ..venue.clone() }
}

fn step(before: Option<&Venue>, after: Option<&Venue>, operation: usize, derived: bool) -> Applied {
    let record = |venue: Option<&Venue>| venue.cloned().map(AnyRecord::from);
    Applied { effect: Effect { before: record(before), after: record(after) }, operation, derived }
}

#[test]
fn each_record_has_one_effect_or_none() {
    use EffectCause::{Cascade, Derived, Operation};
    let (oval, park) = (venue(1, "Oval"), venue(2, "Park"));
    let [second, third] = ["Second", "Third"].map(|text| renamed(&oval, text));
    let back = Venue { version: 9, ..oval.clone() };
    let folded = |steps: Vec<Applied>| -> Vec<(Option<i64>, Option<String>, usize, EffectCause)> {
        let version = |record: &Option<AnyRecord>| record.as_ref().map(AnyRecord::version);
        let named = |record: &Option<AnyRecord>| {
            record.as_ref().and_then(|record| record.get("name")?.as_str().map(str::to_owned))
        };
        let told =
            |net: Net| (version(&net.effect.before), named(&net.effect.after), net.operation, net.cause);
        fold(steps).into_iter().map(told).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    let created = step(None, Some(&oval), 0, false);
    let first = step(Some(&oval), Some(&second), 1, false);
    let then = step(Some(&second), Some(&third), 2, false);
    assert_eq!(folded(vec![created.clone()]), [(None, text("Oval"), 0, Operation)]);
    assert_eq!(
        folded(vec![created.clone(), first.clone(), then.clone()]),
        [(None, text("Third"), 0, Operation)]
    );
    assert_eq!(folded(vec![first.clone(), then.clone()]), [(Some(1), text("Third"), 1, Operation)]);
    let deleted = |before: &Venue, operation| step(Some(before), None, operation, false);
    assert_eq!(folded(vec![created.clone(), deleted(&oval, 1)]), [], "it never was there");
    assert_eq!(folded(vec![first.clone(), deleted(&second, 2)]), [(Some(1), None, 1, Operation)]);
    assert_eq!(folded(vec![first.clone(), step(Some(&second), Some(&back), 2, false)]), [], "as it was");
    assert_eq!(folded(vec![deleted(&oval, 0), step(None, Some(&back), 1, false)]), [], "it came back");
    let gone_and_other = vec![deleted(&oval, 0), step(None, Some(&third), 1, false)];
    assert_eq!(folded(gone_and_other), [(Some(1), text("Third"), 0, Operation)]);

    let other = step(None, Some(&park), 0, false);
    let order = folded(vec![first.clone(), other, then]);
    assert_eq!(order, [(Some(1), text("Third"), 1, Operation), (None, text("Park"), 0, Operation)]);
    let by_rule = vec![step(Some(&oval), Some(&second), 0, true), step(Some(&park), None, 0, true)];
    let causes: Vec<_> = folded(by_rule).into_iter().map(|(.., cause)| cause).collect();
    assert_eq!(causes, [Derived, Cascade]);

    let of = UserId::from_uuid(Uuid::from_u128(1));
    let session = Session::open(&moment(3), of, "password", Client { user_agent: None, ip: None });
    let opened = Applied { effect: Effect::create(session), operation: 0, derived: true };
    assert_eq!(folded(vec![opened]), [], "nothing restores a session");
}

fn net(before: Option<AnyRecord>, after: Option<AnyRecord>) -> Net {
    Net { effect: Effect { before, after }, operation: 0, cause: EffectCause::Operation }
}

fn digest(record: &AnyRecord) -> String {
    effect_digest(&SALT, &[net(None, Some(record.clone()))])
}

#[test]
fn the_digest_of_one_of_several_effects_is_its_own() {
    let member = |user| {
        AnyRecord::from(Member::new(&moment(1), UserId::from_uuid(Uuid::from_u128(user)), Role::Coach))
    };
    let nets = [net(None, Some(member(1))), net(Some(member(2)), None)];
    let digests = Digests::of(&SALT, &nets);
    assert_eq!(digests.whole, effect_digest(&SALT, &nets));
    let each = nets.each_ref().map(|net| effect_digest(&SALT, std::slice::from_ref(net)));
    assert_eq!(digests.each, each);
    assert_ne!(each[0], each[1]);
    let record = member(1);
    assert_eq!(record.image_text(), Json::Object(record.image()).to_string());
    assert!(serde_json::from_str::<Json>(&lasting(&nets[0])).is_ok());
}

#[test]
fn stamps_count_as_set_or_not_set() {
    let member = Member::new(&moment(1), UserId::from_uuid(Uuid::from_u128(1)), Role::Coach);
    let at = |second: i64| Timestamp::from_second(second).ok();
    let suspended = |suspended_at| AnyRecord::from(Member { suspended_at, ..member.clone() });
    let of = |suspended_at| {
        effect_digest(&SALT, &[net(Some(member.clone().into()), Some(suspended(suspended_at)))])
    };
    assert_eq!(of(at(5)), of(at(6)), "when, follows from the moment");
    assert_ne!(of(at(5)), of(None), "whether, does not");
    assert_eq!(
        fold(vec![Applied {
            effect: Effect { before: Some(suspended(None)), after: Some(suspended(at(5))) },
            operation: 0,
            derived: false,
        }])
        .len(),
        1,
        "a suspension alone is an effect"
    );
}

#[test]
fn pins_are_versions_before_and_absence() {
    let (oval, park, hall) = (venue(1, "Oval"), venue(2, "Park"), venue(3, "Hall"));
    let division = DivisionId::from_uuid(Uuid::from_u128(4));
    let nets = [
        net(None, Some(park.clone().into())),
        net(Some(oval.clone().into()), Some(renamed(&oval, "Other").into())),
    ];
    let read = BTreeMap::from([
        ((Kind::Venue, park.id.uuid()), Some(1)),
        ((Kind::Venue, oval.id.uuid()), Some(2)),
        ((Kind::Venue, hall.id.uuid()), Some(7)),
        ((Kind::Division, division.uuid()), None),
    ]);
    let pin = |of: &str, id: String, seen: Option<&str>| Pin {
        of: of.to_owned(),
        id,
        seen: seen.map(str::to_owned),
    };
    let expected = BTreeSet::from([
        pin("venue", park.id.to_string(), None),
        pin("venue", oval.id.to_string(), Some("1")),
        pin("venue", hall.id.to_string(), Some("7")),
        pin("division", division.to_string(), None),
    ]);
    let seen = pins(&read, &nets);
    assert_eq!(seen, expected);
    let mut now = seen.clone();
    now.remove(&pin("venue", hall.id.to_string(), Some("7")));
    now.insert(pin("venue", hall.id.to_string(), Some("8")));
    assert_eq!(moved(&seen, &now), [json!({"of": "venue", "id": hall.id})]);
    assert_eq!(moved(&seen, &seen), [] as [Json; 0]);
}

#[test]
fn a_hash_depends_on_everything_that_a_reviewer_sees() {
    let pins = BTreeSet::from([Pin { of: "venue".to_owned(), id: "ven_1".to_owned(), seen: None }]);
    let (one, other) = (json!({"families": 1}), json!({"families": 2}));
    let hash = |salt, digest: &str, pins: &BTreeSet<Pin>, shown: &[&Json]| {
        simulation_hash(salt, digest, pins, shown)
    };
    let all = [
        hash(&SALT, "a", &pins, &[&one, &other]),
        hash(&[8; 16], "a", &pins, &[&one, &other]),
        hash(&SALT, "b", &pins, &[&one, &other]),
        hash(&SALT, "a", &BTreeSet::new(), &[&one, &other]),
        hash(&SALT, "a", &pins, &[&other, &one]),
        hash(&SALT, "a", &pins, &[&one]),
    ];
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
    assert_eq!(all[0], hash(&SALT, "a", &pins, &[&one, &other]));
    let oval = AnyRecord::from(venue(1, "Oval"));
    let (created, deleted) = (net(None, Some(oval.clone())), net(Some(oval.clone()), None));
    let caused = Net { cause: EffectCause::Cascade, ..deleted.clone() };
    let numbered = Net { operation: 1, ..deleted.clone() };
    let digests =
        [&created, &deleted, &caused, &numbered].map(|net| effect_digest(&SALT, std::slice::from_ref(net)));
    assert_eq!(digests.iter().collect::<BTreeSet<_>>().len(), digests.len());
    assert_ne!(
        effect_digest(&SALT, &[created.clone(), deleted.clone()]),
        effect_digest(&SALT, &[deleted, created]),
        "the order counts"
    );
}

#[test]
fn the_ids_of_an_operation_depend_on_its_number_and_the_seed_alone() {
    let all: BTreeSet<u128> = (0..500).map(|operation| randomness(&SALT, operation)).collect();
    assert_eq!(all.len(), 500);
    assert_eq!(randomness(&SALT, 3), randomness(&SALT, 3));
    assert_ne!(randomness(&SALT, 3), randomness(&[8; 16], 3));
}

/// Whether a field is left out of the comparison.
fn is_bookkeeping(record: &AnyRecord, field: &str) -> bool {
    !record.lasting().contains_key(field)
}

/// Two records of one kind: among nine, two are of the same of eight kinds.
fn twins() -> impl Strategy<Value = (AnyRecord, AnyRecord)> {
    proptest::collection::vec(records(), 9).prop_map(|all| {
        let twin = |at: usize| all[..at].iter().find(|other| other.kind() == all[at].kind());
        (1..all.len()).find_map(|at| Some((twin(at)?.clone(), all[at].clone()))).expect("two of a kind")
    })
}

proptest! {
    #[test]
    fn a_digest_ignores_bookkeeping_and_nothing_else((one, other) in twins()) {
        for field in one.kind().fields() {
            let mut image = one.image();
            image.insert((*field).to_owned(), other.get(field).unwrap_or_default());
            let mixed = AnyRecord::of_image(one.kind(), &image).expect("a record");
            let is_set = |record: &AnyRecord| record.get(field).is_some_and(|value| !value.is_null());
            let differs = if is_bookkeeping(&one, field) {
                is_set(&mixed) != is_set(&one)
            } else {
                mixed.get(field) != one.get(field)
            };
            prop_assert_eq!(digest(&mixed) != digest(&one), differs, "{}", field);
            if ["version", "updated_at", "created_at", "joined_at"].contains(field) {
                prop_assert!(is_bookkeeping(&one, field), "{}", field);
            }
        }
    }

    #[test]
    fn the_patch_turns_before_into_after((one, other) in twins()) {
        let (before, after) = (one.lasting(), other.lasting());
        let patch: json_patch::Patch = serde_json::from_value(patch(&before, &after)).expect("a patch");
        let mut patched = Json::Object(before);
        json_patch::patch(&mut patched, &patch).expect("it applies");
        prop_assert_eq!(patched, Json::Object(after));
    }
}
