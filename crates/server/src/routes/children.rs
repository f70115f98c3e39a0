//! Children. Each class of data has its own operations and its own view.

use fieldhouse_api::children as api;
use fieldhouse_api::{Answer, Data, Op, Page, op};
use fieldhouse_commands::children as commands;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::contacts::ChildContact;
use fieldhouse_domain::children::emergencies::ChildEmergency;
use fieldhouse_domain::children::identities::ChildIdentity;
use fieldhouse_domain::children::medical::ChildMedical;
use fieldhouse_domain::children::performances::ChildPerformance;
use fieldhouse_domain::ids::{ChildId, Id as _};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::record::Record;
use fieldhouse_store::access::children::{
    Class, Contact, Emergency, Identity, Performance, Profile, Records, Roster,
};
use fieldhouse_store::access_log::{self, Event};
use fieldhouse_store::children::{self, ListedRecord};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(crate) async fn list(call: Call<op::ChildList>) -> Result<Answered<op::ChildList>, Failure> {
    let scope = call.children::<Roster>()?;
    let part = call.part::<Uuid>(call.query.limit, call.query.cursor.as_deref(), Bounds::USUAL)?;
    let found = call.read_children(scope, async move |source, scope| {
        let found = children::list(source, scope, part.after, part.reach()).await?;
        let seen =
            part.shown(found.as_deref().unwrap_or_default()).map(|line| (line.id, line.capacity)).collect();
        Ok((found, seen))
    });
    let found = found.await?.ok_or_else(Failure::lost_cursor)?;
    call.lines(&part, found, |line| line.id.uuid())
}

pub(crate) async fn read(call: Call<op::ChildRead>) -> Result<Answered<op::ChildRead>, Failure> {
    let child = *call.path()?;
    let found = call.read_children(call.children::<Roster>()?, async move |source, scope| {
        let found = children::read_line(source, scope, child).await?;
        let seen = found.iter().map(|line| (child, line.capacity)).collect();
        Ok((found, seen))
    });
    match found.await? {
        Some(line) => Ok(Answered::rendered(&line)),
        None => Err(hidden::<Roster, _>(&call, child).await?.into()),
    }
}

/// Why a class of a child is not open to the caller.
async fn hidden<C: Class, O: Op>(call: &Call<O>, child: ChildId) -> Result<Denial, Failure> {
    Ok(call.children::<C>()?.denial(&mut call.store(), child).await?)
}

pub(crate) async fn create(call: Call<op::ChildCreate>) -> Result<Answered<op::ChildCreate>, Failure> {
    let command = commands::Create(call.body.clone());
    call.run(command, |call, child| {
        let id = child.id;
        Ok(answer(&child, call.scope()?.today(call.now()))?.created(id))
    })
    .await
}

/// A record of a class, as its own view.
pub(super) trait View: Record {
    /// The type in responses.
    type View: Serialize + ToSchema + Send + Sync + 'static;
    /// The record in a response. `today` is the day in the organization's time zone.
    fn view(&self, today: Date) -> Self::View;
}

impl View for Child {
    type View = api::ChildProfile;
    fn view(&self, today: Date) -> api::ChildProfile {
        api::ChildProfile {
            child_id: self.id,
            display_name: self.display_name.to_string(),
            birth_year: self.birth_year,
            age_band: self.age_band_on(today),
            photo_url: self.photo_url.as_ref().map(ToString::to_string),
            pronouns: self.pronouns.as_ref().map(ToString::to_string),
            created_at: self.created_at,
            updated_at: self.updated_at,
            version: self.version,
        }
    }
}

impl View for ChildIdentity {
    type View = api::ChildIdentity;
    fn view(&self, _: Date) -> api::ChildIdentity {
        api::ChildIdentity {
            child_id: self.child(),
            legal_first_name: self.legal_first_name.as_ref().map(ToString::to_string),
            legal_last_name: self.legal_last_name.as_ref().map(ToString::to_string),
            birth_date: self.birth_date,
            updated_at: self.updated_at,
            version: self.version,
        }
    }
}

impl View for ChildContact {
    type View = api::ChildContact;
    fn view(&self, _: Date) -> api::ChildContact {
        api::ChildContact {
            child_id: self.child(),
            emails: self.emails.iter().map(ToString::to_string).collect(),
            phones: self.phones.iter().map(ToString::to_string).collect(),
            address: self.address.as_ref().map(ToString::to_string),
            emergency_contacts: self.emergency_contacts.0.clone(),
            updated_at: self.updated_at,
            version: self.version,
        }
    }
}

impl View for ChildEmergency {
    type View = api::ChildEmergency;
    fn view(&self, _: Date) -> api::ChildEmergency {
        api::ChildEmergency {
            child_id: self.child(),
            allergies: self.allergies.as_ref().map(ToString::to_string),
            conditions: self.conditions.as_ref().map(ToString::to_string),
            medications: self.medications.as_ref().map(ToString::to_string),
            instructions: self.instructions.as_ref().map(ToString::to_string),
            updated_at: self.updated_at,
            version: self.version,
        }
    }
}

