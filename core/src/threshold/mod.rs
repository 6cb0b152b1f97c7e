//! Threshold cryptography: what t of n members can do together, and fewer cannot.
//!
//! | part | what it is for |
//! |---|---|
//! | [`Field`], [`Group`] | arithmetic over [`Ristretto255`] and [`Secp256k1`] |
//! | [`Polynomial`], [`SecretShare`] | Shamir's secret sharing, and sharings of zero |
//! | [`lagrange`] | interpolation at zero, in the field and in the exponent, with a cache |
//! | [`decode`] | the polynomial through most of the shares, and whose shares are wrong |
//! | [`ecdsa`] | signatures by t parties, from material that a dealer gave them |
//! | `bls` | the same with BLS (feature `bls`) |
//! | [`seal`] | what a dealer gives to each party, for its eyes only |
//! | [`Combiner`] | shares in, a signature out: optimistically, with blame |
//! | [`tdh2`] | threshold encryption: anybody encrypts, f + 1 members decrypt |
//! | [`coin`] | a common coin: a random value that nobody knows before f + 1 members want it |
//! | [`dleq`] | what both have in common: keys, shares with proofs, blame |
//!
//! A member's place is its [`MemberIndex`](crate::machine::MemberIndex), from 0; its share lies at its
//! [`ShareIndex`], from 1, because at 0 lies the secret.
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

#[cfg(feature = "bls")]
pub mod bls;
pub mod coin;
pub mod combiner;
pub mod decode;
pub mod dleq;
pub mod ecdsa;
mod group;
pub mod lagrange;
mod ristretto255;
pub mod seal;
mod secp256k1;
mod sharing;
pub mod tdh2;
mod tolerance;

pub use combiner::{Combiner, Instance};
pub use group::{Field, Group};
pub use ristretto255::Ristretto255;
pub use secp256k1::Secp256k1;
pub use sharing::{MAX_PARTIES, Polynomial, SecretScalar, SecretShare, ShareIndex, Threshold, reconstruct};
pub use tolerance::{Agreed, Agreement, Class, Tolerance, Unagreed};
