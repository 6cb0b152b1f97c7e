//! What one key has signed, and what it may sign.

use std::collections::BTreeSet;
use std::vec::Vec;

use super::interchange::{Attestation, Block, ValidatorHistory};
use crate::guard::record::GuardRecord;
use crate::{Error, Result};

/// Number of attestations of a key that are kept: more than two days, one per epoch.
pub const MAX_ATTESTATIONS: usize = 512;
/// Number of blocks of a key that are kept.
pub const MAX_BLOCKS: usize = 64;

/// Maximum number of records of a key: its own, its messages and its watermarks.
pub(super) const MAX_RECORDS_PER_KEY: usize = 1 + MAX_ATTESTATIONS + MAX_BLOCKS + 2;

/// Kinds of the records.
mod kinds {
    use crate::certificate::Kind;

    pub(super) const KEY: Kind = Kind::new(0);
    pub(super) const BLOCK: Kind = Kind::new(1);
    pub(super) const BLOCK_WITHOUT_ROOT: Kind = Kind::new(2);
    pub(super) const ATTESTATION: Kind = Kind::new(3);
    pub(super) const ATTESTATION_WITHOUT_ROOT: Kind = Kind::new(4);
    pub(super) const LOW_BLOCK: Kind = Kind::new(5);
    pub(super) const LOW_ATTESTATION: Kind = Kind::new(6);
}

/// Numbers that [`Error::Contradiction`] has for blocks and for attestations.
const BLOCK: u8 = kinds::BLOCK.number();
const ATTESTATION: u8 = kinds::ATTESTATION.number();

/// The history of one key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct History {
    /// Ordered by slot.
    blocks: BTreeSet<Block>,
    /// Target, source and signing root, so that the order is that of targets.
    attestations: BTreeSet<(u64, u64, Option<[u8; 32]>)>,
    /// No block is signed at or below this slot, unless it is a repeated one.
    low_slot: Option<u64>,
    /// No attestation is signed below this source or at or below this target, unless it is a repeated one.
    low: Option<(u64, u64)>,
}

impl History {
    /// Permits a block, and records it; returns false if it is recorded already.
    pub(super) fn block(&mut self, slot: u64, signing_root: [u8; 32]) -> Result<bool> {
        let block = Block { slot, signing_root: Some(signing_root) };
        let refused = |signed_view| Err(Error::Contradiction { kind: BLOCK, signed_view });
        let lowest = Block { slot, signing_root: None };
        let mut same = self.blocks.range(lowest..).take_while(|known| known.slot == slot).peekable();
        if same.peek().is_some() {
            return if same.all(|known| *known == block) { Ok(false) } else { refused(slot) };
        }
        if let Some(low) = self.low_slot.filter(|low| slot <= *low) {
            return refused(low);
        }
        self.blocks.insert(block);
        self.forget();
        Ok(true)
    }

    /// Permits an attestation, and records it; returns false if it is recorded already.
    pub(super) fn attestation(&mut self, source: u64, target: u64, signing_root: [u8; 32]) -> Result<bool> {
        if source > target {
            return Err(Error::Malformed { what: "attestation: its source epoch is above its target epoch" });
        }
        let new = (target, source, Some(signing_root));
        let refused = |signed_view| Err(Error::Contradiction { kind: ATTESTATION, signed_view });
        let same = self.attestations.range((target, 0, None)..).take_while(|known| known.0 == target);
        let mut same = same.peekable();
        if same.peek().is_some() {
            return if same.all(|known| *known == new) { Ok(false) } else { refused(target) };
        }
        let one = attestation(&new);
        let all = || self.attestations.iter().map(attestation);
        if let Some(other) = all().find(|known| known.surrounds(&one) || one.surrounds(known)) {
            return refused(other.target_epoch);
        }
        if let Some((_, low)) = self.low.filter(|low| source < low.0 || target <= low.1) {
            return refused(low);
        }
        self.attestations.insert(new);
        self.forget();
        Ok(true)
    }

