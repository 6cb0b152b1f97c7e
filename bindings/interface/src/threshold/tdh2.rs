//! Threshold encryption (TDH2): any client encrypts to a committee, and a threshold of its members decrypts together.
//!
//! Atomic broadcast orders ciphertexts first and decrypts them afterwards, so that no member can order transactions by
//! their content. A member verifies a ciphertext before it makes a share, because it would otherwise decrypt other
//! ciphertexts for the sender: only [`Ciphertext::check`] returns a [`ValidCiphertext`].
#![cfg_attr(binding, module = "threshold/tdh2")]

use std::sync::Arc;

use quorate::threshold::dleq;
use quorate::threshold::tdh2::{self, Tdh2};
use quorate::wire::{Decode, Encode};
use quorate::{Error, Result};

use super::WithCache;
use crate::ids::CommitteeId;
use crate::threshold::Cache;
use crate::{SecretBytes, progress};

super::dleq::purpose! { Tdh2, ValidCiphertext, DecryptionShare }

impl KeyShare {
    /// Returns this member's share of a decryption, which is valid for this ciphertext only. Only a checked ciphertext
    /// has shares. Cost: three multiplications.
    /// [`Error::WrongContext`](quorate::Error) if the ciphertext was checked for other keys.
    /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
    pub fn decryption_share(&self, ciphertext: &ValidCiphertext) -> Result<DecryptionShare> {
        let share = self.0.decryption_share(&ciphertext.0, &mut getrandom::SysRng)?;
        Ok(DecryptionShare(share.into()))
    }
}

class! {
    /// The key for encrypting and checking ciphertexts: all that a client needs of a committee.
    object hex struct EncryptionKey(Arc<tdh2::EncryptionKey>): Clone, Debug;
    shown |self, f| f.write_str(&hex::encode(self.encode()));
    module const MAX_PLAINTEXT: u32 = 33_554_432 == tdh2::MAX_PLAINTEXT,
        "Maximum length of a plaintext: 32 MiB.";
    module const OVERHEAD: u32 = 48 == tdh2::OVERHEAD,
        "Bytes by which an encrypted payload is longer than its plaintext.";
    /// Returns the encryption key of a committee.
    fn from_public_keys(keys: &PublicKeys) -> Self {
        Self(tdh2::EncryptionKey::from_public_keys(&keys.0).into())
    }
    /// Decodes the 65 bytes.
    /// [`Error::WrongContext`](quorate::Error) for a key of another purpose.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a key.
    /// [`Error::NonCanonical`](quorate::Error) for an element in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    fn decode(bytes: &[u8]) -> Result<Self> { Ok(Self(tdh2::EncryptionKey::decode(bytes, &())?.into())) }
    /// Returns the 65 bytes.
    quick fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// Returns the same key with tables, which make encryption more than twice as fast and checks faster. Memory:
    /// 61,440 bytes. Cost: about 80 multiplications, recovered after some fifty ciphertexts.
    fn precomputed(&self) -> Result<Self> {
        // The core makes tables only for a key that is not shared.
        let key = tdh2::EncryptionKey::decode(&self.0.encode(), &())?;
        Ok(Self(key.precomputed().into()))
    }
    /// Committee whose members decrypt.
    getter fn committee(&self) -> CommitteeId { CommitteeId(self.0.committee()) }
    /// The public key: 32 bytes.
    getter fn key(&self) -> [u8; 32] { *self.0.key().as_bytes() }
    /// Encrypts at most 32 MiB. The ciphertext binds epoch and proposer, so that no other member can propose it, and
    /// none in another epoch. Cost: five multiplications, plus a cipher and a hash over the payload.
    /// [`Error::TooLarge`](quorate::Error) for a longer plaintext.
    /// [`Error::Rng`](quorate::Error) if the operating system has no random bytes.
    slow fn encrypt(&self, epoch: u64, proposer: u16, plaintext: &[u8]) -> Result<Ciphertext> {
        self.0.encrypt(epoch, proposer, plaintext, &mut getrandom::SysRng).map(Ciphertext)
    }
}

impl PartialEq for EncryptionKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.encode() == other.0.encode()
    }
}

/// Context of a ciphertext. Moving a ciphertext to another context requires knowledge of its plaintext.
pub struct Label {
    /// Committee whose keys decrypt it.
    pub committee: CommitteeId,
    /// Epoch of the protocol in which it is proposed.
    pub epoch: u64,
    /// Index of its proposer.
    pub proposer: u16,
    /// Hash of the encrypted payload: 32 bytes.
    pub payload: [u8; 32],
}

impl Label {
    fn from_core(label: &tdh2::Label) -> Self {
        let tdh2::Label { committee, epoch, proposer, payload } = *label;
        Self { committee: CommitteeId(committee), epoch, proposer, payload }
    }
}

