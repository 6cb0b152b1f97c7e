//! Batch verification: 8·(Σ zᵢsᵢ·B − Σ zᵢ·Rᵢ − Σ zᵢkᵢ·Aᵢ) = 0 for random zᵢ.
//!
//! Except with probability 2⁻¹²⁸, the equation holds if and only if every single signature verifies. The terms of a
//! member are added up before the multiplication, so its key costs the same for one signature and for many.

use alloc::vec;
use alloc::vec::Vec;

use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};

use super::keys::{PublicKey, Signature};
use crate::machine::MemberIndex;
use crate::scheme::{Claim, coefficients, memo};
use crate::{Error, Result};

/// One signature of a batch with its key and message.
pub(super) struct Term<'a> {
    member: MemberIndex,
    key: &'a PublicKey,
    message: &'a [u8],
    signature: &'a Signature,
}

/// Pairs each signature of a proof with its key and the message of its claim.
///
/// The proof must contain exactly the claims' signers in ascending order.
pub(super) fn terms<'a>(
    keys: &'a [PublicKey],
    claims: &[Claim<'a>],
    proof: &'a [(MemberIndex, Signature)],
) -> Result<Vec<Term<'a>>> {
    let claimed: usize = claims.iter().map(|claim| claim.signers.len()).sum();
    if claimed != proof.len()
        || claims.iter().any(|claim| usize::from(claim.signers.committee_len()) != keys.len())
    {
        return Err(Error::WrongContext { what: "signer set" });
    }
    let mut last = None;
    proof
        .iter()
        .map(|(index, signature)| {
            match last.replace(*index) {
                Some(last) if last == *index => {
                    return Err(Error::DuplicateSigner { index: (*index).into() });
                }
                Some(last) if last > *index => return Err(Error::OutOfOrder { index: (*index).into() }),
                _ => {}
            }
            let claim = claims.iter().find(|claim| claim.signers.contains(*index));
            match (keys.get(usize::from(*index)), claim) {
                (Some(key), Some(claim)) => {
                    Ok(Term { member: *index, key, message: claim.message, signature })
                }
                _ => Err(Error::UnknownSigner { index: u32::from(*index) }),
            }
        })
        .collect()
}

/// Pairs each signature of a proof with its key and with the message of its signer.
///
/// `signed` and the proof must have the same members in the same order.
pub(super) fn single_terms<'a>(
    keys: &'a [PublicKey],
    signed: &[(MemberIndex, &'a [u8])],
    proof: &'a [(MemberIndex, Signature)],
) -> Result<Vec<Term<'a>>> {
    if signed.len() != proof.len() || signed.iter().zip(proof).any(|((a, _), (b, _))| a != b) {
        return Err(Error::WrongContext { what: "signer set" });
    }
    let pairs = signed.iter().zip(proof).map(|((member, message), (_, signature))| {
        let key = keys.get(usize::from(*member)).ok_or(Error::UnknownSigner { index: (*member).into() })?;
        Ok(Term { member: *member, key, message, signature })
    });
    pairs.collect()
}

impl Term<'_> {
    /// Verifies the term by the plain equation.
    pub(super) fn verify(&self) -> Result<()> {
        self.key.verify(self.message, self.signature)
    }
}

/// Verifies all terms together; a single term by the plain equation.
pub(super) fn verify(terms: &[Term<'_>]) -> Result<()> {
    match terms {
        [] => return Err(Error::bad_signature()),
        [term] => return term.verify(),
        // One by one they are remembered, and most are known.
        _ if memo::is_active() => return terms.iter().try_for_each(Term::verify),
        _ => {}
    }
    let challenges: Vec<Scalar> =
        terms.iter().map(|term| term.signature.challenge(term.key, term.message)).collect();
    let mut coefficients = coefficients(None, |hasher| {
        for (term, k) in terms.iter().zip(&challenges) {
            // k binds R, the key and the message; s is the only other input.
            hasher.update(k.as_bytes()).update(term.signature.s().as_bytes());
        }
    });

    let n = 2 * terms.len() + 1;
    let (mut scalars, mut points) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let members = terms.iter().map(|term| usize::from(term.member) + 1).max().unwrap_or(0);
    let mut base = Scalar::ZERO;
    // The key of each member with its coefficient.
    let mut of_members = vec![None; members];
    for (term, k) in terms.iter().zip(&challenges) {
        let z = Scalar::from(coefficients.draw());
        base += z * term.signature.s();
        // −R with z instead of R with −z, which has twice as many bits.
        scalars.push(z);
        points.push(-term.signature.r_point().ok_or_else(Error::bad_signature)?);
        if let Some(place) = of_members.get_mut(usize::from(term.member)) {
            let (_, sum) = place.get_or_insert((term.key, Scalar::ZERO));
            *sum += z * k;
        }
    }
    for (key, scalar) in of_members.into_iter().flatten() {
        scalars.push(scalar);
        points.push(key.negated());
    }
    scalars.push(base);
    points.push(ED25519_BASEPOINT_POINT);
    let sum = EdwardsPoint::vartime_multiscalar_mul(scalars, points);
    if sum.mul_by_cofactor().is_identity() { Ok(()) } else { Err(Error::bad_signature()) }
}
