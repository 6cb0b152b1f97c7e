//! The connection to Redis. There is only one, so that commands are executed in the order in which they are sent.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::thread_exit::ThreadExit;
use crate::config::RedisAddress;
use crate::failure::Failure;
use crate::frame::{Frame, MAX_REPLY};
use crate::lock;
use crate::outbox::Outbox;
use crate::resp::{ReplyScanner, Value, encode_command};

/// The connection, which is reopened when it breaks.
pub(super) struct Upstream {
    link: Mutex<Option<Link>>,
    /// The same connection, to close it while a thread that hangs in a write holds the link.
    socket: Mutex<Option<Stream>>,
    is_up: AtomicBool,
    stopping: AtomicBool,
    ended: ThreadExit,
}

struct Link {
    stream: Stream,
    pending: Sender<PendingReply>,
}

/// A command that waits for its reply.
pub(super) struct PendingReply {
    pub(super) outbox: Arc<Outbox>,
    pub(super) sequence: u64,
    pub(super) entry: u64,
    pub(super) _place: OwnedSemaphorePermit,
}

/// Reply to a command whose outcome is unknown.
const LOST_REPLY: &[u8] =
    b"-UPSTREAM the connection to Redis broke: the command is in the log and may or may not have been executed\r\n";
const TOO_LARGE_REPLY: &[u8] =
    b"-REPLY_TOO_LARGE the command was executed, but its reply is too large to be passed on\r\n";
/// Interval between attempts to reconnect.
const RECONNECT_INTERVAL: Duration = Duration::from_millis(200);
/// Number of polls without data while replies are due, after which Redis counts as lost: its machine may have
/// vanished silently, and waiting clients must get an answer.
const MAX_SILENT_POLLS: u32 = 4;
/// Duration of a poll.
const POLL_INTERVAL: Duration = Duration::from_secs(15);

impl Upstream {
    /// Connects and starts the thread that reads replies.
    pub(super) fn start(address: RedisAddress, password: Option<String>) -> Result<Arc<Self>, Failure> {
        let stream = connect(&address, password.as_deref()).map_err(|error| {
            Failure::unreachable(format!("Redis at {address}: {error}; start redis-server first"))
        })?;
        let (ending, ended) = ThreadExit::pair();
        let upstream = Arc::new(Self {
            link: Mutex::new(None),
            socket: Mutex::new(None),
            is_up: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
            ended,
        });
        let failed = |error: io::Error| Failure::failed(format!("the connection to Redis: {error}"));
        let mut reading = upstream.attach(stream).map_err(failed)?;
        let this = upstream.clone();
        let work = move || {
            let _ending = ending;
            loop {
                let (stream, pending) = &mut reading;
                // The reason is irrelevant: the connection is lost.
                let _ = pass_replies(stream, pending, POLL_INTERVAL);
                this.detach(stream, pending);
                reading = loop {
                    if this.stopping.load(Ordering::SeqCst) {
                        return;
                    }
                    thread::sleep(RECONNECT_INTERVAL);
                    let stream = connect(&address, password.as_deref());
                    if let Ok(again) = stream.and_then(|stream| this.attach(stream)) {
                        break again;
                    }
                };
            }
        };
        thread::Builder::new().name("upstream".into()).spawn(work).map_err(failed)?;
        Ok(upstream)
    }

    /// Returns true if Redis is connected.
    pub(super) fn is_up(&self) -> bool {
        self.is_up.load(Ordering::SeqCst)
    }

    /// Sends commands; their replies are delivered to `pending`.
    pub(super) fn execute(&self, pending: Vec<PendingReply>, commands: &[u8]) {
        let mut link = lock(&self.link);
        let Some(link) = link.as_mut() else {
            pending.into_iter().for_each(|pending| pending.answer(LOST_REPLY));
            return;
        };
        for waiting in pending {
            if let Err(back) = link.pending.send(waiting) {
                back.0.answer(LOST_REPLY);
            }
        }
        if link.stream.write_all(commands).is_err() {
            // The reading thread notices it too, and answers the waiting commands.
            link.stream.shutdown();
        }
    }

