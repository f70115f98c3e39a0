//! Why a command was refused. The server maps each refusal to one problem; this module knows nothing of HTTP.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::changesets::Refused;
use crate::games::Conflict;
use crate::roles::Role;
use crate::seasons::contents::Inventory;
use crate::text::InvalidValue;

fn clash(count: usize) -> String {
    let games = if count == 1 { "1 game".to_owned() } else { format!("{count} games") };
    format!(
        "it overlaps with {games} of a team or at the venue. Choose another time or place, or send allow_overlap=true"
    )
}

fn second_person(role: Role, alone_from: Option<Timestamp>) -> String {
    match alone_from {
        None => {
            format!(
                "a second person with the role {role} or higher has to do this, and not someone whose role the first one gave them"
            )
        }
        Some(time) => {
            format!("no second person can confirm this. An owner can confirm it alone from {time} on")
        }
    }
}

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The place of the field: an RFC 6901 JSON pointer.
    pub pointer: String,
    /// A short, stable code: `too_long`, `required`, `unknown_time_zone`, ...
    pub code: &'static str,
    /// What is wrong, as the end of a sentence that starts with the field.
    pub message: String,
    /// What to send instead.
    pub fix: Option<String>,
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// Some fields are invalid.
    #[error("{} field(s) are invalid", .0.len())]
    Invalid(Vec<FieldError>),
    /// The record does not exist, or is hidden from this caller.
    #[error("record not found")]
    NotFound,
    /// The record has changed since the caller read it.
    #[error("the record is now at version {current}")]
    VersionMismatch {
        /// The current version of the record.
        current: i64,
    },
    /// The request must name the version that it changes.
    #[error("If-Match is required")]
    VersionRequired,
    /// An equal record exists already.
    #[error("{0}")]
    Duplicate(String),
    /// The record's state does not allow this.
    #[error("{0}")]
    State(String),
    /// Other records refer to this one.
    #[error("{0}")]
    InUse(String),
    /// Other records belong to this season.
    #[error("{0}")]
    HasContents(Box<Inventory>),
    /// It takes place at the same time as others.
    #[error("{}", clash(.0.len()))]
    Overlap(Vec<Conflict>),
    /// The maximum number of records exists already.
    #[error("{0}")]
    LimitReached(String),
    /// An organization must keep at least one owner.
    #[error("an organization must keep at least one owner")]
    LastOwner,
    /// No one grants something to themselves.
    #[error("you cannot do this for yourself. Ask another person with the required role")]
    SelfGrant,
    /// A second person is required.
    #[error("{}", second_person(*.role, *.alone_from))]
    SamePerson {
        /// The minimum role of the second person.
        role: Role,
        /// If there is no second person: when an owner may confirm it alone.
        alone_from: Option<Timestamp>,
    },
    /// What opens children's data must end.
    #[error("an end is required")]
    ExpiryRequired {
        /// The field of the end.
        pointer: &'static str,
    },
    /// The person has opened data in emergencies too often.
    #[error("three grants within 24 hours are the maximum. Ask someone else, or call for help")]
    BreakGlassLimit {
        /// After how many seconds the next one is possible.
        wait: i64,
    },
    /// The caller's role does not reach this record or this value.
    #[error("{0}")]
    Forbidden(String),
    /// It cannot be done with a changeset, or only with one.
    #[error("{0}")]
    Changeset(Box<Refused>),
}

impl From<Refused> for Refusal {
    fn from(refused: Refused) -> Self {
        Self::Changeset(Box::new(refused))
    }
}

impl Refusal {
    /// One invalid field.
    pub fn field(pointer: &str, wrong: InvalidValue) -> Self {
        let InvalidValue { code, message, fix } = wrong;
        Self::Invalid(vec![FieldError { pointer: pointer.to_owned(), code, message, fix }])
    }

    /// A record that the body names and that does not exist.
    pub fn missing(pointer: &str) -> Self {
        let fix = "Send the id of a record that exists.";
        Self::field(pointer, InvalidValue::new("not_found", "does not exist", fix))
    }

    /// Refuses to delete a record that others refer to. `kinds` names them if there is one and if there are several, `advice` says what to
    /// do about them.
    pub fn unless_unused(count: i64, kinds: [&str; 2], advice: &str) -> Result<(), Self> {
        let [one, several] = kinds;
        match count {
            0 => Ok(()),
            1 => Err(Self::InUse(format!("1 {one} refers to it. {advice}"))),
            count => Err(Self::InUse(format!("{count} {several} refer to it. {advice}"))),
        }
    }
}

