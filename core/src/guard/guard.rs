use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::fmt;

use super::counter::Floor;
use super::external::ExternalKey;
use super::record::GuardRecord;
use super::spending::{Spend, Spending};
use crate::certificate::{Kind, Statement, TimeoutVote, Vote};
use crate::committee::{ChainId, Committee};
use crate::scheme::Scheme;
use crate::wire::{Encode, Writer, domain};
use crate::{Error, Result};

/// A secret key that never signs contradicting statements. See the [module](super).
///
/// Memory: one record per kind in use, at most 256, and 48 bytes per spent presignature until its epoch is closed.
pub struct Guard<S: Scheme> {
    key: Key<S>,
    public: S::PublicKey,
    chain: ChainId,
    binding: [u8; 32],
    last: BTreeMap<Kind, GuardRecord>,
    /// Nothing new is signed up to it.
    floor: Option<Floor>,
    /// True if a counter outside follows the marks. It shows a lost record only if marks ascend over all kinds.
    is_counted: bool,
    spending: Spending,
}

/// The key that signs.
enum Key<S: Scheme> {
    Secret(S::SecretKey),
    External(Box<dyn ExternalKey<S>>),
}

impl<S: Scheme> Guard<S> {
    /// Creates the guard of a key that has **never signed on this chain**. After a restart call
    /// [`restore`](Guard::restore) instead.
    pub fn new(secret: S::SecretKey, chain: ChainId) -> Self {
        let public = S::public_key(&secret);
        Self::with_key(Key::Secret(secret), public, chain)
    }

    fn with_key(key: Key<S>, public: S::PublicKey, chain: ChainId) -> Self {
        let mut w = Writer::new();
        w.u8(S::SUITE);
        chain.encode_to(&mut w);
        public.encode_to(&mut w);
        let mut bytes = w.into_bytes();
        let binding = domain::hash(domain::GUARD, &bytes);
        bytes.push(1);
        let spending = Spending::new(domain::hash(domain::GUARD, &bytes));
        let last = BTreeMap::new();
        Self { key, public, chain, binding, last, floor: None, is_counted: false, spending }
    }

    /// Restores the guard of a key from all durable records. Their order does not matter; the latest record of each kind
    /// counts.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a record of another key, chain or suite; [`Error::Contradiction`] if two records
    /// contradict each other, which means that the key has already signed twice. A contradiction at the latest epoch and
    /// view of a kind is always found; earlier ones may be missed, because a later record replaces an earlier one.
    pub fn restore(
        secret: S::SecretKey,
        chain: ChainId,
        records: impl IntoIterator<Item = GuardRecord>,
    ) -> Result<Self> {
        let mut guard = Self::new(secret, chain);
        guard.restore_all(records)?;
        Ok(guard)
    }

    /// Takes durable records into a new guard.
    pub(super) fn restore_all(&mut self, records: impl IntoIterator<Item = GuardRecord>) -> Result<()> {
        for record in records {
            if record.binding == self.spending.binding {
                self.spending.restore(&record)?;
                continue;
            }
            if record.binding != self.binding {
                return Err(Error::WrongContext { what: "key, chain or suite of the guard record" });
            }
            match self.last.get(&record.kind) {
                Some(last) if last.position() == record.position() && last.identity != record.identity => {
                    return Err(last.contradiction());
                }
                Some(last) if last.position() >= record.position() => {}
                _ => drop(self.last.insert(record.kind, record)),
            }
        }
        Ok(())
    }

    /// Restores the guard of a key from all durable records and the value of a counter outside, which shows whether records
    /// are missing: the copy of an old data directory, or an empty one. The guard signs nothing up to the floor, except the
    /// last recorded statement of a kind again, and no view from 2⁵⁶ on.
    ///
    /// Call it at every start, also the first one. [`MonotonicCounter`](super::MonotonicCounter) has the order in which
    /// records and counter become durable.
    ///
    /// # Errors
    /// As [`restore`](Guard::restore).
    pub fn restore_above(
        secret: S::SecretKey,
        chain: ChainId,
        records: impl IntoIterator<Item = GuardRecord>,
        floor: Floor,
    ) -> Result<Self> {
        let mut guard = Self::restore(secret, chain, records)?;
        guard.set_floor(floor, true);
        Ok(guard)
    }

