use std::boxed::Box;
use std::fmt::{self, Display};
use std::format;
use std::path::Path;
use std::vec::Vec;

use super::disk::{Disk, SystemDisk};
use super::file::path_text;
use super::store::{Journal, JournalDirectory};
use crate::certificate::{Kind, Statement, TimeoutVote, Vote};
use crate::committee::{ChainId, Committee};
use crate::guard::counter::{Floor, MonotonicCounter};
use crate::guard::external::ExternalKey;
use crate::guard::guard::Guard;
use crate::guard::record::GuardRecord;
use crate::guard::spending::Spend;
use crate::scheme::Scheme;
use crate::{Error, Result};

/// A secret key and the journal of its signatures in a directory: it returns a vote only once the vote's record is durable.
///
/// The functions that open a journal take the key, and one object has the journal: a second one, in this process or another,
/// is refused with [`Error::JournalInUse`]. Every failure leaves the key safe:
///
/// | error | meaning |
/// |---|---|
/// | [`JournalMissing`](Error::JournalMissing) | the directory has no journal. A journal never starts anew by itself |
/// | [`JournalExists`](Error::JournalExists) | `create` on the directory of an earlier journal |
/// | [`WrongContext`](Error::WrongContext) | the journal belongs to another key, chain or suite |
/// | [`JournalDamaged`](Error::JournalDamaged) | bytes were changed; see [`recover`](JournaledGuard::recover) |
/// | [`JournalFailed`](Error::JournalFailed) | a file operation failed. The vote was not released, and this object signs nothing more |
///
/// Cost of a signature: one write of 96 bytes and one `fdatasync`. A repeated vote needs neither. The file is rewritten at
/// each start, and when most of its records are obsolete.
pub struct JournaledGuard<S: Scheme> {
    guard: Guard<S>,
    journal: Journal,
    counter: Option<Box<dyn Counter>>,
}

impl<S: Scheme> JournaledGuard<S> {
    /// Creates the journal of a key that has **never signed on this chain**. The directory is created if its parent exists.
    ///
    /// # Errors
    /// [`Error::JournalExists`] if the directory has a journal; [`Error::JournalInUse`]; [`Error::JournalFailed`].
    pub fn create(directory: &Path, secret: S::SecretKey, chain: ChainId) -> Result<Self> {
        Self::create_on(Box::new(SystemDisk), directory, Guard::new(secret, chain), None)
    }

    /// Opens the journal of a key at every start after the first.
    ///
    /// # Errors
    /// [`Error::JournalMissing`], [`Error::JournalInUse`], [`Error::JournalDamaged`], [`Error::JournalFailed`];
    /// [`Error::WrongContext`] for the journal of another key, chain or suite; [`Error::Contradiction`] if the records
    /// prove that the key has signed twice.
    pub fn open(directory: &Path, secret: S::SecretKey, chain: ChainId) -> Result<Self> {
        Self::open_on(Box::new(SystemDisk), directory, Guard::new(secret, chain), None)
    }

    /// As [`create`](JournaledGuard::create), with a counter outside the directory, which shows at later starts whether the
    /// directory is an old copy.
    ///
    /// # Errors
    /// As [`create`](JournaledGuard::create), and [`Error::JournalFailed`] if the counter cannot be read.
    pub fn create_with_counter<C>(
        directory: &Path,
        secret: S::SecretKey,
        chain: ChainId,
        counter: C,
    ) -> Result<Self>
    where
        C: MonotonicCounter<Error: Display> + Send + 'static,
    {
        Self::create_on(Box::new(SystemDisk), directory, Guard::new(secret, chain), Some(Box::new(counter)))
    }

