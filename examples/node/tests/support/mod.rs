//! A fake node behind the client interfaces. Tests set its state: busy, failing or catching up.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use bytes::Bytes;
use quorate_node::client::Clients;
use quorate_node::config::{ClientConfig, NodeConfig};
use quorate_node::genesis::{Genesis, Member, Parameters, PublicKeys, SchemeName};
use quorate_node::handle::*;
use quorate_node::keys::NodeKeys;
use quorate_node::metrics::Metrics;
use quorate_node::snapshot::{Piece, SnapshotView};
use quorate_node::{NodeError, Result};
use tokio::sync::broadcast;

pub const MAX_TRANSACTION: usize = 1000;

/// A node without consensus: it accepts transactions, and a test commits them.
pub struct FakeNode {
    commits: Mutex<Option<broadcast::Sender<Arc<CommitEvent>>>>,
    pub repeats: broadcast::Sender<Arc<Vec<u64>>>,
    metrics: Metrics,
    pub busy: AtomicBool,
    pub broken: AtomicBool,
    pub syncing: AtomicBool,
    pub reachable: Mutex<Reachable>,
    pub accepted: AtomicU64,
    /// Number of transactions per batch.
    pub per_batch: AtomicU64,
    transactions: Mutex<HashMap<TransactionId, Bytes>>,
    committed: Mutex<HashMap<TransactionId, Bytes>>,
    height: AtomicU64,
    /// Height of the oldest block that is not pruned.
    pub oldest: AtomicU64,
}

impl FakeNode {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            commits: Mutex::new(Some(broadcast::channel(64).0)),
            repeats: broadcast::Sender::new(64),
            metrics: Metrics::new(),
            busy: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            syncing: AtomicBool::new(false),
            reachable: Mutex::new(Reachable { members: 4, of: 4, quorum: true }),
            accepted: AtomicU64::new(0),
            per_batch: AtomicU64::new(10),
            transactions: Mutex::default(),
            committed: Mutex::default(),
            height: AtomicU64::new(0),
            oldest: AtomicU64::new(1),
        })
    }

    /// Commits all accepted transactions, and reports these batches.
    pub fn commit(&self, own_batches: Vec<u64>) {
        self.committed.lock().unwrap().extend(self.transactions.lock().unwrap().drain());
        let height = self.height.fetch_add(1, Ordering::Relaxed) + 1;
        let event = CommitEvent {
            height,
            view: height + 1,
            digest: Digest([height as u8; 32]),
            author: Some(2),
            transactions: 1,
            bytes: 10,
            state_root: Digest([9; 32]),
            own_batches,
            certificate_bytes: 100,
            timestamp: 5,
        };
        let _ = self.commits.lock().unwrap().as_ref().unwrap().send(Arc::new(event));
    }

    pub fn accepted(&self) -> u64 {
        self.accepted.load(Ordering::Relaxed)
    }

    fn accept(&self, transaction: Bytes) -> Result<Ticket, Refusal> {
        let id = transaction_id(&transaction);
        if transaction.is_empty() {
            return Err(Refusal::Empty);
        }
        if transaction.len() > MAX_TRANSACTION {
            return Err(Refusal::TooLarge { limit: MAX_TRANSACTION });
        }
        if transaction.starts_with(b"bad") {
            return Err(Refusal::Rejected { reason: "the transaction begins with `bad`".into() });
        }
        if self.busy.load(Ordering::Relaxed) {
            return Err(Refusal::Busy { retry_after: Duration::from_millis(5) });
        }
        let place = self.accepted.fetch_add(1, Ordering::Relaxed);
        self.transactions.lock().unwrap().insert(id, transaction);
        let per_batch = self.per_batch.load(Ordering::Relaxed);
        Ok(Ticket { id, batch_sequence: place / per_batch, position: (place % per_batch) as u32 })
    }

    fn check_height(&self, height: u64) -> Result<()> {
        self.fail()?;
        let oldest = self.oldest.load(Ordering::Relaxed);
        if height.max(1) < oldest { Err(NodeError::Pruned { height, oldest }) } else { Ok(()) }
    }

    fn fail(&self) -> Result<()> {
        match self.broken.load(Ordering::Relaxed) {
            true => Err(NodeError::store("reading", "the disk's secret name")),
            false => Ok(()),
        }
    }
}

pub fn transaction_id(transaction: &[u8]) -> TransactionId {
    Digest(*blake3::hash(transaction).as_bytes())
}

impl Service for FakeNode {
    fn submit_many(&self, transactions: Vec<Bytes>) -> Vec<Result<Ticket, Refusal>> {
        transactions.into_iter().map(|transaction| self.accept(transaction)).collect()
    }

    fn commits(&self) -> broadcast::Receiver<Arc<CommitEvent>> {
        self.commits.lock().unwrap().as_ref().unwrap().subscribe()
    }

    fn repeats(&self) -> broadcast::Receiver<Arc<Vec<u64>>> {
        self.repeats.subscribe()
    }

