//! The links of a node: starts the tasks that accept and dial connections.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use quorate::machine::MemberIndex;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::context::Context;
use super::listener::LinkListener;
use super::types::{Lane, Settings, Sink};
use super::{accept, dial};
use crate::Result;
use crate::handle::PeerStatus;

/// The links of a node with all of its peers.
pub struct Links {
    context: Arc<Context>,
    address: SocketAddr,
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

/// Sending half of [`Links`]. Cheap to clone.
#[derive(Clone)]
pub struct LinkSender {
    context: Arc<Context>,
}

impl Links {
    /// Starts to listen and to dial all peers. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// As [`LinkListener::open`], and [`NodeError::Tls`](crate::NodeError::Tls).
    pub async fn start(settings: Settings, sink: Arc<dyn Sink>) -> Result<Self> {
        let own = settings.me.and_then(|me| settings.members.get(usize::from(me)));
        let listener = LinkListener::open(&settings.config, own.map(|(_, address)| &**address)).await?;
        Self::with_listener(&listener, settings, sink)
    }

    /// Starts to accept connections of `listener` and to dial all peers. Must be called inside a tokio runtime. Only one
    /// set of links at a time may use a listener.
    ///
    /// # Errors
    /// [`NodeError::Tls`](crate::NodeError::Tls).
    pub fn with_listener(listener: &LinkListener, settings: Settings, sink: Arc<dyn Sink>) -> Result<Self> {
        let address = listener.address;
        let (stop, stopped) = watch::channel(false);
        let context = Arc::new(Context::new(settings, listener.instance, sink, stopped)?);
        let mut tasks = JoinSet::new();
        tasks.spawn(accept::run(context.clone(), listener.listener.clone()));
        if !context.own_address.is_empty() {
            tasks.spawn(dial::probe_own_address(context.clone()));
        }
        for peer in context.peers.iter().flatten() {
            for lane in Lane::ALL {
                tasks.spawn(dial::run(context.clone(), peer.clone(), lane));
            }
        }
        Ok(Self { context, address, stop, tasks })
    }

    /// Address that accepts links.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the sending half.
    pub fn sender(&self) -> LinkSender {
        LinkSender { context: self.context.clone() }
    }

    /// Closes all connections and waits for their tasks.
    pub async fn shutdown(mut self) {
        self.stop.send_replace(true);
        while self.tasks.join_next().await.is_some() {}
    }
}

impl LinkSender {
    /// Queues a frame for one member. Never blocks: a full queue drops its oldest frames.
    pub fn send(&self, to: MemberIndex, lane: Lane, body: Bytes) {
        if let Some(peer) = self.context.peer(to) {
            peer.enqueue(lane, body);
        }
    }

    /// Queues a frame for every other member. The members share the bytes.
    pub fn broadcast(&self, lane: Lane, body: &Bytes) {
        for peer in self.context.members() {
            peer.enqueue(lane, body.clone());
        }
    }

    /// Counts a frame from a member that cannot be decoded. Too many such frames disconnect the member for a while.
    pub fn refuse(&self, from: MemberIndex, code: &'static str) {
        if let Some(peer) = self.context.peer(from) {
            peer.refuse(code);
        }
    }

    /// Counts a valid frame that no honest member sends. Too many such frames disconnect the member for a while.
    pub fn strike(&self, member: MemberIndex, code: &'static str) {
        if let Some(peer) = self.context.peer(member) {
            peer.strike(code);
        }
    }

    /// Returns true if a member was disconnected a moment ago for the frames that it sent.
    pub fn is_expelled(&self, member: MemberIndex) -> bool {
        self.context.peer(member).is_some_and(|peer| peer.is_expelled())
    }

    /// Counts a protocol violation by a member.
    pub fn fault(&self, member: MemberIndex) {
        if let Some(peer) = self.context.peer(member) {
            peer.count_fault();
        }
    }

    /// Status of the links with all other members, in order.
    pub fn status(&self) -> Vec<PeerStatus> {
        self.context.members().map(|p| p.status()).collect()
    }
}
