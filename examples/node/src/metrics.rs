//! What a node counts, in the Prometheus text format.
//!
//! Each group registers itself; whoever counts holds the group (or a clone of a single counter: they are shared).

use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

/// Everything a node counts.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Links between validators.
    pub links: LinkMetrics,
    /// The state machine and the chain.
    pub chain: ChainMetrics,
    /// Transactions on their way in.
    pub mempool: MempoolMetrics,
    /// What clients do.
    pub clients: ClientMetrics,
}

/// A peer, by its name in the genesis.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct PeerLabel {
    /// The member's name.
    pub peer: String,
}

/// A peer and the code of an error.
#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
pub struct PeerCodeLabel {
    /// The member's name, or `unknown`.
    pub peer: String,
    /// The error's code.
    pub code: &'static str,
}

/// The code of an error or of a refusal.
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
    /// Frames dropped because the peer did not keep up.
    pub frames_dropped: Family<PeerLabel, Counter>,
    /// Frames refused, by what was wrong with them.
    pub frames_refused: Family<PeerCodeLabel, Counter>,
    /// Connections refused, by why.
    pub connections_refused: Family<PeerCodeLabel, Counter>,
    /// Times a link was lost.
    pub links_lost: Family<PeerLabel, Counter>,
    /// Links that stand.
    pub links_up: Gauge,
}

/// The state machine and the chain.
#[derive(Clone, Debug)]
pub struct ChainMetrics {
    /// Height of the newest committed block.
    pub height: Gauge,
    /// Height of the newest executed block.
    pub executed_height: Gauge,
    /// The view the node is in.
    pub view: Gauge,
    /// Views given up.
    pub timeouts: Counter,
    /// Transactions committed.
    pub transactions: Counter,
    /// Bytes of transactions committed.
    pub transaction_bytes: Counter,
    /// Faults of protocol, by the member at fault and the kind.
    pub faults: Family<PeerCodeLabel, Counter>,
    /// Messages of members who are in another epoch.
    pub other_epochs: Counter,
    /// The epoch the node is in.
    pub epoch: Gauge,
    /// Seconds from the making of a block to its commit here, by its author's clock.
    pub commit_seconds: Histogram,
    /// Seconds a durable write took.
    pub persist_seconds: Histogram,
    /// Records in a durable write.
    pub persist_records: Counter,
    /// Size of the newest quorum certificate in bytes.
    pub certificate_bytes: Gauge,
}

/// Transactions on their way in.
#[derive(Clone, Debug, Default)]
pub struct MempoolMetrics {
    /// Transactions taken.
    pub accepted: Counter,
    /// Transactions refused, by why.
    pub refused: Family<CodeLabel, Counter>,
    /// Batches sealed.
    pub batches: Counter,
    /// Transactions taken and not yet committed.
    pub pending_transactions: Gauge,
    /// Their bytes.
    pub pending_bytes: Gauge,
}

/// What clients do.
#[derive(Clone, Debug, Default)]
pub struct ClientMetrics {
    /// Connections that stand.
    pub connections: Gauge,
    /// Requests, by route.
    pub requests: Family<CodeLabel, Counter>,
    /// Requests answered with an error, by its code.
    pub errors: Family<CodeLabel, Counter>,
}

impl Metrics {
    /// All counters at zero.
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

    /// All of it as `application/openmetrics-text; version=1.0.0; charset=utf-8`.
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
        registry.register("links_up", "Links that stand", m.links_up.clone());
        m
    }
}

impl ChainMetrics {
    fn register(registry: &mut Registry) -> Self {
        let m = Self {
            height: Gauge::default(),
            executed_height: Gauge::default(),
            view: Gauge::default(),
            timeouts: Counter::default(),
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
        registry.register("view", "Current view", m.view.clone());
        registry.register("timeouts", "Views given up", m.timeouts.clone());
        registry.register("transactions", "Transactions committed", m.transactions.clone());
        registry.register(
            "transaction_bytes",
            "Bytes of transactions committed",
            m.transaction_bytes.clone(),
        );
        registry.register("faults", "Faults of protocol", m.faults.clone());
        registry.register("other_epochs", "Messages of other epochs", m.other_epochs.clone());
        registry.register("epoch", "Current epoch", m.epoch.clone());
        registry.register("commit_seconds", "From making a block to its commit", m.commit_seconds.clone());
        registry.register("persist_seconds", "Duration of durable writes", m.persist_seconds.clone());
        registry.register("persist_records", "Records written durably", m.persist_records.clone());
        registry.register("certificate_bytes", "Size of the newest certificate", m.certificate_bytes.clone());
        m
    }
}

impl MempoolMetrics {
    fn register(registry: &mut Registry) -> Self {
        let m = Self::default();
        registry.register("mempool_accepted", "Transactions taken", m.accepted.clone());
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
        registry.register("client_connections", "Connections of clients", m.connections.clone());
        registry.register("client_requests", "Requests of clients", m.requests.clone());
        registry.register("client_errors", "Requests answered with an error", m.errors.clone());
        m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_counted_is_rendered() {
        let metrics = Metrics::new();
        metrics.links.frames_sent.get_or_create(&PeerLabel { peer: "node2".into() }).inc_by(3);
        let text = metrics.render();
        assert!(text.contains("quorate_link_frames_sent_total{peer=\"node2\"} 3"), "{text}");
        assert!(text.ends_with("# EOF\n"));
    }
}
