//! The places of a block, and the transactions that fill them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};
use quorate::merkle::Hash;

use super::segment_set::SegmentSet;
use crate::body::ShortId;
use crate::digests::BlockDigest;
use crate::message::MAX_REQUEST;
use crate::payload::{Payload, Summary, Transaction};

/// Name of the transaction at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Unknown,
    Short(ShortId),
    Full(Hash),
}

/// The known transactions with one short identifier of a block.
pub(super) enum Match {
    One(Transaction),
    Many,
}

/// The transactions of one block while they are collected.
pub(crate) struct Assembly {
    pub(super) block: BlockDigest,
    height: u64,
    summary: Summary,
    slots: Vec<Option<Transaction>>,
    pub(super) names: Vec<Name>,
    /// Number of filled places.
    filled: usize,
    /// Number of places with a name.
    pub(super) named: usize,
    /// The places that were named with a short identifier, or with a full one that has it.
    pub(super) open: BTreeMap<ShortId, Vec<u32>>,
    pub(super) known: BTreeMap<ShortId, Match>,
    pub(super) body: Option<SegmentSet>,
    /// The one peer from which transactions are accepted, regardless of names; `None` while segments name them.
    source: Option<MemberIndex>,
    payload: Option<Arc<Payload>>,
    /// Time of the next request.
    pub(crate) due: Option<Time>,
    /// Number of requests without an answer.
    pub(crate) attempts: u32,
    /// Peer to ask first.
    pub(crate) hint: Option<MemberIndex>,
    /// True once segments named transactions that are not the block's. Their names are not used again.
    pub(crate) names_rejected: bool,
    /// Proposers whose segments broke a rule.
    rejected_signers: BTreeSet<MemberIndex>,
    /// Members to which the proposal was forwarded. Its segments go to the same members, so that they arrive after it.
    pub(crate) forwarded_to: Vec<MemberIndex>,
}

/// Result of [`Assembly::complete_if_filled`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    /// Places are empty.
    Incomplete,
    /// The payload is complete.
    Complete,
    /// The transactions are not those of the block; collection starts again, from one peer at a time. Carries the member
    /// at fault, if only one can be.
    Mismatch(Option<MemberIndex>),
}

impl Assembly {
    /// Returns the assembly of a block without any of its transactions.
    pub(crate) fn new(block: BlockDigest, height: u64, summary: Summary) -> Self {
        let n = summary.count as usize;
        let payload = summary.is_empty().then(|| Arc::new(Payload::empty()));
        Self {
            block,
            height,
            summary,
            slots: vec![None; n],
            names: vec![Name::Unknown; n],
            filled: 0,
            named: 0,
            open: BTreeMap::new(),
            known: BTreeMap::new(),
            body: None,
            source: None,
            payload,
            due: None,
            attempts: 0,
            hint: None,
            names_rejected: false,
            rejected_signers: BTreeSet::new(),
            forwarded_to: Vec::new(),
        }
    }

    /// Returns the assembly of a block with all of its transactions.
    pub(crate) fn complete(block: BlockDigest, height: u64, payload: Arc<Payload>) -> Self {
        let mut assembly = Self::new(block, height, Summary::empty());
        assembly.summary = *payload.summary();
        assembly.payload = Some(payload);
        assembly
    }

    /// Returns the height of the block.
    pub(crate) fn height(&self) -> u64 {
        self.height
    }

    /// Returns the payload, once it is complete.
    pub(crate) fn payload(&self) -> Option<&Arc<Payload>> {
        self.payload.as_ref()
    }

