use alloc::vec::Vec;
use core::fmt;

use super::{Committee, PublicKey, SecretKey, TimeoutVote, Vote, any_of, each, per_suite};
use crate::Result;
use crate::certificate::{Kind, Statement};
use crate::committee::ChainId;
use crate::guard::{self, GuardRecord, Spend};

type GuardOf<S> = guard::Guard<S>;

per_suite! {
    /// A secret key that signs nothing contradictory, see [`guard`].
    Guard, GuardOf
}

impl Guard {
    /// The guard of a key that has **never signed on this chain**. After a restart it is
    /// [`restore`](Guard::restore).
    pub fn new(secret: SecretKey, chain: ChainId) -> Self {
        each!(secret, SecretKey, S, secret => GuardOf::<S>::new(secret, chain).into())
    }

    /// The guard of a key that may have signed before, from all records that are durable, in any order.
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

    /// Signs a statement, unless it contradicts an earlier one. **The record must be durable before the vote
    /// leaves**.
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

    /// Spends a presignature on a message. **The record, if there is one, must be durable before the share leaves**.
    /// Signing with a presignature calls this; nothing else needs to.
    ///
    /// # Errors
    /// As [`guard::Guard::spend`].
    pub fn spend(&mut self, spend: &Spend) -> Result<Option<GuardRecord>> {
        each!(self, Guard, S, guard => guard.spend(spend))
    }

    /// Reserves the block of presignatures that `index` lies in. Once its record is durable and
    /// [confirmed](Guard::confirm), spending what lies in it needs no record. After a crash all of it is burnt.
    ///
    /// # Errors
    /// As [`guard::Guard::reserve`].
    pub fn reserve(&mut self, key: &[u8; 32], epoch: u64, index: u32) -> Result<GuardRecord> {
        each!(self, Guard, S, guard => guard.reserve(key, epoch, index))
    }

    /// Says that the record of a reservation is durable.
    ///
    /// # Errors
    /// As [`guard::Guard::confirm`].
    pub fn confirm(&mut self, reservation: &GuardRecord) -> Result<()> {
        each!(self, Guard, S, guard => guard.confirm(reservation))
    }

    /// Ends an epoch of a threshold key and all before it: what is left of their presignatures never signs.
    pub fn close_epoch(&mut self, key: &[u8; 32], epoch: u64) -> GuardRecord {
        each!(self, Guard, S, guard => guard.close_epoch(key, epoch))
    }

    /// The public key.
    pub fn public_key(&self) -> PublicKey {
        each!(self, Guard, S, guard => any_of::<S, _>(guard.public_key().clone()))
    }

    /// The chain that the guard signs for.
    pub fn chain(&self) -> ChainId {
        each!(self, Guard, S, guard => guard.chain())
    }

    /// Epoch and view of the last statement of a kind.
    pub fn last(&self, kind: Kind) -> Option<(u64, u64)> {
        each!(self, Guard, S, guard => guard.last(kind))
    }

    /// The last record of each kind, and what is spent of open epochs: all that a compacted log must keep.
    pub fn records(&self) -> Vec<GuardRecord> {
        each!(self, Guard, S, guard => guard.records().collect())
    }
}

/// Without the secret.
impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        each!(self, Guard, S, guard => guard.fmt(f))
    }
}
