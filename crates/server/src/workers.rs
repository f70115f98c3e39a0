//! Background work, so that no request has to wait for it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::time::Duration;

use fieldhouse_commands::Acting;
use fieldhouse_commands::changesets::{Executed, Expire, RunScheduled};
use fieldhouse_commands::games::KeepLocalTimes;
use fieldhouse_domain::ids::{ApiKeyId, OrganizationId};
use fieldhouse_domain::retention::Retained;
use jiff::{SignedDuration, Timestamp};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::app::App;
use crate::erasures;
use crate::mail::{self, Mailer};

/// The precision of a key's last use.
pub(crate) const KEY_USE_GRAIN: SignedDuration = SignedDuration::from_mins(1);
/// The pause between two rounds of the workers.
const ROUND: Duration = Duration::from_secs(5);
/// How long to collect commits before they are posted.
const POSTING_PAUSE: Duration = Duration::from_millis(20);
/// How long reads of children's data wait to be recorded together.
const RECORDING_PAUSE: Duration = Duration::from_millis(500);
/// How often expired rows are purged, in rounds.
const PURGE_ROUNDS: u32 = 720;
/// How often all organizations are visited, in rounds: once a day, and soon after a start, because a new version of the server may know new
/// rules of time zones, and shows records in another way.
const VISITING_ROUNDS: u32 = 17_280;

/// Times of keys' last use of the last minute, and whether they have been taken to be written.
#[derive(Debug, Default)]
pub struct KeyUse {
    used: Mutex<HashMap<ApiKeyId, (Timestamp, bool)>>,
}

impl KeyUse {
    /// Records that a key is used now, unless this was recorded within the last minute.
    pub fn note(&self, key: ApiKeyId, now: Timestamp) {
        let is_recent = |last: Timestamp| now.duration_since(last) < KEY_USE_GRAIN;
        if let Ok(mut used) = self.used.lock()
            && !used.get(&key).is_some_and(|(last, _)| is_recent(*last))
        {
            used.insert(key, (now, false));
        }
    }

    /// Uses that could not be written wait for the next round.
    fn put_back(&self, taken: &[(ApiKeyId, Timestamp)]) {
        let Ok(mut used) = self.used.lock() else { return };
        for (key, at) in taken {
            used.entry(*key).or_insert((*at, false)).1 = false;
        }
    }

    fn take(&self, now: Timestamp) -> Vec<(ApiKeyId, Timestamp)> {
        let Ok(mut used) = self.used.lock() else { return Vec::new() };
        let waiting = used.iter_mut().filter(|(_, (_, is_taken))| !is_taken);
        let taken = waiting.map(|(key, (at, is_taken))| {
            *is_taken = true;
            (*key, *at)
        });
        let taken = taken.collect();
        used.retain(|_, (last, _)| now.duration_since(*last) < KEY_USE_GRAIN);
        taken
    }
}

/// Starts the workers. They end when the handle is aborted; call [`flush`] afterwards.
pub fn start(app: App, mailer: Mailer) -> JoinHandle<()> {
    tokio::spawn(async move {
        tokio::join!(run_rounds(&app), post(&app), record_reads(&app), mail::run(&app, &mailer));
    })
}

/// Records who saw children's data, every half second.
async fn record_reads(app: &App) {
    loop {
        tokio::time::sleep(RECORDING_PAUSE).await;
        flush_reads(app).await;
    }
}

async fn flush_reads(app: &App) {
    if let Err(error) = app.access_log.flush(&app.store).await {
        tracing::warn!(%error, "reads of children's data could not be recorded and wait on");
    }
}

