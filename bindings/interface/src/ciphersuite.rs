//! The ciphersuites of other chains' BLS signatures.

use quorate::Result;
use quorate::bls;
use quorate::wire::{Decode, Encode};

class! {
    /// The rules by which another chain signs messages with BLS: one of the standard's ciphersuites
    /// (draft-irtf-cfrg-bls-signature, section 4.2), or a domain separation tag of the chain's own. It concerns
    /// messages of that chain only: votes and certificates are always signed with proof of possession.
    encoded struct Ciphersuite(pub bls::Ciphersuite): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Ciphersuite({})", self.0);
    /// Returns the basic scheme, whose tags end in `NUL_`: Sui and drand.
    quick fn basic() -> Self { Self(bls::Ciphersuite::Basic) }
    /// Returns message augmentation, whose tags end in `AUG_`: Chia. Each member signs its public key followed by the
    /// message. Each signer costs a hash to the curve and a pairing.
    quick fn message_augmentation() -> Self { Self(bls::Ciphersuite::MessageAugmentation) }
    /// Returns proof of possession, whose tags end in `POP_`: Ethereum and Aptos. It is the default.
    quick fn proof_of_possession() -> Self { Self(bls::Ciphersuite::ProofOfPossession) }
    /// Returns a ciphersuite with a domain separation tag of the chain's own: 1 to 255 bytes.
    /// [`Error::Malformed`](quorate::Error) for an empty tag.
    /// [`Error::TooLarge`](quorate::Error) for a tag of more than 255 bytes.
    /// [`Error::NonCanonical`](quorate::Error) for a tag under which votes or proofs of possession are signed.
    quick fn custom(tag: &[u8]) -> Result<Self> { bls::Ciphersuite::custom(tag).map(Self) }
    /// Decodes a ciphersuite.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a ciphersuite.
    quick fn decode(bytes: &[u8]) -> Result<Self> { bls::Ciphersuite::decode(bytes, &()).map(Self) }
    /// Returns the canonical encoding.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
}
