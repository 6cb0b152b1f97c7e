use std::boxed::Box;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::string::String;
use std::vec::Vec;

use super::history::{History, MAX_RECORDS_PER_KEY, attestation_record, block_record, key_of, key_record};
use super::interchange::{Attestation, Block, Interchange};
use crate::bls::{Ciphersuite, MinPk};
use crate::guard::journal::disk::{Disk, SystemDisk};
use crate::guard::journal::file::MAX_RECORDS;
use crate::guard::journal::store::{Journal, JournalDirectory};
use crate::guard::record::GuardRecord;
use crate::scheme::Scheme;
use crate::wire::domain;
use crate::{Error, Result};

/// Maximum number of keys in one journal, so that their full windows fit.
pub const MAX_KEYS: usize = 16_384;

// Between two rewritings of full windows, a million records can be written.
const _: () = assert!(MAX_KEYS as u64 * MAX_RECORDS_PER_KEY as u64 + (1 << 20) <= MAX_RECORDS);

/// The part of a binding that distinguishes these records from those of a guard.
const PURPOSE: u8 = 2;

const UNKNOWN_KEY: Error = Error::WrongContext {
    what: "public key without history; import it, or add the key if it has never signed",
};

type Secret = <MinPk as Scheme>::SecretKey;
type Signature = <MinPk as Scheme>::Signature;

/// The messages that the keys of one Ethereum chain have signed, in a directory. See the [module](super).
///
/// The errors of the journal are those of [`JournaledGuard`](crate::guard::JournaledGuard). An
/// [`Error::Contradiction`] has the kind 1 and a slot for a block, the kind 3 and a target epoch for an attestation.
///
/// Cost of a signature: one write of 96 bytes, one `fdatasync`, and at most [`MAX_ATTESTATIONS`](super::MAX_ATTESTATIONS)
/// comparisons.
pub struct SlashingProtection {
    genesis_validators_root: [u8; 32],
    keys: BTreeMap<[u8; 48], History>,
    journal: Journal,
}

impl SlashingProtection {
    /// Creates the journal of a chain, without keys. The directory is created if its parent exists.
    ///
    /// # Errors
    /// [`Error::JournalExists`], [`Error::JournalInUse`], [`Error::JournalFailed`].
    pub fn create(directory: &Path, genesis_validators_root: [u8; 32]) -> Result<Self> {
        Self::create_on(Box::new(SystemDisk), directory, genesis_validators_root)
    }

    /// Opens the journal of a chain at every start after the first.
    ///
    /// # Errors
    /// [`Error::JournalMissing`], [`Error::JournalInUse`], [`Error::JournalDamaged`], [`Error::JournalFailed`];
    /// [`Error::WrongContext`] for the journal of another chain or of a guard.
    pub fn open(directory: &Path, genesis_validators_root: [u8; 32]) -> Result<Self> {
        Self::open_on(Box::new(SystemDisk), directory, genesis_validators_root)
    }

    /// Starts again after the journal was lost or damaged. No message of `public_keys`, or of a key that is intact in the
    /// journal, is signed that could contradict one with a slot up to `slot` and a target up to `epoch`. Choose a slot and an
    /// epoch that the keys **cannot have reached**: those of the clock, and a margin.
    ///
    /// Attestations begin again once the chain has justified `epoch`. A damaged journal is kept beside the new one, with the
    /// suffix `.aside-1`. Other keys must be imported.
    ///
    /// # Errors
    /// [`Error::JournalInUse`]; [`Error::JournalFailed`]; [`Error::WrongContext`] for the journal of another chain;
    /// [`Error::WrongLength`] for a key that does not have 48 bytes; [`Error::TooLarge`] above [`MAX_KEYS`] keys.
    pub fn recover(
        directory: &Path,
        genesis_validators_root: [u8; 32],
        public_keys: &[&[u8]],
        slot: u64,
        epoch: u64,
    ) -> Result<Self> {
        Self::recover_on(Box::new(SystemDisk), directory, genesis_validators_root, public_keys, slot, epoch)
    }

    pub(super) fn recover_on(
        disk: Box<dyn Disk>,
        directory: &Path,
        root: [u8; 32],
        public_keys: &[&[u8]],
        slot: u64,
        epoch: u64,
    ) -> Result<Self> {
        let public_keys: Vec<_> =
            public_keys.iter().map(|key| public_key_bytes(key)).collect::<Result<_>>()?;
        require_key_count(public_keys.len())?;
        let place = JournalDirectory::lock(disk, directory, chain_binding(&root), true)?;
        let intact = place.set_aside()?;
        let mut keys = restore(&root, &intact.records, |_| Ok(()))?;
        for key in public_keys {
            keys.entry(key).or_default();
        }
        require_key_count(keys.len())?;
        keys.values_mut().for_each(|history| history.begin_above(slot, epoch));
        let journal = place.start(intact.floor, records(&root, &keys))?;
        Ok(Self { genesis_validators_root: root, keys, journal })
    }

