//! BLS threshold signatures: t of N parties sign, and what comes out is a plain BLS signature.
//!
//! Boldyreva's scheme: the secret key is shared by a polynomial, a share is a signature under a party's value of it, and
//! t shares interpolate in the exponent to the signature under the value at zero. It is the scheme that the paper replaces
//! (its Table II), and it keeps two advantages over [`ecdsa`](super::ecdsa): nothing is consumed, and the signature of a
//! message is **unique**, so that its [hash](beacon) is a coin that nobody could choose, with a proof for those outside.
//! What it costs is pairings: a share 0.1 ms, a verification 0.8 ms.
//!
//! A share is checked under its party's public key without any opening, so the same [`Combiner`](super::Combiner) names
//! culprits at once. There is nothing here to decode: the shares are points.
//!
//! The threshold is one of the key: [`Agreement`] says when f + 1 is enough. With it, an equivocating leader gets two
//! signatures on two messages, though never the key.
//!
//! ```
//! use quorate::bls::MinSig;
//! use quorate::committee::CommitteeId;
//! use quorate::scheme::Scheme;
//! use quorate::threshold::{Agreement, Combiner, Tolerance, bls, lagrange};
//!
//! # let mut rng = getrandom::SysRng;
//! # let committee = CommitteeId([7; 32]);
//! let parties = bls::deal::<MinSig, _>(committee, Tolerance::new(4, 1)?, Agreement::Agreed, &mut rng)?;
//! let key = parties[0].key().clone();
//! let mut cache = lagrange::Cache::default();
//! let mut combiner = Combiner::new(bls::Signing::new(key.clone(), b"round 7"));
//! for party in &parties[..2] {
//!     let _ = combiner.add(&mut cache, party.member(), party.sign(b"round 7"))?;
//! }
//! let signature = combiner.signature().cloned().unwrap();
//! MinSig::verify(key.public(), b"round 7", &signature)?;
//! let coin = bls::beacon(&signature);
//! # Ok::<(), quorate::Error>(())
//! ```

mod key;
mod signing;

pub use key::{GroupKey, KeyShare, deal};
pub use signing::{ShareFault, SignatureShare, Signing};

use crate::bls::{MinPk, MinSig, PublicKey, SecretKey, Signature, Variant};
use crate::scheme::Scheme;
use crate::wire::{Encode, domain};

#[cfg(doc)]
use super::Agreement;

/// Either variant of BLS.
pub trait Suite:
    Variant + Scheme<SecretKey = SecretKey<Self>, PublicKey = PublicKey<Self>, Signature = Signature<Self>>
{
}

impl Suite for MinSig {}
impl Suite for MinPk {}

/// 32 bytes that nobody knew before t parties had signed, and that everybody who has the signature can check. The message
/// must name what the coin is for, and be signed for nothing else. **Verify the signature first**: of a signature outside
/// the subgroup there are many.
pub fn beacon<V: Suite>(signature: &Signature<V>) -> [u8; 32] {
    domain::hash(domain::BLS_BEACON, &signature.encode())
}
