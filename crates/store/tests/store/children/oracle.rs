//! Who may open what, decided slowly and obviously: one child, one person and one reason after the other.

use std::collections::BTreeMap;

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::break_glass::BreakGlassGrant;
use fieldhouse_domain::children::cases::SafeguardingCase;
use fieldhouse_domain::children::classes::{Capacity, DataClass, needed_consents, opens, own_from};
use fieldhouse_domain::children::consents::{Consent, ConsentStatus};
use fieldhouse_domain::children::relations::Relation;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::duties::{Duty, DutyKind};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{ChildId, RegistrationId, SeasonId, TeamId, UserId};
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_domain::staff::Staff;
use fieldhouse_domain::teams::Team;
use fieldhouse_testing::families::with_classes;
use jiff::Timestamp;
use jiff::civil::Date;

/// Everything that decides.
#[derive(Default)]
pub(super) struct World {
    pub(super) today: Date,
    pub(super) now: Timestamp,
    pub(super) teams: Vec<Team>,
    pub(super) children: Vec<Child>,
    pub(super) staff: Vec<Staff>,
    pub(super) rosters: Vec<RosterEntry>,
    pub(super) duties: Vec<Duty>,
    pub(super) relations: Vec<Relation>,
    pub(super) restrictions: Vec<Restriction>,
    pub(super) consents: Vec<Consent>,
    pub(super) registrations: Vec<Registration>,
    pub(super) cases: Vec<SafeguardingCase>,
    pub(super) grants: Vec<BreakGlassGrant>,
    /// Records that decide nothing.
    pub(super) records: Vec<AnyRecord>,
}

impl World {
    /// All records.
    pub(super) fn stored(&self) -> Vec<AnyRecord> {
        let mut all = self.records.clone();
        all.extend(self.teams.iter().cloned().map(AnyRecord::from));
        all.extend(self.children.iter().flat_map(with_classes));
        all.extend(self.staff.iter().cloned().map(AnyRecord::from));
        all.extend(self.rosters.iter().cloned().map(AnyRecord::from));
        all.extend(self.duties.iter().cloned().map(AnyRecord::from));
        all.extend(self.relations.iter().cloned().map(AnyRecord::from));
        all.extend(self.restrictions.iter().cloned().map(AnyRecord::from));
        all.extend(self.consents.iter().cloned().map(AnyRecord::from));
        all.extend(self.grants.iter().cloned().map(AnyRecord::from));
        all.extend(self.cases.iter().cloned().map(AnyRecord::from));
        all.extend(self.registrations.iter().cloned().map(AnyRecord::from));
        all
    }

    /// The children of whom a class is open to a person, with the first capacity that opens it.
    pub(super) fn opened(&self, user: UserId, class: DataClass, verb: Verb) -> BTreeMap<ChildId, Capacity> {
        let first = |child: &Child| {
            let mut capacities = self.capacities(user, child.id);
            capacities.retain(|capacity| self.opens(*capacity, child, class, verb));
            let capacity = capacities.into_iter().min()?;
            (!self.is_restricted(user, child.id, class)).then_some((child.id, capacity))
        };
        self.children.iter().filter_map(first).collect()
    }

    /// The registrations for a season that a person sees: those of the child itself and of its guardians, and, with a duty for the season, those of
    /// its registrar.
    pub(super) fn registered(&self, user: UserId, season: SeasonId) -> Vec<RegistrationId> {
        let registers = self.duties.iter().any(|it| {
            it.user_id == user
                && it.kind == DutyKind::Registrar
                && it.season_id == Some(season)
                && it.is_open_at(self.now)
        });
        let sees = |child: ChildId| {
            let mut capacities = self.capacities(user, child);
            capacities.retain(|it| [Capacity::Child, Capacity::Guardian, Capacity::Registrar].contains(it));
            let is_open = match capacities.into_iter().min() {
                None => false,
                Some(Capacity::Registrar) => registers,
                Some(_) => true,
            };
            is_open && !self.is_restricted(user, child, DataClass::Roster)
        };
        let of_season = self.registrations.iter().filter(|it| it.season_id == season && sees(it.child_id));
        of_season.map(|it| it.id).collect()
    }