    pub(super) fn create_on(disk: Box<dyn Disk>, directory: &Path, root: [u8; 32]) -> Result<Self> {
        let place = JournalDirectory::lock(disk, directory, chain_binding(&root), true)?;
        place.require_none()?;
        let journal = place.start(0, Vec::new())?;
        Ok(Self { genesis_validators_root: root, keys: BTreeMap::new(), journal })
    }

    pub(super) fn open_on(disk: Box<dyn Disk>, directory: &Path, root: [u8; 32]) -> Result<Self> {
        let place = JournalDirectory::lock(disk, directory, chain_binding(&root), false)?;
        let file = place.load_existing()?;
        let keys = restore(&root, &file.records, Err)?;
        let journal = place.start(file.floor, records(&root, &keys))?;
        Ok(Self { genesis_validators_root: root, keys, journal })
    }

    /// Adds a key that has **never signed on this chain**. For any other key [import](SlashingProtection::import_interchange) its
    /// history. A key that is known already keeps its history.
    ///
    /// # Errors
    /// [`Error::WrongLength`] for a key that does not have 48 bytes; [`Error::TooLarge`] above [`MAX_KEYS`];
    /// [`Error::JournalFailed`].
    pub fn add_key(&mut self, public_key: &[u8]) -> Result<()> {
        self.journal.require_usable()?;
        let key = public_key_bytes(public_key)?;
        if self.keys.contains_key(&key) {
            return Ok(());
        }
        require_key_count(self.keys.len().saturating_add(1))?;
        self.require_room()?;
        self.keys.insert(key, History::default());
        self.write(&key_record(key_binding(&self.genesis_validators_root, &key), &key))
    }

    /// Signs a block unless it contradicts an earlier one, and returns the signature once its record is durable.
    ///
    /// `signing_root` is `compute_signing_root(block, domain)`; the same slot and root again give the same signature.
    ///
    /// # Errors
    /// As [`record_block`](SlashingProtection::record_block).
    pub fn sign_block(&mut self, secret: &Secret, slot: u64, signing_root: [u8; 32]) -> Result<Signature> {
        self.record_block(MinPk::public_key(secret).as_bytes(), slot, signing_root)?;
        Ok(Ciphersuite::ProofOfPossession.sign(secret, &signing_root))
    }

    /// Signs an attestation unless it contradicts an earlier one, and returns the signature once its record is durable.
    ///
    /// # Errors
    /// As [`record_attestation`](SlashingProtection::record_attestation).
    pub fn sign_attestation(
        &mut self,
        secret: &Secret,
        source_epoch: u64,
        target_epoch: u64,
        signing_root: [u8; 32],
    ) -> Result<Signature> {
        let public = MinPk::public_key(secret);
        self.record_attestation(public.as_bytes(), source_epoch, target_epoch, signing_root)?;
        Ok(Ciphersuite::ProofOfPossession.sign(secret, &signing_root))
    }

    /// Returns once a remote signer may sign the block: it contradicts no earlier one, and its record is durable.
    ///
    /// # Errors
    /// [`Error::Contradiction`] with the slot of the earlier block or the watermark; [`Error::WrongContext`] for a key
    /// that was neither added nor imported; [`Error::WrongLength`]; [`Error::JournalFailed`].
    pub fn record_block(&mut self, public_key: &[u8], slot: u64, signing_root: [u8; 32]) -> Result<()> {
        self.journal.require_usable()?;
        let key = public_key_bytes(public_key)?;
        self.require_room()?;
        if self.history(&key)?.block(slot, signing_root)? {
            let block = Block { slot, signing_root: Some(signing_root) };
            self.write(&block_record(key_binding(&self.genesis_validators_root, &key), &block))?;
        }
        Ok(())
    }

    /// Returns once a remote signer may sign the attestation: it contradicts no earlier one, and its record is durable.
    ///
    /// # Errors
    /// [`Error::Contradiction`] with the target epoch of the earlier attestation or the watermark;
    /// [`Error::Malformed`] for a source above the target; [`Error::WrongContext`] for a key that was neither added nor
    /// imported; [`Error::WrongLength`]; [`Error::JournalFailed`].
    pub fn record_attestation(
        &mut self,
        public_key: &[u8],
        source_epoch: u64,
        target_epoch: u64,
        signing_root: [u8; 32],
    ) -> Result<()> {
        self.journal.require_usable()?;
        let key = public_key_bytes(public_key)?;
        self.require_room()?;
        if self.history(&key)?.attestation(source_epoch, target_epoch, signing_root)? {
            let one = Attestation { source_epoch, target_epoch, signing_root: Some(signing_root) };
            self.write(&attestation_record(key_binding(&self.genesis_validators_root, &key), &one))?;
        }
        Ok(())
    }

    /// Imports an interchange file, all of it or nothing. Import only what a **stopped** client has exported.
    ///
    /// # Errors
    /// As [`Interchange::parse`]; [`Error::WrongContext`] for another chain; [`Error::TooLarge`] above [`MAX_KEYS`];
    /// [`Error::JournalFailed`].
    pub fn import_interchange(&mut self, json: &[u8]) -> Result<()> {
        self.journal.require_usable()?;
        let interchange = Interchange::parse(json)?;
        if interchange.genesis_validators_root != self.genesis_validators_root {
            return Err(Error::WrongContext { what: "genesis validators root" });
        }
        let mut keys = self.keys.clone();
        // A key can have several histories in the file, and its watermarks are the lowest messages of all of them.
        for (key, history) in interchange.merged() {
            keys.entry(key).or_default().import(&history);
        }
        require_key_count(keys.len())?;
        self.journal.rewrite(records(&self.genesis_validators_root, &keys))?;
        self.keys = keys;
        Ok(())
    }

