//! ECDSA by many: t of N parties sign, in one round and in half a microsecond each.
//!
//! What makes that possible is material that is dealt beforehand, and that signs **once**: Gennaro and Goldfeder, *One
//! Round Threshold ECDSA with Identifiable Abort* (2020/540), as Knudsen et al. use it in *High-Performance Asynchronous
//! Byzantine Fault Tolerance Consensus Protocol*, section II.A, with a trusted dealer.
//!
//! ```text
//! dealer     R = k⁻¹·G, and of k, χ = k·x and 0 a share for each party: kᵢ, χᵢ, eᵢ
//! party i    sᵢ = h·kᵢ + r·χᵢ + eᵢ      journal first, then send
//! anybody    s = Σ λᵢ·sᵢ               of t shares, and verify (R, s)
//!            sᵢ·R = h·K̄ᵢ + r·X̄ᵢ + Ēᵢ    only if that fails: whose share is wrong
//! ```
//!
//! | type | what it is |
//! |---|---|
//! | [`TrustedDealer`] | knows the key, and says so |
//! | [`Plan`], [`AgreedTag`], [`UnagreedTag`] | which presignature signs what, and how many shares that takes |
//! | [`Presignatures`], [`Presignature`] | a party's material of one epoch, and one piece of it |
//! | [`SignatureShare`], [`Opening`] | what a party sends; what it sends when shares are in doubt |
//! | [`Signing`] | a message under a tag, for a [`Combiner`](super::Combiner) |
//! | [`Deal`], [`ShareFault`] | what everybody may know of an epoch, and proof of a wrong share |
//!
//! **One presignature, one message.** Two signatures with one R are two equations for k and x. A presignature is consumed
//! by [`sign`](Presignature::sign), which notes what it is spent on in the [`Guard`](crate::guard::Guard)'s journal, the
//! one that records votes. After a crash the file is read again, and the journal says which of it is spent.
//!
//! **Two thresholds, as types.** With t = f + 1, a leader who tells two halves of the parties two messages gets two
//! signatures with one R. So that threshold is for what parties agree on; see [`Agreement`](super::Agreement).
//!
//! | per | ristretto255 | secp256k1 |
//! |---|---|---|
//! | share | 83 bytes; two multiplications in the field and two hashes | the same |
//! | signature | 64 bytes, verified here only | 64 bytes, verified anywhere |
//! | presignature of one party, in its file | 160 bytes | 161 bytes |
//!
//! ```
//! use quorate::committee::{ChainId, CommitteeId};
//! use quorate::threshold::ecdsa::{Plan, TrustedDealer};
//! use quorate::threshold::{Combiner, Secp256k1, Tolerance, lagrange};
//! # #[cfg(feature = "ed25519")] {
//! use quorate::ed25519::Ed25519;
//! use quorate::guard::Guard;
//! use quorate::scheme::Scheme;
//!
//! # fn main() -> quorate::Result<()> {
//! # let mut rng = getrandom::SysRng;
//! # let committee = CommitteeId([7; 32]);
//! // Offline: four parties, of which one may be faulty.
//! let dealer = TrustedDealer::<Secp256k1>::new(committee, Tolerance::new(4, 1)?, &mut rng)?;
//! let plan = Plan::Unagreed { count: 16 };
//! let mut parties = dealer.deal(1, plan, &mut rng)?;
//!
//! // Each party: the journal first, then the share.
//! let tag = plan.unagreed(1, 0)?;
//! let (mut log, mut shares) = (vec![], vec![]);
//! for party in &mut parties {
//!     let mut guard = Guard::<Ed25519>::new(Ed25519::generate(&mut rng)?, ChainId::from_name("example"));
//!     let signed = party.take(tag)?.sign(&mut guard, b"pay 5 to Bob")?;
//!     log.extend(signed.record);                       // durable now, and only now the share may leave
//!     shares.push(signed.share);
//! }
//!
//! // Anybody who has three of the shares:
//! let mut cache = lagrange::Cache::default();
//! let mut combiner = Combiner::new(parties[0].signing(tag, b"pay 5 to Bob")?);
//! for share in shares {
//!     let outcome = combiner.add(&mut cache, share.member(), share)?;
//!     if let Some(signature) = outcome.signature {
//!         dealer.key().verify_message(b"pay 5 to Bob", &signature)?;
//!     }
//! }
//! assert!(combiner.signature().is_some());
//! assert_eq!(combiner.counts().combinations, 1);
//! # Ok(()) } main().unwrap(); }
//! # Ok::<(), quorate::Error>(())
//! ```
//!
//! A tag of one class is not one of the other:
//!
//! ```compile_fail,E0308
//! # use quorate::threshold::ecdsa::{AgreedTag, Plan};
//! let plan = Plan::Agreement { parties: 4, rounds: Plan::ROUNDS };
//! let tag: AgreedTag = plan.promotion(1, 0, 2, 1).unwrap();      // a proposer chooses what it promotes
//! ```

mod comb;
mod curve;
mod deal;
mod dealer;
mod evidence;
mod key;
mod presignature;
mod share;
mod signing;
mod tables;
pub mod tag;

pub use curve::{Curve, Signature};
pub use deal::{Deal, Opening};
pub use dealer::TrustedDealer;
pub use evidence::ShareFault;
pub use key::{GroupKey, KeyId, Slot};
pub use presignature::{Opener, Presignature, Presignatures, Signed};
pub use share::SignatureShare;
pub use signing::Signing;
pub use tag::{AgreedTag, Plan, Tag, UnagreedTag};
