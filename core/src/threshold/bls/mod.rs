//! BLS threshold signatures: t of N parties sign, and the result is a plain BLS signature.
//!
//! Boldyreva's scheme: the secret key is shared by a polynomial, a share is a signature under a party's value of it,
//! and t shares interpolate in the exponent to the signature under the value at zero. The paper replaces this scheme
//! (its Table II), but it keeps two advantages over [`ecdsa`](super::ecdsa): it consumes nothing, and a message has a
//! **unique** signature, so its [hash](beacon) is a coin that no party can bias, with a publicly verifiable proof.
//! The cost is pairings: 0.1 ms for a share, 0.8 ms for a verification.
//!
//! A share is verified under its party's public key without an opening, so the same [`Combiner`](super::Combiner)
//! blames wrong shares at once. There is no decoding: the shares are points.
//!
//! The threshold belongs to the key: [`Agreement`] says when f + 1 shares suffice. With f + 1, an equivocating leader
//! gets signatures of two messages, but never the key.
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
//! key.verify(b"round 7", &signature)?;
//! MinSig::verify(key.public(), b"round 7", &signature)?;
//! let coin = bls::beacon(&signature);
//! # Ok::<(), quorate::Error>(())
//! ```

mod key;
mod scheme;
mod share;
mod signing;

pub use key::{GroupKey, KeyShare, deal};
pub use scheme::{BlsScheme, beacon};
pub use share::SignatureShare;
pub use signing::{ShareFault, Signing};

#[cfg(doc)]
use super::Agreement;
