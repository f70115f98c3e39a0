//! Staff of teams, and what it permits.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_domain::policy::{Credential, Denial, Relation, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_store::{Principal, Store, members, staff};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW, Person};
use fieldhouse_testing::leagues::{self, division, game, season, team};

/// What a coach needs to enter a result.
const RESULT: Requirement = Requirement {
    credential: Credential::Required(Role::Coach),
    relation: Relation::StaffOfGame { parameter: "id", unless: Role::Manager },
    ..ANY_MEMBER
};

/// Whether a member may enter the result of a game.
async fn permitted(store: &Store, person: &Person, game: &Game) -> Result<(), Denial> {
    let scope = person.scope(store).await;
    let game = game.id.uuid();
    let permitted = store.write("testing.permit", async move |tx| {
        let permitted = tx.permit(Principal::Caller(&scope), RESULT, Some(game), NOW).await?;
        Ok::<_, fieldhouse_store::Error>(permitted.map(drop))
    });
    permitted.await.unwrap()
}

pub(crate) async fn is_listed_and_permits_while_it_is_confirmed(store: &Store) {
    let (club, other) = (Club::found(store, "Staff One").await, Club::found(store, "Staff Two").await);
    let winter = season("Winter");
    let winter_id = winter.id;
    let boys = division(&winter, "Boys");
    let (eagles, hawks, owls) = (team(&boys, "Eagles"), team(&boys, "Hawks"), team(&boys, "Owls"));
    let played = game(&boys, eagles.id, hawks.id, NOW);
    let others = game(&boys, eagles.id, owls.id, NOW);
    let coach = club.person(Role::Coach);
    let entry = leagues::staff(&hawks, coach.user.id);
    let records = [AnyRecord::from(winter), boys.into(), eagles.into(), hawks.clone().into(), owls.into()];
    let games = [AnyRecord::from(played.clone()), others.clone().into(), entry.clone().into()];
    club.create(store, records.into_iter().chain(games).collect()).await;

    let scope = club.owner().scope(store).await;
    let reader = &mut &*store;
    let listed = staff::list(reader, &scope, hawks.id, None, 10).await.unwrap();
    assert_eq!(
        listed.iter().map(|it| (&it.staff, it.name.as_str())).collect::<Vec<_>>(),
        [(&entry, "coach")]
    );
    let after = Some((entry.created_at, entry.id.uuid()));
    assert_eq!(staff::list(reader, &scope, hawks.id, after, 10).await.unwrap(), []);
    assert_eq!(staff::read(reader, &scope, entry.id).await.unwrap().map(|it| it.staff), Some(entry.clone()));
    let of_season =
        clubs::write(store, club.id(), async move |tx, proof| staff::of_season(tx, proof, winter_id).await);
    assert_eq!(of_season.await.unwrap(), std::slice::from_ref(&entry));
    let member = members::of_user(reader, &scope, coach.user.id).await.unwrap();
    assert_eq!(member, Some(coach.member.clone()));
    let mut managers = members::active(reader, &scope, Role::Manager).await.unwrap();
    managers.sort_by_key(|member| member.role);
    let roles: Vec<_> = managers.iter().map(|member| member.role).collect();
    assert_eq!(roles, [Role::Manager, Role::Admin, Role::Owner]);
    let foreign = other.owner().scope(store).await;
    assert_eq!(staff::list(reader, &foreign, hawks.id, None, 10).await.unwrap(), [], "another club's");
    assert_eq!(staff::read(reader, &foreign, entry.id).await.unwrap(), None);
    assert_eq!(members::of_user(reader, &foreign, coach.user.id).await.unwrap(), None);

    let set = async |before: Staff, edit: fn(&mut Staff)| {
        let mut after = before.clone();
        edit(&mut after);
        let effect = Effect::update(&clubs::moment(), before, after).expect("a change");
        clubs::apply(store, club.id(), vec![effect]).await.unwrap();
        staff::read(&mut &*store, &scope, entry.id).await.unwrap().expect("the entry").staff
    };
    let own = coach.scope(store).await;
    let teams = async |scope| staff::teams(&mut &*store, scope, NOW).await.unwrap();
    assert_eq!(permitted(store, coach, &played).await, Err(Denial::NotStaff), "proposed");
    assert_eq!(teams(&own).await, [], "proposed");
    let confirmed = set(entry.clone(), |staff| staff.state = StaffState::Confirmed).await;
    assert_eq!(permitted(store, coach, &played).await, Ok(()), "of either team");
    assert_eq!(teams(&own).await, [hawks.id]);
    assert_eq!(teams(&scope).await, [], "another member's");
    assert_eq!(permitted(store, coach, &others).await, Err(Denial::NotStaff), "of another game");
    assert_eq!(permitted(store, club.person(Role::Manager), &others).await, Ok(()), "no relation is needed");
    let foreign = other.person(Role::Coach);
    assert_eq!(permitted(store, foreign, &played).await, Ok(()), "is not found, as for everyone");
    let ended = set(confirmed, |staff| staff.ends_on = Some(jiff::civil::date(2026, 2, 28))).await;
    assert_eq!(permitted(store, coach, &played).await, Err(Denial::NotStaff), "ended yesterday");
    // Noon of 1 March in UTC is in the night of that day in Melbourne.
    let today = set(ended, |staff| staff.ends_on = Some(jiff::civil::date(2026, 3, 1))).await;
    assert_eq!(permitted(store, coach, &played).await, Ok(()), "today at the game");

    clubs::apply(store, club.id(), vec![Effect::delete(coach.member.clone())]).await.unwrap();
    let left = staff::read(&mut &*store, &scope, today.id).await.unwrap().expect("the entry");
    assert_eq!(left.staff.state, StaffState::Ended, "a removed member's staff ends");
}
