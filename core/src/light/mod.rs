//! Light clients: they follow a chain by its certificates, from a trusted genesis over changes of the members, and verify
//! what untrusted servers report.
//!
//! ```text
//! genesis ─▶ committees ── certificate ──▶ block ── Merkle path ──▶ transaction
//!                │
//!                └──────── certificate ──▶ last block of the epoch ── all its transactions ──▶ committees of the next epoch
//! ```
//!
//! A [`LightClient`] knows the two committees of each epoch that it has reached, and no block. It verifies
//!
//! | input | result | cost |
//! |---|---|---|
//! | a certificate | [`Verified<Certificate>`](crate::committee::Verified), which [`ChainProtocol::certifies`] compares with a block | two pairings |
//! | a block with its commit proof | [`VerifiedCommit`] | two pairings; in Jolteon also an Ed25519 signature per block |
//! | a transaction proof | [`VerifiedTransaction`] | the same, and a hash per level of the tree |
//! | the last block of an epoch with its commit proof and all its transactions | the next epoch ([`hand_over`](LightClient::hand_over)) | the same, and the certificates of the changes |
//!
//! Many certificates or blocks together cost less: see [`verify_certificates`](LightClient::verify_certificates).
//!
//! **Trust.** The client trusts its genesis, and that in each epoch members with less than a third of the weight are faulty,
//! also after they have left: a quorum of an old epoch's keys can prove another chain. Results say nothing about time: a
//! server can hide the newest blocks.
//!
//! **Blocks** are those of the protocols of the example's node: `spec/jolteon.md`, `spec/gosig.md`, `spec/abft.md`; the
//! formats of proofs and genesis files are in `spec/light.md`. A chain with blocks of its own uses
//! [`Certificate`](crate::certificate::Certificate) and [`Committee`](crate::committee::Committee).
//!
//! ```
//! # #[cfg(feature = "bls")] {
//! # use std::sync::Arc;
//! # use quorate::bls::MinSig;
//! # use quorate::certificate::{Kind, Suspects, Vote, VoteCollector};
//! # use quorate::committee::{ChainId, Committee};
//! # use quorate::ed25519::Ed25519;
//! # use quorate::scheme::{Scheme, UnverifiedKey};
//! # use quorate::wire::Encode;
//! use quorate::light::{ChainProtocol, Committees, LightClient};
//!
//! # fn committee<S: Scheme>(secrets: &[S::SecretKey]) -> quorate::Result<Arc<Committee<S>>> {
//! #     let member = |secret| Ok((UnverifiedKey::<S>::prove(secret).verify()?, 1));
//! #     let members = secrets.iter().map(member).collect::<quorate::Result<_>>()?;
//! #     Ok(Arc::new(Committee::new(ChainId::from_name("example"), 0, members)?))
//! # }
//! # fn main() -> quorate::Result<()> {
//! # let mut rng = getrandom::SysRng;
//! # let secrets = (0..4).map(|_| MinSig::generate(&mut rng)).collect::<Result<Vec<_>, _>>()?;
//! # let names = (0..4).map(|_| Ed25519::generate(&mut rng)).collect::<Result<Vec<_>, _>>()?;
//! # let (voters, identities) = (committee::<MinSig>(&secrets)?, committee::<Ed25519>(&names)?);
//! # let statement = voters.statement(Kind::new(1), 7, [42; 32]);
//! # let mut collector = VoteCollector::new(voters.clone(), Kind::new(1), 7);
//! # let votes = secrets.iter().map(|secret| Vote::sign_unguarded(secret, &voters, statement));
//! # let certificate = votes.flatten().find_map(|v| collector.add(v, &mut Suspects::new()).certificate).unwrap();
//! # let (received, height, view, digest) = (certificate.encode(), 3, 7, [42; 32]);
//! // Usually `LightClient::from_genesis(&Genesis::parse(text)?)`.
//! let client = LightClient::<MinSig>::new(ChainProtocol::Jolteon, Committees::new(voters, identities)?);
//! let certificate = client.verify_certificate(&received)?;
//! assert!(client.protocol().certifies(certificate.statement(), height, view, &digest));
//! # Ok(()) } main().unwrap(); }
//! ```

mod abft;
mod batch;
mod block;
mod client;
mod commit;
mod committees;
mod genesis;
mod gosig;
mod jolteon;
mod protocol;
mod toml;
mod transaction;

pub use client::{LightClient, MAX_EPOCHS};
pub use commit::VerifiedCommit;
pub use committees::Committees;
pub use genesis::Genesis;
pub use protocol::ChainProtocol;
pub use transaction::VerifiedTransaction;
