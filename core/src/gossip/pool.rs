//! Verified aggregates of one statement that may overlap, and the sum of them that reaches furthest with low counts.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Aggregate, Parameters};
use crate::certificate::{Certificate, Statement};
use crate::committee::{Committee, SignerSet, Verified};
use crate::machine::MemberIndex;
use crate::scheme::Additive;
use crate::{Error, Result};

/// At most so many aggregates are kept of one statement.
pub const POOL: usize = 8;
/// At most so many pieces are kept beside them: sums in which everybody is once.
const PIECES: usize = 64;

type Sum<S> = Verified<Aggregate<S>>;

/// At most [`POOL`] verified aggregates of one statement, from whatever source, and 64 pieces: sums in which everybody
/// signed once, one's own signature first, then those of fewest signers. It is what [`Gossip`](super::Gossip) keeps
/// beside its disjoint sums, and all that a protocol needs that spreads in another way: who begins with its own vote,
/// sends [`best`](Pool::best) to others and inserts what they send comes to a quorum, though after more messages than by
/// `Gossip`, since sums that overlap cannot all be added.
///
/// 1. What brings no new signer, and no lower counts than are too high to be added, is passed over.
/// 2. What has all signers of an aggregate that is kept takes its place. If there are too many, the two that overlap
///    least become one.
/// 3. The sum begins with the heaviest and takes in, what overlaps least for what it brings first, aggregates and pieces
///    until it is a quorum. Its counts may only grow as its weight does: to 1 + [`Parameters::preferred`] · weight / quorum,
///    roughly, and never past `preferred`. Else sums would be full long before they are a quorum, everybody's with the
///    same members, and none could be added to another. A piece nearly always can: one's own signature, in any
///    sum that lacks it. So every sum grows wherever it comes to.
/// 4. Pieces are taken off as often as they are in the sum beyond once.
/// 5. Aggregates whose counts are above `preferred` already wait until they make a quorum, up to [`Parameters::limit`].
///    They are not sent before.
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
        let nobody = SignerSet::new(committee.len());
        Self {
            committee,
            me,
            statement,
            parameters,
            parts: Vec::new(),
            pieces: Vec::new(),
            best: None,
            certificate: None,
            nobody,
        }
    }

    /// What is signed.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Whether [`insert`](Pool::insert) would take this in: it brings a new signer, and there is no certificate yet. It
    /// costs no cryptography, so it comes before verifying.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another statement or committee size; [`Error::TooLarge`] if a count is above
    /// [`Parameters::limit`].
    pub fn wants(&self, aggregate: &Aggregate<S>) -> Result<bool> {
        if *aggregate.statement() != self.statement {
            return Err(Error::WrongContext { what: "statement" });
        }
        if aggregate.signers().committee_len() != self.committee.len() {
            return Err(Error::WrongContext { what: "committee size" });
        }
        if aggregate.counts().highest() > self.parameters.limit {
            return Err(Error::TooLarge { what: "count of a signer", limit: self.parameters.limit.into() });
        }
        let is_held = |held: &Sum<S>| self.covers(held, aggregate);
        Ok(self.certificate.is_none() && !self.best.iter().chain(&self.parts).any(is_held))
    }

    /// Takes in an aggregate that was verified. False if it brings no new signer, or once there is a certificate.
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
        self.keep_piece(&aggregate);
        let parts = core::mem::take(&mut self.parts);
        self.parts = parts.into_iter().filter(|part| !self.covers(&aggregate, part)).collect();
        self.parts.push(aggregate);
        if self.parts.len() > POOL {
            self.shrink();
        }
        self.add_up();
        Ok(true)
    }

    /// Everybody whose signature is in [`best`](Pool::best).
    pub fn signers(&self) -> &SignerSet {
        self.best.as_ref().map_or(&self.nobody, |best| best.signers())
    }

    /// The sum of the pool's aggregates that is to be sent: a quorum if there is one. `None` while there is nothing, or
    /// only what has counts above [`Parameters::preferred`].
    pub fn best(&self) -> Option<&Sum<S>> {
        self.best.as_ref()
    }

    /// The aggregates of the pool.
    pub fn aggregates(&self) -> impl Iterator<Item = &Sum<S>> {
        self.parts.iter()
    }

    /// The certificate, once the signers are a quorum.
    pub fn certificate(&self) -> Option<&Verified<Certificate<S>>> {
        self.certificate.as_ref()
    }

    fn weight(&self, sum: &Sum<S>) -> u128 {
        self.committee.weight_of(sum.signers())
    }

    /// Whether one has all signers of the other, and counts that do not keep it from being added. So nobody keeps a
    /// member out by sending its signature a hundred times.
    fn covers(&self, one: &Aggregate<S>, other: &Aggregate<S>) -> bool {
        other.signers().is_subset(one.signers())
            && one.counts().highest() <= self.parameters.preferred.max(other.counts().highest())
    }

    /// One's own signature has its place always; of the others the smallest fit in most often.
    fn keep_piece(&mut self, aggregate: &Sum<S>) {
        if !aggregate.counts().all_ones() || self.pieces.contains(aggregate) {
            return;
        }
        let place = |piece: &Sum<S>| (!self.is_own(piece), piece.signers().len());
        let at = self.pieces.partition_point(|piece| place(piece) <= place(aggregate));
        self.pieces.insert(at, aggregate.clone());
        self.pieces.truncate(PIECES);
    }

    fn is_own(&self, sum: &Sum<S>) -> bool {
        sum.signers().len() == 1 && sum.signers().contains(self.me)
    }

    /// Makes one of the two parts that overlap least, or drops the lightest if all would have too high counts.
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

    fn add_up(&mut self) {
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

    /// The heaviest of `parts`, and with it what can be added of the others and of the pieces until it is a quorum: what
    /// overlaps least with the heaviest for each signer that it brings comes first.
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
                // Who brings nobody is left out: the fraction has no value.
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

    /// The two together, unless a count grows too high for their weight: past both that and what it is already.
    fn plus(&self, one: &Sum<S>, other: &Sum<S>) -> Option<Sum<S>> {
        let Parameters { preferred, limit, .. } = self.parameters;
        let weight = self.committee.weight_of(&one.signers().union(other.signers()));
        let before = one.counts().highest().max(other.counts().highest());
        one.merge(other, self.highest(weight).max(before).min(preferred).min(limit)).ok()
    }

    /// How high counts may be in a sum of this weight: in even steps from 1 to what is preferred for a quorum.
    fn highest(&self, weight: u128) -> u16 {
        let each =
            self.committee.quorum_weight() / u128::from(self.parameters.preferred.saturating_sub(1).max(1));
        u16::try_from(weight / each.max(1)).unwrap_or(u16::MAX).saturating_add(1)
    }
}
