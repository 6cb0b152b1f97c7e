//! A client of the front: signs every command, keeps its numbers, and pairs answers with commands.
//!
//! ```no_run
//! # use quorate_audited_redis::{client::{Client, Options}, keys::Key};
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let key = Key::load("alice.key".as_ref())?;
//! let client = Client::connect("127.0.0.1:7379", &key, Options::default()).await?;
//! let answer = client.call(&["SET", "greeting", "hello"]).await?;
//! assert_eq!(answer.reply, b"+OK\r\n");
//! println!("entry {:?} of the log", answer.entry);
//! # Ok(()) }
//! ```

mod signing;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use quorate::dsig::dynamic::SuiteId;
use quorate::ed25519::Ed25519;
use quorate::scheme::Scheme as _;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use crate::commands::is_allowed;
use crate::failure::{Exit, Failure, OrFail};
use crate::frame::{Frame, MAGIC, MAX_REPLY, Scheme, SignedCommand, hello, message};
use crate::keys::Key;
use crate::lock;
use crate::outbox::Outbox;
use crate::resp::{Command, encode_command};
use signing::Signing;

/// How a client signs, and what it asks of the front.
#[derive(Clone, Debug)]
pub struct Options {
    /// How commands are signed.
    pub scheme: Scheme,
    /// Which suite, if by DSig.
    pub suite: SuiteId,
    /// The store that the front must have, if the client knows it.
    pub store: Option<[u8; 32]>,
    /// The highest number that a front of this store answered before. One that knows less of us has lost entries, or
    /// hides them, and is not believed. See [`Client::answered`].
    pub answered: u64,
    /// Whether scripts are signed. A front refuses them if its configuration does not say otherwise, and with them
    /// what was sent behind them.
    pub scripts: bool,
    /// How long connecting may take.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scheme: Scheme::Dsig,
            suite: SuiteId::WotsBlake3,
            store: None,
            answered: 0,
            scripts: true,
            patience: Duration::from_secs(5),
        }
    }
}

/// A connection to the front. Cheap to clone; all clones share one key and its numbers.
#[derive(Clone)]
pub struct Client {
    inner: Arc<Inner>,
}

/// What the front answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The client's number of the command.
    pub sequence: u64,
    /// The number of its entry in the log; `None` if the front refused it.
    pub entry: Option<u64>,
    /// RESP.
    pub reply: Vec<u8>,
}

/// An answer that is still to come.
pub struct Ticket {
    answer: oneshot::Receiver<Answer>,
}

struct Inner {
    store: [u8; 32],
    scripts: bool,
    outbox: Arc<Outbox>,
    signing: Arc<Signing>,
    /// Held while a command gets its number, so that numbers leave in order.
    next: tokio::sync::Mutex<u64>,
    waiting: Arc<Waiting>,
    /// For commands under way, in KiB: who sends more than the front takes waits, as with any socket.
    room: Arc<Semaphore>,
    tasks: Vec<tokio::task::AbortHandle>,
}

/// Who waits for an answer, and the place of the command under way.
type Promise = (oneshot::Sender<Answer>, OwnedSemaphorePermit);

#[derive(Default)]
struct Waiting {
    /// `None` when the connection is lost.
    by_sequence: Mutex<Option<HashMap<u64, Promise>>>,
    /// The last number that is in the log.
    accepted: AtomicU64,
    /// The highest number that was answered from it.
    answered: AtomicU64,
    /// A command was refused: the numbers behind it are void, and begin anew when all answers are in.
    refused: AtomicBool,
    changed: Notify,
}

/// How many bytes may wait to be sent. Commands are held back before; what remains are announcements.
const UNSENT: usize = 64 << 20;
/// How many KiB of commands may wait for their answers. A short one counts as 32, as the front takes no more than 1,024.
const ROOM: usize = 32 << 10;
const AT_LEAST: usize = 32;

