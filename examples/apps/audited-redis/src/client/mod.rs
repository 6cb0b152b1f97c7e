//! A client of the front: signs each command, assigns sequence numbers, and matches answers to commands.
//!
//! ```no_run
//! # use quorate_audited_redis::{REDIS, client::{Client, ClientOptions}, keys::Key};
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let key = Key::load(&REDIS, "alice.key".as_ref())?;
//! let client = Client::connect("127.0.0.1:7379", &key, ClientOptions::default()).await?;
//! let answer = client.call(&["SET", "greeting", "hello"]).await?;
//! assert_eq!(answer.reply, b"+OK\r\n");
//! println!("entry {:?} of the log", answer.entry);
//! # Ok(()) }
//! ```

mod options;
mod signing;

pub use options::ClientOptions;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme as _;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use crate::commands::is_allowed;
use crate::failure::{Exit, Failure, OrFail};
use crate::frame::{Frame, MAGIC, MAX_REPLY, SignedCommand, hello, message};
use crate::keys::Key;
use crate::lock;
use crate::outbox::Outbox;
use crate::resp::{Command, encode_command};
use signing::CommandSigner;

/// A connection to the front. Cheap to clone; all clones share one key and its sequence numbers.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

/// Answer of the front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Sequence number of the command.
    pub sequence: u64,
    /// Number of its entry in the log; `None` if the front refused it.
    pub entry: Option<u64>,
    /// Reply in RESP.
    pub reply: Vec<u8>,
}

/// An answer that has not arrived yet.
pub struct PendingAnswer {
    answer: oneshot::Receiver<Answer>,
}

struct Inner {
    store: [u8; 32],
    scripts: bool,
    outbox: Arc<Outbox>,
    signing: Arc<CommandSigner>,
    /// Held while a command gets its sequence number, so that commands are sent in order.
    next: tokio::sync::Mutex<u64>,
    waiting: Arc<PendingCommands>,
    /// Limits the commands in flight, in KiB: a sender waits when the front is slower.
    room: Arc<Semaphore>,
    tasks: Vec<tokio::task::AbortHandle>,
}

/// Receiver of an answer, and the command's share of the limit.
type Waiter = (oneshot::Sender<Answer>, OwnedSemaphorePermit);

#[derive(Default)]
struct PendingCommands {
    /// `None` when the connection is lost.
    by_sequence: Mutex<Option<HashMap<u64, Waiter>>>,
    /// Highest sequence number in the log.
    accepted: AtomicU64,
    /// Highest sequence number that was answered from the log.
    answered: AtomicU64,
    /// A command was refused: the sequence numbers after it are void, and numbering restarts when all answers have
    /// arrived.
    refused: AtomicBool,
    changed: Notify,
}

/// Maximum number of bytes that wait to be sent. Commands are limited separately; the rest are announcements.
const MAX_UNSENT: usize = 64 << 20;
/// Maximum size in KiB of commands that wait for answers. A short command counts as 32 KiB, because the front
/// accepts at most 1,024 commands.
const MAX_IN_FLIGHT_KIB: usize = 32 << 10;
const MIN_COMMAND_KIB: usize = 32;

impl Client {
    /// Connects and authenticates the client.
    ///
    /// # Errors
    /// [`Failure`] if the front does not answer, has another store than expected, or refuses the client.
    pub async fn connect(front: &str, key: &Key, options: ClientOptions) -> Result<Self, Failure> {
        let connecting = Self::connect_patiently(front, key, &options);
        timeout(options.connect_timeout, connecting).await.unwrap_or_else(|_| {
            Err(Failure::unreachable(format!("{front}: no answer within {:?}", options.connect_timeout)))
        })
    }

