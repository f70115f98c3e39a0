//! Games and byes.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::games::shown::Names;
use fieldhouse_domain::games::{self as rules, ChangeGame, Game, GameResult, NewGame, Places};
use fieldhouse_domain::ids::{GameId, Id};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::Reason;
use fieldhouse_store::Tx;
use fieldhouse_store::games::{self, Listed};
use jiff::Timestamp;
use uuid::Uuid;

use crate::restored::restored;
use crate::{Command, Error, WriteContext};

/// Creates a game or a bye.
#[derive(Debug)]
pub struct Create {
    /// The game.
    pub new: NewGame,
    /// Whether it may overlap with other games.
    pub allow_overlap: bool,
}

impl Command for Create {
    const OPERATION: Operation = Operation::GameCreate;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        cx.read::<Season>(tx, "/season_id", self.new.season_id).await?;
        let game = Game::create(cx.moment, self.new.clone());
        let places = places(tx, cx, &game).await?;
        rules::refuse_wrong_places(None, &game, &places)?;
        if !self.allow_overlap {
            refuse_overlap(tx, cx, &game, &places).await?;
        }
        Ok(with_names(cx.create(tx, game).await?, &places))
    }
}

/// Changes a game.
#[derive(Debug)]
pub struct Change {
    /// The game.
    pub id: GameId,
    /// What changes.
    pub change: ChangeGame,
    /// Why, for families and the ledger.
    pub reason: Option<Reason>,
    /// Whether it may overlap with other games.
    pub allow_overlap: bool,
}

impl Command for Change {
    const OPERATION: Operation = Operation::GameChange;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before: Game = cx.target(tx, self.id).await?;
        let after = before.with(self.change.clone())?;
        let places = places(tx, cx, &after).await?;
        rules::refuse_wrong_places(Some(&before), &after, &places)?;
        // An overlap that was allowed before does not prevent other changes.
        if !self.allow_overlap && rules::is_moved(&before, &after) {
            refuse_overlap(tx, cx, &after, &places).await?;
        }
        if let Some(reason) = &self.reason {
            cx.because(reason.as_str());
        }
        Ok(with_names(cx.update(tx, before, after).await?, &places))
    }
}

/// Enters the result of a game.
#[derive(Debug)]
pub struct EnterResult {
    /// The game.
    pub id: GameId,
    /// The result.
    pub result: GameResult,
}

impl Command for EnterResult {
    const OPERATION: Operation = Operation::GameResult;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before: Game = cx.target(tx, self.id).await?;
        let after = rules::with_result(&before, &self.result)?;
        if let Some(reason) = &self.result.reason {
            cx.because(reason.as_str());
        }
        cx.update(tx, before, after).await?;
        // One statement, where the places would be four.
        games::read(tx, cx.organization()?, self.id).await?.ok_or_else(Error::not_found)
    }
}

/// Deletes a game.
#[derive(Debug)]
pub struct Delete(pub GameId);

impl Command for Delete {
    const OPERATION: Operation = Operation::GameDelete;
    type Output = GameId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<GameId, Error> {
        let game: Game = cx.target(tx, self.0).await?;
        cx.delete(tx, game).await?;
        Ok(self.0)
    }
}

/// Brings a deleted game back, for an undo. It is given as it was before its deletion. It may overlap with
/// other games.
#[derive(Debug)]
pub struct Restore(pub Game);

impl Command for Restore {
    const OPERATION: Operation = Operation::GameCreate;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        cx.read::<Season>(tx, "/season_id", self.0.season_id).await?;
        let game = restored(cx.moment, &self.0);
        let places = places(tx, cx, &game).await?;
        // A team that moved to another division kept this game.
        rules::refuse_wrong_places(Some(&self.0), &game, &places)?;
        Ok(with_names(cx.create(tx, game).await?, &places))
    }
}

/// The number of games that one run of [`KeepLocalTimes`] visits.
const BATCH: u32 = 500;

/// Moves the UTC times of games to come to what their local start means by the rules of its time zone now. It visits some games after a
/// position, and returns the position to go on from.
#[derive(Debug)]
pub struct KeepLocalTimes {
    /// The position.
    pub after: (Timestamp, Uuid),
}

impl Command for KeepLocalTimes {
    const OPERATION: Operation = Operation::GamesKeepLocalTimes;
    type Output = Option<(Timestamp, Uuid)>;

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<Self::Output, Error> {
        let found = games::from(tx, cx.organization()?, self.after, BATCH).await?;
        let last = found.last().map(|game| (game.starts_at, game.id.uuid()));
        let next = last.filter(|_| found.len() == BATCH as usize);
        let moved = found.into_iter().filter_map(|game| {
            let after = game.by_rules_now()?;
            Effect::update(cx.moment, game, after)
        });
        let moved: Vec<_> = moved.collect();
        if !moved.is_empty() {
            cx.because("The rules of the time zone have changed.");
            cx.apply(tx, &moved).await?;
        }
        Ok(next)
    }
}

/// The records that a game refers to.
async fn places<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, game: &Game) -> Result<Places, Error> {
    let mut places = Places { division: cx.find(tx, game.division_id).await?, ..Places::default() };
    if let Some(id) = game.home_team_id {
        places.home = cx.find(tx, id).await?;
    }
    if let Some(id) = game.away_team_id {
        places.away = cx.find(tx, id).await?;
    }
    if let Some(id) = game.venue_id {
        places.venue = cx.find(tx, id).await?;
    }
    Ok(places)
}

async fn refuse_overlap<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    game: &Game,
    places: &Places,
) -> Result<(), Error> {
    let nearby = games::nearby(tx, cx.organization()?, game).await?;
    let conflicts = rules::conflicts(game, places.venue.as_ref(), &nearby);
    if conflicts.is_empty() { Ok(()) } else { Err(Refusal::Overlap(conflicts).into()) }
}

/// A game as it was written, with the names in the response.
fn with_names(game: Game, places: &Places) -> Listed {
    let team = |team: &Option<Team>| team.as_ref().map(|team| team.name.to_string());
    let venue = places.venue.as_ref().map(|venue| venue.name.to_string());
    Listed { game, names: Names { home: team(&places.home), away: team(&places.away), venue } }
}
