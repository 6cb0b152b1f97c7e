//! Metrics of a node, in the Prometheus text format.
//!
//! Each group registers its metrics. Components hold a group or clones of single counters, which share their values.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// All metrics of a node.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Links between validators.
    pub links: LinkMetrics,
    /// The replica and the chain.
    pub chain: ChainMetrics,
    /// The mempool.
    pub mempool: MempoolMetrics,
    /// Clients.
    pub clients: ClientMetrics,
}

/// Label: a peer.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct PeerLabel {
    /// The member's name.
    pub peer: String,
}

/// Label: a peer and an error code.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct PeerCodeLabel {
    /// The member's name, or `unknown`.
    pub peer: String,
    /// The error code.
    pub code: &'static str,
}

/// Label: an error code.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct CodeLabel {
    /// The code.
    pub code: &'static str,
}

/// Links between validators.
#[derive(Clone, Debug, Default)]
pub struct LinkMetrics {
    /// Frames sent.
    pub frames_sent: Family<PeerLabel, Counter>,
    /// Bytes sent.
    pub bytes_sent: Family<PeerLabel, Counter>,
    /// Frames received.
    pub frames_received: Family<PeerLabel, Counter>,
    /// Bytes received.
    pub bytes_received: Family<PeerLabel, Counter>,
    /// Frames dropped because the queue to the peer was full.
    pub frames_dropped: Family<PeerLabel, Counter>,
    /// Refused frames, by code.
    pub frames_refused: Family<PeerCodeLabel, Counter>,
    /// Refused connections, by code.
    pub connections_refused: Family<PeerCodeLabel, Counter>,
    /// Lost links.
    pub links_lost: Family<PeerLabel, Counter>,
    /// Established links.
    pub links_up: Gauge,
    /// Number of members that the node can send to, with itself.
    pub reachable_members: Gauge,
    /// Median of the peers' clocks minus this node's clock, in seconds.
    pub clock_difference_seconds: Gauge<f64, AtomicU64>,
}

/// The replica and the chain.
#[derive(Clone, Debug)]
pub struct ChainMetrics {
    /// Height of the newest committed block.
    pub height: Gauge,
    /// Height of the newest executed block.
    pub executed_height: Gauge,
    /// Height of the oldest block that the node has.
    pub oldest_height: Gauge,
    /// Size of the data directory in bytes.
    pub data_bytes: Gauge,
    /// Current view.
    pub view: Gauge,
    /// Views that timed out.
    pub timeouts: Counter,
    /// 1 while the node abstains from votes, because its data may be older than its last signature.
    pub abstaining: Gauge,
    /// Epochs for which the node has presignatures; -1 if its chain uses none.
    pub presigned_epochs: Gauge,
    /// Transactions committed.
    pub transactions: Counter,
    /// Bytes of transactions committed.
    pub transaction_bytes: Counter,
    /// Protocol violations, by member and code.
    pub faults: Family<PeerCodeLabel, Counter>,
    /// Messages from members in another epoch.
    pub other_epochs: Counter,
    /// Current epoch.
    pub epoch: Gauge,
    /// Seconds from the proposal of a block, on its author's clock, to its commit at this node.
    pub commit_seconds: Histogram,
    /// Duration of a durable write in seconds.
    pub persist_seconds: Histogram,
    /// Records written durably.
    pub persist_records: Counter,
    /// Size of the newest quorum certificate in bytes.
    pub certificate_bytes: Gauge,
}

/// The mempool.
#[derive(Clone, Debug, Default)]
pub struct MempoolMetrics {
    /// Accepted transactions.
    pub accepted: Counter,
    /// Refused transactions, by code.
    pub refused: Family<CodeLabel, Counter>,
    /// Sealed batches.
    pub batches: Counter,
    /// Accepted transactions that are not committed.
    pub pending_transactions: Gauge,
    /// Size of these in bytes.
    pub pending_bytes: Gauge,
}

/// Clients.
#[derive(Clone, Debug, Default)]
pub struct ClientMetrics {
    /// Open connections.
    pub connections: Gauge,
    /// Requests, by route.
    pub requests: Family<CodeLabel, Counter>,
    /// Requests answered with an error, by code.
    pub errors: Family<CodeLabel, Counter>,
}

impl Metrics {
    /// Creates all metrics with the value zero.
    pub fn new() -> Self {
        let mut registry = Registry::with_prefix("quorate");
        Self {
            links: LinkMetrics::register(&mut registry),
            chain: ChainMetrics::register(&mut registry),
            mempool: MempoolMetrics::register(&mut registry),
            clients: ClientMetrics::register(&mut registry),
            registry,
        }
    }

