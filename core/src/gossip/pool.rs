//! The verified aggregates of one statement that a member keeps, and the sum of them that it sends.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::{Aggregate, Parameters};
use crate::Result;
use crate::certificate::{Certificate, Statement};
use crate::committee::{Committee, SignerSet, Verified};
use crate::scheme::Additive;

/// At most so many aggregates are kept of one statement.
pub const POOL: usize = 8;

/// At most [`POOL`] verified aggregates of one statement.
#[derive(Clone, Debug)]
pub struct Pool<S: Additive> {
    committee: Arc<Committee<S>>,
    statement: Statement,
    parameters: Parameters,
    parts: Vec<Verified<Aggregate<S>>>,
}

impl<S: Additive> Pool<S> {
    /// An empty pool.
    pub fn new(committee: Arc<Committee<S>>, statement: Statement, parameters: Parameters) -> Self {
        todo!()
    }

    /// Takes in an aggregate that was verified. False if it brings no new signer.
    ///
    /// # Errors
    /// [`Error::WrongContext`](crate::Error::WrongContext) for another committee or statement.
    pub fn insert(&mut self, aggregate: Verified<Aggregate<S>>) -> Result<bool> {
        todo!()
    }

    /// Everybody whose signature is in some aggregate of the pool.
    pub fn signers(&self) -> &SignerSet {
        todo!()
    }

    /// The sum of the pool's aggregates that is sent, chosen so that counts stay low; a quorum if the pool has one.
    pub fn best(&self) -> Option<&Verified<Aggregate<S>>> {
        todo!()
    }

    /// The aggregates of the pool, which overlap as little as could be.
    pub fn aggregates(&self) -> &[Verified<Aggregate<S>>] {
        &self.parts
    }

    /// The certificate, once the signers are a quorum.
    pub fn certificate(&self) -> Option<&Verified<Certificate<S>>> {
        todo!()
    }
}
