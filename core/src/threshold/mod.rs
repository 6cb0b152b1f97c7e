//! Threshold cryptography: operations that any t of n members can perform together, and fewer cannot.
//!
//! | part | purpose |
//! |---|---|
//! | [`Field`], [`Group`] | arithmetic over [`Ristretto255`] and [`Secp256k1`] |
//! | [`Polynomial`], [`SecretShare`] | Shamir's secret sharing, and sharings of zero |
//! | [`lagrange`] | interpolation at zero, in the field and in the exponent, with a cache |
//! | [`decode`] | decodes shares: the polynomial through most of them, and the members whose shares are wrong |
//! | [`ecdsa`] | signatures by t parties, from presignatures that a dealer made |
//! | `bls` | the same with BLS (feature `bls`) |
//! | [`seal`] | encryption of the dealer's files to each party |
//! | [`Combiner`] | combines shares to a signature: optimistically, with blame |
//! | [`tdh2`] | threshold encryption: any client encrypts, f + 1 members decrypt |
//! | [`coin`] | a common coin: a random value that is unpredictable until f + 1 members release it |
//! | [`dleq`] | the common base of `tdh2` and `coin`: keys, shares with proofs, blame |
//!
//! Members are numbered by [`MemberIndex`](crate::machine::MemberIndex) from 0. A member's share is the polynomial's
//! value at its [`ShareIndex`], from 1, because the value at 0 is the secret.
//!
//! ```
//! use quorate::threshold::{Polynomial, Ristretto255, Group, SecretScalar, Threshold, reconstruct};
//!
//! let mut rng = getrandom::SysRng;
//! let threshold = Threshold::new(2, 3)?;
//! let secret = SecretScalar::random(&mut rng)?;
//! let public = Ristretto255::base(secret.expose());
//! let shares: Vec<_> = Polynomial::sharing(&secret, threshold, &mut rng)?.shares(3).collect();
//! let again = reconstruct(threshold, &shares[1..])?;
//! assert_eq!(Ristretto255::base(again.expose()), public);
//! # Ok::<(), quorate::Error>(())
//! ```

mod attestation;
#[cfg(feature = "bls")]
pub mod bls;
pub mod coin;
pub mod combiner;
pub mod decode;
pub mod dleq;
pub mod ecdsa;
mod group;
mod index;
pub mod lagrange;
mod ristretto255;
pub mod seal;
mod secp256k1;
mod sharing;
pub mod tdh2;
mod tolerance;

pub use combiner::{Combiner, Instance};
pub use group::{Field, Group};
pub use index::{MAX_PARTIES, ShareIndex, Threshold};
pub use ristretto255::Ristretto255;
pub use secp256k1::Secp256k1;
pub use sharing::{Polynomial, SecretScalar, SecretShare, reconstruct};
pub use tolerance::{Agreed, Agreement, Class, Tolerance, Unagreed};
