//! Signing without contradictions: a durable record of each signature.

use std::sync::MutexGuard;

use quorate::Result;
use quorate::any::{self, Suite};
use quorate::certificate::Kind;
use quorate::guard;
use quorate::wire::{Decode, Encode};

use crate::committee::Committee;
use crate::ids::ChainId;
use crate::keys::{PublicKey, SecretKey};
use crate::statement::Statement;
use crate::timeouts::TimeoutVote;
use crate::votes::Vote;
use crate::{Locked, exactly};

/// Name of a threshold key's identifier in errors.
const KEY_ID: &str = "threshold key id";

class! {
    /// A secret key that never signs contradicting statements: per kind, the pair (epoch, view) strictly increases, or
    /// it repeats and the statement is identical. Each signature comes with a record: **make it durable**, file and
    /// directory, **before the vote leaves**. Threads may share a guard.
    object secret struct Guard { public: PublicKey, chain: ChainId, inner: Locked<any::Guard> }: Debug;
    shown |self, f| write!(f, "Guard({}, {})", self.suite(), self.public);
    /// Creates the guard of a key that has **never signed on this chain**; after a restart use [`Guard::restore`]. It
    /// takes the key: `secret` is closed afterwards.
    fn new(secret: SecretKey, chain: &ChainId) -> Self { Self::around(any::Guard::new(secret.0, chain.0)) }
    /// Returns the guard of a key that may have signed before, from all durable records, in any order. It takes the
    /// key: `secret` is closed afterwards, even if the records are rejected, since signing without them is unsafe.
    /// [`Error::WrongContext`](quorate::Error) for a record of another key, chain or suite.
    /// [`Error::Contradiction`](quorate::Error) if two records contradict each other.
    fn restore(secret: SecretKey, chain: &ChainId, records: &[&GuardRecord]) -> Result<Self> {
        let records = records.iter().map(|record| record.0);
        any::Guard::restore(secret.0, chain.0, records).map(Self::around)
    }
    /// Signs a statement. **Make the record durable before the vote leaves.** The same statement again gives the same
    /// vote and record.
    /// [`Error::Contradiction`](quorate::Error) if it contradicts an earlier one; then nothing is signed or recorded.
    /// [`Error::WrongContext`](quorate::Error) for a committee of another suite, chain or epoch, or without this key.
    fn sign(&self, committee: &Committee, statement: &Statement) -> Result<SignedVote> {
        let (vote, record) = self.lock().sign(&committee.0, statement.0)?;
        Ok(SignedVote { vote: Vote(vote), record: GuardRecord(record) })
    }
    /// Signs a timeout vote under the same rule: one value per view of a kind.
    /// [`Error::Contradiction`](quorate::Error) if it contradicts an earlier one; then nothing is signed or recorded.
    /// [`Error::WrongContext`](quorate::Error) for a committee of another suite, chain or epoch, or without this key.
    fn sign_timeout(&self, committee: &Committee, kind: u8, view: u64, value: u64) -> Result<SignedTimeout> {
        let (vote, record) = self.lock().sign_timeout(&committee.0, Kind::new(kind), view, value)?;
        Ok(SignedTimeout { vote: TimeoutVote(vote), record: GuardRecord(record) })
    }
    /// Reserves the block of 1,024 of a threshold key's presignatures that contains `index`; `key` is the identifier of
    /// the key. Once the record is durable and confirmed, signing with them needs no further record. **After a crash
    /// the whole block is burnt**, spent or not.
    /// [`Error::Exhausted`](quorate::Error) if it is burnt already, or its epoch is closed.
    /// [`Error::Malformed`](quorate::Error) for an identifier that does not have 32 bytes.
    fn reserve(&self, key: &[u8], epoch: u64, index: u32) -> Result<GuardRecord> {
        self.lock().reserve(&exactly(key, KEY_ID)?, epoch, index).map(GuardRecord)
    }
    /// Confirms that the record of a reservation is durable.
    /// [`Error::WrongContext`](quorate::Error) for any other record.
    fn confirm(&self, reservation: &GuardRecord) -> Result<()> { self.lock().confirm(&reservation.0) }
    /// Closes an epoch of a threshold key and all earlier ones: their remaining presignatures never sign. **Make the
    /// record durable.**
    /// [`Error::Malformed`](quorate::Error) for an identifier that does not have 32 bytes.
    fn close_epoch(&self, key: &[u8], epoch: u64) -> Result<GuardRecord> {
        Ok(GuardRecord(self.lock().close_epoch(&exactly(key, KEY_ID)?, epoch)))
    }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.public.suite() }
    /// The public key.
    getter fn public_key(&self) -> PublicKey { self.public.clone() }
    /// The chain that the guard signs for.
    getter fn chain(&self) -> ChainId { self.chain }
    /// Returns the epoch and view of the last statement of a kind; nothing if there is none.
    quick fn last(&self, kind: u8) -> Option<Place> {
        self.lock().last(Kind::new(kind)).map(|(epoch, view)| Place { epoch, view })
    }
    /// The last record of each kind, and the spent presignatures of open epochs: all that a compacted log must contain.
    getter computed fn records(&self) -> Vec<GuardRecord> {
        self.lock().records().into_iter().map(GuardRecord).collect()
    }
}

impl Guard {
    fn around(guard: any::Guard) -> Self {
        let (public, chain) = (PublicKey(guard.public_key()), ChainId(guard.chain()));
        Self { public, chain, inner: Locked::new(guard) }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, any::Guard> {
        self.inner.lock()
    }
}

/// A vote, and the record that must be durable before it leaves.
pub struct SignedVote {
    /// Send this once the record is durable.
    pub vote: Vote,
    /// Make this durable first.
    pub record: GuardRecord,
}

/// A timeout vote, and the record that must be durable before it leaves.
pub struct SignedTimeout {
    /// Send this once the record is durable.
    pub vote: TimeoutVote,
    /// Make this durable first.
    pub record: GuardRecord,
}

/// Epoch and view of a statement.
pub struct Place {
    /// The epoch.
    pub epoch: u64,
    /// The view.
    pub view: u64,
}

class! {
    /// Record of the last statement of one kind, or of spent presignatures. Make it durable **before** the vote or the
    /// share leaves.
    encoded struct GuardRecord(pub guard::GuardRecord): Clone, Copy, Debug, PartialEq, Eq;
    shown |self, f|
        write!(f, "GuardRecord(kind {}, epoch {}, view {})", self.kind(), self.epoch(), self.view());
    const LEN: u32 = 81 == guard::GuardRecord::LEN, "Bytes of an encoded record.";
    /// Decodes the 81 bytes.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a record.
    quick fn decode(bytes: &[u8]) -> Result<Self> { guard::GuardRecord::decode(bytes, &()).map(Self) }
    /// Returns the 81 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Kind of the statement, or of the record about presignatures.
    getter fn kind(&self) -> u8 { self.0.kind().number() }
    /// Epoch of the statement or of the presignatures.
    getter fn epoch(&self) -> u64 { self.0.epoch() }
    /// View of the statement, or position of the presignatures.
    getter fn view(&self) -> u64 { self.0.view() }
}
