//! Exports of an organization: requesting one, opening its link, and importing the archive.

use std::collections::HashMap;
use std::sync::Arc;

use fieldhouse_api::Operation;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::consents::Consent;
use fieldhouse_domain::children::contacts::ChildContact;
use fieldhouse_domain::children::emergencies::ChildEmergency;
use fieldhouse_domain::children::guardian_invitations::INVITERS;
use fieldhouse_domain::children::identities::ChildIdentity;
use fieldhouse_domain::children::medical::ChildMedical;
use fieldhouse_domain::children::performances::ChildPerformance;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::exports::{self as rules, Export, NewExport};
use fieldhouse_domain::ids::{ChildId, ExportId, Id as _, UserId};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::staff::Staff;
use fieldhouse_domain::users::User;
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_imports::archive::{Archive, ArchiveCounts, Entry, Heading, Person};
use fieldhouse_store::access::children::{
    Contact, Emergency, Identity, Medical, Performance, Profile, Read, Records, Roster,
};
use fieldhouse_store::children::{self, ClassRecord};
use fieldhouse_store::exports::{self, Exporting, OfChild};
use fieldhouse_store::favorites::{self, Listed};
use fieldhouse_store::{Tx, consents, guardian_invitations, invitations, organizations, restrictions, users};
use jiff::civil::Date;
use uuid::Uuid;

use crate::{Command, Error, WriteContext};

/// Requests an export.
#[derive(Debug)]
pub struct Create(pub NewExport);

impl Command for Create {
    const OPERATION: Operation = Operation::ExportCreate;
    type Output = Export;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Export, Error> {
        let export = rules::request(cx.moment, cx.user()?, self.0)?;
        cx.create(tx, export).await
    }
}

/// Opens the link of an export, for the person who requested it.
#[derive(Debug)]
pub struct Open(pub ExportId);

impl Command for Open {
    const OPERATION: Operation = Operation::ExportContent;
    type Output = Exporting;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Exporting, Error> {
        let before: Export = cx.find(tx, self.0).await?.ok_or(Denial::LinkExpired)?;
        let after = rules::opened(cx.moment, &before, cx.role()?)?;
        cx.update(tx, before, after).await?;
        Ok(Exporting::granted(cx.organization()?))
    }
}

/// Requests an export of a child, for its family.
#[derive(Debug)]
pub struct CreateOfChild(pub ChildId);

impl Command for CreateOfChild {
    const OPERATION: Operation = Operation::ChildExportCreate;
    type Output = Export;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Export, Error> {
        let export = rules::request_of_child(cx.moment, cx.user()?, self.0);
        cx.create(tx, export).await
    }
}

/// Opens the link of an export of a child, for the person who requested it.
#[derive(Debug)]
pub struct OpenOfChild {
    /// The child.
    pub child: ChildId,
    /// The export.
    pub export: ExportId,
}

/// Everything about a child that a person may see. A class that is closed to them is `None`.
#[derive(Debug)]
#[expect(missing_docs, reason = "each is the record of its name")]
pub struct Copy {
    pub today: Date,
    pub profile: Option<Child>,
    pub identity: Option<ChildIdentity>,
    pub contact: Option<ChildContact>,
    pub emergency: Option<ChildEmergency>,
    pub medical: Option<ChildMedical>,
    pub performance: Option<ChildPerformance>,
    pub guardian_invitations: Vec<guardian_invitations::Listed>,
    pub consents: Vec<Consent>,
    pub favorites: Vec<Listed>,
    pub rest: OfChild,
}

impl Command for OpenOfChild {
    const OPERATION: Operation = Operation::ChildExportContent;
    type Output = Copy;

    fn target(&self) -> Option<Uuid> {
        Some(self.export.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Copy, Error> {
        let child = self.child;
        let before: Export = cx.find(tx, self.export).await?.ok_or(Denial::LinkExpired)?;
        let after = rules::opened_of_child(cx.moment, &before, child)?;
        let records = tx.open::<Records, Read>(cx.organization()?, child).await?;
        let records = records.map_err(|_| Denial::LinkExpired)?;
        cx.update(tx, before, after).await?;
        let mut rest = exports::of_child(tx, &records, cx.moment.now()).await?;
        // Where a child plays may be closed to someone who may see who else has seen its data.
        if tx.open::<Roster, Read>(cx.organization()?, child).await?.is_err() {
            rest.roster.clear();
        }
        if tx.open::<Identity, Read>(cx.organization()?, child).await?.is_err() {
            rest.registrations.clear();
        }
        Ok(Copy {
            today: cx.today()?,
            profile: class::<Profile>(tx, cx, child).await?,
            identity: class::<Identity>(tx, cx, child).await?,
            contact: class::<Contact>(tx, cx, child).await?,
            emergency: class::<Emergency>(tx, cx, child).await?,
            medical: class::<Medical>(tx, cx, child).await?,
            performance: class::<Performance>(tx, cx, child).await?,
            guardian_invitations: invitations_of(tx, cx, child).await?,
            consents: consents::of_child(tx, &records).await?,
            favorites: favorites::of_child(tx, &records).await?,
            rest,
        })
    }
}

/// The invitations to be a child's guardian, as far as the person lists them.
async fn invitations_of<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
) -> Result<Vec<guardian_invitations::Listed>, Error> {
    let (proof, user) = (cx.organization()?, cx.user()?);
    let is_named = restrictions::named(tx, proof, child, cx.moment.now()).await?.contains(&user);
    match tx.open::<Contact, Read>(proof, child).await? {
        Ok(access) if !is_named && INVITERS.contains(&access.capacity()) => {
            Ok(guardian_invitations::of_child(tx, &access).await?)
        }
        _ => Ok(Vec::new()),
    }
}

/// A class of a child's data. `None` if no relation opens it.
async fn class<'tx, C: ClassRecord>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
) -> Result<Option<C::Record>, Error> {
    match tx.open::<C, Read>(cx.organization()?, child).await? {
        Ok(access) => Ok(Some(children::record(tx, &access).await?)),
        Err(_) => Ok(None),
    }
}

