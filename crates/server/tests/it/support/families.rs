//! A season whose people have to do with children: a registrar, a coach and a parent.

use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::ids::UserId;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::fixtures::Fixture;
use super::league::League;
use super::{Answer, Club, Person};

pub(crate) const CHILDREN: &str = "/api/v1/children";

/// A league with its registrar, the coach of its home team, and a parent. Sessions end while time passes, so that these are users.
pub(crate) struct Families {
    pub(crate) league: League,
    pub(crate) registrar: UserId,
    pub(crate) coach: UserId,
    pub(crate) parent: UserId,
}

/// A new session of a user.
pub(crate) async fn signed_in(club: &Club, user: UserId) -> Person {
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    let token = fixture.session(user).access_token;
    fixture.write().await;
    club.with_token(&token)
}

/// A new member with a duty of the whole organization, and a session.
pub(crate) async fn on_duty(club: &Club, kind: DutyKind, role: Role) -> Person {
    let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
    let user = fixture.member(role).user;
    fixture.on_duty(kind, user);
    let token = fixture.session(user).access_token;
    fixture.write().await;
    let mut person = club.with_token(&token);
    person.user = Some(user);
    person
}

/// Creates a child of a person, who was 15 at the end of 2025, and returns its id.
pub(crate) async fn child_of(parent: &Person, name: &str) -> String {
    let wanted = json!({"display_name": name, "birth_date": "2010-05-06"});
    let created = parent.post(CHILDREN, &wanted).await;
    assert_eq!(created.status, 201, "{}", created.text);
    created.body["data"]["child_id"].as_str().expect("an id").to_owned()
}

/// The classes of a child that a person reads, besides the line of the roster, which must be open exactly if they list the child and read
/// anything.
pub(crate) async fn reads(person: &Person, child: &str) -> Vec<&'static str> {
    let mut read = Vec::new();
    for class in ["profile", "identity", "contact", "emergency", "medical", "performance", "access-log"] {
        if person.get(&format!("{CHILDREN}/{child}/{class}")).await.status == 200 {
            read.push(class);
        }
    }
    let line = person.get(&format!("{CHILDREN}/{child}")).await.status == 200;
    assert_eq!(person.get(CHILDREN).await.text.contains(child), line, "the list and the read agree");
    assert_eq!(line, !read.is_empty());
    read
}

impl Families {
    pub(crate) async fn of(club: &Club) -> Self {
        let league = League::create(club.member(Role::Manager), "Winter").await;
        let mut fixture = Fixture::new(club, SignedDuration::ZERO).await;
        let [registrar, coach, parent] = [Role::Member; 3].map(|role| fixture.member(role).user);
        fixture.registrar(league.season.parse().expect("an id"), Vec::new(), registrar);
        fixture.confirmed_staff(league.home.parse().expect("an id"), coach);
        fixture.write().await;
        Self { league, registrar, coach, parent }
    }

    /// The address of the roster of the home team.
    pub(crate) fn roster(&self) -> String {
        format!("/api/v1/teams/{}/roster", self.league.home)
    }

    /// A child of the parent, who was 13 at the end of last year or is younger.
    pub(crate) async fn child(&self, club: &Club, name: &str, is_young: bool) -> String {
        let birth_date = if is_young { "2016-05-06" } else { "2012-05-06" };
        let wanted = json!({"display_name": name, "birth_date": birth_date});
        let created = signed_in(club, self.parent).await.post(CHILDREN, &wanted).await;
        assert_eq!(created.status, 201, "{}", created.text);
        created.body["data"]["child_id"].as_str().expect("an id").to_owned()
    }

    /// The parent applies for the season with a child.
    pub(crate) async fn applies(&self, club: &Club, child: &str) -> Answer {
        let parent = signed_in(club, self.parent).await;
        let wanted = json!({"season_id": self.league.season, "division_id": self.league.division});
        let applied = parent.post(&format!("{CHILDREN}/{child}/registrations"), &wanted).await;
        assert_eq!(applied.status, 201, "{}", applied.text);
        applied
    }

    /// A child of the parent whom the registrar has accepted, with the registration.
    pub(crate) async fn accepted(&self, club: &Club, name: &str, is_young: bool) -> (String, String) {
        let child = self.child(club, name, is_young).await;
        let registration = self.applies(club, &child).await.id().to_owned();
        let registrar = signed_in(club, self.registrar).await;
        let accept = json!({"status": "accepted"});
        let accepted = registrar.patch(&format!("/api/v1/registrations/{registration}"), &accept).await;
        assert_eq!(accepted.status, 200, "{}", accepted.text);
        (child, registration)
    }

    /// The registrar adds a child to the home team.
    pub(crate) async fn added(&self, club: &Club, child: &str, more: Value) -> Answer {
        let mut wanted = json!({"child_id": child});
        let fields = wanted.as_object_mut().expect("an object");
        fields.extend(more.as_object().cloned().unwrap_or_default());
        let added = signed_in(club, self.registrar).await.post(&self.roster(), &wanted).await;
        assert_eq!(added.status, 201, "{}", added.text);
        added
    }
}

/// The names on a roster or of registrations, in order.
pub(crate) fn children(answer: &Answer) -> Vec<&str> {
    let records = answer.body["data"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    let shown = records.iter().map(|record| {
        let name = record["display_name"].as_str().or(record["child"]["display_name"].as_str());
        name.expect("a name")
    });
    shown.collect()
}
