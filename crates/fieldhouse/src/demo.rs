//! The demo: one organization with a real league, a user for each role, and the college catalogue.

mod families;
mod rain;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use anyhow::Context as _;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_domain::organizations::{Country, Slug};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_imports::{colleges, demo::demo_shift, league, playhq};
use fieldhouse_server::auth::passwords::Passwords;
use fieldhouse_server::operator::{self, Founding, Person};
use fieldhouse_server::{Clock, private_file};
use fieldhouse_store::{Store, organizations, users};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use families::PEOPLE;

use crate::database::Opened;
use crate::failure::Failure;
use crate::output::{Column, Width, note, note_list, or_dash};
use crate::ready::Ready;

const LEAGUE: &[u8] = include_bytes!("../../../data/leagues/playhq/coburg-basketball-winter-2022.csv");
const COLLEGES: &[u8] = include_bytes!("../../../data/college/colleges.csv");
const PROGRAMS: &[u8] = include_bytes!("../../../data/college/programs-softball.csv");

const ORGANIZATION: &str = "Coburg Basketball Association";
const SLUG: &str = "coburg-basketball-association";
const SPORT: &str = "basketball";
const TIME_ZONE: &str = "Australia/Melbourne";
const COUNTRY: &str = "AU";
/// The file with the accounts in a data folder that is kept after the demo.
const ACCOUNTS_FILE: &str = "demo.json";
const PASSWORD_LETTERS: usize = 20;

const ACCOUNTS: &[Column<Account>] = &[
    ("ROLE", Width::Whole, |it| it.role.to_string()),
    ("E-MAIL", Width::Whole, |it| it.email.clone()),
    ("PASSWORD", Width::Whole, |it| it.password.clone()),
    ("AS", Width::Least(16), |it| or_dash(it.part.as_ref())),
];

/// The content of a demo.
#[derive(Serialize, Deserialize)]
pub(crate) struct Demo {
    pub(crate) organization: OrganizationOfDemo,
    pub(crate) accounts: Vec<Account>,
    /// The number of weeks by which the league's dates were moved.
    weeks: i64,
    /// The hash of the college catalogue that was loaded.
    #[serde(default)]
    catalogue: Option<u64>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct OrganizationOfDemo {
    id: String,
    name: String,
    slug: String,
}

/// A user who can sign in.
#[derive(Serialize, Deserialize)]
pub(crate) struct Account {
    role: Role,
    /// What the user is to the children of the demo, if anything.
    #[serde(rename = "as")]
    part: Option<String>,
    email: String,
    password: String,
    /// The children whom a relation opens to the user.
    children: Vec<ChildId>,
}

impl Account {
    /// The user's name.
    fn name(&self) -> String {
        let address = self.email.split('@').next().unwrap_or_default();
        format!("Demo {address}")
    }
}

/// Creates the demo in an empty store, or finds an earlier demo in it.
pub(crate) async fn prepare(opened: &Opened, folder: &Path) -> anyhow::Result<Demo> {
    let file = folder.join(ACCOUNTS_FILE);
    if organizations::any(&mut &opened.store).await? {
        let stored = std::fs::read_to_string(&file).map_err(|_| {
            let what = "this database belongs to another organization, not to a demo";
            Failure::new(what).next("choose another --data-dir or --database-url, or omit --demo")
        })?;
        return serde_json::from_str(&stored).map_err(|_| {
            let what = format!("{} is damaged, and it contains the passwords of the demo", file.display());
            Failure::new(what).next("start a new demo with another --data-dir").into()
        });
    }
    let demo = make(&opened.store).await?;
    demo.write(folder)?;
    Ok(demo)
}

async fn make(store: &Store) -> anyhow::Result<Demo> {
    let clock = Clock::system();
    let account = |role: Role, email: String, part: Option<&str>| Account {
        role,
        part: part.map(str::to_owned),
        email,
        password: clock.password(PASSWORD_LETTERS),
        children: Vec::new(),
    };
    let of_role = |role: Role| account(role, format!("{role}@demo.example"), None);
    let of_family =
        |(_, role, email, part): (_, Role, &str, &str)| account(role, email.to_owned(), Some(part));
    let mut accounts: Vec<Account> =
        Role::ALL.into_iter().rev().map(of_role).chain(PEOPLE.map(of_family)).collect();
    let people = accounts.iter().map(person).collect::<anyhow::Result<Vec<_>>>()?;
    let time_zone = TimeZoneName::parse(TIME_ZONE)?;
    let name = Name::parse(ORGANIZATION)?;
    let slug = Slug::parse(SLUG)?;
    let country = Some(Country::parse(COUNTRY)?);
    let founding = Founding { name, slug: slug.clone(), country, time_zone: time_zone.clone() };
    let id = operator::found(store, &Passwords::new(&clock), &clock, founding, people).await?;
    let mut schedule = playhq::read(LEAGUE)?;
    let weeks = demo_shift(&mut schedule.fixtures, time_zone.date(clock.now()));
    let today = time_zone.date(clock.now());
    let options = league::Options { sport: Sport::parse(SPORT)?, time_zone };
    let league = operator::load_league(store, &clock, id, options, schedule).await?;
    let mut users = Vec::new();
    for account in &accounts {
        let user = users::by_email(&mut &*store, &Email::parse(&account.email)?).await?;
        users.push(user.context("the demo has no such user")?.id);
    }
    let (of_roles, of_families) = users.split_at(Role::ALL.len());
    let families = families::invent(&clock.moment(), today, &league, of_families, of_roles[0])?;
    operator::load_families(store, &clock, id, families.records).await?;
    if let Some(rain) = rain::moved(&league, &families.teams, clock.now())? {
        let manager = accounts.iter().position(|account| account.role == Role::Manager);
        let author = users[manager.context("the demo has no manager")?];
        operator::propose(store, &clock, (id, author), (rain.title, rain.reason), rain.operations).await?;
    }
    for (account, seen) in accounts[Role::ALL.len()..].iter_mut().zip(families.seen) {
        account.children = seen;
    }
    let organization =
        OrganizationOfDemo { id: id.to_string(), name: ORGANIZATION.to_owned(), slug: slug.into() };
    Ok(Demo { organization, accounts, weeks, catalogue: None })
}

fn person(account: &Account) -> anyhow::Result<Person> {
    Ok(Person {
        email: Email::parse(&account.email)?,
        name: Name::parse(&account.name())?,
        role: account.role,
        password: SecretString::from(account.password.clone()),
    })
}

/// A hash that another version of Rust may make otherwise, so that the catalogue is loaded once more.
fn catalogue_hash() -> u64 {
    let mut hasher = DefaultHasher::new();
    (COLLEGES, PROGRAMS).hash(&mut hasher);
    hasher.finish()
}

impl Demo {
    /// Whether the college catalogue that ships with the program has been loaded.
    fn has_catalogue(&self) -> bool {
        self.catalogue == Some(catalogue_hash())
    }

