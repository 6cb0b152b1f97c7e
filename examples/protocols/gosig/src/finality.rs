//! Commitment certificates: the proof that a block is final, verifiable with the committee alone.

use std::sync::Arc;

use quorate::certificate::Certificate;
use quorate::scheme::Vrf;
use quorate::wire::{Decode, Encode, Reader, Writer};
use quorate::{Error, Result};

use crate::block::{Block, Committees};
use crate::kinds::TENTATIVE;

/// A committed block with its commitment certificate.
pub type FinalizedBlock<S> = (Arc<Block<S>>, Arc<Finality<S>>);

/// Commitment certificate of a block: a quorum committed it tentatively in one round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finality<S: Vrf> {
    certificate: Certificate<S>,
}

impl<S: Vrf> Finality<S> {
    /// Wraps a certificate.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if its kind is not [`TENTATIVE`].
    pub fn new(certificate: Certificate<S>) -> Result<Self> {
        if certificate.statement().kind != TENTATIVE {
            return Err(Error::WrongContext { what: "kind of the commitment certificate" });
        }
        Ok(Self { certificate })
    }

    /// Returns the certificate.
    pub fn certificate(&self) -> &Certificate<S> {
        &self.certificate
    }

    /// Returns the round in which the quorum signed.
    pub fn round(&self) -> u64 {
        self.certificate.statement().view
    }

    /// Returns true if the certificate names this block. Does not verify signatures.
    pub fn certifies(&self, committees: &Committees<S>, block: &Block<S>) -> bool {
        let statement = self.certificate.statement();
        statement.digest == committees.ballot(block.height, block.digest()) && statement.view >= block.round
    }

    /// Verifies that `block` is committed. Cost: one certificate verification.
    ///
    /// # Errors
    /// [`Error::WrongContext`] if the certificate names another block, or the error of its signatures.
    pub fn verify(&self, committees: &Committees<S>, block: &Block<S>) -> Result<()> {
        if !self.certifies(committees, block) {
            return Err(Error::WrongContext { what: "block of the commitment certificate" });
        }
        self.certificate.check(&committees.voters)
    }
}

impl<S: Vrf> Encode for Finality<S> {
    fn encode_to(&self, w: &mut Writer) {
        self.certificate.encode_to(w);
    }
}

impl<S: Vrf> Decode<Committees<S>> for Finality<S> {
    fn decode_from(r: &mut Reader<'_>, committees: &Committees<S>) -> Result<Self> {
        Self::new(Certificate::decode_from(r, &*committees.voters)?)
    }
}
