//! Verified aggregates of one statement that may overlap, and their sum with the most weight at low counts.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::aggregate::Aggregate;
use super::parameters::Parameters;
use crate::certificate::{Certificate, Statement};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Additive;
use crate::{Error, Result};

/// Maximum number of aggregates in a pool.
pub const MAX_POOL: usize = 8;
/// Maximum number of pieces in a pool: aggregates in which every count is 1.
const MAX_PIECES: usize = 64;

type Sum<S> = Verified<Aggregate<S>>;

/// At most [`MAX_POOL`] verified aggregates of one statement, from any source, and 64 pieces: aggregates in which
/// every count is 1, first this member's own signature, then those with the fewest signers. [`Gossip`](super::Gossip)
/// keeps a pool beside its disjoint sums. It also suffices for a protocol with another form of dissemination: members
/// that start with their own vote, send [`best`](Pool::best) to others and insert each aggregate they receive reach a
/// quorum, though with more messages than by `Gossip`, because overlapping sums cannot all be merged.
///
/// 1. An aggregate is skipped unless it has a new signer, or lower counts where the known ones are too high to be
///    merged.
/// 2. An aggregate replaces those whose signers it includes. If there are too many, the two with the least overlap
///    are merged.
/// 3. The sum starts with the heaviest aggregate and adds aggregates and pieces, those with the least overlap per new
///    signer first, until it is a quorum. Its counts may grow only with its weight: to 1 + [`Parameters::preferred`]
///    · weight / quorum, roughly, and never above `preferred`. Otherwise sums would reach the limit long before a
///    quorum, each with the same members, and could no longer be merged. A piece nearly always can be added: this
///    member's own signature, to any sum that lacks it. So a sum grows at every member that it reaches.
/// 4. Pieces are subtracted from the sum while every signer stays in it at least once.
/// 5. Aggregates whose counts exceed `preferred` wait until they complete a quorum, up to [`Parameters::limit`]. They
///    are not sent before.
#[derive(Clone, Debug)]
pub struct Pool<S: Additive> {
    committee: Arc<Committee<S>>,
    me: MemberIndex,
    statement: Statement,
    parameters: Parameters,
    parts: Vec<Sum<S>>,
    pieces: Vec<Sum<S>>,
    best: Option<Sum<S>>,
    certificate: Option<Verified<Certificate<S>>>,
    empty: SignerSet,
}

impl<S: Additive> Pool<S> {
    /// Creates an empty pool of member `me`.
    pub fn new(
        committee: Arc<Committee<S>>,
        me: MemberIndex,
        statement: Statement,
        parameters: Parameters,
    ) -> Self {
        let empty = SignerSet::new(committee.len());
        Self {
            committee,
            me,
            statement,
            parameters,
            parts: Vec::new(),
            pieces: Vec::new(),
            best: None,
            certificate: None,
            empty,
        }
    }

    /// Returns the signed statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Returns true if [`insert`](Pool::insert) would accept the aggregate: it has a new signer, and there is no
    /// certificate yet. Needs no cryptography; call it before verifying.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another statement; [`Error::Mismatch`] for another committee size;
    /// [`Error::TooLarge`] if a count exceeds [`Parameters::limit`].
    pub fn wants(&self, aggregate: &Aggregate<S>) -> Result<bool> {
        if *aggregate.statement() != self.statement {
            return Err(Error::WrongContext { what: "statement" });
        }
        self.committee.require_size(aggregate.signers())?;
        if aggregate.counts().highest() > self.parameters.limit {
            return Err(Error::TooLarge { what: "count of a signer", limit: self.parameters.limit.into() });
        }
        let is_held = |held: &Sum<S>| self.covers(held, aggregate);
        Ok(self.certificate.is_none() && !self.best.iter().chain(&self.parts).any(is_held))
    }

    /// Inserts a verified aggregate. Returns false if it has no new signer, or if there is a certificate.
    ///
    /// # Errors
    /// As [`wants`](Pool::wants), and [`Error::WrongContext`] if it was verified for another committee.
    pub fn insert(&mut self, aggregate: Sum<S>) -> Result<bool> {
        if aggregate.committee() != self.committee.id() {
            return Err(Error::WrongContext { what: "committee" });
        }
        if !self.wants(&aggregate)? {
            return Ok(false);
        }
        self.add_piece(&aggregate);
        let parts = core::mem::take(&mut self.parts);
        self.parts = parts.into_iter().filter(|part| !self.covers(&aggregate, part)).collect();
        self.parts.push(aggregate);
        if self.parts.len() > MAX_POOL {
            self.shrink();
        }
        self.update_best();
        Ok(true)
    }

    /// Returns the signers of [`best`](Pool::best).
    pub fn signers(&self) -> &SignerSet {
        self.best.as_ref().map_or(&self.empty, |best| best.signers())
    }

    /// Returns the sum to send: a quorum if there is one. `None` if the pool is empty, or if all counts exceed
    /// [`Parameters::preferred`].
    pub fn best(&self) -> Option<&Sum<S>> {
        self.best.as_ref()
    }

    /// Returns the aggregates of the pool.
    pub fn aggregates(&self) -> impl Iterator<Item = &Sum<S>> {
        self.parts.iter()
    }

    /// Returns the certificate, once the signers are a quorum.
    pub fn certificate(&self) -> Option<&Verified<Certificate<S>>> {
        self.certificate.as_ref()
    }

