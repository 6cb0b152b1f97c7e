//! The server: one thread verifies, logs, executes and answers, one request after another.
//!
//! ```text
//!  link ─► decode ─► checks, signature ─► log ─► execute ─► answer      (then the hash of the entry)
//!             │              └─► refused ──────────────────────► answer, record
//!             └─ announcements ─► background thread ─► verified keys
//! ```
//!
//! A request is in the log before it is executed, and executed before it is answered; a failed write stops the server. The
//! log is therefore the order of execution, and a start executes it again to restore the state. If the engine's answers are
//! signed, the [receipt](crate::receipt) of an answer follows its request in the log, and its answer to the client.
//!
//! A refused request is answered with a code, and recorded:
//!
//! | code | reason |
//! |---|---|
//! | `UNSIGNED`, `SCHEME` | the request is not signed; the configuration does not accept the signature scheme |
//! | `UNKNOWN_SIGNER`, `IMPOSTOR` | the client is unknown; the client does not hold the key that it names |
//! | `STALE` | it was signed too long ago, or in the future, or before a request that was refused |
//! | `BAD_COMMAND` | it is not a request |
//! | `REPLAYED`, `GAP` | its sequence number was used before; it is not the next one |
//! | `FORGED` | the signature does not verify, for example because another client signed |
//! | `KEY_REUSE` | its one-time key signed another message before |
//! | `SUPERSEDED` | the client opened a new connection; this one is closed, and its unread requests are never executed |
//! | `BAD_FRAME` | it is not a message of the protocol for this direction; the link is closed |
//! | `BAD_ANNOUNCEMENT`, `RATE_LIMITED` | the announcement is not the client's, or too many wait |
//!
//! `SUPERSEDED` refuses no request and is not recorded: it is the last message of a connection.

mod admission;
mod announcements;
mod connection;
mod log_failure;
mod receipts;

use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quorate_audit::failure::{Exit, Failure, OrFail};
use quorate_audit::keys::Key;
use quorate_audit::log::{LogOptions, LogWriter, Recovery};
use quorate_audit::refusals::RefusalLog;
use quorate_link::{Endpoint, Listener, NAP, Pace, SPIN, wait};

use crate::Engine;
use crate::config::Config;
use crate::replay::Replay;
use admission::{Client, Rules};
use announcements::{Announcements, VerifiedAnnouncement};
use connection::{Connection, Context};
use log_failure::unwritten;
use receipts::Receipts;

/// A server that listens.
pub struct Server<E> {
    listeners: Vec<Listener>,
    connections: Vec<Connection>,
    context: Context<E>,
    pace: Pace,
    recovered: Recovery,
}

/// Maximum number of connections.
const MAX_CONNECTIONS: usize = 256;
/// Maximum number of rounds between two calls of [`Server::maintain`], and the maximum time if rounds take longer. Both hold
/// while requests arrive too: one busy client must not keep others from connecting.
const MAX_ROUNDS: u32 = 256;
const MAX_INTERVAL: Duration = Duration::from_micros(200);
/// Time without a message after which the server prepares for further requests: clients that send one after another are
/// making keys then.
const QUIET: Duration = Duration::from_micros(30);
/// Room in the log that is made before keys, for the requests until the next time without messages, and after them.
const ROOM: [u64; 2] = [1 << 19, 1 << 22];
/// Rounds without a message between two looks at the clock.
const CLOCK_ROUNDS: u32 = 16;
/// Maximum number of connections that are accepted at once: creating one in shared memory takes about a millisecond.
const MAX_ACCEPTED: usize = 8;