    /// Takes an imported history, and raises the watermarks to its lowest messages.
    pub(super) fn import(&mut self, history: &ValidatorHistory) {
        let blocks = &history.signed_blocks;
        if let Some(low) = blocks.iter().map(|block| block.slot).min() {
            self.raise_slot(low);
        }
        let attestations = &history.signed_attestations;
        let source = attestations.iter().map(|one| one.source_epoch).min();
        let target = attestations.iter().map(|one| one.target_epoch).min();
        if let Some(low) = source.zip(target) {
            self.raise(low);
        }
        for block in blocks {
            self.blocks.insert(*block);
            self.forget();
        }
        for one in attestations {
            self.attestations.insert((one.target_epoch, one.source_epoch, one.signing_root));
            self.forget();
        }
    }

    /// Raises the watermarks, so that no message contradicts one up to a slot and a target epoch.
    pub(super) fn begin_above(&mut self, slot: u64, epoch: u64) {
        self.raise_slot(slot);
        // A source at or above it: nothing with a lower target is surrounded.
        self.raise((epoch, epoch));
    }

    /// Returns the history for an export. An importer takes the lowest messages of a file as its watermarks, so messages
    /// below ours are left out, and each watermark becomes a message.
    pub(super) fn export(&self, pubkey: [u8; 48]) -> ValidatorHistory {
        let signed_blocks = self.exported_blocks();
        ValidatorHistory { pubkey, signed_blocks, signed_attestations: self.exported_attestations() }
    }

    /// Returns blocks of which none is below the watermark, and one is at it.
    fn exported_blocks(&self) -> Vec<Block> {
        let low = self.low_slot.unwrap_or(0);
        let mut blocks: Vec<_> = self.blocks.iter().filter(|block| block.slot >= low).copied().collect();
        if self.low_slot.is_some() && blocks.first().is_none_or(|first| first.slot > low) {
            blocks.insert(0, Block { slot: low, signing_root: None });
        }
        blocks
    }

    /// Returns attestations with which an importer refuses everything that this history refuses.
    ///
    /// A message below the watermarks is left out. It can contradict messages above them, for example one that surrounds
    /// it, so the exported watermarks rise to its source and target; more messages can lie below them then.
    fn exported_attestations(&self) -> Vec<Attestation> {
        let all: Vec<_> = self.attestations.iter().map(attestation).collect();
        let Some((mut source, mut target)) = self.low else { return all };
        let mut kept = all.clone();
        let is_at = |one: &Attestation, low| (one.source_epoch, one.target_epoch) == low;
        loop {
            let (len, low) = (kept.len(), (source, target));
            kept.retain(|one| {
                let is_kept = one.source_epoch >= low.0 && one.target_epoch > low.1 || is_at(one, low);
                if !is_kept {
                    (source, target) = (source.max(one.source_epoch), target.max(one.target_epoch));
                }
                is_kept
            });
            if kept.len() == len {
                break;
            }
        }
        // A message at the watermarks stands for them, unless one that is left out can have its target.
        let lowest = Attestation { source_epoch: source, target_epoch: target, signing_root: None };
        let is_missing = kept.len() < all.len() || !kept.iter().any(|one| is_at(one, (source, target)));
        if is_missing && kept.first() != Some(&lowest) {
            kept.insert(0, lowest);
        }
        kept
    }

    /// Takes a durable record; returns false for a kind that is none of a history.
    pub(super) fn restore(&mut self, record: &GuardRecord) -> bool {
        let GuardRecord { kind, epoch, view, identity, .. } = *record;
        match kind {
            kinds::BLOCK => drop(self.blocks.insert(Block { slot: view, signing_root: Some(identity) })),
            kinds::BLOCK_WITHOUT_ROOT => drop(self.blocks.insert(Block { slot: view, signing_root: None })),
            kinds::ATTESTATION => drop(self.attestations.insert((view, epoch, Some(identity)))),
            kinds::ATTESTATION_WITHOUT_ROOT => drop(self.attestations.insert((view, epoch, None))),
            kinds::LOW_BLOCK => self.raise_slot(view),
            kinds::LOW_ATTESTATION => self.raise((epoch, view)),
            _ => return false,
        }
        self.forget();
        true
    }

