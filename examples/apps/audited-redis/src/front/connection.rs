//! A client's connection: authentication, then announcements and commands.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

use super::clients::{Client, CommandContext, Refusal, Session, reply};
use super::committer::AcceptedCommand;
use super::shared::{Shared, kib};
use crate::frame::{Frame, MAGIC, MAX_FRAME, MAX_REPLY, SignedCommand, hello, verify_eddsa};
use crate::outbox::Outbox;
use crate::suites::MAX_ANNOUNCEMENT;

/// Time limit for authentication.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of unanswered commands per connection.
const MAX_IN_FLIGHT: usize = 1024;
/// Maximum number of reply bytes that wait for a client that does not read.
const MAX_UNREAD: usize = MAX_REPLY + (64 << 20);
/// Maximum number of announcements that wait for verification.
const MAX_ANNOUNCEMENTS: usize = 16;

/// Serves a connection to its end, or drops it if its place is needed before it is authenticated.
pub(super) async fn serve(
    shared: &Arc<Shared>,
    mut stream: TcpStream,
    peer: SocketAddr,
    place: oneshot::Receiver<Infallible>,
) {
    // A failure only makes replies slower.
    let _ = stream.set_nodelay(true);
    let authenticated = tokio::select! {
        authenticated = timeout(HANDSHAKE_TIMEOUT, authenticate(shared, &mut stream, peer)) => authenticated,
        _ = place => return,
    };
    let Ok(Some((client, session))) = authenticated else { return };
    let (read, write) = stream.into_split();
    let outbox = Outbox::new(write, MAX_UNREAD);
    outbox.push(|out| Frame::Welcome { last: session.last }.encode_to(out));
    outbox.flush();
    let (announce, announced) = mpsc::channel(MAX_ANNOUNCEMENTS);
    let connection = Connection { shared, peer, client, session, outbox, announce };
    let learning = learn(connection.client.clone(), announced, shared.clone(), peer);
    tokio::select! {
        () = connection.run(read) => {}
        () = connection.outbox.run() => {}
        () = connection.session.superseded.notified() => {}
        // Ends only after the connection, which holds the sender.
        () = learning => {}
    }
    // The client still gets the last refusal and all replies so far. Later replies of Redis are lost; the client's
    // next welcome shows which commands are in the log.
    connection.outbox.finish();
    let _ = timeout(HANDSHAKE_TIMEOUT, connection.outbox.run()).await;
}

struct Connection<'a> {
    shared: &'a Arc<Shared>,
    peer: SocketAddr,
    client: Arc<Client>,
    session: Session,
    outbox: Arc<Outbox>,
    announce: mpsc::Sender<Arc<[u8]>>,
}

impl Connection<'_> {
    async fn run(&self, mut read: OwnedReadHalf) {
        let places = Arc::new(Semaphore::new(MAX_IN_FLIGHT));
        let mut buffer = Vec::with_capacity(1 << 16);
        loop {
            buffer.reserve(1 << 16);
            match read.read_buf(&mut buffer).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
            let mut at = 0;
            loop {
                let rest = buffer.get(at..).unwrap_or_default();
                match Frame::take(rest, MAX_FRAME) {
                    Ok(None) => break,
                    Ok(Some((frame, used))) => {
                        if !self.take(frame, &places).await {
                            return;
                        }
                        at += used;
                    }
                    Err(reason) => {
                        self.refuse(&Refusal::new("BAD_FRAME", reason.to_string()), 0, rest);
                        return;
                    }
                }
            }
            buffer.drain(..at);
        }
        // A client that closes its sending half still gets the replies to its commands.
        let _ = places.acquire_many(MAX_IN_FLIGHT as u32).await;
    }

    /// Returns true if the connection continues.
    async fn take(&self, frame: Frame<'_>, places: &Arc<Semaphore>) -> bool {
        match frame {
            Frame::Announcement(bytes) => {
                if bytes.len() > MAX_ANNOUNCEMENT {
                    let refusal =
                        Refusal::new("BAD_ANNOUNCEMENT", "it exceeds the maximum size of an announcement");
                    self.record(&refusal, 0, bytes);
                } else if self.announce.try_send(bytes.into()).is_err() {
                    let refusal = Refusal::new("RATE_LIMITED", "too many announcements at once");
                    self.record(&refusal, 0, bytes);
                }
                true
            }
            Frame::Command(body) => self.command(body, places).await,
            Frame::Welcome { .. } | Frame::Reply { .. } | Frame::Refused { .. } => {
                self.refuse(&Refusal::new("BAD_FRAME", "frames of this kind go to clients"), 0, &[]);
                false
            }
        }
    }

    async fn command(&self, body: &[u8], places: &Arc<Semaphore>) -> bool {
        let signed = match SignedCommand::decode(body) {
            Ok(signed) => signed,
            Err(reason) => {
                self.refuse(&Refusal::new("BAD_FRAME", reason.to_string()), 0, body);
                return false;
            }
        };
        // Other connections wait for the disk and for Redis, but never for this connection.
        let Ok(place) = places.clone().acquire_owned().await else { return false };
        let room = self.shared.room.clone().acquire_many_owned(kib(body)).await;
        let Ok(room) = room else { return false };
        let Ok(permit) = self.shared.ops.reserve().await else { return false };
        let now = crate::now();
        let op = AcceptedCommand {
            outbox: self.outbox.clone(),
            sequence: signed.sequence,
            received: now.0,
            signer: *self.client.key.as_bytes(),
            body: body.to_vec(),
            command: body.len() - signed.command.len(),
            place,
            _room: room,
        };
        let turn =
            CommandContext { generation: self.session.generation, now, is_up: self.shared.upstream.is_up() };
        let accepted = self.client.accept(&self.shared.rules, &turn, &signed, || permit.send(op));
        if let Err(refusal) = accepted {
            self.refuse(&refusal, signed.sequence, body);
        }
        true
    }

    fn refuse(&self, refusal: &Refusal, sequence: u64, refused: &[u8]) {
        self.record(refusal, sequence, refused);
        self.outbox.push(|out| Frame::Refused { sequence, reply: &reply(refusal) }.encode_to(out));
        self.outbox.flush();
    }

    fn record(&self, refusal: &Refusal, sequence: u64, refused: &[u8]) {
        self.shared.refusals.record(self.peer, Some(self.client.name.clone()), refusal, sequence, refused);
    }
}

