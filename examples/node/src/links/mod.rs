//! Authenticated links between validators.
//!
//! # Shape
//!
//! Each member dials each other member twice: one connection is the *urgent* lane (consensus messages, small), one
//! the *bulk* lane (batches and history). A connection carries frames in one direction, from the dialer to the
//! acceptor; nothing but answers to probes flows back. So a small message never waits behind half a megabyte, not
//! even in the kernel's buffers, and each node alone decides about its outgoing connections.
//!
//! ```text
//!   member 0 ── urgent ──► member 1        member 1 ── urgent ──► member 0
//!            ── bulk ────►                          ── bulk ────►
//! ```
//!
//! A connection that cannot be made is tried again after a pause that doubles, with jitter; when the member itself
//! connects meanwhile, at once.
//!
//! # Who is there
//!
//! TLS 1.3 alone, with raw public keys (RFC 7250) instead of certificates. The dialer accepts exactly the identity
//! key of the member it wants; the acceptor exactly the keys of members. Both prove possession in the handshake.
//! Inside TLS the dialer says [`hello`]: chain, protocol version, which lane, and a random number of its process; the
//! acceptor answers with a verdict. Two processes with one key are found by that
//! number: by peers, who see an older process come back after a newer one, and by the twins themselves, for each
//! node also dials its own public address now and then.
//!
//! Links last as long as an epoch: with the next one come other members, or the same ones with other indices. The
//! [`LinkListener`], where connections come in, outlasts them. Who was a member once and is none any more is a *former_member*: it may
//! ask, and is dialled when it has come and as long as it is there. So a member that is behind learns that it has left.
//! Guests have the indices behind the members'.
//!
//! # Frames
//!
//! `length u32` (little endian), then so many bytes; at most [`Limits::urgent_frame`] or [`Limits::bulk_frame`].
//! Length 0 is a probe, which the acceptor answers in kind. A longer frame ends the connection.
//!
//! # What is bounded
//!
//! | what | bound | when full |
//! |---|---|---|
//! | urgent frames waiting for a peer | `links.urgent_queue_frames` | the oldest is dropped: the newest message of a view replaces what came before |
//! | bulk bytes waiting for a peer | `links.bulk_queue_bytes`, a sixteenth while the peer is away | the oldest is dropped: the peer asks for what it misses |
//! | bytes received from a peer and not yet handled | [`Limits::inbound_urgent`], [`Limits::inbound_bulk`] | that peer's connection is not read from, TCP pushes back |
//! | connections that have not proved who they are | `links.max_unauthenticated`, a quarter of them for one host | new ones are closed |
//! | time for proving it | `links.handshake_timeout_ms` | closed |
//! | time without a frame or probe, or in one stuck write | `links.dead_after_ms` | closed, dialled again |
//! | frames of a peer that no honest member sends | 64 at once, one a second | closed, and refused for a second; 32 at once from then on |
//!
//! Nothing here waits for a particular peer, so a slow or hostile one costs the others nothing but its own share
//! of memory.

mod accept;
mod dial;
mod error;
mod frame;
mod handshake_limiter;
pub mod hello;
mod listener;
mod peer;
mod queue;
pub mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use quorate::committee::{ChainId, Committee};
use quorate::ed25519::{self, Ed25519};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio::task::JoinSet;

pub use error::LinkError;
use hello::InstanceId;
pub use listener::LinkListener;
use peer::{Peer, PeerInfo};

use crate::Result;
use crate::config::LinkConfig;
use crate::handle::PeerStatus;
use crate::metrics::LinkMetrics;

/// What is spoken inside TLS.
const PROTOCOL: &[u8] = b"quorate-link/1";

/// Which connection a frame travels on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Consensus messages.
    Urgent,
    /// Batches and history.
    Bulk,
}

impl Lane {
    /// Both.
    pub const ALL: [Lane; 2] = [Lane::Urgent, Lane::Bulk];
}

/// Bounds that are no operator's business.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest frame on the urgent lane.
    pub urgent_frame: usize,
    /// Longest frame on the bulk lane.
    pub bulk_frame: usize,
    /// Most bytes from one peer's urgent lane that wait for the receiver.
    pub inbound_urgent: usize,
    /// Most bytes from one peer's bulk lane that wait for the receiver.
    pub inbound_bulk: usize,
    /// How often the node looks for a twin at its own public address.
    pub probe_every: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            urgent_frame: 8 << 20,
            bulk_frame: 16 << 20,
            inbound_urgent: 8 << 20,
            inbound_bulk: 32 << 20,
            probe_every: Duration::from_secs(30),
        }
    }
}

