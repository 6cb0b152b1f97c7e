//! Aggregates of signatures that merge in any order, and their dissemination by gossip.
//!
//! An [`Aggregate`] is a sum of members' signatures on one statement with a count for each signer: (S, n). Two
//! aggregates merge to (S₁ + S₂, n₁ + n₂), in any order and even if a member signed both; the sum verifies against Σ
//! nᵢ·keyᵢ. So every member can merge its own aggregate with those that it receives and pass the sum on. No member
//! collects all votes, and a message carries one signature and a few bits per signer. Once the signers are a quorum,
//! the aggregate is a [`Certificate`](crate::certificate::Certificate) of a counted scheme. This is the aggregated
//! signature gossip of Li et al., *Gosig* (2020), section 5.2.
//!
//! **Counts must stay low.** Without care they grow with every hop as (fan-out + 1)ʰ, beyond any field. [`Gossip`]
//! prevents this by its choice of the sum to send: the committee is halved recursively, and a member sends to members
//! of the other half the sum of its own half, so that merged sums are disjoint. Aggregates of another form, from other
//! implementations, are merged where they overlap least ([`Pool`]). An aggregate without a new signer is not verified,
//! and an unverified aggregate is not merged.
//!
//! ```text
//! Verified<Vote> ──from_vote─▶ Verified<Aggregate> ──best of each half──▶ quorum ──▶ Verified<Certificate>
//!                                   ▲                  │ sum of a half
//! Aggregate ──receive──▶ stack ──check in batches      ▼
//!     ▲                  newest first, senders blamed  next: to which member?  ◀── Peers: fan-out, back-off
//!     └────────────────────────────── the network ─────┘
//! ```
//!
//! Four members, without a network:
//!
//! ```
//! use std::sync::Arc;
//! use quorate::bls::{Counted, MinSig};
//! use quorate::certificate::{Certificate, Kind, Vote};
//! use quorate::committee::{ChainId, Committee};
//! use quorate::gossip::{Aggregate, Gossip, Parameters, Peers};
//! use quorate::machine::Time;
//! use quorate::scheme::{Scheme, VerifiedKey};
//! use quorate::wire::{Decode, Encode};
//!
//! # fn main() -> quorate::Result<()> {
//! type S = Counted<MinSig>;
//! # let mut rng = getrandom::SysRng;
//! let secrets = (0..4).map(|_| S::generate(&mut rng)).collect::<Result<Vec<_>, _>>()?;
//! let members = secrets.iter().map(|secret| (VerifiedKey::from_secret(secret), 1)).collect();
//! let committee = Arc::new(Committee::<S>::new(ChainId::from_name("example"), 0, members)?);
//! let statement = committee.statement(Kind::new(1), 7, [42; 32]);
//!
//! // Each member starts with its own vote.
//! let parameters = Parameters::default();
//! let mut nodes = Vec::new();
//! for (me, secret) in (0..4).zip(&secrets) {
//!     let vote = Vote::<S>::sign_unguarded(secret, &committee, statement)?.verify(&committee)?;
//!     let mut gossip = Gossip::new(committee.clone(), me, statement, parameters)?;
//!     gossip.vote(&vote)?;
//!     nodes.push((gossip, Peers::new(me, 4, parameters)));
//! }
//!
//! // Each member in turn sends its aggregate to a member of its choice, until all have a certificate.
//! for step in 0..64 {
//!     let (now, from) = (Time(step), step as usize % 4);
//!     let (gossip, peers) = &mut nodes[from];
//!     let Some((to, aggregate)) = gossip.next(now, step, peers) else { continue };
//!     let bytes = aggregate.encode();
//!     peers.sent(to);
//!     let (gossip, peers) = &mut nodes[usize::from(to)];
//!     let _ = gossip.receive(from as u16, Aggregate::decode(&bytes, &committee)?, now, peers);
//!     assert!(gossip.check(now, None, peers).faults.is_empty());
//! }
//! for (gossip, _) in &nodes {
//!     let bytes = gossip.certificate().map(|certificate| certificate.encode()).unwrap_or_default();
//!     assert!(Certificate::<S>::decode(&bytes, &committee)?.verify(&committee).is_ok());
//! }
//! # Ok(()) } main().unwrap();
//! ```

mod aggregate;
mod parameters;
mod peers;
mod pool;
mod ranges;
mod spread;

pub use crate::scheme::{Additive, CountedProof, Counts};
pub use aggregate::Aggregate;
pub use parameters::Parameters;
pub use peers::Peers;
pub use pool::{MAX_POOL, Pool};
pub use spread::{Checked, Gossip, MAX_STACK, Received};