/// Verifies announcements concurrently with commands.
async fn learn(
    client: Arc<Client>,
    mut announced: mpsc::Receiver<Arc<[u8]>>,
    shared: Arc<Shared>,
    peer: SocketAddr,
) {
    while let Some(announcement) = announced.recv().await {
        let looked_at = async {
            let (suite, work) = client.admit(announcement.clone(), crate::now())?;
            let checked = tokio::task::spawn_blocking(work).await;
            client.learn(suite, checked.unwrap_or(Err(quorate::Error::RateLimited))?)
        };
        if let Err(error) = looked_at.await {
            let refusal = Refusal::new("BAD_ANNOUNCEMENT", error.to_string());
            shared.refusals.record(peer, Some(client.name.clone()), &refusal, 0, &announcement);
        }
    }
}

/// Authenticates the client.
async fn authenticate(
    shared: &Shared,
    stream: &mut TcpStream,
    peer: SocketAddr,
) -> Option<(Arc<Client>, Session)> {
    let magic = first_bytes(stream).await?;
    if magic != MAGIC {
        let message =
            "this port accepts only signed commands; plain clients connect through `audited-redis sidecar`";
        let refusal = Refusal::new("UNSIGNED", message);
        shared.refusals.record_unauthenticated(peer, None, &refusal, &magic);
        let _ = stream.write_all(&reply(&refusal)).await;
        close(stream).await;
        return None;
    }
    let mut signer = [0; 32];
    stream.read_exact(&mut signer).await.ok()?;
    let mut challenge = [0; 32];
    getrandom::fill(&mut challenge).ok()?;
    stream.write_all(&[&MAGIC[..], &shared.store, &challenge].concat()).await.ok()?;
    let mut signature = [0; 64];
    stream.read_exact(&mut signature).await.ok()?;
    let refusal = match shared.clients.get(&signer) {
        None => Refusal::new("UNKNOWN_SIGNER", "this key is not in the front's configuration"),
        Some(client) => {
            match verify_eddsa(&client.key, &hello(&shared.store, &challenge, &signer), &signature) {
                Ok(()) => {
                    let session = client.connect();
                    return Some((client, session));
                }
                Err(_) => Refusal::new("IMPOSTOR", "the connection does not hold the key that it names"),
            }
        }
    };
    shared.refusals.record_unauthenticated(peer, Some(hex::encode(signer)), &refusal, &signature);
    let mut frame = Vec::new();
    Frame::Refused { sequence: 0, reply: &reply(&refusal) }.encode_to(&mut frame);
    let _ = stream.write_all(&frame).await;
    close(stream).await;
    None
}

/// Reads the first bytes as long as they match the magic: a plain client may send fewer bytes and must get an
/// answer too.
async fn first_bytes(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut seen = Vec::with_capacity(MAGIC.len());
    while seen.len() < MAGIC.len() && MAGIC.starts_with(&seen) {
        let missing = MAGIC.len() - seen.len();
        if (&mut *stream).take(missing as u64).read_buf(&mut seen).await.ok()? == 0 {
            return None;
        }
    }
    Some(seen)
}

/// Closes the connection after its input is read: closing with unread input resets the connection, and the last
/// message could be lost.
async fn close(stream: &mut TcpStream) {
    let _ = stream.shutdown().await;
    let _ = tokio::io::copy(&mut stream.take(MAX_FRAME as u64), &mut tokio::io::sink()).await;
}
