use std::path::Path;

use super::committee::Committee;
use super::dispatch::any_of;
use super::families::{each, methods, per};
use super::keys::{PublicKey, SecretKey};
use super::timeouts::TimeoutVote;
use super::votes::Vote;
use crate::Result;
use crate::certificate::{Kind, Statement};
use crate::committee::ChainId;
use crate::guard;

type JournaledGuardOf<S> = guard::JournaledGuard<S>;

per! { suite:
    /// A secret key and the journal of its signatures in a directory, see [`JournaledGuard`](crate::guard::JournaledGuard).
    JournaledGuard, JournaledGuardOf
}

impl JournaledGuard {
    /// Creates the journal of a key that has **never signed on this chain**.
    ///
    /// # Errors
    /// As [`guard::JournaledGuard::create`].
    pub fn create(directory: &Path, secret: SecretKey, chain: ChainId) -> Result<Self> {
        each!(secret, SecretKey, S, secret => {
            JournaledGuardOf::<S>::create(directory, secret, chain).map(Self::from)
        })
    }

    /// Opens the journal of a key at every start after the first.
    ///
    /// # Errors
    /// As [`guard::JournaledGuard::open`].
    pub fn open(directory: &Path, secret: SecretKey, chain: ChainId) -> Result<Self> {
        each!(secret, SecretKey, S, secret => {
            JournaledGuardOf::<S>::open(directory, secret, chain).map(Self::from)
        })
    }

    /// Starts again after the journal was lost or damaged, above a view that the key cannot have reached.
    ///
    /// # Errors
    /// As [`guard::JournaledGuard::recover`].
    pub fn recover(directory: &Path, secret: SecretKey, chain: ChainId, view: u64) -> Result<Self> {
        each!(secret, SecretKey, S, secret => {
            JournaledGuardOf::<S>::recover(directory, secret, chain, view).map(Self::from)
        })
    }

    /// Signs a timeout vote under the same rule.
    ///
    /// # Errors
    /// As [`sign`](JournaledGuard::sign).
    pub fn sign_timeout(
        &mut self,
        committee: &Committee,
        kind: Kind,
        view: u64,
        value: u64,
    ) -> Result<TimeoutVote> {
        each!(self, JournaledGuard, S, guard => {
            guard.sign_timeout(committee.try_into()?, kind, view, value).map(TimeoutVote::from)
        })
    }
}

methods! { suite: self, JournaledGuard, S, guard =>
    /// Signs a statement unless it contradicts an earlier one, and returns the vote once its record is durable.
    ///
    /// # Errors
    /// As [`guard::JournaledGuard::sign`], and [`WrongContext`](crate::Error::WrongContext) for a committee of another
    /// suite.
    pub fn sign(&mut self, committee: &Committee, statement: Statement) -> Result<Vote> =
        guard.sign(committee.try_into()?, statement).map(Vote::from);

    /// Returns true if signatures may have left whose records are missing.
    pub fn is_stale(&self) -> bool = guard.is_stale();

    /// Returns the public key.
    pub fn public_key(&self) -> PublicKey = any_of::<S, _>(guard.public_key().clone());

    /// Returns the chain for which the key signs.
    pub fn chain(&self) -> ChainId = guard.chain();

    /// Returns the epoch and view of the last signed statement of a kind.
    pub fn last(&self, kind: Kind) -> Option<(u64, u64)> = guard.last(kind);
}
