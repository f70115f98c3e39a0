//! Users: people who can sign in. A user belongs to organizations through memberships (`members.rs`).

use jiff::Timestamp;

use crate::ids::UserId;
use crate::mail::EMAIL_CHANGE_LIFE;
use crate::record::{Body, Record};
use crate::text::{Email, InvalidValue, Locale, Name, fold};
use crate::time::TimeZoneName;
use crate::{Moment, Refusal};

/// The name and the address in the form in which people are listed and searched.
fn listed_folded(name: &Name, email: &Email) -> String {
    format!("{} {}", name.folded(), fold(email.as_str()))
}

/// A person who can sign in.
#[derive(Clone, PartialEq, Record)]
#[record(table = "users", alias = "u", shared, derived(email_folded = self.email.folded(), listed_folded = listed_folded(&self.name, &self.email)))]
pub struct User {
    /// The id.
    #[field(server)]
    pub id: UserId,
    /// The e-mail address for sign-in.
    #[field(server)]
    pub email: Email,
    /// The person's name.
    #[field(server)]
    pub name: Name,
    /// BCP 47 language tag.
    #[field(server)]
    pub locale: Option<String>,
    /// The IANA time zone in which the user wants to see times.
    #[field(server)]
    pub time_zone: Option<TimeZoneName>,
    /// The Argon2id hash in PHC string format. `None` if the user cannot sign in with a password.
    #[field(server, secret)]
    pub password_hash: Option<String>,
    /// When the password last changed.
    #[field(server)]
    pub password_changed_at: Option<Timestamp>,
    /// The address that the user wants to change to.
    #[field(server)]
    pub pending_email: Option<Email>,
    /// When the change of the address was requested.
    #[field(server)]
    pub pending_email_at: Option<Timestamp>,
    /// Whether the owner of the current address has confirmed the change.
    #[field(server)]
    pub current_email_confirmed: bool,
    /// Whether the owner of the new address has confirmed the change.
    #[field(server)]
    pub pending_email_confirmed: bool,
    /// When the user was suspended in all organizations.
    #[field(server)]
    pub suspended_at: Option<Timestamp>,
    /// When the record was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

impl User {
    /// Creates a user.
    pub fn new(moment: &Moment, email: Email, name: Name, password_hash: Option<String>) -> Self {
        let now = moment.now();
        Self {
            id: moment.id(),
            email,
            name,
            locale: None,
            time_zone: None,
            password_changed_at: password_hash.as_ref().map(|_| now),
            password_hash,
            pending_email: None,
            pending_email_at: None,
            current_email_confirmed: false,
            pending_email_confirmed: false,
            suspended_at: None,
            created_at: now,
            updated_at: now,
            version: 1,
        }
    }
}

/// The fields to change in the caller's own profile. Fields that are left out keep their values.
#[derive(Clone, Debug, Default, PartialEq, Body)]
#[body(title = "ProfileChange")]
pub struct ChangeProfile {
    /// The person's name.
    pub name: Option<Name>,
    /// BCP 47 language tag, such as `en-AU`. Null for none.
    pub locale: Option<Option<Locale>>,
    /// The IANA time zone in which the user wants to see times. Null for that of the organization.
    pub time_zone: Option<Option<TimeZoneName>>,
}

/// The user after a change of their profile.
pub fn changed(user: &User, wanted: ChangeProfile) -> User {
    let mut after = user.clone();
    if let Some(name) = wanted.name {
        after.name = name;
    }
    if let Some(locale) = wanted.locale {
        after.locale = locale.map(String::from);
    }
    if let Some(time_zone) = wanted.time_zone {
        after.time_zone = time_zone;
    }
    after
}

/// One of the two addresses that confirm a change of the e-mail address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmailSide {
    /// The current address.
    Current,
    /// The new address.
    New,
}