    async fn connect_patiently(front: &str, key: &Key, options: &ClientOptions) -> Result<Self, Failure> {
        let gone =
            |error: std::io::Error| Failure::unreachable(format!("{front}: {error}; is the front running?"));
        let mut stream = TcpStream::connect(front).await.map_err(gone)?;
        stream.set_nodelay(true).map_err(gone)?;
        let (secret, public) = (key.secret_key()?, key.public()?);
        stream.write_all(&[&MAGIC[..], public.as_bytes()].concat()).await.map_err(gone)?;
        let mut answer = [0; 72];
        stream.read_exact(&mut answer).await.map_err(gone)?;
        let not_a_front =
            || Failure::unreachable(format!("{front}: the server is not a front; check the port"));
        let rest = answer.strip_prefix(&MAGIC).ok_or_else(not_a_front)?;
        let (store, rest) = rest.split_first_chunk::<32>().ok_or_else(not_a_front)?;
        let challenge = rest.first_chunk::<32>().ok_or_else(not_a_front)?;
        if options.store.is_some_and(|expected| expected != *store) {
            let message = format!("{front}: unexpected store {}", hex::encode(store));
            return Err(Failure::with_code(Exit::Refused, "OTHER_STORE", message));
        }
        let proof = Ed25519::sign(&secret, &hello(store, challenge, public.as_bytes())).to_bytes();
        stream.write_all(&proof).await.map_err(gone)?;
        let (mut read, write) = stream.into_split();
        let mut buffer = Vec::new();
        let last = welcome(&mut read, &mut buffer).await?;
        if last < options.answered {
            let message = format!(
                "{front}: its log ends at the client's sequence number {last}, but it answered {}: it has lost entries; \
                 audit the log before you continue",
                options.answered
            );
            return Err(Failure::with_code(Exit::Tampered, "ROLLED_BACK", message));
        }
        let outbox = Outbox::new(write, MAX_UNSENT);
        let signing = CommandSigner::start(options, secret, &outbox)?;
        let waiting = Arc::new(PendingCommands {
            by_sequence: Mutex::new(Some(HashMap::new())),
            accepted: AtomicU64::new(last),
            answered: AtomicU64::new(options.answered),
            ..PendingCommands::default()
        });
        let tasks = vec![
            tokio::spawn(receive(read, buffer, waiting.clone(), outbox.clone())).abort_handle(),
            tokio::spawn({
                let outbox = outbox.clone();
                async move { outbox.run().await }
            })
            .abort_handle(),
        ];
        let next = tokio::sync::Mutex::new(last.saturating_add(1));
        let (scripts, room) = (options.scripts, Arc::new(Semaphore::new(MAX_IN_FLIGHT_KIB)));
        let inner = Inner { store: *store, scripts, outbox, signing, next, waiting, room, tasks };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Returns the front's store.
    pub fn store(&self) -> &[u8; 32] {
        &self.inner.store
    }

    /// Returns the client's highest sequence number that was answered from the log, on this or an earlier
    /// connection: the value for the next connection's [`ClientOptions::answered`], and for auditors.
    pub fn answered(&self) -> u64 {
        self.inner.waiting.answered.load(Ordering::SeqCst)
    }

    /// Returns true if the connection is lost. The caller reconnects with [`connect`](Self::connect).
    pub fn is_lost(&self) -> bool {
        lock(&self.inner.waiting.by_sequence).is_none()
    }

    /// Waits until the background thread has no one-time keys to make and has announced them. Returns true if it had keys to
    /// make. The front may still verify the announcement.
    pub async fn prepared(&self) -> bool {
        self.inner.signing.prepared().await
    }

    /// Sends a command and waits for the answer.
    ///
    /// # Errors
    /// Those of [`send`](Self::send) and [`PendingAnswer::answer`]. A refusal by the front or Redis is an answer.
    pub async fn call<A: AsRef<[u8]>>(&self, command: &[A]) -> Result<Answer, Failure> {
        let bytes = encode_command(command).or_fail(Exit::Input, "the command")?;
        self.send(&bytes).await?.answer().await
    }

    /// Signs and sends a command in RESP. At most 1,024 commands of 32 MiB in total are in flight. Waits while the
    /// limit is reached, and while there is no one-time key.
    ///
    /// # Errors
    /// [`Failure`] if the front does not execute the command, or the connection is lost.
    pub async fn send(&self, command: &[u8]) -> Result<PendingAnswer, Failure> {
        let parsed = Command::parse(command).or_fail(Exit::Input, "the command")?;
        if !is_allowed(&parsed, self.inner.scripts) {
            let name = String::from_utf8_lossy(parsed.name()).into_owned();
            let message = if is_allowed(&parsed, true) {
                format!(
                    "{name}: signing scripts is disabled; if the front executes scripts, start the sidecar with --scripts"
                )
            } else {
                format!("{name}: the front does not execute this command")
            };
            return Err(Failure::with_code(Exit::Refused, "NOT_ALLOWED", message));
        }
        let inner = &*self.inner;
        let room = u32::try_from(command.len().div_ceil(1024).max(MIN_COMMAND_KIB)).unwrap_or(u32::MAX);
        let room = inner.room.clone().acquire_many_owned(room).await.map_err(|_| lost())?;
        let mut next = inner.next.lock().await;
        if inner.waiting.refused.load(Ordering::SeqCst) {
            *next = inner.waiting.next_sequence().await?;
        }
        let sequence = *next;
        let (promise, answer) = oneshot::channel();
        // A caller that is cancelled while there is no key leaves no trace: the sequence number and the waiter are
        // assigned with the key.
        let deliver = |scheme, time, signature: &[u8]| {
            inner.waiting.expect(sequence, (promise, room))?;
            let signed = SignedCommand { scheme, sequence, time, signature, command };
            let mut body = Vec::with_capacity(32 + signature.len() + command.len());
            signed.encode_to(&mut body);
            inner.outbox.push(|out| Frame::Command(&body).encode_to(out));
            Ok(())
        };
        inner.signing.sign(|time| message(&inner.store, sequence, time, command), deliver).await?;
        *next = sequence.saturating_add(1);
        drop(next);
        inner.outbox.flush();
        Ok(PendingAnswer { answer })
    }
}

impl PendingAnswer {
    /// Waits for the answer.
    ///
    /// # Errors
    /// [`Failure`] if the connection was lost: the command may or may not have been executed.
    pub async fn answer(self) -> Result<Answer, Failure> {
        self.answer.await.map_err(|_| lost())
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.signing.stop();
        self.outbox.close();
        self.tasks.iter().for_each(tokio::task::AbortHandle::abort);
    }
}

impl PendingCommands {
    fn expect(&self, sequence: u64, promise: Waiter) -> Result<(), Failure> {
        lock(&self.by_sequence).as_mut().ok_or_else(lost)?.insert(sequence, promise);
        Ok(())
    }

