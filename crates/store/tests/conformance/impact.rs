//! What changesets mean for people, and the messages that tell families.

use fieldhouse_domain::changesets::impact::Impact;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::children::relations::{Relation, RelationState};
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::games::{Game, GameStatus};
use fieldhouse_domain::mail::{MailKind, MailStatus};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::Email;
use fieldhouse_store::families::{self, GamesTold};
use fieldhouse_store::mail::{self, Mail};
use fieldhouse_store::{Change, Store, impact};
use fieldhouse_testing::clubs::{self, Club, NOW};
use fieldhouse_testing::families::{child, guardian, restriction, roster_entry, with_classes};
use fieldhouse_testing::leagues::{division, game, season, staff, team, venue};
use jiff::civil::date;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

/// Four teams at a venue with one field. Kim and Max are in the team Blue, Lee in the Hawks. A coach is on the staff of Blue and of the Lions.
struct League {
    club: Club,
    blue: Team,
    of_kim: RosterEntry,
    max: Child,
    /// Blue against the Hawks.
    first: Game,
    /// The Lions against the Tigers, ten hours later.
    second: Game,
}

impl League {
    async fn found(store: &Store, name: &str) -> Self {
        let club = Club::found(store, name).await;
        let winter = season("Winter");
        let boys = division(&winter, "Boys");
        let [blue, hawks, lions, tigers] = ["Blue", "Hawks", "Lions", "Tigers"].map(|name| team(&boys, name));
        let hall = venue("Hall");
        let at = |home: &Team, away: &Team, hours| Game {
            venue_id: Some(hall.id),
            ends_at: Some(after(hours + 2)),
            ..game(&boys, home.id, away.id, after(hours))
        };
        let (first, second) = (at(&blue, &hawks, 50), at(&lions, &tigers, 60));
        let [kim, max, lee, gone] = ["Kim K.", "Max M.", "Lee L.", "Gone G."].map(child);
        let of = |team: &Team, child: &Child, ends_on| RosterEntry {
            starts_on: date(2026, 1, 1),
            ends_on,
            ..roster_entry(team, child)
        };
        let of_kim = of(&blue, &kim, None);
        let entries = [
            of_kim.clone(),
            of(&blue, &max, None),
            of(&hawks, &lee, Some(date(2026, 12, 1))),
            // Before the day of each game.
            of(&blue, &gone, Some(date(2026, 3, 2))),
        ];
        let user = |role| club.person(role).user.id;
        let relations = [
            guardian(&kim, user(Role::Member)),
            guardian(&max, user(Role::Member)),
            guardian(&lee, user(Role::Viewer)),
            guardian(&gone, user(Role::Manager)),
            Relation { state: RelationState::Proposed, ..guardian(&kim, user(Role::Admin)) },
        ];
        let coach = |team: &Team| Staff {
            state: StaffState::Confirmed,
            starts_on: None,
            ends_on: None,
            ..staff(team, user(Role::Coach))
        };
        let mut records: Vec<AnyRecord> = vec![winter.into(), boys.into(), hall.into()];
        records.extend([&blue, &hawks, &lions, &tigers].map(|team| AnyRecord::from(team.clone())));
        records.extend([&first, &second].map(|game| AnyRecord::from(game.clone())));
        records.extend([&kim, &max, &lee, &gone].into_iter().flat_map(with_classes));
        records.extend(entries.map(AnyRecord::from));
        records.extend(relations.map(AnyRecord::from));
        records.extend([coach(&blue), coach(&lions)].map(AnyRecord::from));
        club.create(store, records).await;
        Self { club, blue, of_kim, max, first, second }
    }

    fn moved(&self) -> Effect {
        let moved = Game { starts_at: after(61), ends_at: Some(after(63)), ..self.first.clone() };
        Effect::update(&clubs::moment(), self.first.clone(), moved).unwrap()
    }

    /// The impact of effects, which are applied.
    async fn impact(&self, store: &Store, effects: Vec<Effect>) -> Impact {
        let moment = clubs::moment();
        let impact = clubs::write(store, self.club.id(), async move |tx, proof| {
            let applied = tx.apply(proof, change(&moment.again()), &effects).await?;
            impact::of(tx, proof, &applied, NOW).await
        });
        impact.await.unwrap()
    }

