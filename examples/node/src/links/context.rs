//! State that all tasks of the links share.

use std::sync::Arc;
use std::time::Duration;

use quorate::committee::ChainId;
use quorate::ed25519::{self, Ed25519};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate_tls::Tls;
use tokio::sync::watch;

use super::hello::InstanceId;
use super::peer::{Peer, PeerInfo};
use super::refusal_log::RefusalLog;
use super::types::{Lane, Limits, Settings, Sink};
use crate::Result;
use crate::config::LinkConfig;
use crate::metrics::LinkMetrics;

/// Protocol inside TLS (ALPN).
pub(super) const PROTOCOL: &[u8] = b"quorate-link/1";

/// State that all tasks of the links share.
pub(super) struct Context {
    pub(super) config: LinkConfig,
    pub(super) limits: Limits,
    pub(super) chain: ChainId,
    pub(super) instance: InstanceId,
    pub(super) own_key: ed25519::PublicKey,
    pub(super) own_address: String,
    pub(super) tls: Tls,
    /// By index: the members, then the former members; `None` at the index of this node.
    pub(super) peers: Vec<Option<Arc<Peer>>>,
    pub(super) members: usize,
    pub(super) metrics: LinkMetrics,
    pub(super) refusal_log: RefusalLog,
    pub(super) sink: Arc<dyn Sink>,
    pub(super) stop: watch::Receiver<bool>,
}

impl Context {
    pub(super) fn new(
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
        let tls = Tls::accepting(identity, keys, PROTOCOL)?;
        let mut peers = Vec::with_capacity(all.len());
        let mut own_address = String::new();
        for (index, (name, address, key, is_former_member)) in all {
            let address = config.addresses.get(&name).cloned().unwrap_or(address);
            if Some(index) == me {
                own_address = address;
                peers.push(None);
            } else {
                let info = PeerInfo { index, name, address, key, is_former_member };
                let peer = Peer::new(info, &config, &limits, &metrics);
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
            refusal_log: RefusalLog::default(),
            sink,
            stop,
        })
    }

    /// Peers that are members.
    pub(super) fn members(&self) -> impl Iterator<Item = &Arc<Peer>> {
        self.peers.iter().take(self.members).flatten()
    }

    pub(super) fn peer(&self, index: MemberIndex) -> Option<&Arc<Peer>> {
        self.peers.get(usize::from(index)).and_then(Option::as_ref)
    }

    pub(super) fn frame_cap(&self, lane: Lane) -> usize {
        match lane {
            Lane::Urgent => self.limits.urgent_frame,
            Lane::Bulk => self.limits.bulk_frame,
        }
    }

    pub(super) fn dead_after(&self) -> Duration {
        Duration::from_millis(self.config.dead_after_ms)
    }

    /// Completes when the links shut down.
    pub(super) async fn stopped(&self) {
        // An error means that the owner was dropped, which also stops the links.
        let _ = self.stop.clone().wait_for(|stop| *stop).await;
    }
}
