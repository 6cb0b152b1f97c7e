//! The connection to Redis: one, so that commands are executed in the order in which they are sent.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use super::Ended;
use crate::config::RedisAddress;
use crate::failure::Failure;
use crate::frame::{Frame, MAX_REPLY};
use crate::lock;
use crate::outbox::Outbox;
use crate::resp::{ReplyScanner, Value, encode_command};

/// The connection, which is made anew when it breaks.
pub(super) struct Upstream {
    link: Mutex<Option<Link>>,
    /// The same connection, for who must end it while another hangs in a write and holds the link.
    socket: Mutex<Option<Stream>>,
    is_up: AtomicBool,
    stopping: AtomicBool,
    ended: Ended,
}

struct Link {
    stream: Stream,
    pending: Sender<Pending>,
}

/// Who waits for a reply.
pub(super) struct Pending {
    pub(super) outbox: Arc<Outbox>,
    pub(super) sequence: u64,
    pub(super) entry: u64,
    pub(super) _place: OwnedSemaphorePermit,
}

/// What a command is answered whose fate is unknown.
const LOST: &[u8] =
    b"-UPSTREAM the connection to Redis broke: the command is in the log and may or may not have been executed\r\n";
const TOO_LARGE: &[u8] =
    b"-REPLY_TOO_LARGE the command was executed, but its reply is too large to be passed on\r\n";
/// How often a lost Redis is looked for.
const AGAIN: Duration = Duration::from_millis(200);
/// How long a Redis may say nothing while replies are due, in looks. Then it counts as lost: its machine may be gone
/// without a word, and who waits for an answer must get one.
const SILENT: u32 = 4;
/// How long a look is.
const LOOK: Duration = Duration::from_secs(15);

impl Upstream {
    /// Connects and starts the thread that reads replies.
    pub(super) fn start(address: RedisAddress, password: Option<String>) -> Result<Arc<Self>, Failure> {
        let stream = connect(&address, password.as_deref()).map_err(|error| {
            Failure::unreachable(format!("Redis at {address}: {error}; start redis-server first"))
        })?;
        let (ending, ended) = Ended::pair();
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
                // Why it ended is of no use to anybody: it is lost.
                let _ = pass_replies(stream, pending, LOOK);
                this.detach(stream, pending);
                reading = loop {
                    if this.stopping.load(Ordering::SeqCst) {
                        return;
                    }
                    thread::sleep(AGAIN);
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

    /// Whether commands can be executed.
    pub(super) fn is_up(&self) -> bool {
        self.is_up.load(Ordering::SeqCst)
    }

    /// Sends commands; their replies go to those who wait.
    pub(super) fn execute(&self, pending: Vec<Pending>, commands: &[u8]) {
        let mut link = lock(&self.link);
        let Some(link) = link.as_mut() else {
            pending.into_iter().for_each(|pending| pending.answer(LOST));
            return;
        };
        for waiting in pending {
            if let Err(back) = link.pending.send(waiting) {
                back.0.answer(LOST);
            }
        }
        if link.stream.write_all(commands).is_err() {
            // The reading thread sees it too, and answers.
            link.stream.shutdown();
        }
    }

    /// Ends the connection, for good, when what was sent is answered, or when patience is at its end.
    pub(super) fn stop(&self, patience: Duration) {
        self.stopping.store(true, Ordering::SeqCst);
        if let Some(socket) = lock(&self.socket).as_ref() {
            socket.shutdown_write();
        }
        if !self.ended.within(patience) {
            self.abandon();
            self.ended.within(patience);
        }
    }

    /// Ends the connection, for good, whatever is under way.
    pub(super) fn abandon(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        if let Some(socket) = lock(&self.socket).as_ref() {
            socket.shutdown();
        }
    }

    fn attach(&self, stream: Stream) -> io::Result<(Stream, Receiver<Pending>)> {
        let (pending, waiting) = channel();
        let reading = stream.try_clone()?;
        *lock(&self.socket) = Some(stream.try_clone()?);
        *lock(&self.link) = Some(Link { stream, pending });
        self.is_up.store(true, Ordering::SeqCst);
        Ok((reading, waiting))
    }

    fn detach(&self, stream: &Stream, pending: &Receiver<Pending>) {
        self.is_up.store(false, Ordering::SeqCst);
        // A committer that hangs in a write must not hold the lock for ever.
        stream.shutdown();
        *lock(&self.socket) = None;
        *lock(&self.link) = None;
        pending.try_iter().for_each(|pending| pending.answer(LOST));
    }
}

impl Pending {
    fn answer(self, reply: &[u8]) {
        self.push(reply).flush();
    }

    fn push(self, reply: &[u8]) -> Arc<Outbox> {
        let (sequence, entry) = (self.sequence, self.entry);
        self.outbox.push(|out| Frame::Reply { sequence, entry, reply }.encode_to(out));
        self.outbox
    }
}

/// Passes replies on until the connection breaks, or is silent for too many looks.
fn pass_replies(stream: &mut Stream, pending: &Receiver<Pending>, look: Duration) -> io::Result<()> {
    let mut first = None;
    let outcome = pass_replies_to(stream, &mut first, pending, look);
    first.into_iter().for_each(|pending: Pending| pending.answer(LOST));
    outcome
}

/// `first` is the one whose reply is due, if we had to look.
fn pass_replies_to(
    stream: &mut Stream,
    first: &mut Option<Pending>,
    pending: &Receiver<Pending>,
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
                // Only looks during which a reply was due from the beginning count.
                silent = if first.is_some() { silent + 1 } else { 0 };
                *first = first.take().or_else(|| pending.try_recv().ok());
                if silent >= SILENT {
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
            let waiting = waiting.ok_or_else(|| invalid("a reply that nobody waits for"))?;
            let outbox = waiting.push(if too_large { TOO_LARGE } else { &reply });
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
    /// One command and the answer that it must have.
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
            _ => Err(io::Error::other("it does not answer as Redis does")),
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

    /// It may be closed already; then there is nothing left to do.
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

    /// A command of a client, and the client's end.
    async fn waiting() -> (Pending, tokio::net::TcpStream) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = tokio::net::TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (_, write) = listener.accept().await.unwrap().0.into_split();
        let place = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
        let outbox = Outbox::new(write, 1000);
        (Pending { outbox, sequence: 1, entry: 1, _place: place }, client)
    }

    #[tokio::test]
    async fn a_redis_that_says_nothing_while_a_reply_is_due_is_lost() {
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
        let mut answer = vec![0; 21 + LOST.len()];
        client.read_exact(&mut answer).await.unwrap();
        assert!(answer.ends_with(LOST));
    }

    #[tokio::test]
    async fn one_that_is_asked_nothing_may_be_silent() {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let (commands, pending) = channel();
        let look = Duration::from_millis(10);
        let passing = tokio::task::spawn_blocking(move || {
            pass_replies(&mut Stream::Unix(ours), &pending, look).is_err()
        });
        tokio::time::sleep(look * 20).await;
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
