//! Gosig's epochs: the committees that decoders need, and conversions between the node's types and Gosig's.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use quorate::scheme::Scheme;
use quorate::sortition::Seed;
use quorate::wire::{Decode, Encode, Reader, Writer, domain};
use quorate::{Error, Result};
use quorate_gosig::{
    Anchor, Block, BlockDigest, CHANGE_PREFIX, Change, Committees, Finality, GosigScheme, Record, Transaction,
};

use quorate_node::epochs::{self, NextEpoch};
use quorate_node::genesis::{self, Hex};

/// Committees of all known epochs, for decoding records and proofs. Clones share them.
#[derive(Clone)]
pub struct Epochs<S: Scheme> {
    known: Arc<RwLock<BTreeMap<u64, Committees<S>>>>,
}

impl<S: Scheme> Epochs<S> {
    pub(super) fn new(first: Committees<S>) -> Self {
        let epochs = Self { known: Arc::default() };
        epochs.add(first);
        epochs
    }

    pub(super) fn add(&self, committees: Committees<S>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(committees.voters.epoch(), committees);
    }

    /// The committees of an epoch.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for an unknown epoch.
    pub fn committees(&self, epoch: u64) -> Result<Committees<S>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&epoch).cloned().ok_or(Error::WrongContext { what: "epoch" })
    }
}

impl<S: GosigScheme> Decode<Epochs<S>> for Block<S> {
    fn decode_from(r: &mut Reader<'_>, epochs: &Epochs<S>) -> Result<Self> {
        let epoch = r.clone().u64()?;
        Block::decode_from(r, &epochs.committees(epoch)?)
    }
}

impl<S: GosigScheme> Decode<Epochs<S>> for Finality<S> {
    fn decode_from(r: &mut Reader<'_>, epochs: &Epochs<S>) -> Result<Self> {
        let epoch = certificate_epoch(&mut r.clone())?;
        Finality::decode_from(r, &epochs.committees(epoch)?)
    }
}

/// Decodes a record of any epoch.
pub(super) fn decode_record<S: GosigScheme>(bytes: &[u8], epochs: &Epochs<S>) -> Result<Record<S>> {
    let mut r = Reader::new(bytes);
    let epoch = match r.u8()? {
        2 => Some(r.u64()?),
        5 if r.tag()? => {
            // Digest and height of the locked block.
            r.raw(32 + 8)?;
            Some(certificate_epoch(&mut r)?)
        }
        6 => {
            r.raw(8 + 32)?;
            Some(certificate_epoch(&mut r)?)
        }
        _ => None,
    };
    match epoch {
        Some(epoch) => Record::decode(bytes, &epochs.committees(epoch)?),
        // The other records do not depend on a committee.
        None => {
            let known = epochs.known.read().unwrap_or_else(PoisonError::into_inner);
            let any = known.values().next().ok_or(Error::WrongContext { what: "epoch" })?;
            Record::decode(bytes, any)
        }
    }
}

/// Returns true if a transaction claims to change the members of a known epoch without a valid certificate. Every member
/// verifies such a transaction when it is committed, at the cost of a certificate. A transaction that names an unknown
/// epoch passes: a member that is behind does not know all epochs, and ignoring such a transaction costs nothing.
pub(super) fn is_uncertified_change<S: GosigScheme>(epochs: &Epochs<S>, transaction: &[u8]) -> bool {
    let committees =
        || epochs.committees(Reader::new(transaction.strip_prefix(CHANGE_PREFIX)?).u64().ok()?).ok();
    let Some(committees) = committees() else { return false };
    !Transaction::new(transaction)
        .is_ok_and(|transaction| Change::from_transaction(&transaction, &committees).is_some())
}

/// The seed after a block that is known to be committed: the hash of the proof in it. The committee has verified the proof, and
/// nothing else can be signed for the same seed.
///
/// # Errors
/// None for a block that decoded.
pub fn seed_after<S: GosigScheme>(block: &Block<S>) -> Result<Seed> {
    let mut w = Writer::new();
    w.u64(block.height);
    w.raw(&domain::hash(domain::SORTITION_SEED, &block.seed.signature().encode()));
    Seed::decode(&w.into_bytes(), &())
}

/// The anchor of the epoch that begins after a committed block with a change of members.
///
/// # Errors
/// As [`seed_after`].
pub fn anchor_at<S: GosigScheme>(block: &Block<S>) -> Result<epochs::Anchor> {
    let (height, BlockDigest(digest), seed) = (block.height, block.digest(), seed_after(block)?);
    // The change is one of its transactions.
    Ok(epochs::Anchor { height, digest, seed, payload_height: height })
}

/// Converts the node's committees to Gosig's.
pub(super) fn committees<S: GosigScheme>(committees: &genesis::Committees<S>) -> Committees<S> {
    Committees { voters: committees.voters.clone(), identities: committees.identities.clone() }
}

/// Converts the node's anchor to Gosig's.
pub(super) fn gosig_anchor(anchor: &epochs::Anchor) -> Anchor {
    let epochs::Anchor { height, digest, seed, payload_height } = *anchor;
    Anchor { height, digest: BlockDigest(digest), seed, payload_height }
}

/// Converts Gosig's description of the next epoch to the node's.
pub(super) fn next_epoch<S: GosigScheme>(successor: &quorate_gosig::Successor<S>) -> NextEpoch {
    let quorate_gosig::Successor { committees, anchor, contacts } = successor;
    let Anchor { height, digest, seed, payload_height } = *anchor;
    let Committees { voters, identities } = committees;
    let weight = |member| voters.weight(member).unwrap_or_default();
    let members = (0..).zip(identities.keys()).zip(voters.keys());
    NextEpoch {
        number: voters.epoch(),
        anchor: epochs::Anchor { height, digest: digest.0, seed, payload_height },
        members: members
            .map(|((member, identity), voting)| {
                (Hex(identity.encode()), Hex(voting.encode()), weight(member))
            })
            .collect(),
        contacts: contacts.iter().map(|(key, contact)| (Hex(key.encode()), contact.clone())).collect(),
    }
}

/// Reads the epoch of a certificate: an encoding begins with suite, kind and epoch.
fn certificate_epoch(r: &mut Reader<'_>) -> Result<u64> {
    r.raw(2)?;
    r.u64()
}
