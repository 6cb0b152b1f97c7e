//! Statements, votes, quorum certificates, timeout certificates, and evidence of misbehaviour.
//!
//! ```text
//! Statement ──sign──▶ Vote ──VoteCollector──▶ Verified<Certificate>     2f+1 members signed one statement
//! value     ──sign──▶ TimeoutVote ──TimeoutCollector──▶ Verified<TimeoutCertificate>
//!                                                       2f+1 members gave up a view, each with a value
//! two contradicting votes ──▶ Equivocation      two contradicting certificates ──▶ Conflict
//! ```
//!
//! **Signed bytes**: `"quorate-v1-vote" ‖ committee id 32 ‖ kind 1 ‖ epoch 8 ‖ view 8 ‖ digest 32`.
//!
//! **Verification of votes.** A collector computes nothing until its votes reach the quorum. Then it sums the signatures
//! and verifies the sum once: a subgroup check and two pairings, whatever the number of votes. Only if that fails does it
//! search for the bad votes: a single bad vote is located by a weighted sum, and its own pairings then prove it bad and the
//! sum of the other votes good; several are found by bisection down to groups of four, whose votes are verified one by one. The signers of
//! bad votes become [`Suspects`], whose votes are verified one by one until the suspicion has decayed. If fewer votes are
//! pending than a threshold ([`DEFAULT_BATCH_THRESHOLD`]), they are verified one by one too.
//!
//! **Meaning of a verified sum.** σ₁ + X and σ₂ − X verify together. The certificate made from them is as good as any,
//! because it equals the one of σ₁ and σ₂, but neither vote is valid. Votes that were verified together therefore stay
//! together, and this module never treats one of them as valid unless it was verified alone.
//!
//! From keys to a certificate that another process verifies, with one forged vote among four:
//!
//! ```
//! # #[cfg(feature = "bls")] {
//! use std::sync::Arc;
//! use quorate::bls::MinSig;
//! use quorate::certificate::{Certificate, Kind, Suspects, Vote, VoteCollector};
//! use quorate::committee::{ChainId, Committee};
//! use quorate::scheme::{Scheme, UnverifiedKey};
//! use quorate::wire::{Decode, Encode};
//!
//! # fn main() -> quorate::Result<()> {
//! # let mut rng = getrandom::SysRng;
//! // Each member submits its key with a proof of possession; the committee's creator verifies the proofs.
//! let secrets = (0..4).map(|_| MinSig::generate(&mut rng)).collect::<Result<Vec<_>, _>>()?;
//! let submitted = secrets.iter().map(UnverifiedKey::<MinSig>::prove);
//! let members = submitted.map(|key| Ok((key.verify()?, 1))).collect::<quorate::Result<_>>()?;
//! let committee = Arc::new(Committee::new(ChainId::from_name("example"), 0, members)?);
//!
//! // Members vote (a validator signs through its Guard instead). Member 1's vote carries member 0's signature.
//! let (kind, view) = (Kind::new(1), 7);
//! let statement = committee.statement(kind, view, [42; 32]);
//! let mut votes = secrets
//!     .iter()
//!     .map(|secret| Vote::<MinSig>::sign_unguarded(secret, &committee, statement))
//!     .collect::<Result<Vec<_>, _>>()?;
//! votes[1] = Vote::new(statement, 1, votes[0].signature().clone());
//!
//! // Three of four are a quorum. At the third vote the sum is verified, which finds the forgery; the fourth vote
//! // completes the quorum.
//! let mut collector = VoteCollector::new(committee.clone(), kind, view);
//! let mut suspects = Suspects::new();
//! let (mut certificate, mut culprits) = (None, Vec::new());
//! for vote in votes {
//!     let collected = collector.add(vote, &mut suspects);
//!     culprits.extend(collected.faults.iter().map(|fault| fault.signer()));
//!     certificate = certificate.or(collected.certificate);
//! }
//! assert_eq!(culprits, [1]);
//! let bytes = certificate.ok_or(quorate::Error::NotEvidence)?.encode();
//! assert_eq!(bytes.len(), 100);
//!
//! // The receiver: decoding checks structure and quorum, `verify` the signature.
//! let received = Certificate::<MinSig>::decode(&bytes, &committee)?.verify(&committee)?;
//! assert_eq!(received.statement(), &statement);
//! assert!(received.signers().iter().eq([0, 2, 3]));
//! # Ok(()) } main().unwrap(); }
//! ```
//!
//! The aggregates follow Li et al., *Performance of EdDSA and BLS Signatures in Committee-Based Consensus*. The leader of
//! that paper verifies BLS votes one by one; the collectors of this module do not.

mod batch_check;
#[allow(clippy::module_inception)]
mod certificate;
mod collected;
mod collector;
mod evidence;
mod header;
mod held_votes;
pub(crate) mod signers;
mod statement;
mod suspects;
mod tally;
mod timeout;
mod timeout_collector;
mod vote;

pub use certificate::Certificate;
#[cfg(any(feature = "bls", feature = "ed25519"))]
pub(crate) use certificate::batch;
pub use collected::{Collected, VoteFault};
pub use collector::VoteCollector;
pub use evidence::{Conflict, Equivocation};
pub use header::UntrustedHeader;
pub use statement::{Kind, Statement};
pub use suspects::Suspects;
pub use tally::DEFAULT_BATCH_THRESHOLD;
pub use timeout::{MAX_TIMEOUT_GROUPS, TimeoutCertificate, TimeoutVote};
pub use timeout_collector::TimeoutCollector;
pub use vote::Vote;
