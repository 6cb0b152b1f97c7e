use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use quorate::scheme::Scheme;
use quorate::wire::{Decode, Encode, Reader};
use quorate::{Error, Result};
use quorate_gosig::{
    Anchor, Block, BlockDigest, CHANGE_PREFIX, Change, Committees, Finality, GosigScheme, Record, Transaction,
};

use crate::epochs;
use crate::genesis::{self, Hex};

/// The committees of all epochs that are known: what was written or proved in an earlier one stays readable. Clones
/// share them.
#[derive(Clone)]
pub struct Epochs<S: Scheme> {
    known: Arc<RwLock<BTreeMap<u64, Committees<S>>>>,
}

impl<S: Scheme> Epochs<S> {
    pub(super) fn new(first: Committees<S>) -> Self {
        let epochs = Self { known: Arc::default() };
        epochs.extend(first);
        epochs
    }

    pub(super) fn extend(&self, committees: Committees<S>) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(committees.voters.epoch(), committees);
    }

    /// The committees of an epoch.
    ///
    /// # Errors
    /// [`Error::WrongContext`] for an epoch that is not known.
    pub fn of(&self, epoch: u64) -> Result<Committees<S>> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(&epoch).cloned().ok_or(Error::WrongContext { what: "epoch" })
    }
}

impl<S: GosigScheme> Decode<Epochs<S>> for Block<S> {
    fn decode_from(r: &mut Reader<'_>, epochs: &Epochs<S>) -> Result<Self> {
        let epoch = r.clone().u64()?;
        Block::decode_from(r, &epochs.of(epoch)?)
    }
}

impl<S: GosigScheme> Decode<Epochs<S>> for Finality<S> {
    fn decode_from(r: &mut Reader<'_>, epochs: &Epochs<S>) -> Result<Self> {
        let epoch = of_certificate(&mut r.clone())?;
        Finality::decode_from(r, &epochs.of(epoch)?)
    }
}

/// Reads a record of any epoch.
pub(super) fn record<S: GosigScheme>(bytes: &[u8], epochs: &Epochs<S>) -> Result<Record<S>> {
    let mut r = Reader::new(bytes);
    let epoch = match r.u8()? {
        2 => Some(r.u64()?),
        5 if r.tag()? => {
            // The block of a lock and its height.
            r.raw(32 + 8)?;
            Some(of_certificate(&mut r)?)
        }
        6 => {
            r.raw(8 + 32)?;
            Some(of_certificate(&mut r)?)
        }
        _ => None,
    };
    match epoch {
        Some(epoch) => Record::decode(bytes, &epochs.of(epoch)?),
        // Nothing in it depends on a committee.
        None => {
            let known = epochs.known.read().unwrap_or_else(PoisonError::into_inner);
            let any = known.values().next().ok_or(Error::WrongContext { what: "epoch" })?;
            Record::decode(bytes, any)
        }
    }
}

/// Whether a transaction has the form of a change of the members of an epoch that is known, and is none. Every member
/// checks such a one when it is committed, which takes as long as a certificate. Who is behind does not know all epochs, and
/// in those that it knows one of another costs nothing.
pub(super) fn is_forbidden<S: GosigScheme>(epochs: &Epochs<S>, transaction: &[u8]) -> bool {
    let committees = || epochs.of(Reader::new(transaction.strip_prefix(CHANGE_PREFIX)?).u64().ok()?).ok();
    let Some(committees) = committees() else { return false };
    !Transaction::new(transaction)
        .is_ok_and(|transaction| Change::from_transaction(&transaction, &committees).is_some())
}

/// The committees of an epoch, in Gosig's words.
pub(super) fn of<S: GosigScheme>(committees: &genesis::Committees<S>) -> Committees<S> {
    Committees { voters: committees.voters.clone(), identities: committees.identities.clone() }
}

/// Where an epoch begins, in Gosig's words.
pub(super) fn anchor_of(anchor: &epochs::Anchor) -> Anchor {
    let epochs::Anchor { height, digest, seed, payload_height } = *anchor;
    Anchor { height, digest: BlockDigest(digest), seed, payload_height }
}

/// How an epoch ended, in the node's words.
pub(super) fn successor_of<S: GosigScheme>(successor: &quorate_gosig::Successor<S>) -> epochs::Successor {
    let quorate_gosig::Successor { committees, anchor, contacts } = successor;
    let Anchor { height, digest, seed, payload_height } = *anchor;
    let Committees { voters, identities } = committees;
    let weight = |member| voters.weight(member).unwrap_or_default();
    let members = (0..).zip(identities.keys()).zip(voters.keys());
    epochs::Successor {
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

/// A certificate begins with its suite, its kind and its epoch.
fn of_certificate(r: &mut Reader<'_>) -> Result<u64> {
    r.raw(2)?;
    r.u64()
}
