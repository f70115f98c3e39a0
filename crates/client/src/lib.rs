//! The typed client of Fieldhouse.
//!
//! Resource groups hold a method for each operation ([`Client::seasons`], [`Client::games`], ...), [`Client::request`] reaches any path.
//!
//! ```no_run
//! use fieldhouse_client::api::auth::Login;
//! use fieldhouse_client::api::seasons::{ChangeSeason, SeasonListQuery};
//! use fieldhouse_client::api::{Code, Data};
//! use fieldhouse_client::{Client, Method};
//! use futures_util::TryStreamExt;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! // With a key:
//! let client = Client::builder("https://api.example.org").api_key("fhk_...").build()?;
//!
//! let page = client.seasons().list(&SeasonListQuery::default()).await?;
//! for season in &page.data {
//!     println!("{} ({})", season.name, season.status);
//! }
//!
//! // Every record, page by page:
//! let mut upcoming = client.games().upcoming(&Default::default()).stream();
//! while let Some(game) = upcoming.try_next().await? {
//!     println!("{} {}", game.local_start, game.time_zone);
//! }
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
//! // Anything else:
//! let organization: Data<serde_json::Value> =
//!     client.request(Method::GET, "/api/v1/organization").send().await?;
//! println!("{}", organization.data["name"]);
//!
//! // With a session, which is renewed by itself:
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
//! What it does by itself: a random `Idempotency-Key` on everything that makes or changes something, kept the same when the request is
//! repeated; repetition after connection errors, 429 and 503, as far as it is safe; renewal of the session, once for all calls that wait.
//!
//! A known limit: enums of records are closed, so a record in which a newer server uses a word that this client does not know is
//! [`Error::Decode`]. Ask for it as [`serde_json::Value`] with [`Client::request`] then. Unknown fields, and unknown codes of problems, do
//! no harm.
//!
//! How to add a method: [`resources`].

mod addresses;
mod answers;
mod builder;
mod call;
mod client;
mod credentials;
mod drafts;
mod errors;
mod pages;
mod problems;
mod request;
pub mod resources;
mod retries;

pub use fieldhouse_api as api;
pub use http::Method;

pub use addresses::server_address;
pub use answers::{ETag, RawAnswer, Reply, Versioned};
pub use builder::Builder;
pub use call::Call;
pub use client::Client;
pub use credentials::{SessionStore, SessionTokens, Turn};
pub use errors::Error;
pub use problems::{Problem, ProblemCode};
pub use request::Request;
pub use resources::covered;
