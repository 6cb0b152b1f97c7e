//! Signs for programs on this machine that speak plain Redis. Whoever reaches the sidecar signs with its key, so it
//! listens on loopback addresses only.
//!
//! What concerns the connection alone is answered here: `HELLO 2`, `CLIENT SETNAME`, `CLIENT SETINFO`, `CLIENT ID`,
//! `CLIENT GETNAME`, `SELECT 0`, `QUIT`, and `CONFIG GET`, with nothing, for programs that merely ask. Everything else
//! is signed, or refused like in the front.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::client::{Client, Options, Ticket};
use crate::failure::{Exit, Failure};
use crate::keys::Key;
use crate::resp::Command;

/// A sidecar that runs.
pub struct Sidecar {
    address: SocketAddr,
    store: [u8; 32],
    accepting: tokio::task::JoinHandle<()>,
}

/// How the front is reached, again if need be.
struct Front {
    address: String,
    key: Key,
    link: Mutex<Link>,
}

struct Link {
    /// What the next connection is made with: the store and the last answer of the ones before.
    options: Options,
    client: Option<Client>,
}

/// How many programs may be connected.
const MAX_CONNECTIONS: usize = 512;
/// How many commands of one may be under way.
const IN_FLIGHT: usize = 512;

impl Sidecar {
    /// Connects to the front and listens.
    ///
    /// # Errors
    /// [`Failure`]: the front does not answer or refuses, or the address is taken or not of this machine alone.
    pub async fn start(listen: SocketAddr, front: &str, key: Key, options: Options) -> Result<Self, Failure> {
        if !listen.ip().is_loopback() {
            let message =
                format!("{listen}: whoever reaches the sidecar signs with its key; give a loopback address");
            return Err(Failure::input(message));
        }
        let client = Client::connect(front, &key, options.clone()).await?;
        let store = *client.store();
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|error| Failure::unreachable(format!("listening on {listen}: {error}")))?;
        let address = listener.local_addr().map_err(|error| Failure::failed(error.to_string()))?;
        // From now on it must be the same store.
        let options = Options { store: Some(store), ..options };
        let link = Mutex::new(Link { options, client: Some(client) });
        let front = Front { address: front.to_owned(), key, link };
        let accepting = tokio::spawn(accept(listener, Arc::new(front)));
        Ok(Self { address, store, accepting })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The front's store.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// Ends all connections.
    pub async fn shutdown(self) {
        self.accepting.abort();
        let _ = self.accepting.await;
    }
}

async fn accept(listener: TcpListener, front: Arc<Front>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let front = front.clone();
                connections.spawn(async move {
                    serve(stream, &front).await;
                    drop(place);
                });
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
        while connections.try_join_next().is_some() {}
    }
}

/// An answer, in the order of the commands.
enum Due {
    Known(Vec<u8>),
    Coming(Ticket),
    Last(Vec<u8>),
}

async fn serve(stream: TcpStream, front: &Front) {
    // Without it answers are slower, not wrong.
    let _ = stream.set_nodelay(true);
    let (read, write) = stream.into_split();
    let (due, answers) = mpsc::channel(IN_FLIGHT);
    tokio::join!(commands(read, front, due), answer(write, answers));
}

async fn commands(mut read: OwnedReadHalf, front: &Front, due: mpsc::Sender<Due>) {
    let mut buffer = Vec::with_capacity(1 << 16);
    loop {
        buffer.reserve(1 << 16);
        match tokio::select! { read = read.read_buf(&mut buffer) => read, () = due.closed() => return } {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let mut at = 0;
        loop {
            let next = match Command::take(buffer.get(at..).unwrap_or_default()) {
                Ok(None) => break,
                Ok(Some(command)) => {
                    at += command.bytes().len();
                    execute(front, &command).await
                }
                Err(reason) => Due::Last(format!("-ERR Protocol error: {reason}\r\n").into_bytes()),
            };
            let is_last = matches!(next, Due::Last(_));
            if due.send(next).await.is_err() || is_last {
                return;
            }
        }
        buffer.drain(..at);
    }
}

async fn execute(front: &Front, command: &Command<'_>) -> Due {
    let words: Vec<String> =
        command.arguments().take(2).map(|word| String::from_utf8_lossy(word).to_ascii_uppercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["CLIENT", "SETNAME" | "SETINFO"] | ["SELECT", "0"] => return Due::Known(b"+OK\r\n".into()),
        ["CLIENT", "ID"] => return Due::Known(b":1\r\n".into()),
        ["CLIENT", "GETNAME"] => return Due::Known(b"$-1\r\n".into()),
        ["CONFIG", "GET"] => return Due::Known(b"*0\r\n".into()),
        ["HELLO", "2"] => {
            let reply = b"*6\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:2\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n";
            return Due::Known(reply.to_vec());
        }
        ["HELLO", ..] => return Due::Known(b"-NOPROTO the sidecar speaks RESP2\r\n".into()),
        ["QUIT", ..] => return Due::Last(b"+OK\r\n".into()),
        _ => {}
    }
    match front.send(command).await {
        Ok(ticket) => Due::Coming(ticket),
        Err(failure) => Due::Known(error(&failure)),
    }
}

async fn answer(mut write: OwnedWriteHalf, mut answers: mpsc::Receiver<Due>) {
    while let Some(due) = answers.recv().await {
        let (bytes, last) = match due {
            Due::Known(bytes) => (bytes, false),
            Due::Last(bytes) => (bytes, true),
            Due::Coming(ticket) => match ticket.answer().await {
                Ok(answer) => (answer.reply, false),
                Err(failure) => (error(&failure), false),
            },
        };
        if write.write_all(&bytes).await.is_err() || last {
            return;
        }
    }
}

impl Front {
    async fn send(&self, command: &Command<'_>) -> Result<Ticket, Failure> {
        let known = self.link.lock().await.client.clone();
        if let Some(client) = known {
            match client.send(command.bytes()).await {
                // Nothing was sent: the connection had been lost before.
                Err(failure) if failure.exit == Exit::Unreachable => {}
                outcome => return outcome,
            }
        }
        let mut link = self.link.lock().await;
        // Another program's command may have connected in the meantime.
        if let Some(again) = link.client.clone().filter(|client| !client.is_lost()) {
            drop(link);
            return again.send(command.bytes()).await;
        }
        // The old one goes first: its keys and numbers are void. What it was answered is not.
        if let Some(old) = link.client.take() {
            link.options.answered = old.answered();
        }
        let again = Client::connect(&self.address, &self.key, link.options.clone()).await?;
        link.client = Some(again.clone());
        drop(link);
        again.send(command.bytes()).await
    }
}

/// A failure as an error reply.
fn error(failure: &Failure) -> Vec<u8> {
    let message = failure.message.replace(['\r', '\n'], " ");
    format!("-{} {message}\r\n", failure.code).into_bytes()
}
