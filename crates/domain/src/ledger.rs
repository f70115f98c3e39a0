//! What the ledger of an organization stores for each kind of record.

use crate::changesets::Changeset;
use crate::effects::{AnyRecord, Effect};

/// What the ledger stores of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trace {
    /// An entry with the record before and after.
    Images,
    /// An entry with the names of changed fields only, because an undo must never restore a credential.
    Fields,
    /// An entry with the names of changed fields in every organization that the user belongs to.
    Memberships,
    /// Nothing.
    Nothing,
}

impl Effect {
    /// What the ledger stores of this effect. A session is recorded when it is opened or ended, not when its token
    /// rotates; a changeset when it is decided about, not when it is simulated.
    pub fn trace(&self) -> Trace {
        match (&self.before, &self.after) {
            (Some(AnyRecord::Session(before)), Some(AnyRecord::Session(after)))
                if before.revoked_at == after.revoked_at =>
            {
                Trace::Nothing
            }
            (Some(AnyRecord::Changeset(before)), Some(AnyRecord::Changeset(after)))
                if Changeset::is_only_simulated(before, after) =>
            {
                Trace::Nothing
            }
            _ => self.record().map_or(Trace::Nothing, |record| record.kind().trace()),
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::kinds::Kind;

    #[test]
    fn a_written_id_parses_to_its_kind_and_uuid() {
        for (number, kind) in (1..).zip(Kind::ALL) {
            let uuid = Uuid::from_u128(number);
            // The ids of all saved programs are of one type.
            let read = if *kind == Kind::ChildFavorite { Kind::Favorite } else { *kind };
            assert_eq!(Kind::of_written_id(&kind.written_id(uuid)), Some((read, uuid)));
        }
        assert_eq!(Kind::of_written_id("sea_1"), None);
    }

    #[test]
    fn the_ledger_stores_what_the_table_says_of_each_kind() {
        let table: Vec<(&str, Trace)> = Kind::ALL.iter().map(|kind| (kind.name(), kind.trace())).collect();
        let expected = [
            ("organization", Trace::Images),
            ("user", Trace::Memberships),
            ("member", Trace::Images),
            ("invitation", Trace::Images),
            ("session", Trace::Fields),
            ("api_key", Trace::Fields),
            ("season", Trace::Images),
            ("division", Trace::Images),
            ("team", Trace::Images),
            ("venue", Trace::Images),
            ("game", Trace::Images),
            ("export", Trace::Images),
            ("changeset", Trace::Images),
            ("staff", Trace::Images),
            ("duty", Trace::Images),
            ("child", Trace::Images),
            ("child_identity", Trace::Images),
            ("child_contact", Trace::Images),
            ("child_emergency", Trace::Images),
            ("child_medical", Trace::Images),
            ("child_performance", Trace::Images),
            ("relation", Trace::Images),
            ("guardian_invitation", Trace::Images),
            ("restriction", Trace::Images),
            ("safeguarding_case", Trace::Nothing),
            ("break_glass_grant", Trace::Images),
            ("consent", Trace::Images),
            ("registration", Trace::Images),
            ("roster_entry", Trace::Images),
            ("privacy_request", Trace::Images),
            ("favorite", Trace::Nothing),
            ("child_favorite", Trace::Nothing),
            ("college", Trace::Nothing),
            ("program", Trace::Nothing),
        ];
        assert_eq!(table, expected);
    }
}