class! {
    /// A ciphertext as sent by a proposer. Only its form is checked.
    object struct Ciphertext(tdh2::Ciphertext): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "Ciphertext({})", shown(&self.0.header().label));
    /// Decodes a ciphertext.
    /// [`Error::Malformed`](quorate::Error) if the bytes are not the encoding of a ciphertext.
    /// [`Error::NonCanonical`](quorate::Error) for an element or a number in another form than the canonical one.
    /// [`Error::Infinity`](quorate::Error) for the neutral element.
    fn decode(bytes: &[u8]) -> Result<Self> { tdh2::Ciphertext::decode(bytes, &()).map(Self) }
    /// Returns the canonical encoding.
    fn encode(&self) -> Vec<u8> { self.0.encode() }
    /// The context that it names. Unproven until the ciphertext is checked.
    getter fn label(&self) -> Label { Label::from_core(&self.0.header().label) }
    /// The encrypted payload, 48 bytes longer than the plaintext.
    getter fn payload(&self) -> &[u8] { self.0.payload() }
    /// Checks that this is a ciphertext for these keys, that it is for this proposer and epoch (the link authenticates
    /// the sender), and that payload and proof are its author's. Cost: four multiplications, two of them short, plus a
    /// hash of the payload.
    /// [`Error::WrongContext`](quorate::Error) if it belongs to another context.
    /// [`Error::BadCiphertext`](quorate::Error) if payload or proof are wrong.
    slow fn check(&self, key: &EncryptionKey, epoch: u64, proposer: u16) -> Result<ValidCiphertext> {
        let checked = self.0.clone().check(&key.0, epoch, proposer)?;
        Ok(ValidCiphertext(checked, self.size()))
    }
    /// About how many bytes it holds.
    size fn size(&self) -> usize { self.0.payload().len() }
}

class! {
    /// A checked ciphertext, for which shares can be made. Only [`Ciphertext::check`] creates one.
    object struct ValidCiphertext(tdh2::ValidCiphertext, usize): Clone, Debug, PartialEq, Eq;
    shown |self, f| write!(f, "ValidCiphertext({})", shown(self.0.label()));
    /// The ciphertext, without the proof that it was checked.
    getter fn ciphertext(&self) -> Ciphertext { Ciphertext(self.0.clone().into_inner()) }
    /// Its context.
    getter fn label(&self) -> Label { Label::from_core(self.0.label()) }
    /// Identifier in the proofs of its shares: 32 bytes.
    getter fn id(&self) -> [u8; 32] { self.0.instance().id() }
    /// The element whose multiples are the shares: 32 bytes.
    getter fn base(&self) -> [u8; 32] { *self.0.instance().base().as_bytes() }
    /// Decrypts with verified shares. Combiners that share a `cache` reuse the Lagrange coefficients of recent sets of
    /// members.
    /// [`Error::BelowQuorum`](quorate::Error) for too few shares.
    /// [`Error::DuplicateSigner`](quorate::Error) for two shares of one member.
    /// [`Error::WrongContext`](quorate::Error) for a share of another ciphertext.
    /// [`Error::BadCiphertext`](quorate::Error) if the author encrypted no valid plaintext: treat it as empty, as all
    /// members will.
    slow fn combine(
        &self,
        keys: &PublicKeys,
        shares: &[&VerifiedShare],
        cache: Option<&Cache>,
    ) -> Result<Vec<u8>> {
        let shares: Vec<_> = shares.iter().map(|share| share.0).collect();
        Cache::with(cache, |cache| self.0.combine(&keys.0, &shares, cache.as_mut()))
    }
    /// About how many bytes it holds.
    size fn size(&self) -> usize { self.1 }
}

class! {
    /// Collects the shares of one ciphertext until it can be decrypted: optimistically at first; after a failure it
    /// checks each share once and identifies the wrong ones. Threads may share it.
    object struct Decryption { label: tdh2::Label, inner: WithCache<tdh2::Decryption> }: Debug;
    shown |self, f| write!(f, "Decryption({}, {})", shown(&self.label), progress(self.is_done()));
    /// Creates a combiner for a ciphertext that was checked for these keys. Combiners that share a `cache` reuse the
    /// Lagrange coefficients of recent sets of members.
    /// [`Error::WrongContext`](quorate::Error) if the ciphertext was checked for other keys.
    fn new(keys: &PublicKeys, ciphertext: &ValidCiphertext, cache: Option<&Cache>) -> Result<Self> {
        let inner = tdh2::Decryption::new(Arc::clone(&keys.0), ciphertext.0.clone())?;
        Ok(Self { label: *ciphertext.0.label(), inner: WithCache::new(inner, cache) })
    }
    /// Adds a share, and decrypts the ciphertext once there are enough.
    /// [`Error::UnknownSigner`](quorate::Error) if the keys have no such member.
    fn add(&self, share: &DecryptionShare) -> Result<Collected> {
        let collected = self.inner.with(|inner, cache| inner.add(*share.0, cache.as_mut()))?;
        let (output, error) = match collected.output {
            None => (None, None),
            Some(Ok(plaintext)) => (Some(plaintext), None),
            Some(Err(error)) => (None, Some(error)),
        };
        Ok(Collected { output, error, faults: faults(collected.faults) })
    }
    /// True if the ciphertext is decrypted, or known to be invalid.
    getter fn is_done(&self) -> bool { self.inner.with(|inner, _| inner.is_done()) }
}

/// Result of adding a share.
pub struct Collected {
    /// The plaintext, returned once.
    pub output: Option<Vec<u8>>,
    /// Returned once, in place of the plaintext: the error that all members get if the author encrypted no valid
    /// plaintext. Treat the ciphertext as empty.
    pub error: Option<Error>,
    /// Faults of the shares found to be wrong.
    pub faults: Vec<ShareFault>,
}

/// The context of a ciphertext in texts.
fn shown(label: &tdh2::Label) -> String {
    let tdh2::Label { epoch, proposer, payload, .. } = label;
    format!("epoch={epoch}, proposer={proposer}, payload={}", hex::encode(payload))
}
