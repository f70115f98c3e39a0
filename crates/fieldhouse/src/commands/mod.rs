//! The commands, one in each file: its `Options`, and what `run` does with them.
//!
//! A new command gets a file here, a variant of [`Command`] and a line in [`Options::run`]. Commands for the server's machine come after
//! those that use HTTP.

mod admin;
mod api;
mod api_fields;
mod api_keys;
mod archive;
mod audit;
mod backup;
mod break_glass;
mod cases;
mod catalogue;
mod changesets;
mod child_exports;
mod children;
mod colleges;
mod completions;
mod consents;
mod context;
mod divisions;
mod duties;
mod export;
mod favorites;
mod games;
mod guardian_invitations;
mod import;
mod init;
mod invitations;
mod key_ring;
mod league;
mod login;
mod logout;
mod mail;
mod members;
mod migrate;
mod organization;
mod organizations;
mod privacy_requests;
mod profile;
mod registrations;
mod relations;
mod restrictions;
mod retention;
mod rosters;
mod seasons;
pub(crate) mod serve;
mod staff;
mod standings;
mod teams;
mod undo;
mod users;
mod venues;
mod whoami;

use clap::{CommandFactory, Parser, Subcommand};
pub(crate) use serve::erase_again;

use crate::applies::{self, Typed};
use crate::confirm;
use crate::context::Context;
use crate::global::{Format, Global, Wanted};

/// Manage a youth-sports organization: seasons, games, API keys and college programs
#[derive(Parser)]
#[command(name = "fieldhouse", version, subcommand_required = true, arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Environment:
  FIELDHOUSE_CONTEXT    the named context, as --context
  FIELDHOUSE_URL        the server's URL, as --base-url; the context's takes precedence
  FIELDHOUSE_API_KEY    an API key; it takes precedence over `fieldhouse login`
  FIELDHOUSE_PAGER      the pager for lists, instead of PAGER or less; empty for none
  FIELDHOUSE_FORCE_TTY  print as to a terminal; a number is its width
  NO_COLOR              print without colour

Output:
  On a terminal each record is one line: names are shortened, and columns that do not fit are left
  out. Through a pipe tables have every column. --json, --jq and -o csv are for programs.

Exit codes:
  0  done
  1  failed
  2  invalid usage
  4  not signed in, or a different credential is required";

#[derive(Subcommand)]
enum Command {
    /// Sign in with e-mail address and password, or with an API key
    Login(login::Options),
    /// End the session and remove the credential
    Logout,
    /// Show who is signed in, on which server, and with which credential
    Whoami,
    /// Named contexts: servers, organizations and credentials
    #[command(subcommand)]
    Context(context::Options),
    /// Seasons of the organization
    #[command(subcommand)]
    Seasons(seasons::Options),
    /// Divisions (grades) of seasons
    #[command(subcommand)]
    Divisions(divisions::Options),
    /// Teams of seasons
    #[command(subcommand)]
    Teams(teams::Options),
    /// Staff of teams
    #[command(subcommand)]
    Staff(staff::Options),
    /// Children, and the classes of their data
    #[command(subcommand)]
    Children(children::Options),
    /// Your relations to children, which open their data
    #[command(subcommand)]
    Relations(relations::Options),
    /// Requests to export, correct or erase a child's data
    #[command(subcommand)]
    PrivacyRequests(privacy_requests::Options),
    /// Registrations of children for seasons
    #[command(subcommand)]
    Registrations(registrations::Options),
    /// The roster of a team
    #[command(subcommand)]
    Roster(rosters::Options),
    /// Duties of members, which open children's data
    #[command(subcommand)]
    Duties(duties::Options),
    /// Safeguarding cases, which open some data of the children whom they name
    #[command(subcommand, name = "safeguarding-cases")]
    Cases(cases::Options),
    /// Opening some data of a child in an emergency
    #[command(subcommand, name = "break-glass-grants")]
    BreakGlass(break_glass::Options),
    /// The table of a season or a division
    Standings(standings::Options),
    /// Where games are played
    #[command(subcommand)]
    Venues(venues::Options),
    /// Games of the organization
    #[command(subcommand)]
    Games(games::Options),
    /// Changes that are proposed, simulated, approved, executed and undone
    #[command(subcommand)]
    Changesets(Box<changesets::Options>),
    /// Undo a changeset, an entry of the audit log, or what an API key did
    Undo(undo::Options),
    /// Your organization
    #[command(subcommand)]
    Organization(organization::Options),
    /// Members of the organization and their roles
    #[command(subcommand)]
    Members(members::Options),
    /// Invitations to join the organization
    #[command(subcommand)]
    Invitations(invitations::Options),
    /// Show how long the server keeps data that it removes by itself
    Retention,
    /// Your own profile
    #[command(subcommand)]
    Profile(profile::Options),
    /// The college catalogue, and your saved programs
    #[command(subcommand)]
    Colleges(colleges::Options),
    /// Manage API keys, and read the audit log
    #[command(subcommand)]
    Admin(admin::Options),
    /// Import files
    #[command(subcommand)]
    Import(import::Options),
    /// Export to files
    #[command(subcommand)]
    Export(export::Options),
    /// Call any operation of the API
    Api(api::Options),
    /// Serve the API
    Serve(Box<serve::Options>),
    /// Create an organization and its owner (on the server's machine)
    Init(Box<init::Options>),
    /// The organizations of the server (on the server's machine)
    #[command(subcommand)]
    Organizations(organizations::Options),
    /// The accounts of the server (on the server's machine)
    #[command(subcommand)]
    Users(users::Options),
    /// Update the database schema to this version (on the server's machine)
    Migrate(migrate::Options),
    /// Copy the embedded database to a file, also while a server runs (on the server's machine)
    Backup(backup::Options),
    /// The server's secrets (on the server's machine)
    #[command(subcommand)]
    KeyRing(key_ring::Options),
    /// Print a completion script for a shell
    Completions(completions::Options),
}

