use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use quorate::scheme::Scheme;
use quorate::wire::{Decode, Reader};
use quorate::{Error, Result};
use quorate_gosig::{Block, Committees, Finality, Record, Suite};

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

impl<S: Suite> Decode<Epochs<S>> for Block<S> {
    fn decode_from(r: &mut Reader<'_>, epochs: &Epochs<S>) -> Result<Self> {
        let epoch = r.clone().u64()?;
        Block::decode_from(r, &epochs.of(epoch)?)
    }
}

impl<S: Suite> Decode<Epochs<S>> for Finality<S> {
    fn decode_from(r: &mut Reader<'_>, epochs: &Epochs<S>) -> Result<Self> {
        let epoch = of_certificate(&mut r.clone())?;
        Finality::decode_from(r, &epochs.of(epoch)?)
    }
}

/// Reads a record of any epoch.
pub(super) fn record<S: Suite>(bytes: &[u8], epochs: &Epochs<S>) -> Result<Record<S>> {
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

/// A certificate begins with its suite, its kind and its epoch.
fn of_certificate(r: &mut Reader<'_>) -> Result<u64> {
    r.raw(2)?;
    r.u64()
}
