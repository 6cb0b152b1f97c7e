//! The sidecar: signs for local programs that speak plain Redis. Any program that reaches the sidecar can sign with
//! its key, so it listens on loopback addresses only.
//!
//! The sidecar answers commands that concern only the connection: `HELLO 2`, `CLIENT SETNAME`, `CLIENT SETINFO`,
//! `CLIENT ID`, `CLIENT GETNAME`, `SELECT 0`, `QUIT`, and `CONFIG GET` with an empty list. All other commands are
//! signed, or refused as in the front.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Mutex, Semaphore, mpsc};
use tokio::task::JoinSet;

use crate::client::{Client, ClientOptions, PendingAnswer};
use crate::failure::{Exit, Failure};
use crate::keys::Key;
use crate::resp::Command;

/// A running sidecar.
pub struct Sidecar {
    address: SocketAddr,
    store: [u8; 32],
    accepting: tokio::task::JoinHandle<()>,
}

/// Connects to the front, and reconnects when the connection is lost.
struct FrontConnector {
    address: String,
    key: Key,
    link: Mutex<Link>,
}

struct Link {
    /// Options of the next connection: the store and the last answered sequence number.
    options: ClientOptions,
    client: Option<Client>,
}

/// Maximum number of connections.
const MAX_CONNECTIONS: usize = 512;
/// Maximum number of commands in flight per connection.
const MAX_IN_FLIGHT: usize = 512;

impl Sidecar {
    /// Connects to the front and listens.
    ///
    /// # Errors
    /// [`Failure`] if the front does not answer or refuses, or the address is in use or not a loopback address.
    pub async fn start(
        listen: SocketAddr,
        front: &str,
        key: Key,
        options: ClientOptions,
    ) -> Result<Self, Failure> {
        if !listen.ip().is_loopback() {
            let message = format!(
                "{listen}: expected a loopback address, because any program that reaches the sidecar can sign with its key"
            );
            return Err(Failure::input(message));
        }
        let client = Client::connect(front, &key, options.clone()).await?;
        let store = *client.store();
        let listener = TcpListener::bind(listen)
            .await
            .map_err(|error| Failure::unreachable(format!("listening on {listen}: {error}")))?;
        let address = listener.local_addr().map_err(|error| Failure::failed(error.to_string()))?;
        // Later connections must reach the same store.
        let options = ClientOptions { store: Some(store), ..options };
        let link = Mutex::new(Link { options, client: Some(client) });
        let front = FrontConnector { address: front.to_owned(), key, link };
        let accepting = tokio::spawn(accept(listener, Arc::new(front)));
        Ok(Self { address, store, accepting })
    }

    /// Returns the address of the listener.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the front's store.
    pub fn store(&self) -> &[u8; 32] {
        &self.store
    }

    /// Closes all connections.
    pub async fn shutdown(self) {
        self.accepting.abort();
        let _ = self.accepting.await;
    }
}

async fn accept(listener: TcpListener, front: Arc<FrontConnector>) {
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

/// A reply in the order of the commands.
enum QueuedReply {
    Ready(Vec<u8>),
    Pending(PendingAnswer),
    Last(Vec<u8>),
}

async fn serve(stream: TcpStream, front: &FrontConnector) {
    // A failure only makes replies slower.
    let _ = stream.set_nodelay(true);
    let (read, write) = stream.into_split();
    let (due, answers) = mpsc::channel(MAX_IN_FLIGHT);
    tokio::join!(commands(read, front, due), answer(write, answers));
}

async fn commands(mut read: OwnedReadHalf, front: &FrontConnector, due: mpsc::Sender<QueuedReply>) {
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
                Err(reason) => QueuedReply::Last(format!("-ERR Protocol error: {reason}\r\n").into_bytes()),
            };
            let is_last = matches!(next, QueuedReply::Last(_));
            if due.send(next).await.is_err() || is_last {
                return;
            }
        }
        buffer.drain(..at);
    }
}

async fn execute(front: &FrontConnector, command: &Command<'_>) -> QueuedReply {
    let words: Vec<String> =
        command.arguments().take(2).map(|word| String::from_utf8_lossy(word).to_ascii_uppercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["CLIENT", "SETNAME" | "SETINFO"] | ["SELECT", "0"] => return QueuedReply::Ready(b"+OK\r\n".into()),
        ["CLIENT", "ID"] => return QueuedReply::Ready(b":1\r\n".into()),
        ["CLIENT", "GETNAME"] => return QueuedReply::Ready(b"$-1\r\n".into()),
        ["CONFIG", "GET"] => return QueuedReply::Ready(b"*0\r\n".into()),
        ["HELLO", "2"] => {
            let reply = b"*6\r\n$6\r\nserver\r\n$5\r\nredis\r\n$5\r\nproto\r\n:2\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n";
            return QueuedReply::Ready(reply.to_vec());
        }
        ["HELLO", ..] => return QueuedReply::Ready(b"-NOPROTO the sidecar speaks RESP2\r\n".into()),
        ["QUIT", ..] => return QueuedReply::Last(b"+OK\r\n".into()),
        _ => {}
    }
    match front.send(command).await {
        Ok(ticket) => QueuedReply::Pending(ticket),
        Err(failure) => QueuedReply::Ready(error_reply(&failure)),
    }
}

async fn answer(mut write: OwnedWriteHalf, mut answers: mpsc::Receiver<QueuedReply>) {
    while let Some(due) = answers.recv().await {
        let (bytes, last) = match due {
            QueuedReply::Ready(bytes) => (bytes, false),
            QueuedReply::Last(bytes) => (bytes, true),
            QueuedReply::Pending(ticket) => match ticket.answer().await {
                Ok(answer) => (answer.reply, false),
                Err(failure) => (error_reply(&failure), false),
            },
        };
        if write.write_all(&bytes).await.is_err() || last {
            return;
        }
    }
}

impl FrontConnector {
    async fn send(&self, command: &Command<'_>) -> Result<PendingAnswer, Failure> {
        let known = self.link.lock().await.client.clone();
        if let Some(client) = known {
            match client.send(command.bytes()).await {
                // Nothing was sent: the connection was lost before.
                Err(failure) if failure.exit == Exit::Unreachable => {}
                outcome => return outcome,
            }
        }
        let mut link = self.link.lock().await;
        // A command of another program may have reconnected in the meantime.
        if let Some(again) = link.client.clone().filter(|client| !client.is_lost()) {
            drop(link);
            return again.send(command.bytes()).await;
        }
        // The old client is dropped first: its keys and sequence numbers are void. Its last answered number is kept.
        if let Some(old) = link.client.take() {
            link.options.answered = old.answered();
        }
        let again = Client::connect(&self.address, &self.key, link.options.clone()).await?;
        link.client = Some(again.clone());
        drop(link);
        again.send(command.bytes()).await
    }
}

/// Encodes a failure as a RESP error.
fn error_reply(failure: &Failure) -> Vec<u8> {
    let message = failure.message.replace(['\r', '\n'], " ");
    format!("-{} {message}\r\n", failure.code).into_bytes()
}
