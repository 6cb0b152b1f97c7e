//! Order-free aggregates of signatures, and how they spread by gossip.
//!
//! An [`Aggregate`] is a sum of members' signatures on one statement with a count for each signer: (S, n). Two of them
//! add up, (S₁ + S₂, n₁ + n₂), in any order and also where the same member signed both; it verifies against
//! Σ nᵢ·keyᵢ. So every member can add what it has to what it hears and pass the sum on, nobody collects, and what
//! travels is one signature and a few bits for each signer. Once the signers are a quorum it is a
//! [`Certificate`](crate::certificate::Certificate) of a counted scheme, as good as any other. This is the aggregated
//! signature gossip of Li et al., *Gosig* (2020), section 5.2.
//!
//! **Counts must stay low**, or they grow with every hop as (fan-out + 1)ʰ and no field holds them. What is sent to whom
//! sees to that ([`Gossip`]): the committee is halved and halved again, members of the other half are sent the sum of
//! one's own, and so what is added is disjoint. What does not fit into that, because somebody else sends otherwise, is
//! added where it overlaps least ([`Pool`]). Nothing is verified that brings nobody new, and nothing is added that is not
//! verified.
//!
//! ```text
//! Verified<Vote> ──of_vote──▶ Verified<Aggregate> ──kept by halves──▶ quorum ──▶ Verified<Certificate>
//!                                   ▲                  │ sum of a half
//! Aggregate ──receive──▶ stack ──check, together       ▼
//!     ▲                  newest first, bad ones blamed next: to whom?  ◀── Peers: fan-out, back-off
//!     └────────────────────────────── the network ─────┘
//! ```
//!
//! Four members, no network:
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
//! // Each member begins with its own vote.
//! let parameters = Parameters::default();
//! let mut nodes = Vec::new();
//! for (me, secret) in (0..4).zip(&secrets) {
//!     let vote = Vote::<S>::sign_unguarded(secret, &committee, statement)?.verify(&committee)?;
//!     let mut gossip = Gossip::new(committee.clone(), me, statement, parameters)?;
//!     gossip.vote(&vote)?;
//!     nodes.push((gossip, Peers::new(me, 4, parameters)));
//! }
//!
//! // Everybody says what it has to whom it thinks fit, until all have a certificate.
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
mod peers;
mod pool;
mod ranges;
mod spread;

use core::time::Duration;

pub use crate::scheme::{Additive, CountedProof, Counts};
pub use aggregate::Aggregate;
pub use peers::Peers;
pub use pool::{POOL, Pool};
pub use spread::{Checked, Gossip, Received, STACK};

/// What can be chosen. The values change how fast and how cheap spreading is, never what is a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// No count grows past this, and what has a higher one is refused: 255.
    pub limit: u16,
    /// No count of a [`Pool`]'s sum grows past this: 16. Sums that are above it already are added if that makes a quorum.
    pub preferred: u16,
    /// How many aggregates are verified together at most: 4.
    pub batch: usize,
    /// How many sends are under way at once at most, and to how many members news are told: 5.
    pub fan_out: usize,
    /// How long a peer that failed is left alone, 2 s; each further failure in a row adds as much.
    pub back_off: Duration,
    /// How long a send that is not answered holds its place, 500 ms; then it counts as failed.
    pub patience: Duration,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            limit: 255,
            preferred: 16,
            batch: 4,
            fan_out: 5,
            back_off: Duration::from_secs(2),
            patience: Duration::from_millis(500),
        }
    }
}
