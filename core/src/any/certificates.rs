use alloc::vec::Vec;

use rand_core::TryCryptoRng;

use super::committee::Committee;
use super::dispatch::{batch, lift, whole, written};
use super::families::{each, methods, per};
use crate::Result;
use crate::certificate::{self, Statement};
use crate::committee::{SignerSet, Verified};
use crate::scheme::{Scheme, random_32};
use crate::wire::{Decode, Encode};

type CertificateOf<S> = certificate::Certificate<S>;

per! { suite:
    /// A quorum certificate, see [`certificate::Certificate`].
    #[derive(Clone, PartialEq, Eq)]
    Certificate, CertificateOf
}

impl Certificate {
    /// Decodes a certificate of this committee. Structure, epoch and quorum are checked; the signatures are not yet
    /// verified.
    ///
    /// # Errors
    /// [`WrongContext`](crate::Error::WrongContext) for another suite or epoch,
    /// [`BelowQuorum`](crate::Error::BelowQuorum), and the errors of invalid bytes.
    pub fn decode(bytes: &[u8], committee: &Committee) -> Result<Self> {
        each!(committee, Committee, S, committee => {
            CertificateOf::<S>::decode(bytes, committee.as_ref()).map(Self::from)
        })
    }

    /// Decodes the detached form of a certificate of `statement`.
    ///
    /// # Errors
    /// As [`decode`](Certificate::decode).
    pub fn decode_detached(bytes: &[u8], statement: Statement, committee: &Committee) -> Result<Self> {
        each!(committee, Committee, S, committee => {
            whole(bytes, |r| CertificateOf::<S>::decode_detached(r, statement, committee)).map(Self::from)
        })
    }

    /// Verifies many certificates at once and returns a result for each, see
    /// [`certificate::Certificate::verify_batch`].
    pub fn verify_batch<R: TryCryptoRng + ?Sized>(
        committee: &Committee,
        certificates: Vec<Self>,
        rng: &mut R,
    ) -> Vec<Result<Verified<Self>>> {
        let entropy = random_32(rng).ok();
        each!(committee, Committee, S, committee => {
            batch(certificates, |typed| certificate::batch(committee, typed, entropy.as_deref()))
        })
    }

    /// Verifies as [`verify_batch`](Certificate::verify_batch), but without a random number generator.
    pub fn verify_batch_derived(
        committee: &Committee,
        certificates: Vec<Self>,
    ) -> Vec<Result<Verified<Self>>> {
        each!(committee, Committee, S, committee => {
            batch(certificates, |typed| CertificateOf::<S>::verify_batch_derived(committee, typed))
        })
    }
}

methods! { suite: self, Certificate, S, certificate =>
    /// Returns the canonical encoding.
    pub fn encode(&self) -> Vec<u8> = certificate.encode();

    /// Returns the length of the encoding in bytes.
    pub fn encoded_len(&self) -> usize = certificate.encoded_len();

    /// Returns the detached form, without suite and statement, for formats that contain them already.
    pub fn encode_detached(&self) -> Vec<u8> = written(|w| certificate.encode_detached(w));

    /// Returns the signed statement.
    pub fn statement(&self) -> &Statement = certificate.statement();

    /// Returns the signers.
    pub fn signers(&self) -> &SignerSet = certificate.signers();

    /// Returns the encoded aggregate (BLS) or the signatures in ascending order of the signers (Ed25519).
    pub fn proof(&self) -> Vec<u8> =
        written(|w| S::encode_proof(certificate.proof(), certificate.signers(), w));

    /// Verifies the signatures; for the cost see [`certificate::Certificate::verify`].
    ///
    /// # Errors
    /// As [`certificate::Certificate::verify`].
    pub fn verify(self, committee: &Committee) -> Result<Verified<Self>> =
        certificate.verify(committee.try_into()?).map(lift);

    /// Verifies as [`verify`](Certificate::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Certificate::verify).
    pub fn check(&self, committee: &Committee) -> Result<()> = certificate.check(committee.try_into()?);
}