/// The program's commands, with the options, examples and layout that they have in common.
pub(crate) fn command() -> clap::Command {
    applies::complete(Options::command(), "")
}

impl Options {
    /// Whether results and failures are printed as JSON.
    pub(crate) fn prints_json(&self) -> bool {
        self.global.printing.format() == Format::Json
    }

    /// Runs the command, unless its common options are wrong or the user does not confirm it.
    pub(crate) async fn run(self, typed: &Typed<'_>) -> anyhow::Result<()> {
        typed.check()?;
        if self.global.printing.check(&typed.name)? == Wanted::FieldNames {
            return Ok(());
        }
        let context = Context::new(self.global)?;
        confirm::ask(&context, typed).await?;
        match self.command {
            Command::Login(options) => login::run(&context, options).await,
            Command::Logout => logout::run(&context).await,
            Command::Whoami => whoami::run(&context).await,
            Command::Context(options) => context::run(&context, options).await,
            Command::Seasons(options) => seasons::run(&context, options).await,
            Command::Divisions(options) => divisions::run(&context, options).await,
            Command::Teams(options) => teams::run(&context, options).await,
            Command::Staff(options) => staff::run(&context, options).await,
            Command::Children(options) => children::run(&context, options).await,
            Command::Relations(options) => relations::run(&context, options).await,
            Command::PrivacyRequests(options) => privacy_requests::run(&context, options).await,
            Command::Registrations(options) => registrations::run(&context, options).await,
            Command::Roster(options) => rosters::run(&context, options).await,
            Command::Duties(options) => duties::run(&context, options).await,
            Command::Cases(options) => cases::run(&context, options).await,
            Command::BreakGlass(options) => break_glass::run(&context, options).await,
            Command::Standings(options) => standings::run(&context, options).await,
            Command::Retention => retention::run(&context).await,
            Command::Venues(options) => venues::run(&context, options).await,
            Command::Games(options) => games::run(&context, options).await,
            Command::Changesets(options) => changesets::run(&context, *options).await,
            Command::Undo(options) => undo::run(&context, options).await,
            Command::Organization(options) => organization::run(&context, options).await,
            Command::Members(options) => members::run(&context, options).await,
            Command::Invitations(options) => invitations::run(&context, options).await,
            Command::Profile(options) => profile::run(&context, options).await,
            Command::Colleges(options) => colleges::run(&context, options).await,
            Command::Admin(options) => admin::run(&context, options).await,
            Command::Import(options) => import::run(&context, options).await,
            Command::Export(options) => export::run(&context, options).await,
            Command::Api(options) => api::run(&context, options).await,
            Command::Serve(options) => serve::run(*options).await,
            Command::Init(options) => init::run(*options).await,
            Command::Organizations(options) => organizations::run(&context, options).await,
            Command::Users(options) => users::run(&context, options).await,
            Command::Migrate(options) => migrate::run(options).await,
            Command::Backup(options) => backup::run(options).await,
            Command::KeyRing(options) => key_ring::run(options),
            Command::Completions(options) => completions::run(&options),
        }
    }
}
