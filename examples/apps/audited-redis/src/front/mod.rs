//! The front: verifies, logs, executes, answers.
//!
//! ```text
//!  connection (a task each)          committer (a thread)            upstream (a thread)
//!  frames → checks → signature ────► a group of commands ─────────► replies, in order
//!            │      (one lock         appended, made durable,          │
//!            │       per client)      then sent to Redis               │
//!            └── refused ◄──────────────── answers ◄───────────────────┘
//! ```
//!
//! All commands go to Redis over one connection in the order of the log: the log is the order of execution. While one
//! group is made durable the next one gathers, so that a slow disk costs latency and not throughput.
//!
//! A command is refused, with an error reply that begins with a code, and recorded, if
//!
//! | code | |
//! |---|---|
//! | `UNSIGNED` | it has no signature; plain Redis traffic on this port too |
//! | `SCHEME` | it is signed in a way that the configuration does not accept |
//! | `UNKNOWN_SIGNER`, `IMPOSTOR` | the client is not known; it does not hold the key that it names |
//! | `STALE` | it was signed too long ago, or in our future |
//! | `REPLAYED` | its number was used before |
//! | `GAP` | its number is not the next |
//! | `FORGED` | the signature does not verify |
//! | `KEY_REUSE` | its one-time key signed something else before |
//! | `BAD_COMMAND`, `NOT_ALLOWED` | it is no RESP in its one encoding; it is none of [`commands`](crate::commands) |
//! | `SUPERSEDED` | the client connected anew in the meantime |
//! | `UPSTREAM` | Redis is not there |
//! | `BAD_FRAME` | it is no frame of the protocol, or none that goes this way; the connection ends |
//!
//! Two codes are of announcements, which are recorded only, for nobody waits for an answer:
//!
//! | code | |
//! |---|---|
//! | `RATE_LIMITED` | too many at once |
//! | `BAD_ANNOUNCEMENT` | it is none, or not of the client, or too many came in a short time |

mod clients;
mod committer;
mod connection;
mod refusals;
mod upstream;

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::config::Config;
use crate::failure::{Exit, Failure, OrFail};
use crate::frame::SignedCommand;
use crate::lock;
use crate::log::{LogWriter, Recovered};
use clients::{Clients, Rules};
use committer::Op;
use refusals::Refusals;
use upstream::Upstream;

/// A front that runs.
pub struct Front {
    address: SocketAddr,
    store: [u8; 32],
    recovered: Recovered,
    accepting: tokio::task::JoinHandle<()>,
    failed: oneshot::Receiver<Failure>,
    upstream: Arc<Upstream>,
    committer: Ended,
    refusals: Arc<Refusals>,
}

/// What all connections share.
struct Shared {
    store: [u8; 32],
    rules: Rules,
    clients: Clients,
    ops: mpsc::Sender<Op>,
    /// For the bytes of the commands that wait, in KiB.
    room: Arc<Semaphore>,
    upstream: Arc<Upstream>,
    refusals: Arc<Refusals>,
}

/// Whether a thread has ended: what it holds of this pair is dropped then.
struct Ended(Mutex<Receiver<Infallible>>);

impl Ended {
    fn pair() -> (SyncSender<Infallible>, Self) {
        let (ending, ended) = sync_channel(0);
        (ending, Self(Mutex::new(ended)))
    }

    fn within(&self, patience: Duration) -> bool {
        matches!(lock(&self.0).recv_timeout(patience), Err(RecvTimeoutError::Disconnected))
    }
}

/// How long a disk or a Redis that hangs may hold up the end, each.
const PATIENCE: Duration = Duration::from_secs(3);
/// How many commands wait for the committer at most.
const WAITING: usize = 4096;
/// How many KiB they have at most, together. One command of the largest size has room in it, and a few more.
const ROOM: usize = 64 << 10;
/// How many connections there are at most.
const MAX_CONNECTIONS: usize = 1024;
/// How many of them may still have to say who they are. One more and the oldest must go: strangers who say nothing can
/// fill these places, but a client that speaks at once is faster than they are.
const GREETING: usize = 256;