    /// Executes effects as a changeset, and queues the messages.
    async fn execute(&self, store: &Store, effects: Vec<Effect>, except: Vec<Email>) -> (Uuid, usize) {
        let moment = clubs::moment();
        let author = self.club.owner().user.id;
        let told = clubs::write(store, self.club.id(), async move |tx, proof| {
            let moment = moment.again();
            let applied = tx.apply(proof, change(&moment), &effects).await?;
            let author = (author, Some("The hall is closed"));
            let changeset = crate::changesets::executed(tx, proof, author, &applied).await?;
            let hold = SignedDuration::from_secs(600);
            let count =
                tx.queue_games_changed(proof, &moment, (changeset, 3), &applied, hold, &except).await?;
            Ok((changeset, count))
        });
        told.await.unwrap()
    }
}

fn change(moment: &fieldhouse_domain::Moment) -> Change<'_> {
    Change { moment, operation: "testing.apply", request_id: "test", reason: None }
}

pub(crate) async fn counts_families_and_new_clashes(store: &Store) {
    let league = League::found(store, "Impact One").await;
    let coach = league.club.person(Role::Coach).user.id;
    let impact = league.impact(store, vec![league.moved()]).await;
    assert_eq!((impact.records, impact.games_moved.count, impact.families), (1, 1, 2));
    assert_eq!(impact.first_game, Some(league.first.starts_at));
    let [booking] = &impact.double_bookings.samples[..] else { panic!("{impact:?}") };
    let texts = [&booking.game, &booking.other].map(|game| game.text.as_str());
    assert_eq!(texts, ["Blue – Hawks, Wed 2026-03-04 12:00", "Lions – Tigers, Wed 2026-03-04 11:00"]);
    assert_eq!((booking.other.id, booking.user_id), (league.second.id, None));
    let [clash] = &impact.coach_clashes.samples[..] else { panic!("{impact:?}") };
    assert_eq!(
        (clash.game.id, clash.other.id, clash.user_id),
        (league.first.id, league.second.id, Some(coach))
    );
    let written = serde_json::to_string(&impact).unwrap();
    assert!(!["Kim", "Max", "Lee", "Gone", "example"].iter().any(|name| written.contains(name)), "{written}");

    // It overlaps already, and half an hour later does so too.
    let before = read(store, &league).await;
    let later = Game { ends_at: Some(after(64)), ..before.clone() };
    let impact =
        league.impact(store, Effect::update(&clubs::moment(), before, later).into_iter().collect()).await;
    assert_eq!((impact.double_bookings.count, impact.coach_clashes.count, impact.families), (0, 0, 2));

    let new = Staff { starts_on: None, ends_on: None, ..staff(&league.blue, league.club.owner().user.id) };
    let impact = league.impact(store, vec![Effect::create(new)]).await;
    assert_eq!((impact.children, impact.families), (3, 0), "also one who leaves tomorrow");

    // With the game, the child leaves the team. Its family is told all the same.
    league
        .club
        .create(
            store,
            vec![Restriction { classes: vec![DataClass::Roster], ..restriction(&league.max) }.into()],
        )
        .await;
    let gone = vec![Effect::delete(read(store, &league).await), Effect::delete(league.of_kim.clone())];
    let impact = league.impact(store, gone).await;
    assert_eq!((impact.games_cancelled.count, impact.families, impact.children), (1, 2, 1));
    let alone = Game { away_team_id: None, ..league.second.clone() };
    let effect = Effect::update(&clubs::moment(), league.second.clone(), alone);
    assert_eq!(league.impact(store, effect.into_iter().collect()).await.families, 0, "no child is in these");
}

async fn read(store: &Store, league: &League) -> Game {
    let scope = league.club.owner().scope(store).await;
    let found = fieldhouse_store::games::read(&mut &*store, &scope, league.first.id).await.unwrap();
    found.expect("the game").game
}

#[expect(clippy::disallowed_methods, reason = "the operator's own commands")]
async fn messages(store: &Store, changeset: Uuid) -> Vec<Mail> {
    let all = mail::list(&mut &*store, &store.operator(), None, None, 1_000).await.unwrap();
    let mut of: Vec<Mail> = all.into_iter().filter(|mail| mail.record == Some(changeset)).collect();
    of.sort_by(|one, other| one.recipient.as_str().cmp(other.recipient.as_str()));
    of
}