    fn opens(&self, capacity: Capacity, child: &Child, class: DataClass, verb: Verb) -> bool {
        let age = child.age_on(self.today);
        let is_old_enough =
            capacity != Capacity::Child || own_from(class).is_none_or(|from| age >= i64::from(from));
        let needed = needed_consents(capacity, class, age < 13);
        let has_consented = needed.iter().all(|purpose| {
            let is_given = |consent: &Consent| {
                consent.child_id == child.id
                    && consent.purpose == *purpose
                    && consent.status_at(self.now) == ConsentStatus::Granted
            };
            self.consents.iter().any(is_given)
        });
        opens(capacity, class, verb) && is_old_enough && has_consented
    }

    fn is_restricted(&self, user: UserId, child: ChildId, class: DataClass) -> bool {
        self.restrictions.iter().any(|it| {
            it.child_id == child
                && it.user_id.is_none_or(|restricted| restricted == user)
                && (it.classes.is_empty() || it.classes.contains(&class))
                && it.starts_at <= self.now
                && it.lifted_at.is_none()
        })
    }

    fn capacities(&self, user: UserId, child: ChildId) -> Vec<Capacity> {
        let related = self
            .relations
            .iter()
            .filter(|it| it.user_id == user && it.child_id == child && it.is_open_at(self.now));
        let mut capacities: Vec<Capacity> = related.map(|it| it.kind.capacity()).collect();
        let coaches = self
            .staff
            .iter()
            .any(|it| it.user_id == user && it.is_open_on(self.today) && self.plays(child, it.team_id));
        capacities.extend(coaches.then_some(Capacity::Staff));
        let duties = self
            .duties
            .iter()
            .filter(|it| it.user_id == user && it.is_open_at(self.now) && self.is_in_scope(child, it));
        capacities.extend(duties.filter_map(|it| match it.kind {
            DutyKind::Registrar => Some(Capacity::Registrar),
            DutyKind::MedicalStaff => Some(Capacity::MedicalStaff),
            DutyKind::Support => Some(Capacity::Support),
            DutyKind::SafeguardingLead => None,
        }));
        let is_lead = self
            .duties
            .iter()
            .any(|it| it.user_id == user && it.kind == DutyKind::SafeguardingLead && it.is_open_at(self.now));
        let is_named = |it: &SafeguardingCase| {
            it.is_open_at(self.now) && it.lead_ids.contains(&user) && it.child_ids.contains(&child)
        };
        let is_granted =
            |it: &BreakGlassGrant| it.user_id == user && it.child_id == child && it.is_open_at(self.now);
        capacities.extend(self.grants.iter().any(is_granted).then_some(Capacity::BreakGlass));
        capacities.extend((is_lead && self.cases.iter().any(is_named)).then_some(Capacity::Safeguarding));
        capacities
    }

    fn is_in_scope(&self, child: ChildId, duty: &Duty) -> bool {
        if !duty.team_ids.is_empty() {
            return duty.team_ids.iter().any(|team| self.plays(child, *team));
        }
        let mut teams =
            self.teams.iter().filter(|team| duty.season_id.is_none_or(|season| team.season_id == season));
        let is_registered = self.registrations.iter().any(|it| {
            it.child_id == child
                && Some(it.season_id) == duty.season_id
                && it.status != RegistrationStatus::Withdrawn
        });
        teams.any(|team| self.plays(child, team.id)) || duty.kind == DutyKind::Registrar && is_registered
    }

    fn plays(&self, child: ChildId, team: TeamId) -> bool {
        self.rosters.iter().any(|it| it.child_id == child && it.team_id == team && it.is_open_on(self.today))
    }
}
