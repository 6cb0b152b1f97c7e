//! TDH2 (Shoup and Gennaro, *Securing Threshold Cryptosystems against Chosen Ciphertext Attack*, 2002) over ristretto255:
//! anybody encrypts to a committee, and f + 1 of its members decrypt together. Atomic broadcast orders ciphertexts first and
//! decrypts them afterwards, so that nobody chooses what is ordered by what it says (Miller et al., *HoneyBadger BFT*).
//!
//! 1. [`EncryptionKey::encrypt`] wraps a fresh key k under H and encrypts the payload under k. The [`Label`] (committee,
//!    epoch, proposer, hash of the payload) and everything else of the [`Header`] is under a proof that whoever made it knew
//!    r with u = r·G.
//! 2. [`Ciphertext::check`] verifies label, payload and proof. **Only the [`ValidCiphertext`] that it gives makes shares**:
//!    a member that made one for any u that it is sent would decrypt other ciphertexts for its sender.
//! 3. [`KeyShare::decryption_share`](KeyShare) is xᵢ·u with a proof, 130 bytes.
//! 4. Shares are checked, one or many, and combined: [`ValidCiphertext::combine`] takes [`VerifiedShare`]s only. Or a
//!    [`Decryption`] does all of it as shares come.
//!
//! **Optimism.** A [`Decryption`] combines the first f + 1 shares unchecked and looks whether the key fits, which in good
//! times saves the whole cost of checking, several times that of combining. The cipher's own tag would not do for
//! that look: an author who works with a member can build a payload that opens under two keys, and members who got
//! different shares would read different things. So a payload begins with a commitment to its key, a hash of 32 bytes. If it
//! does not fit, all shares are checked with one sum, the wrong ones become faults, and it goes on with the others: each
//! share is checked at most once, and there are at most two combinations.
//!
//! **A ciphertext whose payload does not open** under the key that its shares give was made so by its author. All correct
//! members find that out alike ([`Error::BadCiphertext`](crate::Error::BadCiphertext)) and take it for empty.
//!
//! Deviations from the paper: the challenges have 128 bits, and the commitments are hashed doubled, both for speed and without
//! loss (`spec/threshold-encryption.md` has the reasons); the message is a key for a cipher; proofs of shares carry A₁ and A₂
//! so that they can be checked together; everything names its committee.
//!
//! ```
//! use std::sync::Arc;
//! use quorate::committee::CommitteeId;
//! use quorate::threshold::tdh2::{Ciphertext, Decryption, EncryptionKey, PublicKeys};
//! use quorate::threshold::{Threshold, lagrange};
//! use quorate::wire::{Decode, Encode};
//!
//! let mut rng = getrandom::SysRng;
//! // Once per committee, by a dealer whom all trust: 2 of 4.
//! let (keys, shares) = PublicKeys::deal(CommitteeId([7; 32]), Threshold::new(2, 4)?, &mut rng)?;
//! let keys = Arc::new(keys);
//!
//! // The proposer, member 3, in epoch 12:
//! let key = EncryptionKey::from_public_keys(&keys);
//! let bytes = key.encrypt(12, 3, b"pay 5 to Bob", &mut rng)?.encode();
//!
//! // Members, once the bytes are ordered:
//! let ciphertext = Ciphertext::decode(&bytes, &())?.check(&key, 12, 3)?;
//! let sent = [1, 2].map(|i: usize| shares[i].decryption_share(&ciphertext, &mut rng));
//!
//! // Whoever collects:
//! let (mut decryption, mut cache) = (Decryption::new(keys, ciphertext)?, lagrange::Cache::default());
//! let mut output = None;
//! for share in sent {
//!     output = decryption.add(share?, &mut cache)?.output;
//! }
//! assert_eq!(output.unwrap()?, b"pay 5 to Bob");
//! # Ok::<(), quorate::Error>(())
//! ```
//!
//! What was not checked makes no share, and what was not verified does not combine:
//!
//! ```compile_fail,E0308
//! # use quorate::threshold::tdh2::{Ciphertext, DecryptionShare, KeyShare};
//! fn share(mine: &KeyShare, received: &Ciphertext) -> quorate::Result<DecryptionShare> {
//!     mine.decryption_share(received, &mut getrandom::SysRng)
//! }
//! ```
//!
//! ```compile_fail,E0308
//! # use quorate::threshold::{lagrange::Cache, tdh2::{DecryptionShare, PublicKeys, ValidCiphertext}};
//! fn open(ciphertext: &ValidCiphertext, keys: &PublicKeys, received: &[DecryptionShare]) -> quorate::Result<Vec<u8>> {
//!     ciphertext.combine(keys, received, &mut Cache::default())
//! }
//! ```

mod ciphertext;
mod decryption;
mod encryption;
mod payload;

pub use ciphertext::{Ciphertext, Header, Label, ValidCiphertext};
pub use decryption::Decryption;
pub use encryption::EncryptionKey;
pub use payload::{MAX_PLAINTEXT, OVERHEAD};

use super::dleq;
use crate::scheme::sealed::Sealed;

/// Keys of threshold encryption: purpose 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Tdh2 {}

impl Sealed for Tdh2 {}

impl dleq::Purpose for Tdh2 {
    const NUMBER: u8 = 1;
    const NAME: &'static str = "tdh2";
}

/// What everybody knows of dealt keys.
pub type PublicKeys = dleq::PublicKeys<Tdh2>;
/// A member's secret.
pub type KeyShare = dleq::KeyShare<Tdh2>;
/// A member's part in a decryption.
pub type DecryptionShare = dleq::Share<Tdh2>;
/// One that was verified.
pub type VerifiedShare = dleq::VerifiedShare<Tdh2>;
/// One that did not verify.
pub type ShareFault = dleq::ShareFault<Tdh2>;
/// Proof that a member made a wrong one.
pub type WrongShare = dleq::WrongShare<Tdh2>;