async fn told(store: &Store, mail: &Mail) -> Option<GamesTold> {
    families::games_told(&mut &*store, mail, NOW).await.unwrap()
}

pub(crate) async fn families_are_told_once_unless_it_is_undone(store: &Store) {
    let league = League::found(store, "Impact Two").await;
    let address = |role| league.club.person(role).user.email.clone();
    let cancelled = Game { status: GameStatus::Cancelled, ..league.second.clone() };
    let off = Effect::update(&clubs::moment(), league.second.clone(), cancelled).unwrap();
    let (changeset, count) = league.execute(store, vec![league.moved(), off], Vec::new()).await;
    assert_eq!(count, 2, "one message to each");
    let sent = messages(store, changeset).await;
    let recipients: Vec<_> = sent.iter().map(|mail| mail.recipient.clone()).collect();
    assert_eq!(recipients, [address(Role::Member), address(Role::Viewer)]);
    let due = NOW.saturating_add(SignedDuration::from_secs(600)).unwrap();
    assert!(sent.iter().all(|mail| mail.kind == MailKind::GamesChanged && mail.due_at == Some(due)));
    assert!(sent.iter().all(|mail| mail.organization == Some(league.club.id()) && mail.version == 3));
    let early = store.due_mail(NOW.saturating_add(SignedDuration::from_secs(599)).unwrap(), 1_000).await;
    assert!(early.unwrap().iter().all(|mail| mail.record != Some(changeset)), "they are held");

    let of_parent = told(store, &sent[0]).await.expect("a message");
    let GamesTold { organization, reason, games } = &of_parent;
    assert_eq!((organization.as_str(), reason.as_deref()), ("Impact Two", Some("The hall is closed")));
    let [moved] = &games[..] else { panic!("only of their team: {games:?}") };
    assert_eq!(moved.title, "Blue – Hawks");
    assert_eq!(moved.before.as_deref(), Some("Wednesday, 4 March 2026 at 01:00 (AEDT), Hall"));
    assert_eq!(moved.after, "Wednesday, 4 March 2026 at 12:00 (AEDT), Hall");
    let elsewhere = Mail { recipient: address(Role::Viewer), ..sent[0].clone() };
    assert_eq!(told(store, &elsewhere).await, None, "they have another address now");

    // Another club voids nothing here.
    let other = Club::found(store, "Impact Three").await;
    let void = async |club: &Club| {
        let voided =
            clubs::write(store, club.id(), async move |tx, proof| tx.void_held(proof, changeset, NOW).await);
        voided.await.unwrap()
    };
    assert_eq!(void(&other).await, []);
    store.finish_mail(sent[1].id, MailStatus::Sent, NOW, None).await.unwrap();
    let voided = void(&league.club).await;
    assert_eq!(voided, [address(Role::Member)], "what was not sent yet");
    let status: Vec<_> =
        messages(store, changeset).await.iter().map(|mail| (mail.status, mail.due_at)).collect();
    assert_eq!(status, [(MailStatus::Void, None), (MailStatus::Sent, None)]);
    assert_eq!(told(store, &sent[0]).await, None, "a worker that has read it already does not send it");

    // Only those who got a message about the change get one about the undo.
    let current = read(store, &league).await;
    let back = Game { starts_at: league.first.starts_at, ends_at: league.first.ends_at, ..current.clone() };
    let back = Effect::update(&clubs::moment(), current, back).unwrap();
    let (undo, count) =
        league.execute(store, vec![back, Effect::delete(league.of_kim.clone())], voided).await;
    let sent = messages(store, undo).await;
    assert_eq!((count, sent.len(), &sent[0].recipient), (1, 1, &address(Role::Viewer)));
    let reason = told(store, &sent[0]).await.expect("a message").reason;
    assert_eq!(reason, None, "it is about a child too, so its writer may have named one");

    // A relation that ends meanwhile ends the message.
    let owner = league.club.person(Role::Viewer);
    let member = Member { suspended_at: Some(NOW), ..owner.member.clone() };
    let suspended = Effect::update(&clubs::moment(), owner.member.clone(), member);
    clubs::apply(store, league.club.id(), suspended.into_iter().collect()).await.unwrap();
    assert_eq!(told(store, &sent[0]).await, None);
}