    /// Restores the guard of a key outside this process from all durable records, and with a floor as
    /// [`restore_above`](Guard::restore_above). Without records it is the guard of a key that has never signed here.
    ///
    /// # Errors
    /// As [`restore`](Guard::restore).
    pub fn restore_external(
        key: Box<dyn ExternalKey<S>>,
        chain: ChainId,
        records: impl IntoIterator<Item = GuardRecord>,
        floor: Option<Floor>,
    ) -> Result<Self> {
        let mut guard = Self::external(key, chain);
        guard.restore_all(records)?;
        if let Some(floor) = floor {
            guard.set_floor(floor, true);
        }
        Ok(guard)
    }

    /// Creates the guard of a key outside this process, without records.
    pub(super) fn external(key: Box<dyn ExternalKey<S>>, chain: ChainId) -> Self {
        let public = key.public_key().clone();
        Self::with_key(Key::External(key), public, chain)
    }

    /// Returns true if signatures may have left whose records are missing: the records end below the floor.
    pub fn is_stale(&self) -> bool {
        self.floor.is_some_and(|floor| self.mark() < floor.mark())
    }

    /// Returns the value of the counter outside, or the mark of a recovery; `None` without both.
    pub fn floor(&self) -> Option<Floor> {
        self.floor
    }

    /// Returns the highest mark of a recorded vote; 0 if there is none.
    pub fn mark(&self) -> u64 {
        self.last.values().map(GuardRecord::mark).max().unwrap_or(0)
    }

    /// Signs a statement unless it contradicts an earlier one. **The record must be durable before the vote leaves.**
    /// Signing the same statement again returns the same vote and record.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a committee of another chain or a key that is not a member's; [`Error::Mismatch`] for a
    /// statement of another epoch; [`Error::Contradiction`] for an (epoch, view) below the last one of that kind, or equal
    /// to it with another statement, and with a floor for a mark that is not above all earlier ones; [`Error::TooLarge`] with
    /// a floor for a view from 2⁵⁶ on; and those of an [`ExternalKey`]. In these cases nothing is recorded, and no vote
    /// is returned.
    pub fn sign(&mut self, committee: &Committee<S>, statement: Statement) -> Result<(Vote<S>, GuardRecord)> {
        if committee.chain() != self.chain {
            return Err(Error::WrongContext { what: "chain" });
        }
        committee.require_epoch(statement.epoch)?;
        let signer = committee.require_member(&self.public)?;
        let Statement { kind, epoch, view, .. } = statement;
        // Its mark would be the last one: nothing could be signed after it.
        if self.floor.is_some() && view > GuardRecord::MAX_MARKED_VIEW {
            return Err(Error::TooLarge { what: "view of a statement", limit: GuardRecord::MAX_MARKED_VIEW });
        }
        let identity = statement.identity(&committee.id());
        let record = GuardRecord { binding: self.binding, kind, epoch, view, identity };
        match self.last.get(&kind) {
            Some(last) if record.position() < last.position() => return Err(last.contradiction()),
            Some(last) if record.position() == last.position() && record != *last => {
                return Err(last.contradiction());
            }
            Some(last) if *last == record => {}
            _ => self.require_above_floor(&record)?,
        }
        let vote = match &mut self.key {
            Key::Secret(secret) => Vote::sign(secret, signer, &committee.id(), statement),
            Key::External(key) => Vote::new(statement, signer, key.sign(committee, &statement)?),
        };
        self.last.insert(kind, record);
        Ok((vote, record))
    }

    /// Checks a new statement against the floor and, if a counter follows the marks, against the signatures of all kinds.
    fn require_above_floor(&self, record: &GuardRecord) -> Result<()> {
        let Some(floor) = self.floor else { return Ok(()) };
        let signed = if self.is_counted { self.mark().max(floor.mark()) } else { floor.mark() };
        if record.mark() > signed {
            return Ok(());
        }
        Err(Error::Contradiction { kind: record.kind.number(), signed_view: signed >> 8 })
    }

