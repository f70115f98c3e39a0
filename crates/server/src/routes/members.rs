//! Members of the caller's organization.

use fieldhouse_api::members::{Member, MemberUser};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::members as commands;
use fieldhouse_domain::effects::Kind;
use fieldhouse_store::members::{self, Filter, Listed, Position};

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

pub(super) fn view(listed: &Listed) -> Member {
    let Listed { member, name, email, .. } = listed;
    Member {
        id: member.id,
        user: MemberUser { id: member.user_id, name: name.clone(), email: email.clone() },
        role: member.role,
        source: member.source,
        joined_at: member.joined_at,
        suspended_at: member.suspended_at,
        updated_at: member.updated_at,
        version: member.version,
    }
}

pub(crate) async fn list(call: Call<op::MemberList>) -> Result<Answered<op::MemberList>, Failure> {
    let query = &call.query;
    let part = call.part::<Position>(query.page.limit, query.page.cursor.as_deref(), Bounds::USUAL)?;
    let words = call.words(query.q.as_deref())?;
    let filter = Filter { words, role: query.role, sort: query.sort };
    let (store, after) = (&mut call.store(), part.after.as_ref());
    let mut found = members::list(store, call.scope()?, &filter, after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |listed| filter.position(listed))?;
    call.page(Page { data: found.iter().map(view).collect(), deleted: None, page })
}

pub(crate) async fn read(call: Call<op::MemberRead>) -> Result<Answered<op::MemberRead>, Failure> {
    let found = members::read(&mut call.store(), call.scope()?, *call.path()?).await?;
    one(&found.ok_or_else(Failure::not_found)?)
}

/// Responds with one member.
fn one<O: Op<Answer = Data<Member>>>(listed: &Listed) -> Result<Answered<O>, Failure> {
    Ok(Answered::json(&Data { data: view(listed) })?.version(listed.member.version))
}

pub(crate) async fn change(call: Call<op::MemberChange>) -> Result<Answered<op::MemberChange>, Failure> {
    let command = commands::Change { id: *call.path()?, change: call.body };
    call.run(command, |_, listed| one(&listed)).await
}

pub(crate) async fn remove(call: Call<op::MemberRemove>) -> Result<Answered<op::MemberRemove>, Failure> {
    let command = commands::Remove(*call.path()?);
    call.run(command, |_, id| Answered::deleted(id)).await
}

pub(crate) async fn history(call: Call<op::MemberHistory>) -> Result<Answered<op::MemberHistory>, Failure> {
    super::audit::history(call, Kind::Member).await
}
