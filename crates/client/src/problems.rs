//! Problems as a client reads them: leniently, because a newer server may have codes and members that this client does not know.

use std::fmt;
use std::time::Duration;

use fieldhouse_api::Code;
use fieldhouse_api::problems::FieldProblem;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The body of an error response (RFC 9457). Everything is optional that a program between here and the server might leave out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The code: stable, for programs.
    pub code: ProblemCode,
    /// The HTTP status.
    #[serde(default)]
    pub status: u16,
    /// The code in words.
    #[serde(default)]
    pub title: String,
    /// What is wrong in this case, and what to do next.
    #[serde(default)]
    pub detail: String,
    /// The request's id.
    #[serde(default)]
    pub request_id: Option<String>,
    /// Whether the same request may succeed later.
    #[serde(default)]
    pub retryable: bool,
    /// The invalid fields.
    #[serde(default)]
    pub errors: Vec<FieldProblem>,
    /// How long the server asks to wait before the next request, from the header `Retry-After`.
    #[serde(skip)]
    pub retry_after: Option<Duration>,
    /// Further members that depend on the code: `required_role`, `current_version`, `bad_rows`, ...
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.detail.is_empty() { &self.title } else { &self.detail };
        write!(f, "{text} ({})", self.code)
    }
}

/// A problem's code: one that this client knows, or the name of a newer one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum ProblemCode {
    /// One of the list.
    Known(Code),
    /// A code that is newer than this client.
    Unknown(String),
}

impl ProblemCode {
    /// The code, if this client knows it.
    pub fn known(&self) -> Option<Code> {
        match self {
            Self::Known(code) => Some(*code),
            Self::Unknown(_) => None,
        }
    }

    /// The code as in the response.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(code) => code.name(),
            Self::Unknown(text) => text,
        }
    }
}

impl From<String> for ProblemCode {
    fn from(text: String) -> Self {
        text.parse().map_or(Self::Unknown(text), Self::Known)
    }
}

impl From<ProblemCode> for String {
    fn from(code: ProblemCode) -> Self {
        code.name().to_owned()
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Problem {
        serde_json::from_str(json).expect("a problem")
    }

    #[test]
    fn a_problem_has_the_members_of_its_code() {
        let problem = read(
            r#"{"type": "https://x.test/problems/role_insufficient", "title": "Role insufficient", "status": 403,
                "detail": "A manager is needed.", "instance": "urn:request:r1", "code": "role_insufficient",
                "request_id": "r1", "retryable": false, "required_role": "manager",
                "errors": [{"pointer": "/name", "code": "required", "message": "is missing"}]}"#,
        );
        assert_eq!(problem.code.known(), Some(Code::RoleInsufficient));
        assert_eq!(problem.more["required_role"], "manager");
        assert_eq!(problem.errors[0].fix, None);
        assert_eq!(problem.to_string(), "A manager is needed. (role_insufficient)");
        let written = serde_json::to_value(&problem).expect("JSON");
        assert_eq!(
            (&written["code"], &written["required_role"]),
            (&"role_insufficient".into(), &"manager".into())
        );
    }

    #[test]
    fn an_unknown_code_is_kept_as_a_string() {
        let problem = read(r#"{"code": "moon_is_full", "title": "The moon is full"}"#);
        assert_eq!(problem.code, ProblemCode::Unknown("moon_is_full".to_owned()));
        assert_eq!(problem.to_string(), "The moon is full (moon_is_full)");
    }
}
