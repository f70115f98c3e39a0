//! A model of the states, written from the page that describes them and not from the code. Every state that people, keys and the server can
//! reach is visited, and every step is compared with the model; then each guard is removed in turn, and the model has to notice.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};

use jiff::SignedDuration;
use uuid::Uuid;

use super::*;
use crate::Moment;
use crate::changesets::{Author, ChangesetKind};
use crate::ids::Id;
use crate::text::Name;

/// The people: the author, two others who may approve, and one whose role is below that of approvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Who {
    Author,
    Manager,
    Admin,
    Coach,
}

const PEOPLE: [Who; 4] = [Who::Author, Who::Manager, Who::Admin, Who::Coach];
const HASHES: [&str; 2] = ["first", "second"];
const DAY: SignedDuration = SignedDuration::from_hours(24);

impl Who {
    fn user(self) -> UserId {
        UserId::from_uuid(Uuid::from_u128(self as u128 + 1))
    }

    const fn role(self) -> Role {
        match self {
            Self::Author | Self::Manager => Role::Manager,
            Self::Admin => Role::Admin,
            Self::Coach => Role::Coach,
        }
    }

    fn person(self, by_key: bool) -> Person {
        Person { user: self.user(), role: self.role(), by_key }
    }
}

/// Why someone who wants to approve may not, besides their role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    None,
    Key,
    New,
    NotEntitled,
}

/// The terms of a submission: the approvals, the role, and whether fewer people approve than the risk asks for.
type Asked = (i64, Role, bool);

#[derive(Clone, Copy, Debug)]
enum Event {
    Edit(Who, bool),
    Simulate(Option<usize>),
    Submit(Who, bool, Asked),
    Approve(Who, Flaw, usize),
    Unapprove(Who, bool),
    Reject(Who, bool),
    Withdraw(Who, bool),
    Schedule(Who, bool, usize),
    Execute(Who, bool, usize),
    /// The server executes what is scheduled.
    RunScheduled,
    /// An execution that finds other effects.
    Drift(Who),
    /// An execution that finds a higher risk.
    Reassess(Who, Asked),
    Expire,
}

const ASKED: [Asked; 6] = [
    (0, Role::Manager, false),
    (1, Role::Manager, false),
    (2, Role::Manager, false),
    (1, Role::Admin, false),
    (0, Role::Manager, true),
    (1, Role::Manager, true),
];
const HIGHER: [Asked; 3] = [(2, Role::Manager, false), (1, Role::Admin, true), (0, Role::Admin, true)];

fn events() -> Vec<Event> {
    let mut events = vec![Event::Simulate(None), Event::RunScheduled, Event::Expire];
    events.extend((0..HASHES.len()).map(|hash| Event::Simulate(Some(hash))));
    for who in PEOPLE {
        for key in [false, true] {
            events.extend([Event::Edit(who, key), Event::Unapprove(who, key)]);
            events.extend([Event::Reject(who, key), Event::Withdraw(who, key)]);
            events.extend((0..HASHES.len()).map(|hash| Event::Execute(who, key, hash)));
            events.extend((0..HASHES.len()).map(|hash| Event::Schedule(who, key, hash)));
        }
        for flaw in [Flaw::None, Flaw::Key, Flaw::New, Flaw::NotEntitled] {
            events.extend((0..HASHES.len()).map(|hash| Event::Approve(who, flaw, hash)));
        }
        events.push(Event::Drift(who));
        events.extend(HIGHER.map(|asked| Event::Reassess(who, asked)));
    }
    for asked in ASKED {
        events.extend([Event::Submit(Who::Author, false, asked), Event::Submit(Who::Author, true, asked)]);
    }
    events.push(Event::Submit(Who::Admin, false, ASKED[1]));
    events
}

/// What the page says about a changeset. Times are from now on, in hours.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Page {
    state: ChangesetState,
    hash: Option<usize>,
    is_fresh: bool,
    approvals: BTreeMap<Who, usize>,
    asked: Option<(i64, Role)>,
    /// Whether it was reduced, for good.
    reduced: bool,
    wait: Option<i64>,
    until: Option<i64>,
    schedule: Option<i64>,
    executions: u8,
}

