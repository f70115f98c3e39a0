//! The context of a command: who acts, when, and the expected version of its target; and the only way to write.

use fieldhouse_api::Operation;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{ChildId, Id as _, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_store::access::children::{ChildAccess, Class, Use, Write};
use fieldhouse_store::records::{self, Stored};
use fieldhouse_store::{Change, GuestWrite, OrgWrite, Tx, UserWrite};

use jiff::civil::Date;
use uuid::Uuid;

use crate::Command;
use crate::error::Error;

/// The permission with which a command writes.
#[derive(Debug)]
pub enum Authority<'tx> {
    /// A member's, the operator's or a job's, in one organization.
    Organization(OrgWrite<'tx>),
    /// A guest's, on their own list.
    Guest(GuestWrite<'tx>),
    /// The same, of a guest who was created for this command.
    NewGuest(GuestWrite<'tx>),
    /// A user's, on their own user, with a link of a message.
    User(UserWrite<'tx>),
}

/// The context of a command.
#[derive(Debug)]
pub struct WriteContext<'a, 'tx> {
    /// When it runs, and which ids it creates.
    pub moment: &'a Moment,
    authority: Authority<'tx>,
    operation: Operation,
    request_id: &'a str,
    reason: Option<String>,
    expected: Expected<'a>,
    /// The record that the command creates, if it was made before the transaction.
    made: Option<AnyRecord>,
}

/// The version that the target of a command must have.
#[derive(Clone, Copy, Debug)]
enum Expected<'a> {
    /// The value of the header `If-Match`.
    Header(Option<&'a str>),
    /// The `if_version` of an operation of a changeset, which compares all versions with those of its simulation anyway.
    Version(Option<i64>),
}

impl<'a, 'tx> WriteContext<'a, 'tx> {
    /// The context of a command without a request.
    pub fn new(authority: Authority<'tx>, operation: Operation, moment: &'a Moment) -> Self {
        let expected = Expected::Header(None);
        Self { moment, authority, operation, request_id: "", reason: None, expected, made: None }
    }

    /// The context of a request's command, with the value of its `If-Match`.
    pub fn of_request(self, request_id: &'a str, if_match: Option<&'a str>) -> Self {
        Self { request_id, expected: Expected::Header(if_match), ..self }
    }

    /// The context of a command whose new record is made already.
    pub fn with_made(self, made: Option<AnyRecord>) -> Self {
        Self { made, ..self }
    }

    /// The context of an operation of a changeset, with the version that its target must have.
    pub(crate) fn of_operation(self, if_version: Option<i64>, reason: Option<&str>) -> Self {
        Self { expected: Expected::Version(if_version), reason: reason.map(str::to_owned), ..self }
    }

    /// Whether an operation of a changeset runs.
    pub(crate) fn is_in_changeset(&self) -> bool {
        matches!(self.expected, Expected::Version(_))
    }

    /// Sets the reason, which is stored in the ledger and shown to families with changed games.
    pub fn because(&mut self, reason: &str) {
        self.reason = Some(reason.to_owned());
    }

    /// The permission with which it writes.
    pub fn authority(&self) -> &Authority<'tx> {
        &self.authority
    }

    /// The permission to write to an organization. A guest, or a user with a link only, has none and gets "not found".
    pub fn organization(&self) -> Result<&OrgWrite<'tx>, Error> {
        match &self.authority {
            Authority::Organization(proof) => Ok(proof),
            Authority::Guest(_) | Authority::NewGuest(_) | Authority::User(_) => Err(Error::not_found()),
        }
    }

    /// Whether the guest who acts was created for this command.
    pub fn is_new_guest(&self) -> bool {
        matches!(self.authority, Authority::NewGuest(_))
    }

    /// The user who acts.
    pub fn user(&self) -> Result<UserId, Error> {
        self.organization()?.actor().user.ok_or_else(Error::not_found)
    }

    /// The effective role.
    pub fn role(&self) -> Result<Role, Error> {
        Ok(self.organization()?.role())
    }

    /// Reads the record that the operation is about. Refuses, in this order: not found, no `If-Match` if it is required, another version.
    pub async fn target<R: Stored>(&self, tx: &mut Tx<'tx>, id: R::Id) -> Result<R, Error> {
        let found: Option<R> = records::read(tx, self.organization()?, id).await?;
        self.check(found.ok_or_else(Error::not_found)?)
    }

    /// Checks the version of the record that the operation is about, if the command has read it itself.
    pub fn check<R: Stored>(&self, record: R) -> Result<R, Error> {
        match self.expected {
            Expected::Header(header) => {
                if let Some(row) = self.operation.row() {
                    row.if_match.check(header, record.version())?;
                }
            }
            Expected::Version(Some(version)) if version != record.version() => {
                return Err(Refusal::VersionMismatch { current: record.version() }.into());
            }
            Expected::Version(_) => {}
        }
        Ok(record)
    }

    /// Reads another record, whose id is in the body at `pointer`.
    pub async fn read<R: Stored>(&self, tx: &mut Tx<'tx>, pointer: &str, id: R::Id) -> Result<R, Error> {
        self.find(tx, id).await?.ok_or_else(|| Refusal::missing(pointer).into())
    }

    /// Reads another record, whose absence the caller reports.
    pub async fn find<R: Stored>(&self, tx: &mut Tx<'tx>, id: R::Id) -> Result<Option<R>, Error> {
        Ok(records::read(tx, self.organization()?, id).await?)
    }

    /// Applies effects and those that follow from them. Returns all of them as written.
    pub async fn apply(&self, tx: &mut Tx<'tx>, effects: &[Effect]) -> Result<Vec<Effect>, Error> {
        let change = self.change();
        Ok(match &self.authority {
            Authority::Organization(proof) => tx.apply(proof, change, effects).await?,
            Authority::User(proof) => tx.apply(proof, change, effects).await?,
            Authority::Guest(proof) | Authority::NewGuest(proof) => tx.apply(proof, change, effects).await?,
        })
    }

    /// Applies effects with another permission: that of the user in another organization, or of a guest.
    pub async fn apply_by<'p>(
        &self,
        tx: &mut Tx<'tx>,
        authority: impl Into<fieldhouse_store::Authority<'p, 'tx>>,
        effects: &[Effect],
    ) -> Result<Vec<Effect>, Error>
    where
        'tx: 'p,
    {
        Ok(tx.apply(authority, self.change(), effects).await?)
    }

    /// Creates a record, and returns it as it was written.
    pub async fn create<R: Stored + TryFrom<AnyRecord>>(
        &self,
        tx: &mut Tx<'tx>,
        record: R,
    ) -> Result<R, Error> {
        self.create_any(tx, record.into()).await
    }

    /// Creates the record of [`Command::creates`], and returns it as it was written.
    pub async fn create_new<R: TryFrom<AnyRecord>>(
        &mut self,
        tx: &mut Tx<'tx>,
        command: &impl Command,
    ) -> Result<R, Error> {
        let made = self.made.take().or_else(|| command.creates(self.moment));
        let nothing =
            || fieldhouse_store::Error::Internal(format!("{} creates nothing", self.operation.id()));
        self.create_any(tx, made.ok_or_else(nothing)?).await
    }

    async fn create_any<R: TryFrom<AnyRecord>>(
        &self,
        tx: &mut Tx<'tx>,
        record: AnyRecord,
    ) -> Result<R, Error> {
        let id = record.uuid();
        written(self.apply(tx, &[Effect::create(record)]).await?, id)
    }

    /// Changes a record if a field differs, and returns it.
    pub async fn update<R: Stored + TryFrom<AnyRecord>>(
        &self,
        tx: &mut Tx<'tx>,
        before: R,
        after: R,
    ) -> Result<R, Error> {
        let Some(effect) = Effect::update(self.moment, before.clone(), after) else { return Ok(before) };
        let id = before.id().uuid();
        written(self.apply(tx, &[effect]).await?, id)
    }

    /// The day in the organization's time zone, for operations that use children's data.
    pub fn today(&self) -> Result<Date, Error> {
        self.organization()?.today().ok_or_else(Error::not_found)
    }

    /// Opens a class of a child's data, if a relation of the user does.
    pub async fn open<C: Class, V: Use>(
        &self,
        tx: &mut Tx<'tx>,
        child: ChildId,
    ) -> Result<ChildAccess<'tx, C, V>, Error> {
        Ok(tx.open(self.organization()?, child).await??)
    }

    /// Applies effects on one class of a child's data.
    pub async fn apply_to_child<C: Class>(
        &self,
        tx: &mut Tx<'tx>,
        access: ChildAccess<'tx, C, Write>,
        effects: &[Effect],
    ) -> Result<Vec<Effect>, Error> {
        Ok(tx.apply_to_child(self.organization()?, access, self.change(), effects).await?)
    }

    /// Erases a child, for a decided privacy request. Returns whether anything was left to erase.
    pub async fn erase_child(&self, tx: &mut Tx<'tx>, child: ChildId) -> Result<bool, Error> {
        Ok(tx.erase_child(self.organization()?, self.change(), child).await?)
    }

    /// Deletes a record.
    pub async fn delete<R: Stored>(&self, tx: &mut Tx<'tx>, record: R) -> Result<(), Error> {
        self.apply(tx, &[Effect::delete(record)]).await.map(drop)
    }

    fn change(&self) -> Change<'_> {
        Change {
            moment: self.moment,
            operation: self.operation.id(),
            request_id: self.request_id,
            reason: self.reason.as_deref(),
        }
    }
}

/// A record as one of the applied effects wrote it.
fn written<R: TryFrom<AnyRecord>>(applied: Vec<Effect>, id: Uuid) -> Result<R, Error> {
    let after = applied.into_iter().filter_map(|effect| effect.after).find(|after| after.uuid() == id);
    let after = after.and_then(|after| R::try_from(after).ok());
    after.ok_or_else(|| fieldhouse_store::Error::Internal(format!("no effect on {id} was applied")).into())
}