    /// As [`open`](JournaledGuard::open), with the counter of the earlier starts: nothing is signed up to its value, except
    /// the last recorded statements again, and no view from 2⁵⁶ on. Statements of different kinds must ascend by their view
    /// too, and those of one view by their kind. [`is_stale`](JournaledGuard::is_stale) tells whether records are missing.
    ///
    /// The counter does not cover presignatures. **If the guard is stale, close the current epoch of threshold keys**
    /// ([`close_epoch`](JournaledGuard::close_epoch)) before presignatures or statements are signed: records of spent ones
    /// are missing too, and `is_stale` returns false after the next signature.
    ///
    /// # Errors
    /// As [`open`](JournaledGuard::open), and [`Error::JournalFailed`] if the counter cannot be read.
    pub fn open_with_counter<C>(
        directory: &Path,
        secret: S::SecretKey,
        chain: ChainId,
        counter: C,
    ) -> Result<Self>
    where
        C: MonotonicCounter<Error: Display> + Send + 'static,
    {
        Self::open_on(Box::new(SystemDisk), directory, Guard::new(secret, chain), Some(Box::new(counter)))
    }

    /// Starts again after the journal was lost or damaged: nothing is signed at or below `view`, in any epoch and of any
    /// kind. Choose a view that the key **cannot have reached**, for example that of the chain's newest certificate and a
    /// margin of an hour. From then on no view from 2⁵⁶ on is signed.
    ///
    /// A damaged journal is kept beside the new one, with the suffix `.aside-1`; its intact records count. Views must not
    /// begin anew with an epoch. **Close the current epoch of threshold keys** ([`close_epoch`](JournaledGuard::close_epoch))
    /// before presignatures sign again: records of spent ones may be lost, and the view does not cover them.
    ///
    /// # Errors
    /// [`Error::JournalInUse`]; [`Error::JournalFailed`]; [`Error::WrongContext`] for the journal of another key, chain or
    /// suite; [`Error::Contradiction`] if the intact records prove that the key has signed twice; [`Error::TooLarge`] for a
    /// view above 2⁵⁶ − 2, before anything changes.
    pub fn recover(directory: &Path, secret: S::SecretKey, chain: ChainId, view: u64) -> Result<Self> {
        Self::recover_on(Box::new(SystemDisk), directory, Guard::new(secret, chain), view)
    }

    /// As [`create`](JournaledGuard::create), for a key outside this process, for example in a token. The records decide
    /// before the key is asked.
    ///
    /// # Errors
    /// As [`create`](JournaledGuard::create).
    pub fn create_external(directory: &Path, key: Box<dyn ExternalKey<S>>, chain: ChainId) -> Result<Self> {
        Self::create_on(Box::new(SystemDisk), directory, Guard::external(key, chain), None)
    }

    /// As [`open`](JournaledGuard::open), for a key outside this process.
    ///
    /// # Errors
    /// As [`open`](JournaledGuard::open).
    pub fn open_external(directory: &Path, key: Box<dyn ExternalKey<S>>, chain: ChainId) -> Result<Self> {
        Self::open_on(Box::new(SystemDisk), directory, Guard::external(key, chain), None)
    }

    /// As [`recover`](JournaledGuard::recover), for a key outside this process.
    ///
    /// # Errors
    /// As [`recover`](JournaledGuard::recover).
    pub fn recover_external(
        directory: &Path,
        key: Box<dyn ExternalKey<S>>,
        chain: ChainId,
        view: u64,
    ) -> Result<Self> {
        Self::recover_on(Box::new(SystemDisk), directory, Guard::external(key, chain), view)
    }

    pub(super) fn create_on(
        disk: Box<dyn Disk>,
        directory: &Path,
        guard: Guard<S>,
        counter: Option<Box<dyn Counter>>,
    ) -> Result<Self> {
        let place = JournalDirectory::lock(disk, directory, guard.binding(), true)?;
        place.require_none()?;
        Self::start(place, guard, 0, counter)
    }

    pub(super) fn open_on(
        disk: Box<dyn Disk>,
        directory: &Path,
        mut guard: Guard<S>,
        counter: Option<Box<dyn Counter>>,
    ) -> Result<Self> {
        let place = JournalDirectory::lock(disk, directory, guard.binding(), false)?;
        let file = place.load_existing()?;
        guard.restore_all(file.records)?;
        Self::start(place, guard, file.floor, counter)
    }

