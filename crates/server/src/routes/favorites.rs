//! Saved college programs, of members and of guests.

use axum::http::HeaderName;
use fieldhouse_api::favorites::{
    Favorite, FavoriteProgram, FavoriteRemoved, FavoriteReturn, FavoritesClaimed, RecordOrList,
    SavedFavorite, SavedMeta, WantedProgram,
};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{self, ListOwner, MOST, SavedProgram};
use fieldhouse_domain::ids::{FavoriteId, Id};
use fieldhouse_domain::text::NotText;
use fieldhouse_store::colleges::{self, Program};
use fieldhouse_store::favorites::{Listed, list_to_write};
use fieldhouse_store::{Authority, GuestWrite, OrgWrite, Tx, guests};
use uuid::Uuid;

use crate::answer::Answered;
use crate::auth::credentials::GUEST_TOKEN;
use crate::auth::tokens;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

/// How many records the list gives: by the specification's plain call, all of them.
const WHOLE: Bounds = Bounds { default: 200, most: 200 };

fn view(favorite: &favorites::Favorite, program: Option<&Program>) -> Favorite {
    Favorite {
        id: favorite.id,
        program: view_program(favorite, program),
        child_id: None,
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

fn view_program(favorite: &favorites::Favorite, program: Option<&Program>) -> FavoriteProgram {
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

fn views(list: &[Listed]) -> Vec<Favorite> {
    list.iter().map(|listed| view(&listed.favorite, listed.program.as_ref())).collect()
}

pub(crate) async fn list(call: Call<op::FavoriteList>) -> Result<Answered<op::FavoriteList>, Failure> {
    let part = call.part::<(i64, Uuid)>(call.query.limit, call.query.cursor.as_deref(), WHOLE)?;
    let mut store = call.store();
    let mut found = match call.member() {
        Some(scope) => fieldhouse_store::favorites::list(&mut store, scope).await?,
        None => match guest(&call).await? {
            Some(guest) => guests::list(&mut store, guest).await?,
            None => Vec::new(),
        },
    };
    let point = |listed: &Listed| (listed.favorite.rank, listed.favorite.id.uuid());
    found.retain(|listed| part.after.is_none_or(|after| point(listed) > after));
    let page = call.page_info(&part, &mut found, point)?;
    call.page(Page { data: views(&found), deleted: None, page })
}

/// The guest of the token that was sent; none where none was sent.
async fn guest<O: Op>(call: &Call<O>) -> Result<Option<fieldhouse_domain::ids::GuestId>, Failure> {
    let Some(digest) = call.guest()? else { return Ok(None) };
    Ok(guests::find(&mut call.store(), &digest, call.now()).await?)
}

/// Leave to write to the caller's list: a member's or a guest's.
enum Pen<'tx> {
    Member(OrgWrite<'tx>, fieldhouse_domain::ids::UserId),
    Guest(GuestWrite<'tx>),
}

impl<'tx> Pen<'tx> {
    /// The pen of whoever calls; none for a guest without a token.
    async fn of<O: Op>(tx: &mut Tx<'tx>, call: &Call<O>) -> Result<Option<Self>, Failure> {
        if let Some(scope) = call.member() {
            let proof = tx.permit(scope, call.now()).await??;
            return Ok(Some(Self::Member(proof, scope.user())));
        }
        let Some(digest) = call.guest()? else { return Ok(None) };
        Ok(tx.permit_guest(&digest, call.now()).await?.map(Self::Guest))
    }

    fn owner(&self) -> ListOwner {
        match self {
            Self::Member(_, user) => ListOwner::User(*user),
            Self::Guest(proof) => ListOwner::Guest(proof.guest()),
        }
    }

    fn authority(&self) -> Authority<'_, 'tx> {
        match self {
            Self::Member(proof, _) => proof.into(),
            Self::Guest(proof) => proof.into(),
        }
    }

    async fn list(&self, tx: &mut Tx<'tx>) -> Result<Vec<Listed>, Failure> {
        Ok(match self {
            Self::Member(proof, user) => list_to_write(tx, proof, *user).await?,
            Self::Guest(proof) => guests::list(tx, proof.guest()).await?,
        })
    }

    /// One program of the list.
    async fn find(&self, tx: &mut Tx<'tx>, id: FavoriteId) -> Result<Listed, Failure> {
        let list = self.list(tx).await?;
        list.into_iter().find(|listed| listed.favorite.id == id).ok_or_else(Failure::not_found)
    }
}

pub(crate) async fn save(call: Call<op::FavoriteSave>) -> Result<Answered<op::FavoriteSave>, Failure> {
    let unnamed = || Failure::internal("a favorite that names no program was read");
    let wanted = call.body.program().ok_or_else(unnamed)?;
    let details = call.body.details.clone();
    let token = tokens::guest_token(call.app.clock.random(), &call.app.key_ring);
    call.transact((wanted, details, token), |tx, moment, call, (wanted, details, token)| {
        Box::pin(async move {
            let (program, catalogue) = find_program(tx, wanted).await?;
            let (pen, guest_token) = match Pen::of(tx, call).await? {
                Some(pen) => (pen, None),
                None => {
                    (Pen::Guest(tx.welcome_guest(moment, &tokens::digest(token)).await?), Some(token.clone()))
                }
            };
            let list = pen.list(tx).await?;
            let saved: Vec<_> = list.iter().map(|listed| listed.favorite.clone()).collect();
            let (favorite, effect) = favorites::save(moment, pen.owner(), &saved, program, details.clone())?;
            let created = effect.is_some();
            call.apply(tx, moment, pen.authority(), effect.as_slice()).await?;
            let data = match call.query.return_ {
                Some(FavoriteReturn::List) => RecordOrList::List(views(&pen.list(tx).await?)),
                _ => RecordOrList::Record(Box::new(view(&favorite, catalogue.as_ref()))),
            };
            let meta = SavedMeta { created, guest_token: guest_token.clone() };
            let answered = Answered::json(&SavedFavorite { data, meta })?.made(favorite.id);
            let answered = if created { answered } else { answered.status(200) };
            Ok(match guest_token {
                Some(token) => answered.secret().header(HeaderName::from_static(GUEST_TOKEN), token),
                None => answered,
            })
        })
    })
    .await
}

/// The program that is to be saved, with what the catalogue says of it.
async fn find_program(
    tx: &mut Tx<'_>,
    wanted: &WantedProgram,
) -> Result<(SavedProgram, Option<Program>), Failure> {
    let (found, pointer) = match wanted {
        WantedProgram::Custom(custom) => return Ok((SavedProgram::Custom(custom.clone()), None)),
        WantedProgram::Id(id) => (colleges::read_program(tx, *id).await?, "/program_id"),
        WantedProgram::Natural(unitid, sport, gender) => {
            (colleges::find_program(tx, *unitid, sport, *gender).await?, "/unitid")
        }
    };
    let fix = "search GET /api/v1/colleges/programs, or save it as custom";
    let unknown = || NotText::new("unknown_program", "is no program of the catalogue", fix);
    let program = found.ok_or_else(|| Refusal::field(pointer, unknown()))?;
    Ok((SavedProgram::Catalogue(program.program.id), Some(program)))
}

pub(crate) async fn change(call: Call<op::FavoriteChange>) -> Result<Answered<op::FavoriteChange>, Failure> {
    let details = call.body.clone();
    call.transact(details, |tx, moment, call, details| {
        Box::pin(async move {
            let pen = Pen::of(tx, call).await?.ok_or_else(Failure::not_found)?;
            let Listed { mut favorite, program } = pen.find(tx, *call.path()?).await?;
            call.precondition(favorite.version)?;
            if let Some(effect) = favorites::change(moment, pen.owner(), favorite.clone(), details.clone())? {
                call.apply(tx, moment, pen.authority(), std::slice::from_ref(&effect)).await?;
                if let Some(AnyRecord::Favorite(after)) = effect.after {
                    favorite = after;
                }
            }
            Ok(Answered::json(&Data { data: view(&favorite, program.as_ref()) })?.version(favorite.version))
        })
    })
    .await
}

pub(crate) async fn remove(call: Call<op::FavoriteRemove>) -> Result<Answered<op::FavoriteRemove>, Failure> {
    call.transact((), |tx, moment, call, ()| {
        Box::pin(async move {
            let pen = Pen::of(tx, call).await?.ok_or_else(Failure::not_found)?;
            let listed = pen.find(tx, *call.path()?).await?;
            call.precondition(listed.favorite.version)?;
            let program = view_program(&listed.favorite, listed.program.as_ref());
            let effect = Effect::delete(AnyRecord::Favorite(listed.favorite));
            call.apply(tx, moment, pen.authority(), &[effect]).await?;
            let message =
                format!("{}, {}, is no longer among your favorites.", program.college_name, program.sport);
            Answered::json(&FavoriteRemoved { success: true, message })
        })
    })
    .await
}

pub(crate) async fn order(call: Call<op::FavoriteOrder>) -> Result<Answered<op::FavoriteOrder>, Failure> {
    call.transact((), |tx, moment, call, ()| {
        Box::pin(async move {
            let pen = Pen::of(tx, call).await?.ok_or_else(Failure::not_found)?;
            let list = pen.list(tx).await?.into_iter().map(|listed| listed.favorite).collect();
            let effects = favorites::reorder(moment, list, &call.body.ids)?;
            call.apply(tx, moment, pen.authority(), &effects).await?;
            let list = pen.list(tx).await?;
            let limit = u32::try_from(MOST).unwrap_or(u32::MAX);
            let page = fieldhouse_api::PageInfo { limit, has_more: false, next_cursor: None, sync: None };
            Answered::json(&Page { data: views(&list), deleted: None, page })
        })
    })
    .await
}

pub(crate) async fn claim(call: Call<op::FavoritesClaim>) -> Result<Answered<op::FavoritesClaim>, Failure> {
    let token = call.guest()?.ok_or_else(Failure::not_found)?;
    call.write(token, |tx, acting, call, token| {
        Box::pin(async move {
            let user = call.scope()?.user();
            let proof = tx.permit_guest(token, call.now()).await?.ok_or_else(Failure::not_found)?;
            let favorites_of =
                |list: Vec<Listed>| list.into_iter().map(|listed| listed.favorite).collect::<Vec<_>>();
            let theirs = favorites_of(guests::list(tx, proof.guest()).await?);
            let own = favorites_of(list_to_write(tx, &acting.proof, user).await?);
            let claimed = favorites::claim(acting.moment, user, theirs, &own)?;
            acting.apply(tx, &claimed.copied).await?;
            call.apply(tx, acting.moment, &proof, &claimed.removed).await?;
            tx.end_guest(proof).await?;
            let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let data =
                FavoritesClaimed { copied: count(claimed.copied.len()), merged: count(claimed.merged) };
            Answered::json(&Data { data })
        })
    })
    .await
}