    /// Encodes all metrics as `application/openmetrics-text; version=1.0.0; charset=utf-8`.
    pub fn render(&self) -> String {
        let mut out = String::new();
        // Writing into a String cannot fail.
        let _ = text::encode(&mut out, &self.registry);
        out
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl LinkMetrics {
    fn register(registry: &mut Registry) -> Self {
        let m = Self::default();
        registry.register("link_frames_sent", "Frames sent to a peer", m.frames_sent.clone());
        registry.register("link_bytes_sent", "Bytes sent to a peer", m.bytes_sent.clone());
        registry.register("link_frames_received", "Frames received from a peer", m.frames_received.clone());
        registry.register("link_bytes_received", "Bytes received from a peer", m.bytes_received.clone());
        registry.register("link_frames_dropped", "Frames dropped, peer too slow", m.frames_dropped.clone());
        registry.register("link_frames_refused", "Frames refused", m.frames_refused.clone());
        registry.register("link_connections_refused", "Connections refused", m.connections_refused.clone());
        registry.register("links_lost", "Links lost", m.links_lost.clone());
        registry.register("links_up", "Established links", m.links_up.clone());
        registry.register(
            "reachable_members",
            "Members that the node can send to",
            m.reachable_members.clone(),
        );
        registry.register(
            "clock_difference_seconds",
            "Median of the peers' clocks minus this node's clock",
            m.clock_difference_seconds.clone(),
        );
        m
    }
}

impl ChainMetrics {
    fn register(registry: &mut Registry) -> Self {
        let m = Self {
            height: Gauge::default(),
            executed_height: Gauge::default(),
            oldest_height: Gauge::default(),
            data_bytes: Gauge::default(),
            view: Gauge::default(),
            timeouts: Counter::default(),
            abstaining: Gauge::default(),
            presigned_epochs: Gauge::default(),
            transactions: Counter::default(),
            transaction_bytes: Counter::default(),
            faults: Family::default(),
            other_epochs: Counter::default(),
            epoch: Gauge::default(),
            commit_seconds: Histogram::new(exponential_buckets(0.001, 1.5, 24)),
            persist_seconds: Histogram::new(exponential_buckets(0.0001, 2.0, 16)),
            persist_records: Counter::default(),
            certificate_bytes: Gauge::default(),
        };
        registry.register("height", "Height of the newest committed block", m.height.clone());
        registry.register(
            "executed_height",
            "Height of the newest executed block",
            m.executed_height.clone(),
        );
        m.oldest_height.set(1);
        registry.register("oldest_height", "Height of the oldest block", m.oldest_height.clone());
        registry.register("data_bytes", "Size of the data directory", m.data_bytes.clone());
        registry.register("view", "Current view", m.view.clone());
        registry.register("timeouts", "Views that timed out", m.timeouts.clone());
        registry.register("abstaining", "1 while the node abstains from votes", m.abstaining.clone());
        m.presigned_epochs.set(-1);
        registry.register(
            "presigned_epochs",
            "Epochs for which the node has presignatures; -1 if its chain uses none",
            m.presigned_epochs.clone(),
        );
        registry.register("transactions", "Transactions committed", m.transactions.clone());
        registry.register(
            "transaction_bytes",
            "Bytes of transactions committed",
            m.transaction_bytes.clone(),
        );
        registry.register("faults", "Protocol faults by peer", m.faults.clone());
        registry.register("other_epochs", "Messages of other epochs", m.other_epochs.clone());
        registry.register("epoch", "Current epoch", m.epoch.clone());
        registry.register(
            "commit_seconds",
            "Time from the proposal of a block to its commit",
            m.commit_seconds.clone(),
        );
        registry.register("persist_seconds", "Duration of durable writes", m.persist_seconds.clone());
        registry.register("persist_records", "Records written durably", m.persist_records.clone());
        registry.register("certificate_bytes", "Size of the newest certificate", m.certificate_bytes.clone());
        m
    }
}

impl MempoolMetrics {
    fn register(registry: &mut Registry) -> Self {
        let m = Self::default();
        registry.register("mempool_accepted", "Transactions accepted", m.accepted.clone());
        registry.register("mempool_refused", "Transactions refused", m.refused.clone());
        registry.register("mempool_batches", "Batches sealed", m.batches.clone());
        registry.register(
            "mempool_pending",
            "Transactions not yet committed",
            m.pending_transactions.clone(),
        );
        registry.register("mempool_pending_bytes", "Bytes not yet committed", m.pending_bytes.clone());
        m
    }
}

impl ClientMetrics {
    fn register(registry: &mut Registry) -> Self {
        let m = Self::default();
        registry.register("client_connections", "Open client connections", m.connections.clone());
        registry.register("client_requests", "Client requests", m.requests.clone());
        registry.register("client_errors", "Requests answered with an error", m.errors.clone());
        m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counted_values_are_rendered() {
        let metrics = Metrics::new();
        metrics.links.frames_sent.get_or_create(&PeerLabel { peer: "node2".into() }).inc_by(3);
        let text = metrics.render();
        assert!(text.contains("quorate_link_frames_sent_total{peer=\"node2\"} 3"), "{text}");
        assert!(text.ends_with("# EOF\n"));
    }
}