    fn weight(&self, sum: &Sum<S>) -> u128 {
        self.committee.weight_of(sum.signers())
    }

    /// Returns true if `one` has all signers of `other`, and counts that do not prevent merging. So a member cannot
    /// be excluded by an aggregate with a hundredfold count of its signature.
    fn covers(&self, one: &Aggregate<S>, other: &Aggregate<S>) -> bool {
        other.signers().is_subset(one.signers())
            && one.counts().highest() <= self.parameters.preferred.max(other.counts().highest())
    }

    /// Keeps a piece: this member's own signature always, of the others those with the fewest signers, which can be
    /// added most often.
    fn add_piece(&mut self, aggregate: &Sum<S>) {
        if !aggregate.counts().all_ones() || self.pieces.contains(aggregate) {
            return;
        }
        let place = |piece: &Sum<S>| (!self.is_own(piece), piece.signers().len());
        let at = self.pieces.partition_point(|piece| place(piece) <= place(aggregate));
        self.pieces.insert(at, aggregate.clone());
        self.pieces.truncate(MAX_PIECES);
    }

    fn is_own(&self, sum: &Sum<S>) -> bool {
        sum.signers().len() == 1 && sum.signers().contains(self.me)
    }

    /// Merges the two aggregates with the least overlap, or drops the lightest if all merged counts would be too
    /// high.
    fn shrink(&mut self) {
        let pairs = (0..self.parts.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        let mut pairs: Vec<(usize, usize, usize)> = pairs
            .filter_map(|(a, b)| {
                Some((self.parts.get(a)?.signers().overlap(self.parts.get(b)?.signers()), a, b))
            })
            .collect();
        pairs.sort_unstable();
        let merged = pairs.into_iter().find_map(|(_, a, b)| {
            let sum = self.plus(self.parts.get(a)?, self.parts.get(b)?)?;
            Some((a, b, sum))
        });
        if let Some((a, b, sum)) = merged {
            // b is below a.
            self.parts.remove(a);
            if let Some(place) = self.parts.get_mut(b) {
                *place = sum;
            }
        } else if let Some(lightest) =
            (0..self.parts.len()).min_by_key(|i| self.parts.get(*i).map(|part| self.weight(part)))
        {
            self.parts.remove(lightest);
        }
    }

    fn update_best(&mut self) {
        let is_low = |part: &&Sum<S>| part.counts().highest() <= self.parameters.preferred;
        let low = self.sum_of(self.parts.iter().filter(is_low), Self::plus);
        let is_quorum = |sum: &Sum<S>| self.committee.has_quorum(sum.signers());
        let sum = if low.as_ref().is_some_and(is_quorum) || self.parts.iter().all(|part| is_low(&part)) {
            low
        } else {
            let limit = self.parameters.limit;
            let all = self.sum_of(self.parts.iter(), |_, sum, part| sum.merge(part, limit).ok());
            all.filter(is_quorum).or(low)
        };
        let Some(sum) = sum else { return };
        if self.best.as_ref().is_none_or(|best| self.weight(best) <= self.weight(&sum)) {
            self.certificate = sum.certificate(&self.committee);
            self.best = Some(sum);
        }
    }

    /// Sums the heaviest of `parts` with the others and the pieces until it is a quorum, those with the least overlap
    /// per new signer first.
    fn sum_of<'a>(
        &'a self,
        parts: impl Iterator<Item = &'a Sum<S>> + Clone,
        plus: impl Fn(&Self, &Sum<S>, &Sum<S>) -> Option<Sum<S>>,
    ) -> Option<Sum<S>> {
        let heaviest = parts.clone().max_by_key(|part| self.weight(part))?;
        let mut sum = heaviest.normalised(&self.pieces);
        let mut left: Vec<(usize, &Sum<S>)> = parts
            .chain(&self.pieces)
            .filter_map(|part| {
                let overlap = sum.signers().overlap(part.signers());
                // A part without a new signer has no finite cost; skip it.
                let cost = (overlap * 1_024).checked_div(part.signers().len() - overlap)?;
                Some((cost, part))
            })
            .collect();
        left.sort_by_key(|(cost, _)| *cost);
        for (_, part) in left {
            if self.committee.has_quorum(sum.signers()) {
                break;
            }
            if part.signers().is_subset(sum.signers()) {
                continue;
            }
            if let Some(more) = plus(self, &sum, part) {
                sum = more.normalised(&self.pieces);
            }
        }
        Some(sum)
    }

    /// Merges two sums unless a count exceeds both the limit for their weight and the counts they already have.
    fn plus(&self, one: &Sum<S>, other: &Sum<S>) -> Option<Sum<S>> {
        let Parameters { preferred, limit, .. } = self.parameters;
        let weight = self.committee.weight_of(&one.signers().union(other.signers()));
        let before = one.counts().highest().max(other.counts().highest());
        one.merge(other, self.highest(weight).max(before).min(preferred).min(limit)).ok()
    }

    /// Returns the maximum count for a sum of this weight: from 1 in even steps to `preferred` for a quorum.
    fn highest(&self, weight: u128) -> u16 {
        let each =
            self.committee.quorum_weight() / u128::from(self.parameters.preferred.saturating_sub(1).max(1));
        u16::try_from(weight / each.max(1)).unwrap_or(u16::MAX).saturating_add(1)
    }
}