/// What links are made of.
pub struct Settings {
    /// The operator's part.
    pub config: LinkConfig,
    /// The rest.
    pub limits: Limits,
    /// The chain.
    pub chain: ChainId,
    /// This node's place; `None` if it is no member.
    pub me: Option<MemberIndex>,
    /// This node's identity key.
    pub identity: ed25519::SecretKey,
    /// Identity keys of all members.
    pub identities: Arc<Committee<Ed25519>>,
    /// Names and addresses of all members, in order.
    pub members: Vec<(String, String)>,
    /// Who was a member once and is none any more.
    pub former_members: Vec<FormerMember>,
    /// What is counted.
    pub metrics: LinkMetrics,
}

/// Who was a member once.
#[derive(Clone, Debug)]
pub struct FormerMember {
    /// Its identity key.
    pub identity: ed25519::PublicKey,
    /// Its name.
    pub name: String,
    /// Where it accepted links.
    pub address: String,
}

/// Where frames go that come in. Called from the links' tasks: it must not block.
pub trait Sink: Send + Sync + 'static {
    /// A frame came in.
    fn frame(&self, received: Received);
    /// Something happened to a link.
    fn event(&self, event: LinkEvent);
}

/// A frame that came in. Its share of the peer's inbound bound is free again when this is dropped.
#[derive(Debug)]
pub struct Received {
    /// Who sent it.
    pub from: MemberIndex,
    /// On which lane.
    pub lane: Lane,
    /// What.
    pub body: Bytes,
    _share: OwnedSemaphorePermit,
}

#[cfg(test)]
impl Received {
    pub(crate) fn for_test(from: MemberIndex, lane: Lane, body: &[u8]) -> Self {
        let share = Arc::new(tokio::sync::Semaphore::new(1)).try_acquire_owned().unwrap();
        Self { from, lane, body: Bytes::copy_from_slice(body), _share: share }
    }
}

/// Something happened to a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkEvent {
    /// Frames to the member flow (again).
    Up(MemberIndex),
    /// Frames to the member do not flow any more.
    Down(MemberIndex),
    /// Another process holds this node's identity key: it proved so to this node.
    SameIdentity {
        /// Where it was seen.
        address: String,
    },
}

/// All links of a node.
pub struct Links {
    context: Arc<Context>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

/// The sending side, cheap to clone.
#[derive(Clone)]
pub struct LinkSender {
    context: Arc<Context>,
}

/// What all tasks share.
struct Context {
    config: LinkConfig,
    limits: Limits,
    chain: ChainId,
    instance: InstanceId,
    own_key: ed25519::PublicKey,
    own_address: String,
    tls: tls::Tls,
    /// By index; `None` at this node's own place. First the members, then former_members.
    peers: Vec<Option<Arc<Peer>>>,
    members: usize,
    metrics: LinkMetrics,
    sink: Arc<dyn Sink>,
    stop: watch::Receiver<bool>,
}

impl Links {
    /// Listens, and dials everybody. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// As [`LinkListener::open`], and [`NodeError::Tls`](crate::NodeError::Tls).
    pub async fn start(settings: Settings, sink: Arc<dyn Sink>) -> Result<Self> {
        let own = settings.me.and_then(|me| settings.members.get(usize::from(me)));
        let listener = LinkListener::open(&settings.config, own.map(|(_, address)| &**address)).await?;
        Self::behind(&listener, settings, sink)
    }

    /// Accepts what comes to the listener, and dials everybody. Must be called inside a tokio runtime, and not while other
    /// links stand behind the same listener.
    ///
    /// # Errors
    /// [`NodeError::Tls`](crate::NodeError::Tls).
    pub fn behind(listener: &LinkListener, settings: Settings, sink: Arc<dyn Sink>) -> Result<Self> {
        let address = listener.address;
        let (stop, stopped) = watch::channel(false);
        let context = Arc::new(Context::new(settings, listener.instance, sink, stopped)?);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept::run(context.clone(), listener.listener.clone()));
        if !context.own_address.is_empty() {
            tasks.spawn(dial::look_for_twin(context.clone()));
        }
        for peer in context.peers.iter().flatten() {
            for lane in Lane::ALL {
                tasks.spawn(dial::run(context.clone(), peer.clone(), lane));
            }
        }
        Ok(Self { context, address, stop, tasks })
    }

