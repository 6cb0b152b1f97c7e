//! Ethereum's slashing protection: attestations and blocks of many validators in one journal, with the interchange
//! format of [EIP-3076](https://eips.ethereum.org/EIPS/eip-3076), version 5.
//!
//! [`SlashingProtection`] signs a message only if it contradicts no earlier one, and only once its record is durable. Two
//! messages of one key contradict each other if they are
//!
//! - **blocks** of one slot with different signing roots;
//! - attestations with one target epoch and different signing roots or sources: a **double vote**;
//! - attestations of which one **surrounds** the other: its source is lower and its target is higher.
//!
//! The strategy is the EIP's *complete* one over a window: the last [`MAX_ATTESTATIONS`] attestations and [`MAX_BLOCKS`]
//! blocks of a key are kept, and two watermarks replace all others: no block at or below a slot, no attestation below a
//! source epoch or at or below a target epoch. Within the window only messages that would be slashed are refused, and a
//! message that was interrupted by a crash can be signed again. The *minimal* strategy, one attestation and one block per
//! key, refuses both. A complete history without bounds would protect no better.
//!
//! An import raises the watermarks to the lowest slot and epochs of each key in the file (conditions 2, 4 and 5 of the
//! EIP), so nothing is signed in a gap between two imported histories. A message without signing root is never signed
//! again. A file whose messages contradict each other or the journal is imported: its messages count, and nothing is signed
//! beside them.
//!
//! ```
//! use quorate::bls::MinPk;
//! use quorate::guard::ethereum::SlashingProtection;
//! use quorate::scheme::Scheme;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let directory = directory.path();
//! let secret = MinPk::generate(&mut getrandom::SysRng)?;
//! let public = MinPk::public_key(&secret);
//! let mut protection = SlashingProtection::create(directory, [4; 32])?; // the chain's genesis validators root
//! protection.add_key(public.as_bytes())?;                              // it has never signed
//! let signature = protection.sign_attestation(&secret, 2290, 3007, [1; 32])?;
//! let surrounded = protection.sign_attestation(&secret, 2291, 3006, [2; 32]);
//! assert_eq!(surrounded.err().map(|error| error.code()), Some("CONTRADICTION"));
//!
//! // Move the key to another client, and stop using it here:
//! let json = protection.export_interchange()?;
//! assert!(json.contains(r#""target_epoch":"3007""#));
//! # Ok(()) }
//! ```

mod history;
mod interchange;
mod protection;
#[cfg(test)]
mod tests;

pub use history::{MAX_ATTESTATIONS, MAX_BLOCKS};
pub use interchange::{Attestation, Block, Interchange, MAX_INTERCHANGE, ValidatorHistory};
pub use protection::{MAX_KEYS, SlashingProtection};
