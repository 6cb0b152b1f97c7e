//! Putting a block's transactions together: from the pool by what segments name, from peers by their places.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate::machine::{MemberIndex, Time};
use quorate::merkle::Hash;

use crate::body::ShortId;
use crate::digests::BlockDigest;
use crate::message::MAX_REQUEST;
use crate::payload::{Payload, Summary, Transaction};

mod cut;
mod segments;
#[cfg(test)]
mod tests;

pub(crate) use cut::cut;
pub(crate) use segments::Added;
use segments::Body;

/// What is known of the transaction at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Unknown,
    Short(ShortId),
    Full(Hash),
}

/// The transactions known here under one short identifier of a block.
enum Match {
    One(Transaction),
    Many,
}

/// One block's transactions on their way together.
pub(crate) struct Assembly {
    block: BlockDigest,
    height: u64,
    summary: Summary,
    slots: Vec<Option<Transaction>>,
    names: Vec<Name>,
    held: usize,
    named: usize,
    /// Where a short identifier is named and not filled.
    open: BTreeMap<ShortId, Vec<u32>>,
    known: BTreeMap<ShortId, Match>,
    body: Option<Body>,
    /// If this is set, transactions come from this peer alone, and names do not count.
    source: Option<MemberIndex>,
    payload: Option<Arc<Payload>>,
    /// When somebody was last asked, how often nobody answered, and whom to ask first.
    pub(crate) asked: Option<Time>,
    pub(crate) tries: u32,
    pub(crate) hint: Option<MemberIndex>,
    /// What its segments named was not the block: they are not believed again.
    pub(crate) misnamed: bool,
    /// Whose segments broke a rule.
    disbelieved: BTreeSet<MemberIndex>,
    /// To whom the proposal was passed on: its segments follow it, or they would come to some before it.
    pub(crate) told: Vec<MemberIndex>,
}

/// What came of it when all places were filled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Places are empty.
    Open,
    /// It is there.
    Whole,
    /// The transactions are not those of the block. The culprit, if it can only be this one; all begins anew, from one
    /// peer at a time.
    Wrong(Option<MemberIndex>),
}

impl Assembly {
    /// Of a block of which nothing is there.
    pub(crate) fn new(block: BlockDigest, height: u64, summary: Summary) -> Self {
        let n = summary.count as usize;
        let payload = summary.is_empty().then(|| Arc::new(Payload::empty()));
        Self {
            block,
            height,
            summary,
            slots: vec![None; n],
            names: vec![Name::Unknown; n],
            held: 0,
            named: 0,
            open: BTreeMap::new(),
            known: BTreeMap::new(),
            body: None,
            source: None,
            payload,
            asked: None,
            tries: 0,
            hint: None,
            misnamed: false,
            disbelieved: BTreeSet::new(),
            told: Vec::new(),
        }
    }

    /// Of a block whose transactions are there.
    pub(crate) fn whole(block: BlockDigest, height: u64, payload: Arc<Payload>) -> Self {
        let mut assembly = Self::new(block, height, Summary::empty());
        assembly.summary = *payload.summary();
        assembly.payload = Some(payload);
        assembly
    }

    pub(crate) fn height(&self) -> u64 {
        self.height
    }

    /// The transactions, once all are there.
    pub(crate) fn payload(&self) -> Option<&Arc<Payload>> {
        self.payload.as_ref()
    }

