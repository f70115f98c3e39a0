//! Opening connections: finds the server, and lets tokio-postgres encrypt the connection and sign in.
//!
//! The address has the same meaning as in tokio-postgres: several hosts are tried in turn, and `target_session_attrs` selects among them.

use std::io;
use std::net::IpAddr;
#[cfg(unix)]
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use rand::seq::SliceRandom as _;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::net::{TcpStream, lookup_host};
use tokio_postgres::config::{Host, LoadBalanceHosts, TargetSessionAttrs};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres::{CancelToken, Client, Config, SimpleQueryMessage};
use tokio_postgres_rustls::MakeRustlsConnect;
#[cfg(unix)]
use tokio_util::either::Either;

use super::failure::{Failure, Sent};
use crate::error::{Error, Result};

const DEFAULT_PORT: u16 = 5432;

/// Opens connections to one database.
pub(super) struct Dialer {
    pub(super) config: Config,
    pub(super) tls: MakeRustlsConnect,
}

/// Whether the parts of an address belong together.
pub(super) fn check_address(config: &Config) -> Result<()> {
    let (hosts, addresses, ports) =
        (config.get_hosts().len(), config.get_hostaddrs().len(), config.get_ports().len());
    let wrong = if hosts == 0 && addresses == 0 {
        "it names no host".to_owned()
    } else if hosts > 0 && addresses > 0 && hosts != addresses {
        format!("it has {hosts} hosts and {addresses} addresses of hosts")
    } else if ports > 1 && ports != hosts.max(addresses) {
        format!("it has {} hosts and {ports} ports", hosts.max(addresses))
    } else {
        return Ok(());
    };
    Err(Error::Unavailable(format!("the database address: {wrong}")))
}

/// Where a server listens.
struct Place {
    address: Address,
    /// The name in its certificate.
    name: String,
}

enum Address {
    Tcp(IpAddr, u16),
    #[cfg(unix)]
    Unix(PathBuf),
}

/// A connection on which someone has signed in.
pub(super) struct Dialed {
    pub(super) socket: Socket,
    pub(super) canceler: Canceler,
}

/// What stops the statement that a connection is running.
pub(super) struct Canceler {
    place: Place,
    token: CancelToken,
}

impl Dialer {
    /// Connects to the first server that can be reached, and signs in.
    pub(super) async fn dial(&self) -> Sent<Dialed> {
        let mut last = Failure::Lost("the host of the database has no address".to_owned());
        for host in self.hosts() {
            let places = match host.places().await {
                Ok(places) => self.in_turn(places),
                Err(error) => {
                    last = Failure::lost(error);
                    continue;
                }
            };
            for place in places {
                match self.sign_in(place).await {
                    Ok(dialed) => return Ok(dialed),
                    Err(failure) => last = failure,
                }
            }
        }
        Err(last)
    }

    /// Several hosts or addresses in the order in which they are tried.
    fn in_turn<T>(&self, mut several: Vec<T>) -> Vec<T> {
        if self.config.get_load_balance_hosts() == LoadBalanceHosts::Random {
            several.shuffle(&mut rand::make_rng::<rand::rngs::SmallRng>());
        }
        several
    }

    /// The hosts of the address. A `hostaddr` is the address of the host at the same position.
    fn hosts(&self) -> Vec<Listed> {
        let (hosts, addresses, ports) =
            (self.config.get_hosts(), self.config.get_hostaddrs(), self.config.get_ports());
        let listed = |number| {
            let port = ports.get(number).or_else(|| ports.first()).copied().unwrap_or(DEFAULT_PORT);
            Listed { host: hosts.get(number).cloned(), address: addresses.get(number).copied(), port }
        };
        self.in_turn((0..hosts.len().max(addresses.len())).map(listed).collect())
    }

    async fn sign_in(&self, place: Place) -> Sent<Dialed> {
        let stream = self.open(&place.address).await.map_err(Failure::lost)?;
        let raw = Lent(Arc::new(Mutex::new(stream)));
        let encrypted = Arc::new(Mutex::new(None));
        let tls = Encrypting { inner: self.tls_to(&place)?, taken: encrypted.clone() };
        let (client, connection) = self.config.connect_raw(raw.clone(), tls).await?;
        let token = client.cancel_token();
        // What the server sends by itself from now on until the first piece may be lost here: nothing of it matters.
        if self.config.get_target_session_attrs() == TargetSessionAttrs::Any {
            drop((client, connection));
        } else {
            let checked = self.check_session(&client);
            tokio::select! {
                biased;
                checked = checked => checked?,
                ended = connection => {
                    ended?;
                    return Err(Failure::Lost("the server closed the connection".to_owned()));
                }
            }
        }
        let encrypted = encrypted.lock().unwrap_or_else(PoisonError::into_inner).take();
        let socket: Socket = match encrypted {
            Some(encrypted) => Box::new(encrypted),
            None => Box::new(raw),
        };
        Ok(Dialed { socket, canceler: Canceler { place, token } })
    }

