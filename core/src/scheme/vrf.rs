use super::Scheme;
use crate::Result;

/// A scheme whose signatures are **unique**: for a key and a message one string of bytes verifies, and no other. A hash of
/// it is then a verifiable random function of the message: nobody but the key's owner can compute it, everybody can
/// check it, and the owner has nothing to choose.
///
/// BLS signatures are unique in the subgroup only. σ + T with a point T of small order satisfies the pairing too, so one
/// who hashes what the pairing accepts gives out as many values as there are such points. Ed25519 signatures are not
/// unique at all: their signer picks a nonce. It has no implementation.
pub trait Vrf: Scheme {
    /// Checks a signature and what its bytes lead to, in the one safe order: refuses points outside the subgroup, lets
    /// `judge` see the bytes, then checks that they are the key's signature. So what `judge` refuses costs no pairing.
    /// Cost (BLS): one subgroup check, one hash to the curve, two pairings.
    ///
    /// # Errors
    /// As [`verify`](Scheme::verify), and those of `judge`.
    fn verify_unique<T>(
        key: &Self::PublicKey,
        message: &[u8],
        signature: &Self::Signature,
        judge: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<T>;
}