    /// Adds the transactions of the pool, before any segment arrives.
    pub(crate) fn add_pool<'a>(&mut self, pool: impl Iterator<Item = &'a Transaction>) {
        if self.payload.is_none() {
            pool.for_each(|transaction| self.add_transaction(transaction));
        }
    }

    /// Adds a transaction that is new in the pool.
    pub(crate) fn add_transaction(&mut self, transaction: &Transaction) {
        if self.payload.is_some() || self.source.is_some() {
            return;
        }
        let short = ShortId::new(&self.block, &transaction.id());
        match self.known.get_mut(&short) {
            None => drop(self.known.insert(short, Match::One(transaction.clone()))),
            Some(Match::One(other)) if other.id() == transaction.id() => return,
            Some(known) => *known = Match::Many,
        }
        for place in self.open.get(&short).cloned().unwrap_or_default() {
            self.fill_from_known(place, short);
        }
    }

    /// Adds transactions that a peer sent by place. They must fit their names, or come from the chosen source. Returns true
    /// if any was accepted.
    pub(crate) fn add_reply(&mut self, from: MemberIndex, transactions: Vec<(u32, Transaction)>) -> bool {
        let before = self.filled;
        for (place, transaction) in transactions {
            let accepted = match self.source {
                Some(source) => source == from,
                None => self.fits(place, &transaction),
            };
            if accepted && self.payload.is_none() {
                self.fill(place, transaction);
            }
        }
        self.filled > before
    }

    /// Checks the transactions against the block once all places are filled. Cost then: a hash per transaction.
    pub(crate) fn complete_if_filled(&mut self) -> Completion {
        if self.payload.is_some() {
            return Completion::Complete;
        }
        if self.filled < self.slots.len() {
            return Completion::Incomplete;
        }
        let transactions: Vec<Transaction> = self.slots.iter().flatten().cloned().collect();
        match Payload::new(transactions) {
            Ok(payload) if *payload.summary() == self.summary => {
                self.payload = Some(Arc::new(payload));
                // Only the segments are needed further, to serve them.
                (self.slots, self.names) = (Vec::new(), Vec::new());
                (self.open, self.known) = (BTreeMap::new(), BTreeMap::new());
                Completion::Complete
            }
            _ => {
                let exact = !self.names.is_empty() && self.names.iter().all(|n| matches!(n, Name::Full(_)));
                let signer = self.body.as_ref().map(|body| body.signer);
                // A short identifier may match another transaction than the intended one, which proves nothing.
                let culprit = self.source.or(signer.filter(|_| exact));
                self.names_rejected = true;
                match signer {
                    Some(signer) => self.reject_signer(signer),
                    None => self.reset(),
                }
                Completion::Mismatch(culprit)
            }
        }
    }

    /// Discards all transactions and names. From here on a source brings the transactions.
    fn reset(&mut self) {
        let n = self.summary.count as usize;
        (self.slots, self.names) = (vec![None; n], vec![Name::Unknown; n]);
        (self.filled, self.named) = (0, 0);
        (self.open, self.known) = (BTreeMap::new(), BTreeMap::new());
        (self.body, self.source, self.due) = (None, None, None);
    }

    /// Accepts transactions from this peer alone. Discards those of another source.
    pub(crate) fn set_source(&mut self, source: MemberIndex) {
        if self.source != Some(source) {
            self.reset();
            self.source = Some(source);
        }
    }

    /// Resets the assembly and accepts no more segments of a proposer. Otherwise its invalid segments would be discarded,
    /// received again from each member that forwards them, and circulate forever.
    pub(crate) fn reject_signer(&mut self, signer: MemberIndex) {
        self.rejected_signers.insert(signer);
        self.reset();
    }

    /// Returns true if segments of a proposer are useful: transactions are missing, no source was chosen, which must
    /// not be blamed for the names of others, and the proposer's segments have not broken a rule.
    pub(crate) fn wants_segments(&self, signer: MemberIndex) -> bool {
        self.payload.is_none() && self.source.is_none() && !self.rejected_signers.contains(&signer)
    }

    /// Returns true if every place has a name, so that a peer can only bring the right transactions.
    pub(crate) fn is_named(&self) -> bool {
        self.named == self.slots.len()
    }

    /// Returns true if a source was chosen.
    pub(crate) fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// Returns the places to request next.
    pub(crate) fn missing_places(&self) -> Vec<u32> {
        let is_wanted = |place: &usize| {
            let named = self.names.get(*place).is_some_and(|name| *name != Name::Unknown);
            self.slots.get(*place).is_some_and(Option::is_none) && (named || self.source.is_some())
        };
        (0..self.slots.len()).filter(is_wanted).take(MAX_REQUEST).map(|place| place as u32).collect()
    }

    /// Returns the transaction at a place, if it is known.
    pub(crate) fn transaction(&self, place: u32) -> Option<&Transaction> {
        match &self.payload {
            Some(payload) => payload.transaction(place as usize),
            None if self.source.is_some() => None,
            None => self.slots.get(place as usize)?.as_ref(),
        }
    }

    pub(super) fn fill_from_known(&mut self, place: u32, short: ShortId) {
        if let Some(Match::One(transaction)) = self.known.get(&short) {
            let transaction = transaction.clone();
            if self.fits(place, &transaction) {
                self.fill(place, transaction);
            }
        }
    }

    /// Returns true if a transaction matches the name of a place.
    fn fits(&self, place: u32, transaction: &Transaction) -> bool {
        match self.names.get(place as usize) {
            Some(Name::Short(short)) => *short == ShortId::new(&self.block, &transaction.id()),
            Some(Name::Full(id)) => *id == transaction.id(),
            _ => false,
        }
    }

    pub(super) fn fill(&mut self, place: u32, transaction: Transaction) {
        if let Some(slot) = self.slots.get_mut(place as usize)
            && slot.is_none()
        {
            *slot = Some(transaction);
            self.filled += 1;
        }
    }
}