    /// The transactions of the pool, so that names find them. Before any segment comes.
    pub(crate) fn seed<'a>(&mut self, pool: impl Iterator<Item = &'a Transaction>) {
        if self.payload.is_none() {
            pool.for_each(|transaction| self.learn(transaction));
        }
    }

    /// A transaction came to the pool.
    pub(crate) fn learn(&mut self, transaction: &Transaction) {
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

    fn fill_from_known(&mut self, place: u32, short: ShortId) {
        if let Some(Match::One(transaction)) = self.known.get(&short) {
            let transaction = transaction.clone();
            if self.fits(place, &transaction) {
                self.fill(place, transaction);
            }
        }
    }

    /// Whether a transaction may be the one at a place, by its name.
    fn fits(&self, place: u32, transaction: &Transaction) -> bool {
        match self.names.get(place as usize) {
            Some(Name::Short(short)) => *short == ShortId::new(&self.block, &transaction.id()),
            Some(Name::Full(id)) => *id == transaction.id(),
            _ => false,
        }
    }

    fn fill(&mut self, place: u32, transaction: Transaction) {
        if let Some(slot) = self.slots.get_mut(place as usize)
            && slot.is_none()
        {
            *slot = Some(transaction);
            self.held += 1;
        }
    }

    /// Transactions that a peer sent by their places. Only what fits its name is taken, or what comes from the one peer
    /// that was chosen to bring all.
    pub(crate) fn take(&mut self, from: MemberIndex, transactions: Vec<(u32, Transaction)>) -> bool {
        let before = self.held;
        for (place, transaction) in transactions {
            let welcome = match self.source {
                Some(source) => source == from,
                None => self.fits(place, &transaction),
            };
            if welcome && self.payload.is_none() {
                self.fill(place, transaction);
            }
        }
        self.held > before
    }

    /// If all places are filled: is it the block's payload? Cost then: a hash per transaction.
    pub(crate) fn finish(&mut self) -> Outcome {
        if self.payload.is_some() {
            return Outcome::Whole;
        }
        if self.held < self.slots.len() {
            return Outcome::Open;
        }
        let transactions: Vec<Transaction> = self.slots.iter().flatten().cloned().collect();
        match Payload::new(transactions) {
            Ok(payload) if *payload.summary() == self.summary => {
                self.payload = Some(Arc::new(payload));
                // What it was made of is not needed any more, but the segments, for others.
                (self.slots, self.names) = (Vec::new(), Vec::new());
                (self.open, self.known) = (BTreeMap::new(), BTreeMap::new());
                Outcome::Whole
            }
            _ => {
                let exact = !self.names.is_empty() && self.names.iter().all(|n| matches!(n, Name::Full(_)));
                let signer = self.body.as_ref().map(|body| body.signer);
                // A short identifier may fit another transaction than the one that was meant: that proves nothing.
                let culprit = self.source.or(signer.filter(|_| exact));
                self.misnamed = true;
                match signer {
                    Some(signer) => self.disbelieve(signer),
                    None => self.restart(),
                }
                Outcome::Wrong(culprit)
            }
        }
    }

    /// Forgets what is there: from now on transactions come from one peer at a time.
    pub(crate) fn restart(&mut self) {
        let n = self.summary.count as usize;
        (self.slots, self.names) = (vec![None; n], vec![Name::Unknown; n]);
        (self.held, self.named) = (0, 0);
        (self.open, self.known) = (BTreeMap::new(), BTreeMap::new());
        (self.body, self.source, self.asked) = (None, None, None);
    }

    /// From now on transactions come from this peer alone. What another such peer brought is forgotten.
    pub(crate) fn choose(&mut self, source: MemberIndex) {
        if self.source != Some(source) {
            self.restart();
            self.source = Some(source);
        }
    }

    /// Whether every place has a name, so that whoever brings transactions can bring the right ones only.
    pub(crate) fn is_named(&self) -> bool {
        self.named == self.slots.len()
    }

    /// Whether one peer was chosen to bring all.
    pub(crate) fn has_source(&self) -> bool {
        self.source.is_some()
    }

    /// The places to ask for next.
    pub(crate) fn missing_places(&self) -> Vec<u32> {
        let wanted = |place: &usize| {
            let named = self.names.get(*place).is_some_and(|name| *name != Name::Unknown);
            self.slots.get(*place).is_some_and(Option::is_none) && (named || self.source.is_some())
        };
        (0..self.slots.len()).filter(wanted).take(MAX_REQUEST).map(|place| place as u32).collect()
    }

    /// The transaction at a place, if it is there.
    pub(crate) fn transaction(&self, place: u32) -> Option<&Transaction> {
        match &self.payload {
            Some(payload) => payload.transaction(place as usize),
            None if self.source.is_some() => None,
            None => self.slots.get(place as usize)?.as_ref(),
        }
    }
}
