use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use super::block::{BlockHeader, Finality};
use super::commit::{Commit, VerifiedCommit, check_authors};
use super::committees::Committees;
use super::genesis::Genesis;
use super::gosig;
use super::protocol::ChainProtocol;
use super::transaction::{Inclusion, VerifiedTransaction};
use crate::certificate::{self, Certificate, UntrustedHeader};
use crate::committee::{ChainId, Verified};
use crate::scheme::{Scheme, random_32};
use crate::wire::{Decode, Reader};
use crate::{Error, Result};

/// Maximum number of epochs whose committees a light client keeps: the newest ones.
pub const MAX_EPOCHS: usize = 64;

/// A client that follows a chain without its blocks. See the [module](super).
///
/// It holds the committees of the newest [`MAX_EPOCHS`] epochs and nothing else: results of a verification depend only on
/// them and on the input. A failed call changes nothing.
#[derive(Clone)]
pub struct LightClient<S: Scheme> {
    protocol: ChainProtocol,
    /// The epochs before the newest one, in order.
    earlier: VecDeque<Committees<S>>,
    newest: Committees<S>,
}

impl<S: Scheme> LightClient<S> {
    /// Creates a client that trusts the committees of one epoch: those of the genesis, or of a later epoch that the caller
    /// knows from a trusted source.
    pub fn new(protocol: ChainProtocol, trusted: Committees<S>) -> Self {
        Self { protocol, earlier: VecDeque::new(), newest: trusted }
    }

    /// Creates a client that trusts a genesis. Cost: a proof of possession per key.
    ///
    /// # Errors
    /// As [`Genesis::committees`].
    pub fn from_genesis(genesis: &Genesis) -> Result<Self> {
        Ok(Self::new(genesis.protocol(), genesis.committees()?))
    }

    /// Returns the protocol of the chain.
    pub fn protocol(&self) -> ChainProtocol {
        self.protocol
    }

    /// Returns the chain.
    pub fn chain(&self) -> ChainId {
        self.newest.chain()
    }

    /// Returns the newest epoch that the client has reached.
    pub fn epoch(&self) -> u64 {
        self.newest.epoch()
    }

    /// Returns the committees of an epoch.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for an epoch that the client has not reached, or that is older than the newest [`MAX_EPOCHS`].
    pub fn committees(&self, epoch: u64) -> Result<&Committees<S>> {
        let mut all = core::iter::once(&self.newest).chain(self.earlier.iter().rev());
        let found = all.find(|committees| committees.epoch() == epoch);
        let what = if epoch > self.epoch() { "epoch not reached yet" } else { "epoch older than those held" };
        found.ok_or(Error::Mismatch { what, expected: self.epoch(), actual: epoch })
    }

    /// Continues with the next epoch, and returns its number. `block` is the last block of the newest epoch, `finality` its
    /// commit proof, and `payload` all its transactions: a sender that could omit one could omit a change of the members.
    ///
    /// Cost: one certificate; an Ed25519 certificate for each change, and two proofs of possession for a member that joins;
    /// a hash over the payload.
    ///
    /// # Errors
    /// As [`verify_commit`](Self::verify_commit); [`Error::Mismatch`] if the block is not of the newest epoch;
    /// [`Error::WrongContext`] for transactions of another block, for a block that does not change the members, and for a
    /// protocol whose members do not change; the errors of an invalid encoding.
    pub fn hand_over(&mut self, block: &[u8], finality: &[u8], payload: &[u8]) -> Result<u64> {
        if self.protocol != ChainProtocol::Gosig {
            return Err(Error::WrongContext { what: "handover: the protocol has fixed members" });
        }
        let commit = Commit::read(self.protocol, block, finality, &self.newest)?;
        commit.check(&self.newest)?;
        let next = gosig::next_committees(&self.newest, &commit.block, payload)?;
        self.earlier.push_back(core::mem::replace(&mut self.newest, next));
        if self.earlier.len() == MAX_EPOCHS {
            self.earlier.pop_front();
        }
        Ok(self.epoch())
    }

    /// Verifies a certificate of any epoch that the client holds. Compare the statement with a block by
    /// [`ChainProtocol::certifies`]. Cost: as [`Certificate::verify`].
    ///
    /// # Errors
    /// [`Error::Mismatch`] for another epoch; the errors of [`Certificate::verify`] and of an invalid encoding.
    pub fn verify_certificate(&self, certificate: &[u8]) -> Result<Verified<Certificate<S>>> {
        let (committees, certificate) = self.decode(certificate)?;
        certificate.verify(committees.voters())
    }

    /// Verifies many certificates by a random linear combination per epoch, as [`Certificate::verify_batch`], and returns a
    /// result for each, in their order.
    pub fn verify_certificates<R: TryCryptoRng + ?Sized>(
        &self,
        certificates: &[&[u8]],
        rng: &mut R,
    ) -> Vec<Result<Verified<Certificate<S>>>> {
        let decoded = certificates.iter().map(|bytes| self.decode(bytes).map(|(_, decoded)| decoded));
        self.verify_decoded(decoded.collect(), rng)
    }

