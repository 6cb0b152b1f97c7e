//! Validators of a network in one process, with the blocks that each has committed.
#![allow(dead_code, reason = "each test uses a part of it")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use quorate_node::handle::{CommitEvent, Digest, Refusal, Ticket};
use quorate_node::runtime::{Node, Starting};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::TryRecvError;

/// A validator and the blocks that it has committed.
pub(crate) struct Member {
    pub(crate) node: Node,
    commits: Receiver<Arc<CommitEvent>>,
    pub(crate) chain: BTreeMap<u64, Arc<CommitEvent>>,
}

impl Member {
    /// Waits until the node has started.
    pub(crate) async fn start(node: Starting) -> Self {
        Self::new(node.await.unwrap())
    }

    pub(crate) fn new(node: Node) -> Self {
        let commits = node.handle().commits();
        Self { node, commits, chain: BTreeMap::new() }
    }

    /// Receives the pending commit events, and checks that heights are consecutive.
    pub(crate) fn follow(&mut self) {
        loop {
            match self.commits.try_recv() {
                Ok(commit) => {
                    if let Some((last, _)) = self.chain.last_key_value() {
                        assert_eq!(commit.height, last + 1);
                    }
                    self.chain.insert(commit.height, commit);
                }
                Err(TryRecvError::Empty) => return,
                Err(e) => panic!("{e}"),
            }
        }
    }

    pub(crate) fn executed(&self) -> u64 {
        self.node.handle().status().executed_height
    }

    /// Returns true if the batches of all tickets are committed.
    pub(crate) fn committed(&mut self, tickets: &[Ticket]) -> bool {
        self.follow();
        let own: std::collections::BTreeSet<u64> =
            self.chain.values().flat_map(|c| c.own_batches.iter().copied()).collect();
        tickets.iter().all(|t| own.contains(&t.batch_sequence))
    }

    /// Submits transactions, and repeats those that the node refuses because it is busy.
    pub(crate) async fn submit(&self, transactions: Vec<Bytes>) -> Vec<Ticket> {
        let mut tickets = Vec::new();
        for transaction in transactions {
            loop {
                match self.node.handle().submit(transaction.clone()) {
                    Ok(ticket) => break tickets.push(ticket),
                    Err(Refusal::Busy { retry_after }) => tokio::time::sleep(retry_after).await,
                    Err(Refusal::Syncing) => tokio::time::sleep(Duration::from_millis(20)).await,
                    Err(other) => panic!("{other}"),
                }
            }
        }
        tickets
    }
}

/// Transactions that set `count` keys of the ledger, different for each `from`.
pub(crate) fn puts(from: usize, count: usize) -> Vec<Bytes> {
    (0..count).map(|i| Bytes::from(format!("put key-{from}-{i} value-{i}"))).collect()
}

/// Checks that all members have the same block and state at each height.
pub(crate) fn agree(members: &[Member]) {
    let mut chain: BTreeMap<u64, (Digest, Digest)> = BTreeMap::new();
    for commit in members.iter().flat_map(|m| m.chain.values()) {
        let this = (commit.digest, commit.state_root);
        assert_eq!(*chain.entry(commit.height).or_insert(this), this, "height {}", commit.height);
    }
}

/// Shuts down all members.
pub(crate) async fn stop(members: Vec<Member>) {
    for member in members {
        member.node.shutdown().await.unwrap();
    }
}
