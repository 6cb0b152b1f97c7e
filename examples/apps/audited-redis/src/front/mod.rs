//! The front: verifies, logs, executes, answers.
//!
//! ```text
//!  connection (one task each)          committer (a thread)            upstream (a thread)
//!  frames → checks → signature ────► a group of commands ─────────► replies, in order
//!            │      (one lock         appended, made durable,          │
//!            │       per client)      then sent to Redis               │
//!            └── refused ◄──────────────── answers ◄───────────────────┘
//! ```
//!
//! All commands go to Redis over one connection in the order of the log: the log is the order of execution. While
//! one group is made durable the next one accumulates, so that a slow disk costs latency and not throughput.
//!
//! A refused command gets an error reply that begins with a code, and is recorded:
//!
//! | code | reason |
//! |---|---|
//! | `UNSIGNED` | the command is not signed; also plain Redis traffic on this port |
//! | `SCHEME` | the configuration does not accept the signature scheme |
//! | `UNKNOWN_SIGNER`, `IMPOSTOR` | the client is unknown; the client does not hold the key that it names |
//! | `STALE` | it was signed too long ago, or in the future, or no later than a command that was refused |
//! | `REPLAYED` | its sequence number was used before |
//! | `GAP` | its sequence number is not the next one |
//! | `FORGED` | the signature does not verify |
//! | `KEY_REUSE` | its one-time key signed another message before |
//! | `BAD_COMMAND`, `NOT_ALLOWED` | it is not canonical RESP; it is not in [`commands`](crate::commands) |
//! | `SUPERSEDED` | the client opened a new connection in the meantime |
//! | `UPSTREAM` | Redis is not reachable |
//! | `BAD_FRAME` | it is not a frame of the protocol for this direction; the connection is closed |
//!
//! Two codes concern announcements, which have no reply and are only recorded:
//!
//! | code | reason |
//! |---|---|
//! | `RATE_LIMITED` | too many announcements at once |
//! | `BAD_ANNOUNCEMENT` | the announcement is malformed, belongs to another client, or exceeds the rate limit |

mod clients;
mod committer;
mod connection;
mod shared;
mod thread_exit;
mod upstream;

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;

use crate::config::Config;
use crate::failure::{Exit, Failure, OrFail};
use crate::frame::SignedCommand;
use crate::log::{LogOptions, LogWriter, Recovery};
use clients::{Clients, Rules};
use quorate_audit::refusals::RefusalLog;
use shared::Shared;
use thread_exit::ThreadExit;
use upstream::Upstream;

/// A running front.
pub struct Front {
    address: SocketAddr,
    store: [u8; 32],
    recovered: Recovery,
    accepting: tokio::task::JoinHandle<()>,
    failed: oneshot::Receiver<Failure>,
    upstream: Arc<Upstream>,
    committer: ThreadExit,
    refusals: Arc<RefusalLog>,
}

/// Maximum time that a hanging disk, and a hanging Redis, can delay the shutdown.
const TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of commands that wait for the committer.
const MAX_WAITING: usize = 4096;
/// Maximum total size of waiting commands in KiB: a few commands of the maximum size.
const MAX_WAITING_KIB: usize = 64 << 10;
/// Maximum number of connections.
const MAX_CONNECTIONS: usize = 1024;
/// Maximum number of connections that are not authenticated. One more closes the oldest: silent connections can
/// fill these places, but a client that authenticates immediately is served.
const MAX_HANDSHAKES: usize = 256;

impl Front {
    /// Opens the log, connects to Redis, and listens.
    ///
    /// # Errors
    /// [`Failure`] that names the failed step.
    pub async fn start(config: Config) -> Result<Self, Failure> {
        if config.store.is_some() && !config.log.try_exists().or_fail(Exit::Input, config.log.display())? {
            let message = "the log is missing, but the configuration names its store: is its disk mounted?";
            return Err(Failure::input(format!("{}: {message}", config.log.display())));
        }
        let mut last = HashMap::new();
        let options = LogOptions { put_aside: config.put_aside, ..LogOptions::new(config.sync) };
        let opened = LogWriter::open_with(&crate::REDIS, &config.log, &options, |entry| {
            if let Ok(signed) = SignedCommand::decode(entry.body) {
                last.insert(entry.signer, signed.sequence);
            }
        })?;
        let (log, recovered) = opened;
        let store = *log.store();
        if config.store.is_some_and(|expected| expected != store) {
            let message = format!(
                "the log belongs to store {}, not to the store of the configuration",
                hex::encode(store)
            );
            return Err(Failure::input(format!("{}: {message}", config.log.display())));
        }
        let upstream = Upstream::start(config.redis.clone(), config.redis_password.clone())?;
        let refusals = RefusalLog::start(&config.refusals)?;
        let listener = TcpListener::bind(config.listen)
            .await
            .map_err(|error| Failure::unreachable(format!("listening on {}: {error}", config.listen)))?;
        let address = listener.local_addr().map_err(|error| Failure::failed(error.to_string()))?;
        let (ops, waiting) = mpsc::channel(MAX_WAITING);
        let (fail, failed) = oneshot::channel();
        let committer = committer::start(log, waiting, upstream.clone(), fail)?;
        let shared = Arc::new(Shared {
            store,
            rules: Rules {
                store,
                accept: config.accept,
                library: config.library,
                scripts: config.scripts,
                max_age: config.max_age,
            },
            clients: Clients::new(&config.clients, &last),
            ops,
            room: Arc::new(Semaphore::new(MAX_WAITING_KIB)),
            upstream: upstream.clone(),
            refusals: refusals.clone(),
        });
        let accepting = tokio::spawn(accept(listener, shared));
        Ok(Self { address, store, recovered, accepting, failed, upstream, committer, refusals })
    }

    /// Returns the address of the listener.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the log's store.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// Returns the result of opening the log.
    pub fn recovered(&self) -> &Recovery {
        &self.recovered
    }

    /// Waits until the disk fails. No command that is not in the log is executed.
    pub async fn failed(&mut self) -> Failure {
        match (&mut self.failed).await {
            Ok(failure) => failure,
            Err(_) => Failure::with_code(Exit::Failed, "FAILED", "the thread that writes the log has ended"),
        }
    }

    /// Closes all connections. Commands that are already in the log are still sent to Redis, unless Redis hangs for
    /// a few seconds.
    pub async fn shutdown(self) {
        self.accepting.abort();
        let _ = self.accepting.await;
        // The committer ends because all connections are closed.
        let threads = tokio::task::spawn_blocking(move || {
            if !self.committer.within(TIMEOUT) {
                self.upstream.abandon();
                self.committer.within(TIMEOUT);
            }
            self.upstream.stop(TIMEOUT);
            self.refusals.stop();
        });
        let _ = threads.await;
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // Dropping this task drops the set and closes all connections.
    let mut connections = JoinSet::new();
    let mut handshakes = VecDeque::<oneshot::Sender<Infallible>>::new();
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, peer)) => {
                handshakes.retain(|connection| !connection.is_closed());
                if handshakes.len() >= MAX_HANDSHAKES {
                    handshakes.pop_front();
                }
                let (waiting, its_place) = oneshot::channel();
                handshakes.push_back(waiting);
                let shared = shared.clone();
                connections.spawn(async move {
                    connection::serve(&shared, stream, peer, its_place).await;
                    drop(place);
                });
            }
            // Too many open files, or the peer has disconnected.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}
