//! Background work, so that no request has to wait for it.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use fieldhouse_commands::Acting;
use fieldhouse_commands::games::KeepLocalTimes;
use fieldhouse_domain::attempts::{COUNTED, KNOWN};
use fieldhouse_domain::ids::ApiKeyId;
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::app::App;
use crate::mail::{self, Mailer};

/// The precision of a key's last use.
const KEY_USE_GRAIN: SignedDuration = SignedDuration::from_mins(1);
/// The pause between two rounds of the workers.
const ROUND: Duration = Duration::from_secs(5);
/// How long to collect commits before they are posted.
const POSTING_PAUSE: Duration = Duration::from_millis(20);
/// How often expired rows are purged, in rounds.
const PURGE_ROUNDS: u32 = 720;
/// How often games to come are moved to what their local start means, in rounds: once a day, and soon after a start, because a new version
/// of the server may know new rules.
const LOCAL_TIME_ROUNDS: u32 = 17_280;
/// How long responses are stored under their idempotency keys.
pub const IDEMPOTENCY_LIFE: SignedDuration = SignedDuration::from_hours(24);
/// How long the ledger retains images of records.
pub const IMAGE_LIFE: SignedDuration = SignedDuration::from_hours(400 * 24);
/// How long the saved programs of a removed member are stored.
const DEPARTED_LIFE: SignedDuration = SignedDuration::from_hours(90 * 24);
/// How long messages are stored.
const MAIL_LIFE: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Times of keys' last use that have not been written yet.
#[derive(Debug, Default)]
pub struct KeyUse {
    waiting: Mutex<HashMap<ApiKeyId, Timestamp>>,
}

impl KeyUse {
    /// Records that a key is used now, unless this was written within the last minute.
    pub fn note(&self, key: ApiKeyId, last_used_at: Option<Timestamp>, now: Timestamp) {
        if last_used_at.is_some_and(|last| now.duration_since(last) < KEY_USE_GRAIN) {
            return;
        }
        if let Ok(mut waiting) = self.waiting.lock() {
            waiting.insert(key, now);
        }
    }

    fn take(&self) -> Vec<(ApiKeyId, Timestamp)> {
        self.waiting.lock().map(|mut waiting| waiting.drain().collect()).unwrap_or_default()
    }
}

/// Starts the workers. They end when the handle is aborted; call [`flush`] afterwards.
pub fn start(app: App, mailer: Mailer) -> JoinHandle<()> {
    tokio::spawn(async move {
        tokio::join!(run_rounds(&app), post(&app), mail::run(&app, &mailer));
    })
}

async fn run_rounds(app: &App) {
    for round in 1u32.. {
        tokio::time::sleep(ROUND).await;
        flush(app).await;
        app.limits.remove_full_buckets();
        if round % PURGE_ROUNDS == 1 {
            purge(app).await;
        }
        if round % LOCAL_TIME_ROUNDS == 1 {
            keep_local_times(app).await;
        }
    }
}

/// Posts entries to the ledger: shortly after each commit of this node, and every second those of other nodes.
async fn post(app: &App) {
    let mut every_second = tokio::time::interval(Duration::from_secs(1));
    every_second.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        let posted = tokio::select! {
            _ = every_second.tick() => app.store.post_everything().await,
            posted = app.store.post_when_committed() => posted,
        };
        if let Err(error) = posted {
            tracing::warn!(%error, "waiting entries could not be posted");
        }
        tokio::time::sleep(POSTING_PAUSE).await;
    }
}

/// Writes the times of keys' last use.
pub async fn flush(app: &App) {
    let used = app.key_use.take();
    if used.is_empty() {
        return;
    }
    if let Err(error) = app.store.note_key_use(used).await {
        tracing::warn!(%error, "the last use of some keys could not be written");
    }
}

/// The numbers of deleted rows and cleared images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purged {
    /// Responses stored under idempotency keys.
    pub idempotency_keys: u64,
    /// Guests, each with their list.
    pub guests: u64,
    /// Saved programs of former members.
    pub favorites: u64,
    /// Failed sign-ins, and sources that were not used for long.
    pub sign_ins: u64,
    /// Messages.
    pub mail: u64,
    /// Effects in the ledger whose images were cleared.
    pub images: u64,
}

/// Purges expired rows and old images.
pub async fn purge(app: &App) -> Purged {
    let now = app.clock.now();
    let before = |life| now.saturating_sub(life).unwrap_or(Timestamp::MIN);
    let store = &app.store;
    Purged {
        idempotency_keys: purged(
            "idempotency keys",
            store.purge_idempotency_keys(before(IDEMPOTENCY_LIFE)).await,
        ),
        guests: purged("guests", store.purge_guests(now).await),
        favorites: purged(
            "saved programs of former members",
            store.purge_departures(before(DEPARTED_LIFE)).await,
        ),
        images: purged(
            "images of the ledger",
            store.clear_images(before(IMAGE_LIFE), &app.clock.moment_at(now)).await,
        ),
        sign_ins: purged("sign-ins", store.purge_sign_ins(before(COUNTED), before(KNOWN)).await),
        mail: purged("messages", store.purge_mail(before(MAIL_LIFE)).await),
    }
}

fn purged(what: &str, outcome: fieldhouse_store::Result<u64>) -> u64 {
    match outcome {
        Ok(0) => {}
        Ok(count) => tracing::info!(count, what, "purged expired rows"),
        Err(ref error) => tracing::warn!(%error, what, "could not purge expired rows"),
    }
    outcome.unwrap_or_default()
}

/// Moves the UTC times of games to come to what their local start means by the rules of its time zone now.
pub async fn keep_local_times(app: &App) {
    let organizations = match app.store.organizations().await {
        Ok(organizations) => organizations,
        Err(error) => return tracing::warn!(%error, "the organizations could not be read"),
    };
    for organization in organizations {
        let mut after = Some((app.clock.now(), Uuid::nil()));
        while let Some(place) = after {
            let (acting, command) = (Acting::Job(organization), KeepLocalTimes { after: place });
            let ran = fieldhouse_commands::run(&app.store, acting, app.clock.moment(), command).await;
            after = ran.unwrap_or_else(|error| {
                tracing::warn!(%organization, %error, "the times of games could not be checked");
                None
            });
        }
    }
}
