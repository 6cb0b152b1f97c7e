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

use crate::config::RedisAddress;
use crate::failure::Failure;
use crate::frame::{Frame, MAX_REPLY};
use crate::lock;
use crate::outbox::Outbox;
use crate::resp::{ReplyScanner, Value, encode_command};

/// The connection, which is made anew when it breaks.
pub(super) struct Upstream {
    link: Mutex<Option<Link>>,
    is_up: AtomicBool,
    stopping: AtomicBool,
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

impl Upstream {
    /// Connects and starts the thread that reads replies.
    pub(super) fn start(address: RedisAddress, password: Option<String>) -> Result<Arc<Self>, Failure> {
        let stream = connect(&address, password.as_deref()).map_err(|error| {
            Failure::unreachable(format!("Redis at {address}: {error}; start redis-server first"))
        })?;
        let upstream = Arc::new(Self {
            link: Mutex::new(None),
            is_up: AtomicBool::new(false),
            stopping: AtomicBool::new(false),
        });
        let failed = |error: io::Error| Failure::failed(format!("the connection to Redis: {error}"));
        let mut reading = upstream.attach(stream).map_err(failed)?;
        let this = upstream.clone();
        let work = move || {
            loop {
                let (stream, pending) = &mut reading;
                // Why it ended is of no use to anybody: it is lost.
                let _ = pass_replies(stream, pending);
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

    /// Ends the connection, for good, when what was sent is answered.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        if let Some(link) = lock(&self.link).as_ref() {
            link.stream.shutdown_write();
        }
    }

    fn attach(&self, stream: Stream) -> io::Result<(Stream, Receiver<Pending>)> {
        let (pending, waiting) = channel();
        let reading = stream.try_clone()?;
        *lock(&self.link) = Some(Link { stream, pending });
        self.is_up.store(true, Ordering::SeqCst);
        Ok((reading, waiting))
    }

    fn detach(&self, stream: &Stream, pending: &Receiver<Pending>) {
        self.is_up.store(false, Ordering::SeqCst);
        // A committer that hangs in a write must not hold the lock for ever.
        stream.shutdown();
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

/// Passes replies on until the connection breaks.
fn pass_replies(stream: &mut Stream, pending: &Receiver<Pending>) -> io::Result<()> {
    let invalid = |reason: &'static str| io::Error::new(io::ErrorKind::InvalidData, reason);
    let (mut scanner, mut chunk, mut buffer) = (ReplyScanner::default(), vec![0; 1 << 16], Vec::new());
    let (mut reply, mut too_large) = (Vec::new(), false);
    loop {
        let read = stream.read(&mut chunk)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
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
            let waiting = pending.try_recv().map_err(|_| invalid("a reply that nobody waits for"))?;
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