const REVIEW: i64 = 14 * 24;
const APPROVED: i64 = 72;
const WAIT: i64 = 24;

impl Page {
    fn draft() -> Self {
        Self {
            state: Draft,
            hash: None,
            is_fresh: false,
            approvals: BTreeMap::new(),
            asked: None,
            reduced: false,
            wait: None,
            until: None,
            schedule: None,
            executions: 0,
        }
    }

    fn is_over(&self) -> bool {
        self.until == Some(0)
    }

    fn is_open(&self) -> bool {
        matches!(self.state, Draft | Ready | InReview | Approved | Stale) && !self.is_over()
    }

    /// Without approvals and what they rest on.
    fn restarted(&self, state: ChangesetState) -> Self {
        Self { state, reduced: self.reduced, executions: self.executions, ..Self::draft() }
    }

    fn ended(&self, state: ChangesetState) -> Self {
        Self { state, until: None, schedule: None, ..self.clone() }
    }

    fn counted(mut self) -> Self {
        let is_enough = self.asked.is_some_and(|(needed, _)| {
            i64::try_from(self.approvals.len()).is_ok_and(|given| given >= needed)
        });
        (self.state, self.until) = if is_enough {
            (Approved, Some(self.wait.unwrap_or_default() + APPROVED))
        } else {
            (InReview, Some(REVIEW))
        };
        self
    }

    fn asked(mut self, (approvals, role, reduced): Asked) -> Self {
        self.asked = Some((approvals, role));
        self.approvals.clear();
        self.reduced |= reduced;
        if reduced {
            self.wait = Some(WAIT);
        }
        self
    }

    fn may_execute(&self, who: Option<Who>, key: bool, hash: Option<usize>, in_hours: i64) -> bool {
        let may = who.is_none_or(|who| who != Who::Coach && !key);
        let has_waited = self.wait.is_none_or(|wait| wait <= in_hours);
        may && has_waited
            && self.state == Approved
            && self.is_open()
            && self.hash.is_some()
            && self.hash == hash
    }

    /// What the page permits, and what follows.
    fn step(&self, event: Event) -> Option<Self> {
        let submitted = matches!(self.state, InReview | Approved) && self.is_open();
        let (permitted, after) = match event {
            Event::Edit(who, _) => (self.is_open() && who == Who::Author, self.restarted(Draft)),
            Event::Simulate(hash) => {
                let mut after = Self { hash, is_fresh: hash.is_some(), ..self.clone() };
                if hash.is_none() || hash != self.hash {
                    after.approvals.clear();
                    after.schedule = None;
                    after.wait = after.wait.map(|_| WAIT);
                    after.state = match hash {
                        None => Draft,
                        Some(_) if submitted => InReview,
                        Some(_) => Ready,
                    };
                    after.until = (after.state == InReview).then_some(REVIEW);
                } else if !submitted {
                    after.state = Ready;
                }
                (self.is_open(), after)
            }
            Event::Submit(who, _, asked) => {
                let mut after = self.clone();
                after.wait = None;
                (self.state == Ready && self.is_fresh && who == Who::Author, after.asked(asked).counted())
            }
            Event::Approve(who, flaw, hash) => {
                let mut after = self.clone();
                let is_new = after.approvals.insert(who, hash).is_none();
                let is_able = self.asked.is_some_and(|(_, role)| who.role() >= role) && flaw == Flaw::None;
                let is_current = self.hash == Some(hash) && self.is_fresh;
                let waits = self.state == InReview && self.is_open();
                (waits && is_able && is_current && is_new && who != Who::Author, after.counted())
            }
            Event::Unapprove(who, key) => {
                let mut after = self.clone();
                let had = after.approvals.remove(&who).is_some();
                (after.state, after.until, after.schedule) = (InReview, Some(REVIEW), None);
                (submitted && had && !key, after)
            }
            Event::Reject(who, key) => (submitted && who != Who::Author && !key, self.ended(Rejected)),
            Event::Withdraw(who, key) => {
                let may = who == Who::Author || who == Who::Admin && !key;
                (self.is_open() && may, self.ended(Withdrawn))
            }
            Event::Schedule(who, key, hash) => {
                let after = Self { schedule: Some(24), until: Some(25), ..self.clone() };
                (self.may_execute(Some(who), key, Some(hash), 24), after)
            }
            Event::Execute(who, key, hash) => {
                (self.may_execute(Some(who), key, Some(hash), 0), self.executed())
            }
            Event::RunScheduled => {
                let is_due = self.schedule == Some(0);
                (is_due && self.may_execute(None, false, self.hash, 0), self.executed())
            }
            Event::Drift(who) => (self.may_execute(Some(who), false, self.hash, 0), self.restarted(Stale)),
            Event::Reassess(who, asked) => {
                let after = Self { schedule: None, ..self.clone() };
                (self.may_execute(Some(who), false, self.hash, 0), after.asked(asked).counted())
            }
            Event::Expire => (submitted_and_over(self), self.ended(Expired)),
        };
        permitted.then_some(after)
    }