    /// Verifies that a block is committed. Cost: one certificate; in Jolteon also an Ed25519 signature for the block and for
    /// each block of its commit proof.
    ///
    /// # Errors
    /// [`Error::Mismatch`] for another epoch; [`Error::WrongContext`] for a proof of another block; the errors of
    /// [`Certificate::verify`], of a signature and of an invalid encoding.
    pub fn verify_commit(&self, block: &[u8], finality: &[u8]) -> Result<VerifiedCommit> {
        let committees = self.committees(claimed_epoch(block)?)?;
        let commit = Commit::read(self.protocol, block, finality, committees)?;
        commit.check(committees)?;
        Ok(VerifiedCommit::new(&commit.block))
    }

    /// Verifies many blocks with their commit proofs, as [`verify_commit`](Self::verify_commit), with all certificates of an
    /// epoch in one random linear combination. Returns a result for each, in their order.
    pub fn verify_commits<R: TryCryptoRng + ?Sized>(
        &self,
        commits: &[(&[u8], &[u8])],
        rng: &mut R,
    ) -> Vec<Result<VerifiedCommit>> {
        let read = |(block, finality): &(&[u8], &[u8])| -> Result<_> {
            let committees = self.committees(claimed_epoch(block)?)?;
            let commit = Commit::read(self.protocol, block, finality, committees)?;
            let Finality { certificate, authors } = commit.finality;
            Ok(((commit.block, authors), certificate))
        };
        let split = |read| match read {
            Ok((signed, certificate)) => (Some(signed), Ok(certificate)),
            Err(error) => (None, Err(error)),
        };
        let (signed, certificates) = commits.iter().map(read).map(split).unzip::<_, _, Vec<_>, Vec<_>>();
        let verdicts = self.verify_decoded(certificates, rng).into_iter();
        let verified = |(signed, verdict): (Option<(BlockHeader, Vec<_>)>, Result<_>)| {
            verdict?;
            let (block, authors) = signed.ok_or_else(Error::bad_signature)?;
            check_authors(&block, &authors, self.committees(block.epoch)?)?;
            Ok(VerifiedCommit::new(&block))
        };
        signed.into_iter().zip(verdicts).map(verified).collect()
    }

    /// Verifies the proof that a transaction is committed. Cost: as [`verify_commit`](Self::verify_commit), and a few hashes.
    ///
    /// # Errors
    /// As [`verify_commit`](Self::verify_commit); [`Error::WrongContext`] if the block does not contain the transaction.
    pub fn verify_transaction(&self, proof: &[u8]) -> Result<VerifiedTransaction> {
        let mut r = Reader::new(proof);
        let inclusion = Inclusion::read(&mut r)?;
        let committees = self.committees(r.clone().u64()?)?;
        let commit = Commit::read_from(self.protocol, &mut r, committees)?;
        r.finish()?;
        let (id, batch) = inclusion.check(&commit.block)?;
        commit.check(committees)?;
        Ok(inclusion.into_verified(VerifiedCommit::new(&commit.block), id, batch))
    }

    fn decode(&self, certificate: &[u8]) -> Result<(&Committees<S>, Certificate<S>)> {
        let committees = self.committees(UntrustedHeader::peek(certificate)?.epoch())?;
        Ok((committees, Certificate::decode(certificate, committees.voters())?))
    }

    /// Verifies decoded certificates together, by epoch.
    fn verify_decoded<R: TryCryptoRng + ?Sized>(
        &self,
        decoded: Vec<Result<Certificate<S>>>,
        rng: &mut R,
    ) -> Vec<Result<Verified<Certificate<S>>>> {
        let mut by_epoch: BTreeMap<u64, (Vec<usize>, Vec<Certificate<S>>)> = BTreeMap::new();
        let mut verdicts: Vec<Result<Verified<Certificate<S>>>> = Vec::with_capacity(decoded.len());
        for (at, certificate) in decoded.into_iter().enumerate() {
            let verdict = certificate.map(|certificate| {
                let (places, certificates) = by_epoch.entry(certificate.statement().epoch).or_default();
                places.push(at);
                certificates.push(certificate);
            });
            verdicts.push(Err(verdict.err().unwrap_or(Error::bad_signature())));
        }
        // Drawn after all inputs were fixed.
        let entropy = random_32(rng).ok();
        for (epoch, (places, certificates)) in by_epoch {
            let Ok(committees) = self.committees(epoch) else { continue };
            let found = certificate::batch(committees.voters(), certificates, entropy.as_deref());
            for (at, verdict) in places.into_iter().zip(found) {
                if let Some(slot) = verdicts.get_mut(at) {
                    *slot = verdict;
                }
            }
        }
        verdicts
    }
}

/// Returns the epoch that an encoded block claims. All blocks begin with it.
fn claimed_epoch(block: &[u8]) -> Result<u64> {
    Reader::new(block).u64()
}

impl<S: Scheme> fmt::Debug for LightClient<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, newest, .. } = self;
        write!(f, "LightClient({protocol}, epoch {}, {:?})", newest.epoch(), newest.voters())
    }
}
