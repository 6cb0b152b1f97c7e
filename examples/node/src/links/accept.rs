use std::collections::VecDeque;
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

use super::context::Context;
use super::error::LinkError;
use super::frame::{self, Incoming, Watchdog};
use super::handshake_limiter::{HandshakeLimiter, HandshakePermit};
use super::hello::{self, Answer, Hello, MAX_HELLO, Purpose, VERSION, Verdict};
use super::peer::Peer;
use super::types::{Lane, LinkEvent, Received};
use crate::metrics::PeerCodeLabel;

/// Size of a read from the kernel, in bytes.
pub(super) const READ_BUFFER: usize = 128 << 10;

type Stream = TlsStream<BufReader<TcpStream>>;

/// Accepts connections until the links are closed.
pub(super) async fn run(context: Arc<Context>, listener: Arc<TcpListener>) {
    let limiter = HandshakeLimiter::new(context.config.max_unauthenticated);
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = context.stopped() => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, from)) => {
                let permit = limiter.admit(from.ip());
                connections.spawn(serve(context.clone(), stream, from, permit));
            }
            Err(e) => {
                // Most likely no file descriptors are left: wait until some are closed.
                tracing::warn!(code = "LINK_NOT_ACCEPTED", error = %e, "cannot accept a link");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    connections.shutdown().await;
}

async fn serve(context: Arc<Context>, stream: TcpStream, from: SocketAddr, mut permit: HandshakePermit) {
    let limit = Duration::from_millis(context.config.handshake_timeout_ms);
    let authenticated = tokio::select! {
        authenticated = timeout(limit, authenticate(&context, stream, from)) => authenticated,
        () = permit.withdrawn() => Ok(Err((None, LinkError::TooMany))),
    };
    drop(permit);
    let (peer, error) =
        match authenticated.unwrap_or(Err((None, LinkError::Timeout { during: "the handshake" }))) {
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
    context.refusal_log.warn(name, from, &error);
    refused(&context, name, error.code());
    if let Some(peer) = peer {
        peer.note(&error);
    }
}

/// A peer, and the notice that fires when a newer connection replaces this one.
type Admitted = (Arc<Peer>, Arc<tokio::sync::Notify>);
type Authenticated = Option<(Admitted, Lane, Stream)>;

/// Runs the TLS handshake and the hello exchange. `None` for a probe, which needs no further service.
async fn authenticate(
    context: &Context,
    stream: TcpStream,
    from: SocketAddr,
) -> Result<Authenticated, (Option<Arc<Peer>>, LinkError)> {
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
    let (verdict, admitted) = decide(context, peer.as_ref(), &body, from).map_err(named)?;
    let answer = Answer { version: VERSION, verdict, process: context.instance };
    reply(&mut stream, &answer, &mut watchdog).await.map_err(named)?;
    match admitted {
        Some((peer, lane)) => Ok(Some((peer, lane, stream))),
        None if verdict == Verdict::Welcome => Ok(None),
        None => {
            // Lets the peer read the answer before the connection is reset.
            let _ = stream.shutdown().await;
            Err(named(LinkError::Refuses(verdict)))
        }
    }
}

/// Decides about a connection from its hello.
fn decide(
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
        // The dialer proved this node's own key: it is this process, probing its address, or a second process.
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

/// Passes frames to the sink until the connection ends.
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
                let mut chunks: VecDeque<Bytes> = [frame::probe_answer(context.sink.now())].into();
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
