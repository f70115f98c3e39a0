//! Registrations of children for seasons.

use jiff::Timestamp;

use crate::children::classes::Capacity;
use crate::children::require;
use crate::divisions::Division;
use crate::ids::{ChildId, DivisionId, RegistrationId, SeasonId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::refusal::Check;
use crate::seasons::{Season, SeasonStatus};
use crate::{Moment, Refusal};

enumeration! {
    /// The status of a registration.
    RegistrationStatus {
        /// A guardian or the registrar has applied.
        Applied "applied",
        /// The registrar has accepted the child.
        Accepted "accepted",
        /// It was withdrawn, or not accepted.
        Withdrawn "withdrawn",
    }
}

/// A registration of a child for a season.
#[derive(Clone, PartialEq, Record)]
#[record(table = "registrations", alias = "g")]
pub struct Registration {
    /// The id.
    #[field(server)]
    pub id: RegistrationId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// The season.
    #[field(create_only)]
    pub season_id: SeasonId,
    /// The division.
    #[field(create_only)]
    pub division_id: Option<DivisionId>,
    /// The status.
    #[field(server)]
    pub status: RegistrationStatus,
    /// Who applied.
    #[field(server)]
    pub applied_by: Option<UserId>,
    /// Who accepted or withdrew it.
    #[field(server)]
    pub decided_by: Option<UserId>,
    /// When it was accepted or withdrawn.
    #[field(server)]
    pub decided_at: Option<Timestamp>,
    /// When it was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// The fields to change in a registration. Fields that are left out keep their values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Body)]
#[body(title = "RegistrationChange")]
pub struct ChangeRegistration {
    /// The new status: `accepted`, by a registrar, or `withdrawn`.
    pub status: Option<RegistrationStatus>,
    /// The new division, of the same season. Once a registration is accepted, only a registrar changes it.
    pub division_id: Option<Option<DivisionId>>,
}

/// Someone who applies for a child, or changes a registration.
#[derive(Clone, Copy, Debug)]
pub struct Applicant<'a> {
    /// The user. `None` for the operator or a job.
    pub user: Option<UserId>,
    /// The capacities in which they open the child's data now.
    pub capacities: &'a [Capacity],
    /// Whether they have the duty to register children for the season. A registrar of another season decides nothing about this one.
    pub registers: bool,
}

impl Applicant<'_> {
    fn refuse_others(&self) -> Result<(), Refusal> {
        let why =
            "only a guardian or a registrar of the season can register the child, or change its registration";
        let allowed: &[Capacity] =
            if self.registers { &[Capacity::Guardian, Capacity::Registrar] } else { &[Capacity::Guardian] };
        require(self.capacities, allowed, why)
    }

    fn refuse_all_but_registrars(&self, what: &str) -> Result<(), Refusal> {
        let allowed: &[Capacity] = if self.registers { &[Capacity::Registrar] } else { &[] };
        require(self.capacities, allowed, &format!("only a registrar of the season can {what}"))
    }
}

/// The capacities in which someone sees registrations: who may apply or accept, and the child itself.
pub const SEEN_AS: [Capacity; 3] = [Capacity::Child, Capacity::Guardian, Capacity::Registrar];

/// What the body of a new registration names, and what is known about the child.
#[derive(Clone, Copy, Debug)]
pub struct Named<'a> {
    /// The season. `None` if it does not exist.
    pub season: Option<&'a Season>,
    /// The division. `None` if it does not exist, or none is named.
    pub division: Option<&'a Division>,
    /// Whether the child has a registration for the season that is not withdrawn.
    pub is_registered: bool,
}

/// Registers a child for a season that is not over. A registrar accepts it later.
pub fn apply(
    moment: &Moment,
    by: &Applicant<'_>,
    child_id: ChildId,
    new: &NewRegistration,
    named: &Named<'_>,
) -> Result<Registration, Refusal> {
    by.refuse_others()?;
    let mut check = Check::default();
    if named.season.is_none() {
        check.missing("/season_id");
    }
    check_division(&mut check, new.season_id, new.division_id, named.division);
    check.finish(Some(()))?;
    if let Some(season) = named.season
        && matches!(season.status, SeasonStatus::Completed | SeasonStatus::Archived)
    {
        let why = format!("the season is {}. Register the child for another season", season.status);
        return Err(Refusal::State(why));
    }
    if named.is_registered {
        let why = "the child is registered for this season already. Change that registration instead";
        return Err(Refusal::Duplicate(why.to_owned()));
    }
    let now = moment.now();
    Ok(Registration {
        id: moment.id(),
        child_id,
        season_id: new.season_id,
        division_id: new.division_id,
        status: RegistrationStatus::Applied,
        applied_by: by.user,
        decided_by: None,
        decided_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

fn check_division(
    check: &mut Check,
    season: SeasonId,
    wanted: Option<DivisionId>,
    division: Option<&Division>,
) {
    let at = "/division_id";
    if wanted.is_some() && division.is_none() {
        check.missing(at);
    }
    if wanted.is_some() && division.is_some_and(|division| division.season_id != season) {
        let fix = "Send a division of the season.";
        check.refuse(at, "other_season", "belongs to another season", fix);
    }
}

/// The registration after a change. Only a registrar accepts it, or changes the division afterwards. `division` is the named division, if it
/// exists.
pub fn changed(
    moment: &Moment,
    by: &Applicant<'_>,
    registration: &Registration,
    wanted: ChangeRegistration,
    division: Option<&Division>,
) -> Result<Registration, Refusal> {
    by.refuse_others()?;
    registration.refuse_withdrawn()?;
    let mut after = registration.clone();
    after.division_id = wanted.division_id.unwrap_or(registration.division_id);
    if after.division_id != registration.division_id {
        if registration.status == RegistrationStatus::Accepted {
            by.refuse_all_but_registrars("change the division of an accepted registration")?;
        }
        let mut check = Check::default();
        check_division(&mut check, registration.season_id, after.division_id, division);
        check.finish(Some(()))?;
    }
    match wanted.status.filter(|status| *status != registration.status) {
        None => Ok(after),
        Some(RegistrationStatus::Withdrawn) => withdrawn(moment, by, &after),
        Some(RegistrationStatus::Accepted) => {
            by.refuse_all_but_registrars("accept a registration")?;
            Ok(after.decided(moment, by, RegistrationStatus::Accepted))
        }
        Some(RegistrationStatus::Applied) => {
            let why = "it is accepted already. Withdraw it and register the child again";
            Err(Refusal::State(why.to_owned()))
        }
    }
}

/// The withdrawn registration. The child's roster entries in the season end with it, see [`crate::rosters::left`].
pub fn withdrawn(
    moment: &Moment,
    by: &Applicant<'_>,
    registration: &Registration,
) -> Result<Registration, Refusal> {
    by.refuse_others()?;
    registration.refuse_withdrawn()?;
    Ok(registration.decided(moment, by, RegistrationStatus::Withdrawn))
}

impl Registration {
    fn decided(&self, moment: &Moment, by: &Applicant<'_>, status: RegistrationStatus) -> Self {
        Self { status, decided_by: by.user, decided_at: Some(moment.now()), ..self.clone() }
    }

    fn refuse_withdrawn(&self) -> Result<(), Refusal> {
        match self.status {
            RegistrationStatus::Withdrawn => {
                Err(Refusal::State("the registration is withdrawn; register the child again".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
