//! Tree of the blocks above the committed one.

use std::collections::BTreeMap;
use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::scheme::Scheme;

use crate::block::{Block, Committees, Executed};
use crate::chain_state::ChainState;
use crate::ids::BlockDigest;

/// Maximum number of blocks. Honest leaders add one per view; all blocks outside the certified chain can be dropped.
pub(crate) const MAX_BLOCKS: usize = 1024;

/// A block whose ancestors are all known.
pub(crate) struct Node<S: Scheme> {
    pub(crate) block: Arc<Block<S>>,
    /// Chain state at this block.
    pub(crate) state: Arc<ChainState>,
    /// Certificate of the block, once known.
    pub(crate) certificate: Option<Certificate<S>>,
    /// True if its record was persisted.
    pub(crate) durable: bool,
}

/// The committed block, the root of the tree.
pub(crate) struct Root<S: Scheme> {
    pub(crate) digest: BlockDigest,
    pub(crate) height: u64,
    pub(crate) view: u64,
    pub(crate) state: Arc<ChainState>,
    /// `None` for the genesis.
    pub(crate) block: Option<Arc<Block<S>>>,
    /// The newest state named by the chain.
    pub(crate) executed: Executed,
}

pub(crate) struct Tree<S: Scheme> {
    root: Root<S>,
    nodes: BTreeMap<BlockDigest, Node<S>>,
}

impl<S: Scheme> Tree<S> {
    pub(crate) fn new(root: Root<S>) -> Self {
        Self { root, nodes: BTreeMap::new() }
    }

    pub(crate) fn root(&self) -> &Root<S> {
        &self.root
    }

    pub(crate) fn get(&self, digest: &BlockDigest) -> Option<&Node<S>> {
        self.nodes.get(digest)
    }

    pub(crate) fn get_mut(&mut self, digest: &BlockDigest) -> Option<&mut Node<S>> {
        self.nodes.get_mut(digest)
    }

    pub(crate) fn nodes(&self) -> impl Iterator<Item = &Node<S>> {
        self.nodes.values()
    }

    /// Returns `true` if the block and all its ancestors are known.
    pub(crate) fn contains(&self, digest: &BlockDigest) -> bool {
        *digest == self.root.digest || self.nodes.contains_key(digest)
    }

    /// Returns the chain state at a block.
    pub(crate) fn state(&self, digest: &BlockDigest) -> Option<&Arc<ChainState>> {
        if *digest == self.root.digest {
            return Some(&self.root.state);
        }
        self.nodes.get(digest).map(|node| &node.state)
    }

    /// Returns the height of a block and the newest state it names.
    pub(crate) fn height_and_state(&self, digest: &BlockDigest) -> Option<(u64, Executed)> {
        if *digest == self.root.digest {
            return Some((self.root.height, self.root.executed));
        }
        self.nodes.get(digest).map(|node| (node.block.height, node.block.executed))
    }

    /// Returns a known block; `None` for the genesis.
    pub(crate) fn block(&self, digest: &BlockDigest) -> Option<&Block<S>> {
        if *digest == self.root.digest {
            return self.root.block.as_deref();
        }
        self.nodes.get(digest).map(|node| &*node.block)
    }

    /// Inserts a block. Returns `false` if its parent is unknown or the tree is full.
    pub(crate) fn insert(&mut self, committees: &Committees<S>, block: Arc<Block<S>>, durable: bool) -> bool {
        let Some(state) = self.state(&block.parent) else { return false };
        if self.nodes.len() >= MAX_BLOCKS {
            return false;
        }
        let (state, _) = state.after(committees, self.block(&block.parent), &block);
        let node = Node { state: Arc::new(state), certificate: None, durable, block };
        self.nodes.entry(node.block.digest()).or_insert(node);
        true
    }

    /// Returns the blocks above the root up to this one, lowest first; `None` if the block is unknown.
    pub(crate) fn path(&self, digest: &BlockDigest) -> Option<Vec<Arc<Block<S>>>> {
        let mut path = Vec::new();
        let mut at = *digest;
        while at != self.root.digest {
            let node = self.nodes.get(&at)?;
            path.push(node.block.clone());
            at = node.block.parent;
        }
        path.reverse();
        Some(path)
    }

    /// Makes a known block the root. Returns the digests of the blocks that do not descend from it and can no longer
    /// be committed.
    pub(crate) fn commit(&mut self, digest: &BlockDigest) -> Vec<BlockDigest> {
        let Some(path) = self.path(digest) else { return Vec::new() };
        let Some(node) = self.nodes.get(digest) else { return Vec::new() };
        self.root = Root {
            digest: *digest,
            height: node.block.height,
            view: node.block.view,
            state: node.state.clone(),
            executed: node.block.executed,
            block: Some(node.block.clone()),
        };
        for block in path {
            self.nodes.remove(&block.digest());
        }
        let stale: Vec<BlockDigest> =
            self.nodes.keys().filter(|digest| self.path(digest).is_none()).copied().collect();
        for digest in &stale {
            self.nodes.remove(digest);
        }
        stale
    }

    /// If there are many blocks, drops those below `view` that are not ancestors of `keep`. If a dropped block is
    /// certified after all, it is fetched again.
    pub(crate) fn prune(&mut self, keep: &BlockDigest, view: u64) {
        if self.nodes.len() < MAX_BLOCKS / 2 {
            return;
        }
        let kept: Vec<BlockDigest> =
            self.path(keep).into_iter().flatten().map(|block| block.digest()).collect();
        self.nodes.retain(|digest, node| node.block.view >= view || kept.contains(digest));
        loop {
            let lost: Vec<BlockDigest> =
                self.nodes.keys().filter(|digest| self.path(digest).is_none()).copied().collect();
            if lost.is_empty() {
                return;
            }
            lost.iter().for_each(|digest| drop(self.nodes.remove(digest)));
        }
    }
}
