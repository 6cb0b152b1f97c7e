//! Threshold ECDSA: t of N parties sign in one round, in half a microsecond each.
//!
//! This is possible with presignatures, which are dealt in advance and sign **once**: Gennaro and Goldfeder, *One
//! Round Threshold ECDSA with Identifiable Abort* (2020/540), as Knudsen et al. use it in *High-Performance
//! Asynchronous Byzantine Fault Tolerance Consensus Protocol*, section II.A, with a trusted dealer.
//!
//! ```text
//! dealer     R = k⁻¹·G, and a share of k, χ = k·x and 0 for each party: kᵢ, χᵢ, eᵢ
//! party i    sᵢ = h·kᵢ + r·χᵢ + eᵢ      write the journal first, then send
//! combiner   s = Σ λᵢ·sᵢ               from t shares, and verify (R, s)
//!            sᵢ·R = h·K̄ᵢ + r·X̄ᵢ + Ēᵢ    only if that fails: identify the wrong shares
//! ```
//!
//! | type | purpose |
//! |---|---|
//! | [`TrustedDealer`] | generates the key, and knows it |
//! | [`Plan`], [`AgreedTag`], [`UnagreedTag`] | which presignature signs which message, and with how many shares |
//! | [`Presignatures`], [`Presignature`] | a party's presignatures of one epoch, and a single one |
//! | [`SignatureShare`], [`Opening`] | a party's share; its opening, sent when shares are in doubt |
//! | [`Signing`] | a message under a tag, for a [`Combiner`](super::Combiner) |
//! | [`Deal`], [`ShareFault`] | the public part of an epoch's presignatures; evidence of a wrong share |
//!
//! **One presignature, one message.** Two signatures with the same R are two equations for k and x. A presignature is
//! consumed by [`sign`](Presignature::sign), which records its use in the journal of the
//! [`Guard`](crate::guard::Guard), the same one that records votes. After a crash the party reads its file again, and
//! the journal lists the spent presignatures.
//!
//! **Two thresholds, as types.** With t = f + 1, a leader that sends two halves of the parties different messages gets
//! two signatures with the same R. So this threshold is only for messages that the parties agree on; see
//! [`Agreement`](super::Agreement).
//!
//! | per | ristretto255 | secp256k1 |
//! |---|---|---|
//! | share | 83 bytes; two multiplications in the field and two hashes | the same |
//! | signature | 64 bytes, verified by this crate only | 64 bytes, verified by any ECDSA library |
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
//! // Offline: four parties, at most one of them faulty.
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
//!     log.extend(signed.record);                       // make it durable before the share leaves
//!     shares.push(signed.share);
//! }
//!
//! // A process with three of the shares:
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
//! Tags of different classes cannot be mixed:
//!
//! ```compile_fail,E0308
//! # use quorate::threshold::ecdsa::{AgreedTag, Plan};
//! let plan = Plan::Agreement { parties: 4, rounds: Plan::ROUNDS };
//! let tag: AgreedTag = plan.promotion(1, 0, 2, 1).unwrap();      // the proposer chooses the message
//! ```

mod comb;
mod curve;
mod deal;
mod dealer;
mod evidence;
mod key;
mod presignature;
mod share;
mod signature;
mod signing;
mod slot;
mod tables;
pub mod tag;

pub use curve::Curve;
pub use deal::{Deal, Opening};
pub use dealer::TrustedDealer;
pub use evidence::ShareFault;
pub use key::GroupKey;
pub use presignature::{Opener, Presignature, Presignatures, Signed};
pub use share::SignatureShare;
pub use signature::Signature;
pub use signing::Signing;
pub use slot::{KeyId, Slot};
pub use tag::{AgreedTag, Plan, Tag, UnagreedTag};