    /// Closes the connection permanently when all commands are answered, or after `limit`.
    pub(super) fn stop(&self, limit: Duration) {
        self.stopping.store(true, Ordering::SeqCst);
        if let Some(socket) = lock(&self.socket).as_ref() {
            socket.shutdown_write();
        }
        if !self.ended.within(limit) {
            self.abandon();
            self.ended.within(limit);
        }
    }

    /// Closes the connection permanently and immediately.
    pub(super) fn abandon(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        if let Some(socket) = lock(&self.socket).as_ref() {
            socket.shutdown();
        }
    }

    fn attach(&self, stream: Stream) -> io::Result<(Stream, Receiver<PendingReply>)> {
        let (pending, waiting) = channel();
        let reading = stream.try_clone()?;
        *lock(&self.socket) = Some(stream.try_clone()?);
        *lock(&self.link) = Some(Link { stream, pending });
        self.is_up.store(true, Ordering::SeqCst);
        Ok((reading, waiting))
    }

    fn detach(&self, stream: &Stream, pending: &Receiver<PendingReply>) {
        self.is_up.store(false, Ordering::SeqCst);
        // A committer that hangs in a write must release the lock.
        stream.shutdown();
        *lock(&self.socket) = None;
        *lock(&self.link) = None;
        pending.try_iter().for_each(|pending| pending.answer(LOST_REPLY));
    }
}

impl PendingReply {
    fn answer(self, reply: &[u8]) {
        self.push(reply).flush();
    }

    fn push(self, reply: &[u8]) -> Arc<Outbox> {
        let (sequence, entry) = (self.sequence, self.entry);
        self.outbox.push(|out| Frame::Reply { sequence, entry, reply }.encode_to(out));
        self.outbox
    }
}

/// Forwards replies until the connection breaks or is silent for too many polls.
fn pass_replies(stream: &mut Stream, pending: &Receiver<PendingReply>, look: Duration) -> io::Result<()> {
    let mut first = None;
    let outcome = pass_replies_to(stream, &mut first, pending, look);
    first.into_iter().for_each(|pending: PendingReply| pending.answer(LOST_REPLY));
    outcome
}

/// Forwards replies; `first` is the command whose reply is due, if it was already taken from the queue.
fn pass_replies_to(
    stream: &mut Stream,
    first: &mut Option<PendingReply>,
    pending: &Receiver<PendingReply>,
    look: Duration,
) -> io::Result<()> {
    stream.set_read_timeout(Some(look))?;
    let mut silent = 0;
    let invalid = |reason: &'static str| io::Error::new(io::ErrorKind::InvalidData, reason);
    let (mut scanner, mut chunk, mut buffer) = (ReplyScanner::default(), vec![0; 1 << 16], Vec::new());
    let (mut reply, mut too_large) = (Vec::new(), false);
    loop {
        let read = match stream.read(&mut chunk) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => read,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                // Only polls during which a reply was due from the beginning count.
                silent = if first.is_some() { silent + 1 } else { 0 };
                *first = first.take().or_else(|| pending.try_recv().ok());
                if silent >= MAX_SILENT_POLLS {
                    return Err(error);
                }
                continue;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        silent = 0;
        buffer.extend_from_slice(chunk.get(..read).unwrap_or_default());
        let (mut at, mut touched) = (0, Vec::<Arc<Outbox>>::new());
        loop {
            let rest = buffer.get(at..).unwrap_or_default();
            let (used, done) = scanner.scan(rest).map_err(|reason| invalid(reason.0))?;
            too_large |= reply.len() + used > MAX_REPLY;
            if !too_large {
                reply.extend_from_slice(rest.get(..used).unwrap_or_default());
            }
            at += used;
            if !done {
                break;
            }
            let waiting = first.take().or_else(|| pending.try_recv().ok());
            let waiting = waiting.ok_or_else(|| invalid("a reply without a waiting command"))?;
            let outbox = waiting.push(if too_large { TOO_LARGE_REPLY } else { &reply });
            if !touched.iter().any(|known| Arc::ptr_eq(known, &outbox)) {
                touched.push(outbox);
            }
            reply.clear();
            reply.shrink_to(1 << 20);
            too_large = false;
        }
        buffer.drain(..at);
        touched.iter().for_each(|outbox| outbox.flush());
    }
}