    pub(super) fn recover_on(
        disk: Box<dyn Disk>,
        directory: &Path,
        mut guard: Guard<S>,
        view: u64,
    ) -> Result<Self> {
        // The next view needs marks.
        if view >= GuardRecord::MAX_MARKED_VIEW {
            let limit = GuardRecord::MAX_MARKED_VIEW - 1;
            return Err(Error::TooLarge { what: "view of a recovery", limit });
        }
        let place = JournalDirectory::lock(disk, directory, guard.binding(), true)?;
        let intact = place.set_aside()?;
        guard.restore_all(intact.records)?;
        // The highest mark of the view.
        let floor = view << 8 | 0xff;
        Self::start(place, guard, floor.max(intact.floor), None)
    }

    fn start(
        place: JournalDirectory,
        mut guard: Guard<S>,
        floor: u64,
        mut counter: Option<Box<dyn Counter>>,
    ) -> Result<Self> {
        let journal = place.start(floor, guard.records().collect())?;
        let counted = match &mut counter {
            Some(counter) => Some(
                counter.value().map_err(|reason| counter_failed(&journal, "reading the counter", reason))?,
            ),
            None => None,
        };
        if floor > 0 || counted.is_some() {
            guard.set_floor(Floor::new(counted.unwrap_or(0).max(floor)), counted.is_some());
        }
        Ok(Self { guard, journal, counter })
    }

    /// Signs a statement unless it contradicts an earlier one, and returns the vote once its record is durable. The same
    /// statement again gives the same vote.
    ///
    /// # Errors
    /// As [`Guard::sign`], and [`Error::TooLarge`] if the journal is full of records of presignatures; then nothing is
    /// recorded, and after an error of an [`ExternalKey`] the object signs on. [`Error::JournalFailed`] if the record may not be durable; then the journal must be opened again.
    pub fn sign(&mut self, committee: &Committee<S>, statement: Statement) -> Result<Vote<S>> {
        self.record_vote(statement.kind, |guard| guard.sign(committee, statement))
    }

    /// Signs a timeout vote under the same rule: at most one value per view of a kind.
    ///
    /// # Errors
    /// As [`sign`](JournaledGuard::sign).
    pub fn sign_timeout(
        &mut self,
        committee: &Committee<S>,
        kind: Kind,
        view: u64,
        value: u64,
    ) -> Result<TimeoutVote<S>> {
        self.record_vote(kind, |guard| guard.sign_timeout(committee, kind, view, value))
    }

    /// Spends a presignature on a message; once this has returned, its share may leave. Spending it on the same message
    /// again succeeds. Presignatures of this crate do it in `Presignature::sign_journaled`.
    ///
    /// # Errors
    /// As [`Guard::spend`]; [`Error::TooLarge`] if the journal is full; [`Error::JournalFailed`].
    pub fn spend(&mut self, spend: &Spend) -> Result<()> {
        self.record_use(|guard| Ok((guard.spend(spend)?, ())))
    }

    /// Reserves the block of presignatures that contains `index`; once this has returned, spending presignatures of the
    /// block needs no records. After a restart the whole block is burnt.
    ///
    /// # Errors
    /// As [`Guard::reserve`]; [`Error::TooLarge`] if the journal is full; [`Error::JournalFailed`].
    pub fn reserve(&mut self, key: &[u8; 32], epoch: u64, index: u32) -> Result<()> {
        self.journal.require_usable()?;
        self.require_room(1)?;
        let record = self.guard.reserve(key, epoch, index)?;
        self.write(&record)?;
        self.guard.confirm(&record)
    }

