//! A party as a requester sees it: one connection, made when it is needed, one question at a time.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use quorate::ed25519::PublicKey;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode};
use quorate_node::links::tls::{Tls, server_name};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::{self, AlertDescription};

use crate::protocol::{MAX_REPLY, Reply, Request, read_frame, write_frame};

/// How long a connection may take to be made and proved.
const CONNECT: Duration = Duration::from_secs(5);

/// A question to a party.
pub(super) struct Question {
    /// Which attempt it belongs to.
    pub(super) number: u64,
    pub(super) request: Arc<Request>,
    pub(super) deadline: Instant,
}

/// What came of a question.
pub(super) struct Heard {
    pub(super) party: MemberIndex,
    pub(super) number: u64,
    /// The reply, or why there is none.
    pub(super) reply: Result<Reply, String>,
}

/// Where a party is, and who it must be.
pub(super) struct Peer {
    pub(super) party: MemberIndex,
    pub(super) address: String,
    pub(super) key: PublicKey,
    pub(super) tls: Arc<Tls>,
}

type Stream = TlsStream<TcpStream>;

impl Peer {
    /// Answers questions until nobody asks any more.
    pub(super) async fn run(self, mut questions: mpsc::Receiver<Question>, heard: mpsc::Sender<Heard>) {
        let mut link = None;
        while let Some(Question { number, request, deadline }) = questions.recv().await {
            // Without the link the answer to a question that was given up cannot be taken for that to the next.
            let asked = timeout_at(deadline, ask(&self, link.take(), &request)).await;
            let reply = match asked {
                Ok(Ok((stream, reply))) => {
                    link = Some(stream);
                    Ok(reply)
                }
                Ok(Err(why)) => Err(why),
                Err(_) => Err("it does not answer in time".to_owned()),
            };
            if heard.send(Heard { party: self.party, number, reply }).await.is_err() {
                return;
            }
        }
    }
}

/// Asks over the link that there is, and over a new one if there is none or it has gone: a request may be sent again.
async fn ask(peer: &Peer, link: Option<Stream>, request: &Request) -> Result<(Stream, Reply), String> {
    if let Some(mut stream) = link
        && let Ok(reply) = exchange(&mut stream, request).await
    {
        return reply.map(|reply| (stream, reply));
    }
    let connecting = timeout(CONNECT, connect(peer)).await;
    let mut stream = connecting.unwrap_or_else(|_| Err("it does not take the connection".to_owned()))?;
    let reply = exchange(&mut stream, request).await.map_err(|e| match (e.kind(), alert(&e)) {
        (_, Some(AlertDescription::AccessDenied)) => {
            "it does not know this requester's key; compare group files".to_owned()
        }
        (ErrorKind::UnexpectedEof, _) => "it closed the connection".to_owned(),
        _ => format!("the connection ended: {e}"),
    })?;
    reply.map(|reply| (stream, reply))
}

/// The outer error is the connection's, the inner one the party's.
async fn exchange(stream: &mut Stream, request: &Request) -> std::io::Result<Result<Reply, String>> {
    write_frame(stream, &request.encode()).await?;
    // The deadline is the caller's.
    let frame = read_frame(stream, MAX_REPLY, Duration::from_secs(3600)).await;
    match frame {
        Ok(Some(frame)) => {
            Ok(Reply::decode(&frame, &()).map_err(|e| format!("its answer cannot be read: {e}")))
        }
        Ok(None) => Err(ErrorKind::UnexpectedEof.into()),
        Err(e) if e.kind() == ErrorKind::InvalidData && alert(&e).is_none() => {
            Ok(Err(format!("its answer cannot be read: {e}")))
        }
        Err(e) => Err(e),
    }
}

async fn connect(peer: &Peer) -> Result<Stream, String> {
    let stream = TcpStream::connect(&peer.address).await.map_err(|e| format!("{}: {e}", peer.address))?;
    stream.set_nodelay(true).map_err(|e| e.to_string())?;
    let connector = peer.tls.connector(&peer.key).map_err(|e| e.to_string())?;
    let name = server_name().map_err(|e| e.to_string())?;
    let connected = connector.connect(name, stream).await;
    connected.map_err(|e| {
        format!("{}: {e}: whoever serves there does not prove the key in the group file", peer.address)
    })
}

/// What the other end said when it refused the handshake: in TLS 1.3 that comes after this end believes it done.
fn alert(error: &std::io::Error) -> Option<AlertDescription> {
    match error.get_ref()?.downcast_ref() {
        Some(rustls::Error::AlertReceived(alert)) => Some(*alert),
        _ => None,
    }
}
