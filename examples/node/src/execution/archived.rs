//! Committed blocks and epochs with their proofs, from the store of a running or a stopped node.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use quorate::wire::Encode;

use crate::epochs::{Epoch, Member};
use crate::genesis::Genesis;
use crate::handle::{CommitView, EpochView, ValidatorView};
use crate::protocol::{Archive, Protocol};
use crate::store::{Binding, Handover, Store};
use crate::{NodeError, Result};

/// Approximate maximum size of an answer with epochs, in bytes.
const MAX_EPOCHS_BYTES: usize = 8 << 20;

/// The committed chain in the data directory of a node that does not run. Holds the directory's lock: the node cannot start
/// meanwhile.
pub struct StoppedChain<P: Protocol> {
    store: Store<P>,
    genesis: Genesis,
    height: u64,
}

impl<P: Protocol> StoppedChain<P> {
    /// Opens the data directory of any validator of the chain, without its keys. Like the start of a node, this removes what a
    /// crash left incomplete.
    ///
    /// # Errors
    /// `DATA_IN_USE` if a process uses the directory, `DATA_MISMATCH` if it belongs to another chain, `CORRUPT`, `IO`,
    /// `CONFLICTING_COMMIT`.
    pub fn open(directory: &Path, genesis: Genesis) -> Result<Self> {
        let committees = genesis.committees::<P::Scheme>()?;
        let binding = Binding::recorded(directory, committees.chain.0)?.with(genesis.protocol.clone());
        let store = Store::<P>::open(directory, &binding, P::context(&committees))?;
        for epoch in store.epochs()? {
            let committees =
                epoch.committees(committees.chain).map_err(|e| NodeError::corrupt("an epoch", e))?;
            P::add_epoch(store.context(), &committees);
        }
        let height = store.state().executed()?.map_or(0, |(height, _)| height);
        Ok(Self { store, genesis, height })
    }

    /// Height of the newest executed block; 0 if there is none.
    pub fn height(&self) -> u64 {
        self.height
    }

    /// Height of the oldest block; 1 if none is pruned.
    pub fn oldest_height(&self) -> u64 {
        self.store.oldest_height()
    }

    /// A block with the proof that it is committed; `None` above [`height`](Self::height).
    ///
    /// # Errors
    /// `PRUNED` below [`oldest_height`](Self::oldest_height); if the store fails.
    pub fn commit(&self, height: u64) -> Result<Option<CommitView>> {
        if height > self.height { Ok(None) } else { commit(&self.store, height) }
    }

    /// The epochs from number `from` on, each with its proof; fewer than all if the answer would be long, but never none.
    ///
    /// # Errors
    /// If the store fails.
    pub fn epochs(&self, from: u64) -> Result<Vec<EpochView>> {
        let entered =
            self.store.epochs()?.into_iter().filter(|epoch| epoch.first_height() <= self.height + 1);
        let newest = entered.map(|epoch| epoch.number).max().unwrap_or(self.genesis.epoch);
        epochs(&self.store, &self.genesis, from, newest)
    }
}

/// An archived block with the proof that it is committed. `PRUNED` below the oldest height.
pub(super) fn commit<P: Protocol>(store: &Store<P>, height: u64) -> Result<Option<CommitView>> {
    let found = match store.block_at(height)? {
        Some(block) => store.finality(&block)?.map(|finality| (block, finality)),
        None => None,
    };
    if found.is_none() {
        store.check_height(height)?;
    }
    let view = |(block, finality): (Arc<P::Block>, P::Finality)| CommitView {
        height,
        block: block.encode().into(),
        finality: finality.encode().into(),
    };
    Ok(found.map(view))
}

/// The epochs from number `from` to `newest`, each with its proof, up to a limit in bytes.
pub(super) fn epochs<P: Protocol>(
    store: &Store<P>,
    genesis: &Genesis,
    from: u64,
    newest: u64,
) -> Result<Vec<EpochView>> {
    let (mut views, mut bytes) = (Vec::new(), 0);
    let later = store.epochs()?.into_iter().filter(|epoch| epoch.number <= newest);
    for epoch in std::iter::once(Epoch::genesis(genesis)).chain(later).filter(|epoch| epoch.number >= from) {
        let handover = epoch.anchor.map(|anchor| store.handover(epoch.number, anchor.height)).transpose()?;
        let shown =
            handover.map(|Handover { block, finality, batch }| [block, finality, batch].map(Bytes::from));
        bytes += shown.iter().flatten().map(Bytes::len).sum::<usize>() + 512 * epoch.members.len();
        if bytes > MAX_EPOCHS_BYTES && !views.is_empty() {
            break;
        }
        let [block, finality, payload] = shown.map_or([None, None, None], |shown| shown.map(Some));
        views.push(EpochView {
            epoch: epoch.number,
            first_height: epoch.first_height(),
            members: validator_views(&epoch.members),
            block,
            finality,
            payload,
        });
    }
    Ok(views)
}

/// The members of an epoch for clients.
pub(crate) fn validator_views(members: &[Member]) -> Vec<ValidatorView> {
    let view = |(index, member): (_, &Member)| ValidatorView {
        index,
        name: member.name.clone(),
        address: member.address.clone(),
        weight: member.weight.to_string(),
        identity_key: member.identity_key.to_string(),
        voting_key: member.voting_key.to_string(),
    };
    (0..).zip(members).map(view).collect()
}