impl Client {
    /// Connects and proves who we are.
    ///
    /// # Errors
    /// [`Failure`]: nobody answers, the front is another one than expected, or it refuses us.
    pub async fn connect(front: &str, key: &Key, options: Options) -> Result<Self, Failure> {
        let connecting = Self::connect_patiently(front, key, &options);
        timeout(options.patience, connecting).await.unwrap_or_else(|_| {
            Err(Failure::unreachable(format!("{front}: no front answers there in {:?}", options.patience)))
        })
    }

    async fn connect_patiently(front: &str, key: &Key, options: &Options) -> Result<Self, Failure> {
        let gone =
            |error: std::io::Error| Failure::unreachable(format!("{front}: {error}; is the front running?"));
        let mut stream = TcpStream::connect(front).await.map_err(gone)?;
        stream.set_nodelay(true).map_err(gone)?;
        let (secret, public) = (key.secret_key()?, key.public()?);
        stream.write_all(&[&MAGIC[..], public.as_bytes()].concat()).await.map_err(gone)?;
        let mut answer = [0; 72];
        stream.read_exact(&mut answer).await.map_err(gone)?;
        let stranger =
            || Failure::unreachable(format!("{front}: what answers there is no front; check the port"));
        let rest = answer.strip_prefix(&MAGIC).ok_or_else(stranger)?;
        let (store, rest) = rest.split_first_chunk::<32>().ok_or_else(stranger)?;
        let challenge = rest.first_chunk::<32>().ok_or_else(stranger)?;
        if options.store.is_some_and(|expected| expected != *store) {
            let message =
                format!("{front}: it has the store {}, which is not the expected one", hex::encode(store));
            return Err(Failure::with_code(Exit::Refused, "OTHER_STORE", message));
        }
        let proof = Ed25519::sign(&secret, &hello(store, challenge, public.as_bytes())).to_bytes();
        stream.write_all(&proof).await.map_err(gone)?;
        let (mut read, write) = stream.into_split();
        let mut buffer = Vec::new();
        let last = welcome(&mut read, &mut buffer).await?;
        if last < options.answered {
            let message = format!(
                "{front}: it has our commands to number {last}, but answered number {}: its log has lost entries; \
                 audit it before you go on",
                options.answered
            );
            return Err(Failure::with_code(Exit::Tampered, "ROLLED_BACK", message));
        }
        let outbox = Outbox::new(write, UNSENT);
        let signing = Signing::start(options, secret, &outbox)?;
        let waiting = Arc::new(Waiting {
            by_sequence: Mutex::new(Some(HashMap::new())),
            accepted: AtomicU64::new(last),
            answered: AtomicU64::new(options.answered),
            ..Waiting::default()
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
        let (scripts, room) = (options.scripts, Arc::new(Semaphore::new(ROOM)));
        let inner = Inner { store: *store, scripts, outbox, signing, next, waiting, room, tasks };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The store of the front.
    pub fn store(&self) -> &[u8; 32] {
        &self.inner.store
    }

    /// The highest of our numbers that was answered from the log, here or before: what the next connection's
    /// [`Options::answered`] is to be, and an auditor is to ask for.
    pub fn answered(&self) -> u64 {
        self.inner.waiting.answered.load(Ordering::SeqCst)
    }

    /// Whether the connection is lost; a new one is made by connecting again.
    pub fn is_lost(&self) -> bool {
        lock(&self.inner.waiting.by_sequence).is_none()
    }

    /// Asks for a command and waits for the answer.
    ///
    /// # Errors
    /// Those of [`send`](Self::send) and [`Ticket::answer`]. What the front or Redis refuse is an answer.
    pub async fn call<A: AsRef<[u8]>>(&self, command: &[A]) -> Result<Answer, Failure> {
        let bytes = encode_command(command).or_fail(Exit::Input, "the command")?;
        self.send(&bytes).await?.answer().await
    }

    /// Signs and sends a command in RESP; many may be under way: 1,024, of 32 MiB together. Waits while there are as many,
    /// and while there is no one-time key.
    ///
    /// # Errors
    /// [`Failure`] if it is no command that the front executes, and if the connection is lost.
    pub async fn send(&self, command: &[u8]) -> Result<Ticket, Failure> {
        let parsed = Command::parse(command).or_fail(Exit::Input, "the command")?;
        if !is_allowed(&parsed, self.inner.scripts) {
            let name = String::from_utf8_lossy(parsed.name()).into_owned();
            let message = if is_allowed(&parsed, true) {
                format!(
                    "{name}: scripts are not signed here; where the front runs them, start the sidecar with --scripts"
                )
            } else {
                format!("{name}: this command is not executed through the front")
            };
            return Err(Failure::with_code(Exit::Refused, "NOT_ALLOWED", message));
        }
        let inner = &*self.inner;
        let room = u32::try_from(command.len().div_ceil(1024).max(AT_LEAST)).unwrap_or(u32::MAX);
        let room = inner.room.clone().acquire_many_owned(room).await.map_err(|_| lost())?;
        let mut next = inner.next.lock().await;
        if inner.waiting.refused.load(Ordering::SeqCst) {
            *next = inner.waiting.begin_anew().await?;
        }
        let sequence = *next;
        let (promise, answer) = oneshot::channel();
        // Whoever stops waiting while there is no key leaves nothing behind: number and promise are given with it.
        let leave = |scheme, time, signature: &[u8]| {
            inner.waiting.expect(sequence, (promise, room))?;
            let signed = SignedCommand { scheme, sequence, time, signature, command };
            let mut body = Vec::with_capacity(32 + signature.len() + command.len());
            signed.encode_to(&mut body);
            inner.outbox.push(|out| Frame::Command(&body).encode_to(out));
            Ok(())
        };
        inner.signing.sign(|time| message(&inner.store, sequence, time, command), leave).await?;
        *next = sequence.saturating_add(1);
        drop(next);
        inner.outbox.flush();
        Ok(Ticket { answer })
    }
}

impl Ticket {
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

impl Waiting {
    fn expect(&self, sequence: u64, promise: Promise) -> Result<(), Failure> {
        lock(&self.by_sequence).as_mut().ok_or_else(lost)?.insert(sequence, promise);
        Ok(())
    }

    fn fulfil(&self, sequence: u64, entry: Option<u64>, reply: &[u8]) {
        match entry {
            Some(_) => {
                self.accepted.fetch_max(sequence, Ordering::SeqCst);
                self.answered.fetch_max(sequence, Ordering::SeqCst);
            }
            None => self.refused.store(true, Ordering::SeqCst),
        }
        let promise = lock(&self.by_sequence).as_mut().and_then(|waiting| waiting.remove(&sequence));
        if let Some((promise, _room)) = promise {
            // Whoever asked may have stopped waiting.
            let _ = promise.send(Answer { sequence, entry, reply: reply.to_vec() });
        }
        self.changed.notify_one();
    }

    /// Waits until every command has its answer: then the next number is known again.
    async fn begin_anew(&self) -> Result<u64, Failure> {
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
    let message = "the connection to the front is lost; what was under way may or may not have been executed";
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
                    Err(Failure::with_code(Exit::Refused, "REFUSED", format!("the front refuses us: {text}")))
                }
                _ => Err(Failure::unreachable("the front does not welcome us")),
            };
        }
        match read.read_buf(buffer).await {
            Ok(0) | Err(_) => return Err(Failure::unreachable("the front hung up")),
            Ok(_) => {}
        }
    }
}

async fn receive(mut read: OwnedReadHalf, mut buffer: Vec<u8>, waiting: Arc<Waiting>, outbox: Arc<Outbox>) {
    'connection: loop {
        let mut at = 0;
        loop {
            match Frame::take(buffer.get(at..).unwrap_or_default(), MAX_REPLY + 64) {
                Ok(None) => break,
                Ok(Some((Frame::Reply { sequence, entry, reply }, used))) => {
                    waiting.fulfil(sequence, Some(entry), reply);
                    at += used;
                }
                Ok(Some((Frame::Refused { sequence, reply }, used))) => {
                    waiting.fulfil(sequence, None, reply);
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
