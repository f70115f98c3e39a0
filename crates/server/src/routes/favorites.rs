//! Saved college programs of users, guests and children.

use fieldhouse_api::favorites::{
    Favorite, FavoriteProgram, FavoriteRemoved, FavoriteReturn, FavoritesClaimed, RecordOrList,
    SavedFavorite, SavedMeta,
};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::favorites::{self as commands, Saved};
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::favorites::{self as rules, MAX_SAVED};
use fieldhouse_domain::ids::{ChildId, Id};
use fieldhouse_domain::scopes::Verb;
use fieldhouse_store::access::children::Records;
use fieldhouse_store::colleges::Program;
use fieldhouse_store::favorites::{self, Listed};
use fieldhouse_store::guests;
use uuid::Uuid;

use crate::answer::Answered;
use crate::auth::credentials::GUEST_TOKEN;
use crate::auth::tokens::GuestToken;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

/// The page size of the list: by default, all of it.
const WHOLE: Bounds = Bounds { default: 200, max: 200 };

fn view(Listed { favorite, program, child }: &Listed) -> Favorite {
    Favorite {
        id: favorite.id,
        program: view_program(favorite, program.as_ref()),
        child_id: child.map(|(child, _)| child),
        saved_by: child.map(|(_, saved_by)| saved_by),
        stage: favorite.stage,
        fit: favorite.fit,
        interest: favorite.interest,
        rank: favorite.rank,
        notes: favorite.notes.as_ref().map(ToString::to_string),
        tags: favorite.tags.iter().map(ToString::to_string).collect(),
        created_at: favorite.created_at,
        updated_at: favorite.updated_at,
        version: favorite.version,
    }
}

fn view_program(favorite: &rules::Favorite, program: Option<&Program>) -> FavoriteProgram {
    if let Some(custom) = &favorite.custom {
        return FavoriteProgram {
            id: None,
            unitid: None,
            college_name: custom.college_name.to_string(),
            sport: custom.sport.to_string(),
            gender: custom.gender.0,
            division: None,
            city: None,
            state: custom.state.as_ref().map(ToString::to_string),
        };
    }
    FavoriteProgram {
        id: favorite.program_id,
        unitid: program.map(|program| program.unitid),
        college_name: program.map(|program| program.college_name.clone()).unwrap_or_default(),
        sport: program.map(|program| program.program.sport.to_string()).unwrap_or_default(),
        gender: program.map_or(ProgramGender::Unknown, |program| program.program.gender),
        division: program.and_then(|program| program.program.division.clone()),
        city: program.and_then(|program| program.city.clone()),
        state: program.and_then(|program| program.state.clone()),
    }
}

pub(super) fn views(list: &[Listed]) -> Vec<Favorite> {
    list.iter().map(view).collect()
}

pub(crate) async fn list(call: Call<op::FavoriteList>) -> Result<Answered<op::FavoriteList>, Failure> {
    let part = call.part::<(i64, Uuid)>(call.query.limit, call.query.cursor.as_deref(), WHOLE)?;
    let child = call.query.child_id;
    let mut found = whole(&call, child).await?;
    let point = |listed: &Listed| (listed.favorite.rank, listed.favorite.id.uuid());
    found.retain(|listed| part.after.is_none_or(|after| point(listed) > after));
    let page = call.page_info(&part, &mut found, point)?;
    let answered = call.page(Page { data: views(&found), deleted: None, page })?;
    Ok(answered.about_children(child.is_some()))
}

pub(crate) async fn export(call: Call<op::FavoriteExport>) -> Result<Answered<op::FavoriteExport>, Failure> {
    let child = call.query.child_id;
    let found = whole(&call, child).await?;
    Ok(call.page(all(&found))?.about_children(child.is_some()))
}

/// The whole list of the child, or without one that of the caller or the guest. Only its family sees the list of a child, so that nothing is
/// noted in the access log.
async fn whole<O: Op>(call: &Call<O>, child: Option<ChildId>) -> Result<Vec<Listed>, Failure> {
    let mut store = call.store();
    if let Some(child) = child {
        refuse_narrow(call, Verb::Read)?;
        let scope = call.children::<Records>()?;
        return match favorites::list_of_child(&mut store, &scope, child).await? {
            Some(found) => Ok(found),
            None => Err(scope.denial(&mut store, child).await?.into()),
        };
    }
    Ok(match call.member() {
        Some(scope) => favorites::list(&mut store, scope).await?,
        None => match guest(call).await? {
            Some(guest) => guests::list(&mut store, guest).await?,
            None => Vec::new(),
        },
    })
}

