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
/// At most so many members' single signatures are kept beside them, to take them off sums.
const SINGLES: usize = 64;

type Sum<S> = Verified<Aggregate<S>>;

/// At most [`POOL`] verified aggregates of one statement, from whatever source, and single signatures. It is what
/// [`Gossip`](super::Gossip) keeps beside its disjoint sums, and all that a protocol needs that spreads in another way.
///
/// 1. What brings no new signer, and no lower counts than are too high to be added, is passed over.
/// 2. What has all signers of an aggregate that is kept takes its place. If there are too many, the two that overlap
///    least become one.
/// 3. The sum begins with the heaviest and takes in one after another what overlaps least for what it brings, as long as
///    no count grows above [`Parameters::preferred`], and if that makes it a quorum, above [`Parameters::limit`].
/// 4. Signatures that are held of single members, one's own always, are taken off as often as they are in the sum beyond
///    once.
#[derive(Clone, Debug)]
pub struct Pool<S: Additive> {
    committee: Arc<Committee<S>>,
    me: MemberIndex,
    statement: Statement,
    parameters: Parameters,
    parts: Vec<Sum<S>>,
    singles: Vec<Sum<S>>,
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
            singles: Vec::new(),
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
        self.keep_single(&aggregate);
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

    /// The sum of the pool's aggregates that is to be sent: a quorum if there is one.
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

    /// One's own signature has its place always.
    fn keep_single(&mut self, aggregate: &Sum<S>) {
        if aggregate.signers().len() != 1 || !aggregate.counts().all_ones() {
            return;
        }
        if aggregate.signers().contains(self.me) {
            self.singles.insert(0, aggregate.clone());
        } else if self.singles.len() < SINGLES {
            self.singles.push(aggregate.clone());
        }
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
            let sum = self.parts.get(a)?.merge(self.parts.get(b)?, self.parameters.preferred).ok()?;
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
        let Some(heaviest) = self.parts.iter().max_by_key(|part| self.weight(part)) else { return };
        let mut sum = heaviest.normalised(&self.singles);
        let mut left: Vec<&Sum<S>> = self.parts.iter().collect();
        loop {
            left.retain(|part| !part.signers().is_subset(sum.signers()));
            // Least overlap for each new signer; the fraction's denominator is not zero.
            let cost = |part: &&Sum<S>| {
                let overlap = sum.signers().overlap(part.signers());
                overlap * 1_024 / (part.signers().len() - overlap).max(1)
            };
            left.sort_by_key(cost);
            let next = left.iter().find_map(|part| self.plus(&sum, part));
            match next {
                Some(more) => sum = more,
                None => break,
            }
        }
        if self.best.as_ref().is_none_or(|best| self.weight(best) <= self.weight(&sum)) {
            self.certificate = sum.certificate(&self.committee);
            self.best = Some(sum);
        }
    }

    /// The two together, unless counts get too high.
    fn plus(&self, sum: &Sum<S>, part: &Sum<S>) -> Option<Sum<S>> {
        let limit = self.parameters.limit;
        let both = sum.merge(part, limit).ok()?.normalised(&self.singles);
        let decides = self.committee.has_quorum(both.signers());
        (decides || both.counts().highest() <= self.parameters.preferred).then_some(both)
    }
}
