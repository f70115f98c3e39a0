//! Saved college programs of users in the store. Those of guests stand in a table of their own: `guests.rs`.

use fieldhouse_domain::favorites::{CustomProgram, Favorite, ListOwner, SavedProgram};
use fieldhouse_domain::ids::{Id, OrganizationId, UserId};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{Name, Tag};
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::colleges::{self, Program};
use crate::engine::{Reader, Tx};
use crate::error::{Error, Result};
use crate::query::queries;
use crate::row::{self, Row};
use crate::value::{id, values};

/// The saved programs of a table, with what the catalogue says of them, in their owner's order. [`favorite`] reads a row, all but
/// what one of the two tables has besides, which comes before the program.
macro_rules! saved {
    ($table:literal, $besides:literal, $whose:literal) => {
        concat!(
            "SELECT f.id, f.program_id, f.custom_college_name, f.custom_state, f.custom_sport, f.custom_gender, f.stage,
                f.fit, f.interest, f.rank, f.tags, f.created_at, f.updated_at, f.version",
            $besides,
            ", ",
            $crate::colleges::program_columns!(),
            " FROM ",
            $table,
            " f LEFT JOIN programs p ON p.id = f.program_id LEFT JOIN colleges c ON c.id = p.college_id WHERE ",
            $whose,
            " ORDER BY f.rank, f.id"
        )
    };
}
pub(crate) use saved;

queries! {
    LIST "favorites.list" saved!("favorites", ", f.notes", "f.org_id = $1 AND f.user_id = $2");
    INSERT "favorites.insert" "INSERT INTO favorites (org_id, user_id, id, program_id, custom_folded, custom_college_name, custom_state,
            custom_sport, custom_gender, stage, fit, interest, rank, notes, tags, created_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    UPDATE "favorites.update" "UPDATE favorites SET stage = $4, fit = $5, interest = $6, rank = $7, notes = $8, tags = $9,
            updated_at = $10, version = $11
        WHERE org_id = $1 AND user_id = $2 AND id = $3 AND version = $11 - 1";
    DELETE "favorites.delete" "DELETE FROM favorites WHERE org_id = $1 AND user_id = $2 AND id = $3 AND version = $4";
}

/// A saved program with what the catalogue says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What was saved.
    pub favorite: Favorite,
    /// The catalogue's program; none for one that the catalogue does not hold.
    pub program: Option<Program>,
}

/// The caller's whole list, in his order. It holds at most [`fieldhouse_domain::favorites::MOST`].
pub async fn list(reader: &mut impl Reader, scope: &OrgScope) -> Result<Vec<Listed>> {
    of_user(reader, scope.organization(), scope.user()).await
}

/// The list of the user who writes, in this transaction.
pub async fn list_to_write<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    user: UserId,
) -> Result<Vec<Listed>> {
    of_user(tx, proof.organization(), user).await
}

async fn of_user(reader: &mut impl Reader, org: OrganizationId, user: UserId) -> Result<Vec<Listed>> {
    reader
        .rows(LIST, values![id(org), id(user)], |row| {
            let mut favorite = favorite(row, ListOwner::User(user))?;
            favorite.notes = row.next()?;
            Ok(Listed { favorite, program: colleges::optional_program(row)? })
        })
        .await
}

/// The columns that both tables have, but for the notes, which guests cannot keep.
pub(crate) fn favorite(row: &mut Row<'_>, owner: ListOwner) -> Result<Favorite> {
    Ok(Favorite {
        id: row.id()?,
        owner,
        program: saved_program(row)?,
        stage: row.parsed()?,
        fit: row.parsed()?,
        interest: row.next()?,
        rank: row.next()?,
        tags: row.list(|text| Ok::<_, std::convert::Infallible>(Tag::stored(text.to_owned())))?,
        created_at: row.next()?,
        updated_at: row.next()?,
        version: row.next()?,
        notes: None,
    })
}

fn saved_program(row: &mut Row<'_>) -> Result<SavedProgram> {
    let program = row.optional_id()?;
    let name: Option<String> = row.next()?;
    let state = row.next()?;
    let sport: Option<String> = row.next()?;
    let gender = row.optional_parsed()?;
    match (program, name, sport, gender) {
        (Some(program), ..) => Ok(SavedProgram::Catalogue(program)),
        (None, Some(name), Some(sport), Some(gender)) => {
            let (college_name, sport) = (Name::stored(name), Sport::stored(sport));
            Ok(SavedProgram::Custom(CustomProgram { college_name, state, sport, gender }))
        }
        _ => Err(Error::Internal("a saved program is neither of the catalogue nor a custom one".to_owned())),
    }
}

/// The columns of what was saved.
pub(crate) struct Columns<'a> {
    pub(crate) program: Option<Uuid>,
    pub(crate) folded: Option<String>,
    pub(crate) college_name: Option<&'a str>,
    pub(crate) state: Option<&'a str>,
    pub(crate) sport: Option<&'a str>,
    pub(crate) gender: Option<&'static str>,
}

impl<'a> Columns<'a> {
    pub(crate) fn of(program: &'a SavedProgram) -> Self {
        match program {
            SavedProgram::Catalogue(program) => Self {
                program: Some(program.uuid()),
                folded: None,
                college_name: None,
                state: None,
                sport: None,
                gender: None,
            },
            SavedProgram::Custom(custom) => Self {
                program: None,
                folded: Some(custom.folded()),
                college_name: Some(custom.college_name.as_str()),
                state: custom.state.as_deref(),
                sport: Some(custom.sport.as_str()),
                gender: Some(custom.gender.name()),
            },
        }
    }
}

fn user_of(favorite: &Favorite) -> Result<UserId> {
    match favorite.owner {
        ListOwner::User(user) => Ok(user),
        ListOwner::Guest(_) => Err(Error::Internal("a guest's list is not an organization's".to_owned())),
    }
}

pub(crate) async fn write(
    tx: &mut Tx<'_>,
    org: OrganizationId,
    new: bool,
    favorite: &Favorite,
) -> Result<u64> {
    let (org, user, favorite_id) = (org.uuid(), user_of(favorite)?.uuid(), favorite.id.uuid());
    let (stage, fit, interest, rank) =
        (favorite.stage.name(), favorite.fit.name(), favorite.interest, favorite.rank);
    let (notes, tags) = (favorite.notes.as_ref(), row::list(&favorite.tags));
    let (touched, version) = (favorite.updated_at, favorite.version);
    if new {
        let saved = Columns::of(&favorite.program);
        let values = values![
            org,
            user,
            favorite_id,
            saved.program,
            saved.folded,
            saved.college_name,
            saved.state,
            saved.sport,
            saved.gender,
            stage,
            fit,
            interest,
            rank,
            notes,
            tags,
            favorite.created_at,
            touched,
            version,
        ];
        return tx.run(INSERT, values).await;
    }
    let values = values![org, user, favorite_id, stage, fit, interest, rank, notes, tags, touched, version];
    tx.run(UPDATE, values).await
}

pub(crate) async fn delete(tx: &mut Tx<'_>, org: OrganizationId, favorite: &Favorite) -> Result<u64> {
    tx.run(DELETE, values![id(org), id(user_of(favorite)?), id(favorite.id), favorite.version]).await
}
