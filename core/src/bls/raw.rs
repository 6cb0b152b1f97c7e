//! Single signatures of other chains.

use alloc::borrow::Cow;

use super::ciphersuite::Ciphersuite;
use super::group::Variant;
use super::keys::{PublicKey, SecretKey, Signature};
use super::pairing;
use crate::Result;

impl Ciphersuite {
    /// Signs a message for another chain. Never sign with a key that signs quorate's statements: a
    /// [`Guard`](crate::guard::Guard) does not record it.
    pub fn sign<V: Variant>(&self, secret: &SecretKey<V>, message: &[u8]) -> Signature<V> {
        let message = match self {
            Self::MessageAugmentation => self.signed_bytes(&secret.public_key(), message),
            _ => Cow::Borrowed(message),
        };
        secret.sign(&message, self.tag::<V>())
    }

    /// Verifies one signature of another chain. Cost: a hash to the curve, a subgroup check, two pairings.
    ///
    /// # Errors
    /// [`BadSignature`](crate::Error::BadSignature), [`NotInSubgroup`](crate::Error::NotInSubgroup),
    /// [`Infinity`](crate::Error::Infinity).
    pub fn verify<V: Variant>(
        &self,
        key: &PublicKey<V>,
        message: &[u8],
        signature: &Signature<V>,
    ) -> Result<()> {
        let message = self.signed_bytes(key, message);
        pairing::verify(&[(key.point(), &*message)], self.tag::<V>(), signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bls::MinPk;
    use crate::scheme::Scheme;

    #[test]
    fn a_signature_verifies_under_its_own_ciphersuite_only() {
        let secret = MinPk::secret_from_bytes(&[7; 32]).unwrap();
        let key = MinPk::public_key(&secret);
        let all = [
            Ciphersuite::Basic,
            Ciphersuite::MessageAugmentation,
            Ciphersuite::ProofOfPossession,
            Ciphersuite::custom(b"my chain").unwrap(),
            Ciphersuite::custom(b"your chain").unwrap(),
        ];
        for signed in &all {
            let signature = signed.sign(&secret, b"m");
            for verified in &all {
                assert_eq!(verified.verify(&key, b"m", &signature).is_ok(), signed == verified);
            }
        }
        assert_eq!(Ciphersuite::default().sign(&secret, b"m"), MinPk::sign(&secret, b"m"));
    }
}