    /// Whether the server may be used: one that the address wants to write to, or only to read from.
    async fn check_session(&self, client: &Client) -> Sent<()> {
        let rows = client.simple_query("SHOW transaction_read_only").await?;
        let mut shown = rows.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        let is_read_only = shown.next().ok_or_else(|| Failure::misunderstood("no setting"))? == "on";
        match self.config.get_target_session_attrs() {
            TargetSessionAttrs::ReadWrite if is_read_only => {
                Err(Failure::Lost("the database does not allow writes".to_owned()))
            }
            TargetSessionAttrs::ReadOnly if !is_read_only => {
                Err(Failure::Lost("the database is not read-only".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn tls_to(&self, place: &Place) -> Sent<Rustls> {
        let mut tls = self.tls.clone();
        MakeTlsConnect::<Lent<Raw>>::make_tls_connect(&mut tls, &place.name)
            .map_err(|error| Failure::Internal(error.to_string()))
    }

    async fn open(&self, address: &Address) -> io::Result<Raw> {
        let open = self.open_now(address);
        match self.config.get_connect_timeout() {
            Some(limit) => tokio::time::timeout(*limit, open).await?,
            None => open.await,
        }
    }

    async fn open_now(&self, address: &Address) -> io::Result<Raw> {
        let (address, port) = match address {
            #[cfg(unix)]
            Address::Unix(path) => return Ok(Either::Right(UnixStream::connect(path).await?)),
            Address::Tcp(address, port) => (*address, *port),
        };
        let stream = TcpStream::connect((address, port)).await?;
        stream.set_nodelay(true)?;
        let socket = SockRef::from(&stream);
        #[cfg(target_os = "linux")]
        if let Some(limit) = self.config.get_tcp_user_timeout() {
            socket.set_tcp_user_timeout(Some(*limit))?;
        }
        if self.config.get_keepalives() {
            let mut alive = TcpKeepalive::new().with_time(self.config.get_keepalives_idle());
            if let Some(interval) = self.config.get_keepalives_interval() {
                alive = alive.with_interval(interval);
            }
            if let Some(retries) = self.config.get_keepalives_retries() {
                alive = alive.with_retries(retries);
            }
            socket.set_tcp_keepalive(&alive)?;
        }
        #[cfg(unix)]
        let stream = Either::Left(stream);
        Ok(stream)
    }

    /// Stops the statement that a connection is running.
    pub(super) async fn cancel(&self, canceler: &Canceler) -> Sent<()> {
        let stream = self.open(&canceler.place.address).await.map_err(Failure::lost)?;
        let stream = Lent(Arc::new(Mutex::new(stream)));
        Ok(canceler.token.cancel_query_raw(stream, self.tls_to(&canceler.place)?).await?)
    }
}

/// A host as the address lists it.
struct Listed {
    host: Option<Host>,
    address: Option<IpAddr>,
    port: u16,
}

impl Listed {
    /// The places where it may listen.
    async fn places(self) -> io::Result<Vec<Place>> {
        let name = match self.host {
            #[cfg(unix)]
            Some(Host::Unix(folder)) if self.address.is_none() => {
                let path = folder.join(format!(".s.PGSQL.{}", self.port));
                return Ok([Place { address: Address::Unix(path), name: String::new() }].into());
            }
            Some(Host::Tcp(name)) => name,
            _ => String::new(),
        };
        let found: Vec<IpAddr> = match self.address {
            Some(address) => vec![address],
            None => lookup_host((&*name, self.port)).await?.map(|address| address.ip()).collect(),
        };
        let place = |ip| Place { address: Address::Tcp(ip, self.port), name: name.clone() };
        Ok(found.into_iter().map(place).collect())
    }
}

/// A stream of bytes in both directions.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Duplex for S {}

/// What is sent and received, encrypted if the address says so.
pub(super) type Socket = Box<dyn Duplex>;
#[cfg(unix)]
type Raw = Either<TcpStream, UnixStream>;
#[cfg(not(unix))]
type Raw = TcpStream;
type Rustls = <MakeRustlsConnect as MakeTlsConnect<Lent<Raw>>>::TlsConnect;
type Encrypted = <MakeRustlsConnect as MakeTlsConnect<Lent<Raw>>>::Stream;

/// A stream that tokio-postgres has until someone has signed in.
struct Lent<S>(Arc<Mutex<S>>);

impl<S> Clone for Lent<S> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<S> Lent<S> {
    fn stream(&self) -> MutexGuard<'_, S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lent<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_read(context, to)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Lent<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut *self.stream()).poll_write(context, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream()).poll_shutdown(context)
    }
}

impl<S: TlsStream + Unpin> TlsStream for Lent<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.stream().channel_binding()
    }
}

/// Encrypts a stream, and keeps a handle of it.
struct Encrypting {
    inner: Rustls,
    taken: Arc<Mutex<Option<Lent<Encrypted>>>>,
}

impl TlsConnect<Lent<Raw>> for Encrypting {
    type Stream = Lent<Encrypted>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Lent<Encrypted>>>;

    fn connect(self, stream: Lent<Raw>) -> Self::Future {
        Box::pin(async move {
            let encrypted = Lent(Arc::new(Mutex::new(self.inner.connect(stream).await?)));
            *self.taken.lock().unwrap_or_else(PoisonError::into_inner) = Some(encrypted.clone());
            Ok(encrypted)
        })
    }
}