impl<E: Engine> Server<E> {
    /// Opens the log, executes it to restore the state, and listens.
    ///
    /// # Errors
    /// [`Failure`] that names the failed step.
    pub fn start(config: &Config) -> Result<Self, Failure> {
        let (application, key) = (E::application(), server_key::<E>(config)?);
        let public = key.as_ref().map(|key| Ok::<_, Failure>(*key.public()?.as_bytes())).transpose()?;
        if let Some(known) = config.clients.iter().find(|known| Some(*known.key.as_bytes()) == public) {
            return Err(Failure::input(format!("client {:?} has the key of the server", known.name)));
        }
        let (mut replay, mut fault) = (Replay::<E>::new(public), None);
        let options = LogOptions { put_aside: config.put_aside, seals_later: true, sync: config.sync };
        let (mut log, recovered) = LogWriter::open_with(application, &config.log, &options, |entry| {
            if fault.is_none() {
                fault = replay.execute(entry).err().map(|fault| (entry.number, fault));
            }
        })?;
        if let Some((number, reason)) = fault {
            let message = format!(
                "{}: entry {number} {reason}; run `{} audit`",
                config.log.display(),
                application.program
            );
            return Err(Failure::with_code(Exit::Tampered, "LOG_DAMAGED", message));
        }
        if config.plain && log.last() > 0 {
            let message = format!(
                "{}: the log has {} entries; without a log and signatures only an empty one is served",
                config.log.display(),
                log.last()
            );
            return Err(Failure::input(message));
        }
        let refusals = RefusalLog::start(&config.refusals)?;
        let mut listeners = Vec::new();
        for endpoint in &config.listen {
            let bound = Listener::bind(endpoint);
            listeners.push(bound.or_fail(Exit::Unreachable, format_args!("listening on {endpoint}"))?);
        }
        let receipts = match key.zip(public) {
            Some((key, public)) if !config.plain => {
                let last = replay.last().get(&public).copied().unwrap_or_default();
                let mut receipts = Receipts::new(application, *log.store(), &key, last)?;
                // The server was killed between a request and its receipt.
                if let Some(executed) = replay.unanswered() {
                    let receipt = executed.receipt();
                    receipts.append(&mut log, quorate_audit::now(), &receipt, &mut Vec::new())?;
                    log.flush().map_err(unwritten)?;
                }
                Some(receipts)
            }
            _ => None,
        };
        let rules = Rules {
            store: *log.store(),
            accept: config.accept.clone(),
            library: config.library,
            max_age: config.max_age,
        };
        let context = Context {
            rules,
            clients: Client::all(&config.clients, replay.last()),
            log,
            state: replay.into_state(),
            receipts,
            announcements: Announcements::start()?,
            refusals,
            plain: config.plain.then_some(0),
        };
        Ok(Self { listeners, connections: Vec::new(), context, pace: config.pace, recovered })
    }

    /// Returns the addresses of the listeners.
    ///
    /// # Errors
    /// I/O errors.
    pub fn endpoints(&self) -> Result<Vec<Endpoint>, Failure> {
        let endpoints = self.listeners.iter().map(Listener::endpoint);
        endpoints.collect::<Result<_, _>>().or_fail(Exit::Failed, "the address of a listener")
    }

    /// Returns the log's store.
    pub fn store(&self) -> &[u8; 32] {
        &self.context.rules.store
    }

    /// Returns the number of [items](Engine::ITEMS) in the state.
    pub fn items(&self) -> usize {
        self.context.state.items()
    }

    /// Returns the result of opening the log.
    pub fn recovered(&self) -> &Recovery {
        &self.recovered
    }

    /// Serves until `stop` is set.
    ///
    /// # Errors
    /// [`Failure`] if the log cannot be written. The request of that entry was not executed.
    pub fn run(mut self, stop: &AtomicBool) -> Result<(), Failure> {
        let (mut id, mut rounds, mut active) = (0, 0, Instant::now());
        let mut maintained = active;
        let mut message = Vec::with_capacity(quorate_link::MAX_MESSAGE);
        while !stop.load(Ordering::Relaxed) {
            let is_idle = self.serve(&mut message)?;
            rounds += 1;
            if is_idle && rounds % CLOCK_ROUNDS != 0 {
                std::hint::spin_loop();
                continue;
            }
            let now = Instant::now();
            if !is_idle {
                active = now;
            }
            if rounds < MAX_ROUNDS && now.duration_since(maintained) < MAX_INTERVAL {
                continue;
            }
            (rounds, maintained) = (0, now);
            self.maintain(&mut id);
            let idle = now.duration_since(active);
            if idle >= QUIET {
                self.prepare()?;
            }
            if idle >= SPIN {
                // A log at rest ends with the hash of its last entry.
                self.context.log.flush().map_err(unwritten)?;
                if self.pace == Pace::Sleep {
                    self.sleep();
                }
            }
        }
        self.context.refusals.stop();
        self.context.log.flush().map_err(unwritten)
    }

