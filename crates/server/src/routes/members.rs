//! Members of the caller's organization.

use fieldhouse_api::members::{Member, MemberUser};
use fieldhouse_api::{Data, Deleted, Page, op};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::Id;
use fieldhouse_domain::{api_keys, members, sessions};
use fieldhouse_store::Tx;
use fieldhouse_store::members::Listed;
use jiff::Timestamp;
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Acting, Bounds, Call};
use crate::failure::Failure;

fn view(listed: &Listed) -> Member {
    let Listed { member, name, email } = listed;
    Member {
        id: member.id,
        user: MemberUser { id: member.user_id, name: name.clone(), email: email.clone() },
        role: member.role,
        joined_at: member.joined_at,
        suspended_at: member.suspended_at,
        updated_at: member.updated_at,
        version: member.version,
    }
}

pub(crate) async fn list(call: Call<op::MemberList>) -> Result<Answered<op::MemberList>, Failure> {
    let query = &call.query;
    let part = call.part::<(Timestamp, Uuid)>(query.limit, query.cursor.as_deref(), Bounds::USUAL)?;
    let mut found =
        fieldhouse_store::members::list(&mut call.store(), call.scope()?, part.after, part.reach()).await?;
    let page =
        call.page_info(&part, &mut found, |listed| (listed.member.joined_at, listed.member.id.uuid()))?;
    call.page(Page { data: found.iter().map(view).collect(), deleted: None, page })
}

pub(crate) async fn read(call: Call<op::MemberRead>) -> Result<Answered<op::MemberRead>, Failure> {
    let found = fieldhouse_store::members::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    let listed = found.ok_or_else(Failure::not_found)?;
    Ok(Answered::json(&Data { data: view(&listed) })?.version(listed.member.version))
}

pub(crate) async fn change(call: Call<op::MemberChange>) -> Result<Answered<op::MemberChange>, Failure> {
    let wanted = call.body;
    call.write(wanted, |tx, acting, call, wanted| {
        Box::pin(async move {
            let found = fieldhouse_store::members::read(tx, call.scope()?, *call.path()?).await?;
            let mut listed = found.ok_or_else(Failure::not_found)?;
            call.precondition(listed.member.version)?;
            let owners = fieldhouse_store::members::owners(tx, &acting.proof).await?;
            let role = acting.proof.role();
            if let Some(effect) =
                members::change(acting.moment, role, listed.member.clone(), *wanted, owners)?
            {
                let mut effects = vec![effect];
                // A session says nothing of roles, but its holder should see at once that something changed: he signs in anew.
                effects.extend(end_sessions(tx, acting, &listed).await?);
                acting.apply(tx, &effects).await?;
                if let Some(AnyRecord::Member(member)) = effects.swap_remove(0).after {
                    listed.member = member;
                }
            }
            Ok(Answered::json(&Data { data: view(&listed) })?.version(listed.member.version))
        })
    })
    .await
}

pub(crate) async fn remove(call: Call<op::MemberRemove>) -> Result<Answered<op::MemberRemove>, Failure> {
    call.write((), |tx, acting, call, ()| {
        Box::pin(async move {
            let found = fieldhouse_store::members::read(tx, call.scope()?, *call.path()?).await?;
            let listed = found.ok_or_else(Failure::not_found)?;
            call.precondition(listed.member.version)?;
            let owners = fieldhouse_store::members::owners(tx, &acting.proof).await?;
            let id = listed.member.id.to_string();
            let mut effects = vec![members::remove(acting.proof.role(), listed.member.clone(), owners)?];
            effects.extend(end_sessions(tx, acting, &listed).await?);
            let user = listed.member.user_id;
            let keys = fieldhouse_store::api_keys::active(tx, &acting.proof, user, call.now()).await?;
            let revoked = keys.into_iter().filter_map(|key| api_keys::revoke(acting.moment, key));
            effects.extend(revoked);
            acting.apply(tx, &effects).await?;
            Answered::json(&Data { data: Deleted { id, deleted: true } })
        })
    })
    .await
}

async fn end_sessions<'tx>(
    tx: &mut Tx<'tx>,
    acting: &Acting<'_, 'tx>,
    listed: &Listed,
) -> Result<Vec<Effect>, Failure> {
    let open = fieldhouse_store::sessions::open(tx, &acting.proof, listed.member.user_id).await?;
    let ended = open.into_iter().filter_map(|session| sessions::end(acting.moment, session));
    Ok(ended.collect())
}
