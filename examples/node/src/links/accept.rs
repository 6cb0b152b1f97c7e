use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use quorate::wire::{Decode, Encode, Reader};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;

use super::frame::{self, Incoming, Watchdog};
use super::handshake_limiter::{HandshakeLimiter, HandshakePermit};
use super::hello::{self, Answer, Hello, MAX_HELLO, Purpose, VERSION, Verdict};
use super::peer::Peer;
use super::{Context, Lane, LinkError, LinkEvent, Received};
use crate::metrics::PeerCodeLabel;

/// How much is read from the kernel at once.
pub(super) const READ_BUFFER: usize = 128 << 10;

type Stream = TlsStream<BufReader<TcpStream>>;

/// Accepts connections until the links are closed.
pub(super) async fn run(context: Arc<Context>, listener: Arc<TcpListener>) {
    let handshake_limiter = HandshakeLimiter::new(context.config.max_unauthenticated);
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = context.stopped() => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, from)) => match handshake_limiter.admit(from.ip()) {
                Some(permit) => drop(connections.spawn(serve(context.clone(), stream, from, permit))),
                None => refused(&context, "unknown", "TOO_MANY"),
            },
            Err(e) => {
                // Out of file descriptors, most likely: give others time to close some.
                tracing::warn!(error = %e, "accepting a link failed");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    connections.shutdown().await;
}

async fn serve(context: Arc<Context>, stream: TcpStream, from: SocketAddr, permit: HandshakePermit) {
    let patience = Duration::from_millis(context.config.handshake_timeout_ms);
    let greeted = timeout(patience, greet(&context, stream, from)).await;
    drop(permit);
    let (peer, error) = match greeted.unwrap_or(Err((None, LinkError::Timeout { during: "the handshake" }))) {
        Ok(None) => return,
        Ok(Some((peer, lane, stream))) => {
            let error = tokio::select! {
                () = context.stopped() => return,
                error = receive(&context, peer.clone(), lane, stream) => error,
            };
            tracing::info!(peer = %peer.0.name, ?lane, %error, "incoming link ended");
            peer.0.leave(lane, &peer.1);
            if matches!(error, LinkError::TooLarge { .. } | LinkError::Tls(_)) {
                peer.0.refuse(error.code());
            }
            peer.0.note(&error);
            return;
        }
        Err(refusal) => refusal,
    };
    let name = peer.as_ref().map_or("unknown", |p| p.name.as_str());
    tracing::warn!(peer = name, address = %from, code = error.code(), %error, "connection refused");
    refused(&context, name, error.code());
    if let Some(peer) = peer {
        peer.note(&error);
    }
}

/// A peer and the notice that comes when a newer connection takes the place of this one.
type Admitted = (Arc<Peer>, Arc<tokio::sync::Notify>);
type Greeted = Option<(Admitted, Lane, Stream)>;

/// Finds out who is there and what for.
async fn greet(
    context: &Context,
    stream: TcpStream,
    from: SocketAddr,
) -> Result<Greeted, (Option<Arc<Peer>>, LinkError)> {
    let unknown = |e: std::io::Error| (None, e.into());
    stream.set_nodelay(true).map_err(unknown)?;
    let stream = BufReader::with_capacity(READ_BUFFER, stream);
    let mut stream = context.tls.acceptor().accept(stream).await.map_err(unknown)?;
    let proved = context.tls.member(stream.get_ref().1.peer_certificates());
    let proved = proved.ok_or((None, LinkError::Refuses(Verdict::WrongMember)))?;
    let peer = context.peer(proved).cloned();
    let named = |e| (peer.clone(), e);
    let mut watchdog = Watchdog::new(context.dead_after());
    let body = frame::read_short(&mut stream, MAX_HELLO, &mut watchdog).await.map_err(named)?;
    let (verdict, admitted) = judge(context, peer.as_ref(), &body, from).map_err(named)?;
    let answer = Answer { version: VERSION, verdict, process: context.instance };
    reply(&mut stream, &answer, &mut watchdog).await.map_err(named)?;
    match admitted {
        Some((peer, lane)) => Ok(Some((peer, lane, stream))),
        None if verdict == Verdict::Welcome => Ok(None),
        None => {
            // So that the answer is read before the connection is reset.
            let _ = stream.shutdown().await;
            Err(named(LinkError::Refuses(verdict)))
        }
    }
}

fn judge(
    context: &Context,
    peer: Option<&Arc<Peer>>,
    body: &[u8],
    from: SocketAddr,
) -> Result<(Verdict, Option<(Admitted, Lane)>), LinkError> {
    let version = hello::version(&mut Reader::new(body)).map_err(LinkError::Hello)?;
    if version != VERSION {
        return Ok((Verdict::WrongVersion, None));
    }
    let hello = Hello::decode(body, &()).map_err(LinkError::Hello)?;
    if hello.chain != context.chain {
        return Ok((Verdict::WrongChain, None));
    }
    let Some(peer) = peer else {
        // It proved this node's own key: this node itself, looking for a twin, or the twin.
        if hello.process == context.instance {
            return Ok((Verdict::Welcome, None));
        }
        context.sink.event(LinkEvent::SameIdentity { address: from.to_string() });
        return Ok((Verdict::SameIdentity, None));
    };
    let Purpose::Lane(lane) = hello.purpose else {
        return Ok((Verdict::Welcome, None));
    };
    Ok(match peer.admit(lane, hello.process) {
        Ok(notice) => (Verdict::Welcome, Some(((peer.clone(), notice), lane))),
        Err(verdict) => (verdict, None),
    })
}

async fn reply(stream: &mut Stream, answer: &Answer, watchdog: &mut Watchdog) -> Result<(), LinkError> {
    let mut chunks = Default::default();
    frame::lay_out(&mut vec![answer.encode().into()], &mut chunks);
    frame::write(stream, &mut chunks, watchdog).await
}

/// Hands frames on until the connection ends.
async fn receive(context: &Context, (peer, notice): Admitted, lane: Lane, mut stream: Stream) -> LinkError {
    let mut watchdog = Watchdog::new(context.dead_after());
    let cap = context.frame_cap(lane);
    loop {
        let incoming = tokio::select! {
            biased;
            () = notice.notified() => return LinkError::Replaced,
            incoming = frame::read(&mut stream, cap, peer.inbound(lane), &mut watchdog) => incoming,
        };
        let answered = match incoming {
            Ok(Incoming::Frame(body, share)) => {
                peer.received(body.len());
                context.sink.frame(Received { from: peer.index, lane, body, _share: share });
                Ok(())
            }
            Ok(Incoming::Probe) => {
                let mut chunks: std::collections::VecDeque<Bytes> = [frame::PROBE].into();
                frame::write(&mut stream, &mut chunks, &mut watchdog).await
            }
            Err(e) => Err(e),
        };
        if let Err(e) = answered {
            return e;
        }
    }
}

fn refused(context: &Context, name: &str, code: &'static str) {
    let label = PeerCodeLabel { peer: name.to_owned(), code };
    context.metrics.connections_refused.get_or_create(&label).inc();
}