async fn run_rounds(app: &App) {
    for round in 1u32.. {
        tokio::time::sleep(ROUND).await;
        flush(app).await;
        app.limits.remove_full_buckets();
        run_changesets(app).await;
        if round % PURGE_ROUNDS == 1 {
            purge(app).await;
            if let Err(error) = erasures::settle_all(app).await {
                tracing::warn!(%error, "the list of erasures could not be completed");
            }
        }
        if round % VISITING_ROUNDS == 1 {
            keep_local_times(app).await;
            render_again(app).await;
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

/// Writes what waits: reads of children's data, and the times of keys' last use.
pub async fn flush(app: &App) {
    flush_reads(app).await;
    let used = app.key_use.take(app.clock.now());
    if used.is_empty() {
        return;
    }
    if let Err(error) = app.store.note_key_use(used.clone()).await {
        app.key_use.put_back(&used);
        tracing::warn!(%error, "the last use of some keys could not be written");
    }
}

/// Removes what the rules of retention no longer keep. Returns the numbers of removed records, cleared images or rows, without zeros.
pub async fn purge(app: &App) -> BTreeMap<Retained, u64> {
    let mut purged = BTreeMap::new();
    for retained in Retained::ALL {
        match purge_one(app, *retained).await {
            Ok(0) => {}
            Ok(count) => {
                tracing::info!(count, what = retained.name(), "purged what is no longer kept");
                purged.insert(*retained, count);
            }
            Err(error) => {
                tracing::warn!(%error, what = retained.name(), "could not purge what is no longer kept");
            }
        }
    }
    purged
}

async fn purge_one(app: &App, retained: Retained) -> fieldhouse_store::Result<u64> {
    let (store, now) = (&app.store, app.clock.now());
    let before = now.saturating_sub(retained.life()).unwrap_or(Timestamp::MIN);
    match retained {
        Retained::Images => store.clear_images(before, &app.clock.moment_at(now)).await,
        Retained::AccessLog => store.purge_access_reads(before).await,
        Retained::PrivacyRequests => store.purge_privacy_requests(before).await,
        Retained::Exports => store.purge_exports(before).await,
        Retained::Sessions => store.purge_sessions(before).await,
        Retained::FormerMembersPrograms => store.purge_departures(before).await,
        // Guests are stored with their end.
        Retained::GuestsPrograms => store.purge_guests(now).await,
        Retained::Messages => store.purge_mail(before).await,
        Retained::FailedSignIns => store.purge_failed_sign_ins(before).await,
        Retained::SignInNetworks => store.purge_sign_in_sources(before).await,
        Retained::RepeatedResponses => store.purge_idempotency_keys(before).await,
    }
}

/// Moves the UTC times of games to come to what their local start means by the rules of its time zone now.
pub async fn keep_local_times(app: &App) {
    let organizations = match app.store.organizations_with_games(app.clock.now()).await {
        Ok(organizations) => organizations,
        Err(error) => return tracing::warn!(%error, "the organizations could not be read"),
    };
    for organization in organizations {
        if let Err(error) = keep_local_times_of(app, organization).await {
            tracing::warn!(%organization, %error, "the times of games could not be checked");
        }
        tokio::task::yield_now().await;
    }
}

async fn keep_local_times_of(
    app: &App,
    organization: OrganizationId,
) -> Result<(), fieldhouse_commands::Error> {
    let mut after = Some((app.clock.now(), Uuid::nil()));
    while let Some(place) = after {
        // Most days no game moves, and no transaction begins.
        let Some(place) = app.store.before_game_to_move(organization, place).await? else { break };
        let (acting, command) = (Acting::Job(organization), KeepLocalTimes { after: place });
        after = fieldhouse_commands::run(&app.store, acting, app.clock.moment(), command).await?;
    }
    Ok(())
}

/// Renders again what another version of the server has written, so that lists need not.
pub async fn render_again(app: &App) {
    let organizations = match app.store.organizations_to_render().await {
        Ok(organizations) => organizations,
        Err(error) => return tracing::warn!(%error, "the organizations could not be read"),
    };
    let mut rendered = 0;
    for organization in organizations {
        let counts = [
            app.store.render_seasons(organization).await,
            app.store.render_games(organization).await,
            app.store.render_children(organization).await,
        ];
        for count in counts {
            match count {
                Ok(count) => rendered += count,
                Err(error) => tracing::warn!(%organization, %error, "records could not be rendered again"),
            }
        }
        // On SQLite a read never waits, so that others would.
        tokio::task::yield_now().await;
    }
    if rendered > 0 {
        tracing::info!(rendered, "rendered records again that another version has written");
    }
}

/// Executes changesets at the time for which they are scheduled, and notes which have expired.
pub async fn run_changesets(app: &App) {
    let organizations = match app.store.organizations_with_waiting_changesets(app.clock.now()).await {
        Ok(organizations) => organizations,
        Err(error) => return tracing::warn!(%error, "the organizations could not be read"),
    };
    for organization in organizations {
        let waiting = match app.store.waiting_changesets(organization, app.clock.now()).await {
            Ok(waiting) => waiting,
            Err(error) => {
                tracing::warn!(%organization, %error, "the changesets that wait could not be read");
                continue;
            }
        };
        if !waiting.due.is_empty()
            && let Err(error) = app.store.post(organization).await
        {
            tracing::warn!(%organization, %error, "waiting entries could not be posted");
        }
        for id in waiting.due {
            let (acting, command) = (Acting::Job(organization), RunScheduled { id, hold: app.notify_hold });
            let ran = fieldhouse_commands::run(&app.store, acting, app.clock.moment(), command).await;
            match ran {
                Ok(Some(Executed::Refused(refusal))) => {
                    tracing::info!(%organization, changeset = %id, %refusal, "a scheduled changeset was not executed");
                }
                Ok(_) => {}
                Err(error) => {
                    tracing::warn!(%organization, changeset = %id, %error, "a scheduled changeset was not executed");
                }
            }
        }
        for id in waiting.over {
            let acting = Acting::Job(organization);
            if let Err(error) =
                fieldhouse_commands::run(&app.store, acting, app.clock.moment(), Expire(id)).await
            {
                tracing::warn!(%organization, changeset = %id, %error, "a changeset could not be marked as expired");
            }
        }
    }
}
