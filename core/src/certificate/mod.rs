//! Statements, votes, quorum certificates, timeout certificates, and evidence of misbehaviour.
//!
//! ```text
//! Statement ──sign──▶ Vote ──VoteCollector──▶ Verified<Certificate>     2f+1 members signed one statement
//! value     ──sign──▶ TimeoutVote ──TimeoutCollector──▶ Verified<TimeoutCertificate>
//!                                                       2f+1 members gave up a view, each naming a value
//! two contradicting votes ──▶ Equivocation      two contradicting certificates ──▶ Conflict
//! ```
//!
//! **What is signed**: `"quorate-v1-vote" ‖ committee id 32 ‖ kind 1 ‖ epoch 8 ‖ view 8 ‖ digest 32`.
//!
//! **How votes are checked.** A collector computes nothing until the votes it holds reach the quorum. Then it sums
//! the signatures and checks the sum once: a subgroup check and two pairings, whatever the number of votes. Only if
//! that fails are the bad votes looked for: a single one is computed from two weighted sums and the others are
//! checked again without it; several are found by bisection down to groups of four, which are checked vote by
//! vote. Their signers become [`Suspects`], whose votes are checked singly until that has decayed. Where
//! fewer votes are pending than a threshold ([`DEFAULT_BATCH_THRESHOLD`]), they are checked singly too.
//!
//! **What a passed sum means.** σ₁ + X and σ₂ − X pass together. The certificate made of them is as good as any,
//! since it equals the one of σ₁ and σ₂, but neither vote is: so votes that were checked together stay together,
//! and nothing here ever calls one of them valid without checking it alone.
//!
//! ```
//! # #[cfg(feature = "bls")] {
//! use std::sync::Arc;
//! use quorate::bls::MinSig;
//! use quorate::certificate::{Certificate, Kind, Suspects, Vote, VoteCollector};
//! use quorate::committee::{ChainId, Committee};
//! use quorate::scheme::{Scheme, VerifiedKey};
//! use quorate::wire::{Decode, Encode};
//!
//! # fn main() -> quorate::Result<()> {
//! # let mut rng = getrandom::SysRng;
//! let secrets = (0..4).map(|_| MinSig::generate(&mut rng)).collect::<Result<Vec<_>, _>>()?;
//! let members = secrets.iter().map(|secret| (VerifiedKey::of(secret), 1)).collect();
//! let committee = Arc::new(Committee::<MinSig>::new(ChainId::from_name("example"), 0, members)?);
//!
//! let (kind, view) = (Kind::new(1), 7);
//! let statement = committee.statement(kind, view, [42; 32]);
//! let mut collector = VoteCollector::new(committee.clone(), kind, view);
//! let mut suspects = Suspects::new();
//! let mut certificate = None;
//! for secret in &secrets[..3] {
//!     let vote = Vote::sign_unguarded(secret, &committee, statement)?;
//!     certificate = collector.add(vote, &mut suspects).certificate;
//! }
//! let certificate = certificate.ok_or(quorate::Error::Rng)?;
//! let bytes = certificate.encode();
//! assert_eq!(bytes.len(), 100);
//! let received = Certificate::<MinSig>::decode(&bytes, &committee)?.verify(&committee)?;
//! assert_eq!(received.statement(), &statement);
//! # Ok(()) } main().unwrap(); }
//! ```
//!
//! The paper behind the aggregates is Li et al., *Performance of EdDSA and BLS Signatures in Committee-Based
//! Consensus*; its leader checks BLS votes one by one, this one does not.

#[allow(clippy::module_inception)]
mod certificate;
mod collector;
mod evidence;
mod holdings;
mod signers;
mod statement;
mod suspects;
mod tally;
mod timeout;
mod timeout_collector;
mod units;
mod vote;

pub use certificate::Certificate;
pub use collector::{Collected, VoteCollector, VoteFault};
pub use evidence::{Conflict, Equivocation};
pub use statement::{Kind, Statement};
pub use suspects::Suspects;
pub use timeout::{MAX_TIMEOUT_GROUPS, TimeoutCertificate, TimeoutVote};
pub use timeout_collector::TimeoutCollector;
pub use vote::Vote;

/// With fewer pending votes than this they are checked one by one. Two: one check of a sum costs no more than one
/// vote, so it pays from the second vote on (three votes cost 25 Ed25519 verifications together and 80 one by one),
/// even if one of a few is bad. A higher value makes sense where each vote must stand for itself.
pub const DEFAULT_BATCH_THRESHOLD: usize = 2;
