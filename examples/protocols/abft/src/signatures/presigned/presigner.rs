//! A member's presignatures of the running epochs, and the guard that records their use.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quorate::Result;
use quorate::guard::{Guard, GuardRecord, Spend};
use quorate::machine::MemberIndex;
use quorate::scheme::Scheme;
use quorate::threshold::ecdsa::{
    Deal, GroupKey, Opener, Opening, Presignatures, SignatureShare, Signed, Signing, Slot,
};
use quorate::threshold::{Agreed, Unagreed};

use super::group::{PresignatureGroup, plan};
use super::statement::StatementTag;

/// The sealed presignatures of a member, where they are stored. They survive a restart, except for those destroyed.
pub trait PresignatureSource: Send {
    /// Reads the presignatures of an epoch; `None` if there are none, or none that can be used.
    fn open(&mut self, epoch: u64) -> Option<Presignatures<PresignatureGroup>>;

    /// Destroys those of all epochs up to one.
    fn destroy(&mut self, up_to: u64);

    /// Returns the number of epochs for which there are presignatures.
    fn left(&self) -> u64;

    /// Reports a refused statement: the presignature signed another one before, so the records are older than what the member
    /// has sent.
    fn refused(&mut self, _epoch: u64, _index: u32) {}
}

/// A member's presignatures of the running epochs.
pub struct Presigner {
    key: Arc<GroupKey<PresignatureGroup>>,
    member: MemberIndex,
    state: Mutex<State>,
}

struct State {
    guard: Box<dyn Spender>,
    source: Box<dyn PresignatureSource>,
    epochs: BTreeMap<u64, Epoch>,
    /// Epochs in which an earlier process signed with presignatures.
    used: BTreeSet<u64>,
    /// The last closed epoch.
    closed: Option<u64>,
    records: Vec<GuardRecord>,
    refused: u64,
}

enum Epoch {
    Open {
        presignatures: Presignatures<PresignatureGroup>,
        /// Those that have signed, by index.
        used: BTreeMap<u32, Used>,
        falls_back: bool,
    },
    /// An earlier process signed with presignatures that are no longer there. The member signs with BLS the statements that their
    /// records allow.
    Lost,
}

struct Used {
    digest: [u8; 32],
    share: SignatureShare<PresignatureGroup>,
    opener: Opener<PresignatureGroup>,
}

/// Result of [`Presigner::sign`].
pub(super) enum Answer {
    /// There is no presignature for it: the member signs in another way.
    Without,
    /// The member must not sign it.
    Refused,
    /// The share.
    Share { share: SignatureShare<PresignatureGroup>, falls_back: bool },
}

/// A statement under its tag.
pub(super) enum AnySigning {
    Agreed(Signing<PresignatureGroup, Agreed>),
    Unagreed(Signing<PresignatureGroup, Unagreed>),
}

