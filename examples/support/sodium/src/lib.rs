//! Ed25519 of [libsodium](https://doc.libsodium.org), "Sodium" in the paper of DSig, for measurements beside our
//! implementation, which is ed25519-dalek. Both make the same signatures.
//!
//! The library is linked with the feature `libsodium` only. Without it [`SigningKey::from_seed`] and [`VerifyingKey::new`] fail, so
//! that a program can say what is missing.
//!
//! Of a crate with bindings we would use four functions, and build dozens of crates for it, among them a client that downloads the
//! sources of libsodium; therefore the four functions are declared here.

mod error;
#[cfg(feature = "libsodium")]
mod ffi;
#[cfg(not(feature = "libsodium"))]
#[path = "missing.rs"]
mod ffi;

pub use error::{Unavailable, is_linked};

use zeroize::Zeroizing;

/// A key that signs. Its memory is wiped when it is dropped.
pub struct SigningKey {
    /// Seed and public key.
    expanded: Zeroizing<[u8; 64]>,
}

/// A key that verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyingKey {
    bytes: [u8; 32],
}

impl SigningKey {
    /// Expands a secret key of 32 bytes.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn from_seed(seed: &[u8; 32]) -> Result<Self, Unavailable> {
        ffi::initialize()?;
        let mut expanded = Zeroizing::new([0; 64]);
        ffi::expand(seed, &mut expanded)?;
        Ok(Self { expanded })
    }

    /// Signs a message.
    ///
    /// # Errors
    /// [`Unavailable`], which libsodium documents for no input.
    pub fn sign(&self, message: &[u8]) -> Result<[u8; 64], Unavailable> {
        ffi::sign(message, &self.expanded)
    }
}

impl VerifyingKey {
    /// Takes an encoded public key. Its bytes are checked by each verification.
    ///
    /// # Errors
    /// [`Unavailable`].
    pub fn new(bytes: &[u8; 32]) -> Result<Self, Unavailable> {
        ffi::initialize()?;
        Ok(Self { bytes: *bytes })
    }

    /// Returns true if the signature is valid. Keys and points of small order are refused.
    pub fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        ffi::verify(message, signature, &self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(not(feature = "libsodium"))]
    #[test]
    fn a_missing_library_is_named() {
        assert_eq!(SigningKey::from_seed(&[1; 32]).err(), Some(Unavailable));
        let missing = VerifyingKey::new(&[1; 32]).unwrap_err().to_string();
        assert!(missing.contains("libsodium-dev") && missing.contains("--features sodium"), "{missing}");
    }

    /// Test 2 of RFC 8032, section 7.1: seed, public key, and the signature of the message 72.
    #[cfg(feature = "libsodium")]
    const RFC: [&str; 3] = [
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ];

    #[cfg(feature = "libsodium")]
    fn bytes<const N: usize>(digits: &str) -> [u8; N] {
        std::array::from_fn(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
    }

    #[cfg(feature = "libsodium")]
    #[test]
    fn signatures_are_those_of_the_standard() {
        let [seed, public, signature] = RFC;
        let (key, expected) = (SigningKey::from_seed(&bytes(seed)).unwrap(), bytes(signature));
        assert_eq!(key.sign(&[0x72]), Ok(expected));
        let public = VerifyingKey::new(&bytes(public)).unwrap();
        assert!(public.verify(&[0x72], &expected));
        assert!(!public.verify(&[0x73], &expected));
        assert!(!public.verify(&[], &expected));
        for at in [0, 31, 32, 63] {
            let mut other = expected;
            other[at] ^= 1;
            assert!(!public.verify(&[0x72], &other), "{at}");
        }
        let other = SigningKey::from_seed(&[7; 32]).unwrap().sign(&[0x72]).unwrap();
        assert!(!public.verify(&[0x72], &other));
    }

    #[cfg(feature = "libsodium")]
    #[test]
    fn a_key_of_small_order_verifies_nothing() {
        let mut identity = [0; 32];
        identity[0] = 1;
        // With the identity as key and as R, and S = 0, the equation holds for every message.
        let mut signature = [0; 64];
        signature[0] = 1;
        assert!(!VerifyingKey::new(&identity).unwrap().verify(b"any", &signature));
    }
}
