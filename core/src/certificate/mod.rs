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
//! From keys to a certificate that somebody else checks, with one forged vote among the four:
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
//! // Each member hands in its key with a proof; whoever makes the committee checks it.
//! let secrets = (0..4).map(|_| MinSig::generate(&mut rng)).collect::<Result<Vec<_>, _>>()?;
//! let handed_in = secrets.iter().map(UnverifiedKey::<MinSig>::prove);
//! let members = handed_in.map(|key| Ok((key.verify()?, 1))).collect::<quorate::Result<_>>()?;
//! let committee = Arc::new(Committee::new(ChainId::from_name("example"), 0, members)?);
//!
//! // Members vote (a validator signs through its Guard instead); member 1's vote is signed by somebody else.
//! let (kind, view) = (Kind::new(1), 7);
//! let statement = committee.statement(kind, view, [42; 32]);
//! let mut votes = secrets
//!     .iter()
//!     .map(|secret| Vote::<MinSig>::sign_unguarded(secret, &committee, statement))
//!     .collect::<Result<Vec<_>, _>>()?;
//! votes[1] = Vote::new(statement, 1, votes[0].signature().clone());
//!
//! // Three of four are a quorum. The third vote has the sum checked, which finds the forgery; the fourth completes it.
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
//! // The recipient: decoding checks form and quorum, `verify` checks the signatures.
//! let received = Certificate::<MinSig>::decode(&bytes, &committee)?.verify(&committee)?;
//! assert_eq!(received.statement(), &statement);
//! assert!(received.signers().iter().eq([0, 2, 3]));
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
pub(crate) mod signers;
mod statement;
mod suspects;
mod tally;
mod timeout;
mod timeout_collector;
mod units;
mod vote;

pub use certificate::Certificate;
#[cfg(any(feature = "bls", feature = "ed25519"))]
pub(crate) use certificate::batch;
#[cfg(feature = "gossip")]
pub(crate) use certificate::{Item, find_bad, read_suite};
pub use collector::{Collected, VoteCollector, VoteFault};
pub use evidence::{Conflict, Equivocation};
pub use statement::{Kind, Statement};
pub use suspects::Suspects;
pub use timeout::{MAX_TIMEOUT_GROUPS, TimeoutCertificate, TimeoutVote};
pub use timeout_collector::TimeoutCollector;
pub use vote::Vote;

/// With fewer pending votes than this they are checked one by one.
///
/// Two, since the check of a sum costs as much as that of one vote: with `MinSig` three votes cost 25 Ed25519
/// verifications together and 80 one by one. A higher value would be a defence against members who spoil small
/// batches, which is not worth its price: with one bad vote among up to four, the sum was checked in vain, which is at
/// most one check more than one by one; with several among five to seven it is little more than twice the checks. A
/// culprit cannot repeat that: it is then one of the [`Suspects`], whose votes are in no sum.
///
/// What a higher value does buy is that each of a few votes stands for itself: only votes that were checked alone
/// need no further check to become evidence of an equivocation.
pub const DEFAULT_BATCH_THRESHOLD: usize = 2;
