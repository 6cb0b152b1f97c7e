use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use quorate::ed25519;
use quorate::machine::Time;
use quorate::wire::{Decode, Encode};
use quorate_tls::server_name;
use tokio::io::{AsyncReadExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout};
use tokio_rustls::client::TlsStream;

use super::context::Context;
use super::error::LinkError;
use super::frame::{self, Watchdog};
use super::hello::{Answer, Hello, InstanceId, MAX_HELLO, Purpose, VERSION, Verdict};
use super::peer::Peer;
use super::types::{Lane, LinkEvent};

/// Maximum number of bytes that one round of writing takes from the queue.
const ROUND: usize = 1 << 20;
/// Maximum number of encrypted bytes that rustls buffers.
const TLS_BUFFER: usize = 256 << 10;
/// Lifetime of a connection after which the pause before the next attempt is reset.
const SUCCESS: Duration = Duration::from_secs(1);

type Stream = TlsStream<BufReader<TcpStream>>;

/// Keeps one lane to one peer connected until the links are closed.
pub(super) async fn run(context: Arc<Context>, peer: Arc<Peer>, lane: Lane) {
    let mut backoff = Backoff::new(Duration::from_millis(context.config.max_backoff_ms));
    loop {
        if !peer.is_dialled() {
            // A former member that disconnected may never return.
            tokio::select! {
                () = context.stopped() => break,
                () = peer.connected(lane) => {}
            }
        }
        let error = tokio::select! {
            () = context.stopped() => break,
            error = link(&context, &peer, lane, &mut backoff) => error,
        };
        if peer.set_outgoing(lane, false) {
            tracing::warn!(code = "LINK_LOST", peer = %peer.name, reason = error.code(), %error, "link lost");
            if !peer.is_former_member {
                context.sink.event(LinkEvent::Down(peer.index));
            }
        } else {
            tracing::debug!(peer = %peer.name, ?lane, %error, "cannot connect");
        }
        peer.note(&error);
        tokio::select! {
            () = context.stopped() => break,
            () = sleep(backoff.next()) => {}
            () = peer.connected(lane) => backoff.reset(),
        }
    }
    peer.set_outgoing(lane, false);
}

/// Connects, and sends frames until that fails.
async fn link(context: &Context, peer: &Peer, lane: Lane, backoff: &mut Backoff) -> LinkError {
    let purpose = Purpose::Lane(lane);
    let stream = match connect(context, &peer.address, &peer.key, purpose).await {
        Ok((stream, Answer { verdict: Verdict::Welcome, .. })) => stream,
        Ok((_, answer)) => return LinkError::Refused(answer.verdict),
        Err(e) => return e,
    };
    let begin = Instant::now();
    if peer.set_outgoing(lane, true) {
        tracing::info!(peer = %peer.name, "link up");
        if !peer.is_former_member {
            context.sink.event(LinkEvent::Up(peer.index));
        }
    }
    let error = send(context, peer, lane, stream).await;
    if begin.elapsed() >= SUCCESS {
        backoff.reset();
    }
    error
}

/// Sends queued frames, and probes the peer.
async fn send(context: &Context, peer: &Peer, lane: Lane, mut stream: Stream) -> LinkError {
    stream.get_mut().1.set_buffer_limit(Some(TLS_BUFFER));
    let mut watchdog = Watchdog::new(context.dead_after());
    let mut probe = interval(Duration::from_millis(context.config.keep_alive_ms));
    probe.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (mut frames, mut chunks) = (Vec::new(), VecDeque::new());
    let (mut asked, mut probed): (Option<Instant>, Option<Time>) = (None, None);
    let mut answers = BytesMut::with_capacity(64);
    loop {
        tokio::select! {
            // Answers first: an answer that arrived during a write must count before the deadline is checked.
            biased;
            read = stream.read_buf(&mut answers) => match read {
                Ok(0) => return std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into(),
                Ok(_) => loop {
                    match frame::take_probe_answer(&mut answers) {
                        Ok(Some(clock)) => {
                            asked = None;
                            if let Some(sent) = probed.take() {
                                peer.compare_clock(sent, clock, context.sink.now());
                            }
                        }
                        Ok(None) => break,
                        Err(e) => return e,
                    }
                },
                Err(e) => return e.into(),
            },
            _ = probe.tick() => match asked {
                Some(at) if at.elapsed() > context.dead_after() => {
                    return LinkError::Timeout { during: "the answer to a probe" };
                }
                Some(_) => {}
                None => {
                    (asked, probed) = (Some(Instant::now()), Some(context.sink.now()));
                    chunks.push_back(frame::PROBE);
                }
            },
            () = peer.outbox(lane).ready() => {}
        }
        loop {
            peer.outbox(lane).take(ROUND, &mut frames);
            let (count, bytes) = (frames.len() as u64, frames.iter().map(|f: &Bytes| f.len() as u64).sum());
            frame::lay_out(&mut frames, &mut chunks);
            if chunks.is_empty() {
                break;
            }
            if let Err(e) = frame::write(&mut stream, &mut chunks, &mut watchdog).await {
                return e;
            }
            peer.sent(count, bytes);
            // A peer that accepts writes is alive, and its answer may be delayed by them.
            asked = asked.map(|_| Instant::now());
        }
    }
}

