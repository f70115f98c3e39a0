//! Changesets.

use fieldhouse_api::changesets::{
    ChangeChangeset, ChangesetListQuery, NewChangeset, NewUndo, Rejection, Resolve, Schedule, SimulationHash,
};
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::ids::{ChangesetId, SimulationId};

use crate::resources::resource;

resource! {
    /// Changesets: changes that are proposed, simulated, approved, executed and undone. [`Operations`](crate::Operations) builds one.
    ///
    /// ```no_run
    /// # async fn example(client: fieldhouse_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use fieldhouse_client::Operations;
    /// use fieldhouse_client::domain::games::{ChangeGame, GameStatus};
    /// use fieldhouse_client::domain::ids::GameId;
    /// let game: GameId = "gam_01h2xcejqtf2nbrexx3vqjhp41".parse()?;
    /// let mut operations = Operations::new();
    /// let off = ChangeGame { status: Some(GameStatus::Postponed), ..ChangeGame::default() };
    /// operations.update(game, &off)?.if_version(12);
    /// let proposed = client.changesets().create(&operations.changeset("Rain".parse()?)).await?;
    /// let simulated = client.changesets().simulate(proposed.id).await?;
    /// if let Some(simulation) = simulated.simulation.filter(|it| it.problems.is_empty()) {
    ///     println!("{}", simulation.impact["games_cancelled"]["count"]);
    ///     client.changesets().submit(proposed.id).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    Changesets {
        /// Lists changesets, newest first.
        list(query: ChangesetListQuery) => ChangesetList;
        /// Proposes a changeset, or an undo.
        create(body: NewChangeset) => ChangesetCreate;
        /// Reads a changeset with its operations and its latest simulation.
        read(id: ChangesetId) => ChangesetRead;
        /// Changes a changeset, as its author. Requires [`Call::if_match`](crate::Call::if_match).
        change(id: ChangesetId, body: ChangeChangeset) => ChangesetChange;
        /// Simulates a changeset.
        simulate(id: ChangesetId) => ChangesetSimulate;
        /// Reads a simulation with its effects.
        simulation(id: ChangesetId, simulation_id: SimulationId) => ChangesetSimulation;
        /// Reads what the latest simulation would do to each record. [`Call::text`](crate::Call::text) returns it as text.
        diff(id: ChangesetId) => ChangesetDiff;
        /// Reads what the latest simulation means for people.
        impact(id: ChangesetId) => ChangesetImpact;
        /// Submits a simulated changeset for review.
        submit(id: ChangesetId) => ChangesetSubmit;
        /// Approves a simulation.
        approve(id: ChangesetId, body: SimulationHash) => ChangesetApprove;
        /// Withdraws the caller's approval.
        unapprove(id: ChangesetId) => ChangesetUnapprove;
        /// Rejects a submitted changeset for good.
        reject(id: ChangesetId, body: Rejection) => ChangesetReject;
        /// Withdraws a changeset for good.
        withdraw(id: ChangesetId, body: Rejection) => ChangesetWithdraw;
        /// Makes the server execute an approved changeset at a time.
        schedule(id: ChangesetId, body: Schedule) => ChangesetSchedule;
        /// Executes an approved changeset, exactly once.
        execute(id: ChangesetId, body: SimulationHash) => ChangesetExecute;
        /// Undoes an executed changeset, or proposes that.
        undo(id: ChangesetId, body: NewUndo) => ChangesetUndo;
        /// Resolves conflicts of an undo with later changes.
        resolve(id: ChangesetId, body: Resolve) => ChangesetResolve;
        /// Lists what happened to a changeset, earliest first.
        events(id: ChangesetId, query: ListQuery) => ChangesetEvents;
    }
}
