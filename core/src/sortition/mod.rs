//! Selection of the proposers of a round: a lottery in which each member draws in secret and winners can prove that
//! they won. Li et al., *Gosig* (section 4.2.1), with the hash of a unique signature as the verifiable random
//! function.
//!
//! ```text
//! Seed Q ──Lottery(round)──▶ draw(secret) ──▶ Ticket ──verify──▶ Verified<Ticket>, whose Score orders the winners
//!    └───── SeedProof of the proposer ──▶ the next Seed
//! ```
//!
//! **A ticket** is the member's signature on `"quorate-v1-sortition-ticket" ‖ committee id 32 ‖ epoch 8 ‖ round 8 ‖
//! seed 40`. Its [`Score`] is a hash of the signature, and it wins if the score's first 128 bits as an integer, times
//! the number of members, are below `expected` · 2¹²⁸: integers only, so that all platforms agree. On average
//! `expected` members win ([`EXPECTED_WINNERS`]: 7); the probability that no member wins is about e⁻⁷, and with a third
//! of the members faulty no honest one wins in about one round of a hundred. The **smallest** score is the best.
//!
//! **One ticket each.** Signatures are [unique](crate::scheme::Vrf), and points outside the subgroup are refused
//! before they are hashed. A member whose key occurs several times in the committee may use its first index only.
//! Every member has one ticket, whatever its weight, so the lottery suits committees whose members may propose
//! equally often.
//!
//! **Requirements on the seed.** It must be unknown when the keys are fixed; otherwise a member can try keys until one
//! wins. A joining key therefore takes part only from the first seed that was unknown when the key was submitted. The
//! first seed must come from a source that no member controls ([`Seed::genesis`]).
//!
//! **Remaining bias.** The next seed is the hash of the proposer's unique signature, so no member chooses it; but a
//! winner may **withhold** its block if the next seed is unfavourable. It then gives up its block, and the round goes
//! to another winner or to none, so an attacker with the k best tickets of a round chooses among k + 1 seeds. This
//! biases the choice of proposers, never safety.
//!
//! ```
//! use std::sync::Arc;
//! use quorate::bls::MinSig;
//! use quorate::committee::{ChainId, Committee};
//! use quorate::scheme::{Scheme, VerifiedKey};
//! use quorate::sortition::{EXPECTED_WINNERS, Lottery, Seed, SeedProof, Ticket};
//! use quorate::wire::{Decode, Encode};
//!
//! let secrets = (0..4).map(|_| MinSig::generate(&mut getrandom::SysRng)).collect::<Result<Vec<_>, _>>()?;
//! let members = secrets.iter().map(|secret| (VerifiedKey::<MinSig>::from_secret(secret), 1)).collect();
//! let chain = ChainId::from_name("example");
//! let committee = Arc::new(Committee::new(chain, 0, members)?);
//!
//! let seed = Seed::genesis(chain, b"bytes that no member controls");
//! let lottery = Lottery::new(committee.clone(), seed, 1, EXPECTED_WINNERS);
//! let ticket = lottery.draw(&secrets[2])?.ok_or(quorate::Error::NotDrawn)?; // of four members all seven win
//! let bytes = ticket.encode();
//!
//! // At another member:
//! let received = Ticket::<MinSig>::decode(&bytes, &())?.verify(&lottery)?;
//! assert_eq!((received.member(), received.score()), (2, ticket.score()));
//!
//! // Its block carries the proof of the next seed.
//! let proof = SeedProof::sign(&secrets[2], &committee, &seed)?;
//! assert_eq!(seed.next(&proof, &committee)?.height(), 1);
//! # Ok::<(), quorate::Error>(())
//! ```

mod lottery;
mod score;
mod seed;
mod ticket;

pub use lottery::{EXPECTED_WINNERS, Lottery};
pub use score::Score;
pub use seed::{Seed, SeedProof};
pub use ticket::Ticket;