    /// Returns the interchange file of all keys. Sign nothing more with them here once another client has it.
    ///
    /// # Errors
    /// [`Error::TooLarge`] above [`MAX_INTERCHANGE`](super::MAX_INTERCHANGE): with full windows that is at about 3,500 keys.
    /// Export [some of them](SlashingProtection::export_interchange_of) at a time then.
    pub fn export_interchange(&self) -> Result<String> {
        self.export(self.keys.iter())
    }

    /// Returns the interchange file of some keys.
    ///
    /// # Errors
    /// As [`export_interchange`](SlashingProtection::export_interchange); [`Error::WrongContext`] for a key without history;
    /// [`Error::WrongLength`].
    pub fn export_interchange_of(&self, public_keys: &[&[u8]]) -> Result<String> {
        let mut chosen = BTreeMap::new();
        for key in public_keys {
            let key = public_key_bytes(key)?;
            let (key, history) = self.keys.get_key_value(&key).ok_or(UNKNOWN_KEY)?;
            chosen.insert(key, history);
        }
        self.export(chosen.into_iter())
    }

    fn export<'a>(&self, keys: impl Iterator<Item = (&'a [u8; 48], &'a History)>) -> Result<String> {
        let data = keys.map(|(key, history)| history.export(*key)).collect();
        Interchange { genesis_validators_root: self.genesis_validators_root, data }.to_json()
    }

    /// Iterates over the public keys, ascending.
    pub fn keys(&self) -> impl Iterator<Item = &[u8; 48]> {
        self.keys.keys()
    }

    /// Returns the root that names the chain.
    pub fn genesis_validators_root(&self) -> [u8; 32] {
        self.genesis_validators_root
    }

    fn history(&mut self, key: &[u8; 48]) -> Result<&mut History> {
        self.keys.get_mut(key).ok_or(UNKNOWN_KEY)
    }

    /// Checks that the journal can have one more record; the histories in memory have not changed yet.
    fn require_room(&self) -> Result<()> {
        let current = || records(&self.genesis_validators_root, &self.keys).len();
        self.journal.require_room(|| current().saturating_add(1))
    }

    fn write(&mut self, record: &GuardRecord) -> Result<()> {
        let (root, keys) = (&self.genesis_validators_root, &self.keys);
        self.journal.append(record, || records(root, keys))
    }
}

impl fmt::Debug for SlashingProtection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlashingProtection")
            .field("directory", &self.journal.directory())
            .field("keys", &self.keys.len())
            .finish_non_exhaustive()
    }
}

/// Restores the histories; `refuse` decides whether a record that belongs to none is an error.
fn restore(
    root: &[u8; 32],
    records: &[GuardRecord],
    refuse: impl Fn(Error) -> Result<()>,
) -> Result<BTreeMap<[u8; 48], History>> {
    let wrong = || Error::Malformed { what: "record of a slashing protection" };
    let mut known = BTreeMap::new();
    for record in records {
        if let Some(key) = key_of(record) {
            if record.binding == key_binding(root, &key) {
                known.entry(record.binding).or_insert_with(|| (key, History::default()));
            } else {
                refuse(wrong())?;
            }
        } else if !known.get_mut(&record.binding).is_some_and(|(_, history)| history.restore(record)) {
            refuse(wrong())?;
        }
    }
    Ok(known.into_values().collect())
}

/// Returns all records; that of a key comes before those of its messages.
fn records(root: &[u8; 32], keys: &BTreeMap<[u8; 48], History>) -> Vec<GuardRecord> {
    let of_one = |(key, history): (&[u8; 48], &History)| {
        let binding = key_binding(root, key);
        let mut records = Vec::from([key_record(binding, key)]);
        records.extend(history.records(binding));
        records
    };
    keys.iter().flat_map(of_one).collect()
}

fn require_key_count(count: usize) -> Result<()> {
    if count <= MAX_KEYS {
        return Ok(());
    }
    Err(Error::TooLarge { what: "number of keys of a slashing protection", limit: MAX_KEYS as u64 })
}

fn chain_binding(root: &[u8; 32]) -> [u8; 32] {
    domain::hash(domain::GUARD, &[&[MinPk::SUITE][..], root, &[PURPOSE]].concat())
}

fn key_binding(root: &[u8; 32], key: &[u8; 48]) -> [u8; 32] {
    domain::hash(domain::GUARD, &[&[MinPk::SUITE][..], root, key, &[PURPOSE]].concat())
}

fn public_key_bytes(public_key: &[u8]) -> Result<[u8; 48]> {
    let wrong = Error::WrongLength { what: "public key", expected: 48, actual: public_key.len() as u64 };
    public_key.try_into().map_err(|_| wrong)
}