/// The maximum number of errors that one response reports, so that a large body of wrong values does not become a larger response.
pub const MAX_ERRORS: usize = 100;

/// Collects the errors in a body, so that one response reports all of them, up to [`MAX_ERRORS`].
#[derive(Debug, Default)]
pub struct Check {
    errors: Vec<FieldError>,
}

impl Check {
    /// The parsed value, or `None` with an error at `pointer`.
    pub fn field<T>(&mut self, pointer: &str, parsed: Result<T, InvalidValue>) -> Option<T> {
        parsed
            .map_err(|InvalidValue { code, message, fix }| {
                self.add(FieldError { pointer: pointer.to_owned(), code, message, fix });
            })
            .ok()
    }

    /// Like [`Check::field`], for an optional field: the outer `None` means that it is wrong.
    pub fn optional<T>(
        &mut self,
        pointer: &str,
        parsed: Option<Result<T, InvalidValue>>,
    ) -> Option<Option<T>> {
        match parsed {
            None => Some(None),
            Some(parsed) => self.field(pointer, parsed).map(Some),
        }
    }

    /// Reports that the record that the body names at `pointer` does not exist.
    pub fn missing(&mut self, pointer: &str) {
        let Refusal::Invalid(errors) = Refusal::missing(pointer) else { return };
        for error in errors {
            self.add(error);
        }
    }

    /// Reports that a rule is violated at `pointer`.
    pub fn refuse(&mut self, pointer: &str, code: &'static str, message: impl Into<String>, fix: &str) {
        let fix = (!fix.is_empty()).then(|| fix.to_owned());
        self.add(FieldError { pointer: pointer.to_owned(), code, message: message.into(), fix });
    }

    fn add(&mut self, error: FieldError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Whether there is no error so far.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Sorts the errors and keeps the first one at each place. Errors without a position come last.
    pub fn arrange(&mut self, place: impl Fn(&str) -> Option<usize>) {
        let mut seen = HashSet::new();
        self.errors.retain(|error| seen.insert(error.pointer.clone()));
        self.errors.sort_by_key(|error| place(&error.pointer).unwrap_or(usize::MAX));
    }

    /// The value if there were no errors.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Refusal> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(Refusal::Invalid(self.errors)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_arranged_by_place_and_the_first_at_each_place_stays() {
        let mut check = Check::default();
        for (pointer, code) in [("/c", "1"), ("/b", "2"), ("", "3"), ("/a", "4"), ("/b", "5"), ("/d", "6")] {
            check.refuse(pointer, code, "is wrong", "");
        }
        check.arrange(|pointer| ["/a", "/b"].iter().position(|known| *known == pointer));
        let Err(Refusal::Invalid(errors)) = check.finish(Some(())) else { panic!("refused") };
        let left: Vec<_> = errors.iter().map(|error| (error.pointer.as_str(), error.code)).collect();
        assert_eq!(left, [("/a", "4"), ("/b", "2"), ("/c", "1"), ("", "3"), ("/d", "6")]);
        assert_eq!(errors[0].fix, None, "no empty advice");
    }

    #[test]
    fn a_value_is_accepted_only_without_errors() {
        let mut check = Check::default();
        let wrong = || InvalidValue::new("invalid", "is wrong", "Send another.");
        assert_eq!(check.optional::<i64>("/left_out", None), Some(None));
        assert_eq!(check.optional("/given", Some(Ok(1))), Some(Some(1)));
        assert_eq!(check.finish(Some(2)), Ok(2));
        let mut check = Check::default();
        assert_eq!(check.optional::<i64>("/wrong", Some(Err(wrong()))), None);
        assert_eq!(check.finish(Some(2)), Err(Refusal::field("/wrong", wrong())));
    }

    #[test]
    fn no_more_than_the_maximum_number_of_errors_is_reported() {
        let mut check = Check::default();
        for number in 0..MAX_ERRORS * 10 {
            check.refuse(&format!("/{number}"), "invalid", "is wrong", "");
        }
        let Err(Refusal::Invalid(errors)) = check.finish(Some(())) else { panic!("refused") };
        assert_eq!((errors.len(), errors[99].pointer.as_str()), (MAX_ERRORS, "/99"));
    }

    #[test]
    fn a_record_that_others_refer_to_is_in_use() {
        let refused = |count| {
            let refused = Refusal::unless_unused(count, ["game", "games"], "Move them");
            refused.map_err(|refusal| refusal.to_string())
        };
        assert_eq!(refused(0), Ok(()));
        assert_eq!(refused(1), Err("1 game refers to it. Move them".to_owned()));
        assert_eq!(refused(2), Err("2 games refer to it. Move them".to_owned()));
    }
}