impl View for ChildMedical {
    type View = api::ChildMedical;
    fn view(&self, _: Date) -> api::ChildMedical {
        api::ChildMedical {
            child_id: self.child(),
            conditions: self.conditions.as_ref().map(ToString::to_string),
            medications: self.medications.as_ref().map(ToString::to_string),
            insurance: self.insurance.as_ref().map(ToString::to_string),
            physician: self.physician.as_ref().map(ToString::to_string),
            notes: self.notes.as_ref().map(ToString::to_string),
            updated_at: self.updated_at,
            version: self.version,
        }
    }
}

impl View for ChildPerformance {
    type View = api::ChildPerformance;
    fn view(&self, _: Date) -> api::ChildPerformance {
        api::ChildPerformance {
            child_id: self.child(),
            position: self.position.as_ref().map(ToString::to_string),
            notes: self.notes.as_ref().map(ToString::to_string),
            metrics: self.metrics.iter().map(ToString::to_string).collect(),
            updated_at: self.updated_at,
            version: self.version,
        }
    }
}

/// Responds with a record of a class.
fn answer<R: View, O: Op<Answer = Data<R::View>>>(record: &R, today: Date) -> Result<Answered<O>, Failure>
where
    Data<R::View>: Answer + Serialize,
{
    Ok(Answered::json(&Data { data: record.view(today) })?.version(record.version()))
}

/// Reads a class of the child in the path.
async fn read_class<C, O>(call: Call<O>) -> Result<Answered<O>, Failure>
where
    C: ListedRecord<Record: View>,
    O: Op<Path = ChildId, Answer = Data<<C::Record as View>::View>>,
    O::Answer: Serialize,
{
    let child = *call.path()?;
    let found = call.read_children(call.children::<C>()?, async move |source, scope| {
        let found = children::read(source, scope, child).await?;
        let seen = found.iter().map(|opened| (child, opened.capacity)).collect();
        Ok((found, seen))
    });
    match found.await? {
        Some(opened) => answer(&opened.data, call.scope()?.today(call.now())),
        None => Err(hidden::<C, _>(&call, child).await?.into()),
    }
}

macro_rules! class_routes {
    ($($read:ident $read_op:ident $class:ident, $change:ident $change_op:ident $command:ident;)+) => { $(
        pub(crate) async fn $read(call: Call<op::$read_op>) -> Result<Answered<op::$read_op>, Failure> {
            read_class::<$class, _>(call).await
        }
        class_routes! { $change $change_op $command; }
    )+ };
    ($($change:ident $change_op:ident $command:ident;)+) => { $(
        pub(crate) async fn $change(call: Call<op::$change_op>) -> Result<Answered<op::$change_op>, Failure> {
            let command = commands::$command { child: *call.path()?, change: call.body.clone() };
            call.run(command, |call, record| answer(&record, call.scope()?.today(call.now()))).await
        }
    )+ };
}
class_routes! {
    profile ChildProfileRead Profile, change_profile ChildProfileChange ChangeProfile;
    identity ChildIdentityRead Identity, change_identity ChildIdentityChange ChangeIdentity;
    contact ChildContactRead Contact, change_contact ChildContactChange ChangeContact;
    emergency ChildEmergencyRead Emergency, change_emergency ChildEmergencyChange ChangeEmergency;
    performance ChildPerformanceRead Performance, change_performance ChildPerformanceChange ChangePerformance;
}
class_routes! { change_medical ChildMedicalChange ChangeMedical; }

pub(crate) async fn medical(
    call: Call<op::ChildMedicalRead>,
) -> Result<Answered<op::ChildMedicalRead>, Failure> {
    let command = commands::ReadMedical(*call.path()?);
    call.run(command, |call, record| answer(&record, call.scope()?.today(call.now()))).await
}

pub(crate) async fn access_log(
    call: Call<op::ChildAccessLog>,
) -> Result<Answered<op::ChildAccessLog>, Failure> {
    let (scope, child) = (call.children::<Records>()?, *call.path()?);
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    // What this process has read is in the log.
    call.app.access_log.flush(&call.store()).await?;
    let found = access_log::of_child(&mut call.store(), &scope, child, part.after, part.reach()).await?;
    let Some(mut found) = found else { return Err(scope.denial(&mut call.store(), child).await?.into()) };
    let page = call.page_info(&part, &mut found, |it| (it.at, it.id.uuid()))?;
    call.page(Page { data: found.into_iter().map(seen).collect(), deleted: None, page })
}

pub(super) fn seen(event: Event) -> api::AccessEvent {
    api::AccessEvent {
        id: event.id,
        at: event.at,
        child_id: event.child,
        user: api::AccessUser { id: event.user, name: event.name.unwrap_or_default() },
        key_id: event.key,
        capacity: event.capacity,
        class: event.class,
        operation: event.operation,
    }
}