    fn executed(&self) -> Self {
        Self { executions: self.executions + 1, ..self.ended(Executed) }
    }

    /// What a changeset is, in the words of the page.
    fn of(changeset: &Changeset, executions: u8, now: Timestamp) -> Self {
        let hours = |time: Option<Timestamp>| time.map(|time| time.duration_since(now).as_hours().max(0));
        let index = |hash: &str| HASHES.iter().position(|known| *known == hash).expect("a known hash");
        let who = |user: UserId| PEOPLE.into_iter().find(|who| who.user() == user).expect("a person");
        let approvals = changeset.approvals.0.iter();
        let hash = changeset.simulation_hash.as_deref().map(index);
        Self {
            state: changeset.state,
            hash,
            is_fresh: hash.is_some() && changeset.simulated_at.is_some_and(|at| now.duration_since(at) < DAY),
            approvals: approvals.map(|approval| (who(approval.user_id), index(&approval.hash))).collect(),
            asked: changeset.required_approvals.zip(changeset.approver_role),
            reduced: changeset.reduced_approval,
            wait: hours(changeset.not_before),
            until: hours(changeset.expires_at),
            schedule: hours(changeset.schedule_at),
            executions,
        }
    }
}

fn submitted_and_over(page: &Page) -> bool {
    matches!(page.state, InReview | Approved) && page.is_over()
}

/// What only the events decide: whatever the code stores, these must hold when something is executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Past {
    /// Who has approved which hash as an eligible person, and has not withdrawn it. Nothing survives an edit or another hash.
    approvals: BTreeSet<(Who, usize)>,
    needed: usize,
    role: Option<Role>,
    simulated: Option<usize>,
    /// It was rejected, withdrawn, expired or executed.
    is_over: bool,
    executions: u8,
}

impl Past {
    fn then(&self, event: Event, before: &Page) -> Result<Self, String> {
        let mut past = self.clone();
        match event {
            Event::Edit(..) | Event::Drift(_) => (past.simulated, past.approvals) = (None, BTreeSet::new()),
            Event::Simulate(hash) => {
                if past.simulated != hash || hash.is_none() {
                    past.approvals.clear();
                }
                past.simulated = hash;
            }
            Event::Submit(_, _, (needed, role, _)) | Event::Reassess(_, (needed, role, _)) => {
                past.approvals.clear();
                past.role = Some(role);
                past.needed = usize::try_from(needed).expect("a number");
            }
            Event::Approve(who, Flaw::None, hash) => {
                if who != Who::Author && past.role.is_some_and(|role| who.role() >= role) {
                    past.approvals.insert((who, hash));
                }
            }
            Event::Approve(..) | Event::Schedule(..) => {}
            Event::Unapprove(who, _) => past.approvals.retain(|(approver, _)| *approver != who),
            Event::Reject(..) | Event::Withdraw(..) | Event::Expire => past.is_over = true,
            Event::Execute(..) | Event::RunScheduled => {
                let hash = if let Event::Execute(_, _, hash) = event { Some(hash) } else { past.simulated };
                let valid = past.approvals.iter().filter(|(_, of)| Some(*of) == hash).count();
                let rules = [
                    (past.executions == 0, "it was executed twice"),
                    (past.simulated == hash, "another hash was executed than the one simulated"),
                    (valid >= past.needed, "too few people approved what was executed"),
                    (!past.is_over, "it was executed after its end"),
                    (!before.is_over(), "it was executed after its time"),
                    (before.wait.is_none_or(|wait| wait == 0), "it was executed while it waits"),
                ];
                if let Some((_, broken)) = rules.into_iter().find(|(holds, _)| !holds) {
                    return Err(broken.to_owned());
                }
                (past.executions, past.is_over) = (past.executions + 1, true);
            }
        }
        Ok(past)
    }
}

