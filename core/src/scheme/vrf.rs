use super::traits::Scheme;
use crate::Result;

/// A scheme with **unique** signatures: for each key and message exactly one string of bytes verifies.
///
/// The hash of a unique signature is a verifiable random function (VRF) of the message: only the key's owner can
/// compute it, anyone can verify it, and the owner cannot influence it.
///
/// BLS signatures are unique in the subgroup only. σ + T with a point T of small order satisfies the pairing equation
/// too, so a hash over any point that the pairing accepts would have several values. Ed25519 signatures are
/// not unique, because the signer chooses a nonce; Ed25519 does not implement this trait.
pub trait Vrf: Scheme {
    /// Verifies a unique signature and evaluates its bytes with `accept`, in the only safe order: refuses points
    /// outside the subgroup, calls `accept` on the bytes, then verifies the signature. A signature for which `accept`
    /// fails costs no pairing. Cost (BLS): one subgroup check, one hash to the curve, two pairings.
    ///
    /// # Errors
    /// As [`verify`](Scheme::verify), and the errors of `accept`.
    fn verify_unique<T>(
        key: &Self::PublicKey,
        message: &[u8],
        signature: &Self::Signature,
        accept: impl FnOnce(&[u8]) -> Result<T>,
    ) -> Result<T>;
}
