//! The typed client of Fieldhouse.
//!
//! Resource groups have a method for each operation ([`Client::seasons`], [`Client::games`], ...). [`Client::request`] reaches any path.
//!
//! ```no_run
//! use fieldhouse_client::api::auth::Login;
//! use fieldhouse_client::api::seasons::{ChangeSeason, SeasonListQuery};
//! use fieldhouse_client::api::{Code, Data};
//! use fieldhouse_client::{Client, Method};
//! use futures_util::TryStreamExt;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
// With a key:
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
// With a session, which is renewed automatically:
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
mod pages;
mod problems;
mod request;
mod request_builder;
pub mod resources;
mod responses;
mod retries;

pub use fieldhouse_api as api;
pub use http::Method;

pub use addresses::server_address;
pub use builder::Builder;
pub use call::Call;
pub use client::Client;
pub use credentials::{SessionLock, SessionStore, SessionTokens};
pub use errors::Error;
pub use pages::CsvPage;
pub use problems::{Problem, ProblemCode};
pub use request::Request;
pub use resources::covered;
pub use responses::{Download, ETag, RawResponse, Reply, Versioned};