    /// Handles at most one message of each connection, and returns true if there was none.
    fn serve(&mut self, message: &mut Vec<u8>) -> Result<bool, Failure> {
        let (mut is_idle, mut at) = (true, 0);
        while let Some(connection) = self.connections.get_mut(at) {
            match connection.receive(message) {
                Ok(false) => at += 1,
                Ok(true) => {
                    is_idle = false;
                    let (id, before) = (connection.id(), connection.client());
                    let goes_on = connection.handle(message, &mut self.context)?;
                    match connection.client() {
                        _ if !goes_on => drop(self.connections.swap_remove(at)),
                        Some(client) if before.is_none() => at = self.supersede(client, id),
                        _ => at += 1,
                    }
                }
                Err(_) => drop(self.connections.swap_remove(at)),
            }
        }
        Ok(is_idle)
    }

    /// Closes the earlier connections of a client before any further message is handled: they may be half-open, and would
    /// take the places of others. Returns the index behind the new connection.
    fn supersede(&mut self, client: usize, new: u64) -> usize {
        self.connections.retain_mut(|other| {
            let stays = other.id() == new || other.client() != Some(client);
            if !stays {
                other.supersede();
            }
            stays
        });
        self.connections.iter().position(|other| other.id() == new).map_or(0, |at| at + 1)
    }

    /// Accepts connections, adds verified one-time keys, and closes connections that do not authenticate in time.
    fn maintain(&mut self, id: &mut u64) {
        self.accept(id);
        while let Some(verified) = self.context.announcements.next() {
            self.learn(verified);
        }
        self.connections.retain(|connection| !connection.is_overdue());
    }

    /// Does work that later requests would have to wait for.
    fn prepare(&mut self) -> Result<(), Failure> {
        let Context { log, receipts, .. } = &mut self.context;
        if log.make_room(ROOM[0]) {
            return Ok(());
        }
        if let Some(receipts) = receipts {
            receipts.prepare(quorate_audit::now())?;
        }
        log.make_room(ROOM[1]);
        Ok(())
    }

    /// Waits for a message or a new connection.
    fn sleep(&self) {
        let listening = self.listeners.iter().map(AsFd::as_fd);
        let connected = self.connections.iter().map(Connection::as_fd);
        // A result of the background thread does not end the wait.
        let awaits_keys = self.connections.iter().any(Connection::awaits_keys);
        let limit = if awaits_keys { Duration::from_micros(50) } else { NAP };
        wait(&listening.chain(connected).collect::<Vec<_>>(), limit);
    }

    fn accept(&mut self, id: &mut u64) {
        for listener in &mut self.listeners {
            // An error concerns the peer that connected, or it is repeated at the next look.
            for _ in 0..MAX_ACCEPTED {
                let Ok(Some(link)) = listener.accept() else { break };
                *id += 1;
                if self.connections.len() >= MAX_CONNECTIONS {
                    let Some(oldest) = self.connections.iter().position(|other| other.client().is_none())
                    else {
                        break;
                    };
                    self.connections.remove(oldest);
                }
                self.connections.push(Connection::new(link, *id));
            }
        }
    }

    /// Adds verified one-time keys and tells the client.
    fn learn(&mut self, verified: VerifiedAnnouncement) {
        let VerifiedAnnouncement { client, connection, suite, result } = verified;
        let Some(owner) = self.context.clients.get_mut(client) else { return };
        let learned = result.and_then(|result| owner.learn(suite, result));
        let found = self.connections.iter_mut().find(|other| other.id() == connection);
        if let Some(found) = found {
            found.learned(learned.err(), &mut self.context);
        }
    }
}

/// Reads the key with which the server signs its answers.
fn server_key<E: Engine>(config: &Config) -> Result<Option<Key>, Failure> {
    match (&config.key, E::SIGNS_ANSWERS) {
        (Some(path), true) => Key::load(E::application(), path).map(Some),
        (None, false) => Ok(None),
        (None, true) if config.plain => Ok(None),
        (None, true) => Err(Failure::input("the configuration has no `key`, with which the server signs")),
        (Some(_), false) => Err(Failure::input("`key`: this server does not sign its answers")),
    }
}
