//! Why an operation cannot be done, as it is stored and shown.

use fieldhouse_api::Code;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::Refused;
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::Error as StoreError;
use serde_json::{Value as Json, json};

use crate::Error;

/// A problem as it is stored and shown. What is about a child has no details: they could say what only a relation opens.
pub(crate) fn shown(index: usize, error: &Error, is_of_child: bool) -> Json {
    let (code, detail, more) = match error {
        Error::Refused(refusal) => {
            let more = match refusal {
                Refusal::Invalid(errors) => json!({"errors": errors.iter().map(|error| {
                    json!({"pointer": error.pointer, "code": error.code, "message": error.message, "fix": error.fix})
                }).collect::<Vec<_>>()}),
                Refusal::Overlap(conflicts) => json!({"conflicts": conflicts.iter().map(|conflict| {
                    json!({"id": conflict.id, "starts_at": conflict.starts_at, "ends_at": conflict.ends_at})
                }).collect::<Vec<_>>()}),
                Refusal::VersionMismatch { current } => json!({"current_version": current}),
                Refusal::Changeset(refused) => match &**refused {
                    Refused::Invalid { pointer, .. } => json!({"pointer": pointer}),
                    _ => json!({}),
                },
                _ => json!({}),
            };
            (Code::from(refusal), refusal.to_string(), more)
        }
        Error::Denied(denial) => (Code::OperationForbidden, why(*denial), json!({})),
        Error::Stale => (Code::Conflict, "records changed at the same time".to_owned(), json!({})),
        Error::Store(StoreError::Duplicate(taken)) => {
            let field = taken.field.as_deref().unwrap_or("id");
            (Code::Duplicate, format!("another record has the same {field}"), json!({"field": field}))
        }
        Error::Store(error) => (Code::Conflict, error.to_string(), json!({})),
    };
    let (detail, more) = if is_of_child {
        (
            "it is refused. A direct request says why to those to whom a relation opens the child".to_owned(),
            json!({}),
        )
    } else {
        (detail, more)
    };
    let mut shown = json!({"index": index, "code": code.name(), "detail": detail});
    if let (Some(shown), Json::Object(more)) = (shown.as_object_mut(), more) {
        shown.extend(more);
    }
    shown
}

/// Why someone may not do an operation.
pub(crate) fn why(denial: Denial) -> String {
    match denial {
        Denial::RoleInsufficient(role) => format!("it needs the role {role} or higher"),
        Denial::KeyRevoked => "the key was revoked".to_owned(),
        Denial::Unknown => "the person is not an active member".to_owned(),
        Denial::NotOnDuty(kind) => format!("it needs the duty {kind}"),
        Denial::ChildHidden | Denial::RelationshipInsufficient => "no relation opens the record".to_owned(),
        _ => "it is not permitted".to_owned(),
    }
}

/// Whether a failed statement says that the operation is impossible, not that the store has failed.
pub(super) fn is_answer(error: &StoreError) -> bool {
    matches!(error, StoreError::Duplicate(_) | StoreError::Reference(_))
}