    fn status(&self) -> Status {
        Status {
            version: "test",
            chain: "test".into(),
            chain_id: Digest([1; 32]),
            protocol: "jolteon",
            scheme: "bls",
            me: Some(1),
            name: "node1".into(),
            epoch: 0,
            view: 7,
            leader: Some(3),
            height: self.height.load(Ordering::Relaxed),
            executed_height: 0,
            oldest_height: self.oldest.load(Ordering::Relaxed),
            state_root: Digest([2; 32]),
            certificate_bytes: 100,
            committed_transactions: 0,
            pending_transactions: 0,
            pending_bytes: 0,
            timeouts: 0,
            syncing: self.syncing.load(Ordering::Relaxed),
            missing_history: None,
            abstention: None,
            presigned_epochs: None,
            congested: false,
            stopping: false,
            failure: None,
            uptime_ms: 1,
            clock_difference_ms: None,
            reachable: *self.reachable.lock().unwrap(),
            peers: Vec::new(),
        }
    }

    fn validators(&self) -> Vec<ValidatorView> {
        Vec::new()
    }

    fn epochs(&self, from: u64) -> Result<Vec<EpochView>> {
        self.fail()?;
        let view = |epoch: u64| {
            let shown = (epoch > 0).then(|| Bytes::from_static(b"b"));
            let (finality, payload) = (shown.clone(), shown.clone());
            let (first_height, members) = (1 + 10 * epoch, Vec::new());
            EpochView { epoch, first_height, members, block: shown, finality, payload }
        };
        Ok((from..3).map(view).collect())
    }

    fn snapshot(&self) -> Result<Piece<SnapshotView>> {
        self.fail()?;
        let view =
            SnapshotView { height: 20, state_root: Digest([3; 32]), first_block: 5, parts: 2, head_bytes: 4 };
        Ok(match self.height.load(Ordering::Relaxed) {
            0 => Piece::Missing,
            1 => Piece::Preparing,
            _ => Piece::Found(view),
        })
    }

    fn snapshot_head(&self, height: u64) -> Result<Piece> {
        Ok(if height == 20 { Piece::Found(Bytes::from_static(b"head")) } else { Piece::Gone })
    }

    fn snapshot_block(&self, height: u64, block: u64) -> Result<Piece> {
        Ok(if (height, block) == (20, 5) {
            Piece::Found(Bytes::from_static(b"block"))
        } else {
            Piece::Missing
        })
    }

    fn snapshot_part(&self, height: u64, part: u32) -> Result<Piece> {
        Ok(if (height, part) == (20, 1) {
            Piece::Found(Bytes::from_static(b"\0part"))
        } else {
            Piece::Missing
        })
    }

    fn commit(&self, height: u64) -> Result<Option<CommitView>> {
        self.check_height(height)?;
        let part = Bytes::from_static(b"b");
        let view = CommitView { height, block: part.clone(), finality: part };
        Ok(Some(view).filter(|_| (1..=self.height.load(Ordering::Relaxed)).contains(&height)))
    }

    fn block(&self, height: u64) -> Result<Option<BlockView>> {
        self.check_height(height)?;
        let view = BlockView {
            height,
            epoch: 0,
            view: height + 1,
            digest: Digest([height as u8; 32]),
            parent: Digest([0; 32]),
            author: Some(2),
            timestamp: 5,
            batches: Vec::new(),
            transactions: 3,
            bytes: 30,
            executed_height: 0,
            executed_root: Digest([2; 32]),
            certificate: Bytes::from_static(b"c"),
            signers: vec![0, 1, 3],
        };
        Ok((1..=self.height.load(Ordering::Relaxed)).contains(&height).then_some(view))
    }

    fn transaction(&self, id: TransactionId) -> Result<Option<TransactionView>> {
        self.check_height(1)?;
        Ok(self.committed.lock().unwrap().get(&id).map(|transaction| TransactionView {
            id,
            transaction: transaction.clone(),
            height: 1,
            block: Digest([1; 32]),
            batch: Digest([2; 32]),
            position: 0,
            proof: Bytes::from_static(b"p"),
        }))
    }

    fn query(&self, key: &[u8]) -> Result<Option<Answer>> {
        self.fail()?;
        if key.is_empty() {
            return Ok(None);
        }
        let value = (key != b"nothing").then(|| Bytes::copy_from_slice(key));
        let proof = Some(Bytes::from_static(b"p"));
        let state_root = Digest([2; 32]);
        Ok(Some(Answer { value, height: 1, state_root, application_proof: Bytes::new(), proof }))
    }

    fn metrics(&self) -> &Metrics {
        &self.metrics
    }
}

pub fn config() -> NodeConfig {
    let any = "127.0.0.1:0".to_owned();
    let clients = ClientConfig { http: any.clone(), stream: any, max_connections: 8, max_body_bytes: 10_000 };
    NodeConfig { clients, ..NodeConfig::new("", "", "") }
}

pub fn genesis() -> Genesis {
    static KEYS: LazyLock<PublicKeys> =
        LazyLock::new(|| NodeKeys::generate(SchemeName::Ed25519).unwrap().public().unwrap());
    let member =
        Member { name: "node1".into(), address: "127.0.0.1:1".into(), weight: 1, keys: KEYS.clone() };
    let parameters = Parameters { max_transaction_bytes: MAX_TRANSACTION as u32, ..Parameters::default() };
    Genesis { parameters, ..Genesis::new("test", SchemeName::Ed25519, vec![member]) }
}

pub async fn start(fake_node: &Arc<FakeNode>) -> Clients {
    Clients::start(&config(), Handle::new(fake_node.clone()), &genesis()).await.unwrap()
}
