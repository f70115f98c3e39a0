//! The policy as a truth table, and the rules that a table does not show.

use std::cmp::Ordering;
use std::fmt::Write as _;

use super::*;
use crate::ids::Id;
use crate::scopes::Resource;
use uuid::Uuid;

const NOW: Timestamp = Timestamp::constant(1_772_366_400, 0);
const KEY_USES: [KeyUse; 5] =
    [KeyUse::Allowed, KeyUse::Itself, KeyUse::ProposeOnly, KeyUse::SessionOnly, KeyUse::FreshSessionOnly];

fn minutes(minutes: i64) -> SignedDuration {
    SignedDuration::from_mins(minutes)
}

fn session(age: SignedDuration) -> VerifiedCredential {
    let authenticated_at = NOW.saturating_sub(age).expect("a time");
    VerifiedCredential::Session { id: SessionId::from_uuid(Uuid::nil()), authenticated_at }
}

fn key(scopes: &[&str], agent: bool) -> VerifiedCredential {
    VerifiedCredential::ApiKey {
        id: ApiKeyId::from_uuid(Uuid::nil()),
        issued_role: Role::Owner,
        scopes: scopes.iter().map(|scope| Scope::parse(scope).expect("a scope")).collect(),
        agent,
        allowed_ips: Vec::new(),
    }
}

fn facts(credential: VerifiedCredential, role: Role) -> Facts {
    Facts {
        organization: OrganizationId::from_uuid(Uuid::nil()),
        user: UserId::from_uuid(Uuid::nil()),
        credential,
        expires_at: NOW.saturating_add(minutes(1)).expect("a time"),
        revoked_at: None,
        role: Some(role),
        suspended: false,
        organization_suspended: false,
    }
}

fn needs(credential: Credential, keys: KeyUse, verb: Verb) -> Requirement {
    Requirement {
        credential,
        keys,
        scope: Scope { resource: Resource::Venues, verb },
        relation: Relation::Unrelated,
        child: ChildTouch::Untouched,
        writes: &[],
    }
}

/// Every kind of credential, with its name in the tables.
fn credentials() -> Vec<(&'static str, VerifiedCredential)> {
    vec![
        ("session, just signed in", session(minutes(0))),
        ("session, 15 minutes old", session(FRESH_SESSION)),
        ("key", key(&[], false)),
        ("key, venues:read", key(&["venues:read"], false)),
        ("key, venues:write", key(&["venues:write"], false)),
        ("key, seasons:write", key(&["seasons:write"], false)),
        ("agent's key", key(&[], true)),
        ("agent's key, venues:read", key(&["venues:read"], true)),
        ("agent's key, venues:write", key(&["venues:write"], true)),
        ("agent's key, seasons:write", key(&["seasons:write"], true)),
    ]
}

/// The decision as text. The role is named in another table.
fn shown(decision: Result<Role, Denial>) -> String {
    match decision {
        Ok(_) => "permitted".to_owned(),
        Err(Denial::ScopeInsufficient(scope)) => format!("needs the scope {scope}"),
        Err(denial) => format!("{denial:?}"),
    }
}

/// The decision for a role that is high enough. Lower roles are denied for their role, and higher roles make no difference.
fn of_every_role(requirement: &Requirement, least: Role, credential: &VerifiedCredential) -> String {
    let mut of_least = String::new();
    for role in Role::ALL {
        let decision = decide(requirement, &facts(credential.clone(), role), NOW, None);
        match role.cmp(&least) {
            Ordering::Less => {
                assert_eq!(decision, Err(Denial::RoleInsufficient(least)), "{requirement:?}, {role}");
            }
            Ordering::Equal => of_least = shown(decision),
            Ordering::Greater => assert_eq!(shown(decision), of_least, "{requirement:?}, {role}"),
        }
    }
    of_least
}

