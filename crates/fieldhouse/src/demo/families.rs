//! The families of the demo: invented children in four teams of the league, and people with each kind of relation to them.

use anyhow::Context as _;
use fieldhouse_domain::Moment;
use fieldhouse_domain::children::consents::{Consent, ConsentMethod, Purpose};
use fieldhouse_domain::children::relations::{Relation, RelationKind};
use fieldhouse_domain::children::restrictions::{self, NewRestriction, RestrictionKind};
use fieldhouse_domain::children::{self as rules, Child, NewPerson};
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{ChildId, SeasonId, TeamId, UserId};
use fieldhouse_domain::record::Shared;
use fieldhouse_domain::registrations::{Registration, RegistrationStatus};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::second_person::Actor;
use fieldhouse_domain::staff::{Staff, StaffKind, StaffState};
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{Details, Name, Reason};
use jiff::civil::{Date, date};
use jiff::{SignedDuration, ToSpan as _};

/// What someone is to the children of the demo, in the order of [`PEOPLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    GuardianOfTwo,
    GuardianOfOne,
    RestrictedGuardian,
    Coach,
    ExCoach,
    Registrar,
}

/// The people besides the one of each role, with their addresses.
pub(super) const PEOPLE: [(Part, Role, &str, &str); 6] = [
    (Part::GuardianOfTwo, Role::Member, "two@demo.example", "guardian of two"),
    (Part::GuardianOfOne, Role::Member, "one@demo.example", "guardian of one"),
    (
        Part::RestrictedGuardian,
        Role::Member,
        "restricted@demo.example",
        "guardian whom a court's order keeps away",
    ),
    (Part::Coach, Role::Coach, "team@demo.example", "coach of a team"),
    (Part::ExCoach, Role::Coach, "former@demo.example", "coach until yesterday"),
    (Part::Registrar, Role::Member, "registrar@demo.example", "registrar of the season"),
];

/// The children: name, age, guardians, and their teams among the four.
const CHILDREN: [(&str, i16, &[Part], &[usize]); 5] = [
    ("Pepper Placeholder", 9, &[Part::GuardianOfTwo], &[0]),
    ("Sage Placeholder", 14, &[Part::GuardianOfTwo], &[1, 2]),
    ("Basil Sample", 11, &[Part::GuardianOfOne, Part::RestrictedGuardian], &[0]),
    ("Clover Example", 12, &[], &[3]),
    ("Juniper Madeup", 13, &[], &[1]),
];

/// The number of teams that have children.
const TEAMS: usize = 4;
/// How long the registrar's duty lasts.
const DUTY: SignedDuration = SignedDuration::from_hours(24 * 180);

/// The records of the families, and the children whom each person may see.
pub(super) struct Families {
    pub(super) records: Vec<AnyRecord>,
    /// For each of [`PEOPLE`].
    pub(super) seen: Vec<Vec<ChildId>>,
    /// The teams that have children.
    pub(super) teams: Vec<TeamId>,
}

/// Invents the families in a league that was just loaded. `users` are those of [`PEOPLE`]; `owner` has confirmed what needs it.
pub(super) fn invent(
    moment: &Moment,
    today: Date,
    league: &[AnyRecord],
    users: &[UserId],
    owner: UserId,
) -> anyhow::Result<Families> {
    let user = |part: Part| users[part as usize];
    let teams = teams(league)?;
    let of_children = teams.iter().map(|team| team.id).collect();
    let mut families = Families { records: Vec::new(), seen: Vec::new(), teams: of_children };
    let mut children = Vec::new();
    for (name, age, guardians, places) in CHILDREN {
        let child = families.child(moment, today, (name, age), guardians, user)?;
        families.play(moment, today, child, places.iter().map(|at| teams[*at]));
        if let Some(guardian) = guardians.first() {
            families.records.extend(consents(moment, child, user(*guardian)));
        }
        children.push((child, guardians, places));
    }
    let basil = children[2].0;
    let order = NewRestriction {
        user_id: Some(user(Part::RestrictedGuardian)),
        classes: Vec::new(),
        kind: RestrictionKind::CustodyOrder,
        reason: Reason::parse("An invented court order")?,
        document_ref: None,
        starts_at: None,
    };
    let actor = Actor { user: Some(owner), role: Role::Owner, role_given_by: None };
    families.records.push(restrictions::enter(moment, actor, basil, &order, true)?.into());
    let yesterday = today.yesterday()?;
    families.records.extend([
        staff(moment, teams[0], (user(Part::Coach), owner), None).into(),
        staff(moment, teams[1], (user(Part::ExCoach), owner), Some(yesterday)).into(),
        registrar(moment, (user(Part::Registrar), owner), teams[0].season_id)?.into(),
    ]);
    let may_see = |part: Part, guardians: &[Part], places: &[usize]| match part {
        Part::GuardianOfTwo | Part::GuardianOfOne => guardians.contains(&part),
        Part::RestrictedGuardian | Part::ExCoach => false,
        Part::Coach => places.contains(&0),
        Part::Registrar => true,
    };
    for (part, ..) in PEOPLE {
        let seen = children.iter().filter(|(_, guardians, places)| may_see(part, guardians, places));
        families.seen.push(seen.map(|(child, ..)| *child).collect());
    }
    Ok(families)
}