    /// Signs a timeout vote under the same rule: at most one value per view of a kind.
    ///
    /// # Errors
    /// As [`sign`](Guard::sign).
    pub fn sign_timeout(
        &mut self,
        committee: &Committee<S>,
        kind: Kind,
        view: u64,
        value: u64,
    ) -> Result<(TimeoutVote<S>, GuardRecord)> {
        let statement = TimeoutVote::<S>::statement_of(kind, committee.epoch(), view, value);
        let (vote, record) = self.sign(committee, statement)?;
        Ok((TimeoutVote::from_vote(value, vote), record))
    }

    /// Spends a presignature on a message.
    ///
    /// If it returns a record, the record must be durable **before the share leaves**. It returns none if the
    /// presignature's block was reserved and [confirmed](Guard::confirm). Spending it on the same message again returns
    /// the same answer.
    ///
    /// `Presignature::sign` calls this method; no other code needs to.
    ///
    /// # Errors
    /// [`Error::Contradiction`] if the presignature signed another message; [`Error::Exhausted`] if it is burnt or its
    /// epoch is closed. In these cases nothing is recorded.
    pub fn spend(&mut self, spend: &Spend) -> Result<Option<GuardRecord>> {
        self.spending.spend(spend)
    }

    /// Reserves the block of presignatures that contains `index`.
    ///
    /// Once the returned record is durable and [confirmed](Guard::confirm), spending presignatures of the block needs no
    /// records. After a crash the whole block is burnt, whether spent or not.
    ///
    /// # Errors
    /// [`Error::Exhausted`] if the block is burnt or its epoch is closed.
    pub fn reserve(&mut self, key: &[u8; 32], epoch: u64, index: u32) -> Result<GuardRecord> {
        self.spending.reserve(key, epoch, index)
    }

    /// Confirms that the record of a reservation is durable. Other records need no confirmation.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for a record that is not a reservation of this guard.
    pub fn confirm(&mut self, reservation: &GuardRecord) -> Result<()> {
        self.spending.confirm(reservation)
    }

    /// Closes an epoch of a key and all earlier ones: their remaining presignatures never sign.
    ///
    /// The returned record replaces all records of these epochs once it is durable.
    pub fn close_epoch(&mut self, key: &[u8; 32], epoch: u64) -> GuardRecord {
        self.spending.close_epoch(key, epoch)
    }

    /// The value that binds the records of votes to key, chain and suite.
    #[cfg(feature = "journal")]
    pub(super) fn binding(&self) -> [u8; 32] {
        self.binding
    }

    /// Sets the floor; `is_counted` tells whether a counter follows the marks from now on.
    pub(super) fn set_floor(&mut self, floor: Floor, is_counted: bool) {
        (self.floor, self.is_counted) = (Some(floor), is_counted);
    }

    #[cfg(feature = "journal")]
    pub(super) fn last_record(&self, kind: Kind) -> Option<GuardRecord> {
        self.last.get(&kind).copied()
    }

    /// Returns the public key.
    pub fn public_key(&self) -> &S::PublicKey {
        &self.public
    }

    /// Returns the chain for which the guard signs.
    pub fn chain(&self) -> ChainId {
        self.chain
    }

    /// Returns the epoch and view of the last signed statement of a kind.
    pub fn last(&self, kind: Kind) -> Option<(u64, u64)> {
        self.last.get(&kind).map(GuardRecord::position)
    }

    /// Iterates over the records that a compacted log must keep: the last one of each kind, and those of presignatures in
    /// open epochs.
    pub fn records(&self) -> impl Iterator<Item = GuardRecord> + '_ {
        self.last.values().copied().chain(self.spending.records())
    }
}

/// Omits the secret key.
impl<S: Scheme> fmt::Debug for Guard<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard")
            .field("public", &self.public)
            .field("chain", &self.chain)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
