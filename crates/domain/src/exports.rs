//! Exports: who requested an archive of the organization or a copy of a child's data, and the link that opens it once.

use jiff::{SignedDuration, Timestamp};

use crate::Moment;
use crate::ids::{ChildId, ExportId, UserId};
use crate::policy::Denial;
use crate::record::{Body, Record, enumeration};
use crate::refusal::Refusal;
use crate::roles::Role;
use crate::text::InvalidValue;

/// How long the link of an export is valid.
pub const LINK_LIFE: SignedDuration = SignedDuration::from_hours(24);

enumeration! {
    /// What an export contains.
    ExportKind {
        /// The whole organization: members, seasons, divisions, teams, venues, games and staff.
        Organization "organization",
        /// What the club stores about one child, as far as the family sees it. It is requested for the child.
        Child "child",
    }
}

enumeration! {
    /// The status of an export.
    ExportStatus {
        /// Its link can be opened.
        Ready "ready",
        /// Its link was opened.
        Opened "opened",
        /// Its link was not opened in time.
        Expired "expired",
    }
}

/// An export of an organization's or a child's data. The content is not stored: it is written when the link is opened.
#[derive(Clone, PartialEq, Record)]
#[record(table = "exports", alias = "x")]
pub struct Export {
    /// The id.
    #[field(server)]
    pub id: ExportId,
    /// What it contains.
    #[field(server)]
    pub kind: ExportKind,
    /// The child, if it contains the data of one.
    #[field(server)]
    pub child_id: Option<ChildId>,
    /// Who requested it.
    #[field(server)]
    pub requested_by: UserId,
    /// When the link expires.
    #[field(server)]
    pub expires_at: Timestamp,
    /// When the link was opened.
    #[field(server)]
    pub opened_at: Option<Timestamp>,
    /// When it was requested.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// What to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Body)]
pub struct NewExport {
    /// What the export contains.
    pub kind: ExportKind,
}

impl Export {
    /// The status at a time.
    pub fn status(&self, now: Timestamp) -> ExportStatus {
        match self.opened_at {
            Some(_) => ExportStatus::Opened,
            None if self.expires_at <= now => ExportStatus::Expired,
            None => ExportStatus::Ready,
        }
    }
}

/// Creates an export of the organization.
pub fn request(moment: &Moment, requested_by: UserId, new: NewExport) -> Result<Export, Refusal> {
    if new.kind == ExportKind::Child {
        let fix = "Send `organization`, or request the export of a child at the child.";
        return Err(Refusal::field("/kind", InvalidValue::new("invalid", "needs a child", fix)));
    }
    Ok(of(moment, requested_by, None))
}

/// Creates an export of a child, for someone who sees what is recorded for its family.
pub fn request_of_child(moment: &Moment, requested_by: UserId, child: ChildId) -> Export {
    of(moment, requested_by, Some(child))
}

fn of(moment: &Moment, requested_by: UserId, child_id: Option<ChildId>) -> Export {
    let now = moment.now();
    Export {
        id: moment.id(),
        kind: if child_id.is_some() { ExportKind::Child } else { ExportKind::Organization },
        child_id,
        requested_by,
        expires_at: now.saturating_add(LINK_LIFE).unwrap_or(Timestamp::MAX),
        opened_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    }
}

/// The export after its link was opened, which works once. `role` is that of the person who requested it, who must still be an owner.
pub fn opened(moment: &Moment, export: &Export, role: Role) -> Result<Export, Denial> {
    if export.kind != ExportKind::Organization || role < Role::Owner {
        return Err(Denial::LinkExpired);
    }
    once(moment, export)
}

/// The export of a child after its link was opened, which works once. The person who requested it must still see what is recorded for the
/// child's family.
pub fn opened_of_child(moment: &Moment, export: &Export, child: ChildId) -> Result<Export, Denial> {
    if export.child_id == Some(child) { once(moment, export) } else { Err(Denial::LinkExpired) }
}

fn once(moment: &Moment, export: &Export) -> Result<Export, Denial> {
    if export.status(moment.now()) != ExportStatus::Ready {
        return Err(Denial::LinkExpired);
    }
    Ok(Export { opened_at: Some(moment.now()), ..export.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once_for_a_day_while_its_owner_is_one() {
        let at = |hours: i64| {
            let time = Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time");
            Moment::new(time, 7)
        };
        let export = request(&at(0), at(0).id(), NewExport { kind: ExportKind::Organization });
        let export = export.expect("of the organization");
        let after = opened(&at(23), &export, Role::Owner).expect("it is ready");
        assert_eq!((after.opened_at, after.status(at(23).now())), (Some(at(23).now()), ExportStatus::Opened));
        for (hours, export, role) in
            [(23, &after, Role::Owner), (24, &export, Role::Owner), (1, &export, Role::Admin)]
        {
            assert_eq!(opened(&at(hours), export, role), Err(Denial::LinkExpired));
        }
        assert_eq!(export.status(at(24).now()), ExportStatus::Expired);
        assert!(
            request(&at(0), at(0).id(), NewExport { kind: ExportKind::Child }).is_err(),
            "of which child?"
        );
        let (child, other) = (at(1).id(), at(2).id());
        let of_child = request_of_child(&at(0), at(0).id(), child);
        assert_eq!(
            opened(&at(1), &of_child, Role::Owner),
            Err(Denial::LinkExpired),
            "not of the organization"
        );
        assert_eq!(opened_of_child(&at(1), &export, child), Err(Denial::LinkExpired));
        assert_eq!(opened_of_child(&at(1), &of_child, other), Err(Denial::LinkExpired));
        assert_eq!(opened_of_child(&at(24), &of_child, child), Err(Denial::LinkExpired));
        let after = opened_of_child(&at(23), &of_child, child).expect("it is ready");
        assert_eq!(opened_of_child(&at(23), &after, child), Err(Denial::LinkExpired), "it works once");
    }
}