/// The user after requesting a change of the e-mail address, which replaces an earlier request.
pub fn email_requested(moment: &Moment, user: &User, email: Email) -> Result<User, Refusal> {
    if email.folded() == user.email.folded() {
        let same = InvalidValue::new("unchanged", "is your address already", "Send another address.");
        return Err(Refusal::field("/email", same));
    }
    Ok(User {
        pending_email: Some(email),
        pending_email_at: Some(moment.now()),
        current_email_confirmed: false,
        pending_email_confirmed: false,
        ..user.clone()
    })
}

/// When the links of a change that was requested at this time expire.
pub fn email_change_ends(requested_at: Timestamp) -> Timestamp {
    requested_at.saturating_add(EMAIL_CHANGE_LIFE).unwrap_or(Timestamp::MAX)
}

/// Whether the change that was requested at this time can now be confirmed from an address.
pub fn can_confirm(user: &User, side: EmailSide, requested_at: Timestamp, now: Timestamp) -> bool {
    let confirmed = match side {
        EmailSide::Current => user.current_email_confirmed,
        EmailSide::New => user.pending_email_confirmed,
    };
    user.pending_email.is_some()
        && user.pending_email_at == Some(requested_at)
        && !confirmed
        && user.suspended_at.is_none()
        && now < email_change_ends(requested_at)
}

/// The user after confirming from one address. If the other one was confirmed before, the address changes.
pub fn email_confirmed(user: &User, side: EmailSide) -> User {
    let mut after = user.clone();
    match side {
        EmailSide::Current => after.current_email_confirmed = true,
        EmailSide::New => after.pending_email_confirmed = true,
    }
    if after.current_email_confirmed && after.pending_email_confirmed {
        after.email = after.pending_email.take().unwrap_or(after.email);
        after.pending_email_at = None;
        after.current_email_confirmed = false;
        after.pending_email_confirmed = false;
    }
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Moment {
        Moment::new(Timestamp::from_second(1_772_366_400 + second).expect("a time"), 7)
    }

    fn email(text: &str) -> Email {
        Email::parse(text).expect("an address")
    }

    fn user() -> User {
        User::new(&at(0), email("old@a.example"), Name::parse("Alex").expect("a name"), None)
    }

    #[test]
    fn an_address_changes_when_both_have_confirmed_in_either_order() {
        for order in [[EmailSide::Current, EmailSide::New], [EmailSide::New, EmailSide::Current]] {
            let requested = email_requested(&at(1), &user(), email("new@a.example")).expect("a request");
            let first = email_confirmed(&requested, order[0]);
            assert_eq!(first.email, user().email, "{order:?}");
            assert!(
                !can_confirm(&first, order[0], at(1).now(), at(2).now()),
                "{order:?}: the same link twice"
            );
            assert!(can_confirm(&first, order[1], at(1).now(), at(2).now()), "{order:?}");
            let both = email_confirmed(&first, order[1]);
            assert_eq!(
                both,
                User { email: email("new@a.example"), ..user() },
                "{order:?}: nothing is left over"
            );
            assert!(!can_confirm(&both, order[1], at(1).now(), at(2).now()), "{order:?}");
        }
    }

    #[test]
    fn a_later_request_replaces_the_links_of_an_earlier_one() {
        let first = email_requested(&at(1), &user(), email("new@a.example")).expect("a request");
        let confirmed = email_confirmed(&first, EmailSide::New);
        let second = email_requested(&at(2), &confirmed, email("other@a.example")).expect("a request");
        assert!(!second.pending_email_confirmed, "another address has confirmed nothing");
        assert!(!can_confirm(&second, EmailSide::New, at(1).now(), at(3).now()));
        assert!(can_confirm(&second, EmailSide::New, at(2).now(), at(3).now()));
        let late = at(2 + EMAIL_CHANGE_LIFE.as_secs()).now();
        assert!(!can_confirm(&second, EmailSide::New, at(2).now(), late), "expired");
        let same = email_requested(&at(3), &user(), email("OLD@a.example"));
        assert!(matches!(same, Err(Refusal::Invalid(_))), "{same:?}");
    }
}