impl Presigner {
    /// Creates the presigner of a member from the durable records of its presignatures, or a new one without records. `guard`
    /// is restored from the same records.
    pub fn new<V: Scheme + 'static>(
        key: Arc<GroupKey<PresignatureGroup>>,
        member: MemberIndex,
        guard: Guard<V>,
        source: Box<dyn PresignatureSource>,
    ) -> Arc<Self> {
        let (ends, uses): (Vec<_>, Vec<_>) =
            guard.records().partition(|record| record.kind() == GuardRecord::CLOSED_EPOCH);
        let closed = ends.iter().map(GuardRecord::epoch).max();
        let used = uses.iter().map(GuardRecord::epoch).collect();
        let (guard, epochs, records) = (Box::new(guard), BTreeMap::new(), Vec::new());
        let state = State { guard, source, epochs, used, closed, records, refused: 0 };
        Arc::new(Self { key, member, state: Mutex::new(state) })
    }

    /// Returns the public key.
    pub fn key(&self) -> &Arc<GroupKey<PresignatureGroup>> {
        &self.key
    }

    /// Returns the member.
    pub fn member(&self) -> MemberIndex {
        self.member
    }

    /// Returns the public part of a running epoch's presignatures, which verifies evidence.
    pub fn deal(&self, epoch: u64) -> Option<Arc<Deal>> {
        match self.state().epochs.get(&epoch)? {
            Epoch::Open { presignatures, .. } => Some(presignatures.deal().clone()),
            Epoch::Lost => None,
        }
    }

    /// Returns the number of statements that were refused, because the presignature had signed another one.
    pub fn refused(&self) -> u64 {
        self.state().refused
    }

    /// Returns the number of epochs for which there are presignatures.
    pub fn epochs_left(&self) -> u64 {
        self.state().source.left()
    }

    pub(super) fn open_epoch(&self, epoch: u64, was_open: bool) -> bool {
        let mut state = self.state();
        let is_closed = state.closed.is_some_and(|closed| epoch <= closed);
        if state.epochs.contains_key(&epoch) {
            return true;
        }
        let opened = if is_closed { None } else { state.source.open(epoch) };
        match opened.filter(|presignatures| self.fits(presignatures, epoch)) {
            Some(presignatures) => {
                let opened = Epoch::Open { presignatures, used: BTreeMap::new(), falls_back: false };
                state.epochs.insert(epoch, opened);
                true
            }
            None if is_closed || was_open || state.used.contains(&epoch) => {
                state.epochs.insert(epoch, Epoch::Lost);
                true
            }
            None => false,
        }
    }

    fn fits(&self, presignatures: &Presignatures<PresignatureGroup>, epoch: u64) -> bool {
        let deal = presignatures.deal();
        presignatures.key().id() == self.key.id()
            && presignatures.member() == self.member
            && deal.epoch() == epoch
            && deal.plan() == plan(self.key.tolerance().parties())
    }

    pub(super) fn sign(&self, statement: &[u8]) -> Answer {
        let Some(tag) = self.tag(statement) else { return Answer::Without };
        let mut state = self.state();
        let State { guard, source, epochs, records, refused, .. } = &mut *state;
        let slot = self.slot(tag);
        let digest = slot.digest(statement);
        let Some(opened) = epochs.get_mut(&tag.epoch()) else { return Answer::Without };
        if let Epoch::Open { used, falls_back, .. } = opened
            && let Some(before) = used.get(&tag.index()).filter(|before| before.digest == digest)
        {
            return Answer::Share { share: before.share.clone(), falls_back: *falls_back };
        }
        // Before the presignature is taken: what is refused must not destroy it, because the statement that it has signed
        // may follow.
        let spend = Spend { key: slot.key.0, epoch: slot.epoch, index: slot.index, digest };
        let Ok(record) = guard.spend(&spend) else {
            *refused += 1;
            source.refused(tag.epoch(), tag.index());
            return Answer::Refused;
        };
        records.extend(record);
        let (presignatures, used, falls_back) = match opened {
            Epoch::Lost => return Answer::Without,
            Epoch::Open { presignatures, used, falls_back } => (presignatures, used, *falls_back),
        };
        let signed = match tag {
            StatementTag::Agreed(tag) => {
                presignatures.take(tag).and_then(|presignature| guard.agreed(presignature, statement))
            }
            StatementTag::Unagreed(tag) => {
                presignatures.take(tag).and_then(|presignature| guard.unagreed(presignature, statement))
            }
        };
        // Its record is the one above.
        let Ok(Signed { share, opener, .. }) = signed else {
            *refused += 1;
            source.refused(tag.epoch(), tag.index());
            return Answer::Refused;
        };
        used.insert(tag.index(), Used { digest, share: share.clone(), opener });
        Answer::Share { share, falls_back }
    }

    pub(super) fn has_signed(&self, statement: &[u8]) -> bool {
        self.with_used(statement, |_| ()).is_some()
    }

    pub(super) fn opening(&self, statement: &[u8]) -> Option<Opening<PresignatureGroup>> {
        self.with_used(statement, |used| used.opener.open().ok()).flatten()
    }

    pub(super) fn signing(&self, statement: &[u8]) -> Option<AnySigning> {
        let tag = self.tag(statement)?;
        let state = self.state();
        let Some(Epoch::Open { presignatures, .. }) = state.epochs.get(&tag.epoch()) else { return None };
        match tag {
            StatementTag::Agreed(tag) => presignatures.signing(tag, statement).ok().map(AnySigning::Agreed),
            StatementTag::Unagreed(tag) => {
                presignatures.signing(tag, statement).ok().map(AnySigning::Unagreed)
            }
        }
    }

    pub(super) fn fall_back(&self, epoch: u64) {
        if let Some(Epoch::Open { falls_back, .. }) = self.state().epochs.get_mut(&epoch) {
            *falls_back = true;
        }
    }

    pub(super) fn close_epochs(&self, up_to: u64) {
        let mut state = self.state();
        if state.closed.is_some_and(|closed| up_to <= closed) {
            return;
        }
        let record = state.guard.close(&self.key.id().0, up_to);
        state.records.push(record);
        state.closed = Some(up_to);
        state.epochs = state.epochs.split_off(&up_to.saturating_add(1));
        state.source.destroy(up_to);
    }

    pub(super) fn take_records(&self) -> Vec<GuardRecord> {
        std::mem::take(&mut self.state().records)
    }

    /// Applies a function to the presignature that signed a statement.
    fn with_used<T>(&self, statement: &[u8], apply: impl FnOnce(&Used) -> T) -> Option<T> {
        let tag = self.tag(statement)?;
        let state = self.state();
        let Some(Epoch::Open { used, .. }) = state.epochs.get(&tag.epoch()) else { return None };
        let digest = self.slot(tag).digest(statement);
        used.get(&tag.index()).filter(|used| used.digest == digest).map(apply)
    }

    fn tag(&self, statement: &[u8]) -> Option<StatementTag> {
        StatementTag::from_statement(&self.key.committee(), self.key.tolerance().parties(), statement)
    }

    fn slot(&self, tag: StatementTag) -> Slot {
        Slot { key: self.key.id(), epoch: tag.epoch(), index: tag.index() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Presigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Presigner(member {}, {:?})", self.member, self.key.id())
    }
}