/// Imports an archive into an organization that has only members.
#[derive(Debug)]
pub struct Import {
    /// The archive.
    pub archive: Arc<Archive>,
    /// Whether to check everything and store nothing.
    pub dry_run: bool,
}

impl Command for Import {
    const OPERATION: Operation = Operation::OperatorImportOrganization;
    type Output = ArchiveCounts;

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<ArchiveCounts, Error> {
        let Archive { heading, entries, counts } = &*self.archive;
        let before = organizations::read(tx, cx.organization()?).await?.ok_or_else(Error::not_found)?;
        if exports::is_in_use(tx, cx.organization()?).await? {
            let why =
                "the organization has seasons, venues or invitations. Import the archive into a new one";
            return Err(Refusal::State(why.to_owned()).into());
        }
        if self.dry_run {
            return Ok(*counts);
        }
        let renamed = renamed(before.clone(), heading);
        let mut effects: Vec<Effect> = Effect::update(cx.moment, before, renamed).into_iter().collect();
        let users = self.people(tx, cx, &mut effects).await?;
        effects.extend(entries.iter().filter_map(|entry| created(entry, &users)));
        cx.because("import");
        cx.apply(tx, &effects).await.map_err(taken)?;
        Ok(*counts)
    }
}

impl Import {
    /// The users of this server, by their ids in the archive. Effects are added for those who are not users or members yet.
    async fn people<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &WriteContext<'_, 'tx>,
        effects: &mut Vec<Effect>,
    ) -> Result<HashMap<UserId, UserId>, Error> {
        let mut users = HashMap::new();
        let mut joining = Vec::new();
        for entry in &self.archive.entries {
            let Entry::Member(member, person) = entry else { continue };
            let known = users::by_email(tx, &person.email).await?;
            let is_member = invitations::is_member(tx, cx.organization()?, &person.email).await?;
            let user = known.unwrap_or_else(|| new_user(cx.moment, person, effects));
            users.insert(person.id, user.id);
            if !is_member {
                joining.push(member);
            }
        }
        effects.extend(joining.into_iter().map(|member| {
            let user_id = users.get(&member.user_id).copied().unwrap_or(member.user_id);
            let role_given_by = member.role_given_by.and_then(|giver| users.get(&giver).copied());
            let role_given_at = member.role_given_at.filter(|_| role_given_by.is_some());
            Effect::create(Member { user_id, role_given_by, role_given_at, ..member.clone() })
        }));
        Ok(users)
    }
}

/// A user without a password, which they set with the link of a password reset.
fn new_user(moment: &Moment, person: &Person, effects: &mut Vec<Effect>) -> User {
    let user = User::new(moment, person.email.clone(), person.name.clone(), None);
    effects.push(Effect::create(user.clone()));
    user
}

fn renamed(organization: Organization, heading: &Heading) -> Organization {
    Organization {
        name: heading.name.clone(),
        country: heading.country.clone(),
        time_zone: heading.time_zone.clone(),
        ..organization
    }
}

/// The effect that creates a record. Members are created with their users.
fn created(entry: &Entry, users: &HashMap<UserId, UserId>) -> Option<Effect> {
    Some(match entry {
        Entry::Member(..) => return None,
        Entry::Season(season) => Effect::create(season.clone()),
        Entry::Division(division) => Effect::create(division.clone()),
        Entry::Team(team) => Effect::create(team.clone()),
        Entry::Venue(venue) => Effect::create(venue.clone()),
        Entry::Game(game) => Effect::create(game.clone()),
        Entry::Staff(staff) => Effect::create(Staff {
            user_id: users.get(&staff.user_id).copied()?,
            proposed_by: staff.proposed_by.and_then(|user| users.get(&user).copied()),
            confirmed_by: staff.confirmed_by.and_then(|user| users.get(&user).copied()),
            ..staff.clone()
        }),
    })
}

/// Two records of an archive with the same name or external id are a mistake in the archive.
fn taken(error: Error) -> Error {
    match error {
        Error::Store(fieldhouse_store::Error::Duplicate(key)) => {
            let field = key.field.as_deref().unwrap_or("id").replace('_', " ");
            Refusal::Duplicate(format!("the archive has two {} with the same {field}", key.table)).into()
        }
        other => other,
    }
}