/// What the code does.
fn real(guards: Guards, changeset: &Changeset, event: Event, now: Timestamp) -> Result<Changeset, Refusal> {
    let terms = |(approvals, role, reduced): Asked| Terms { risk: Risk::R1, approvals, role, reduced };
    let current = changeset.simulation_hash.clone().unwrap_or_default();
    let entry = EntryId::from_uuid(Uuid::from_u128(9));
    let may = |who: Option<Who>, key: bool, hash: &str| {
        guards.executable(changeset, who.map(|who| who.person(key)), hash, now, now)
    };
    match event {
        Event::Edit(who, key) => guards.edited(changeset, who.person(key), now),
        Event::Simulate(hash) => {
            let id = SimulationId::from_uuid(Uuid::from_u128(hash.map_or(0, |hash| hash as u128 + 1)));
            let hash = hash.map(|hash| HASHES[hash].to_owned());
            guards.simulated(changeset, &Simulated { id, hash, operations: 1 }, now)
        }
        Event::Submit(who, key, asked) => guards.submitted(changeset, who.person(key), terms(asked), now),
        Event::Approve(who, flaw, hash) => {
            let approver = Approver { person: who.person(flaw == Flaw::Key), is_new: flaw == Flaw::New };
            let entitled =
                if flaw == Flaw::NotEntitled { Err(Refused::ContentNotVisible.into()) } else { Ok(()) };
            guards.approved(changeset, approver, entitled, HASHES[hash], now)
        }
        Event::Unapprove(who, key) => guards.unapproved(changeset, who.person(key), now),
        Event::Reject(who, key) => guards.rejected(changeset, who.person(key), now),
        Event::Withdraw(who, key) => guards.withdrawn(changeset, who.person(key), now),
        Event::Schedule(who, key, hash) => {
            let at = later(now, DAY);
            guards.scheduled(changeset, who.person(key), (HASHES[hash], at), now)
        }
        Event::Execute(who, key, hash) => {
            may(Some(who), key, HASHES[hash])?;
            Ok(guards.executed(changeset, Some(who.user()), entry, now))
        }
        Event::RunScheduled => {
            if changeset.schedule_at.is_none_or(|at| at > now) {
                return Err(Refusal::NotFound);
            }
            may(None, false, &current)?;
            Ok(guards.executed(changeset, None, entry, now))
        }
        Event::Drift(who) => {
            may(Some(who), false, &current)?;
            Ok(guards.drifted(changeset))
        }
        Event::Reassess(who, asked) => {
            may(Some(who), false, &current)?;
            Ok(guards.reassessed(changeset, terms(asked), now))
        }
        Event::Expire => guards.expired(changeset, now).ok_or(Refusal::NotFound),
    }
}

/// What an exploration noticed.
#[derive(Debug, Default)]
struct Seen {
    states: usize,
    /// The steps that were taken, by event.
    taken: BTreeSet<String>,
    reached: BTreeSet<&'static str>,
    /// Invariants that broke, whatever the page says about the step.
    broken: BTreeSet<String>,
    /// The first steps that differ from the page.
    differs: Vec<String>,
}