async fn connect(
    context: &Context,
    address: &str,
    key: &ed25519::PublicKey,
    purpose: Purpose,
) -> Result<(Stream, Answer), LinkError> {
    let limit = Duration::from_millis(context.config.handshake_timeout_ms);
    let hello = Hello { version: VERSION, chain: context.chain, purpose, process: context.instance };
    let connected = timeout(limit, async {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let stream = BufReader::with_capacity(1 << 10, stream);
        let connector = context.tls.connector(key).map_err(LinkError::Tls)?;
        let mut stream = connector.connect(server_name().map_err(LinkError::Tls)?, stream).await?;
        let mut watchdog = Watchdog::new(limit);
        let mut chunks = VecDeque::new();
        frame::lay_out(&mut vec![hello.encode().into()], &mut chunks);
        frame::write(&mut stream, &mut chunks, &mut watchdog).await?;
        let body = frame::read_short(&mut stream, MAX_HELLO, &mut watchdog).await?;
        let answer = Answer::decode(&body, &()).map_err(LinkError::Hello)?;
        Ok((stream, answer))
    });
    connected.await.unwrap_or(Err(LinkError::Timeout { during: "the handshake" }))
}

/// Dials this node's own public address at intervals, to detect another process with this node's key.
pub(super) async fn probe_own_address(context: Arc<Context>) {
    let (own, address) = (context.instance, &context.own_address);
    loop {
        let answer = connect(&context, address, &context.own_key, Purpose::Probe);
        tokio::select! {
            () = context.stopped() => return,
            answer = answer => if let Ok((_, Answer { process, .. })) = answer {
                report_same_identity(&context, own, process, address);
            },
        }
        tokio::select! {
            () = context.stopped() => return,
            () = sleep(context.limits.probe_every) => {}
        }
    }
}

fn report_same_identity(context: &Context, own: InstanceId, found: InstanceId, address: &str) {
    if found != own {
        context.sink.event(LinkEvent::SameIdentity { address: address.to_owned() });
    }
}

/// Exponential backoff, with jitter so that peers do not dial a restarted node simultaneously.
struct Backoff {
    first: Duration,
    max: Duration,
    pause: Duration,
}

impl Backoff {
    fn new(max: Duration) -> Self {
        let first = (max / 100).max(Duration::from_millis(10));
        Self { first, max, pause: first }
    }

    fn reset(&mut self) {
        self.pause = self.first;
    }

    fn next(&mut self) -> Duration {
        let pause = self.pause;
        self.pause = (self.pause * 2).min(self.max);
        // Between half of the pause and all of it. If the random generator fails, there is no jitter.
        let random = getrandom::u32().unwrap_or(u32::MAX);
        pause / 2 + (pause / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_limit_and_reset() {
        let mut backoff = Backoff::new(Duration::from_secs(5));
        for full in [50, 100, 200, 400, 800, 1600, 3200, 5000, 5000] {
            let pause = backoff.next().as_millis();
            assert!((full / 2..=full).contains(&pause), "{pause} of {full}");
        }
        backoff.reset();
        assert!(backoff.next().as_millis() <= 50);
    }
}
