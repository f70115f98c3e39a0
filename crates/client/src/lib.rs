//! The typed client of Fieldhouse.
//!
//! # Dependency
//!
//! The client is a crate of this repository and is on no registry. In a workspace beside a checkout, name its path; elsewhere, name the
//! repository and a commit (`git = "...", rev = "..."`), so that an update is your decision:
//!
//! ```toml
//! [dependencies]
//! fieldhouse-client = { path = "../fieldhouse/crates/client" }
//! futures-util = { version = "0.3", default-features = false } # for streams of records
//! tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
//! ```
//!
//! It has no features. It needs the Rust version of the workspace (1.95), a Tokio runtime, and a C compiler for TLS (rustls with aws-lc).
//!
//! # A first program
//!
//! It lists the coming games. `FIELDHOUSE_API_KEY` is a key of `fieldhouse admin api-keys create --name 'my program'`:
//!
//! ```no_run
//! use fieldhouse_client::Client;
//! use fieldhouse_client::api::games::GamesUpcomingQuery;
//! use futures_util::TryStreamExt;
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let key = std::env::var("FIELDHOUSE_API_KEY")?;
//!     let client = Client::builder("http://127.0.0.1:8080").api_key(key).build()?;
//!     let mut upcoming = client.games().upcoming(&GamesUpcomingQuery::default()).stream();
//!     while let Some(game) = upcoming.try_next().await? {
//!         let [home, away] = [game.home, game.away].map(|side| side.map_or("-".into(), |side| side.name));
//!         println!("{} {home} v {away}", game.local_start);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # Calls
//!
//! Resource groups have a method for each operation: [`Client::seasons`], [`Client::games`] and so on; each group has an example. A method
//! returns a [`Call`], which is sent when it is awaited. [`api`] has bodies, queries and responses, [`domain`] ids and values, which are
//! checked when they are parsed:
//!
//! ```
//! use fieldhouse_client::domain::ids::TeamId;
//! use fieldhouse_client::domain::venues::NewVenue;
//! use fieldhouse_client::{Client, server_address};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::builder("https://api.example.org/").api_key("fhk_...").build()?;
//! let new = NewVenue::new("Town Hall".parse()?, "Australia/Melbourne".parse()?);
//! let call = client.venues().create(&new);
//! assert_eq!(format!("{call:?}"), "Call(POST /api/v1/venues)");
//!
//! assert!("sea_01h2xcejqtf2nbrexx3vqjhp41".parse::<TeamId>().is_err(), "the id of a season");
//! assert_eq!(server_address("https://api.example.org/api/v1/")?, "https://api.example.org");
//! # Ok(())
//! # }
//! ```
//!
//! Versions, errors and other paths:
//!
//! ```no_run
//! use fieldhouse_client::api::seasons::{ChangeSeason, SeasonListQuery};
//! use fieldhouse_client::api::{Code, Data};
//! use fieldhouse_client::{Client, Method};
//!
//! # async fn example(client: Client) -> Result<(), Box<dyn std::error::Error>> {
//! let page = client.seasons().list(&SeasonListQuery::default()).await?;
//!
//! // Only if it has not changed since:
//! let season = client.seasons().read(page.data[0].id).versioned().await?;
//! let change = ChangeSeason { name: Some("Winter 2026".parse()?), ..ChangeSeason::default() };
//! let mut call = client.seasons().change(season.value.id, &change);
//! if let Some(version) = &season.etag {
//!     call = call.if_match(version);
//! }
//! match call.await {
//!     Err(error) if error.code() == Some(Code::VersionMismatch) => println!("read it again"),
//!     other => println!("{}", other?.name),
//! }
//!
//! // Any path:
//! let organization: Data<serde_json::Value> =
//!     client.request(Method::GET, "/api/v1/organization").send().await?;
//! println!("{}", organization.data["name"]);
//! # Ok(())
//! # }
//! ```
//!
//! # Sessions
//!
//! A program that acts for a person signs in with their password. The session is renewed automatically; [`Builder::on_refresh`] passes on
//! the new tokens, so that they can be stored:
//!
//! ```no_run
//! use fieldhouse_client::Client;
//! use fieldhouse_client::api::auth::Login;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let anonymous = Client::builder("https://api.example.org").build()?;
//! let login = Login { email: "me@example.org".parse()?, password: "...".into(), organization: None };
//! let tokens = anonymous.auth().login(&login).await?;
//! let client = Client::builder("https://api.example.org")
//!     .session(tokens)
//!     .on_refresh(|tokens| drop(tokens.refresh_token()))
//!     .build()?;
//! # drop(client);
//! # Ok(())
//! # }
//! ```
//!
//! What happens automatically: every request that writes gets a random `Idempotency-Key`, which retries repeat; requests are retried after
//! connection errors, 429 and 503 if that is safe; a session is renewed once for all waiting calls.
//!
//! A known limit: enums of records are closed, so that a record with a new value from a newer server is [`Error::Decode`]. In this case use
//! [`Client::request`] with [`serde_json::Value`]. Unknown fields and unknown codes of problems are accepted.
//!
//! How to add a method: [`resources`].

mod addresses;
mod builder;
mod call;
mod client;
mod credentials;
mod errors;
mod operations;
mod pages;
mod problems;
mod request;
mod request_builder;
pub mod resources;
mod responses;
mod retries;

pub use fieldhouse_api as api;
pub use fieldhouse_domain as domain;
pub use http::Method;

pub use addresses::server_address;
pub use builder::Builder;
pub use call::Call;
pub use client::Client;
pub use credentials::{SessionLock, SessionStore, SessionTokens};
pub use errors::Error;
pub use operations::{Delete, InChangeset, Operations, Ref, Update};
pub use pages::CsvPage;
pub use problems::{Problem, ProblemCode};
pub use request::Request;
pub use resources::covered;
pub use responses::{Download, ETag, RawResponse, Reply, Versioned};
