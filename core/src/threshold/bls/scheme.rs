use crate::bls::{MinPk, MinSig, PublicKey, SecretKey, Signature, Variant};
use crate::scheme::Scheme;
use crate::wire::{Encode, domain};

/// A variant of BLS with its signature scheme.
pub trait BlsScheme:
    Variant
    + Scheme<
        SecretKey = SecretKey<Self>,
        PublicKey = PublicKey<Self>,
        Signature = Signature<Self>,
        Proof = Signature<Self>,
    >
{
}

impl BlsScheme for MinSig {}
impl BlsScheme for MinPk {}

/// Returns 32 bytes that were unpredictable before t parties had signed, and that any holder of the signature can
/// verify. The message must name the purpose of the coin, and be signed for no other purpose. **Verify the signature
/// first**: outside the subgroup there are many signatures of a message.
pub fn beacon<V: BlsScheme>(signature: &Signature<V>) -> [u8; 32] {
    domain::hash(domain::BLS_BEACON, &signature.encode())
}