/// Refuses a guest, and a key without the scope for children's data.
fn refuse_narrow<O: Op>(call: &Call<O>, verb: Verb) -> Result<(), Failure> {
    Ok(call.scope()?.refuse_narrow(verb)?)
}

/// A whole list as one page.
fn all(list: &[Listed]) -> Page<Favorite> {
    let limit = u32::try_from(MAX_SAVED).unwrap_or(u32::MAX);
    let page = fieldhouse_api::PageInfo { limit, has_more: false, next_cursor: None, sync: None };
    Page { data: views(list), deleted: None, page }
}

/// The guest whose token is in the request, if there is one.
async fn guest<O: Op>(call: &Call<O>) -> Result<Option<fieldhouse_domain::ids::GuestId>, Failure> {
    let Some(digest) = call.guest()? else { return Ok(None) };
    Ok(guests::find(&mut call.store(), &digest, call.now()).await?)
}

pub(crate) async fn save(call: Call<op::FavoriteSave>) -> Result<Answered<op::FavoriteSave>, Failure> {
    let child = call.body.child_id;
    if child.is_some() {
        refuse_narrow(&call, Verb::Write)?;
    }
    let unnamed = || Failure::internal("a favorite without a program was read");
    let command = commands::Save {
        child,
        program: call.body.program().ok_or_else(unnamed)?,
        details: call.body.details.clone(),
        whole: call.query.return_ == Some(FavoriteReturn::List),
    };
    let GuestToken { text, digest } =
        GuestToken::new(call.now(), call.app.clock.random(), &call.app.key_ring);
    call.creating_guest(digest).run(command, move |_, saved| view_saved(saved, &text)).await
}

fn view_saved(
    Saved { saved, is_new, is_new_guest, list }: Saved,
    token: &str,
) -> Result<Answered<op::FavoriteSave>, Failure> {
    let guest_token = is_new_guest.then(|| token.to_owned());
    let meta = SavedMeta { created: is_new, guest_token: guest_token.clone() };
    let data = match list {
        Some(list) => RecordOrList::List(views(&list)),
        None => RecordOrList::Record(Box::new(view(&saved))),
    };
    let answered = Answered::json(&SavedFavorite { data, meta })?.about_children(saved.child.is_some());
    let answered = if is_new { answered.created(saved.favorite.id) } else { answered.status(200) };
    Ok(match guest_token {
        Some(token) => answered.secret().header(GUEST_TOKEN, token),
        None => answered,
    })
}

pub(crate) async fn change(call: Call<op::FavoriteChange>) -> Result<Answered<op::FavoriteChange>, Failure> {
    let command = commands::Change { id: *call.path()?, change: call.body.clone() };
    call.run(command, |_, listed| {
        let answered = Answered::json(&Data { data: view(&listed) })?.version(listed.favorite.version);
        Ok(answered.about_children(listed.child.is_some()))
    })
    .await
}

pub(crate) async fn remove(call: Call<op::FavoriteRemove>) -> Result<Answered<op::FavoriteRemove>, Failure> {
    let command = commands::Remove(*call.path()?);
    call.run(command, |_, Listed { favorite, program, child }| {
        let program = view_program(&favorite, program.as_ref());
        let whose = if child.is_some() { "the child's" } else { "your" };
        let message =
            format!("{}, {}, is no longer among {whose} favorites.", program.college_name, program.sport);
        Ok(Answered::json(&FavoriteRemoved { success: true, message })?.about_children(child.is_some()))
    })
    .await
}

pub(crate) async fn order(call: Call<op::FavoriteOrder>) -> Result<Answered<op::FavoriteOrder>, Failure> {
    let child = call.body.child_id;
    if child.is_some() {
        refuse_narrow(&call, Verb::Write)?;
    }
    let command = commands::Order { child, ids: call.body.ids.clone() };
    call.run(command, move |_, list| Ok(Answered::json(&all(&list))?.about_children(child.is_some()))).await
}

pub(crate) async fn claim(call: Call<op::FavoritesClaim>) -> Result<Answered<op::FavoritesClaim>, Failure> {
    let command = commands::Claim { token: call.guest()?.ok_or_else(Failure::not_found)? };
    call.run(command, |_, commands::Claimed { copied, merged }| {
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Answered::json(&Data { data: FavoritesClaimed { copied: count(copied), merged: count(merged) } })
    })
    .await
}
