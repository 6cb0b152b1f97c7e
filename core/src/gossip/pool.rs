//! The verified aggregates of one statement that a member keeps, and the sum of them that it sends.

use alloc::collections::VecDeque;
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Aggregate, Parameters};
use crate::certificate::{Certificate, Statement};
use crate::committee::{Committee, SignerSet, Verified};
use crate::scheme::Additive;
use crate::{Error, Result};

/// At most so many aggregates are kept of one statement.
pub const POOL: usize = 8;

type Sum<S> = Verified<Aggregate<S>>;

/// At most [`POOL`] verified aggregates of one statement.
#[derive(Clone, Debug)]
pub struct Pool<S: Additive> {
    committee: Arc<Committee<S>>,
    statement: Statement,
    parameters: Parameters,
    best: Option<Sum<S>>,
    parts: Vec<Sum<S>>,
    history: VecDeque<Sum<S>>,
    certificate: Option<Verified<Certificate<S>>>,
    nobody: SignerSet,
}

impl<S: Additive> Pool<S> {
    /// An empty pool.
    pub fn new(committee: Arc<Committee<S>>, statement: Statement, parameters: Parameters) -> Self {
        let nobody = SignerSet::new(committee.len());
        Self {
            committee,
            statement,
            parameters,
            best: None,
            parts: Vec::new(),
            history: VecDeque::new(),
            certificate: None,
            nobody,
        }
    }

    /// Takes in an aggregate that was verified. False if it brings no new signer.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for another committee or statement.
    pub fn insert(&mut self, aggregate: Sum<S>) -> Result<bool> {
        if aggregate.committee() != self.committee.id() {
            return Err(Error::WrongContext { what: "committee" });
        }
        if *aggregate.statement() != self.statement {
            return Err(Error::WrongContext { what: "statement" });
        }
        if self.certificate.is_some() || aggregate.signers().is_subset(self.signers()) {
            return Ok(false);
        }
        let grown = match &self.best {
            None => aggregate.clone(),
            Some(best) if best.signers().is_subset(aggregate.signers()) => {
                self.remember(aggregate.clone());
                self.reduce(&aggregate)
            }
            Some(best) => match best.merge(&aggregate, u16::MAX) {
                Ok(sum) => {
                    self.remember(aggregate.clone());
                    let sum = self.reduce(&sum);
                    let quorum = self.committee.has_quorum(sum.signers());
                    let limit = if quorum { self.parameters.limit } else { self.parameters.preferred };
                    if sum.counts().highest() <= limit {
                        sum
                    } else {
                        return Ok(false);
                    }
                }
                Err(_) => return Ok(false),
            },
        };
        self.remember(grown.clone());
        self.certificate = grown.certificate(&self.committee);
        self.best = Some(grown);
        Ok(true)
    }

    fn remember(&mut self, aggregate: Sum<S>) {
        if self.history.len() >= 16 {
            self.history.remove(1);
        }
        self.history.push_back(aggregate);
    }

    fn reduce(&self, sum: &Sum<S>) -> Sum<S> {
        let mut parts: Vec<&Sum<S>> = self.history.iter().collect();
        parts.sort_by_key(|part| core::cmp::Reverse(part.signers().len()));
        sum.normalised(parts)
    }

    /// What is signed.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Everybody whose signature is in some aggregate of the pool.
    pub fn signers(&self) -> &SignerSet {
        self.best.as_ref().map_or(&self.nobody, |best| best.signers())
    }

    /// The sum of the pool's aggregates that is sent, chosen so that counts stay low; a quorum if the pool has one.
    pub fn best(&self) -> Option<&Sum<S>> {
        self.best.as_ref()
    }

    /// The aggregates of the pool, which overlap as little as could be.
    pub fn aggregates(&self) -> &[Sum<S>] {
        &self.parts
    }

    /// The certificate, once the signers are a quorum.
    pub fn certificate(&self) -> Option<&Verified<Certificate<S>>> {
        self.certificate.as_ref()
    }
}
