//! Commands of the operator, which work with and without a running server. They are requests to `/operator`: to the server that holds the
//! data folder, or else to one that this process runs on the store until the command ends. PostgreSQL can be opened beside a server.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use fieldhouse_client::api::operator::OrganizationListQuery;
use fieldhouse_client::api::organization::Organization;
use fieldhouse_client::{Client, Error, Method};
use fieldhouse_domain::mail::NOTIFY_HOLD;
use fieldhouse_domain::organizations::Slug;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::auth::operators;
use fieldhouse_server::listener::{self, ConnectionOptions};
use fieldhouse_server::{App, Clock, KeyRing, router};
use secrecy::SecretString;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::commands::erase_again;
use crate::context;
use crate::database::{Database, Opened};
use crate::failure::Failure;
use crate::global::DEFAULT_URL;
use crate::running::Running;

/// How long to wait for a server that is starting, or for a command that is ending.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);
/// The time limit of one request: an import may take long.
const LONGEST: Duration = Duration::from_mins(10);

/// A client that acts as the operator.
pub(crate) struct Operating {
    pub(crate) client: Client,
    own: Option<OwnServer>,
}

/// The server that this process runs for one command.
struct OwnServer {
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    app: App,
    opened: Opened<Arc<fieldhouse_store::Store>>,
}

impl Database {
    /// A client of the operator. Links have the public URL of the running server, or else this one.
    pub(crate) async fn operate(&self, public_url: Option<&str>) -> anyhow::Result<Operating> {
        self.must_exist()?;
        let started = Instant::now();
        loop {
            if let Some(opened) = self.open_unless_locked().await? {
                return self.operate_on(opened, public_url).await;
            }
            let waited = started.elapsed() > PATIENCE;
            match Running::read(self.folder()) {
                Some(running) => match self.reach(&running).await {
                    Err(error) if !is_unreachable(&error) => return Err(error),
                    Err(_) if waited => return Err(is_gone(self.folder(), &running).into()),
                    Err(_) => {}
                    reached => return reached,
                },
                None if waited => return Err(in_use(self.folder()).into()),
                None => {}
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// A client of the server that holds the data folder.
    async fn reach(&self, running: &Running) -> anyhow::Result<Operating> {
        let process =
            running.process.parse().context("the file server.json in the data folder is damaged")?;
        let client = client(&format!("http://{}", running.address), self.key_ring_beside()?, process)?;
        let probe = client.request::<serde_json::Value>(Method::GET, "/operator/organizations?limit=1");
        let status = probe.send_raw().await?.status.as_u16();
        let at = running.address;
        let failure = match status {
            200 => return Ok(Operating { client, own: None }),
            401 => Failure::new(format!("the server at {at} does not accept this key ring"))
                .next("name the data folder of that server with --data-dir, and set FIELDHOUSE_KEY_RING or FIELDHOUSE_KEY_RING_FILE exactly as the server does"),
            _ => Failure::new(format!("the server at {at} responded with {status}"))
                .next("this program and the server should have the same version"),
        };
        Err(failure.into())
    }

    /// Runs a server on the store for this process only.
    pub(crate) async fn operate_on(
        &self,
        mut opened: Opened,
        public_url: Option<&str>,
    ) -> anyhow::Result<Operating> {
        let key_ring = self.key_ring(&mut opened.store).await?;
        crate::database::bind(&key_ring, &opened.store).await?;
        let signing = self.key_ring(&mut opened.store).await?;
        let opened = opened.shared();
        let base_url = public_url.unwrap_or(DEFAULT_URL);
        let limits = LimitOptions::default();
        let app = App::new(opened.store.clone(), key_ring, base_url, limits, Clock::system(), NOTIFY_HOLD);
        let app = app.map_err(anyhow::Error::msg)?;
        // Beside the servers of PostgreSQL nothing was restored.
        if opened.lock.is_some() {
            erase_again(&app, self.folder()).await?;
        }
        let router = router::router(app.clone()).map_err(anyhow::Error::msg)?;
        let socket = TcpListener::bind("127.0.0.1:0").await.context("no port of this machine is free")?;
        let client = client(&format!("http://{}", socket.local_addr()?), signing, app.process)?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(listener::serve(socket, router, ConnectionOptions::default(), async {
            // It ends with the command, whatever happens to the sender.
            let _ = stopped.await;
        }));
        Ok(Operating { client, own: Some(OwnServer { stop, serving, app, opened }) })
    }
}

impl Operating {
    /// The organization with a short name.
    pub(crate) async fn organization(&self, slug: &Slug) -> anyhow::Result<Organization> {
        let query = OrganizationListQuery { slug: Some(slug.clone()), ..OrganizationListQuery::default() };
        let found = self.client.operator().organizations(&query).await?.data.pop();
        found.ok_or_else(|| {
            let failure = Failure::new(format!("the organization {slug} does not exist"));
            failure.next("`fieldhouse organizations list` shows the short names").into()
        })
    }

    /// Ends the command: stops the server that this process runs, and closes the store.
    pub(crate) async fn end(self) -> anyhow::Result<()> {
        drop(self.client);
        let Some(OwnServer { stop, serving, app, opened }) = self.own else { return Ok(()) };
        drop(stop);
        serving.await?;
        drop(app);
        opened.created.keep();
        drop(opened.store);
        drop(opened.lock);
        Ok(())
    }
}

fn client(base_url: &str, ring: KeyRing, process: Uuid) -> anyhow::Result<Client> {
    let token = move || {
        let clock = Clock::system();
        let id = Uuid::from_bytes(clock.random());
        SecretString::from(operators::token(&ring, process, clock.now(), id))
    };
    Ok(context::builder(base_url).operator(token).timeout(LONGEST).retries(0).build()?)
}

fn is_unreachable(error: &anyhow::Error) -> bool {
    error.downcast_ref::<Error>().is_some_and(Error::is_unreachable)
}

fn is_gone(folder: &Path, running: &Running) -> Failure {
    let (folder, at, pid) = (folder.display(), running.address, running.pid);
    let what = format!("the data folder {folder} is in use, and no server responds at {at} (process {pid})");
    Failure::new(what)
        .next("repeat this when the process that uses the folder has ended, or stop that process")
}

fn in_use(folder: &Path) -> Failure {
    let what = format!("the data folder {} is in use by another command", folder.display());
    Failure::new(what).next("repeat this when the other command has ended")
}