    /// Loads the college catalogue while requests are served, unless an earlier start has loaded it.
    pub(crate) async fn load_catalogue(mut self, store: &Store, folder: &Path) {
        if self.has_catalogue() {
            return;
        }
        let loaded = async {
            for file in [COLLEGES, PROGRAMS] {
                let catalogue = colleges::read(file, None)?;
                operator::load_colleges(store, &Clock::system(), catalogue, false, |_, _| {}).await?;
            }
            self.catalogue = Some(catalogue_hash());
            self.write(folder)
        };
        if let Err(error) = loaded.await {
            tracing::error!(%error, "the college catalogue could not be loaded");
        }
    }

    fn write(&self, folder: &Path) -> anyhow::Result<()> {
        Ok(private_file::write(&folder.join(ACCOUNTS_FILE), &serde_json::to_vec(self)?)?)
    }

    /// Prints what the demo contains and what to try.
    pub(crate) fn announce(&self, ready: &Ready) {
        let (name, weeks, base_url) = (&self.organization.name, self.weeks, &ready.base_url);
        note(&format!("Fieldhouse is running at {base_url} with a demo. Documentation: {base_url}/docs"));
        note("");
        note(&format!("Organization: {name}, with its league of Winter 2022 (PlayHQ export)."));
        note(&format!("Its dates were moved by {weeks} weeks, so that some games are upcoming."));
        note("Its families are invented: five children, and people with each kind of relation to them.");
        note("One changeset waits for approval: the manager moves a Saturday's games of a venue.");
        if !self.has_catalogue() {
            note("Loading the college catalogue in the background: 2,040 US colleges (EADA).");
        }
        ready.announce_mail();
        if ready.thrown_away {
            note("All data is deleted when the server stops. To keep it, use --data-dir FOLDER.");
        }
        note("");
        note_list(&self.accounts, ACCOUNTS);
        note("");
        let manager = self.accounts.iter().find(|account| account.role == Role::Manager);
        if let Some(Account { email, password, .. }) = manager {
            note("Try in another terminal:");
            note(&format!("  fieldhouse --base-url {base_url} login {email} {password}"));
            note("  fieldhouse games upcoming");
            note("  fieldhouse changesets list --state in_review");
            note("  fieldhouse colleges search bethel");
        }
        note("");
        note("Stop with Ctrl-C.");
    }
}