/// The first teams of the first division that has enough of them, by name.
fn teams(league: &[AnyRecord]) -> anyhow::Result<Vec<&Team>> {
    let mut divisions: Vec<&Division> = league
        .iter()
        .filter_map(|it| if let AnyRecord::Division(it) = it { Some(&**it) } else { None })
        .collect();
    divisions.sort_by_key(|division| division.name.folded());
    let teams_of = |division: &Division| {
        let of = |it: &&Team| it.division_id == division.id;
        let all =
            league.iter().filter_map(|it| if let AnyRecord::Team(it) = it { Some(&**it) } else { None });
        let mut teams: Vec<&Team> = all.filter(of).collect();
        teams.sort_by_key(|team| team.name.folded());
        teams.truncate(TEAMS);
        teams
    };
    let mut found = divisions.into_iter().map(teams_of).filter(|teams| teams.len() == TEAMS);
    found.next().context("the demo's league has no division with four teams")
}

impl Families {
    /// Invents a child with its guardians.
    fn child(
        &mut self,
        moment: &Moment,
        today: Date,
        (name, age): (&str, i16),
        guardians: &[Part],
        user: impl Fn(Part) -> UserId,
    ) -> anyhow::Result<ChildId> {
        let (first, last) = name.split_once(' ').unwrap_or((name, ""));
        let new = NewPerson {
            display_name: Name::parse(&format!("{first} {}.", &last[..1]))?,
            birth_date: date(today.year() - age - 1, 6, 15),
            legal_first_name: Some(Name::parse(first)?),
            legal_last_name: Some(Name::parse(last)?),
            pronouns: None,
            season_id: None,
        };
        let (child, effects): (Child, Vec<Effect>) =
            rules::create(moment, today, &new, guardians.first().map(|part| user(*part)))?;
        let records = effects.into_iter().filter_map(|effect| effect.after).map(|record| match record {
            AnyRecord::ChildEmergency(mut emergency) => {
                Shared::make_mut(&mut emergency).allergies =
                    Details::parse("None. This child is invented.").ok();
                AnyRecord::ChildEmergency(emergency)
            }
            record => record,
        });
        self.records.extend(records);
        for other in guardians.iter().skip(1) {
            let relation = Relation::of_creator(moment, child.id, user(*other), RelationKind::Guardian);
            self.records.push(relation.into());
        }
        Ok(child.id)
    }

    /// Registers a child for the season of its teams, and puts it on their rosters.
    fn play<'a>(
        &mut self,
        moment: &Moment,
        today: Date,
        child_id: ChildId,
        teams: impl Iterator<Item = &'a Team>,
    ) {
        let now = moment.now();
        for (at, team) in teams.enumerate() {
            if at == 0 {
                let registration = Registration {
                    id: moment.id(),
                    child_id,
                    season_id: team.season_id,
                    division_id: Some(team.division_id),
                    status: RegistrationStatus::Accepted,
                    applied_by: None,
                    decided_by: None,
                    decided_at: Some(now),
                    created_at: now,
                    updated_at: now,
                    version: 1,
                };
                self.records.push(registration.into());
            }
            let entry = RosterEntry {
                id: moment.id(),
                team_id: team.id,
                child_id,
                jersey_number: None,
                position: None,
                starts_on: today.saturating_sub(30.days()),
                ends_on: None,
                created_at: now,
                updated_at: now,
                version: 1,
            };
            self.records.push(entry.into());
        }
    }
}

/// What a guardian has consented to.
fn consents(moment: &Moment, child_id: ChildId, guardian: UserId) -> Vec<AnyRecord> {
    let now = moment.now();
    let consent = |purpose| Consent {
        id: moment.id(),
        child_id,
        purpose,
        method: ConsentMethod::Electronic,
        notice_version: Name::stored("demo".to_owned()),
        granted_by: Some(guardian),
        granted_at: now,
        expires_at: None,
        withdrawn_by: None,
        withdrawn_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    };
    [Purpose::Participation, Purpose::MedicalCare].map(|purpose| consent(purpose).into()).into()
}

/// A coach of a team, whom an owner has confirmed.
fn staff(moment: &Moment, team: &Team, (user_id, owner): (UserId, UserId), ends_on: Option<Date>) -> Staff {
    let now = moment.now();
    Staff {
        id: moment.id(),
        team_id: team.id,
        user_id,
        kind: StaffKind::Coach,
        state: StaffState::Confirmed,
        starts_on: None,
        ends_on,
        proposed_by: None,
        proposed_at: now,
        confirmed_by: Some(owner),
        confirmed_at: Some(now),
        confirmed_alone: false,
        created_at: now,
        updated_at: now,
        version: 1,
    }
}

/// The duty of the registrar of a season, which an owner has confirmed.
fn registrar(moment: &Moment, (user_id, owner): (UserId, UserId), season: SeasonId) -> anyhow::Result<Duty> {
    let now = moment.now();
    Ok(Duty {
        id: moment.id(),
        user_id,
        kind: DutyKind::Registrar,
        team_ids: Vec::new(),
        season_id: Some(season),
        state: DutyState::Accepted,
        starts_at: now,
        ends_at: now.saturating_add(DUTY)?,
        reason: Reason::parse("Registers the children of the demo")?,
        proposed_by: None,
        proposed_at: now,
        confirmed_by: Some(owner),
        confirmed_at: Some(now),
        confirmed_alone: false,
        accepted_at: Some(now),
        revoked_by: None,
        revoked_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}