/// Visits every state. With `stops`, ends soon after the first difference. A step that the page does not permit is followed for a while, to
/// see what it leads to.
fn explore(guards: Guards, follows: bool) -> Seen {
    let start = Timestamp::from_second(1_772_366_400).expect("a time");
    let author = Author { user: Who::Author.user(), key: None, is_agent: false };
    let name = Name::stored("A change".to_owned());
    let draft = Changeset::new(&Moment::new(start, 7), ChangesetKind::Change, author, name, None);
    let events = events();
    let mut seen = Seen::default();
    let mut known = HashSet::from([(Page::draft(), Past::default())]);
    let mut queue = VecDeque::from([(draft, start, Past::default())]);
    while let Some((changeset, now, past)) = queue.pop_front() {
        seen.states += 1;
        seen.reached.insert(changeset.state.name());
        let page = Page::of(&changeset, past.executions, now);
        let mut next = Vec::new();
        if page.executions == 0 || follows {
            next.push((changeset.clone(), later(now, DAY), past.clone()));
        }
        for event in &events {
            let (real, should) = (real(guards, &changeset, *event, now), page.step(*event));
            let Ok(after) = real else {
                if should.is_some() {
                    seen.differs.push(format!("{page:?} refuses {event:?}"));
                }
                continue;
            };
            let has_executed = u8::from(matches!(event, Event::Execute(..) | Event::RunScheduled));
            let is = Page::of(&after, past.executions + has_executed, now);
            if should.as_ref() != Some(&is) {
                seen.differs.push(format!("{page:?} on {event:?} is {is:?} and should be {should:?}"));
                if !follows {
                    continue;
                }
            }
            seen.taken.insert(format!("{event:?}").split('(').next().expect("a name").to_owned());
            match past.then(*event, &page) {
                Ok(past) => next.push((after, now, past)),
                Err(broken) => {
                    seen.broken.insert(broken);
                }
            }
        }
        for (changeset, now, past) in next {
            let page = Page::of(&changeset, past.executions, now);
            if known.insert((page, past.clone())) {
                queue.push_back((changeset, now, past));
            }
        }
        if follows && seen.states > 6_000 {
            break;
        }
    }
    seen
}

#[test]
fn every_reachable_step_is_one_that_the_page_permits() {
    let seen = explore(ALL, false);
    assert!(
        seen.differs.is_empty(),
        "{} differences, the first: {:#?}",
        seen.differs.len(),
        &seen.differs[0]
    );
    assert!(seen.broken.is_empty(), "{:?}", seen.broken);
    let states: BTreeSet<&str> = ChangesetState::ALL.iter().map(|state| state.name()).collect();
    assert_eq!(seen.reached, states, "every state is reached");
    let kinds: BTreeSet<String> = events()
        .iter()
        .map(|event| format!("{event:?}").split('(').next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(seen.taken, kinds, "every event is possible in some state");
    assert!(seen.states > 1_000, "{} states", seen.states);
}

#[test]
fn the_model_notices_each_guard_that_is_missing() {
    for guard in Guard::ALL {
        let seen = explore(Guards::without(*guard), true);
        assert!(!seen.differs.is_empty(), "no one notices that {guard} is missing");
        let must_break: &[&str] = match guard {
            Guard::State => &["it was executed twice", "it was executed after its end"],
            Guard::Session
            | Guard::NotOwn
            | Guard::ApproverRole
            | Guard::NotNew
            | Guard::Entitled
            | Guard::Once
            | Guard::Enough => &["too few people approved what was executed"],
            Guard::CurrentHash => &["another hash was executed than the one simulated"],
            Guard::Waited => &["it was executed while it waits"],
            Guard::InTime => &["it was executed after its time"],
            // Whose edit it is, and how old what is approved may be, is in the table alone.
            Guard::Author | Guard::FreshSimulation => &[],
        };
        for rule in must_break {
            assert!(seen.broken.contains(*rule), "without {guard}: {:?}", seen.broken);
        }
    }
}
