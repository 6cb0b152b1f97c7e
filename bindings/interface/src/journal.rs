//! Signing without contradictions, with the records in a directory. A web page has none.

use std::path::Path;

use quorate::any::{self, Suite};
use quorate::certificate::Kind;
use quorate::guard::ethereum;
use quorate::{Error, Result};

use crate::Locked;
use crate::committee::Committee;
use crate::exactly;
use crate::guard::Place;
use crate::ids::ChainId;
use crate::keys::{PublicKey, SecretKey, Signature};
use crate::statement::Statement;
use crate::timeouts::TimeoutVote;
use crate::votes::Vote;

class! {
    /// A secret key and the journal of its signatures in a directory: it returns a vote only once the vote's record is
    /// durable. One object has the journal of a key, in all processes; close it to open the journal again. After a
    /// failed write it signs nothing more. The message of an error of the journal says how to recover; after a wrong
    /// context correct the path or the key, and after a contradiction there is nothing to recover.
    object secret struct JournaledGuard {
        public: PublicKey,
        chain: ChainId,
        /// The core's guard.
        inner: Locked<any::JournaledGuard>,
    }: Debug;
    shown |self, f| write!(f, "JournaledGuard({}, {})", self.suite(), self.public);
    /// Creates the journal of a key that has **never signed on this chain**. The directory is created if its parent
    /// exists. It takes the key: `secret` is closed afterwards, even if the call fails.
    /// [`Error::JournalExists`](quorate::Error) if the directory has a journal.
    /// [`Error::JournalInUse`](quorate::Error) if another object or process has it open.
    /// [`Error::JournalFailed`](quorate::Error) if a file operation fails.
    fn create(directory: String, secret: SecretKey, chain: &ChainId) -> Result<Self> {
        any::JournaledGuard::create(Path::new(&directory), secret.0, chain.0).map(Self::around)
    }
    /// Opens the journal of a key at every start after the first. It takes the key: `secret` is closed afterwards, even
    /// if the call fails.
    /// [`Error::JournalMissing`](quorate::Error) if there is none.
    /// [`Error::JournalInUse`](quorate::Error) if another object or process has it open.
    /// [`Error::JournalDamaged`](quorate::Error) if bytes of it were changed.
    /// [`Error::JournalFailed`](quorate::Error) if a file operation fails.
    /// [`Error::WrongContext`](quorate::Error) for the journal of another key, chain or suite.
    /// [`Error::Contradiction`](quorate::Error) if the records prove that the key has signed twice.
    fn open(directory: String, secret: SecretKey, chain: &ChainId) -> Result<Self> {
        any::JournaledGuard::open(Path::new(&directory), secret.0, chain.0).map(Self::around)
    }
    /// Starts again after the journal was lost or damaged: nothing is signed at or below `view`. Choose a view that the
    /// key **cannot have reached**; views from 2⁵⁶ on are refused afterwards. A damaged journal is kept beside the new
    /// one. It takes the key: `secret` is closed afterwards, even if the call fails.
    /// [`Error::JournalInUse`](quorate::Error) if another object or process has it open.
    /// [`Error::JournalFailed`](quorate::Error) if a file operation fails.
    /// [`Error::WrongContext`](quorate::Error) for the journal of another key, chain or suite.
    /// [`Error::Contradiction`](quorate::Error) if the intact records prove that the key has signed twice.
    /// [`Error::TooLarge`](quorate::Error) for a view above 2⁵⁶ − 2.
    fn recover(directory: String, secret: SecretKey, chain: &ChainId, view: u64) -> Result<Self> {
        any::JournaledGuard::recover(Path::new(&directory), secret.0, chain.0, view).map(Self::around)
    }
    /// Signs a statement, and returns the vote once its record is durable. The same statement again gives the same
    /// vote.
    /// [`Error::Contradiction`](quorate::Error) if it contradicts an earlier one.
    /// [`Error::WrongContext`](quorate::Error) for a committee of another suite, chain or epoch, or without this key.
    /// [`Error::JournalFailed`](quorate::Error) if the record may not be durable: close this object, and open it again.
    /// [`Error::JournalInUse`](quorate::Error) in a fork of the process that opened the journal.
    fn sign(&self, committee: &Committee, statement: &Statement) -> Result<Vote> {
        self.inner.lock().sign(&committee.0, statement.0).map(Vote)
    }
    /// Signs a timeout vote under the same rule: one value per view of a kind.
    /// [`Error::Contradiction`](quorate::Error) if it contradicts an earlier one.
    /// [`Error::WrongContext`](quorate::Error) for a committee of another suite, chain or epoch, or without this key.
    /// [`Error::JournalFailed`](quorate::Error) if the record may not be durable: close this object, and open it again.
    /// [`Error::JournalInUse`](quorate::Error) in a fork of the process that opened the journal.
    fn sign_timeout(&self, committee: &Committee, kind: u8, view: u64, value: u64) -> Result<TimeoutVote> {
        self.inner.lock().sign_timeout(&committee.0, Kind::new(kind), view, value).map(TimeoutVote)
    }
    /// The signature scheme.
    getter fn suite(&self) -> Suite { self.public.suite() }
    /// The public key.
    getter fn public_key(&self) -> PublicKey { self.public.clone() }
    /// The chain that the key signs for.
    getter fn chain(&self) -> ChainId { self.chain }
    /// Returns true if signatures may have left whose records are missing: after a recovery, until the first signature.
    fn is_stale(&self) -> bool { self.inner.lock().is_stale() }
    /// Returns the epoch and view of the last statement of a kind; nothing if there is none.
    fn last(&self, kind: u8) -> Option<Place> {
        self.inner.lock().last(Kind::new(kind)).map(|(epoch, view)| Place { epoch, view })
    }
}

