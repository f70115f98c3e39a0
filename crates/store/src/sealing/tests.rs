use super::*;

const SECRET: [u8; 32] = [7; 32];
const OTHER: [u8; 32] = [8; 32];

fn of(number: u128) -> Of {
    (OrganizationId::from_uuid(Uuid::from_u128(1)), ChildId::from_uuid(Uuid::from_u128(number)))
}

fn key_of(number: u128) -> ChildKey {
    Sealer::new([&SECRET]).create(of(number)).expect("a key").0
}

fn entry(number: u128) -> EntryId {
    EntryId::from_uuid(Uuid::from_u128(number))
}

const NAME: Place<'_> = Place::Field(Kind::ChildIdentity, "legal_first_name");

#[test]
fn what_is_sealed_opens_only_with_its_key_and_at_its_place() {
    let ring = Sealer::new([&SECRET]);
    let (key, wrapped) = ring.create(of(1)).expect("a key");
    let sealed = key.seal(NAME, "Zoë".as_bytes()).expect("sealed");
    assert!(!sealed.windows(4).any(|part| part == "Zoë".as_bytes()), "{sealed:?}");
    let opened = ring.open(of(1), &wrapped).expect("the same key");
    assert_eq!(opened.open(NAME, &sealed).expect("opens").as_slice(), "Zoë".as_bytes());
    let record = Uuid::from_u128(1);
    for place in [
        Place::Field(Kind::ChildIdentity, "legal_last_name"),
        Place::Field(Kind::ChildContact, "legal_first_name"),
        Place::FieldOf(Kind::ChildIdentity, "legal_first_name", record),
        Place::Image(Kind::ChildIdentity, record),
        Place::Reason(entry(1)),
        Place::Key,
    ] {
        assert_eq!(key.open(place, &sealed).err(), Some(SealError::Damaged), "{place:?}");
    }
    let (other, _) = ring.create(of(1)).expect("another key");
    assert_eq!(other.open(NAME, &sealed).err(), Some(SealError::Damaged));
    let again = key.seal(NAME, "Zoë".as_bytes()).expect("sealed");
    assert_ne!(sealed, again, "each sealing has its own nonce");
}

#[test]
fn a_field_of_one_of_several_records_opens_only_in_its_record() {
    let key = key_of(1);
    let place = |number| Place::FieldOf(Kind::Restriction, "reason", Uuid::from_u128(number));
    let sealed = key.seal(place(1), b"an order").expect("sealed");
    assert_eq!(key.open(place(1), &sealed).expect("opens").as_slice(), b"an order");
    assert_eq!(key.open(place(2), &sealed).err(), Some(SealError::Damaged));
}

#[test]
fn a_wrapped_key_opens_only_for_its_child_and_organization() {
    let sealer = Sealer::new([&SECRET]);
    let (_, wrapped) = sealer.create(of(1)).expect("a key");
    assert_eq!(sealer.open(of(2), &wrapped).err(), Some(SealError::NoSecret));
    let elsewhere = (OrganizationId::from_uuid(Uuid::from_u128(2)), of(1).1);
    assert_eq!(sealer.open(elsewhere, &wrapped).err(), Some(SealError::NoSecret));
}

#[test]
fn every_damage_is_noticed() {
    let key = key_of(1);
    let sealed = key.seal(NAME, b"text").expect("sealed");
    for at in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[at] ^= 1;
        assert_eq!(key.open(NAME, &changed).err(), Some(SealError::Damaged), "byte {at}");
        assert_eq!(key.open(NAME, &sealed[..at]).err(), Some(SealError::Damaged), "{at} bytes");
    }
}

#[test]
fn keys_that_an_earlier_secret_wrapped_open_after_a_rotation_and_not_with_another_ring() {
    let (key, wrapped) = Sealer::new([&SECRET]).create(of(1)).expect("a key");
    let sealed = key.seal(NAME, b"text").expect("sealed");
    let rotated = Sealer::new([&OTHER, &SECRET]);
    let opened = rotated.open(of(1), &wrapped).expect("the key");
    assert_eq!(opened.open(NAME, &sealed).expect("opens").as_slice(), b"text");
    let (_, newer) = rotated.create(of(2)).expect("a key");
    assert!(Sealer::new([&OTHER]).open(of(2), &newer).is_ok(), "the newest secret wraps");
    assert_eq!(Sealer::new([&OTHER]).open(of(1), &wrapped).err(), Some(SealError::NoSecret));
}

#[test]
fn without_secrets_nothing_is_sealed_or_opened() {
    let (_, wrapped) = Sealer::new([&SECRET]).create(of(1)).expect("a key");
    assert_eq!(Sealer::default().create(of(1)).err(), Some(SealError::NoSealer));
    assert_eq!(Sealer::default().open(of(1), &wrapped).err(), Some(SealError::NoSealer));
    assert_eq!(format!("{:?}", Sealer::new([&SECRET])), "Sealer(1 secrets)");
}

#[test]
fn the_length_of_short_data_does_not_show() {
    let key = key_of(1);
    let length = |plain: &[u8]| key.seal(NAME, plain).expect("sealed").len();
    assert_eq!(length(b""), length(&[0; BLOCK - 1]));
    assert_eq!(length(b"") + BLOCK, length(&[0; BLOCK]));
    for plain in [&b""[..], &[0], &[END], &[END, 0], &[0; BLOCK - 1], &[END; BLOCK], &[0; 3 * BLOCK]] {
        let sealed = key.seal(NAME, plain).expect("sealed");
        assert_eq!(key.open(NAME, &sealed).expect("opens").as_slice(), plain);
    }
}

#[test]
fn sealed_text_names_its_child_and_plain_text_is_none() {
    let (key, place) = (key_of(5), Place::Reason(entry(1)));
    let stored = key.seal_text(place, "moved away").expect("sealed");
    let sealed = SealedText::parse(&stored).expect("sealed text");
    assert_eq!((sealed.child, sealed.open(&key, place).as_deref()), (of(5).1, Ok("moved away")));
    assert_eq!(sealed.open(&key, Place::Reason(entry(2))), Err(SealError::Damaged));
    for plain in ["", "moved away", "sealed:", "sealed:tomorrow:at noon", r#"{"name":"sealed:"}"#] {
        assert_eq!(SealedText::parse(plain), None, "{plain}");
    }
}
