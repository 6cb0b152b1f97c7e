use alloc::vec::Vec;
use core::fmt;

use rand_core::TryCryptoRng;

use super::signers;
use super::statement::Statement;
use crate::committee::{Committee, SignerSet, Verified};
use crate::scheme::{Claim, Item, Scheme, find_bad, random_32, read_suite};
use crate::wire::{Decode, Encode, Reader, Writer};
use crate::{Error, Result};

/// A quorum certificate: the signatures of a quorum on one [`Statement`].
///
/// A decoded certificate is canonical, of the committee's epoch, and signed by a quorum; its signatures are not yet
/// verified.
///
/// | bytes | field |
/// |---|---|
/// | 1 | suite |
/// | 49 | statement: kind 1, epoch 8, view 8, digest 32 |
/// | 1 + at most ⌈n/8⌉ | the members that did **not** sign: a bitmap (form 0) or a list (form 1), whichever is shorter |
/// | 48 (MinSig), 96 (MinPk), 64 per signer (Ed25519) | the aggregate, or the signatures in ascending order of signers |
///
/// With MinSig the encoding has at most 99 + ⌈n/8⌉ bytes: 104 for 40 members, 112 for 100. The detached form omits the
/// suite and the statement, for receivers that know them.
///
/// Two certificates of one statement may differ in their signers. Compare statements, never certificates.
#[derive(Clone, PartialEq, Eq)]
pub struct Certificate<S: Scheme> {
    statement: Statement,
    signers: SignerSet,
    proof: S::Proof,
}

impl<S: Scheme> Certificate<S> {
    /// Returns the certified statement.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Returns the signers.
    pub fn signers(&self) -> &SignerSet {
        &self.signers
    }

    /// Returns the aggregate signature (BLS) or the list of signatures (Ed25519).
    pub fn proof(&self) -> &S::Proof {
        &self.proof
    }

    /// Verifies the signatures. Cost (BLS): two pairings, one hash to the curve, one subgroup check, and one point
    /// addition per absent member (or per present member, if they are fewer).
    ///
    /// # Errors
    /// [`Error::Mismatch`] for a certificate of another epoch or committee size, [`Error::BelowQuorum`], and the errors
    /// of [`Scheme::verify_claims`].
    pub fn verify(self, committee: &Committee<S>) -> Result<Verified<Self>> {
        self.check(committee)?;
        Ok(Verified::assume(self, committee.id()))
    }

    /// Verifies as [`verify`](Certificate::verify), but by reference.
    ///
    /// # Errors
    /// As [`verify`](Certificate::verify).
    pub fn check(&self, committee: &Committee<S>) -> Result<()> {
        self.check_structure(committee)?;
        let message = self.statement.signed_bytes(&committee.id());
        S::verify_claims(
            committee.scheme_keys(),
            &[Claim { message: &message, signers: &self.signers }],
            &self.proof,
        )
    }

    /// Verifies many certificates by a random linear combination with 64-bit coefficients from `rng`, and returns a
    /// result for each.
    ///
    /// Certificates with the same signer set share a pairing: sixteen of them cost about a quarter of sixteen single
    /// verifications. If the combination fails, bisection finds every bad certificate. If the generator fails, the
    /// coefficients are derived as in [`verify_batch_derived`](Certificate::verify_batch_derived).
    pub fn verify_batch<R: TryCryptoRng + ?Sized>(
        committee: &Committee<S>,
        certificates: Vec<Self>,
        rng: &mut R,
    ) -> Vec<Result<Verified<Self>>> {
        let entropy = random_32(rng).ok();
        batch(committee, certificates, entropy.as_deref())
    }

    /// Verifies as [`verify_batch`](Certificate::verify_batch), but without a random number generator.
    ///
    /// The coefficients have 128 bits and come from a hash over all inputs, so that all nodes compute the same.
    pub fn verify_batch_derived(
        committee: &Committee<S>,
        certificates: Vec<Self>,
    ) -> Vec<Result<Verified<Self>>> {
        batch(committee, certificates, None)
    }

    /// Returns the length of the encoding in bytes.
    pub fn encoded_len(&self) -> usize {
        1 + Statement::LEN
            + signers::encoded_len(&self.signers.complement())
            + S::proof_len(&self.proof, &self.signers)
    }

    /// Writes the detached form, for receivers that know the statement: non-signers and proof.
    pub fn encode_detached(&self, w: &mut Writer) {
        signers::encode(&self.signers.complement(), w);
        S::encode_proof(&self.proof, &self.signers, w);
    }

    /// Decodes the detached form of a certificate of `statement`.
    ///
    /// # Errors
    /// As decoding the full form.
    pub fn decode_detached(
        r: &mut Reader<'_>,
        statement: Statement,
        committee: &Committee<S>,
    ) -> Result<Self> {
        committee.require_epoch(statement.epoch)?;
        let signers = signers::decode(r, committee.len())?.complement();
        committee.require_quorum(&signers)?;
        let proof = S::decode_proof(r, &signers)?;
        Ok(Self { statement, signers, proof })
    }

    /// Creates a certificate from verified parts, for the collector and for gossip.
    pub(crate) fn from_verified_parts(statement: Statement, signers: SignerSet, proof: S::Proof) -> Self {
        Self { statement, signers, proof }
    }

    fn check_structure(&self, committee: &Committee<S>) -> Result<()> {
        committee.require_epoch(self.statement.epoch)?;
        committee.require_size(&self.signers)?;
        committee.require_quorum(&self.signers)
    }
}

impl<S: Scheme> Encode for Certificate<S> {
    fn encode_to(&self, w: &mut Writer) {
        w.u8(S::SUITE);
        self.statement.encode_to(w);
        self.encode_detached(w);
    }
}

impl<S: Scheme> Decode<Committee<S>> for Certificate<S> {
    fn decode_from(r: &mut Reader<'_>, committee: &Committee<S>) -> Result<Self> {
        read_suite::<S>(r)?;
        let statement = Statement::decode_from(r, &())?;
        Self::decode_detached(r, statement, committee)
    }
}

impl<S: Scheme> fmt::Debug for Certificate<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Certificate({} of {}, {:?})",
            self.signers.len(),
            self.signers.committee_len(),
            self.statement
        )
    }
}

/// Verifies certificates together and returns a result for each, in their order.
pub(crate) fn batch<S: Scheme>(
    committee: &Committee<S>,
    certificates: Vec<Certificate<S>>,
    entropy: Option<&[u8; 32]>,
) -> Vec<Result<Verified<Certificate<S>>>> {
    let mut errors: Vec<Option<Error>> =
        certificates.iter().map(|c| c.check_structure(committee).err()).collect();
    let sound: Vec<(usize, &Certificate<S>, [u8; Statement::SIGNED_LEN])> = (0..)
        .zip(&certificates)
        .zip(&errors)
        .filter(|(_, error)| error.is_none())
        .map(|((i, c), _)| (i, c, c.statement.signed_bytes(&committee.id())))
        .collect();
    let items: Vec<Item<'_, S>> = sound
        .iter()
        .map(|(i, c, message)| (*i, (Claim { message, signers: &c.signers }, &c.proof)))
        .collect();
    let mut bad = Vec::new();
    find_bad(committee.scheme_keys(), &items, entropy, &mut bad);
    for (i, error) in bad {
        if let Some(slot) = errors.get_mut(i) {
            *slot = Some(error);
        }
    }
    let verdict = |(certificate, error)| match error {
        None => Ok(Verified::assume(certificate, committee.id())),
        Some(error) => Err(error),
    };
    certificates.into_iter().zip(errors).map(verdict).collect()
}