impl Front {
    /// Opens the log, connects to Redis, and listens.
    ///
    /// # Errors
    /// [`Failure`] that says which of them is impossible.
    pub async fn start(config: Config) -> Result<Self, Failure> {
        if config.store.is_some() && !config.log.try_exists().or_fail(Exit::Input, config.log.display())? {
            let message = "it is not there, but the configuration names its store: is its disk mounted?";
            return Err(Failure::input(format!("{}: {message}", config.log.display())));
        }
        let mut last = HashMap::new();
        let opened = LogWriter::open_putting_aside(&config.log, config.sync, config.put_aside, |entry| {
            if let Ok(signed) = SignedCommand::decode(entry.body) {
                last.insert(entry.signer, signed.sequence);
            }
        })?;
        let (log, recovered) = opened;
        let store = *log.store();
        if config.store.is_some_and(|expected| expected != store) {
            let message =
                format!("it is the log of store {}, not of the configuration's", hex::encode(store));
            return Err(Failure::input(format!("{}: {message}", config.log.display())));
        }
        let upstream = Upstream::start(config.redis.clone(), config.redis_password.clone())?;
        let refusals = Refusals::start(&config.refusals)?;
        let listener = TcpListener::bind(config.listen)
            .await
            .map_err(|error| Failure::unreachable(format!("listening on {}: {error}", config.listen)))?;
        let address = listener.local_addr().map_err(|error| Failure::failed(error.to_string()))?;
        let (ops, waiting) = mpsc::channel(WAITING);
        let (fail, failed) = oneshot::channel();
        let committer = committer::start(log, waiting, upstream.clone(), fail)?;
        let shared = Arc::new(Shared {
            store,
            rules: Rules { store, accept: config.accept, scripts: config.scripts, max_age: config.max_age },
            clients: Clients::new(&config.clients, &last),
            ops,
            room: Arc::new(Semaphore::new(ROOM)),
            upstream: upstream.clone(),
            refusals: refusals.clone(),
        });
        let accepting = tokio::spawn(accept(listener, shared));
        Ok(Self { address, store, recovered, accepting, failed, upstream, committer, refusals })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The store, which is the log's.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// What was found in the log.
    pub fn recovered(&self) -> &Recovered {
        &self.recovered
    }

    /// Waits until it cannot go on: the disk failed. Nothing is executed that is not in the log.
    pub async fn failed(&mut self) -> Failure {
        match (&mut self.failed).await {
            Ok(failure) => failure,
            Err(_) => Failure::with_code(Exit::Failed, "FAILED", "the thread that writes the log has ended"),
        }
    }

    /// Ends all connections. What is in the log already is still sent to Redis and executed, unless Redis hangs: after
    /// a few seconds it is left to itself.
    pub async fn shutdown(self) {
        self.accepting.abort();
        let _ = self.accepting.await;
        // The connections were the committer's only customers.
        let threads = tokio::task::spawn_blocking(move || {
            if !self.committer.within(PATIENCE) {
                self.upstream.abandon();
                self.committer.within(PATIENCE);
            }
            self.upstream.stop(PATIENCE);
            self.refusals.stop();
        });
        let _ = threads.await;
    }
}

/// How many KiB a command takes.
fn room_of(body: &[u8]) -> u32 {
    u32::try_from(body.len().div_ceil(1024)).unwrap_or(u32::MAX)
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // Dropped with this task, and all connections with it.
    let mut connections = JoinSet::new();
    let mut greeting = VecDeque::<oneshot::Sender<Infallible>>::new();
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                greeting.retain(|connection| !connection.is_closed());
                if greeting.len() >= GREETING {
                    greeting.pop_front();
                }
                let (waiting, its_place) = oneshot::channel();
                greeting.push_back(waiting);
                let shared = shared.clone();
                connections.spawn(async move {
                    connection::serve(&shared, stream, peer, its_place).await;
                    drop(place);
                });
            }
            // Too many open files, or a peer that has gone already.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}
