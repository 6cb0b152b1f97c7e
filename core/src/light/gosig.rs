//! Gosig's blocks, and the changes of its members: `spec/gosig.md`.

use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::batch::TRANSACTIONS;
use super::block::{BatchSummary, BlockHeader, between, read_epoch};
use super::committees::Committees;
use crate::certificate::{Certificate, Kind};
use crate::committee::{Committee, Repeats};
use crate::ed25519::Ed25519;
use crate::merkle::Hash;
use crate::scheme::{Scheme, UnverifiedKey};
use crate::wire::{Decode, Reader, Writer, domain};
use crate::{Error, Result};

const MEMBERSHIP: Kind = Kind::new(5);
const MAX_TRANSACTION: usize = 1 << 20;
const MAX_TRANSACTIONS: usize = 1 << 18;
const MAX_PAYLOAD: usize = 64 << 20;
const MAX_CONTACT: usize = 512;

/// Reads a block. The author's proof for the seed is read and not verified: the block's certificate covers it.
pub(super) fn read_block<S: Scheme>(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<BlockHeader> {
    let start = r.clone();
    let epoch = read_epoch(r, committees)?;
    let (round, height, author) = (r.u64()?, r.u64()?, r.u16()?);
    if author >= committees.voters().len() {
        return Err(Error::UnknownSigner { index: author.into() });
    }
    let parent = r.array()?;
    S::Signature::decode_from(r, &())?;
    let payload = read_summary(r)?;
    let (executed, _state_root, _timestamp) = (r.u64()?, r.raw(32)?, r.u64()?);
    if round == 0 || height == 0 || executed >= height {
        return Err(Error::Malformed { what: "round, height or executed height of a block" });
    }
    let digest = domain::hash(domain::GOSIG_BLOCK, between(&start, r)?);
    Ok(BlockHeader { epoch, view: round, height, parent, digest, batches: vec![payload], author: None })
}

fn read_summary(r: &mut Reader<'_>) -> Result<BatchSummary> {
    let (count, bytes, root) = (r.u32()?, r.u32()?, r.array()?);
    let (transactions, length) = (count as usize, bytes as usize);
    let sizes = transactions <= MAX_TRANSACTIONS && length <= MAX_PAYLOAD && 4 * transactions <= length;
    if !sizes || (count == 0 && (bytes, root) != (0, TRANSACTIONS.root(&[]))) {
        return Err(Error::Malformed { what: "size of a payload" });
    }
    Ok(summary(count, bytes, root))
}

fn summary(count: u32, bytes: u32, root: Hash) -> BatchSummary {
    let mut w = Writer::new();
    w.u32(count);
    w.u32(bytes);
    w.raw(&root);
    BatchSummary { digest: domain::hash(domain::GOSIG_PAYLOAD, &w.into_bytes()), count, root }
}

/// Returns the committees after the committed block `block`, from all its transactions.
pub(super) fn next_committees<S: Scheme>(
    committees: &Committees<S>,
    block: &BlockHeader,
    payload: &[u8],
) -> Result<Committees<S>> {
    let transactions = read_payload(payload)?;
    let bytes = payload.len().saturating_sub(4) as u32;
    let leaves = TRANSACTIONS.leaves(&transactions);
    let found = summary(leaves.len() as u32, bytes, TRANSACTIONS.root(&leaves));
    if block.batches.iter().any(|expected| expected.digest != found.digest) {
        return Err(Error::WrongContext { what: "transactions of the block" });
    }
    let no_change = Error::WrongContext { what: "handover: the block does not change the members" };
    let epoch = committees.epoch().checked_add(1).ok_or(no_change.clone())?;
    let mut next = None;
    for change in transactions.iter().filter_map(|transaction| Change::allowed(transaction, committees)) {
        // A change that cannot be applied has no effect.
        next = change.apply(next.as_ref().unwrap_or(committees), epoch).ok().or(next);
    }
    next.ok_or(no_change)
}

fn read_payload(payload: &[u8]) -> Result<Vec<&[u8]>> {
    if payload.len().saturating_sub(4) > MAX_PAYLOAD {
        return Err(Error::TooLarge { what: "payload", limit: MAX_PAYLOAD as u64 });
    }
    let mut r = Reader::new(payload);
    let count = r.count("transactions of a payload", MAX_TRANSACTIONS)?;
    let mut transactions = Vec::with_capacity(count.min(payload.len() / 4 + 1));
    for _ in 0..count {
        transactions.push(r.bytes("transaction", MAX_TRANSACTION)?);
    }
    r.finish()?;
    Ok(transactions)
}

/// A change of the members that a quorum of the identities allowed.
struct Change<S: Scheme> {
    identity: <Ed25519 as Scheme>::PublicKey,
    /// The voting key and the weight of a member that joins; `None` for a member that leaves.
    joins: Option<(S::PublicKey, u128)>,
}

impl<S: Scheme> Change<S> {
    /// Returns the change that a transaction makes; `None` for an ordinary transaction. Cost for a transaction of the
    /// special form: an Ed25519 certificate, and two proofs of possession of a member that joins.
    fn allowed(transaction: &[u8], committees: &Committees<S>) -> Option<Self> {
        let rest = transaction.strip_prefix(domain::GOSIG_EPOCH.as_bytes())?;
        Self::read(&mut Reader::new(rest), committees).ok()
    }

    fn read(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        let identities = committees.identities();
        read_epoch(r, committees)?;
        let start = r.clone();
        let (change, keys) = Self::read_change(r)?;
        let digest = domain::hash(domain::GOSIG_MEMBERSHIP, between(&start, r)?);
        let certificate = Certificate::<Ed25519>::decode_from(r, &**identities)?;
        r.finish()?;
        if *certificate.statement() != identities.statement(MEMBERSHIP, 0, digest) {
            return Err(Error::WrongContext { what: "certificate of another change" });
        }
        certificate.check(identities)?;
        if let Some((voting, identity)) = keys {
            voting.verify()?;
            identity.verify()?;
        }
        Ok(change)
    }

    /// Reads a change without its certificate, and the keys whose possession is to be verified.
    #[allow(clippy::type_complexity)]
    fn read_change(r: &mut Reader<'_>) -> Result<(Self, Option<(UnverifiedKey<S>, UnverifiedKey<Ed25519>)>)> {
        match r.u8()? {
            0 => Ok((Self { identity: Decode::decode_from(r, &())?, joins: None }, None)),
            1 => {
                let (voting, proof) =
                    (S::PublicKey::decode_from(r, &())?, S::Signature::decode_from(r, &())?);
                let joins = voting.clone();
                let voting = UnverifiedKey::new(voting, proof);
                let identity = <Ed25519 as Scheme>::PublicKey::decode_from(r, &())?;
                let proven = UnverifiedKey::new(identity.clone(), Decode::decode_from(r, &())?);
                let weight = r.u128()?;
                r.bytes("contact", MAX_CONTACT)?;
                Ok((Self { identity, joins: Some((joins, weight)) }, Some((voting, proven))))
            }
            _ => Err(Error::Malformed { what: "change of the members" }),
        }
    }

    /// Returns these committees with the change, as those of `epoch`.
    fn apply(&self, committees: &Committees<S>, epoch: u64) -> Result<Committees<S>> {
        let mut voters = members(committees.voters());
        let mut identities = members(committees.identities());
        match &self.joins {
            Some((voting, weight)) => {
                voters.push((voting.clone(), *weight));
                identities.push((self.identity.clone(), *weight));
            }
            None => {
                let position = committees.identities().position(&self.identity).map(usize::from);
                let position = position.ok_or(Error::WrongContext { what: "leaving member" })?;
                voters.remove(position);
                identities.remove(position);
            }
        }
        let chain = committees.chain();
        Committees::new(
            Arc::new(Committee::from_attested(chain, epoch, voters, Repeats::Refuse)?),
            Arc::new(Committee::from_attested(chain, epoch, identities, Repeats::Refuse)?),
        )
    }
}

fn members<T: Scheme>(committee: &Committee<T>) -> Vec<(T::PublicKey, u128)> {
    let weight = |member| committee.weight(member).unwrap_or_default();
    (0..=u16::MAX).zip(committee.keys()).map(|(member, key)| (key.clone(), weight(member))).collect()
}
