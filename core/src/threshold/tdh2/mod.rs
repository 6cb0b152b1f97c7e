//! TDH2 (Shoup and Gennaro, *Securing Threshold Cryptosystems against Chosen Ciphertext Attack*, 2002) over
//! ristretto255: any client encrypts to a committee, and f + 1 of its members decrypt together. Atomic broadcast
//! orders ciphertexts first and decrypts them afterwards, so that no member can select messages by their content
//! (Miller et al., *HoneyBadger BFT*).
//!
//! 1. [`EncryptionKey::encrypt`] wraps a fresh key k under H and encrypts the payload under k. The [`Label`]
//!    (committee, epoch, proposer, hash of the payload) and the rest of the [`Header`] are covered by a proof that
//!    the author knew r with u = r·G.
//! 2. [`Ciphertext::check`] verifies label, payload and proof. **Only the resulting [`ValidCiphertext`] yields
//!    shares**: a member that made a share for any u it receives would decrypt other ciphertexts for the sender.
//! 3. [`KeyShare::decryption_share`](KeyShare) is xᵢ·u with a proof, 130 bytes.
//! 4. Shares are verified, singly or in batches, and combined: [`ValidCiphertext::combine`] accepts
//!    [`VerifiedShare`]s only. A [`Decryption`] performs all of this as shares arrive.
//!
//! **Optimism.** A [`Decryption`] combines the first f + 1 shares unverified and checks whether the resulting key fits,
//! which normally saves the cost of verification, several times that of combining. The cipher's own tag is not
//! sufficient for this check: an author that colludes with a member can build a payload that opens under two keys, and
//! members with different shares would read different plaintexts. So a payload begins with a commitment to its key, a
//! hash of 32 bytes. If it does not match, all shares are verified with one sum, the wrong ones become faults, and the
//! decryption continues with the others: each share is verified at most once, and there are at most two combinations.
//!
//! **A ciphertext whose payload does not open** under the key from its shares was made so by its author. All correct
//! members find this ([`Error::BadCiphertext`](crate::Error::BadCiphertext)) and treat it as empty.
//!
//! Deviations from the paper: the challenges have 128 bits, and the commitments are hashed doubled, both for speed
//! and without loss of security (`spec/threshold-encryption.md` has the reasons); the message is a key for a cipher;
//! proofs of shares carry A₁ and A₂ so that they can be verified in batches; every object names its committee.
//!
//! ```
//! use std::sync::Arc;
//! use quorate::committee::CommitteeId;
//! use quorate::threshold::tdh2::{Ciphertext, Decryption, EncryptionKey, PublicKeys};
//! use quorate::threshold::{Threshold, lagrange};
//! use quorate::wire::{Decode, Encode};
//!
//! let mut rng = getrandom::SysRng;
//! // Once per committee, by a trusted dealer: 2 of 4.
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
//! // The member that collects the shares:
//! let (mut decryption, mut cache) = (Decryption::new(keys, ciphertext)?, lagrange::Cache::default());
//! let mut output = None;
//! for share in sent {
//!     output = decryption.add(share?, &mut cache)?.output;
//! }
//! assert_eq!(output.unwrap()?, b"pay 5 to Bob");
//! # Ok::<(), quorate::Error>(())
//! ```
//!
//! An unverified ciphertext yields no share, and an unverified share does not combine:
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
mod keys;
mod payload;
mod validation;

pub use ciphertext::{Ciphertext, Header, Label};
pub use decryption::Decryption;
pub use encryption::EncryptionKey;
pub use keys::{DecryptionShare, KeyShare, PublicKeys, ShareFault, Tdh2, VerifiedShare, WrongShare};
pub use payload::{MAX_PLAINTEXT, OVERHEAD};
pub use validation::ValidCiphertext;
