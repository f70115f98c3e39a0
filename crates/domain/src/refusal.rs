//! Why a command was refused. The server maps each refusal to one problem; nothing here knows HTTP.

use std::collections::HashSet;

use crate::text::NotText;

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Where the field stands: an RFC 6901 JSON pointer.
    pub pointer: String,
    /// A short stable word: `too_long`, `required`, `unknown_time_zone`, ...
    pub code: &'static str,
    /// What is wrong, for a person.
    pub message: String,
    /// What would be right.
    pub fix: Option<String>,
}

/// Why a command was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Fields that cannot be taken as they are.
    #[error("{} field(s) cannot be taken as they are", .0.len())]
    Invalid(Vec<FieldError>),
    /// The record does not exist, or not for this caller.
    #[error("no such record")]
    NotFound,
    /// The record has changed since the caller read it.
    #[error("the record is at version {current} now")]
    VersionMismatch {
        /// The version that the record has now.
        current: i64,
    },
    /// The request does not name the version that it is about.
    #[error("If-Match is required")]
    VersionRequired,
    /// The same thing exists already.
    #[error("{0}")]
    Duplicate(String),
    /// The record's state does not allow this.
    #[error("{0}")]
    State(String),
    /// Other records stand on this one.
    #[error("{0}")]
    InUse(String),
    /// As many as there may be exist already.
    #[error("{0}")]
    LimitReached(String),
    /// An organization keeps at least one owner.
    #[error("an organization keeps at least one owner")]
    LastOwner,
    /// Nobody raises anyone above himself, and nobody acts on those above him.
    #[error("{0}")]
    Forbidden(String),
}

impl Refusal {
    /// One field that cannot be taken as it is.
    pub fn field(pointer: &str, wrong: NotText) -> Self {
        let NotText { code, message, fix } = wrong;
        Self::Invalid(vec![FieldError { pointer: pointer.to_owned(), code, message, fix }])
    }

    /// Refuses to delete a record that others refer to. `others` names their kinds, `advice` says what to do about them.
    pub fn unless_unused(count: i64, others: &str, advice: &str) -> Result<(), Self> {
        if count > 0 {
            return Err(Self::InUse(format!("{others} that refer to it: {count}; {advice}")));
        }
        Ok(())
    }
}

/// Collects what is wrong with a body, so that a person sees all of it at once.
#[derive(Debug, Default)]
pub struct Check {
    errors: Vec<FieldError>,
}

impl Check {
    /// The value of a parsed text, or a note of what is wrong at `pointer`.
    pub fn field<T>(&mut self, pointer: &str, parsed: Result<T, NotText>) -> Option<T> {
        parsed
            .map_err(|wrong| {
                self.errors.push(FieldError {
                    pointer: pointer.to_owned(),
                    code: wrong.code,
                    message: wrong.message,
                    fix: wrong.fix,
                });
            })
            .ok()
    }

    /// Like [`Check::field`] for a field that may be missing: the outer `None` means that it was wrong.
    pub fn optional<T>(&mut self, pointer: &str, parsed: Option<Result<T, NotText>>) -> Option<Option<T>> {
        match parsed {
            None => Some(None),
            Some(parsed) => self.field(pointer, parsed).map(Some),
        }
    }

    /// Notes that a rule is broken at `pointer`.
    pub fn refuse(&mut self, pointer: &str, code: &'static str, message: impl Into<String>, fix: &str) {
        self.errors.push(FieldError {
            pointer: pointer.to_owned(),
            code,
            message: message.into(),
            fix: (!fix.is_empty()).then(|| fix.to_owned()),
        });
    }

    /// Puts what is wrong in an order, and keeps the first of what is wrong at one place. What has no place in the order comes last.
    pub fn arrange(&mut self, place: impl Fn(&str) -> Option<usize>) {
        let mut seen = HashSet::new();
        self.errors.retain(|error| seen.insert(error.pointer.clone()));
        self.errors.sort_by_key(|error| place(&error.pointer).unwrap_or(usize::MAX));
    }

    /// The finished value where nothing was wrong.
    pub fn finish<T>(self, value: Option<T>) -> Result<T, Refusal> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(Refusal::Invalid(self.errors)),
        }
    }
}
