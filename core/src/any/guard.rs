use alloc::vec::Vec;

use super::committee::Committee;
use super::dispatch::any_of;
use super::families::{each, methods, per};
use super::keys::{PublicKey, SecretKey};
use super::timeouts::TimeoutVote;
use super::votes::Vote;
use crate::Result;
use crate::certificate::{Kind, Statement};
use crate::committee::ChainId;
use crate::guard::{self, GuardRecord, Spend};

type GuardOf<S> = guard::Guard<S>;

per! { suite:
    /// A secret key that never signs contradicting statements, see [`guard`].
    Guard, GuardOf
}

impl Guard {
    /// Creates the guard of a key that has **never signed on this chain**. After a restart call
    /// [`restore`](Guard::restore) instead.
    pub fn new(secret: SecretKey, chain: ChainId) -> Self {
        each!(secret, SecretKey, S, secret => GuardOf::<S>::new(secret, chain).into())
    }

    /// Restores the guard of a key from all durable records, in any order.
    ///
    /// # Errors
    /// As [`guard::Guard::restore`].
    pub fn restore(
        secret: SecretKey,
        chain: ChainId,
        records: impl IntoIterator<Item = GuardRecord>,
    ) -> Result<Self> {
        each!(secret, SecretKey, S, secret => GuardOf::<S>::restore(secret, chain, records).map(Self::from))
    }

    /// Signs a statement unless it contradicts an earlier one. **The record must be durable before the vote leaves.**
    ///
    /// # Errors
    /// As [`guard::Guard::sign`], and [`WrongContext`](crate::Error::WrongContext) for a committee of another suite.
    pub fn sign(&mut self, committee: &Committee, statement: Statement) -> Result<(Vote, GuardRecord)> {
        each!(self, Guard, S, guard => {
            let (vote, record) = guard.sign(committee.try_into()?, statement)?;
            Ok((vote.into(), record))
        })
    }

    /// Signs a timeout vote under the same rule.
    ///
    /// # Errors
    /// As [`sign`](Guard::sign).
    pub fn sign_timeout(
        &mut self,
        committee: &Committee,
        kind: Kind,
        view: u64,
        value: u64,
    ) -> Result<(TimeoutVote, GuardRecord)> {
        each!(self, Guard, S, guard => {
            let (vote, record) = guard.sign_timeout(committee.try_into()?, kind, view, value)?;
            Ok((vote.into(), record))
        })
    }
}

methods! { suite: self, Guard, S, guard =>
    /// Spends a presignature on a message. **If it returns a record, the record must be durable before the share leaves.**
    /// Signing with a presignature calls this method; no other code needs to.
    ///
    /// # Errors
    /// As [`guard::Guard::spend`].
    pub fn spend(&mut self, spend: &Spend) -> Result<Option<GuardRecord>> = guard.spend(spend);

    /// Reserves the block of presignatures that contains `index`. Once its record is durable and
    /// [confirmed](Guard::confirm), spending presignatures of the block needs no records. After a crash the whole block is
    /// burnt.
    ///
    /// # Errors
    /// As [`guard::Guard::reserve`].
    pub fn reserve(&mut self, key: &[u8; 32], epoch: u64, index: u32) -> Result<GuardRecord> =
        guard.reserve(key, epoch, index);

    /// Confirms that the record of a reservation is durable.
    ///
    /// # Errors
    /// As [`guard::Guard::confirm`].
    pub fn confirm(&mut self, reservation: &GuardRecord) -> Result<()> = guard.confirm(reservation);

    /// Closes an epoch of a threshold key and all earlier ones: their remaining presignatures never sign.
    pub fn close_epoch(&mut self, key: &[u8; 32], epoch: u64) -> GuardRecord = guard.close_epoch(key, epoch);

    /// Returns the public key.
    pub fn public_key(&self) -> PublicKey = any_of::<S, _>(guard.public_key().clone());

    /// Returns the chain for which the guard signs.
    pub fn chain(&self) -> ChainId = guard.chain();

    /// Returns the epoch and view of the last signed statement of a kind.
    pub fn last(&self, kind: Kind) -> Option<(u64, u64)> = guard.last(kind);

    /// Returns the records that a compacted log must keep: the last one of each kind, and those of presignatures in open
    /// epochs.
    pub fn records(&self) -> Vec<GuardRecord> = guard.records().collect();
}
