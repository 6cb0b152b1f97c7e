//! The verified aggregates of one statement that a member keeps, and their sums, which it sends.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::levels::{Levels, SIBLINGS};
use super::{Aggregate, Parameters};
use crate::certificate::{Certificate, Statement};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Additive;
use crate::{Error, Result};

type Sum<S> = Verified<Aggregate<S>>;

/// The verified aggregates of one statement: one's own signature, one aggregate of each other block, and one that is of
/// no block (the module's page has the blocks). At most three of each level are kept, 24 in the largest committee.
///
/// What comes for a place that is taken:
/// 1. brings it no new signer, it is passed over;
/// 2. has it all signers that are there, it takes the place;
/// 3. else the two are added, if no count grows above [`Parameters::preferred`];
/// 4. else the one with more signers has the place.
#[derive(Clone, Debug)]
pub struct Pool<S: Additive> {
    committee: Arc<Committee<S>>,
    statement: Statement,
    parameters: Parameters,
    levels: Levels,
    /// By level and sibling; the first of a level is not used.
    pieces: Vec<[Option<Sum<S>>; SIBLINGS]>,
    /// The sum of one's own block of each level, from one's own signature up to everything.
    sums: Vec<Option<Sum<S>>>,
    /// The largest of what fits no block.
    loose: Option<Sum<S>>,
    complete: Option<(Sum<S>, Verified<Certificate<S>>)>,
    nobody: SignerSet,
}

impl<S: Additive> Pool<S> {
    /// An empty pool of member `me`.
    pub fn new(
        committee: Arc<Committee<S>>,
        me: MemberIndex,
        statement: Statement,
        parameters: Parameters,
    ) -> Self {
        let levels = Levels::new(me, committee.len());
        Self {
            levels,
            pieces: vec![[const { None }; SIBLINGS]; levels.count()],
            sums: vec![None; levels.count() + 1],
            loose: None,
            complete: None,
            nobody: SignerSet::new(committee.len()),
            committee,
            statement,
            parameters,
        }
    }

    /// What is signed.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Whether [`insert`](Pool::insert) would change anything. It costs no cryptography, so it comes before verifying.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another statement or committee size; [`Error::TooLarge`] if a count is above
    /// [`Parameters::limit`], or above [`Parameters::preferred`] without being needed for a quorum.
    pub fn wants(&self, aggregate: &Aggregate<S>) -> Result<bool> {
        if *aggregate.statement() != self.statement {
            return Err(Error::WrongContext { what: "statement" });
        }
        if aggregate.signers().committee_len() != self.committee.len() {
            return Err(Error::WrongContext { what: "committee size" });
        }
        let decides = self.committee.has_quorum(aggregate.signers());
        let limit = if decides { self.parameters.limit } else { self.parameters.preferred };
        if aggregate.counts().highest() > limit {
            return Err(Error::TooLarge { what: "counts of signers", limit: limit.into() });
        }
        if self.complete.is_some() || decides {
            return Ok(self.complete.is_none());
        }
        let signers = aggregate.signers();
        Ok(match self.held(signers) {
            Some(held) if signers.is_subset(held.signers()) => false,
            Some(held) => {
                let both = signers.intersection(held.signers());
                held.signers().len() < signers.len()
                    || held.counts().plus(aggregate.counts(), &both, self.parameters.preferred).is_ok()
            }
            None => !signers.is_subset(self.signers()),
        })
    }