impl JournaledGuard {
    fn around(guard: any::JournaledGuard) -> Self {
        let (public, chain) = (PublicKey(guard.public_key()), ChainId(guard.chain()));
        Self { public, chain, inner: Locked::new(guard) }
    }
}

class! {
    /// Ethereum's slashing protection: the attestations and blocks of all keys of a chain, in a directory. It signs a
    /// message only if it contradicts no earlier one, and once its record is durable. Histories move between clients by
    /// the interchange format of EIP-3076. Keys have the suite `bls-min-pk`. It holds no secret; close it to open the
    /// directory again.
    object secret struct SlashingProtection {
        /// The core's protection.
        inner: Locked<ethereum::SlashingProtection>,
    }: Debug;
    shown |self, f| f.write_str("SlashingProtection()");
    /// Creates the journal of a chain, which its genesis validators root names, without keys. The directory is created
    /// if its parent exists.
    /// [`Error::JournalExists`](quorate::Error) if the directory has a journal.
    /// [`Error::JournalInUse`](quorate::Error) if another object or process has it open.
    /// [`Error::JournalFailed`](quorate::Error) if a file operation fails.
    /// [`Error::Malformed`](quorate::Error) for a root that does not have 32 bytes.
    fn create(directory: String, genesis_validators_root: &[u8]) -> Result<Self> {
        let root = exactly(genesis_validators_root, ROOT)?;
        ethereum::SlashingProtection::create(Path::new(&directory), root).map(Self::around)
    }
    /// Opens the journal of a chain at every start after the first.
    /// [`Error::JournalMissing`](quorate::Error) if there is none.
    /// [`Error::JournalInUse`](quorate::Error) if another object or process has it open.
    /// [`Error::JournalDamaged`](quorate::Error) if bytes of it were changed.
    /// [`Error::JournalFailed`](quorate::Error) if a file operation fails.
    /// [`Error::WrongContext`](quorate::Error) for the journal of another chain.
    /// [`Error::Malformed`](quorate::Error) for a root that does not have 32 bytes.
    fn open(directory: String, genesis_validators_root: &[u8]) -> Result<Self> {
        let root = exactly(genesis_validators_root, ROOT)?;
        ethereum::SlashingProtection::open(Path::new(&directory), root).map(Self::around)
    }
    /// Starts again after the journal was lost or damaged: these keys, and those that are intact in the journal, sign
    /// no message that could contradict one with a slot up to `slot` and a target up to `epoch`. Choose what the keys
    /// **cannot have reached**.
    /// [`Error::JournalInUse`](quorate::Error) if another object or process has it open.
    /// [`Error::JournalFailed`](quorate::Error) if a file operation fails.
    /// [`Error::WrongContext`](quorate::Error) for the journal of another chain, or a key of another suite.
    /// [`Error::Malformed`](quorate::Error) for a root that does not have 32 bytes.
    fn recover(
        directory: String,
        genesis_validators_root: &[u8],
        public_keys: &[&PublicKey],
        slot: u64,
        epoch: u64,
    ) -> Result<Self> {
        let root = exactly(genesis_validators_root, ROOT)?;
        let keys: Vec<Vec<u8>> = public_keys.iter().map(|key| bytes_of(key)).collect::<Result<_>>()?;
        let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
        ethereum::SlashingProtection::recover(Path::new(&directory), root, &keys, slot, epoch)
            .map(Self::around)
    }
    /// Adds a key that has **never signed on this chain**. For any other key import its history.
    /// [`Error::WrongContext`](quorate::Error) for a key of another suite.
    /// [`Error::TooLarge`](quorate::Error) above 16,384 keys.
    /// [`Error::JournalFailed`](quorate::Error) if the record may not be durable.
    fn add_key(&self, public_key: &PublicKey) -> Result<()> {
        self.inner.lock().add_key(&bytes_of(public_key)?)
    }
    /// Signs a block, and returns the signature once its record is durable. The same block again gives the same
    /// signature.
    /// [`Error::Contradiction`](quorate::Error) if it contradicts an earlier block.
    /// [`Error::WrongContext`](quorate::Error) for a key that was neither added nor imported, or of another suite.
    /// [`Error::Malformed`](quorate::Error) for a root that does not have 32 bytes.
    /// [`Error::JournalFailed`](quorate::Error) if the record may not be durable: close this object, and open it again.
    fn sign_block(&self, secret_key: &SecretKey, slot: u64, signing_root: &[u8]) -> Result<Signature> {
        let root = exactly(signing_root, SIGNING_ROOT)?;
        let any::SecretKey::MinPk(secret) = &secret_key.0 else { return Err(wrong_suite()) };
        self.inner.lock().sign_block(secret, slot, root).map(|signature| Signature(signature.into()))
    }
    /// Signs an attestation, and returns the signature once its record is durable. The same attestation again gives the
    /// same signature.
    /// [`Error::Contradiction`](quorate::Error) for a second vote for the target, or if one attestation surrounds the
    /// other.
    /// [`Error::WrongContext`](quorate::Error) for a key that was neither added nor imported, or of another suite.
    /// [`Error::Malformed`](quorate::Error) for a root that does not have 32 bytes, or a source above the target.
    /// [`Error::JournalFailed`](quorate::Error) if the record may not be durable: close this object, and open it again.
    fn sign_attestation(
        &self,
        secret_key: &SecretKey,
        source_epoch: u64,
        target_epoch: u64,
        signing_root: &[u8],
    ) -> Result<Signature> {
        let root = exactly(signing_root, SIGNING_ROOT)?;
        let any::SecretKey::MinPk(secret) = &secret_key.0 else { return Err(wrong_suite()) };
        let signature = self.inner.lock().sign_attestation(secret, source_epoch, target_epoch, root)?;
        Ok(Signature(signature.into()))
    }
    /// Returns once a remote signer may sign the block.
    /// [`Error::Contradiction`](quorate::Error) if it contradicts an earlier block.
    /// [`Error::WrongContext`](quorate::Error) for a key that was neither added nor imported, or of another suite.
    /// [`Error::Malformed`](quorate::Error) for a root that does not have 32 bytes.
    /// [`Error::JournalFailed`](quorate::Error) if the record may not be durable: close this object, and open it again.
    fn record_block(&self, public_key: &PublicKey, slot: u64, signing_root: &[u8]) -> Result<()> {
        let root = exactly(signing_root, SIGNING_ROOT)?;
        self.inner.lock().record_block(&bytes_of(public_key)?, slot, root)
    }
    /// Returns once a remote signer may sign the attestation.
    /// [`Error::Contradiction`](quorate::Error) for a second vote for the target, or if one attestation surrounds the
    /// other.
    /// [`Error::WrongContext`](quorate::Error) for a key that was neither added nor imported, or of another suite.
    /// [`Error::Malformed`](quorate::Error) for a root that does not have 32 bytes, or a source above the target.
    /// [`Error::JournalFailed`](quorate::Error) if the record may not be durable: close this object, and open it again.
    fn record_attestation(
        &self,
        public_key: &PublicKey,
        source_epoch: u64,
        target_epoch: u64,
        signing_root: &[u8],
    ) -> Result<()> {
        let root = exactly(signing_root, SIGNING_ROOT)?;
        self.inner.lock().record_attestation(&bytes_of(public_key)?, source_epoch, target_epoch, root)
    }
    /// Imports an interchange file of EIP-3076, all of it or nothing. Import only what a **stopped** client has
    /// exported.
    /// [`Error::Malformed`](quorate::Error) if it is not of the EIP's schema.
    /// [`Error::TooLarge`](quorate::Error) above 256 MiB or 16,384 keys.
    /// [`Error::WrongContext`](quorate::Error) for another chain or version.
    /// [`Error::JournalFailed`](quorate::Error) if the histories may not be durable.
    fn import_interchange(&self, json: &[u8]) -> Result<()> { self.inner.lock().import_interchange(json) }
    /// Returns the interchange file of all keys. Sign nothing more with them here once another client has it.
    /// [`Error::TooLarge`](quorate::Error) above 256 MiB.
    fn export_interchange(&self) -> Result<String> { self.inner.lock().export_interchange() }
}

impl SlashingProtection {
    fn around(protection: ethereum::SlashingProtection) -> Self {
        Self { inner: Locked::new(protection) }
    }
}

/// Names in errors.
const ROOT: &str = "genesis validators root";
const SIGNING_ROOT: &str = "signing root";

fn wrong_suite() -> Error {
    Error::WrongContext { what: "suite" }
}

/// The encoding of a key of the suite `bls-min-pk`.
fn bytes_of(key: &PublicKey) -> Result<Vec<u8>> {
    if key.suite() == Suite::MinPk { Ok(key.encode()) } else { Err(wrong_suite()) }
}
