//! The coordinator's connection to one party: opened when needed, one request at a time.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use quorate::ed25519::PublicKey;
use quorate::machine::MemberIndex;
use quorate::wire::{Decode, Encode};
use quorate_tls::{Tls, server_name};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::{self, AlertDescription};

use crate::protocol::{MAX_REPLY, Reply, Request, read_frame, write_frame};

/// Timeout for TCP connect and TLS handshake.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// A request to a party.
pub(super) struct PeerRequest {
    /// Number of the coordinator's round.
    pub(super) round: u64,
    pub(super) request: Arc<Request>,
    pub(super) deadline: Instant,
}

/// Result of a request to a party.
pub(super) struct PeerReply {
    pub(super) party: MemberIndex,
    /// Number of the coordinator's round.
    pub(super) round: u64,
    /// The reply, or the reason why there is none.
    pub(super) reply: Result<Reply, String>,
}

/// Address and expected identity of a party.
pub(super) struct Peer {
    pub(super) party: MemberIndex,
    pub(super) address: String,
    pub(super) key: PublicKey,
    pub(super) tls: Arc<Tls>,
}

type Stream = TlsStream<TcpStream>;

impl Peer {
    /// Sends requests to the party until the coordinator is dropped.
    pub(super) async fn run(
        self,
        mut requests: mpsc::Receiver<PeerRequest>,
        replies: mpsc::Sender<PeerReply>,
    ) {
        let mut idle = None;
        while let Some(PeerRequest { round, request, deadline }) = requests.recv().await {
            // A timeout drops the connection, so that a late reply is not taken for the reply to the next request.
            let outcome = timeout_at(deadline, exchange_with_retry(&self, idle.take(), &request)).await;
            let reply = match outcome {
                Ok(Ok((stream, reply))) => {
                    idle = Some(stream);
                    Ok(reply)
                }
                Ok(Err(why)) => Err(why),
                Err(_) => Err("it did not answer in time".to_owned()),
            };
            if replies.send(PeerReply { party: self.party, round, reply }).await.is_err() {
                return;
            }
        }
    }
}

/// Sends a request over the idle connection, and over a new one if that fails: requests are idempotent.
async fn exchange_with_retry(
    peer: &Peer,
    idle: Option<Stream>,
    request: &Request,
) -> Result<(Stream, Reply), String> {
    if let Some(mut stream) = idle
        && let Ok(reply) = exchange(&mut stream, request).await
    {
        return reply.map(|reply| (stream, reply));
    }
    let connecting = timeout(CONNECT_TIMEOUT, connect(peer)).await;
    let mut stream = connecting.unwrap_or_else(|_| Err("connecting timed out".to_owned()))?;
    let reply = exchange(&mut stream, request).await.map_err(|e| match (e.kind(), received_alert(&e)) {
        (_, Some(AlertDescription::AccessDenied)) => {
            "it does not know this requester's key; compare group files".to_owned()
        }
        (ErrorKind::UnexpectedEof, _) => "it closed the connection".to_owned(),
        _ => format!("the connection ended: {e}"),
    })?;
    reply.map(|reply| (stream, reply))
}

/// Sends a request and reads the reply. The outer error is the connection's, the inner one a malformed reply.
async fn exchange(stream: &mut Stream, request: &Request) -> std::io::Result<Result<Reply, String>> {
    write_frame(stream, &request.encode()).await?;
    // The caller limits the time.
    let frame = read_frame(stream, MAX_REPLY, Duration::from_secs(3600)).await;
    match frame {
        Ok(Some(frame)) => Ok(Reply::decode(&frame, &()).map_err(|e| format!("its reply is malformed: {e}"))),
        Ok(None) => Err(ErrorKind::UnexpectedEof.into()),
        Err(e) if e.kind() == ErrorKind::InvalidData && received_alert(&e).is_none() => {
            Ok(Err(format!("its reply is malformed: {e}")))
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
    connected
        .map_err(|e| format!("{}: {e}: the server does not prove the key in the group file", peer.address))
}

/// Returns the TLS alert that the other end sent. In TLS 1.3 the alert of a refused client certificate arrives after
/// the client has completed its handshake.
fn received_alert(error: &std::io::Error) -> Option<AlertDescription> {
    match error.get_ref()?.downcast_ref() {
        Some(rustls::Error::AlertReceived(alert)) => Some(*alert),
        _ => None,
    }
}