    fn complete(&self, sequence: u64, entry: Option<u64>, reply: &[u8]) {
        match entry {
            Some(_) => {
                self.accepted.fetch_max(sequence, Ordering::SeqCst);
                self.answered.fetch_max(sequence, Ordering::SeqCst);
            }
            None => self.refused.store(true, Ordering::SeqCst),
        }
        let promise = lock(&self.by_sequence).as_mut().and_then(|waiting| waiting.remove(&sequence));
        if let Some((promise, _room)) = promise {
            // The caller may have stopped waiting.
            let _ = promise.send(Answer { sequence, entry, reply: reply.to_vec() });
        }
        self.changed.notify_one();
    }

    /// Waits until each command has its answer, and returns the next sequence number.
    async fn next_sequence(&self) -> Result<u64, Failure> {
        loop {
            if lock(&self.by_sequence).as_ref().ok_or_else(lost)?.is_empty() {
                self.refused.store(false, Ordering::SeqCst);
                return Ok(self.accepted.load(Ordering::SeqCst).saturating_add(1));
            }
            self.changed.notified().await;
        }
    }

    fn lose(&self) {
        drop(lock(&self.by_sequence).take());
        self.changed.notify_one();
    }
}

fn lost() -> Failure {
    let message = "the connection to the front is lost; commands in flight may or may not have been executed";
    Failure::with_code(Exit::Unreachable, "LOST", message)
}

async fn welcome(read: &mut OwnedReadHalf, buffer: &mut Vec<u8>) -> Result<u64, Failure> {
    loop {
        if let Some((frame, used)) =
            Frame::take(buffer, 4096).map_err(|reason| Failure::unreachable(reason.to_string()))?
        {
            return match frame {
                Frame::Welcome { last } => {
                    buffer.drain(..used);
                    Ok(last)
                }
                Frame::Refused { reply, .. } => {
                    let text = String::from_utf8_lossy(reply).trim_end().trim_start_matches('-').to_owned();
                    Err(Failure::with_code(
                        Exit::Refused,
                        "REFUSED",
                        format!("the front refused the client: {text}"),
                    ))
                }
                _ => Err(Failure::unreachable("unexpected frame: expected a welcome from the front")),
            };
        }
        match read.read_buf(buffer).await {
            Ok(0) | Err(_) => return Err(Failure::unreachable("the front closed the connection")),
            Ok(_) => {}
        }
    }
}

async fn receive(
    mut read: OwnedReadHalf,
    mut buffer: Vec<u8>,
    waiting: Arc<PendingCommands>,
    outbox: Arc<Outbox>,
) {
    'connection: loop {
        let mut at = 0;
        loop {
            match Frame::take(buffer.get(at..).unwrap_or_default(), MAX_REPLY + 64) {
                Ok(None) => break,
                Ok(Some((Frame::Reply { sequence, entry, reply }, used))) => {
                    waiting.complete(sequence, Some(entry), reply);
                    at += used;
                }
                Ok(Some((Frame::Refused { sequence, reply }, used))) => {
                    waiting.complete(sequence, None, reply);
                    at += used;
                }
                Ok(Some(_)) | Err(_) => break 'connection,
            }
        }
        buffer.drain(..at);
        buffer.reserve(1 << 16);
        match read.read_buf(&mut buffer).await {
            Ok(0) | Err(_) => break,
            Ok(_) => {}
        }
    }
    waiting.lose();
    outbox.close();
}