    /// Where links are accepted.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The sending side.
    pub fn sender(&self) -> LinkSender {
        LinkSender { context: self.context.clone() }
    }

    /// Closes everything.
    pub async fn shutdown(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

impl LinkSender {
    /// Queues a frame for one member; never blocks. What does not fit pushes out what is oldest.
    pub fn send(&self, to: MemberIndex, lane: Lane, body: Bytes) {
        if let Some(peer) = self.context.peer(to) {
            peer.enqueue(lane, body);
        }
    }

    /// Queues a frame for every other member; the bytes are shared.
    pub fn broadcast(&self, lane: Lane, body: &Bytes) {
        for peer in self.context.members() {
            peer.enqueue(lane, body.clone());
        }
    }

    /// Counts a frame from a member that could not be read. Too many end its connections for a while.
    pub fn refuse(&self, from: MemberIndex, code: &'static str) {
        if let Some(peer) = self.context.peer(from) {
            peer.refuse(code);
        }
    }

    /// Holds a frame against a member that could be read, but that no honest member sends. Too many end its
    /// connections for a while.
    pub fn strike(&self, member: MemberIndex, code: &'static str) {
        if let Some(peer) = self.context.peer(member) {
            peer.strike(code);
        }
    }

    /// Whether a member's connections were closed a moment ago for what it sent.
    pub fn is_shut_out(&self, member: MemberIndex) -> bool {
        self.context.peer(member).is_some_and(|peer| peer.is_shut_out())
    }

    /// Counts a fault of protocol of a member.
    pub fn fault(&self, of: MemberIndex) {
        if let Some(peer) = self.context.peer(of) {
            peer.count_fault();
        }
    }

    /// The links with all other members, in order.
    pub fn status(&self) -> Vec<PeerStatus> {
        self.context.members().map(|p| p.status()).collect()
    }
}

impl Context {
    fn new(
        settings: Settings,
        instance: InstanceId,
        sink: Arc<dyn Sink>,
        stop: watch::Receiver<bool>,
    ) -> Result<Self> {
        let Settings { config, limits, chain, me, identity, identities, members, former_members, metrics } =
            settings;
        let own_key = Ed25519::public_key(&identity);
        let count = members.len();
        let members = members.into_iter().zip(identities.keys());
        let members = members.map(|((name, address), key)| (name, address, key.clone(), false));
        let former_members = former_members.into_iter().map(|g| (g.name, g.address, g.identity, true));
        let former_members = former_members.filter(|(_, _, key, _)| *key != own_key);
        let all: Vec<_> = (0..=MemberIndex::MAX).zip(members.chain(former_members)).collect();
        let keys = all.iter().map(|(index, (_, _, key, _))| (*index, key));
        let tls = tls::Tls::accepting(identity, keys, PROTOCOL)?;
        let mut peers = Vec::with_capacity(all.len());
        let mut own_address = String::new();
        for (index, (name, address, key, is_former_member)) in all {
            let address = config.addresses.get(&name).cloned().unwrap_or(address);
            if Some(index) == me {
                own_address = address;
                peers.push(None);
            } else {
                let who = PeerInfo { index, name, address, key, is_former_member };
                let peer = Peer::new(who, &config, &limits, &metrics);
                peers.push(Some(Arc::new(peer)));
            }
        }
        Ok(Self {
            config,
            limits,
            chain,
            instance,
            own_key,
            own_address,
            tls,
            peers,
            members: count,
            metrics,
            sink,
            stop,
        })
    }

    /// The other members.
    fn members(&self) -> impl Iterator<Item = &Arc<Peer>> {
        self.peers.iter().take(self.members).flatten()
    }

    fn peer(&self, index: MemberIndex) -> Option<&Arc<Peer>> {
        self.peers.get(usize::from(index)).and_then(Option::as_ref)
    }

    fn frame_cap(&self, lane: Lane) -> usize {
        match lane {
            Lane::Urgent => self.limits.urgent_frame,
            Lane::Bulk => self.limits.bulk_frame,
        }
    }

    fn dead_after(&self) -> Duration {
        Duration::from_millis(self.config.dead_after_ms)
    }

    /// Completes when the links are to close.
    async fn stopped(&self) {
        // An error means that the owner is gone, which is a stop as well.
        let _ = self.stop.clone().wait_for(|stop| *stop).await;
    }
}