fn connect(address: &RedisAddress, password: Option<&str>) -> io::Result<Stream> {
    let mut stream = match address {
        RedisAddress::Unix(path) => Stream::Unix(UnixStream::connect(path)?),
        RedisAddress::Tcp(address) => {
            let stream = TcpStream::connect(address)?;
            stream.set_nodelay(true)?;
            Stream::Tcp(stream)
        }
    };
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    if let Some(password) = password {
        stream.ask(&["AUTH", password], "OK")?;
    }
    stream.ask(&["PING"], "PONG")?;
    stream.set_read_timeout(None)?;
    Ok(stream)
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    /// Sends one command and checks its reply.
    fn ask(&mut self, command: &[&str], expected: &str) -> io::Result<()> {
        let encoded = encode_command(command).map_err(|reason| io::Error::other(reason.to_string()))?;
        self.write_all(&encoded)?;
        let (mut scanner, mut reply, mut scanned) = (ReplyScanner::default(), Vec::new(), 0);
        loop {
            let mut byte = [0; 512];
            let read = self.read(&mut byte)?;
            reply.extend_from_slice(byte.get(..read).unwrap_or_default());
            let rest = reply.get(scanned..).unwrap_or_default();
            let (used, done) = scanner.scan(rest).map_err(|reason| io::Error::other(reason.to_string()))?;
            scanned += used;
            if done {
                break;
            }
            if read == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        match Value::parse(&reply) {
            Ok(Value::Simple(answer)) if answer == expected => Ok(()),
            Ok(Value::Error(error)) => Err(io::Error::other(error)),
            _ => Err(io::Error::other("the server does not answer as Redis does")),
        }
    }

    fn try_clone(&self) -> io::Result<Self> {
        Ok(match self {
            Self::Tcp(stream) => Self::Tcp(stream.try_clone()?),
            Self::Unix(stream) => Self::Unix(stream.try_clone()?),
        })
    }

    fn set_read_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.set_read_timeout(timeout),
            Self::Unix(stream) => stream.set_read_timeout(timeout),
        }
    }

    fn shutdown(&self) {
        self.shut(Shutdown::Both);
    }

    fn shutdown_write(&self) {
        self.shut(Shutdown::Write);
    }

    /// An error means that the connection is already closed.
    fn shut(&self, how: Shutdown) {
        let _ = match self {
            Self::Tcp(stream) => stream.shutdown(how),
            Self::Unix(stream) => stream.shutdown(how),
        };
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use tokio::io::AsyncReadExt;
    use tokio::sync::Semaphore;

    use super::*;

    /// Returns a waiting command and the client's end of its connection.
    async fn waiting() -> (PendingReply, tokio::net::TcpStream) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = tokio::net::TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (_, write) = listener.accept().await.unwrap().0.into_split();
        let place = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
        let outbox = Outbox::new(write, 1000);
        (PendingReply { outbox, sequence: 1, entry: 1, _place: place }, client)
    }

    #[tokio::test]
    async fn a_redis_that_is_silent_while_a_reply_is_due_is_lost() {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let (commands, pending) = channel();
        let (command, mut client) = waiting().await;
        commands.send(command).unwrap();
        let look = Duration::from_millis(20);
        let passing = tokio::task::spawn_blocking(move || {
            let outcome = pass_replies(&mut Stream::Unix(ours), &pending, look);
            drop(pending);
            outcome
        });
        assert!(passing.await.unwrap().is_err());
        let mut answer = vec![0; 21 + LOST_REPLY.len()];
        client.read_exact(&mut answer).await.unwrap();
        assert!(answer.ends_with(LOST_REPLY));
    }

    #[tokio::test]
    async fn an_idle_redis_may_be_silent() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let (commands, pending) = channel();
        // The reply comes directly after the command, but a busy machine may run this thread late.
        let look = Duration::from_millis(200);
        let passing = tokio::task::spawn_blocking(move || {
            pass_replies(&mut Stream::Unix(ours), &pending, look).is_err()
        });
        tokio::time::sleep(look * 2 * MAX_SILENT_POLLS).await;
        let (command, mut client) = waiting().await;
        commands.send(command).unwrap();
        theirs.write_all(b"+OK\r\n").unwrap();
        let mut answer = vec![0; 21 + 5];
        client.read_exact(&mut answer).await.unwrap();
        assert!(answer.ends_with(b"+OK\r\n"));
        drop(theirs);
        assert!(passing.await.unwrap());
    }
}