    /// Iterates over the records of the history.
    pub(super) fn records(&self, binding: [u8; 32]) -> impl Iterator<Item = GuardRecord> + '_ {
        let blocks = self.blocks.iter().map(move |block| block_record(binding, block));
        let attestations =
            self.attestations.iter().map(move |one| attestation_record(binding, &attestation(one)));
        let record = move |kind, epoch, view| GuardRecord { binding, kind, epoch, view, identity: [0; 32] };
        let low_block = self.low_slot.map(|slot| record(kinds::LOW_BLOCK, 0, slot));
        let low = self.low.map(|(source, target)| record(kinds::LOW_ATTESTATION, source, target));
        blocks.chain(attestations).chain(low_block).chain(low)
    }

    /// Drops the oldest messages beyond the limits; the watermarks refuse what contradicts them.
    fn forget(&mut self) {
        while self.blocks.len() > MAX_BLOCKS
            && let Some(block) = self.blocks.pop_first()
        {
            self.raise_slot(block.slot);
        }
        while self.attestations.len() > MAX_ATTESTATIONS
            && let Some((target, source, _)) = self.attestations.pop_first()
        {
            self.raise((source, target));
        }
    }

    fn raise_slot(&mut self, slot: u64) {
        self.low_slot = self.low_slot.max(Some(slot));
    }

    fn raise(&mut self, (source, target): (u64, u64)) {
        let (low_source, low_target) = self.low.unwrap_or_default();
        self.low = Some((source.max(low_source), target.max(low_target)));
    }
}

/// Returns the record of a block.
pub(super) fn block_record(binding: [u8; 32], block: &Block) -> GuardRecord {
    let kind = if block.signing_root.is_some() { kinds::BLOCK } else { kinds::BLOCK_WITHOUT_ROOT };
    let identity = block.signing_root.unwrap_or_default();
    GuardRecord { binding, kind, epoch: 0, view: block.slot, identity }
}

/// Returns the record of an attestation.
pub(super) fn attestation_record(binding: [u8; 32], one: &Attestation) -> GuardRecord {
    let known = one.signing_root.is_some();
    let kind = if known { kinds::ATTESTATION } else { kinds::ATTESTATION_WITHOUT_ROOT };
    let identity = one.signing_root.unwrap_or_default();
    GuardRecord { binding, kind, epoch: one.source_epoch, view: one.target_epoch, identity }
}

/// Returns the record that names a key: its 48 bytes are in the fields epoch, view and identity.
pub(super) fn key_record(binding: [u8; 32], key: &[u8; 48]) -> GuardRecord {
    let number =
        |at: usize| key.iter().skip(at).take(8).rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
    let identity = key.last_chunk().copied().unwrap_or_default();
    GuardRecord { binding, kind: kinds::KEY, epoch: number(0), view: number(8), identity }
}

/// Returns the key that a record names; `None` for another record.
pub(super) fn key_of(record: &GuardRecord) -> Option<[u8; 48]> {
    let GuardRecord { kind, epoch, view, identity, .. } = record;
    let bytes = [&epoch.to_le_bytes()[..], &view.to_le_bytes(), identity].concat();
    (*kind == kinds::KEY).then(|| bytes.try_into().ok()).flatten()
}

fn attestation((target, source, signing_root): &(u64, u64, Option<[u8; 32]>)) -> Attestation {
    Attestation { source_epoch: *source, target_epoch: *target, signing_root: *signing_root }
}