/// A guard of any scheme.
trait Spender: Send {
    fn agreed(
        &mut self,
        presignature: quorate::threshold::ecdsa::Presignature<PresignatureGroup, Agreed>,
        message: &[u8],
    ) -> Result<Signed<PresignatureGroup>>;

    fn unagreed(
        &mut self,
        presignature: quorate::threshold::ecdsa::Presignature<PresignatureGroup, Unagreed>,
        message: &[u8],
    ) -> Result<Signed<PresignatureGroup>>;

    fn spend(&mut self, spend: &Spend) -> Result<Option<GuardRecord>>;

    fn close(&mut self, key: &[u8; 32], epoch: u64) -> GuardRecord;
}

impl<V: Scheme> Spender for Guard<V> {
    fn agreed(
        &mut self,
        presignature: quorate::threshold::ecdsa::Presignature<PresignatureGroup, Agreed>,
        message: &[u8],
    ) -> Result<Signed<PresignatureGroup>> {
        presignature.sign(self, message)
    }

    fn unagreed(
        &mut self,
        presignature: quorate::threshold::ecdsa::Presignature<PresignatureGroup, Unagreed>,
        message: &[u8],
    ) -> Result<Signed<PresignatureGroup>> {
        presignature.sign(self, message)
    }

    fn spend(&mut self, spend: &Spend) -> Result<Option<GuardRecord>> {
        Guard::spend(self, spend)
    }

    fn close(&mut self, key: &[u8; 32], epoch: u64) -> GuardRecord {
        self.close_epoch(key, epoch)
    }
}