/// Each line is true for every minimum role, for an optional credential too, and for every role from the minimum up.
#[test]
fn every_credential_for_every_requirement() {
    let mut table = String::new();
    for keys in KEY_USES {
        for verb in [Verb::Read, Verb::Write] {
            writeln!(table, "{keys:?}, venues:{verb}").expect("memory");
            for (name, credential) in credentials() {
                let least = needs(Credential::Required(Role::Viewer), keys, verb);
                let decision = of_every_role(&least, Role::Viewer, &credential);
                for least in Role::ALL {
                    for required in [Credential::Required(least), Credential::Optional(least)] {
                        let needed = needs(required, keys, verb);
                        assert_eq!(of_every_role(&needed, least, &credential), decision, "{needed:?}");
                    }
                }
                writeln!(table, "    {name:<27} {decision}").expect("memory");
            }
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_public_operation_asks_nothing_of_a_valid_credential() {
    for (name, credential) in credentials() {
        for keys in KEY_USES {
            let decision = decide(
                &needs(Credential::Public, keys, Verb::Write),
                &facts(credential.clone(), Role::Viewer),
                NOW,
                None,
            );
            assert_eq!(decision, Ok(Role::Viewer), "{name}, {keys:?}");
        }
    }
}

/// The first reason that applies, in the order of the columns.
#[test]
fn invalid_credentials() {
    let past = Some(NOW.saturating_sub(minutes(1)).expect("a time"));
    let mut table = String::from("revoked expired suspended member    session         key\n");
    for case in 0..16 {
        let [revoked, expired, suspended, left] = [8, 4, 2, 1].map(|bit| case & bit != 0);
        let decisions = [session(minutes(0)), key(&[], false)].map(|credential| {
            let facts = Facts {
                revoked_at: past.filter(|_| revoked),
                // A credential ends at its last moment, not after it.
                expires_at: if expired { NOW } else { NOW.saturating_add(minutes(1)).expect("a time") },
                suspended,
                role: Some(Role::Coach).filter(|_| !left),
                ..facts(credential, Role::Coach)
            };
            let needed = needs(Credential::Required(Role::Owner), KeyUse::Allowed, Verb::Read);
            let decision = authenticate(&facts, NOW);
            if let Err(denial) = decision {
                assert_eq!(decide(&needed, &facts, NOW, None), Err(denial), "before the role");
            }
            shown(decision)
        });
        let word = |yes| if yes { "yes" } else { "-" };
        let [one, other] = &decisions;
        let (revoked, expired, suspended, member) =
            (word(revoked), word(expired), word(suspended), word(!left));
        writeln!(table, "{revoked:<7} {expired:<7} {suspended:<9} {member:<9} {one:<15} {other}")
            .expect("memory");
    }
    insta::assert_snapshot!(table);
}

/// Rows: the role now. Columns: the role with which the key was issued.
#[test]
fn the_effective_role_of_a_key() {
    let mut table = String::from("        ");
    for issued in Role::ALL {
        write!(table, " {issued:<8}").expect("memory");
    }
    for now in Role::ALL {
        write!(table, "\n{now:<8}").expect("memory");
        for issued in Role::ALL {
            let VerifiedCredential::ApiKey { id, scopes, agent, allowed_ips, .. } = key(&[], false) else {
                panic!("a key")
            };
            let issued_then =
                VerifiedCredential::ApiKey { id, issued_role: issued, scopes, agent, allowed_ips };
            let effective = authenticate(&facts(issued_then, now), NOW).expect("a valid key");
            write!(table, " {:<8}", effective.name()).expect("memory");
        }
    }
    let table: Vec<&str> = table.lines().map(str::trim_end).collect();
    insta::assert_snapshot!(table.join("\n"));
}

#[test]
fn a_session_is_fresh_for_less_than_15_minutes() {
    let needed = needs(Credential::Required(Role::Viewer), KeyUse::FreshSessionOnly, Verb::Write);
    let after = |age| decide(&needed, &facts(session(age), Role::Viewer), NOW, None);
    assert_eq!(after(FRESH_SESSION - SignedDuration::from_micros(1)), Ok(Role::Viewer));
    assert_eq!(after(FRESH_SESSION), Err(Denial::SessionTooOld));
}

/// A key for two addresses, one scope and the role of a coach.
fn narrowed() -> VerifiedCredential {
    VerifiedCredential::ApiKey {
        id: ApiKeyId::from_uuid(Uuid::nil()),
        issued_role: Role::Coach,
        scopes: vec![Scope::parse("venues:read").expect("a scope")],
        agent: false,
        allowed_ips: ["203.0.113.7", "2001:db8::7"].map(|text| text.parse().expect("an address")).into(),
    }
}

#[test]
fn a_key_may_be_limited_to_addresses() {
    let facts = facts(narrowed(), Role::Owner);
    let from = |keys, address: Option<&str>| {
        let address = address.map(|text| text.parse().expect("an address"));
        decide(&needs(Credential::Required(Role::Viewer), keys, Verb::Read), &facts, NOW, address)
    };
    for keys in [KeyUse::Allowed, KeyUse::Itself, KeyUse::ProposeOnly] {
        assert_eq!(from(keys, Some("203.0.113.7")), Ok(Role::Coach), "{keys:?}");
        assert_eq!(from(keys, Some("2001:db8::7")), Ok(Role::Coach), "{keys:?}");
        assert_eq!(from(keys, Some("203.0.113.8")), Err(Denial::AddressNotAllowed), "{keys:?}");
        assert_eq!(from(keys, None), Err(Denial::AddressNotAllowed), "{keys:?}: the address is unknown");
    }
}

#[test]
fn a_denial_for_the_role_comes_before_the_scope_and_the_scope_before_the_address() {
    let facts = facts(narrowed(), Role::Owner);
    let denied =
        |least, keys, verb| decide(&needs(Credential::Required(least), keys, verb), &facts, NOW, None);
    let scope = Scope { resource: Resource::Venues, verb: Verb::Write };
    let role = Denial::RoleInsufficient(Role::Manager);
    // The role that the key was issued with counts, not its owner's present one.
    assert_eq!(denied(Role::Manager, KeyUse::SessionOnly, Verb::Write), Err(role));
    assert_eq!(denied(Role::Coach, KeyUse::SessionOnly, Verb::Write), Err(Denial::SessionRequired));
    assert_eq!(denied(Role::Coach, KeyUse::Allowed, Verb::Write), Err(Denial::ScopeInsufficient(scope)));
    assert_eq!(denied(Role::Coach, KeyUse::Allowed, Verb::Read), Err(Denial::AddressNotAllowed));
}

#[test]
fn a_role_alone_is_compared_with_the_minimum() {
    for least in Role::ALL {
        for role in Role::ALL {
            let expected = if role < least { Err(Denial::RoleInsufficient(least)) } else { Ok(()) };
            for credential in [Credential::Required(least), Credential::Optional(least)] {
                let needed = needs(credential, KeyUse::FreshSessionOnly, Verb::Write);
                assert_eq!(decide_role(&needed, role), expected, "{credential:?}, {role}");
            }
        }
        let public = needs(Credential::Public, KeyUse::SessionOnly, Verb::Write);
        assert_eq!(decide_role(&public, least), Ok(()), "public, {least}");
    }
}

#[test]
fn only_admins_and_owners_see_the_keys_of_others() {
    let seeing: Vec<Role> = Role::ALL.into_iter().filter(|role| sees_others_keys(*role)).collect();
    assert_eq!(seeing, [Role::Admin, Role::Owner]);
}

#[test]
fn only_a_higher_role_outranks_a_caller() {
    for caller in Role::ALL {
        assert!(!outranks(None, caller), "who has left outranks no one");
        for other in Role::ALL {
            assert_eq!(outranks(Some(other), caller), other.rank() > caller.rank(), "{other}, {caller}");
        }
    }
}

#[test]
fn only_callers_below_a_role_need_to_be_staff() {
    let relation = Relation::StaffOfGame { parameter: "id", unless: Role::Manager };
    for role in Role::ALL {
        assert_eq!(decide_relation(relation, role, true), Ok(()), "{role}");
        assert_eq!(decide_relation(Relation::Unrelated, role, false), Ok(()), "{role}");
        let expected = if role < Role::Manager { Err(Denial::NotStaff) } else { Ok(()) };
        assert_eq!(decide_relation(relation, role, false), expected, "{role}");
    }
}

#[test]
fn a_duty_is_needed_by_every_role_or_below_one() {
    let kind = DutyKind::SafeguardingLead;
    for role in Role::ALL {
        let refused = Err(Denial::NotOnDuty(kind));
        for (unless, expected) in
            [(None, refused), (Some(Role::Admin), if role < Role::Admin { refused } else { Ok(()) })]
        {
            let relation = Relation::OnDuty { kind, unless };
            assert_eq!(decide_relation(relation, role, true), Ok(()), "{role}");
            assert_eq!(decide_relation(relation, role, false), expected, "{role}");
        }
    }
}

#[test]
fn only_members_learn_that_an_organization_is_suspended() {
    for credential in [session(minutes(0)), key(&[], false)] {
        let suspended = Facts { organization_suspended: true, ..facts(credential, Role::Owner) };
        assert_eq!(authenticate(&suspended, NOW), Err(Denial::OrganizationSuspended));
        let former = Facts { role: None, ..suspended.clone() };
        assert_eq!(authenticate(&former, NOW), Err(Denial::Unknown));
        let expired = Facts { expires_at: NOW, ..suspended };
        assert_ne!(authenticate(&expired, NOW), Err(Denial::OrganizationSuspended));
    }
}

#[test]
fn no_user_acts_as_the_operator() {
    let needed = needs(Credential::Operator, KeyUse::Allowed, Verb::Write);
    for (name, credential) in credentials() {
        let decision = decide(&needed, &facts(credential, Role::Owner), NOW, None);
        assert_eq!(decision, Err(Denial::Unknown), "{name}");
    }
    assert_eq!(decide_role(&needed, Role::Owner), Err(Denial::Unknown));
}

#[test]
fn only_callers_below_a_role_need_a_relation_to_propose_one() {
    let (class, verb) = (DataClass::Records, Verb::Write);
    let touch = ChildTouch::InPathUnless { class, verb, parameter: "id", unless: Role::Manager };
    for role in Role::ALL.iter().copied() {
        let required = (role < Role::Manager).then_some((class, verb));
        assert_eq!(touch.required(role), required, "{role}");
        assert_eq!(ChildTouch::OfRecord { class, verb }.required(role), None);
        assert_eq!(ChildTouch::InPath { class, verb, parameter: "id" }.required(role), Some((class, verb)));
        assert_eq!(sees_waiting_relations(role), role >= Role::Manager);
    }
    assert!(touch.includes(class, verb) && !touch.includes(DataClass::Roster, Verb::Read));
    assert!(
        ChildTouch::AllOfLink.includes(class, Verb::Read) && !ChildTouch::AllOfLink.includes(class, verb)
    );
    for read in
        [ChildTouch::OfRecord { class, verb: Verb::Read }, ChildTouch::IfNamed { class, verb: Verb::Read }]
    {
        assert!(read.includes(class, Verb::Read) && !read.includes(class, verb));
        assert_eq!(read.required(Role::Viewer), None);
    }
}

#[test]
fn a_narrowed_key_covers_only_its_scopes() {
    let children = Scope { resource: Resource::Children, verb: Verb::Read };
    assert!(covers(&session(minutes(0)), children));
    assert!(covers(&key(&[], false), children));
    assert!(covers(&key(&["children:write"], false), children));
    assert!(!covers(&key(&["profile:read"], false), children));
}