    /// Closes an epoch of a threshold key and all earlier ones, durably: their remaining presignatures never sign.
    ///
    /// # Errors
    /// [`Error::JournalFailed`].
    pub fn close_epoch(&mut self, key: &[u8; 32], epoch: u64) -> Result<()> {
        self.journal.require_usable()?;
        let record = self.guard.close_epoch(key, epoch);
        self.write(&record)
    }

    /// Returns true if signatures may have left whose records are missing: the records end below the floor.
    pub fn is_stale(&self) -> bool {
        self.guard.is_stale()
    }

    /// Returns the public key.
    pub fn public_key(&self) -> &S::PublicKey {
        self.guard.public_key()
    }

    /// Returns the chain for which the key signs.
    pub fn chain(&self) -> ChainId {
        self.guard.chain()
    }

    /// Returns the epoch and view of the last signed statement of a kind.
    pub fn last(&self, kind: Kind) -> Option<(u64, u64)> {
        self.guard.last(kind)
    }

    /// Returns the directory of the journal.
    pub fn directory(&self) -> &Path {
        self.journal.directory()
    }

    #[cfg(test)]
    pub(super) fn set_capacity(&mut self, capacity: u64) {
        self.journal.set_capacity(capacity);
    }

    /// Lets the journal believe that another process has opened it.
    #[cfg(test)]
    pub(super) fn pretend_fork(&mut self) {
        self.journal.pretend_fork();
    }

    fn record_vote<T>(
        &mut self,
        kind: Kind,
        sign: impl FnOnce(&mut Guard<S>) -> Result<(T, GuardRecord)>,
    ) -> Result<T> {
        self.journal.require_usable()?;
        let last = self.guard.last_record(kind);
        self.require_room(usize::from(last.is_none()))?;
        let (vote, record) = sign(&mut self.guard)?;
        // A record in memory is durable, unless the journal failed.
        if last != Some(record) {
            self.write(&record)?;
        }
        if let Some(counter) = &mut self.counter
            && let Err(reason) = counter.raise(record.mark())
        {
            self.journal.fail();
            return Err(counter_failed(&self.journal, "advancing the counter", reason));
        }
        Ok(vote)
    }

    /// Spends a presignature by `sign`, and returns its value once the record is durable.
    pub(crate) fn record_use<T>(
        &mut self,
        sign: impl FnOnce(&mut Guard<S>) -> Result<(Option<GuardRecord>, T)>,
    ) -> Result<T> {
        self.journal.require_usable()?;
        self.require_room(1)?;
        let (record, value) = sign(&mut self.guard)?;
        if let Some(record) = record {
            self.write(&record)?;
        }
        Ok(value)
    }

    /// Checks that the journal can have more records; the guard in memory has not changed yet.
    fn require_room(&self, more: usize) -> Result<()> {
        self.journal.require_room(|| self.guard.records().count().saturating_add(more))
    }

    fn write(&mut self, record: &GuardRecord) -> Result<()> {
        let guard = &self.guard;
        self.journal.append(record, || guard.records().collect::<Vec<_>>())
    }
}

/// Omits the secret key.
impl<S: Scheme> fmt::Debug for JournaledGuard<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournaledGuard")
            .field("guard", &self.guard)
            .field("directory", &self.directory())
            .finish_non_exhaustive()
    }
}

/// A [`MonotonicCounter`] whose errors are texts.
pub(super) trait Counter: Send {
    fn value(&mut self) -> Result<u64, std::string::String>;
    fn raise(&mut self, value: u64) -> Result<(), std::string::String>;
}

impl<C: MonotonicCounter<Error: Display> + Send> Counter for C {
    fn value(&mut self) -> Result<u64, std::string::String> {
        self.read().map_err(|error| format!("{error}"))
    }

    fn raise(&mut self, value: u64) -> Result<(), std::string::String> {
        self.advance(value).map_err(|error| format!("{error}"))
    }
}

fn counter_failed(journal: &Journal, operation: &'static str, reason: std::string::String) -> Error {
    Error::JournalFailed { path: path_text(journal.directory()), operation, reason }
}