    /// Takes in an aggregate that was verified. False if nothing changes by it.
    ///
    /// # Errors
    /// As [`wants`](Pool::wants), and [`Error::WrongContext`] if it was verified against another committee.
    pub fn insert(&mut self, aggregate: Sum<S>) -> Result<bool> {
        if aggregate.committee() != self.committee.id() {
            return Err(Error::WrongContext { what: "committee" });
        }
        if !self.wants(&aggregate)? {
            return Ok(false);
        }
        if self.committee.has_quorum(aggregate.signers()) {
            self.finish(aggregate);
            return Ok(true);
        }
        let limit = self.parameters.preferred;
        let place = self.levels.place(aggregate.signers());
        let alone = place.is_none() && aggregate.signers().len() == 1;
        let held = match place {
            _ if alone => self.sums.first_mut(),
            Some((level, sibling)) => self.pieces.get_mut(level).and_then(|pieces| pieces.get_mut(sibling)),
            None => Some(&mut self.loose),
        };
        let Some(held) = held else { return Ok(false) };
        *held = Some(match held.take() {
            Some(old) if !old.signers().is_subset(aggregate.signers()) => {
                match old.merge(&aggregate, limit) {
                    Ok(sum) => sum,
                    Err(_) if old.signers().len() < aggregate.signers().len() => aggregate,
                    Err(_) => old,
                }
            }
            _ => aggregate,
        });
        if place.is_some() || alone {
            self.add_up(place.map_or(0, |(level, _)| level));
        }
        self.settle();
        Ok(true)
    }

    /// Everybody whose signature is in what is sent.
    pub fn signers(&self) -> &SignerSet {
        self.best().map_or(&self.nobody, |best| best.signers())
    }

    /// The sum of everything that can be added, or the certificate's.
    pub fn best(&self) -> Option<&Sum<S>> {
        match &self.complete {
            Some((sum, _)) => Some(sum),
            None => self.sums.last().and_then(Option::as_ref),
        }
    }

    /// The sum of one's own block of a level, which is what other blocks of that level lack.
    pub(super) fn sum(&self, level: usize) -> Option<&Sum<S>> {
        self.sums.get(level).and_then(Option::as_ref)
    }

    /// All aggregates that are kept.
    pub fn aggregates(&self) -> impl Iterator<Item = &Sum<S>> {
        let own = self.sums.first().and_then(Option::as_ref);
        own.into_iter().chain(self.pieces.iter().flatten().flatten()).chain(&self.loose)
    }

    /// The certificate, once the signers are a quorum.
    pub fn certificate(&self) -> Option<&Verified<Certificate<S>>> {
        self.complete.as_ref().map(|(_, certificate)| certificate)
    }

    /// What has the place of an aggregate of these signers.
    fn held(&self, signers: &SignerSet) -> Option<&Sum<S>> {
        match self.levels.place(signers) {
            Some((level, sibling)) => self.pieces.get(level)?.get(sibling)?.as_ref(),
            None if signers.len() == 1 => self.sums.first()?.as_ref(),
            None => self.loose.as_ref(),
        }
    }

    /// Adds up again from the block of a level on.
    fn add_up(&mut self, from: usize) {
        for (level, pieces) in self.pieces.iter().enumerate().skip(from) {
            let own = self.sums.get(level).and_then(Option::as_ref);
            let parts: Vec<&Sum<S>> = own.into_iter().chain(pieces.iter().flatten()).collect();
            // Colluders' signatures can cancel each other; then there is nothing to send beyond one's own block.
            let sum = Sum::join(&parts).ok().or_else(|| own.cloned());
            if let Some(place) = self.sums.get_mut(level + 1) {
                *place = sum;
            }
        }
    }

    /// Sees whether there is a quorum, alone or with what fits no block.
    fn settle(&mut self) {
        let Some(sum) = self.sums.last().and_then(Option::as_ref) else { return };
        let whole = match &self.loose {
            _ if self.committee.has_quorum(sum.signers()) => sum.clone(),
            Some(loose) if self.committee.has_quorum(&sum.signers().union(loose.signers())) => {
                match sum.merge(loose, self.parameters.limit) {
                    Ok(whole) => whole,
                    Err(_) => return,
                }
            }
            _ => return,
        };
        self.finish(whole);
    }

    /// What is held of single members is taken off as often as it is in the sum beyond once.
    fn finish(&mut self, whole: Sum<S>) {
        let whole = whole.normalised(self.aggregates().filter(|part| part.signers().len() == 1));
        if let Some(certificate) = whole.certificate(&self.committee) {
            self.complete = Some((whole, certificate));
            self.pieces = Vec::new();
            self.sums = Vec::new();
            self.loose = None;
        }
    }
}
