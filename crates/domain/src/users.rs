//! Users: people who can sign in. A user belongs to organizations through memberships (`members.rs`).

use jiff::Timestamp;

use crate::ids::UserId;
use crate::record::Record;
use crate::text::{Email, InvalidValue, Name};
use crate::time::TimeZoneName;

/// A person who can sign in.
#[derive(Clone, PartialEq, Record)]
#[record(table = "users", alias = "u", shared, derived(email_folded = self.email.folded()))]
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

/// The minimum length of a new password, in characters. NIST SP 800-63B-4 asks for 15 if it is the only factor and 8 with another; failed
/// sign-in attempts are limited, so that 12 is enough here.
pub const PASSWORD_MIN: usize = 12;
/// The maximum length of a password, in bytes.
pub const PASSWORD_MAX: usize = 1024;

/// Checks a new password: its length, and that it is not the e-mail address.
pub fn check_password(password: &str, email: &Email) -> Result<(), InvalidValue> {
    let length = password.chars().count();
    if length < PASSWORD_MIN {
        let fix = format!("Send at least {PASSWORD_MIN} characters; a few words in a row work well.");
        return Err(InvalidValue::new("too_short", format!("has {length} characters"), fix));
    }
    if password.len() > PASSWORD_MAX {
        return Err(InvalidValue::new(
            "too_long",
            "is too long",
            format!("Send at most {PASSWORD_MAX} bytes."),
        ));
    }
    if password.to_lowercase() == email.folded() {
        return Err(InvalidValue::new("same_as_email", "is the e-mail address", "Choose another password."));
    }
    Ok(())
}
