//! Users: people who can sign in. A user belongs to organizations through memberships (`members.rs`).

use jiff::Timestamp;

use crate::ids::UserId;
use crate::record::Record;
use crate::text::{Email, Name, NotText};
use crate::time::TimeZoneName;

/// A person who can sign in.
#[derive(Clone, PartialEq, Record)]
#[record(table = "users", alias = "u", shared, derived(email_folded = self.email.folded()))]
pub struct User {
    /// The id.
    #[field(server)]
    pub id: UserId,
    /// The address that signs in.
    #[field(server)]
    pub email: Email,
    /// The person's name.
    #[field(server)]
    pub name: Name,
    /// BCP 47 language tag.
    #[field(server)]
    pub locale: Option<String>,
    /// The time zone in which the person wants to see times.
    #[field(server)]
    pub time_zone: Option<TimeZoneName>,
    /// Argon2id hash in PHC string format; none: cannot sign in with a password.
    #[field(server, secret)]
    pub password_hash: Option<String>,
    /// When the password last changed.
    #[field(server)]
    pub password_changed_at: Option<Timestamp>,
    /// Since when the user has been suspended everywhere.
    #[field(server)]
    pub suspended_at: Option<Timestamp>,
    /// When the record was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// The shortest password that may be set, in characters (NIST SP 800-63B-4 asks for 15 where it is the only factor, 8 with
/// another; clubs get 12 and a throttle).
pub const PASSWORD_LEAST: usize = 12;
/// The longest password, in bytes.
pub const PASSWORD_MOST: usize = 1024;

/// Checks a password that somebody wants to set: its length, and that it is not the e-mail address.
pub fn check_password(password: &str, email: &Email) -> Result<(), NotText> {
    let length = password.chars().count();
    if length < PASSWORD_LEAST {
        let fix = format!("use at least {PASSWORD_LEAST} characters; a few words in a row do well");
        return Err(NotText::new("too_short", format!("has {length} characters"), fix));
    }
    if password.len() > PASSWORD_MOST {
        return Err(NotText::new("too_long", "is too long", format!("at most {PASSWORD_MOST} bytes")));
    }
    if password.to_lowercase() == email.folded() {
        return Err(NotText::new("same_as_email", "is the e-mail address", "choose something else"));
    }
    Ok(())
}
